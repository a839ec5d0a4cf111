"""MCP servers that people use, installed once into a folder beside the checkout, for tests of the proxy.

`TIDEGATE_SERVERS_CACHE` names another folder. Where a server cannot be installed, its tests are skipped and say why.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PYPI = ["mcp-server-git==2026.10.19", "mcp-server-time==2026.10.19", "mcp-server-fetch==2026.10.24"]
NPM = [
    "@modelcontextprotocol/server-filesystem@2026.8.31",
    "@modelcontextprotocol/server-everything@2026.8.31",
    "@modelcontextprotocol/server-memory@2026.8.31",
]
LONG = 300


def cache():
    """The folder in which they are installed."""
    return Path(os.environ.get("TIDEGATE_SERVERS_CACHE") or ROOT / ".mcp-servers")


@contextmanager
def alone(folder):
    """Whoever is in here is the only one, among all processes that run tests."""
    import fcntl

    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def run(*words, cwd):
    """Run an installer; a test that needs what it installs is skipped where it fails."""
    try:
        done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, timeout=LONG, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        pytest.skip(f"`{words[0]}` failed: {error}")
    if done.returncode:
        pytest.skip(f"`{' '.join(words[:3])} …` failed: {(done.stderr or done.stdout).strip()[-300:]}")


def python_server(name):
    """The program of a server from PyPI."""
    if os.name != "posix":
        pytest.skip("servers are installed on POSIX only")
    folder = cache() / "pypi"
    program = folder / "bin" / name
    with alone(folder):
        if not (folder / "done").exists():
            run(sys.executable, "-m", "venv", str(folder), cwd=folder)
            run(str(folder / "bin" / "python"), "-m", "pip", "install", "-q", "--no-compile", *PYPI, cwd=folder)
            (folder / "done").touch()
    return [str(program)]


def node_server(name):
    """What starts a server from npm."""
    if os.name != "posix":
        pytest.skip("servers are installed on POSIX only")
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("`node` and `npm` are not installed")
    folder = cache() / "npm"
    with alone(folder):
        if not (folder / "done").exists():
            run("npm", "install", "--silent", "--no-fund", "--no-audit", "--prefix", str(folder), *NPM, cwd=folder)
            (folder / "done").touch()
    return ["node", str(folder / "node_modules" / ".bin" / name)]
