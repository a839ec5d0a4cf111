"""Real shells that say what they would run: no program is found, and a handler writes down what was looked for."""

import os
import shutil
import signal
import subprocess
from contextlib import suppress
from functools import cache
from pathlib import Path

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
    cases = [Path(folder).resolve() / f"{number:05}" for number in range(len(scripts))]
    for case, script in zip(cases, scripts, strict=True):
        (case / "scratch").mkdir(parents=True)
        (case / "script").write_bytes(script.encode(errors="surrogateescape"))
    left = cases
    while left:
        _run(left, seconds)
        left = [case for case in left if not (case / "errors").exists()]
    return [_seen(case) for case in cases]


def _run(cases, seconds):
    process = subprocess.Popen(
        [bash(), "--norc", "--noprofile", "-c", _LIMITS + _DRIVER, "bash", *cases],
        env={"PATH": "/nonexistent", "LC_ALL": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        with suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=seconds)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def _seen(case):
    log = case / "log"
    names = log.read_bytes().decode(errors="surrogateescape").split("\0")[:-1] if log.exists() else []
    return names, sorted(path.name for path in (case / "scratch").iterdir())
