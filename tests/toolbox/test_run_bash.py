"""`run_bash`: a real bash whose group ends with it, and whose output is bounded."""

import os
import shutil
import time
from pathlib import Path

import anyio
import pytest

from tidegate import Context, ToolExecution, ToolRegistry
from tidegate.toolbox.shell import MOST_KEPT, shell_tool

pytestmark = pytest.mark.skipif(shutil.which("bash") is None or os.name != "posix", reason="needs bash and groups")


def registered(root, environment=None, longest=30.0):
    registry = ToolRegistry(Context())
    registry.register(shell_tool(str(root), dict(os.environ if environment is None else environment), longest))
    return registry


def run(root, command, *, longest=30.0, environment=None, **args):
    call = ToolExecution("1", "run_bash", {"command": command, **args}, cwd=str(root))
    return registered(root, environment, longest).execute_sync(call)


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_output_errors_and_exit_code(tmp_path, backend):
    """Both streams and a code other than 0 are told, under either event loop."""
    registry = registered(tmp_path)
    call = ToolExecution("1", "run_bash", {"command": "echo out; echo err >&2; exit 3"}, cwd=str(tmp_path))
    result = anyio.run(registry.execute, call, backend=backend)

    assert (result.is_error, result.text) == (False, "out\n[stderr]\nerr\n[exit code 3]")


def test_it_runs_in_the_folder_of_the_call(tmp_path):
    """The folder is the call's, or the one that `cwd` names relative to it."""
    (tmp_path / "sub").mkdir()

    assert run(tmp_path, "pwd -P").text == f"{tmp_path.resolve()}\n"
    assert run(tmp_path, "pwd -P", cwd="sub").text == f"{tmp_path.resolve()}/sub\n"
    assert run(tmp_path, "pwd", cwd="nope").is_error


def ends(pid):
    """Whether the process ends; the kernel may take a moment after it was told."""
    for _ in range(100):
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="looks at /proc")
def test_what_it_leaves_in_the_background_ends_with_it(tmp_path):
    """A call returns when bash has ended, and nothing of its group is left."""
    pid = run(tmp_path, "sleep 300 & echo $!").text.strip()

    assert pid.isdigit()
    assert ends(pid)


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="looks at /proc")
def test_a_command_that_takes_too_long_is_ended_with_its_group(tmp_path):
    """Past the time limit the whole group is killed, and what was printed so far is there."""
    result = run(tmp_path, "sleep 300 & echo $!; sleep 300", longest=1.0)
    pid, end = result.text.split("\n")

    assert end == "[ended after 1 seconds]"
    assert ends(pid)


def test_output_is_bounded(tmp_path):
    """Of a huge output the beginning is kept, and the rest is counted."""
    text = run(tmp_path, f"head -c {MOST_KEPT + 5} /dev/zero | tr '\\0' x").text

    assert text == "x" * MOST_KEPT + "\n[5 bytes more were not kept]\n"


def test_what_was_judged_is_what_runs(tmp_path):
    """Start files, exported functions and options of the surroundings, which nobody judged, are not there."""
    (tmp_path / "start.sh").write_text("echo started; ls() { echo hijacked; }\n")
    hostile = {
        **os.environ,
        "BASH_ENV": str(tmp_path / "start.sh"),
        "ENV": str(tmp_path / "start.sh"),
        "BASH_FUNC_ls%%": "() { echo hijacked; }",
        "SHELLOPTS": "xtrace",
    }

    assert run(tmp_path, "ls", environment=hostile).text == "start.sh\n"


def test_standard_input_is_empty(tmp_path):
    """A command that reads gets the end of the file at once."""
    assert run(tmp_path, "cat; echo done").text == "done\n"


def test_without_bash_it_says_so(tmp_path):
    """A machine without bash is told plainly."""
    result = run(tmp_path, "ls", environment={"PATH": str(tmp_path)})

    assert (result.is_error, result.text) == (True, "Error: there is no bash on this machine")
