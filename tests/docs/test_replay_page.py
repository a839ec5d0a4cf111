"""The page about replays, followed from its first line to its last; each format shows calls that are read."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.assurance.replaying import entries_of
from tests.docs.test_tutorial import FENCE, run
from tidegate.assurance.replaying.formats import FORMATS
from tidegate.assurance.replaying.sources import source_of

PAGE = (Path(__file__).resolve().parents[2] / "docs/replay.md").read_text(encoding="utf-8")
BLOCKS = FENCE.findall(PAGE)


@pytest.fixture
def folder(tmp_path):
    """The files of the first example."""
    for language, name, text in reversed(BLOCKS):
        if language in ("toml", "json", "python"):
            (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def shown(program):
    """The commands of a program with what the page says they print."""
    blocks = [text.partition("\n") for language, _, text in BLOCKS if language == "console"]
    return [(command, output.rstrip()) for command, _, output in blocks if command.startswith(f"$ {program} ")]


def test_page_does_what_it_says(folder):
    """The command prints the lines below it."""
    ((command, output),) = shown("tidegate")

    assert run(command, folder) == output


def test_every_format_is_shown_and_read():
    """What the page shows of each format is told apart, and all that stands there are calls."""
    seen = set()
    for language, name, text in BLOCKS[3:]:
        if language == "json":
            lines = text.encode().splitlines(keepends=True)
            entries = entries_of(lines, name=name)
            seen.add(name.removesuffix(".jsonl"))

            assert source_of(name, 0, lines).form == name.removesuffix(".jsonl")
            assert entries
            assert all(entry.call is not None for entry in entries)
    assert seen == set(FORMATS)


def test_program_for_dask_prints_what_it_says(folder):
    """The program of the page runs on a local cluster."""
    pytest.importorskip("distributed", reason="Dask is not installed")
    ((command, output),) = shown("python")
    done = subprocess.run(
        [sys.executable, *command.split()[2:]],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "DASK_DISTRIBUTED__LOGGING__DISTRIBUTED": "error"},
    )

    assert (done.stdout.rstrip(), done.returncode) == (output, 0), done.stderr
