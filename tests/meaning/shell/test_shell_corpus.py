"""Lines that people really wrote, where the collection is at hand."""

import os
from pathlib import Path

import pytest

from tests.meaning.shell.readers import doubts_of, effects_of

FOLDER = Path(os.environ.get("TIDEGATE_CASES", Path(__file__).parents[4] / "shared" / "cases"))
LINES = FOLDER / "bash_commands.txt"

pytestmark = pytest.mark.skipif(
    not LINES.exists(), reason=f"{LINES.name} is not there; `TIDEGATE_CASES` says where it is"
)


@pytest.fixture(scope="module")
def lines():
    return LINES.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("shell", ["bash", "sh"])
def test_every_line_is_analysed_within_its_limits(lines, shell):
    """No line raises, and none is so odd that a limit ends its reading."""
    doubts = [doubt for line in lines for doubt in doubts_of(effects_of(line, shell))]

    assert not [doubt for doubt in doubts if "more than" in doubt or "too deeply" in doubt or "too many" in doubt]


def test_few_lines_are_unknown(lines):
    """Under two in a hundred, those that bash refuses included."""
    unknown = sum(bool(doubts_of(effects_of(line))) for line in lines)

    assert unknown < len(lines) * 0.02
