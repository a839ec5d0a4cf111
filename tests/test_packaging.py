"""What is built from this tree works where the tree is not."""

import json
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKS = {path.name for path in (ROOT / "policies").glob("*.toml")}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A wheel and an sdist of the tree."""
    out = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(ROOT)],
        check=True,
        capture_output=True,
    )
    return next(out.glob("*.whl")), next(out.glob("*.tar.gz"))


def test_wheel_has_packs_tables_and_schema(built):
    """Rule packs, the table of commands and the schema are in the wheel, as files."""
    names = zipfile.ZipFile(built[0]).namelist()

    assert {Path(name).name for name in names if "/policies/" in name} == PACKS
    assert "tidegate/rules.schema.json" in names
    assert "tidegate/py.typed" in names
    assert "tidegate/plan/known_tools.toml" in names
    assert any(name.startswith("tidegate/meaning/commands/table/") for name in names)


def test_sdist_builds_the_same_wheel(built, tmp_path):
    """An sdist, unpacked, has everything that the wheel needs."""
    with tarfile.open(built[1]) as archive:
        archive.extractall(tmp_path, filter="data")
    (source,) = tmp_path.iterdir()
    command = [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", str(tmp_path), str(source)]
    subprocess.run(command, check=True, capture_output=True)
    again = next(tmp_path.glob("*.whl"))

    assert sorted(zipfile.ZipFile(again).namelist()) == sorted(zipfile.ZipFile(built[0]).namelist())


def test_wheel_works_in_an_empty_environment(built, tmp_path):
    """Installed into a fresh environment, from another folder, it checks and decides under a shipped pack."""
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "env")], check=True)
    scripts = tmp_path / "env" / ("Scripts" if sys.platform == "win32" else "bin")
    python = scripts / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", str(built[0])], check=True)
    rules = tmp_path / "rules.toml"
    rules.write_text('version = 1\ndefault = "allow"\ninclude = ["pack:baseline"]\n', encoding="utf-8")
    call = '{"tool": "run_bash", "args": {"command": "sh -c \'rm -fr src\'"}}\n'
    checked = subprocess.run([scripts / "tidegate", "check"], cwd=tmp_path, capture_output=True, text=True, check=False)
    decided = subprocess.run(
        [scripts / "tidegate", "decide", "rules.toml", "-"],
        cwd=tmp_path,
        input=call,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (checked.returncode, checked.stderr) == (0, "")
    assert (decided.returncode, json.loads(decided.stdout)["rule"]) == (1, "baseline/forced-recursive-delete")


def test_editable_install_finds_the_packs():
    """The environment of these tests is an editable install, and finds every pack."""
    from tidegate.lang import packs

    assert set(packs.listed(packs.shipped())) == {name.removesuffix(".toml") for name in PACKS}
