"""The shipped packs have tests of their own, which hold and notice nearly every small wrong edit."""

import pytest

from tests.policies.survivors import FOLDER, suite
from tidegate.assurance.coverage import percent
from tidegate.assurance.mutating import Score, judge_all
from tidegate.assurance.suites import run


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
