"""Real shells that say what they would run: no program is found, and a handler writes down what was looked for."""

import os
import shutil
import signal
import subprocess
from contextlib import suppress
from functools import cache

_DRIVER = r"""
command_not_found_handle() { printf '%s\0' "$1" >> "$TIDE_LOG"; [[ $1 == t* ]]; }
for tide_case in "$@"; do
  ( cd "$tide_case/scratch" && TIDE_LOG=$tide_case/log && readonly TIDE_LOG && unset tide_case && set -- &&
    . ../script ) 9>&1 >/dev/null 2>"$tide_case/errors" </dev/null
done
wait
"""
_LIMITS = "ulimit -t 50 -f 2000 -v 2000000; "


@cache
def bash():
    """A bash of version 5 or later, or nothing."""
    path = shutil.which("bash")
    if path is None:
        return None
    version = subprocess.run([path, "-c", "echo $BASH_VERSINFO"], capture_output=True, text=True, check=False).stdout
    return path if version.strip().isdigit() and int(version) >= 5 else None


def observe(scripts, folder, *, seconds=20):
    """Run *scripts* one after the other; for each, the names that bash looked for and the files that it made.

    A script that hangs is killed after *seconds*; what it did until then is still true of it.
    """
    cases = [os.path.join(os.path.abspath(folder), f"{number:05}") for number in range(len(scripts))]
    for case, script in zip(cases, scripts, strict=True):
        os.makedirs(f"{case}/scratch")
        with open(f"{case}/script", "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
            file.write(script)
    left = cases
    while left:
        _run(left, seconds)
        left = [case for case in left if not os.path.exists(f"{case}/errors")]
    return [_seen(case) for case in cases]


def _run(cases, seconds):
    command = [bash(), "--norc", "--noprofile", "-c", _LIMITS + _DRIVER, "bash", *cases]
    process = subprocess.Popen(
        command, env={"PATH": "/nonexistent", "LC_ALL": "C.UTF-8"}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    try:
        process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        pass
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def _seen(case):
    names = []
    if os.path.exists(f"{case}/log"):
        with open(f"{case}/log", encoding="utf-8", errors="surrogateescape") as file:
            names = file.read().split("\0")[:-1]
    return names, sorted(os.listdir(f"{case}/scratch"))
