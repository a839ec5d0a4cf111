"""What `make demo` and `make test` begin with, on machines that lack something."""

import importlib.util
import shutil
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[1] / "scripts/venv.py"


@pytest.fixture
def venv(tmp_path, monkeypatch):
    """The script, as if it stood in an empty folder; it runs nothing, and `ran` says what it would have run."""
    spec = importlib.util.spec_from_file_location("venv_script", SCRIPT)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    script.ROOT, script.VENV = tmp_path, tmp_path / ".venv"
    script.PYTHON = script.VENV / "bin/python"
    script.VENV.mkdir()
    script.ran = []
    (tmp_path / "pyproject.toml").write_text("")
    monkeypatch.setattr(script.subprocess, "call", lambda command, **_: script.ran.append(command) or 0)
    return script


def without(monkeypatch, *modules, programs=()):
    """Hide modules and programs of this machine."""
    find_spec, which = importlib.util.find_spec, shutil.which
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in modules else find_spec(name))
    monkeypatch.setattr(shutil, "which", lambda name: None if name in programs else which(name) or f"/bin/{name}")


def test_without_ensurepip_pip_and_uv_it_says_what_to_install(venv, monkeypatch, capsys):
    """Nothing is made, and the words name the packages of the distributions."""
    without(monkeypatch, "ensurepip", "pip", programs=["uv"])

    assert venv.main(["venv.py", "demo"]) == 2
    assert "apt-get install python3-venv" in capsys.readouterr().err
    assert venv.ran == []


def test_an_environment_left_half_made_is_told_in_the_same_words(venv, monkeypatch, capsys):
    """Also where `.venv` is there already and has no pip in it."""
    without(monkeypatch, "pip", programs=["uv"])
    venv.PYTHON.parent.mkdir()
    venv.PYTHON.touch()
    monkeypatch.setattr(venv.subprocess, "call", lambda *_, **__: 1)

    assert venv.main(["venv.py", "demo"]) == 2
    assert "apt-get install python3-venv" in capsys.readouterr().err


def test_uv_and_the_pip_of_this_python_stand_in_for_ensurepip(venv, monkeypatch):
    """Where `ensurepip` is missing, what else can make an environment does."""
    without(monkeypatch, "ensurepip")
    venv.main(["venv.py", "demo"])
    by_uv = venv.ran[0][1:2]
    venv.ran.clear()
    (venv.VENV / "tidegate-demo.stamp").unlink(missing_ok=True)
    without(monkeypatch, "ensurepip", programs=["uv"])
    venv.main(["venv.py", "demo"])

    assert by_uv == ["venv"]
    assert "--without-pip" in venv.ran[0]


def test_an_old_python_hands_over_or_says_what_is_needed(venv, monkeypatch, capsys):
    """A Python before 3.11 never gets as far as installing."""
    monkeypatch.setattr(venv.sys, "version_info", (3, 9, 6))
    monkeypatch.setattr(shutil, "which", lambda _: None)

    assert venv.main(["venv.py", "demo"]) == 2
    assert "needs Python 3.11 or newer; this is 3.9.6" in capsys.readouterr().err


def test_recorded_calls_are_installed_without_what_they_depend_on(venv):
    """`make bench` needs data of two packages, and none of the clients that they name."""
    assert venv.main(["venv.py", "bench"]) == 0
    assert venv.ran[-1][-3:] == ["--no-deps", "--group", "bench-data"]
