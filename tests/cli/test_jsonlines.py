"""Lines of a stream, none of which can fill the memory."""

import io

from hypothesis import given
from hypothesis import strategies as st

from tidegate.cli.jsonlines import bounded_lines


@given(st.lists(st.binary(max_size=30).map(lambda line: line.replace(b"\n", b"")), max_size=6), st.integers(1, 12))
def test_lines_are_cut_and_never_joined_or_split(lines, most):
    """Every line comes once, whole if it is short enough, else as one byte more than is taken."""
    read = list(bounded_lines(io.BytesIO(b"".join(line + b"\n" for line in lines)), most))

    assert [line.rstrip(b"\n")[: most + 1] for line in read] == [line[: most + 1] for line in lines]
    assert all(len(line) <= most + 1 for line in read)
