"""What a rule file says: settings, rules, bindings, and findings that point at their keys."""

import re

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from tests.lang.toml_texts import tables
from tidegate import lang
from tidegate.lang import CODES, TOP_KEYS

WHOLE = """
version = 1
default = "ask"
mode = "monitor"
delegate = ["read_*"]
reload = "stricter"
kinds = ["acme-ticket"]
"$schema" = "rules.schema.json"

[tools."read_*"]
path = { role = "path", access = "read" }
"/edits/*/path" = { role = "path", access = "write" }

[commands.deploy]
effects = ["write"]

[[rule]]
id = "first"
kind = "path"
overridable = true
deny = ["**/.env"]

[[rule]]
id = "second"
kind = "command"
"""

top_values = st.sampled_from(
    [1, 1.0, True, "x", "", [], ["x"], [1], {}, {"a": 1}, {"a": {"b": {}}}, [{}], "deny", None]
)


def _load(text, **options):
    loaded = lang.loads(text, **options)

    assert loaded.findings == ()
    return loaded.rule_sets[0]


def test_rule_set_holds_what_the_file_says():
    """Settings, bindings, entries and rules come out as they were written, in order."""
    found = _load(WHOLE)

    assert found.settings == lang.Settings(
        default="ask", mode="monitor", delegate=("read_*",), reload="stricter", kinds=("acme-ticket",)
    )
    assert [(rule.id, rule.address, rule.kind, rule.overridable, dict(rule.fields)) for rule in found.rules] == [
        ("first", "first", "path", True, {"deny": ["**/.env"]}),
        ("second", "second", "command", False, {}),
    ]
    assert [(binding.tool, binding.argument, binding.table["access"]) for binding in found.bindings] == [
        ("read_*", "path", "read"),
        ("read_*", "/edits/*/path", "write"),
    ]
    assert [(command.name, dict(command.table)) for command in found.commands] == [("deploy", {"effects": ["write"]})]


def test_rule_set_points_at_what_it_holds():
    """Every entry knows where it stands."""
    found = _load(WHOLE)

    assert found.rules[0].span() == ("rules.toml", 17, 1)
    assert found.rules[0].span(("deny", 0)) == ("rules.toml", 21, 9)
    assert found.bindings[1].span() == ("rules.toml", 12, 1)
    assert found.bindings[1].span(("role",), "value") == ("rules.toml", 12, 28)
    assert found.commands[0].span(("effects",)) == ("rules.toml", 15, 1)
    assert found.top.span(("default",), "value") == ("rules.toml", 3, 11)


def test_settings_that_are_absent_are_the_strict_ones():
    """A file that says nothing denies, enforces, delegates nothing and keeps its protection."""
    assert _load("version = 1").settings == lang.Settings("deny", "enforce", (), "any", True, ())


def test_self_protection_may_be_lifted_in_the_managed_layer():
    """The one layer that may lift the protection can."""
    assert _load("version = 1\nself_protection = false", layer="managed").settings.self_protection is False


def test_rules_without_a_kind_are_left_out_and_named():
    """A rule of which nobody knows the kind is never handed on, and never without a finding."""
    loaded = lang.loads(
        'version = 1\n[[rule]]\nid = "a"\n[[rule]]\nid = "b"\nkind = ""\n[[rule]]\nid = "c"\nkind = 1\n'
    )

    assert [finding.line for finding in loaded.findings] == [2, 4, 9]
    assert loaded.broken
    assert loaded.rule_sets[0].rules == ()


def test_warnings_do_not_break_a_rule_set():
    """Only an error keeps a plan from being made."""
    finding = lang.loads("x = 1").findings[0]
    warning = lang.Loaded(
        (), (lang.Document("f", "", {}).finding((), "a", "b", why="c", mend="d", severity="warning"),), ()
    )

    assert (finding.severity, lang.loads("x = 1").broken, warning.broken) == ("error", True, False)


@given(
    st.dictionaries(st.sampled_from([*TOP_KEYS, "x", "Rule", "in clude"]), top_values, max_size=6),
    st.sampled_from(lang.LAYERS),
)
def test_findings_of_top_keys_point_at_their_keys(values, layer):
    """What stands at the place of a finding is the key or the value that it speaks of."""
    values = {key: value for key, value in values.items() if value is not None}
    text = tomli_w.dumps(values)
    for finding in lang.loads(text, layer=layer).findings:
        assert finding.code in CODES
        if finding.line == 0:
            assert finding.code == "missing-key"
            continue
        line = text.split("\n")[finding.line - 1]
        at = line[finding.column - 1 :]
        name = re.search("`([^`]*)`", finding.what)
        if finding.code in {"unknown-key", "misplaced-key", "empty-list"}:
            assert at.lstrip('"').startswith(name[1])
        else:
            assert finding.column == 1 or line[finding.column - 2] in ' [",('


@given(st.dictionaries(st.sampled_from([*TOP_KEYS, "x"]), top_values, max_size=6))
def test_top_keys_are_refused_unless_they_have_their_one_shape(values):
    """A file without findings has known keys only, each of its own type: nothing is converted."""
    values = {key: value for key, value in values.items() if value is not None}
    if lang.loads(tomli_w.dumps(values)).broken:
        return

    assert (values["version"], type(values["version"])) == (1, int)
    assert set(values) <= set(TOP_KEYS)
    assert values.get("default", "deny") == "deny"
    assert all(isinstance(values.get(key, {}), dict) for key in ("tools", "commands"))
    assert all(values.get(key, [{}]) != [] for key in ("rule", "override", "delegate", "kinds"))


@given(tables)
def test_tables_of_a_rule_are_not_looked_into(table):
    """What a rule's fields hold is for its kind: no shape of them is a finding here."""
    table = {f"f{key}": value for key, value in table.items()}

    assert _load(tomli_w.dumps({"version": 1, "rule": [{"id": "a", "kind": "b", **table}]})).rules[0].fields == table


@pytest.mark.parametrize("name", ["a", "7", "a.b_c-d", "x" * 200, "no-force-push", "a--b.."])
def test_id_that_is_a_plain_name_is_taken(name):
    assert _load(f'version = 1\n[[rule]]\nid = "{name}"\nkind = "k"').rules[0].address == name


@pytest.mark.parametrize("name", ["", "A", "-a", ".a", "a b", "a/b", "a:b", "#1", "ä", "a\\n"])
def test_id_that_is_no_plain_name_is_a_finding_and_no_address(name):
    """The rule stays, so that its other fields are judged, under an address that nothing can refer to."""
    loaded = lang.loads(f'version = 1\n[[rule]]\nid = "{name}"\nkind = "k"')

    assert [finding.code for finding in loaded.findings] == ["bad-id"]
    assert loaded.rule_sets[0].rules[0].address == "#1"
