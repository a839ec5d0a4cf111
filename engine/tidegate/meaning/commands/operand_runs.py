"""Operands of a pattern against those of an invocation, in order: as a subsequence, or exactly."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..effects import Operand
from ..tri import Tri, Unknown, any_of
from .pattern_parts import OperandPattern

Ask = Callable[[OperandPattern, Operand], Tri]
_NUMBER = "how many operands a word becomes is not known"


def both(first: Tri, second: Tri) -> Tri:
    """Yes if both are, no if one is, else unknown."""
    if first is False or second is False:
        return False
    return second if first is True else first


def contains(patterns: Sequence[OperandPattern], operands: Sequence[Operand], ask: Ask) -> Tri:
    """Whether some of the operands, in order, are what the patterns name; `**` asks for nothing."""
    wanted = [pattern for pattern in patterns if not pattern.many]
    best: list[Tri] = [True, *([False] * len(wanted))]
    for operand in operands:
        step = list(best)
        for index, pattern in enumerate(wanted):
            before = step[index] if operand.many else best[index]
            if before is not False and best[index + 1] is not True:
                step[index + 1] = any_of((best[index + 1], both(before, ask(pattern, operand))))
        best = step
    return best[-1]


def equals(patterns: Sequence[OperandPattern], operands: Sequence[Operand], ask: Ask) -> Tri:
    """Whether the operands, all of them and in order, are what the patterns name; `**` is any number."""
    best: list[Tri] = [True, *([False] * len(patterns))]
    _skip(patterns, best)
    for operand in operands:
        step: list[Tri] = [False] * (len(patterns) + 1)
        for index, pattern in enumerate(patterns):
            if best[index] is False:
                continue
            said = both(best[index], ask(pattern, operand))
            if pattern.many:
                step[index] = any_of((step[index], said))
            elif operand.many and said is True:
                step[index + 1] = any_of((step[index + 1], Unknown(_NUMBER)))
            else:
                step[index + 1] = any_of((step[index + 1], said))
        _skip(patterns, step)
        best = step
    return best[-1]


def _skip(patterns: Sequence[OperandPattern], best: list[Tri]) -> None:
    """Let each `**` stand for no operand at all."""
    for index, pattern in enumerate(patterns):
        if pattern.many:
            best[index + 1] = any_of((best[index + 1], best[index]))
