"""The kind `approval`: its terms, and what its patterns name."""

import attrs
import pytest
from hypothesis import given

from tests.kinds.deciding import Deciding
from tests.kinds.making import case, of_fields, problems
from tidegate import Approved
from tidegate.facts.approvals import MemoryApprovals
from tidegate.kinds.approval import KIND


@given(KIND.strategy())
def test_every_call_is_asked_about_and_none_is_granted(fields):
    """The rule adds a question and nothing else, whatever its terms are."""
    part = of_fields(KIND, attrs.evolve(fields, commands=()))

    assert part.grants is part.confines is None
    assert part.denies(None, case()) is True
    assert part.terms.scopes == {"once", *fields.remember}
    assert part.terms.by == (None if fields.by is None else set(fields.by))


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"by": ("ann", " ")}, ("bad-value", ("by", 1))),
        ({"timeout": "soon"}, ("bad-limit", ("timeout",))),
        ({"longest": "367 days"}, ("out-of-range", ("longest",))),
        ({"paths": ("/srv/[",), "remember": ("session",)}, ("bad-pattern", ("paths", 0))),
        ({"paths": ("/srv/**",)}, ("says-nothing", ("paths",))),
    ],
    ids=str,
)
def test_problem_stands_at_its_key(fields, expected):
    assert problems(KIND, **fields) == [expected]


ASKED = """
[[rule]]
id = "asked"
kind = "approval"
remember = ["session"]
paths = ["/srv/**"]
urls = ["https://example.com/**"]

[tools.save]
path = { role = "path", access = "write" }
"""


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("read_file", {"path": "/srv/a"}, ("/srv/**",)),
        ("read_file", {"path": "/srv/../etc/passwd"}, ()),
        ("http_get", {"url": "https://example.com/a"}, ("https://example.com/**",)),
        ("http_get", {"url": "https://example.com.evil.test/a"}, ()),
        ("save", {"path": "/srv/a", "note": "what nobody has bound"}, ()),
        ("run_bash", {"command": "cat /srv/a"}, ()),
    ],
    ids=str,
)
def test_patterns_are_offered_where_they_name_the_whole_call(tmp_path, tool, arguments, expected):
    """A path or URL never speaks for a command, nor for an argument that no binding names."""
    engine = Deciding(tmp_path, ASKED, default="allow").engine

    assert engine.question(tool, arguments, session="s").patterns == expected


def test_path_pattern_allows_no_other_access(tmp_path):
    """Who was shown reading did not allow the same tool to write, nor a call of it that does both."""
    text = ASKED.replace('"write" }', '"read" }\nother = { role = "path", access = "write" }')
    engine = Deciding(tmp_path, text, default="allow").engine
    engine._facts = attrs.evolve(engine.facts, approvals=MemoryApprovals(lambda: "id"))
    engine.approve(engine.question("save", {"path": "/srv/a"}, session="s"), Approved("session", pattern="/srv/**"))
    later = [{"path": "/srv/b"}, {"other": "/srv/b"}, {"path": "/srv/b", "other": "/srv/b"}, {"path": "/etc/b"}]

    assert [engine.decide("save", one, session="s").effect for one in later] == ["allow", "ask", "ask", "ask"]
