"""The page of the table of commands says what the code knows."""

from __future__ import annotations

import re
from importlib.resources import files

from tidegate.meaning.commands import compiling, entry_source, meanings

PAGE = files("tidegate.meaning.commands").joinpath("table", "README.md").read_text("utf-8")


def in_backticks(text):
    return set(re.findall(r"`([^`]+)`", text))


def section(title):
    return PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0]


def test_page_names_every_key_of_an_entry():
    """No key of an entry is left out, and none is made up."""
    named = {
        key
        for row in re.findall(r"^\| (`[^|]+) \|", section("Keys of an entry"), re.MULTILINE)
        for key in in_backticks(row)
    }

    assert named == set(entry_source.KEYS)


def test_page_names_every_syntax():
    """The table of syntaxes is that of the code."""
    named = {
        key for row in re.findall(r"^\| (`[^|]+) \|", section("Syntaxes"), re.MULTILINE) for key in in_backticks(row)
    }

    assert named == set(compiling.SYNTAXES)


def test_page_names_every_deed():
    """Each kind of deed is shown; reading standard input is for options alone."""
    shown = {text.split()[0] for text in in_backticks(section("Deeds"))}

    assert shown >= meanings.DEEDS - {"stdin", "read", "list"}


def test_every_role_has_a_handler():
    """A role that can be written can be read."""
    from tidegate.meaning.commands.interpret import HANDLERS

    assert set(HANDLERS) == set(meanings.PARTS)


def test_schema_accepts_every_entry_of_the_table():
    """What the loader takes, the JSON Schema takes as well."""
    import jsonschema

    from tests.meaning.commands.reading import TABLE
    from tidegate.meaning.commands.schema import entry_schema

    schema = {
        "$defs": {"entry": entry_schema("#/$defs/entry")},
        "type": "object",
        "additionalProperties": {"$ref": "#/$defs/entry"},
    }
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)

    assert [error.message for error in validator.iter_errors({name: TABLE.raw(name) for name in TABLE.names()})] == []
    assert list(validator.iter_errors({"x": {"optoins": {}}}))
    assert list(validator.iter_errors({"x": {"commands": {"y": {"syntax": "posix"}}}}))
