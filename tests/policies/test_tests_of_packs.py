"""The shipped packs have tests of their own, which hold and notice nearly every small wrong edit."""

from pathlib import Path

import pytest

from tidegate.assurance.coverage import percent
from tidegate.assurance.mutating import Score, judge_all
from tidegate.assurance.suites import RulePaths, gather, run

FOLDER = Path(__file__).parent
POLICIES = FOLDER.parents[1] / "policies"


def suite(name):
    """A pack with its examples, and with its test file where it has one."""
    tests = FOLDER / f"{name}.test.toml"
    paths = RulePaths() if tests.exists() else RulePaths(None, POLICIES / f"{name}.toml", None)
    (found,), findings = gather(paths, [tests] if tests.exists() else [], FOLDER)

    assert [*findings, *found.findings] == []
    return found


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.test.toml")), ids=lambda path: path.name)
def test_tests_of_a_pack_hold(file):
    """No test of a shipped test file fails, nor does an example of its pack."""
    failing = [str(one.finding) for one in run(suite(file.name.removesuffix(".test.toml"))) if one.finding]

    assert failing == []


@pytest.mark.parametrize("name", ["baseline", "secrets", "mcp", "output"])
def test_nine_of_ten_mutants_of_a_pack_are_noticed(name):
    """Who changes a shipped rule by a slip hears of it from the pack's own tests."""
    one = suite(name)
    judgements = tuple(judge_all(one, FOLDER, 1))
    score = Score((), judgements)

    assert percent(score.killed, score.counted) >= 90
