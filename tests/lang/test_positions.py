"""Positions in rule files: every key and value is found where it stands."""

import re

import pytest
import tomli
from hypothesis import given
from hypothesis import strategies as st
from tomli._parser import parse_value

from tests.lang.toml_texts import ascii_tables, is_tables, layouts
from tidegate.lang.parse import parse
from tidegate.lang.scan import scan_prefix

STRINGS = [
    *['""', '"# ]"', r'"\\"', "''", "'# ]'", r"'\'"],
    *[
        '""""""',
        '"""a"""',
        '"""a""""',
        '"""a"""""',
        '""""a"""',
        '"""""a"""',
        '""""""""',
        r'"""\""""',
        '"""\\\n  """',
        '"""#[\n"""',
    ],
    *["''''''", "'''a'''''", "''''a'''", "''''''''", r"'''\'''", "'''\n#['''"],
]
NAME = re.compile(r"""[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|'[^']*'""")


def _document(text):
    report = []
    document = parse(text.encode(), "rules.toml", report)

    assert report == []
    return document


def _paths(value, path=()):
    if path:
        yield path, value
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in items:
        yield from _paths(inner, (*path, step))


def _text_at(document, span):
    line = document.text.split("\n")[span.line - 1 :]
    return "\n".join(line)[span.column - 1 :]


def _name_at(text):
    return next(iter(tomli.loads(f"{NAME.match(text)[0]} = 0")))


def _shows(text, path, value):
    """Whether the text begins with the value, or with the header or dotted key that makes the table."""
    if isinstance(value, dict) and text[0] != "{":
        return text[0] == "[" or _name_at(text) in path
    return (is_tables(value) and text.startswith("[[")) or parse_value(text, 0, float, 0)[1] == value


@given(layouts())
def test_layouts_mean_their_values(layout):
    """The texts that these tests are made of mean what they are said to mean."""
    assert tomli.loads(layout.text) == layout.values


@given(layouts())
def test_positions_of_keys_begin_with_the_key(layout):
    """What stands at the position of a key is that key, however it is quoted."""
    document = _document(layout.text)
    for path, _ in _paths(layout.values):
        if isinstance(path[-1], str):
            assert _name_at(_text_at(document, document.span(path))) == path[-1]


@given(layouts())
def test_positions_of_values_begin_with_the_value(layout):
    """What stands at the position of a value is that value, or the header or key that makes the table."""
    document = _document(layout.text)
    for path, value in _paths(layout.values):
        assert _shows(_text_at(document, document.span(path, "value")), path, value)


@given(layouts(ascii_tables))
def test_positions_agree_with_another_parser(layout):
    """A parser of other hands, which counts bytes, puts keys and values of ASCII at the same lines and columns."""
    toml_rs = pytest.importorskip("toml_rs", reason="the other parser is not installed")
    document = _document(layout.text)
    nodes = toml_rs.load_with_metadata(layout.text.replace("\r\n", "\n")).meta["nodes"]
    for path, key, value in _marked(layout.values, nodes):
        if key is not None:
            assert document.span(path)[1:] == key
        assert document.span(path, "value")[1:] == value


def _marked(table, nodes, path=()):
    """The positions that the other parser gives, with their paths; it has none for headers and implied tables."""
    for name, value in table.items():
        node = nodes[name]
        if isinstance(node.get("value_line"), int | tuple):
            yield (*path, name), _first(node, "key"), _first(node, "value")
            yield from _marked_items(value, node["value"], (*path, name))
        elif isinstance(value, dict):
            yield from _marked(value, node, (*path, name))
        else:
            yield from _marked_items(value, node["value"], (*path, name))


def _marked_items(value, node, path):
    if isinstance(value, dict):
        yield from _marked(value, node, path)
    elif isinstance(value, list):
        for index, (item, inner) in enumerate(zip(value, node, strict=True)):
            if "value_line" in inner:  # arrays within arrays have none
                yield (*path, index), None, _first(inner, "value")
                yield from _marked_items(item, inner["value"], (*path, index))


def _first(node, what):
    line, column = node[f"{what}_line"], node[f"{what}_col"]
    return (line if isinstance(line, int) else line[0], column if isinstance(column, int) else column[0])


@given(layouts(), st.integers(0, 400))
def test_positions_of_a_broken_text_are_those_of_the_whole(layout, cut):
    """What is found in the beginning of a text stands at the same places in all of it."""
    text = layout.text.replace("\r\n", "\n")
    part, whole = scan_prefix(text[:cut]), scan_prefix(text)

    assert part.statement <= cut
    assert all(whole.keys[path] == offset for path, offset in part.keys.items() if offset + 20 < cut)


def test_position_of_a_missing_key_is_that_of_the_table_around_it():
    """A path that leads nowhere is shown at the nearest table that exists."""
    document = _document('version = 1\n[[rule]]\nid = "a"\nwhen = { args = 1 }\n')

    assert document.span(("rule", 0, "kind")) == ("rules.toml", 2, 1)
    assert document.span(("rule", 0, "when", "path", 3)) == ("rules.toml", 4, 1)
    assert document.span(("rule", 0, "when", "path"), "value") == ("rules.toml", 4, 1)
    assert document.span(("nothing",)) == ("rules.toml", 0, 0)
    assert document.span() == ("rules.toml", 0, 0)


def test_position_counts_code_points():
    """A column is a number of code points, whatever their width in bytes or UTF-16."""
    document = _document('"é𝄞" = { x = 1 }')

    assert document.span(("é𝄞", "x")) == ("rules.toml", 1, 10)


def test_positions_are_dropped_when_values_differ():
    """Where the scanner found other keys than the parser, no position is better than a wrong one."""
    document = _document("version = 1\n")
    document.values["other"] = 2

    assert document.span(("version",)) == ("rules.toml", 0, 0)


@pytest.mark.parametrize("string", STRINGS)
def test_positions_behind_a_string_are_right_however_it_ends(string):
    """Quotes that belong to the string, and quotes that end it, are told apart as TOML does."""
    document = _document(f"x = [ {string}, 7 ] # '\"\ny = 1\n")
    last = string.rpartition("\n")

    assert document.span(("x", 1))[1:] == (1 + string.count("\n"), (7 if not last[1] else 1) + len(last[2]) + 2)
    assert document.span(("y",))[1:] == (2 + string.count("\n"), 1)
