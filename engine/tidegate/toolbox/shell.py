"""`run_bash`: a command line in a real bash."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ToolFailed
from ..kernel import ToolDefinition, ToolExecution, define_tool

if TYPE_CHECKING:
    from anyio.abc import ByteReceiveStream, Process

LONGEST = 120.0
"""Seconds after which a command is ended."""

MOST_KEPT = 1024 * 1024
"""How many bytes of each stream are kept."""

_STARTERS = ("BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS")
_FUNCTION = "BASH_FUNC_"


def shell_tool(root: str, environment: Mapping[str, str], longest: float = LONGEST) -> ToolDefinition:
    """The tool `run_bash`.

    Bash starts in the call's folder without start files, functions and options of its surroundings, which nobody
    judged. It leads a process group of its own, and when it ends, or is ended after *longest* seconds, whatever is
    left of the group ends with it; a process that leaves the group is out of reach. Nothing contains what it does.
    """
    variables = {
        name: value for name, value in environment.items() if name not in _STARTERS and not name.startswith(_FUNCTION)
    }

    async def run_bash(args: Mapping[str, Any], exec: ToolExecution) -> str:  # noqa: A002 - the registry's name for it
        bash = shutil.which("bash", path=variables.get("PATH"))
        if bash is None:
            raise ToolFailed("there is no bash on this machine", "NO_BASH")
        folder = _folder(exec.cwd or root, args.get("cwd", "."))
        return await _run([bash, "--noprofile", "--norc", "-c", args["command"]], folder, variables, longest)

    return define_tool(
        name="run_bash",
        description="Run a command line in bash.",
        parameters={
            "command": {"type": "string", "required": True},
            "cwd": {"type": "string", "description": "The folder to run it in; by default the working folder."},
            "description": {"type": "string", "description": "What it does, for the person who watches."},
        },
        execute=run_bash,
    )


def _folder(here: str, wanted: str) -> str:
    folder = Path(here, wanted)
    if not folder.is_dir():
        raise ToolFailed("the folder in which the command should run is not there", "NO_FOLDER")
    return str(folder)


class _Kept:
    """The beginning of a stream, and how much more there was."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.missing = 0

    async def collect(self, stream: ByteReceiveStream | None) -> None:
        from anyio import EndOfStream

        assert stream is not None  # noqa: S101 - it is opened as a pipe
        while True:
            try:
                chunk = await stream.receive()
            except EndOfStream:
                return
            room = MOST_KEPT - len(self.data)
            self.data += chunk[:room]
            self.missing += max(len(chunk) - room, 0)

    def text(self) -> str:
        shown = self.data.decode("utf-8", "replace")
        return shown + (f"\n[{self.missing} bytes more were not kept]\n" if self.missing else "")


async def _run(argv: list[str], folder: str, environment: Mapping[str, str], longest: float) -> str:
    from anyio import CancelScope, create_task_group, move_on_after, open_process

    out, err = _Kept(), _Kept()
    process = await open_process(
        argv, stdin=subprocess.DEVNULL, cwd=folder, env=environment, start_new_session=os.name == "posix"
    )
    try:
        with move_on_after(longest) as limit:
            async with create_task_group() as group:
                group.start_soon(out.collect, process.stdout)
                group.start_soon(err.collect, process.stderr)
                await process.wait()
                _end(process)  # what it left in the background would keep the streams open
    finally:
        _end(process)
        with CancelScope(shield=True):
            await process.aclose()
    return _told(out, err, None if limit.cancelled_caught else process.returncode, longest)


def _end(process: Process) -> None:
    """End the whole group; without groups, the process."""
    try:
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    except (ProcessLookupError, PermissionError):  # it has ended; macOS says the latter of a group of zombies
        return


def _told(out: _Kept, err: _Kept, code: int | None, longest: float) -> str:
    text = out.text()
    if err.data:
        text += ("" if not text or text.endswith("\n") else "\n") + f"[stderr]\n{err.text()}"
    if code == 0:
        return text
    end = f"[ended after {longest:g} seconds]" if code is None else f"[exit code {code}]"
    return text + ("" if not text or text.endswith("\n") else "\n") + end
