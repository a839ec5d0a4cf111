"""TOML texts in every layout that TOML knows, with the values that they mean."""

import re
from datetime import date, datetime, time
from typing import NamedTuple

from hypothesis import strategies as st

bare_names = st.text("abcXYZ019_-", min_size=1, max_size=6)


def _tables(codec):
    """Tables with texts of any characters that the codec has, apart from NUL and CR."""
    characters = st.characters(codec=codec, exclude_categories=["Cs"], exclude_characters="\0\r")
    characters |= st.sampled_from("'\"\\")
    names = bare_names | st.text(characters, max_size=6)
    scalars = (
        st.text(characters, max_size=12)
        | st.integers()
        | st.booleans()
        | st.floats(allow_nan=False)
        | st.dates()
        | st.times().map(lambda value: value.replace(microsecond=0))
        | st.datetimes().map(lambda value: value.replace(microsecond=0))
    )
    values = st.recursive(
        scalars,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
        max_leaves=8,
    )
    return st.dictionaries(names, values, max_size=4)


tables = _tables("utf-8")
ascii_tables = _tables("ascii")


class Layout(NamedTuple):
    """A text and the values that it means."""

    text: str
    values: dict


@st.composite
def layouts(draw, tables=tables):
    """A table written out: headers, dotted keys, inline tables, comments and blanks as chance has it."""
    table = draw(tables)
    return Layout("".join(_lines(draw, (), table)), table)


def _lines(draw, path, table):
    """The lines of a table: first what stands under its own header, then the tables with headers of their own."""
    later = []
    for name, value in table.items():
        if draw(st.integers(0, 5)) == 0:
            yield draw(st.sampled_from(["\n", "# a = [\n", '  # it\'s "so"\n', "\t\n"]))
        with_header = isinstance(value, dict) or is_tables(value)
        if with_header and draw(st.booleans()):
            later.append((name, value))
        elif isinstance(value, dict) and value and draw(st.booleans()):
            for key, inner in value.items():
                yield f"{_key(draw, name)}{draw(_dots)}{_pair(draw, key, inner)}{draw(_ends)}"
        else:
            yield f"{draw(_indents)}{_pair(draw, name, value)}{draw(_ends)}"
    for name, value in later:
        inner = (*path, name)
        header = draw(_dots).join(_key(draw, step) for step in inner)
        for one in value if isinstance(value, list) else [value]:
            shown = f"[[{header}]]" if isinstance(value, list) else f"[ {header}\t]"
            yield f"{draw(_indents)}{shown}{draw(_ends)}"
            yield from _lines(draw, inner, one)


_indents = st.sampled_from(["", "", "  ", "\t"])
_dots = st.sampled_from([".", ".", " . ", "\t."])
_ends = st.sampled_from(["\n", "\n", " # ]\n", "\n\n", "\t\r\n"])
_gaps = st.sampled_from(["", "", " ", "\n", " # , ]\n  "])
_equals = st.sampled_from([" = ", "=", "\t=  "])


def is_tables(value):
    """Whether the value can be written as an array of tables."""
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def _pair(draw, name, value):
    return f"{_key(draw, name)}{draw(_equals)}{_value(draw, value)}"


def _key(draw, name):
    if name and name.isascii() and name.replace("_", "").replace("-", "").isalnum() and draw(st.booleans()):
        return name
    return f"'{name}'" if name.isprintable() and "'" not in name and draw(st.booleans()) else _basic(draw, name)


def _value(draw, value):
    if isinstance(value, str):
        return _string(draw, value)
    if isinstance(value, dict):
        pairs = (f"{_pair(draw, key, item)}{draw(_gaps)}" for key, item in value.items())
        return "{" + draw(_gaps) + ("," + draw(_gaps)).join(pairs) + "}"
    if isinstance(value, list):
        items = (f"{_value(draw, item)}{draw(_gaps)}" for item in value)
        return (
            "[" + draw(_gaps) + ("," + draw(_gaps)).join(items) + ("," if value and draw(st.booleans()) else "") + "]"
        )
    if isinstance(value, datetime):
        return value.isoformat(draw(st.sampled_from("T ")))
    if isinstance(value, date | time):
        return value.isoformat()
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _string(draw, text):
    """The text in one of the four forms that can hold it."""
    plain = all(character.isprintable() or character == "\t" for character in text)
    forms = ["basic", "multiline"]
    forms += ["literal"] if plain and "'" not in text else []
    forms += ["multiline literal"] if plain and "'''" not in text else []
    match draw(st.sampled_from(forms)):
        case "literal":
            return f"'{text}'"
        case "multiline literal":
            return f"'''\n{text}'''"
        case "multiline":
            return f'"""{draw(st.sampled_from(["", chr(10)]))}{_bare_quotes(draw, _escaped(draw, text))}"""'
        case _:
            return _basic(draw, text)


def _basic(draw, text):
    return f'"{_escaped(draw, text)}"'


def _bare_quotes(draw, escaped):
    """The text of a string in triple quotes, in which up to two quotes in a row need no backslash."""
    if "\\\\" in escaped or not draw(st.booleans()):
        return escaped
    return re.sub(r'(\\"){1,2}(?!\\")', lambda quotes: quotes[0].replace("\\", ""), escaped)


def _escaped(draw, text):
    return "".join(_escaped_character(draw, character) for character in text)


def _escaped_character(draw, character):
    if character in '"\\':
        return "\\" + character
    if not character.isprintable() or draw(st.integers(0, 9)) == 0:
        return f"\\U{ord(character):08x}"
    return character
