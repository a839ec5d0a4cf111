"""Layers and overrides: what a file may change about rules that come from elsewhere."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate import lang

PACK = """version = 1
[[rule]]
id = "secrets"
kind = "path"
deny = ["**/.env"]
except = [{ path = "/a" }]

[[rule]]
id = "web"
kind = "url"
"""
INCLUDES = 'version = 1\ninclude = ["pack:baseline"]\n'


@pytest.fixture
def load(tmp_path):
    """Load layers from texts, with one pack `baseline`."""
    (tmp_path / "packs").mkdir()
    (tmp_path / "packs" / "baseline.toml").write_text(PACK, encoding="utf-8")

    def load_texts(**texts):
        for layer, text in texts.items():
            (tmp_path / f"{layer}.toml").write_text(text, encoding="utf-8")
        tops = {layer: tmp_path / f"{layer}.toml" for layer in texts if layer in lang.LAYERS}
        return lang.load(**tops, packs=tmp_path / "packs", home=tmp_path)

    return load_texts


def _rule(loaded, address, layer=-1):
    return next(rule for rule in loaded.rule_sets[layer].rules if rule.address == address)


def test_override_replaces_fields_and_adds_exceptions(load):
    """Every field is replaced but `except`, which is added to."""
    loaded = load(
        project=INCLUDES
        + '[[override]]\nrule = "baseline/secrets"\ndeny = ["**/*.pem"]\nmessage = "no"\nexcept = [{ path = "/b" }]\n'
    )
    rule = _rule(loaded, "baseline/secrets")

    assert loaded.findings == ()
    assert rule.fields == {"deny": ["**/*.pem"], "except": [{"path": "/a"}, {"path": "/b"}], "message": "no"}
    assert rule.kind == "path"


def test_override_leaves_other_rules_and_the_pack_alone(load):
    """Only the named rule changes, and only in this rule set."""
    before = load(project=INCLUDES)
    after = load(project=INCLUDES + '[[override]]\nrule = "baseline/secrets"\nmode = "off"\n')

    assert [rule.address for rule in after.rule_sets[0].rules] == [rule.address for rule in before.rule_sets[0].rules]
    assert _rule(after, "baseline/web").fields == _rule(before, "baseline/web").fields
    assert _rule(before, "baseline/secrets").fields == {"deny": ["**/.env"], "except": [{"path": "/a"}]}


def test_overridden_fields_are_shown_where_they_were_written(load):
    """A finding about a replaced field or an added exception points into the file of the override."""
    override = '[[override]]\nrule = "baseline/secrets"\n'
    override += 'deny = ["x", "y"]\nexcept = [{ path = "/b" }, { path = "/c" }]\n'
    more = '[[override]]\nrule = "baseline/secrets"\nexcept = [{ path = "/d" }]\n'
    rule = _rule(load(project=INCLUDES + override + more), "baseline/secrets")

    assert rule.span(("deny", 1)) == ("project.toml", 5, 14)
    assert rule.span(("deny",)) == ("project.toml", 5, 1)
    assert rule.span(("except", 0, "path"), "value") == ("pack:baseline", 6, 20)
    assert rule.span(("except", 1, "path"), "value") == ("project.toml", 6, 20)
    assert rule.span(("except", 2)) == ("project.toml", 6, 28)
    assert rule.span(("except", 3, "path"), "value") == ("project.toml", 9, 20)
    assert rule.span(("except",)) == ("pack:baseline", 6, 1)
    assert rule.span(("kind",), "value") == ("pack:baseline", 4, 8)
    assert rule.span() == ("pack:baseline", 2, 1)


def test_exceptions_of_a_rule_without_any_are_shown_where_they_were_written(load):
    """The first override that writes exceptions begins the list, the next one goes on with it."""
    text = "".join(f'[[override]]\nrule = "baseline/web"\nexcept = [{{ url = "https://{name}" }}]\n' for name in "ab")
    rule = _rule(load(project=INCLUDES + text), "baseline/web")

    assert rule.fields == {"except": [{"url": "https://a"}, {"url": "https://b"}]}
    assert rule.span(("except", 0)) == ("project.toml", 5, 11)
    assert rule.span(("except", 1, "url"), "value") == ("project.toml", 8, 19)
    assert rule.span(("except",)) == ("project.toml", 5, 1)


@given(st.integers(0, 3), st.lists(st.integers(0, 3), max_size=3))
def test_exceptions_of_overrides_point_at_themselves(own, added):
    """Whatever the numbers of exceptions, each points at the text that holds its own path."""
    numbers = iter(range(100))
    texts = [", ".join(f'{{ path = "/{next(numbers)}" }}' for _ in range(count)) for count in (own, *added)]
    rule = '[[rule]]\nid = "a"\nkind = "path"\noverridable = true\n' + (f"except = [{texts[0]}]\n" if own else "")
    overrides = "".join(f'[[override]]\nrule = "managed:a"\nexcept = [{text}]\n' for text in texts[1:])
    files = {"managed.toml": f"version = 1\n{rule}", "project.toml": f"version = 1\n{overrides}"}
    with tempfile.TemporaryDirectory() as folder:
        for file, text in files.items():
            Path(folder, file).write_text(text, encoding="utf-8")
        loaded = lang.load(
            managed=Path(folder, "managed.toml"), project=Path(folder, "project.toml"), base=Path(folder)
        )
    found = loaded.rule_sets[0].rules[0]
    paths = [item["path"] for item in found.fields.get("except", [])]

    assert paths == [f"/{number}" for number in range(own + sum(added))]
    for index, path in enumerate(paths):
        span = found.span(("except", index, "path"), "value")
        assert files[span.file].split("\n")[span.line - 1][span.column - 1 :].startswith(f'"{path}"')


def test_lower_layer_may_override_what_a_higher_one_releases(load):
    """The override changes the rule of the higher layer, since each layer is judged alone."""
    loaded = load(
        managed=INCLUDES + '[[override]]\nrule = "baseline/secrets"\noverridable = true\n',
        project='version = 1\n[[override]]\nrule = "baseline/secrets"\nmode = "monitor"\n',
    )

    assert loaded.findings == ()
    assert _rule(loaded, "baseline/secrets", 0).fields["mode"] == "monitor"
    assert loaded.rule_sets[1].rules == ()


def test_layers_name_their_own_rule_before_a_higher_one(load):
    """A name means the rule of the own layer; the layer before a colon means that of a higher one."""
    managed = INCLUDES + '[[override]]\nrule = "baseline/secrets"\noverridable = true\n'
    plain = load(managed=managed, project=INCLUDES + '[[override]]\nrule = "baseline/secrets"\nmode = "off"\n')
    named = load(managed=managed, project=INCLUDES + '[[override]]\nrule = "managed:baseline/secrets"\nmode = "off"\n')

    assert plain.findings == named.findings == ()
    assert ["mode" in _rule(plain, "baseline/secrets", layer).fields for layer in (0, 1)] == [False, True]
    assert ["mode" in _rule(named, "baseline/secrets", layer).fields for layer in (0, 1)] == [True, False]


@pytest.mark.parametrize("target", ["no-push", "managed:no-push"])
def test_lower_layer_cannot_override_what_no_higher_one_released(load, target):
    """The rule stays as it was, and the set is broken."""
    loaded = load(
        managed='version = 1\n[[rule]]\nid = "no-push"\nkind = "command"\n',
        user=f'version = 1\n[[override]]\nrule = "{target}"\nmode = "off"\n',
    )

    assert [finding.code for finding in loaded.findings] == ["not-overridable"]
    assert loaded.broken
    assert _rule(loaded, "no-push", 0).fields == {}


def test_higher_layer_does_not_see_a_lower_one(load):
    """An override looks upwards only."""
    loaded = load(
        managed='version = 1\n[[override]]\nrule = "project:a"\nmode = "off"\n[[override]]\nrule = "a"\nmode = "off"\n',
        project='version = 1\n[[rule]]\nid = "a"\nkind = "path"\noverridable = true\n',
    )

    assert [finding.code for finding in loaded.findings] == ["unknown-rule", "unknown-rule"]


def test_two_layers_that_override_one_field_are_an_error(load):
    """Which of the two was to hold cannot be known."""
    managed = 'version = 1\n[[rule]]\nid = "a"\nkind = "path"\noverridable = true\n'
    override = 'version = 1\n[[override]]\nrule = "a"\nmode = "monitor"\n'
    loaded = load(managed=managed, project=override, user=override)

    assert [(finding.file, finding.code) for finding in loaded.findings] == [("user.toml", "duplicate-override")]


def test_same_rule_in_two_layers_is_two_rules(load):
    """Each layer has its own namespace."""
    loaded = load(managed=INCLUDES, project=INCLUDES, user=INCLUDES)

    assert loaded.findings == ()
    assert [len(found.rules) for found in loaded.rule_sets] == [2, 2, 2]
    assert {rule.layer for rule in loaded.rule_sets[2].rules} == {"user"}


@pytest.mark.parametrize(
    ("higher", "lower", "codes"),
    [
        ('path = { role = "path", access = "read" }', 'path = { role = "path", access = "read" }', []),
        ('path = { role = "path", access = "read" }', '"/path" = { role = "path", access = "read" }', []),
        ('path = { role = "path", access = "write" }', 'path = { role = "path", access = "read" }', ["layer-loosens"]),
        ('path = { role = "path" }', '"/path" = { role = "text" }', ["layer-loosens"]),
        ('path = { role = "path" }', 'file = { role = "text" }', []),
        ('"a/b" = { role = "path" }', '"/a~1b" = { role = "text" }', ["layer-loosens"]),
    ],
)
def test_binding_of_a_lower_layer_must_agree_with_a_higher_one(load, higher, lower, codes):
    """What an argument means can be added to, never changed, however it is spelled."""
    text = "version = 1\n[tools.read_file]\n"
    loaded = load(managed=text + higher, user=text + lower)

    assert [finding.code for finding in loaded.findings] == codes


def test_bindings_of_one_layer_may_follow_each_other(load):
    """A top file may say what its own packs say otherwise; the order is that of loading."""
    text = 'version = 1\n[tools.read_file]\npath = { role = "text" }\n'
    (found,) = load(project=text + "[tools.other]\n").rule_sets

    assert [binding.tool for binding in found.bindings] == ["read_file"]


def test_findings_come_layer_by_layer(load):
    """All findings of all layers at once, the highest layer first."""
    loaded = load(user="x = 1", managed="y = 1", project="z = 1")
    files = [finding.file for finding in loaded.findings]

    assert files == [f"{layer}.toml" for layer in lang.LAYERS for _ in range(2)]


def test_layer_that_cannot_be_parsed_has_no_rule_set(load):
    """The other layers are still read, so that all findings are seen."""
    loaded = load(managed="version = ", project="version = 1\n")

    assert loaded.broken
    assert [found.layer for found in loaded.rule_sets] == ["project"]


def test_files_are_shown_from_the_folder_that_was_asked_for(tmp_path):
    """Names in findings begin at the base, or at the folder of the project, else they are absolute."""
    for name in ("system/rules.toml", "project/rules.toml"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("version = 1", encoding="utf-8")
    tops = {"managed": tmp_path / "system" / "rules.toml", "project": tmp_path / "project" / "rules.toml"}

    assert lang.load(**tops).files == ((tmp_path / "system" / "rules.toml").as_posix(), "rules.toml")
    assert lang.load(**tops, base=tmp_path).files == ("system/rules.toml", "project/rules.toml")


def test_root_is_the_folder_of_the_top_file(tmp_path, monkeypatch):
    """The folder is absolute and resolved, also where the file is named relative to the working directory."""
    (tmp_path / "rules.toml").write_text("version = 1", encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    assert lang.load(project="rules.toml").rule_sets[0].folder == str(tmp_path.resolve())


def test_load_wants_a_file():
    """No file at all is a mistake of the program, not of a policy."""
    with pytest.raises(TypeError, match="at least one layer"):
        lang.load()


def test_text_is_read_as_the_file_that_it_stands_for(tmp_path):
    """An editor's unsaved text includes what its file would include."""
    (tmp_path / "a.toml").write_text('version = 1\n[[rule]]\nid = "a"\nkind = "path"\n', encoding="utf-8")
    loaded = lang.loads('version = 1\ninclude = ["a.toml"]\n', tmp_path / "rules.toml", layer="user")

    assert loaded.findings == ()
    assert [(rule.address, rule.layer) for rule in loaded.rule_sets[0].rules] == [("a", "user")]


def test_loading_twice_gives_the_same(load):
    """Loading is pure but for the disk: the same files are the same values."""
    text = INCLUDES + '[[override]]\nrule = "baseline/secrets"\nmode = "off"\n'

    assert load(managed=text, user=text) == load(managed=text, user=text)
