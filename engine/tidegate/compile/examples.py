"""Examples of rules are run: what a rule says of itself must be true."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping
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
from .alone import Alone, Said
from .compiler import Outcome, Subject
from .ends import End, end_of
from .fields import ExampleFields
from .stage import HOME, ROOT, Watch, World

WORDS = ("deny", "ask", "allow", "remind", "pass")

MEND_CALL = 'write `call = { tool = "…", args = { … } }`'
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


class Made(NamedTuple):
    """A call of an example, how it ends (`None` where nobody sees it), and what a person says before it."""

    call: Call
    end: End | None
    said: str | None


def check_examples(outcome: Outcome, watching: Callable[[Subject], Watch] | None = None) -> list[Finding]:
    """Run the examples of every rule that compiled; what does not hold becomes a finding at what it expects.

    An example holds where a plan that has no other rule answers as it says. Where bindings are broken nothing can be
    said of any call, and no example is run. *watching* gives what sees the calls of one rule's examples.
    """
    found: list[Finding] = []
    for one in outcome.subjects if outcome.readers else ():
        found += check_subject(outcome.readers[one.rule.layer], one, watching(one) if watching else None)
    return found


def check_subject(reader: Reader, subject: Subject, watch: Watch | None = None) -> Iterator[Finding]:
    """Run the examples of one rule."""
    for index in range(len(subject.examples)):
        found = check_example(reader, subject, index, watch)
        if found is not None:
            yield found


def check_example(reader: Reader, subject: Subject, index: int, watch: Watch | None = None) -> Finding | None:
    """Run one example of a rule; `None` where it holds."""
    example = subject.examples[index]
    try:
        wrong = _run(Alone(subject.rule, subject.phase, reader, watch), subject, example)
    except Exception as error:  # noqa: BLE001 - whatever it was, the example does not hold, and says so
        wrong = Wrong(failure(error), "mend the rule, or report this if the rule is right")
    if wrong is None:
        return None
    return subject.raw.finding(
        ("example", index, *wrong.path),
        "failing-example",
        f"example {index + 1} of rule {quote(subject.raw.address)} does not hold: {wrong.what}",
        why=example.why if example.why and wrong.why is WHY else wrong.why,
        mend=wrong.mend,
        of="value" if wrong.path else "key",
    )


def _run(alone: Alone, subject: Subject, example: ExampleFields) -> Wrong | None:
    """What is wrong with the example, `None` where it holds."""
    if subject.phase is Phase.OUTPUT:
        return _run_shape(alone, example)
    many = example.calls is not None or not isinstance(example.expect, str | None)
    calls = example.calls or ((example.call,) if example.call is not None else ())
    if not calls:
        return Wrong("it has no call", MEND_CALL.replace("write", "add"))
    expected = example.expect if isinstance(example.expect, tuple) else (example.expect,)
    if len(calls) != len(expected):
        what = f"it has {len(calls)} calls and expects {len(expected)} answers"
        return Wrong(what, "write one answer for each of `calls`", ("expect",))
    at = 0.0
    for index, (table, expect) in enumerate(zip(calls, expected, strict=True)):
        timed = many or subject.phase in (Phase.LIMIT, Phase.RUN)
        made = made_of(table, at if timed else None, ("calls", index) if example.calls is not None else ("call",))
        if isinstance(made, Wrong):
            return made
        call, end, prompt = made
        if prompt is not None:
            alone.said(call, prompt)
        at = call.at or at
        said = alone.judge(call, World.of(example), end)
        wrong = _compare_arguments(example, said) if subject.phase is Phase.REWRITE else None
        if wrong is None and not (said.word == "pass" and expect is None and example.expect_arguments is not None):
            wrong = _compare(expect, said.word, ("expect", index) if isinstance(example.expect, tuple) else ("expect",))
        if wrong is not None:
            return wrong._replace(what=f"call {index + 1}: {wrong.what}") if many else wrong
    return None


def made_of(table: Mapping[str, Any], at: float | None, path: tuple[str | int, ...]) -> Made | Wrong:
    """The call that a table of an example stands for, made *at* that time unless it says its own, or why it is none."""
    told, end = end_of(table)
    prompt = told.pop("said", None)
    call = _call(told if at is None else {"at": at, **told})
    if isinstance(call, str):
        return Wrong(f"its call is none: {call}", MEND_CALL, path)
    if isinstance(end, str):
        return Wrong(f"its call has no end: {end}", "write such as `ends = 30, fails = true`", path)
    return Made(call, end, None if prompt is None else str(prompt))


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
    call = None if example.call is None else _call(example.call)
    if isinstance(call, str):
        return Wrong(f"its call is none: {call}", MEND_CALL, ("call",))
    return compare_result(example, alone.shape(call, given(example), World.of(example)))


def given(example: ExampleFields) -> Output:
    """The result that the example says a tool returned."""
    return Output((example.result,)) if isinstance(example.result, str) else Output((), snapshot(example.result))


def compare_result(example: ExampleFields, shaped: Output) -> Wrong | None:
    """What is wrong with what became of the result of an example."""
    result = "".join(map(str, shaped.blocks)) if isinstance(example.result, str) else shaped.structured
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
        mend = f"write `{close}`" if close else "write `deny`, `ask`, `allow`, `remind` or `pass`"
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
