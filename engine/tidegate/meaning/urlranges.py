"""Several URLs in one text, as `curl` writes them: `http://h/{a,b}` and `http://h/[1-3]`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

MOST = 1000
"""How many URLs one text may stand for."""

_PART = re.compile(
    r"\\(?P<escaped>[{}\[\]])|\{(?P<choice>[^{}]*)\}"
    r"|\[(?:(?P<low>[0-9]+)-(?P<high>[0-9]+)|(?P<first>[a-zA-Z])-(?P<last>[a-zA-Z]))(?::(?P<step>[0-9]+))?\]"
)


def expanded(text: str) -> list[str] | None:
    """Every URL that *text* stands for, in order; `None` where there are more than `MOST`.

    A number keeps the zeros that the first one of its range has. An IPv6 address in brackets is no range. After the
    manual page of curl, under `URL`.
    """
    pieces: list[list[str]] = []
    end, count = 0, 1
    for match in _PART.finditer(text):
        parts = list(_alternatives(match))
        count *= len(parts)
        if count > MOST:
            return None
        pieces += [[text[end : match.start()]], parts]
        end = match.end()
    return ["".join(each) for each in product(*pieces, [text[end:]])]


def _alternatives(match: re.Match[str]) -> Iterator[str]:
    """What one part of the text may be; past `MOST` of them it ends."""
    if match["escaped"] is not None:
        yield match["escaped"]
    elif match["choice"] is not None:
        yield from match["choice"].split(",")
    else:
        step = max(1, int((match["step"] or "1")[:9]))
        if match["low"] is not None:
            width = len(match["low"])
            numbers = range(int(match["low"]), int(match["high"]) + 1, step)
            yield from (f"{number:0{width}d}" for number in numbers[: MOST + 1])
        else:
            yield from (chr(code) for code in range(ord(match["first"]), ord(match["last"]) + 1, step))
