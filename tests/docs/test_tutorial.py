"""The tutorial, followed from its first line to its last: its commands print what it says they print."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```", re.DOTALL | re.MULTILINE)


def run(line, folder):
    """What a `$ tidegate …` line prints, standard output before standard error."""
    words = shlex.split(line.removeprefix("$ "))

    assert words[0] == "tidegate"
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "100"}
    done = subprocess.run(
        [sys.executable, "-m", *words], cwd=folder, capture_output=True, text=True, check=False, env=environment
    )
    return (done.stdout + done.stderr).rstrip()


def test_tutorial_does_what_it_says(tmp_path):
    """Each rule of the tutorial is added to the file, and each command prints the lines below it."""
    shown, printed = [], []
    for language, name, text in FENCE.findall((ROOT / "docs/tutorial.md").read_text(encoding="utf-8")):
        if language == "toml":
            rules = tmp_path / (name or "rules.toml")
            before = "" if "version = 1" in text else rules.read_text(encoding="utf-8") + "\n"
            rules.write_text(before + text, encoding="utf-8")
        if language == "console":
            command, _, output = text.partition("\n")
            shown.append((command, output.rstrip()))
            printed.append((command, run(command, ROOT if name == "repository" else tmp_path)))

    assert printed == shown
    assert len(shown) > 4
