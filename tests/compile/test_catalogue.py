"""Catalogues of tools in every form, and what rules say about tools that there are not."""

import pytest

from tidegate.compile.catalogue import Described, check_tools, read_catalogue
from tidegate.errors import CallError
from tidegate.lang.layers import loads

SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}}


@pytest.mark.parametrize(
    "value",
    [
        pytest.param([{"type": "function", "function": {"name": "a", "parameters": SCHEMA}}], id="OpenAI"),
        pytest.param([{"type": "function", "name": "a", "parameters": SCHEMA}], id="OpenAI, responses"),
        pytest.param([{"name": "a", "input_schema": SCHEMA}], id="Anthropic"),
        pytest.param({"tools": [{"name": "a", "inputSchema": SCHEMA}]}, id="MCP"),
        pytest.param({"id": 1, "result": {"tools": [{"name": "a", "inputSchema": SCHEMA}]}}, id="wire"),
    ],
)
def test_every_form_of_a_catalogue_is_read(value):
    """Tools are given to models in several forms, which all mean the same."""
    assert read_catalogue(value) == (Described("a", SCHEMA),)


@pytest.mark.parametrize("value", [{}, [], 3, [3], [{"name": ""}], [{"name": "a", "parameters": 3}], {"tools": {}}])
def test_what_is_no_catalogue_is_refused(value):
    """Nothing is guessed about a list that is none."""
    with pytest.raises(CallError):
        read_catalogue(value)


def found(text, *tools):
    loaded = loads("version = 1\n" + text)
    catalogue = [Described(tool, {}) for tool in tools] if tools else None
    return [(one.severity, one.what, one.line) for one in check_tools(loaded.rule_sets, catalogue)]


EVERYWHERE = """\
[[rule]]
id = "a"
kind = "tools"
tools = ["gone1"]
when = { tool = "gone2" }
except = [{ tool = ["there", "gone3"] }]
allow = ["gone4"]
deny = ["THERE", "gone5"]
only = ["the*", "gone6"]

[tools.gone7]
path = { role = "text" }
"""


def test_every_place_that_names_tools_is_looked_at():
    """Rules, conditions, the lists of the kind `tools` and bindings all name tools; denies see look-alikes."""
    names = [what.split("`")[1] for _, what, _ in found(EVERYWHERE, "there")]

    assert names == ["gone1", "gone2", "gone3", "gone4", "gone5", "gone6", "gone7"]
    assert {severity for severity, _, _ in found(EVERYWHERE, "there")} == {"error"}


PACK = """\
version = 1

[[rule]]
id = "a"
kind = "path"
tools = ["gone1", "there"]
deny = ["**/.env"]
except = [{ tool = "gone2" }]
"""


def test_a_pack_may_name_tools_that_this_agent_has_not(tmp_path):
    """It speaks of the tools of many harnesses; what an override of it names has to be there."""
    (tmp_path / "p.toml").write_text(PACK, encoding="utf-8")
    override = '[[override]]\nrule = "p/a"\nexcept = [{ tool = "gone3" }]\n'
    loaded = loads(f'version = 1\ninclude = ["pack:p"]\n{override}', packs=tmp_path)
    said = check_tools(loaded.rule_sets, [Described("there", {})])

    assert loaded.findings == ()
    assert [(one.severity, one.what) for one in said] == [
        ("error", "`gone3` matches no tool of the catalogue in rule `p/a`")
    ]


def test_without_a_catalogue_a_name_may_stand_in_an_example_or_a_binding():
    """A tool that the rules themselves use is known, and nothing else is an error."""
    text = '[[rule]]\nid = "a"\nkind = "tools"\nallow = ["mine", "bound", "gone"]\n'
    example = '[[rule.example]]\ncall = { tool = "mine", args = {} }\nexpect = "allow"\n'
    said = found(f'{text}{example}[tools.bound]\nx = {{ role = "text" }}\n')

    assert said == [("warning", "`gone` matches no tool that is known here in rule `a`", 5)]


def test_values_of_other_types_are_left_to_other_findings():
    """What has the wrong type is no glob, and raises nothing."""
    assert found('[[rule]]\nid = "a"\nkind = "tools"\ntools = 3\nexcept = [3, {tool = 4}]\nallow = [5]\n', "x") == []


def test_tools_without_a_binding_are_named():
    """A tool of the catalogue whose arguments nobody explains is reported, one that is bound or takes none is not."""
    loaded = loads('version = 1\n[tools."my_*"]\nx = { role = "text" }\n')
    names = ("read_file", "my_tool", "other", "none")
    catalogue = [Described(name, SCHEMA if name != "none" else {}) for name in names]
    said = [one for one in check_tools(loaded.rule_sets, catalogue) if one.code == "unbound-tool"]

    assert [one.what for one in said] == ["no binding says what the arguments of the tool `other` mean"]
    assert said[0].mend == (
        "add `[tools.other]` with a role for each argument that has one, "
        'such as `path = { role = "path", access = ["read", "write", "delete"] }`'
    )


@pytest.mark.parametrize(
    ("glob", "known"),
    [
        ("mcp__tickets__create_ticket", True),
        ("mcp__*", True),
        ("mcp__tickets__create_*", True),
        ("mcp__tickets__create", False),
        ("other_*", False),
    ],
)
def test_what_a_bound_glob_names_is_known(glob, known):
    """A rule may be about some of the tools that a binding is about, and about more."""
    bound = '[tools."mcp__tickets__*_ticket"]\nid = { role = "text" }\n'
    said = found(f'[[rule]]\nid = "a"\nkind = "tools"\nallow = ["{glob}"]\n{bound}')

    assert (said == []) == known
