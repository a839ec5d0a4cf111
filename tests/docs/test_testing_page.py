"""The page about testing, followed from its first line to its last, and its tables."""

import re
from pathlib import Path

import attrs

from tests.docs.test_tutorial import FENCE, run
from tidegate.assurance.fields import RuleTestFields, RuleTestFileFields
from tidegate.compile.problems import key_of

PAGE = (Path(__file__).resolve().parents[2] / "docs/testing.md").read_text(encoding="utf-8")


def test_page_does_what_it_says(tmp_path):
    """Each file of the page is written, and each command prints the lines below it."""
    shown, printed = [], []
    for language, name, text in FENCE.findall(PAGE):
        if language == "toml":
            file = tmp_path / name
            before = "" if "version = 1" in text else file.read_text(encoding="utf-8") + "\n"
            file.write_text(before + text, encoding="utf-8")
        if language == "console":
            command, _, output = text.partition("\n")
            shown.append((command, output.rstrip()))
            printed.append((command, run(command, tmp_path)))

    assert printed == shown
    assert len(shown) == 6


def test_tables_have_every_key():
    """No key of a test file is left out of the reference."""
    told = set(
        re.findall(r"`\[*(\w+)\]*`", "\n".join(line.split("|")[1] for line in PAGE.split("\n") if line[:1] == "|"))
    )
    keys = {key_of(field.name) for owner in (RuleTestFields, RuleTestFileFields) for field in attrs.fields(owner)}

    assert keys - told == set()
