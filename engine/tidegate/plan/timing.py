"""The time that a body may take: rules of the phase `run` around the rest of a dispatch."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from math import inf
from typing import Any

from ..decision import Answer
from ..errors import ToolFailed
from ..facts.clock import Clock
from ..kernel.sync import need_loop
from ..kind import Timeout
from .rule import Rule
from .sitting import Sitting

CODE = "TOOL_TIMEOUT"


def timed(sitting: Sitting) -> tuple[Rule, ...]:
    """The rules that bound the time of this call; where `when` is unknown, they do."""
    rules = sitting.rules.timeouts
    return tuple(
        rule for rule in rules if rule.when is None or rule.when.applies(sitting.cases[rule.layer]) is not False
    )


def seconds(rule: Rule) -> float:
    """How long the body may take."""
    part = rule.part
    assert isinstance(part, Timeout)  # noqa: S101 - the plan sorts rules by phase
    return part.seconds


async def in_time(
    rules: tuple[Rule, ...], sitting: Sitting, call_next: Callable[[], Awaitable[Any]], clock: Clock
) -> Any:
    """Run the rest of a dispatch, and end it when the shortest time of an enforced rule is over.

    What cannot be ended (a synchronous body, one that will not be cancelled) is waited for, and its result withheld
    if it came too late.

    Raises:
        ToolFailed: It took too long.
    """
    from anyio import move_on_after

    await need_loop()
    shortest = min((seconds(rule) for rule in rules if rule.enforced), default=inf)
    start, answer, ended = clock.steady(), None, False
    try:
        with move_on_after(shortest) as scope:
            answer = await call_next()
        ended = scope.cancelled_caught
    finally:
        took = clock.steady() - start
        late = [rule for rule in rules if took > seconds(rule) or (ended and seconds(rule) <= shortest)]
        sitting.shaped += (_answer(rule, took) for rule in late)
    enforced = [rule for rule in late if rule.enforced]
    if enforced:
        raise ToolFailed(_refusal(enforced, ended=ended), CODE)
    return answer


def _answer(rule: Rule, took: float) -> Answer:
    note = f"it took {max(took, seconds(rule)):g} s"
    return Answer(rule.id, rule.kind, "deny", "run", note=note, monitored=not rule.enforced)


def _refusal(late: Iterable[Rule], *, ended: bool) -> str:
    """What the model is told: the words of the rule's author, or ours; nothing is undone."""
    rule = min(late, key=seconds)
    if rule.message:
        return rule.message
    what = "the call was ended" if ended else "the result was withheld"
    return f"{what}, because it took longer than {seconds(rule):g} s; what it did until then is not undone"
