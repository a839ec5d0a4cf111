"""Self-protection: no judged call changes what the plan stands on."""

import pytest

from tidegate.engine import Engine
from tidegate.facts.local import local_facts

ALLOW = 'version = 1\ndefault = "allow"\n'


@pytest.fixture
def project(tmp_path):
    """A project with a rule file, an included folder, and a link to it."""
    (tmp_path / "rules.toml").write_text(ALLOW + 'include = ["more/*.toml"]\n')
    (tmp_path / "more").mkdir()
    (tmp_path / "more/a.toml").write_text("version = 1\n")
    (tmp_path / "link.toml").symlink_to(tmp_path / "rules.toml")
    return tmp_path


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("write_file", {"path": "rules.toml", "content": "x"}),
        ("write_file", {"path": "./more/../rules.toml", "content": "x"}),
        ("write_file", {"path": "link.toml", "content": "x"}),
        ("write_file", {"path": "RULES.TOML", "content": "x"}),
        ("write_file", {"path": "more/new.toml", "content": "x"}),
        ("delete_file", {"path": "rules.toml"}),
        ("run_bash", {"command": "echo x > rules.toml"}),
        ("run_bash", {"command": "cd more && tee ../rules.toml < /dev/null"}),
        ("run_bash", {"command": "rm -rf ."}),
        ("run_bash", {"command": "mv more elsewhere"}),
        ("run_bash", {"command": "ln -sf other rules.toml"}),
        ("run_bash", {"command": "sed -i s/allow/deny/ rules.toml"}),
    ],
    ids=str,
)
def test_change_of_the_rules_is_refused(project, tool, arguments):
    """Writing, deleting, moving or linking a rule file is refused, in whatever spelling."""
    decision = Engine.load(project / "rules.toml").decide(tool, arguments, cwd=str(project))

    assert (decision.effect, decision.rule) == ("deny", "tidegate/self-protection")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("read_file", {"path": "rules.toml"}),
        ("write_file", {"path": "other.toml", "content": "rules.toml"}),
        ("run_bash", {"command": "cat rules.toml > copy.toml"}),
        ("run_bash", {"command": "rm -f other.txt"}),
    ],
    ids=str,
)
def test_anything_else_is_not_touched_by_it(project, tool, arguments):
    """Reading the rules, and writing beside them, is nobody's business here."""
    assert Engine.load(project / "rules.toml").decide(tool, arguments, cwd=str(project)).effect == "allow"


def test_target_that_nobody_knows_asks(project):
    """A write whose target is not known could be to a rule file."""
    decision = Engine.load(project / "rules.toml").decide("run_bash", {"command": 'echo x > "$1"'}, cwd=str(project))

    assert (decision.effect, decision.rule) == ("ask", "tidegate/self-protection")


def test_only_the_managed_layer_lifts_it(project):
    """`self_protection = false` counts in the managed layer only."""
    managed = project / "managed.toml"
    managed.write_text(ALLOW + "self_protection = false\n")
    engine = Engine.load(project / "rules.toml", managed=managed, facts=local_facts())

    assert engine.decide("write_file", {"path": "rules.toml", "content": ""}, cwd=str(project)).effect == "allow"
