"""Make `.venv` and install tidegate into it; run by the Makefile with any Python, needs the stdlib only.

Usage: venv.py demo|test|check|bench|frameworks

`frameworks` makes an environment for each set of agent frameworks that can live together, in `.venv-frameworks`; one
that cannot be installed is told of and left out. A second run with the same `pyproject.toml` does nothing.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
OLDEST = (3, 11)
# Each target holds those before it.
WANTED = {
    "demo": ["-e", ".[mcp]"],
    "test": ["-e", ".[mcp,fuzz]", "--group", "test"],
    "check": ["-e", ".[mcp,fuzz]", "--group", "test", "--group", "check"],
    "bench": ["-e", ".[mcp,fuzz]", "--group", "test", "--group", "check", "--group", "bench"],
}
# What is wanted without the packages that it depends on.
BARE = {"bench": ["--no-deps", "--group", "bench-data"]}
FRAMEWORKS = ROOT / ".venv-frameworks"
# google-adk needs an older opentelemetry than fastmcp. crewai says that it needs an older tomli and tomli-w than
# tidegate does, and runs with the newer ones; only uv can be told so.
TOGETHER = {
    "agents": ["-e.[anthropic,claude-agent-sdk,fastmcp,langchain,openai-agents,pydantic-ai]"],
    "adk": ["-e.[google-adk]"],
    "crewai": ["-e.", "crewai>=1.15.30,<2", "--override=scripts/crewai-overrides.txt"],
}
NO_ENSUREPIP = """\
this Python has no `ensurepip`, so it cannot make a virtual environment with pip in it.
Install what is missing, then run make again:
  Debian, Ubuntu   apt-get install python3-venv   (or python3-pip)
  Fedora           dnf install python3-pip
  Alpine           apk add py3-pip
  anywhere         https://docs.astral.sh/uv/ gives the command `uv`, which is used when it is there"""


def main(argv: list[str]) -> int:
    """Make the environment for one of the targets in `WANTED`."""
    target = argv[1] if len(argv) > 1 else ""
    if target == "frameworks" and sys.version_info >= OLDEST:
        return _frameworks()
    if target not in {**WANTED, "frameworks": ()}:
        print(__doc__, file=sys.stderr)
        return 2
    if sys.version_info < OLDEST:
        return _with_newer_python(argv)
    if _is_fresh(target):
        return 0
    installer = _installer()
    if installer is None:
        print(NO_ENSUREPIP, file=sys.stderr)
        return 2
    print(f"tidegate: installing into {VENV.name} ({target})", file=sys.stderr, flush=True)
    code = subprocess.call([*installer, *WANTED[target]], cwd=ROOT)
    if code == 0 and target in BARE:
        code = subprocess.call([*installer, *BARE[target]], cwd=ROOT)
    if code == 0:
        _stamp(target).write_text(_digest(), encoding="utf-8")
    return code


def _frameworks() -> int:
    """Make what is missing of the environments of frameworks; always 0, since their tests skip where there is none."""
    for name, wanted in TOGETHER.items():
        folder = FRAMEWORKS / name
        stamp = folder / "tidegate.stamp"
        if stamp.exists() and stamp.read_text(encoding="utf-8") == _digest():
            continue
        print(f"tidegate: installing frameworks into {FRAMEWORKS.name}/{name}", file=sys.stderr, flush=True)
        if _made(folder, wanted):
            stamp.write_text(_digest(), encoding="utf-8")
        else:
            print(f"tidegate: {wanted[0]} could not be installed: its tests are skipped", file=sys.stderr)
    return 0


def _made(folder: Path, wanted: list[str]) -> bool:
    """Whether the environment is there now; the command `uv`, which is far faster, comes from PyPI for it."""
    python = str(folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    quiet = ["install", "--quiet", "--disable-pip-version-check"]
    if subprocess.call([sys.executable, "-m", "venv", "--clear", str(folder)], cwd=ROOT):
        return False
    if subprocess.call([python, "-m", "pip", *quiet, "uv>=0.9"], cwd=ROOT) == 0:
        command = [python, "-m", "uv", "pip", "install", "--quiet", "--python", python, *wanted]
        if subprocess.call(command, cwd=ROOT) == 0:
            return True
    return subprocess.call([python, "-m", "pip", *quiet, *wanted], cwd=ROOT) == 0


def _with_newer_python(argv: list[str]) -> int:
    """Hand over to a Python that is new enough, where there is one on the PATH."""
    for minor in (13, 12, 11, 14):
        found = shutil.which(f"python3.{minor}")
        if found and subprocess.call([found, "-c", ""], stderr=subprocess.DEVNULL) == 0:
            return subprocess.call([found, *argv])
    have = ".".join(map(str, sys.version_info[:3]))
    print(
        f"tidegate needs Python {'.'.join(map(str, OLDEST))} or newer; this is {have} ({sys.executable})",
        file=sys.stderr,
    )
    return 2


def _installer() -> list[str] | None:
    """The command that installs into `.venv`, made first where it is missing; `None` where nothing can."""
    uv = shutil.which("uv")
    if not PYTHON.exists():
        if importlib.util.find_spec("ensurepip"):
            _run([sys.executable, "-m", "venv", str(VENV)])
        elif uv:
            _run([uv, "venv", "--python", sys.executable, str(VENV)])
        elif importlib.util.find_spec("pip"):
            _run([sys.executable, "-m", "venv", "--without-pip", str(VENV)])
        else:
            return None
    if subprocess.call([str(PYTHON), "-m", "pip", "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
        if uv:
            return [uv, "pip", "install", "--quiet", "--python", str(PYTHON)]
        if not importlib.util.find_spec("pip"):  # an environment that was left half made
            return None
        _run([sys.executable, "-m", "pip", "--python", str(PYTHON), "install", "--quiet", "pip>=25.1"])
    else:
        # The groups of pyproject.toml need pip 25.1.
        _run([str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "pip>=25.1"])
    return [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]


def _run(command: list[str]) -> None:
    code = subprocess.call(command, cwd=ROOT)
    if code:
        sys.exit(code)


def _digest() -> str:
    return hashlib.sha256((ROOT / "pyproject.toml").read_bytes() + sys.version.encode()).hexdigest()


def _stamp(target: str) -> Path:
    return VENV / f"tidegate-{target}.stamp"


def _is_fresh(target: str) -> bool:
    """Whether this target, or one that holds it, was installed from the present `pyproject.toml`."""
    holders = list(WANTED)[list(WANTED).index(target) :]
    return PYTHON.exists() and any(_stamp(t).exists() and _stamp(t).read_text() == _digest() for t in holders)


if __name__ == "__main__":
    sys.exit(main(sys.argv))
