"""Bytes to documents: whatever the bytes, there is a document or a finding."""

import math

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from tests.lang.toml_texts import layouts, tables
from tidegate import lang
from tidegate.lang.parse import MAX_BYTES, parse
from tidegate.lang.scan import MAX_DEPTH


def _parse(data):
    report = []
    return parse(data, "rules.toml", report), report


@st.composite
def _spoilt(draw):
    """The bytes of a good text with something cut out, doubled or put in."""
    data = draw(layouts()).text.encode()
    start = draw(st.integers(0, len(data)))
    end = draw(st.integers(start, min(len(data), start + 12)))
    middle = draw(
        st.sampled_from([b"", data[start:end] * 2, b'"', b"[", b"{", b"'''", b"\\", b"\n", b"=", b"\0", b"\xff"])
    )
    return data[:start] + middle + data[end:]


@given(st.binary() | st.text().map(str.encode) | _spoilt())
def test_any_bytes_give_a_document_or_findings(data):
    """No bytes make the loader raise, and none get through without a document unless a finding says why."""
    document, report = _parse(data)

    assert document is not None or report != []
    assert (lang.loads(data).rule_sets == ()) == (document is None)


@given(_spoilt())
def test_findings_of_any_bytes_point_into_the_file(data):
    """The line of a finding exists, and its column is at most one behind the end of the line."""
    lines = data.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
    for finding in lang.loads(data).findings:
        assert finding.line <= len(lines)
        assert finding.line == 0 or 1 <= finding.column <= len(lines[finding.line - 1]) + 1


@given(tables)
def test_dump_and_load_is_identity_for_the_fields_of_a_rule(fields):
    """What a rule says is what its fields are: real strings, dates, and integers of any size."""
    fields = {key: value for key, value in fields.items() if key not in {"id", "kind", "overridable"}}
    text = tomli_w.dumps({"version": 1, "rule": [{"id": "a", "kind": "path", **fields}]})
    (rule,) = lang.loads(text).rule_sets[0].rules

    assert _typed(rule.fields) == _typed(fields)


def _typed(value):
    """The value with the types of all its parts, for 1, 1.0 and true are equal to Python."""
    if isinstance(value, dict):
        return {key: _typed(item) for key, item in value.items()}
    return [_typed(item) for item in value] if isinstance(value, list) else (type(value), value)


@pytest.mark.parametrize("digits", [20, 400, 4_000])
def test_integers_are_exact(digits):
    """A large integer loses no digit."""
    document, report = _parse(f"x = {'9' * digits}".encode())

    assert (document.values["x"], report) == (10**digits - 1, [])


def test_integer_with_too_many_digits_is_a_finding():
    """Python refuses to read such an integer, and so says the finding, at its place."""
    document, (finding,) = _parse(b"# 1\nx = [1, " + b"9" * 5_000 + b"]")

    assert document is None
    assert (finding.line, finding.column, finding.code) == (2, 9, "toml-syntax")


@pytest.mark.parametrize(
    "text",
    ["x = {open}1{close}", "{open}", "{keys} = 1", "[{keys}]", "[[{keys}]]", "x = {tables}1{braces}"],
    ids=["arrays", "open arrays", "dotted key", "header", "array of tables", "inline tables"],
)
@pytest.mark.parametrize("depth", [MAX_DEPTH + 2, 390, 5_000, 100_000])
def test_depth_is_a_finding(text, depth):
    """Whatever nests too deep is refused, at its statement, without running out of stack or time."""
    shapes = {
        "open": "[" * depth,
        "close": "]" * depth,
        "keys": ".".join("a" * depth),
        "tables": "{a=" * depth,
        "braces": "}" * depth,
    }
    document, (finding,) = _parse(("version = 1\n" + text.format(**shapes)).encode())

    assert document is None
    assert finding.line == 2
    assert finding.code in {"nesting-too-deep", "toml-syntax"}


@pytest.mark.parametrize("depth", [1, 10, MAX_DEPTH - 1])
def test_depth_within_the_limit_is_no_finding(depth):
    """What a rule needs passes, and still has positions."""
    document, report = _parse(f"x = {'[' * depth}7{']' * depth}".encode())

    assert report == []
    assert document.span(("x", *[0] * depth)) == ("rules.toml", 1, 5 + depth)


def test_file_at_the_limit_is_read_and_beyond_it_is_a_finding():
    """Size is bounded, to the byte."""
    comment = b"#" * MAX_BYTES
    document, report = _parse(comment)
    larger, (finding,) = _parse(comment + b"#")

    assert (document.values, report) == ({}, [])
    assert (larger, finding.code, finding.line) == (None, "file-too-large", 0)


def test_bytes_after_a_byte_order_mark_are_judged_as_well():
    """The mark is refused, and does not hide what else is wrong."""
    loaded = lang.loads(b'\xef\xbb\xbfversion = 2\n"\xc3\xa4" = 1')

    assert [(found.code, found.line, found.column) for found in loaded.findings] == [
        ("byte-order-mark", 1, 1),
        ("bad-value", 1, 11),
        ("unknown-key", 2, 1),
    ]


def test_line_ends_of_windows_count_as_line_ends():
    """A file from Windows has the same values and positions."""
    document, report = _parse(b'a = """x\r\ny"""\r\nb = 1\r\n')

    assert report == []
    assert document.values == {"a": "x\ny", "b": 1}
    assert document.span(("b",), "value") == ("rules.toml", 3, 5)


@pytest.mark.parametrize(
    "text", ['"a\\u0000" = 1', 'x = "\\u0000"', 'x = ["\\x00"]', "x = { y = '''\n''', z = \"\\U00000000\" }"]
)
def test_nul_is_a_finding_wherever_it_stands(text):
    """A NUL in a key or string is refused."""
    _, report = _parse(text.encode())

    assert [finding.code for finding in report] == ["nul-character"]


def test_backslashes_before_the_digits_of_a_nul_are_no_nul():
    """A regex that speaks of NUL does not hold one."""
    _, report = _parse(rb"""x = "\\u0000"
y = '\x00'
""")

    assert report == []


def test_infinity_and_not_a_number_are_kept():
    """TOML has them; whether a rule may say them is for its kind."""
    document, report = _parse(b"x = nan\ny = -inf")

    assert report == []
    assert math.isnan(document.values["x"])
    assert document.values["y"] == -math.inf
