"""Packs: where they are found."""

from pathlib import Path

import tidegate
from tidegate.lang import packs


def test_shipped_packs_are_a_folder():
    """The packs of this package are found from here, whether it is installed or a checkout."""
    assert packs.shipped().is_dir()


def test_shipped_packs_are_found_where_a_symlink_is_only_a_text(tmp_path):
    """In a checkout without symlinks a small file holds the way to the folder."""
    package = tmp_path / "engine" / "tidegate"
    package.mkdir(parents=True)
    (package / "policies").write_text("../../policies", encoding="utf-8")
    (tmp_path / "policies").mkdir()

    assert packs.shipped(package).resolve() == (tmp_path / "policies").resolve()


def test_listed_packs_are_the_toml_files_of_the_folder(tmp_path):
    """Packs are named by their files and listed in order; nothing else in the folder is one."""
    for name in ("web.toml", "baseline.toml", "README.md"):
        (tmp_path / name).write_text("", encoding="utf-8")

    assert list(packs.listed(tmp_path)) == ["baseline", "web"]
    assert dict(packs.listed(tmp_path / "missing")) == {}


def test_package_is_where_it_is_looked_for():
    """The folder of the packs belongs to the package that is imported."""
    assert Path(tidegate.__file__).parent.joinpath("policies").resolve() == packs.shipped().resolve()
