"""Examples on both sides of a rule's edge: what it answers, and near misses that it lets pass."""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import Finding
from ..kernel.json_values import same_json, snapshot
from ..kind import Guard, Output, Phase
from ..plan.reading import Reader
from ..shown import quote
from .alone import Alone
from .compiler import Outcome, Subject
from .fields import ExampleFields
from .stage import World

_REFUSALS = frozenset({"deny", "ask"})
_PASSES = frozenset({"pass", "allow"})
_LONG = "all work and no play\n" * 50_000


def check_sides(outcome: Outcome) -> list[Finding]:
    """Find rules without an example that they answer, or without one that they let pass.

    A rule that refuses answers with `deny` or `ask`, and one that only grants with `allow`; a rewrite answers where it
    changes arguments, and a rule about results where it changes one; that it cuts long ones need not be written out,
    since it shows by itself. Whether the examples hold is another question.
    """
    readers = outcome.readers
    return [finding for one in outcome.subjects for finding in _check(one, readers[one.rule.layer])] if readers else []


def _check(subject: Subject, reader: Reader) -> Iterator[Finding]:
    sides = {side for example in subject.examples for side in _sides(subject, example)}
    if "hit" not in sides and subject.phase is Phase.OUTPUT and _cuts(subject, reader):
        sides.add("hit")
    shown = quote(subject.raw.address)
    if "hit" not in sides:
        yield subject.raw.finding(
            (),
            "one-sided",
            f"no example of rule {shown} shows what it answers",
            why="a rule that was never seen to answer may be one that never does",
            mend=f"add an example that it must answer, with {_answer(subject)}",
        )
    if "miss" not in sides:
        yield subject.raw.finding(
            (),
            "one-sided",
            f"no example of rule {shown} shows what it lets pass",
            why="nobody sees where a rule ends that answers each of its examples",
            mend=f"add a near miss, one edit away from what it answers, with {_silence(subject)}",
        )


def _sides(subject: Subject, example: ExampleFields) -> Iterator[str]:
    """On which sides the example stands: `hit`, `miss`, and of several calls perhaps both."""
    if subject.phase is Phase.OUTPUT:
        yield "miss" if same_json(snapshot(example.result), snapshot(example.expect_result)) else "hit"
        return
    if example.expect_arguments is not None and example.call is not None:
        given = example.call.get("args", {})
        yield "miss" if same_json(snapshot(given), snapshot(example.expect_arguments)) else "hit"
        return
    for word in example.expect if isinstance(example.expect, tuple) else (example.expect,):
        if word in _REFUSALS | _PASSES:
            yield "hit" if word in _answers(subject) else "miss"


def _cuts(subject: Subject, reader: Reader) -> bool:
    """Whether the rule changes a result that is far too long for an example."""
    world = World.of(ExampleFields())
    shaped = Alone(subject.rule, subject.phase, reader).shape(None, Output((_LONG,)), world)
    return shaped.blocks != (_LONG,)


def _answers(subject: Subject) -> frozenset[str]:
    part = subject.rule.part
    grants_only = isinstance(part, Guard) and part.denies is None and part.confines is None
    return frozenset({"allow"}) if grants_only else _REFUSALS


def _answer(subject: Subject) -> str:
    match subject.phase:
        case Phase.OUTPUT:
            return "an `expect_result` that is not its `result`"
        case Phase.REWRITE:
            return "the `expect_arguments` that it makes"
        case _:
            refuses = "deny" in _answers(subject)
            return f'`expect = "{subject.rule.effect if refuses else "allow"}"`'


def _silence(subject: Subject) -> str:
    return "an `expect_result` that is its `result`" if subject.phase is Phase.OUTPUT else '`expect = "pass"`'
