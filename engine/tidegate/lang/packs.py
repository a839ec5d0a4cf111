"""The rule packs that are shipped with the package: TOML files in one folder, each named by its file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

# `importlib.resources` would name the same folder, for 18 ms of imports.
_PACKAGE = Path(__file__).parent.parent


def shipped(package: Path = _PACKAGE) -> Path:
    """The folder of the packs that came with the package in the folder *package*.

    In a checkout it is reached through a symlink; where git cannot make symlinks, a small file stands there
    instead that holds the symlink's target.
    """
    folder = package / "policies"
    return package / folder.read_text(encoding="utf-8").strip() if folder.is_file() else folder


def listed(folder: Path) -> Mapping[str, str]:
    """The absolute paths of the packs in *folder* by name, sorted; none if there is no such folder."""
    return {file.stem: file.absolute().as_posix() for file in sorted(folder.glob("*.toml"))}
