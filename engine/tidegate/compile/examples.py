"""Examples of rules are run: what a rule says of itself must be true."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ..call import Call
from ..calls import call_of
from ..errors import CallError, Finding
from ..kernel.json_values import compact, same_json, snapshot
from ..kind import Output, Phase
from ..lang.nearest import nearest
from ..plan.judge import failure
from ..plan.reading import Reader
from ..shown import quote
from .alone import HOME, ROOT, Alone, Said, World
from .compiler import Outcome, Subject
from .ends import end_of
from .fields import ExampleFields

WORDS = ("deny", "ask", "allow", "pass")

_DENY = 'mend the rule, or write `expect = "deny"`'

WHY = "a rule that does not do what its author expects is worse than none"
WHY_WORD = "an example can hold only for what a rule can answer"
WHY_NOTHING = "an example that expects nothing could never fail"


class Wrong(NamedTuple):
    """What is wrong with an example and how to mend it; `path` leads from the example to the key it is about."""

    what: str
    mend: str
    path: tuple[str | int, ...] = ()
    why: str = WHY


def check_examples(outcome: Outcome) -> list[Finding]:
    """Run the examples of every rule that compiled; what does not hold becomes a finding at what it expects.

    An example holds where a plan that has no other rule answers as it says. Where bindings are broken nothing can be
    said of any call, and no example is run.
    """
    readers = outcome.readers
    return [finding for one in outcome.subjects for finding in _check(readers[one.rule.layer], one)] if readers else []


def _check(reader: Reader, subject: Subject) -> Iterator[Finding]:
    for index, example in enumerate(subject.examples):
        try:
            wrong = _run(reader, subject, example)
        except Exception as error:  # noqa: BLE001 - whatever it was, the example does not hold, and says so
            wrong = Wrong(failure(error), "mend the rule, or report this if the rule is right")
        if wrong is not None:
            yield subject.raw.finding(
                ("example", index, *wrong.path),
                "failing-example",
                f"example {index + 1} of rule {quote(subject.raw.address)} does not hold: {wrong.what}",
                why=example.why if example.why and wrong.why is WHY else wrong.why,
                mend=wrong.mend,
                of="value" if wrong.path else "key",
            )


def _run(reader: Reader, subject: Subject, example: ExampleFields) -> Wrong | None:
    """What is wrong with the example, `None` where it holds."""
    alone = Alone(subject.rule, subject.phase, reader)
    if subject.phase is Phase.OUTPUT:
        return _run_shape(alone, example)
    many = example.calls is not None or not isinstance(example.expect, str | None)
    calls = example.calls or ((example.call,) if example.call is not None else ())
    if not calls:
        return Wrong("it has no call", 'add `call = { tool = "…", args = { … } }`')
    expected = example.expect if isinstance(example.expect, tuple) else (example.expect,)
    if len(calls) != len(expected):
        what = f"it has {len(calls)} calls and expects {len(expected)} answers"
        return Wrong(what, "write one answer for each of `calls`", ("expect",))
    at = 0.0
    for index, (table, expect) in enumerate(zip(calls, expected, strict=True)):
        path = ("calls", index) if example.calls is not None else ("call",)
        told, end = end_of(table)
        prompt = told.pop("said", None)
        call = _call({"at": at, **told} if many or subject.phase in (Phase.LIMIT, Phase.RUN) else told)
        if isinstance(call, str):
            return Wrong(f"its call is none: {call}", 'write `call = { tool = "…", args = { … } }`', path)
        if isinstance(end, str):
            return Wrong(f"its call has no end: {end}", "write such as `ends = 30, fails = true`", path)
        if prompt is not None:
            alone.said(call, str(prompt))
        at = call.at or at
        said = alone.judge(call, World.of(example), end)
        wrong = _compare_arguments(example, said) if subject.phase is Phase.REWRITE else None
        if wrong is None and not (said.word == "pass" and expect is None and example.expect_arguments is not None):
            wrong = _compare(expect, said.word, ("expect", index) if isinstance(example.expect, tuple) else ("expect",))
        if wrong is not None:
            return wrong._replace(what=f"call {index + 1}: {wrong.what}") if many else wrong
    return None


def _compare_arguments(example: ExampleFields, said: Said) -> Wrong | None:
    """What is wrong with what a rewrite is expected to make of the arguments."""
    wanted = example.expect_arguments
    if said.word != "pass":
        refused = Wrong("it expects arguments, and the rule refuses the call", _DENY, ("expect_arguments",))
        return refused if example.expect is None and wanted is not None else None
    if wanted is None:
        if not said.rewritten:
            return None
        path: tuple[str | int, ...] = ("expect",) if example.expect is not None else ()
    elif same_json(snapshot(wanted), said.arguments):
        return None
    else:
        path = ("expect_arguments",)
    return Wrong(
        f"the arguments become {quote(compact(said.arguments), limit=300)}",
        "write these under `expect_arguments`, or mend the rule",
        path,
    )


def _run_shape(alone: Alone, example: ExampleFields) -> Wrong | None:
    text = isinstance(example.result, str)
    given = Output((example.result,)) if text else Output((), snapshot(example.result))
    call = None if example.call is None else _call(example.call)
    if isinstance(call, str):
        return Wrong(f"its call is none: {call}", 'write `call = { tool = "…", args = { … } }`', ("call",))
    shaped = alone.shape(call, given, World.of(example))
    result = "".join(map(str, shaped.blocks)) if text else shaped.structured
    if example.expect_result is None:
        return Wrong("it has no `expect_result`", "write what the rule makes of `result`", (), WHY_NOTHING)
    if same_json(snapshot(example.expect_result), snapshot(result)):
        return None
    shown = result if isinstance(result, str) else compact(result)
    return Wrong(
        f"the result becomes {quote(shown, limit=300)}",
        "write this under `expect_result`, or mend the rule",
        ("expect_result",),
    )


def _compare(expect: object, said: str, path: tuple[str | int, ...]) -> Wrong | None:
    if expect is None:
        return Wrong(
            "it has no `expect`", f'add `expect = "{said}"` if this is what the rule is to say', (), WHY_NOTHING
        )
    if expect not in WORDS:
        close = nearest(str(expect), WORDS)
        mend = f"write `{close}`" if close else "write `deny`, `ask`, `allow` or `pass`"
        return Wrong(f"{quote(str(expect))} is no answer", mend, path, WHY_WORD)
    if expect == said:
        return None
    return Wrong(
        f"it expects `{expect}`, the rule answers `{said}`", f'mend the rule, or write `expect = "{said}"`', path
    )


def _call(table: Mapping[str, Any]) -> Call | str:
    """The call of an example in its own small world, or why it is none."""
    try:
        return call_of(snapshot({"cwd": ROOT, "root": ROOT, "home": HOME, **table, **_moment(table.get("at"))}))
    except CallError as error:
        return str(error)


def _moment(at: object) -> dict[str, float]:
    """`at` in seconds, where it is written as a date-time."""
    if not isinstance(at, dt.datetime):
        return {}
    if at.tzinfo is None:
        raise CallError("the key `at` must say its offset, such as `2027-01-31T09:00:00Z`")
    return {"at": at.timestamp()}
