"""Examples of rules are run: what a rule says of itself must be true."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ..call import Call
from ..calls import call_of
from ..errors import CallError, Finding, Veto
from ..facts.counters import MemoryCounters, Refused
from ..kernel.json_values import compact, same_json, snapshot
from ..kind import Case, Limit, Output, Phase, Rewrite, Shape
from ..meaning.effects import Effect
from ..meaning.places import Places
from ..meaning.scene import Scene
from ..plan.judge import answer, failure, fold
from ..plan.reading import Reader, WrongType
from ..plan.rule import Rule
from ..shown import quote
from .compiler import Outcome, Subject
from .fields import ExampleFields

ROOT, HOME = "/srv/project", "/home/dev"
"""The places of an example that does not say its own; nothing there is a symlink unless `links` says so."""

WORDS = ("deny", "ask", "allow", "pass")


class _Links(NamedTuple):
    """A file system that holds the symlinks of one example and nothing else."""

    links: Mapping[str, str]

    def readlink(self, path: str) -> str | None:
        return self.links.get(path)

    def kind(self, path: str) -> Any:
        return "link" if path in self.links else "absent"

    def names(self, path: str) -> list[str] | None:
        beneath = path.rstrip("/") + "/"
        return [
            link[len(beneath) :] for link in self.links if link.startswith(beneath) and "/" not in link[len(beneath) :]
        ]


def check_examples(outcome: Outcome) -> list[Finding]:
    """Run the examples of every rule that compiled; what does not hold becomes a finding at the example.

    Where bindings are broken nothing can be said of any call, and no example is run.
    """
    readers = outcome.readers
    return [finding for one in outcome.subjects for finding in _check(readers[one.rule.layer], one)] if readers else []


def _check(reader: Reader, subject: Subject) -> Iterator[Finding]:
    for index, example in enumerate(subject.examples):
        try:
            wrong = _run(reader, subject, example)
        except CallError as error:
            wrong = f"its call is none: {error}", 'write `call = { tool = "…", args = { … } }`'
        except Exception as error:  # noqa: BLE001 - whatever it was, the example does not hold, and says so
            wrong = failure(error), "mend the rule, or report this if the rule is right"
        if wrong is not None:
            yield subject.raw.finding(
                ("example", index),
                "failing-example",
                f"example {index + 1} of rule {quote(subject.raw.address)} does not hold: {wrong[0]}",
                why=example.why or "a rule that does not do what its author expects is worse than none",
                mend=wrong[1],
            )


def _run(reader: Reader, subject: Subject, example: ExampleFields) -> tuple[str, str] | None:
    """What is wrong with the example, and how to mend it; `None` where it holds."""
    phase, rule = subject.phase, subject.rule
    if example.calls is not None or phase is Phase.LIMIT:
        return _run_limit(reader, rule, example)
    if phase is Phase.OUTPUT:
        return _run_shape(rule, example)
    if example.call is None:
        return "it has no call", 'add `call = { tool = "…", args = { … } }`'
    case = _case(example, example.call)
    if phase is Phase.REWRITE:
        return _run_rewrite(rule, example, case)
    return _compare(example.expect, _guard_says(reader, rule, case))


def _guard_says(reader: Reader, rule: Rule, case: Case) -> str:
    """This rule's own answer: `deny`, `ask`, `allow` where it covers the whole call, else `pass`."""
    name = case.call.tool.name
    if rule.denies_tool is not None and not rule.denies_tool(name):
        return "pass"
    try:
        read = Case(case.call, reader.read(case.call, case.places.scene), case.places, case.now)
    except WrongType:
        return "deny"
    answers = [said._replace(monitored=False) for said in answer(rule, read, grants=_granted(rule, name))]
    folded = fold(answers, read.effects)
    if folded.refusal is not None:
        return folded.refusal.says
    return "allow" if folded.uncovered is None else "pass"


def _granted(rule: Rule, name: str) -> bool:
    return rule.grants_tool is None or rule.grants_tool(name)


def _run_rewrite(rule: Rule, example: ExampleFields, case: Case) -> tuple[str, str] | None:
    part = rule.part
    assert isinstance(part, Rewrite)  # noqa: S101
    try:
        arguments = part.apply(case)
    except Veto:
        return _compare(example.expect, "deny")
    if example.expect_arguments is not None:
        if same_json(snapshot(example.expect_arguments), arguments):
            return None
        return (
            f"the arguments become {quote(compact(arguments), limit=300)}",
            "write these under `expect_arguments`, or mend the rule",
        )
    return _compare(example.expect, "pass")


def _run_limit(reader: Reader, rule: Rule, example: ExampleFields) -> tuple[str, str] | None:
    part = rule.part
    calls = example.calls or ((example.call,) if example.call is not None else ())
    expected = (example.expect,) if isinstance(example.expect, str) else example.expect or ()
    if len(calls) != len(expected):
        return f"it has {len(calls)} calls and expects {len(expected)} answers", "write one answer for each of `calls`"
    counters, at = MemoryCounters(), 0.0
    for index, (table, expect) in enumerate(zip(calls, expected, strict=True)):
        case = _case(example, {"at": at, **table})
        at = case.now
        in_limit = _limit_says(part, rule, case, counters, at) if isinstance(part, Limit) else None
        wrong = _compare(expect, in_limit or _guard_says(reader, rule, case))
        if wrong is not None:
            return f"call {index + 1}: {wrong[0]}", wrong[1]
    return None


def _limit_says(limit: Limit, rule: Rule, case: Case, counters: MemoryCounters, at: float) -> str:
    if rule.denies_tool is not None and not rule.denies_tool(case.call.tool.name):
        return "pass"
    try:
        taken = counters.reserve(limit.claims(case), at, 60.0)
    except Veto:
        return "deny"
    if isinstance(taken, Refused):
        return "deny"
    counters.commit(taken, at)
    return "pass"


def _run_shape(rule: Rule, example: ExampleFields) -> tuple[str, str] | None:
    part = rule.part
    assert isinstance(part, Shape)  # noqa: S101
    case = _case(example, example.call or {"tool": "any", "args": {}})
    text = isinstance(example.result, str)
    given = Output((example.result,)) if text else Output((), snapshot(example.result))
    shaped = part.apply(given, case)
    result = "".join(map(str, shaped.blocks)) if text else shaped.structured
    if example.expect_result is None:
        return "it has no `expect_result`", "write what the rule makes of `result`"
    if same_json(snapshot(example.expect_result), snapshot(result)):
        return None
    shown = result if isinstance(result, str) else compact(result)
    return f"the result becomes {quote(shown, limit=300)}", "write this under `expect_result`, or mend the rule"


def _compare(expect: object, said: str) -> tuple[str, str] | None:
    if expect not in WORDS:
        return f"`expect` is {quote(str(expect))}", "write `deny`, `ask`, `allow` or `pass`"
    if expect == said:
        return None
    return f"it expects `{expect}`, the rule answers `{said}`", f'mend the rule, or write `expect = "{said}"`'


def _case(example: ExampleFields, table: Mapping[str, Any]) -> Case:
    """The call of an example in its own small world."""
    call = call_of(snapshot({"cwd": ROOT, "root": ROOT, "home": HOME, **table}))
    links = {_absolute(path, call): target for path, target in (example.links or {}).items()}
    scene = Scene(cwd=call.cwd, home=call.home, files=_Links(links))
    return Case(call, (Effect("use", call.tool.name),), Places(scene, call.root), call.at or 0.0)


def _absolute(path: str, call: Call) -> str:
    return path if path.startswith("/") else f"{call.cwd}/{path}"
