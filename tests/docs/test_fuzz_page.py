"""The page about fuzzing, followed from its first line to its last, and its tables."""

import re
from pathlib import Path

import attrs

from tests.assurance.planted import PLANTED
from tests.docs.test_tutorial import FENCE, run
from tidegate.assurance.fuzzing.invariants import InvariantFields, WhenFields
from tidegate.compile.problems import key_of

PAGE = (Path(__file__).resolve().parents[2] / "docs/fuzz.md").read_text(encoding="utf-8")
ROWS = [row.split("|") for row in PAGE.split("\n") if row[:1] == "|"]


def test_page_does_what_it_says(tmp_path):
    """Each file of the page is written, and the command prints the lines below it."""
    shown, printed = [], []
    for language, name, text in FENCE.findall(PAGE):
        if language == "toml":
            (tmp_path / name).write_text(text, encoding="utf-8")
        if language == "console":
            command, _, output = text.partition("\n")
            shown.append(output.rstrip())
            printed.append(run(command, tmp_path))

    assert printed == shown
    assert len(shown) == 1


def test_tables_have_every_key():
    """No key of an invariant is left out."""
    told = set(re.findall(r"`(\w+)`", PAGE))
    keys = {key_of(field.name) for owner in (InvariantFields, WhenFields) for field in attrs.fields(owner)}

    assert keys - told == set()


def test_table_of_weak_policies_is_of_those_that_are_planted():
    """Every planted policy stands in the table with what is wrong with it."""
    told = {(row[1].strip(), row[2].strip()) for row in ROWS}

    assert {(one["name"], one["weakness"]) for one in PLANTED} - told == set()
