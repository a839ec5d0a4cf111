"""What the program of a hook does where no resident has answered: it decides by itself, and starts one for the next."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Protocol

from ..adapters.hook_answers import BLOCKS, refusal
from .hook import answer, misused, parse, write

LOST = "what judged this call has ended before it answered, and nobody knows whether it was counted; try again"


class Unanswered(Protocol):
    """What the program has in hand; see `resident.asking`."""

    words: list[str]
    folder: str | None
    data: bytes
    deadline: float
    lost: bool


def main(words: Sequence[str], left: Unanswered | None) -> int:
    """Answer what is *left*, or the event on standard input, and return the exit code."""
    if words[:1] == ["--serve"]:
        from .resident_process import serve

        return serve(words[1], float(words[2]))
    if words[:1] == ["--ready"]:
        from . import hook_engines  # noqa: F401 - whether all that judges can be imported is the question

        return 0
    wanted = parse(words if left is None else left.words)
    if isinstance(wanted, str):
        return misused(wanted)
    if left is None:
        return write(answer(wanted))
    if left.lost:
        # Judging it once more could count it twice; what ran in a process of its own and died is refused as well.
        return write(refusal(wanted.harness, wanted.event, left.data, LOST))
    code = write(answer(wanted, left.data, left.deadline))
    if left.folder is not None and code != BLOCKS:
        _start(left.folder)
    return code


def _start(folder: str) -> None:
    """Start a resident for the hooks to come; the answer has gone out already."""
    sys.stdout.flush()
    from ..resident.place import start

    start(folder)
