"""What `${x%…}` and `${x#…}` leave of a text that is known at its ends is what bash leaves, whatever is between."""

import re
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.meaning.shell import oracle
from tidegate.meaning.shell.running.patterns import tokens
from tidegate.meaning.shell.running.transforms import cut_open, untouched
from tidegate.meaning.values import Hole, Partial

pytestmark = pytest.mark.skipif(oracle.bash() is None, reason="no bash of version 5 is installed")

ENDS = st.text(alphabet="ab./", max_size=4)
PATTERNS = st.text(alphabet="ab./*", max_size=4)


@given(start=ENDS, between=ENDS, end=ENDS, pattern=PATTERNS, operator=st.sampled_from(["%", "%%", "#", "##"]))
def test_what_is_left_of_an_open_text_is_what_bash_leaves(start, between, end, pattern, operator):
    """Known ends are cut where they match for certain, kept where they cannot, and given up where that is open."""
    parts = (*([start] if start else []), Hole.ANY, *([end] if end else []))
    left = cut_open(operator, tokens([(pattern, False)]), Partial(parts, "r"))
    if left is None:
        return
    script = f'printf %s "${{1{operator}{pattern}}}"'
    done = subprocess.run([oracle.bash(), "-c", script, "x", start + between + end], capture_output=True, check=True)
    shape = "".join(re.escape(part) if isinstance(part, str) else ".*" for part in left.parts)

    assert re.fullmatch(shape, done.stdout.decode(), re.DOTALL)


@given(
    start=ENDS,
    rest=ENDS,
    pattern=st.text(alphabet="ab.", min_size=1, max_size=3),
    operator=st.sampled_from(["/", "//"]),
)
def test_what_stands_before_the_first_possible_match_stays(start, rest, pattern, operator):
    """`${x/old/new}` of a text with a known beginning keeps what of it no match can reach."""
    kept = untouched(start, tokens([(pattern, False)]))
    script = f'printf %s "${{1{operator}{pattern}/NEW}}"'
    done = subprocess.run([oracle.bash(), "-c", script, "x", start + rest], capture_output=True, check=True)

    assert done.stdout.decode().startswith(kept)


def test_beginning_is_kept_up_to_where_a_character_that_grows_in_lower_case_stands_before_a_match():
    """Places are counted in the text as it is, and not in its lower case, which may be longer."""
    assert untouched("İİİİabc", list("abc")) == "İİİİ"
    assert untouched("xxab", list("abc")) == "xx"
    assert untouched("xx", ["İ", None]) == ""
