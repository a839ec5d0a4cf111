"""Remembered digests: examples are run once for each rule set, and a failing one is never remembered."""

import stat
import sys

import pytest

from tidegate.engine import Engine
from tidegate.errors import RuleError, StateError
from tidegate.facts.local import local_facts
from tidegate.facts.verified import MOST, VerifiedFolder

RULES = """
version = 1
default = "deny"

[[rule]]
id = "one"
kind = "tools"
allow = ["a"]

[[rule.example]]
call = {{ tool = "{tool}", args = {{}} }}
expect = "allow"
"""


def no_state():
    raise StateError("nowhere")


def test_digest_is_known_after_it_was_noted(tmp_path):
    """What was noted is known, also to another process, and nothing else is."""
    first, second = VerifiedFolder(lambda: tmp_path), VerifiedFolder(lambda: tmp_path)
    first.note("one")

    assert (second.knows("one"), second.knows("two")) == (True, False)


def test_digest_of_other_code_is_not_known(tmp_path):
    """What another version of tidegate verified does not count."""
    other = VerifiedFolder(lambda: tmp_path)
    other.__dict__["_code"] = "another version"
    other.note("one")

    assert not VerifiedFolder(lambda: tmp_path).knows("one")


def test_nothing_is_known_without_a_place_for_state():
    """Without a safe folder nothing is remembered, and nothing fails."""
    verified = VerifiedFolder(no_state)
    verified.note("one")

    assert not verified.knows("one")


def test_folder_stays_small(tmp_path):
    """The oldest digests make room for new ones."""
    verified = VerifiedFolder(lambda: tmp_path)
    for number in range(MOST + 20):
        verified.note(str(number))

    assert len(list((tmp_path / "verified").iterdir())) == MOST


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no modes")
def test_folder_is_the_owners_alone(tmp_path):
    """Nobody else can look at or change what is remembered."""
    VerifiedFolder(lambda: tmp_path).note("one")

    assert stat.S_IMODE((tmp_path / "verified").stat().st_mode) == 0o700


def test_failing_examples_are_never_remembered(tmp_path):
    """A rule set whose examples fail is refused each time, and one whose examples hold is noted once."""
    rules, facts = tmp_path / "rules.toml", local_facts(state=tmp_path)
    rules.write_text(RULES.format(tool="b"))
    for _ in range(2):
        with pytest.raises(RuleError, match="failing-example"):
            Engine.load(rules, facts=facts)
    rules.write_text(RULES.format(tool="a"))
    engine = Engine.load(rules, facts=facts)

    assert facts.verified.knows(engine.plan.digest)
