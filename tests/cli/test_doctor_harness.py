"""`tidegate doctor --harness`: what an agent CLI cannot enforce of the rules, rule by rule."""

import json

import pytest

from tidegate.adapters.hook_abilities import ABILITIES
from tidegate.adapters.hook_answers import HARNESSES, answers_of
from tidegate.cli import main

RULES = """\
version = 1
default = "{default}"

[[rule]]
id = "denies"
kind = "command"
deny = ["rm -r"]

[[rule]]
id = "asks"
kind = "command"
deny = ["git push"]
effect = "ask"

[[rule]]
id = "watched"
kind = "command"
deny = ["git pull"]
effect = "ask"
mode = "monitor"

[[rule]]
id = "cuts"
kind = "truncate"
max_bytes = 100

[[rule]]
id = "changes"
kind = "rewrite"
tools = ["find"]
set = {{ "/quiet" = true }}

[[rule]]
id = "ends"
kind = "timeout"
seconds = 3

[[rule]]
id = "waits"
kind = "sequence"
tools = ["deploy"]
after = [{{ tool = "build" }}]

[[rule]]
id = "held"
kind = "concurrency"
tools = ["find"]
limit = 2
"""


@pytest.fixture
def doctor(tmp_path, monkeypatch, capsys):
    """The doctor about a harness: its exit code, and for each rule what it does that the harness cannot enforce."""

    def run(harness, default="deny", rules=RULES):
        (tmp_path / "rules.toml").write_text(rules.format(default=default), encoding="utf-8")
        monkeypatch.chdir(tmp_path)
        code = main(["doctor", "--harness", harness, "--json"])
        said = json.loads(capsys.readouterr().out)

        assert said["ok"] == (code == 0)
        return code, {(gap["rule"], gap["what"]): gap["looser"] for gap in said["gaps"] if gap["rule"]}

    return run


EVERYWHERE = {
    ("ends", "ends calls"): True,
    ("waits", "looks at how earlier calls ended"): False,
    ("held", "counts running calls"): False,
}
ASKS = {("asks", "asks"): False}


@pytest.mark.parametrize(
    ("harness", "expected"),
    [
        ("claude-code", {}),
        ("copilot", {}),
        ("gemini", {**ASKS, ("cuts", "shapes results"): False}),
        ("codex", {**ASKS, ("cuts", "shapes results"): False, ("changes", "rewrites arguments"): False}),
        ("cursor", {**ASKS, ("cuts", "shapes results"): True}),
    ],
)
def test_it_names_each_rule_that_the_harness_cannot_enforce(doctor, harness, expected):
    """What a hook never sees is the same everywhere; what the harness takes is its own. Monitored rules do nothing."""
    assert doctor(harness) == (1, {**EVERYWHERE, **expected})


def test_a_default_that_asks_is_told_too(doctor):
    """What no rule covers is refused where nobody can be asked."""
    assert (("the default of layer `project`", "asks") in doctor("gemini", "ask")[1]) is True
    assert (("the default of layer `project`", "asks") in doctor("claude-code", "ask")[1]) is False


def test_rules_that_hold_everywhere_are_exit_code_0(doctor):
    """Denies and rewrites of whole arguments need nothing that a harness lacks."""
    few = 'version = 1\ndefault = "{default}"\n\n[[rule]]\nid = "a"\nkind = "tools"\ndeny = ["x"]\n'

    assert [doctor(harness, rules=few) for harness in HARNESSES] == [(0, {})] * len(HARNESSES)


def test_text_is_for_people(tmp_path, monkeypatch, capsys):
    """A table of the rules, and below it what is so whatever they say."""
    (tmp_path / "rules.toml").write_text(RULES.format(default="deny"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    main(["doctor", "--harness", "codex"])
    text = capsys.readouterr().out

    assert "looser  ends" in text
    assert "whatever the rules say:" in text
    assert "write_stdin" in text


def test_rules_without_a_harness_are_misuse(tmp_path, monkeypatch, capsys):
    """Rule files are looked at for a harness alone."""
    monkeypatch.chdir(tmp_path)

    assert main(["doctor", "--rules", "rules.toml"]) == 2
    assert "for `--harness`" in capsys.readouterr().err


def test_abilities_say_what_the_answers_do():
    """A harness is said to have no question exactly where its answer before a call is a refusal."""
    told = {name: bool(ABILITIES[name].asks) for name in HARNESSES}
    done = {name: not answers_of(name).asks(answers_of(name).FIRST) for name in HARNESSES}

    assert told == done
