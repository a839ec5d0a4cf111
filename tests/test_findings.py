"""Broken rule files, each with the exact text that its author gets to read.

A case is `NAME.toml`, or a folder `NAME/` where several files take part; `NAME.txt` holds the text. After a change
that is meant, `TIDEGATE_UPDATE_FINDINGS=1 pytest tests/test_findings.py` writes the texts anew; read the diff.
"""

import os

import pytest

from tests.findings_check import CASES, check

NAMES = sorted(path.stem for path in CASES.iterdir() if path.suffix != ".txt" and path.name[0] != "_")


def _case(name):
    folder = CASES / name
    return folder if folder.is_dir() else CASES / f"{name}.toml"


@pytest.mark.parametrize("name", NAMES)
def test_findings_read_as_agreed(name):
    """A broken rule file gets exactly the findings, in exactly the words, that were agreed for it."""
    golden = CASES / f"{name}.txt"
    actual = check(_case(name))
    if os.environ.get("TIDEGATE_UPDATE_FINDINGS"):
        golden.write_text(actual, encoding="utf-8", newline="\n")

    assert actual.splitlines() == golden.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("name", NAMES)
def test_findings_follow_the_style(name):
    """Every part is one line, begins in lower case or with the user's text, and ends without a full stop."""
    lines = check(_case(name)).splitlines()
    parts = [line.split(": ", 2)[2] if index % 3 == 0 else line[8:] for index, line in enumerate(lines)]

    assert lines
    assert [line[:8] for line in lines[1::3]] == ["  why:  "] * (len(lines) // 3)
    assert [line[:8] for line in lines[2::3]] == ["  mend: "] * (len(lines) // 3)
    assert [part for part in parts if part[0].isupper() or part.endswith(".")] == []


def test_findings_have_no_text_without_a_case():
    """No golden text outlives the case that it belongs to."""
    texts = {path.stem for path in CASES.glob("*.txt")}

    assert texts == set(NAMES)
