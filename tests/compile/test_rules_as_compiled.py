"""What becomes of a rule's surroundings: its tools, its examples after an override, bindings, and layers."""

import pytest

from tests.kinds.deciding import Deciding
from tests.laws.worlds import facts
from tidegate.engine import Engine


@pytest.mark.parametrize("name", ["fetch", "Fetch", " FETCH", "fеtch", "fet\u200bch"])
def test_refusals_of_a_rule_see_other_spellings_of_its_tools(tmp_path, name):
    """`tools` widens for what the rule refuses, of whatever kind it is."""
    rule = '[[rule]]\nid = "p"\nkind = "path"\ntools = ["fetch"]\ndeny = ["/etc/**"]\n'

    assert Deciding(tmp_path, rule, "allow")(name, where="/etc/passwd") == "deny"


@pytest.mark.parametrize(("name", "verdict"), [("read_it", "allow"), ("Read_it", "deny"), (" read_it", "deny")])
def test_grants_of_a_rule_are_for_exactly_its_tools(tmp_path, name, verdict):
    """`tools` does not widen for what the rule grants."""
    binding = '[tools."*"]\npath = { role = "path", access = "read" }\n\n'
    rule = '[[rule]]\nid = "p"\nkind = "path"\ntools = ["read_it"]\nallow = ["{root}/**"]\n'

    assert Deciding(tmp_path, binding + rule)(name, path="a") == verdict


@pytest.mark.parametrize("exact_first", [True, False])
def test_binding_of_exactly_one_tool_stands_before_globs(tmp_path, exact_first):
    """Wherever it stands in the file, what is said of the very tool counts."""
    glob = '[tools."read_*"]\npath = { role = "text" }\n'
    exact = '[tools.read_it]\npath = { role = "path", access = "read" }\n'
    rule = '[[rule]]\nid = "p"\nkind = "path"\ndeny = ["/etc/**"]\n'
    deciding = Deciding(tmp_path, "\n".join([exact, glob, rule] if exact_first else [glob, exact, rule]), "allow")

    assert (deciding("read_it", path="/etc/x"), deciding("read_other", path="/etc/x")) == ("deny", "allow")


def test_examples_of_a_rule_are_not_held_against_its_override(tmp_path):
    """An override that excepts what an example shows loads, and excepts it."""
    overridden = '[[override]]\nrule = "baseline/secrets"\nexcept = [{ path = "{root}/.env" }]\n'
    plain = Deciding(tmp_path, "", "allow")
    deciding = Deciding(tmp_path, f'include = ["pack:baseline"]\n\n{overridden}', "allow")

    assert plain("read_file", path=".env") == "allow"
    assert (deciding("read_file", path=".env"), deciding("read_file", path="a/.env")) == ("allow", "deny")


def test_layer_that_allows_by_default_leaves_the_answer_to_the_next(tmp_path):
    """The grant that is named is that of the layer that has one."""
    (tmp_path / "managed.toml").write_text('version = 1\ndefault = "allow"\n')
    (tmp_path / "project.toml").write_text(
        'version = 1\ndefault = "deny"\n[[rule]]\nid = "p"\nkind = "tools"\nallow = ["a"]\n'
    )
    engine = Engine.load(tmp_path / "project.toml", managed=tmp_path / "managed.toml", facts=facts())

    assert [engine.decide(name, {})[:2] for name in "ab"] == [("allow", "p"), ("deny", None)]


@pytest.mark.parametrize(
    ("added", "taken"),
    [
        ('kind = "command"\ndeny = ["rm"]', True),
        ('kind = "command"\neffects = ["read"]', False),
        ('kind = "command"\nallow = ["ls"]', False),
        ('kind = "tools"\nonly = ["a"]', True),
    ],
)
def test_only_rules_without_grants_are_taken_over_by_themselves(tmp_path, added, taken):
    """Under `reload = "stricter"`, `effects` is a grant like `allow`."""
    text = 'version = 1\ndefault = "deny"\nreload = "stricter"\n'
    (tmp_path / "rules.toml").write_text(text)
    engine = Engine.load(tmp_path / "rules.toml", facts=facts())
    (tmp_path / "rules.toml").write_text(f'{text}[[rule]]\nid = "new"\n{added}\n')

    assert engine.reload() is taken
