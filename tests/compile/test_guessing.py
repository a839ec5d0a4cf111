"""Guesses about arguments: they are shown and written down, and they never turn looking into an argument off."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.compile.bindings import compile_binding
from tidegate.compile.catalogue import Described, check_tools
from tidegate.compile.guessing import guessed, may_hold_text
from tidegate.errors import Finding
from tidegate.kind import Setting
from tidegate.lang.layers import loads
from tidegate.lang.words import ROLES
from tidegate.meaning.commands.table import Table
from tidegate.plan.binding import Role

CONTENT = {"body", "comment", "content", "contents", "description", "prompt", "subject", "text", "title"}
WORDS = ["save", "to", "callback", "url", "uri", "path", "file", "sql", "cmd", "target", "body", "title", "hostname"]
NAMES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map("_".join)
SCHEMAS = st.sampled_from([{}, {"type": "string"}, {"type": "array"}, {"type": "integer"}, {"type": ["string"]}, 3])


@given(st.dictionaries(NAMES, SCHEMAS))
def test_guess_is_text_only_where_the_name_says_that_it_is_content(arguments):
    """An argument whose name does not tell stays unbound, so that denies go on to look into it."""
    found = guessed("tool", arguments)

    assert {name for name, table in found.items() if table["role"] == "text"} <= {
        name for name in arguments if name.rpartition("_")[2] in CONTENT or name.replace("_", "") in CONTENT
    }


@pytest.mark.parametrize("name", ["save_to", "callback", "target", "n", "where"])
def test_guess_leaves_alone_what_it_cannot_tell(name):
    """A place to write to, or a URL to call back, is never taken for content."""
    assert guessed("fetch", {name: {"type": "string"}}) == {}


@pytest.mark.parametrize(
    ("name", "role"),
    [("uri", "url"), ("file_path", "path"), ("sql", "sql"), ("cmd", "command"), ("hostname", "host"), ("body", "text")],
)
def test_guess_takes_the_role_that_the_name_tells(name, role):
    """The last word of the name tells."""
    assert guessed("tool", {name: {}})[name]["role"] == role


@given(st.sampled_from(["download", "get_all", "x"]), st.dictionaries(NAMES, SCHEMAS))
def test_guess_is_a_binding_that_compiles(tool, arguments):
    """What is suggested can be pasted into a rule file."""
    for argument, table in guessed(tool, arguments).items():
        raw = loads(f"version = 1\n[tools.{tool}]\n'{argument}' = {_inline(table)}\n").rule_sets[0].bindings[0]
        binding, findings = compile_binding(raw, Setting("", "deny", None, Table.builtin()))

        assert (binding is not None, findings) == (True, [])


def _inline(table):
    inner = ", ".join(f"{key} = {value!r}".replace("'", '"') for key, value in table.items())
    return f"{{ {inner} }}"


def mends(arguments):
    """What `check --tools` suggests for a tool with these arguments."""
    findings = check_tools(loads("version = 1\n").rule_sets, [Described("f", {"properties": arguments})])
    return [finding.mend for finding in findings if isinstance(finding, Finding) and finding.code == "unbound-tool"]


def test_advice_of_check_is_the_guess():
    """For a URI it is a URL, and where nothing can be told no role is put into anybody's mouth."""
    assert mends({"uri": {}}) == [
        'add `[tools.f]` with a role for each argument that has one, such as `uri = { role = "url" }`'
    ]
    assert 'role = "text"' not in mends({"save_to": {}})[0]
    assert mends({"count": {"type": "integer"}}) == []
    assert not may_hold_text({"type": "number"})


def test_roles_of_the_language_are_those_of_the_plan():
    """The words that advice names are the words that bindings take."""
    assert get_args(Role) == ROLES
