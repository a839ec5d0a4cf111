"""Tests are run: every call of a test before all rules together, in the small world that the test says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from attrs import evolve, frozen

from ..compile.examples import WHY, Wrong, compare_result, given, made_of
from ..compile.stage import Judged, Stage, Watch, World
from ..decision import Decision
from ..errors import Finding
from ..kernel.json_values import compact, same_json, snapshot
from ..plan.judge import failure
from ..plan.plan import Plan
from ..shown import quote
from .explaining import explained
from .fields import DEFAULT, RuleTestFields
from .test_files import RuleTest
from .tracing import trace_lines


@frozen
class Failure:
    """Why a test fails: a finding at what does not hold, and the trace of the call in plain lines."""

    finding: Finding
    trace: tuple[str, ...]


class _Failed(NamedTuple):
    wrong: Wrong
    judged: Judged | None


def run_test(plan: Plan, test: RuleTest, watch: Watch | None = None) -> Failure | None:
    """Run one test; `None` where everything that it expects holds. *watch* sees every call and result."""
    try:
        failed = next(_failing(Stage(plan, watch, trace=True), test.fields), None)
    except Exception as error:  # noqa: BLE001 - whatever it was, the test fails, and says so
        failed = _Failed(Wrong(failure(error), "mend the rules, or report this if they are right"), None)
    if failed is None:
        return None
    wrong, judged = failed
    finding = test.finding(
        wrong.path,
        "failing-test",
        f"{quote(test.name)} fails: {wrong.what}",
        why=test.fields.why if test.fields.why and wrong.why is WHY else wrong.why,
        mend=wrong.mend,
    )
    return Failure(finding, () if judged is None else tuple(trace_of(judged)))


def decided_by(decision: Decision) -> str:
    """The determining rule as a test names it."""
    return decision.rule if decision.rule is not None else DEFAULT


def trace_of(judged: Judged) -> Iterator[str]:
    """What was decided of a call and how, in plain lines; its stage must keep traces."""
    decision = judged.decision
    yield f"call: {quote(judged.sitting.original.tool.name)} {quote(compact(decision.arguments), limit=1_000)}"
    yield f"decision: {decision.effect} by {quote(decided_by(decision))}"
    yield from trace_lines(explained(judged.sitting, decision))


def _failing(stage: Stage, fields: RuleTestFields) -> Iterator[_Failed]:
    """What does not hold, in the order of the calls; those after the first would follow from it."""
    calls = fields.calls or ((fields.call,) if fields.call is not None else ())
    at = 0.0
    for index, table in enumerate(calls):
        path = ("call",) if fields.calls is None else ("calls", index)
        made = made_of(table, None if fields.calls is None else at, path)
        if isinstance(made, Wrong):
            yield _Failed(made, None)
            return
        if made.said is not None:
            stage.said(made.call, made.said)
        at = made.call.at or at
        judged = stage.judge(made.call, World.of(fields), made.end)
        for wrong in _wrong(stage, fields, judged, index, fails=made.end is not None and made.end.output.is_error):
            told = wrong if fields.calls is None else wrong._replace(what=f"call {index + 1}: {wrong.what}")
            yield _Failed(told, judged)


def _wrong(stage: Stage, fields: RuleTestFields, judged: Judged, index: int, *, fails: bool) -> Iterator[Wrong]:
    """What does not hold of one call, whose result is an error where it *fails*."""
    decision = judged.decision
    yield from _wrong_effect(fields, decision, index)
    yield from _wrong_rule(fields, decision, index)
    if fields.expect_arguments is not None:
        yield from _wrong_arguments(fields, decision)
    if fields.result is not None:
        if decision.effect == "deny":
            mend = "mend the rules, or expect no result"
            yield Wrong(f"it expects a result, and the call is refused {_by(decision)}", mend, ("expect_result",))
            return
        sitting = judged.sitting
        result = evolve(given(fields), is_error=fails)
        wrong = compare_result(fields, stage.shape(sitting.rules.shapes, sitting.cases, result))
        if wrong is not None:
            yield wrong


def _wrong_effect(fields: RuleTestFields, decision: Decision, index: int) -> Iterator[Wrong]:
    many = isinstance(fields.expect, tuple)
    expected = fields.expect[index] if isinstance(fields.expect, tuple) else fields.expect
    if expected is not None and expected != decision.effect:
        yield Wrong(
            f"it expects `{expected}`, and the rules answer `{decision.effect}` {_by(decision)}",
            f'mend the rules, or write `"{decision.effect}"`' if many else _mend("expect", decision.effect),
            ("expect", index) if many else ("expect",),
        )


def _wrong_rule(fields: RuleTestFields, decision: Decision, index: int) -> Iterator[Wrong]:
    """What does not hold of the determining rule, and of the rules that answer alike."""
    name = decided_by(decision)
    many = isinstance(fields.rule, tuple)
    expected = fields.rule[index] if isinstance(fields.rule, tuple) else fields.rule
    said = f"`{decision.effect}` comes from {quote(name)}"
    if expected is not None and expected != name:
        path = ("rule", index) if many else ("rule",)
        yield Wrong(f"it expects the rule {quote(expected)}, and {said}", _mend("rule", name), path)
    unwanted = (fields.not_rule,) if isinstance(fields.not_rule, str) else fields.not_rule or ()
    if name in unwanted:
        yield Wrong(f"{said}, which it must not", "mend the rules", ("not_rule",))
    if fields.only is not None:
        only = {fields.only} if isinstance(fields.only, str) else set(fields.only)
        alike = _answering(decision)
        if only != set(alike):
            names = ", ".join(map(quote, alike))
            what = f"it expects only {', '.join(map(quote, sorted(only)))} to say `{decision.effect}`, and {names} do"
            yield Wrong(what, "mend the rules, or name these", ("only",))


def _answering(decision: Decision) -> list[str]:
    """The rules that answer as strictly as the decision; for one that allows, those that grant."""
    says = {"allow": ("grant",), "ask": ("ask",), "deny": ("deny",)}[decision.effect]
    found = [one.rule for one in decision.trace if one.says in says and not one.monitored]
    return list(dict.fromkeys([*found, *([] if found and decision.rule in found else [decided_by(decision)])]))


def _wrong_arguments(fields: RuleTestFields, decision: Decision) -> Iterator[Wrong]:
    if decision.effect == "deny" and fields.expect is None:
        mend = 'mend the rules, or write `expect = "deny"`'
        yield Wrong(f"it expects arguments, and the call is refused {_by(decision)}", mend, ("expect_arguments",))
    elif not same_json(snapshot(fields.expect_arguments), decision.arguments):
        what = f"the arguments become {quote(compact(decision.arguments), limit=300)}"
        yield Wrong(what, "write these under `expect_arguments`, or mend the rules", ("expect_arguments",))


def _by(decision: Decision) -> str:
    return f"by rule {quote(decision.rule)}" if decision.rule is not None else "by `default`"


def _mend(key: str, value: str) -> str:
    return f'mend the rules, or write `{key} = "{value}"`'
