"""Commands run as real processes, in a folder and with a home of their own."""

import os
import subprocess
import sys

import pytest

WORKSPACE = """\
version = 1
default = "ask"

[[rule]]
id = "workspace"
kind = "path"
tools = ["read_*", "write_*", "list_*"]
allow = ["{root}/**"]
otherwise = "deny"
message = "stay inside the project"

[[rule.example]]
call = { tool = "write_file", args = { path = "src/a.py", content = "x" } }
expect = "allow"
"""


@pytest.fixture
def home(tmp_path_factory):
    """A home folder that holds nothing."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture
def environment(home):
    """The variables of a process that knows no terminal and no other state."""
    kept = {name: value for name, value in os.environ.items() if name in {"PATH", "PYTHONPATH", "SYSTEMROOT", "TMPDIR"}}
    return {**kept, "HOME": str(home), "XDG_STATE_HOME": str(home / "state"), "LC_ALL": "C.UTF-8"}


@pytest.fixture
def tidegate(tmp_path, environment):
    """`python -m tidegate` with these words, in `tmp_path`; `say` goes to its standard input."""

    def run(*words, say=b"", cwd=tmp_path, **variables):
        return subprocess.run(
            [sys.executable, "-m", "tidegate", *map(str, words)],
            input=say.encode() if isinstance(say, str) else say,
            capture_output=True,
            cwd=cwd,
            env={**environment, **variables},
            timeout=60,
            check=False,
        )

    return run


@pytest.fixture
def rules(tmp_path):
    """A rule file that lets files of the project be read, written and listed."""
    path = tmp_path / "rules.toml"
    path.write_text(WORKSPACE, encoding="utf-8")
    return path
