"""Hooks as they are installed: a process for each event, which asks the resident of this run where it can."""

import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.conformance.harnesses import ROOT

PROGRAM = ROOT / "engine/tidegate/hook_program.py"
PLANTED = Path(__file__).with_name("planted.py")
PATIENCE = 60
PASSED = ("PATH", "PYTHONPATH", "SYSTEMROOT", "TMPDIR")


class Ended(NamedTuple):
    """How a hook's process has ended."""

    code: int
    stdout: str
    stderr: str

    @property
    def object(self):
        """The one JSON object that it wrote, `None` where it wrote anything else."""
        try:
            value = json.loads(self.stdout)
        except ValueError:
            return None
        return value if isinstance(value, dict) else None


def run_hook(harness, event, told, scene):
    """Run the hook for an event; what a scene breaks is broken in a process of its own, without the resident."""
    words = [harness, "--event", event, "--rules", str(scene.rules)]
    if scene.breaks:
        command = [sys.executable, str(PLANTED), scene.breaks, "hook", *words]
    else:
        command = [sys.executable, "-I", "-S", str(PROGRAM), *words, "--resident", resident()]
    home = scene.rules.parent
    done = subprocess.run(
        command,
        input=json.dumps(told),
        capture_output=True,
        encoding="utf-8",
        cwd=home,
        env={
            **{name: os.environ[name] for name in PASSED if name in os.environ},
            "HOME": str(home),
            "XDG_STATE_HOME": str(home / "state"),
        },
        timeout=PATIENCE,
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


@cache
def resident():
    """The folder of a resident that lives as long as this process; `off` where there is none."""
    if os.name == "nt":
        return "off"
    from tidegate.resident.control import residents

    folder = tempfile.mkdtemp(prefix="tg-")
    process = subprocess.Popen([sys.executable, "-I", "-S", str(PROGRAM), "--serve", folder, str(PATIENCE)])

    def end():
        process.terminate()
        process.wait(PATIENCE)
        shutil.rmtree(folder)

    atexit.register(end)
    until = time.monotonic() + PATIENCE
    while not any(one.said for one in residents(folder)):
        assert time.monotonic() < until, "the resident does not come up"
        time.sleep(0.01)
    return folder
