"""Whether what was read still stands: a change of any kind is noticed, and nothing else is taken for one."""

import os

import pytest

from tidegate.lang.layers import load
from tidegate.lang.standing import stands

TOP = 'version = 1\ninclude = ["one.toml", "more/*.toml", "link/deep/**"]\n'
RULE = 'version = 1\n[[rule]]\nid = "{}"\nkind = "tools"\ndeny = ["{}"]\n'


@pytest.fixture
def project(tmp_path):
    """Rules that include a file, a glob, and a glob behind a link."""
    for folder in ("more", "deep/deep", "other/deep"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "link").symlink_to("deep")
    (tmp_path / "rules.toml").write_text(TOP, encoding="utf-8")
    for name in ("one", "more/two", "deep/deep/three"):
        (tmp_path / f"{name}.toml").write_text(RULE.format(name[-3:], name), encoding="utf-8")
    os.link(tmp_path / "one.toml", tmp_path / "more/one.toml")  # the same file, which counts once
    return tmp_path


@pytest.fixture
def rule_sets(project):
    loaded = load(project=project / "rules.toml")
    assert not loaded.findings
    return loaded.rule_sets


def rewritten(project):
    (project / "more/two.toml").write_text(RULE.format("two", "x"), encoding="utf-8")


def rewritten_with_the_same_times(project):
    file = project / "more/two.toml"
    before = file.stat()
    file.write_text(RULE.format("two", "more/twO"), encoding="utf-8")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def replaced_by_the_same(project):
    (project / "new").write_bytes((project / "one.toml").read_bytes())
    (project / "new").rename(project / "more/one.toml")  # no longer the same file as another


def added(project):
    (project / "more/new.toml").write_text(RULE.format("new", "x"), encoding="utf-8")


def added_beneath(project):
    (project / "deep/deep/new").mkdir()
    (project / "deep/deep/new/a").write_text(RULE.format("new", "x"), encoding="utf-8")


def added_as_a_link_to_nowhere(project):
    (project / "more/new.toml").symlink_to("nowhere")


def removed(project):
    (project / "more/two.toml").unlink()


def moved_behind_a_link(project):
    (project / "one.toml").rename(project / "elsewhere")
    (project / "one.toml").symlink_to("elsewhere")


def turned(project):
    (project / "link").unlink()
    (project / "link").symlink_to("other")


def turned_to_what_is_the_same(project):
    os.link(project / "deep/deep/three.toml", project / "other/deep/three.toml")
    turned(project)


def a_folder_in_its_place(project):
    (project / "one.toml").unlink()
    (project / "one.toml").mkdir()


CHANGES = (
    rewritten,
    rewritten_with_the_same_times,
    replaced_by_the_same,
    added,
    added_beneath,
    added_as_a_link_to_nowhere,
    removed,
    moved_behind_a_link,
    turned,
    turned_to_what_is_the_same,
    a_folder_in_its_place,
)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_change_is_noticed(project, rule_sets, change):
    """Whatever makes a rule file another one than the one that was read."""
    change(project)

    assert not stands(rule_sets, {})


def test_what_did_not_change_stands(project, rule_sets):
    """Also beside files that no rule set asked for."""
    (project / "more/notes.txt").write_text("x", encoding="utf-8")
    (project / "rules.toml").touch()

    assert stands(rule_sets, {})


def test_a_file_beside_the_rules_counts(project, rule_sets):
    """What a rule read for itself is as much a part of the plan."""
    (project / "schema.json").write_text("{}", encoding="utf-8")

    assert not stands(rule_sets, {str(project / "schema.json"): "0" * 64})
    assert not stands(rule_sets, {str(project / "missing.json"): "0" * 64})
