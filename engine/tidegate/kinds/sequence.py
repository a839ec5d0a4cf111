"""`sequence`: a call only after that one succeeded, or not after that one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from attrs import frozen

from ..kind import (
    Case,
    Effect,
    Example,
    Guard,
    Kind,
    Mark,
    Observes,
    Phase,
    Setting,
    Tri,
    Unknown,
    param,
)
from ..limiting.rates import read_span
from ..observing.steps import CompiledStep, Step
from ..shown import quote

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


@frozen
class SequenceFields:
    """Let a call through only after another one succeeded in its session, or not after another one.

    The rule is about every call of its `tools`, narrowed by `when`. It refuses the call until each step under `after`
    has succeeded, and once one under `not_after` has begun. A success counts no more once a step under `since` has run
    after it began: tests that passed before the last edit say nothing of it.

    A step succeeded if its result is no error, tells no exit status but 0, and holds what `shows` says. For a command
    that is believed only where its status decides that of the whole text: it stands alone or in a chain of nothing but
    `&&`. `pytest || true`, `pytest; true` and `pytest | tee log` prove nothing, and so does a text in which a builtin
    could end the shell or change what a name means. The pattern is matched as a grant: `pytest` is not
    `pytest --version`, which `pytest ...` would take as well. Steps under `not_after` and `since` are matched as a
    deny, so that what nobody can read counts, whether it succeeds or not. What code does that a call runs without
    showing it is not seen.

    Each session counts for itself, also after a restart; a mark is forgotten after 30 days. Calls without a session
    have no past, and are answered as unknown. Success is known only where results are seen: with `decide`
    and the hook of an agent's command line no step ever succeeds. A shell that reports a failing command neither as an
    error nor as an exit status needs `shows`. In a persistent shell an earlier call may have put something else in the
    place of the program; under `default = "deny"` no command grant lets it. And a program that ends with 0 has not
    thereby done its work: whoever may change the tests may make them pass.
    """

    after: tuple[Step, ...] = param("Steps that must have succeeded before.", default=())
    not_after: tuple[Step, ...] = param("Steps that must not have begun before.", default=())
    since: tuple[Step, ...] = param("Steps after which an earlier success counts no more.", default=())
    within: str | None = param('How long a success counts: "30 minutes".', default=None)


NO_SESSION = Unknown("the call does not say its session")


def compile_sequence(fields: SequenceFields, setting: Setting) -> Guard:
    """Compile the steps, each with the key of its mark."""
    _check(fields, setting)
    waits = [CompiledStep.certain(step, ("after", at), setting) for at, step in enumerate(fields.after)]
    bars = [CompiledStep.possible(step, ("not_after", at), setting) for at, step in enumerate(fields.not_after)]
    ends = [CompiledStep.possible(step, ("since", at), setting) for at, step in enumerate(fields.since)]
    within = None if fields.within is None else read_span(fields.within, "within", setting)
    keys = [step.key for step in (*waits, *bars, *ends)]

    def denies(_: Effect, case: Case) -> Tri:
        if case.past is None or case.past.session is None:
            return NO_SESSION
        marks = case.past.marks(keys)
        if any(step.key in marks for step in bars):
            return True
        latest = max((marks[step.key].number for step in ends if step.key in marks), default=0)
        return not all(_counts(marks.get(step.key), latest, within, case.now) for step in waits)

    return Guard(
        denies=denies,
        about=frozenset({"use"}),
        observes=Observes(
            about=lambda tool: any(step.names(tool) for step in (*waits, *bars, *ends)),
            begins=lambda case: _keys((*bars, *ends), case),
            lasts=lambda case: _keys(ends, case),
            ends=lambda case, output: [step.key for step in waits if step.succeeded(case, output)],
        ),
        says=_says(fields),
    )


def _keys(steps: Iterable[CompiledStep], case: Case) -> list[str]:
    return [step.key for step in steps if step.is_step(case)]


def _counts(mark: Mark | None, latest: int, within: int | None, now: float) -> bool:
    """Whether a success is there, is later than all that ends it, and is not too old."""
    if mark is None or mark.number <= latest:
        return False
    return within is None or 0 <= now - mark.at <= within


def _check(fields: SequenceFields, setting: Setting) -> None:
    """Note what could never answer, and steps that every call would be."""
    if not fields.after and not fields.not_after:
        what, why = "`after` and `not_after` are both missing", "it would never answer anything"
        setting.problem((), "says-nothing", what, why, "add one of them")
    for key, steps in (("after", fields.after), ("not_after", fields.not_after), ("since", fields.since)):
        for at, step in enumerate(steps):
            if step.tool is None and step.command is None and step.path is None:
                what, why = "the step names no call", "every call would be it"
                setting.problem((key, at), "says-nothing", what, why, "add `tool`, `command` or `path`")
    for key in ("since", "within"):
        if getattr(fields, key) and not fields.after:
            what, why = f"`{key}` does nothing without `after`", "it is about how long a success counts"
            setting.problem((key,), "says-nothing", what, why, "add `after`, or take it away")


def _says(fields: SequenceFields) -> str:
    """What the model is told."""
    waits = ", ".join(_named(step) for step in fields.after)
    bars = ", ".join(_named(step) for step in fields.not_after)
    said = [f"this is allowed only after {waits} succeeded in this session" if waits else ""]
    said += [f"and no more since {', '.join(map(_named, fields.since))}" if fields.since else ""]
    said += [f"for {fields.within}" if waits and fields.within else ""]
    said += ["; it is" if waits and bars else "this is" if bars else "", f"not allowed after {bars}" if bars else ""]
    return " ".join(filter(None, said)).replace(" ;", ";")


def _named(step: Step) -> str:
    return " ".join(quote(text) for text in (step.tool, step.command, step.path) if text is not None)


# What a call was.


def _strategy() -> SearchStrategy[SequenceFields]:
    from hypothesis import strategies as st

    steps = st.builds(
        Step, tool=st.none() | st.sampled_from(["run_*", "fetch"]), command=st.sampled_from(["pytest", "make test"])
    )
    some = st.lists(steps, min_size=1, max_size=2).map(tuple)
    none = st.just(())
    return st.builds(
        SequenceFields, after=some, not_after=none | some, since=none | some, within=st.none()
    ) | st.builds(SequenceFields, not_after=some)


KIND = Kind(
    name="sequence",
    phase=Phase.GUARD,
    fields=SequenceFields,
    compile=compile_sequence,
    examples=(
        Example(
            "No push before the tests have passed",
            """\
[[rule]]
id = "tests-first"
kind = "sequence"
when = { command = "git push ..." }
after = [{ command = "pytest" }]
since = [{ path = "{root}/**" }]
within = "30 minutes"

[[rule.example]]
calls = [
  { tool = "run_bash", session = "s1", args = { command = "git push" }, at = 0 },
  { tool = "run_bash", session = "s1", args = { command = "cd app && pytest" }, at = 10, ends = 20 },
  { tool = "run_bash", session = "s1", args = { command = "git push" }, at = 30 },
  { tool = "run_bash", session = "s2", args = { command = "git push" }, at = 30 },
  { tool = "write_file", session = "s1", args = { path = "a.py", content = "" }, at = 40, ends = 41 },
  { tool = "run_bash", session = "s1", args = { command = "git push" }, at = 50 },
]
expect = ["deny", "pass", "pass", "deny", "pass", "deny"]

[[rule.example]]
calls = [
  { tool = "run_bash", session = "s1", args = { command = "pytest | tee log" }, at = 10, ends = 20 },
  { tool = "run_bash", session = "s1", args = { command = "pytest || true" }, at = 30, ends = 40 },
  { tool = "run_bash", session = "s1", args = { command = "pytest; true" }, at = 50, ends = 60 },
  { tool = "run_bash", session = "s1", args = { command = "pytest" }, at = 70, ends = 80, fails = true },
  { tool = "run_bash", session = "s1", args = { command = "pytest" }, at = 90, ends = 99, returns = "[exit code 1]" },
  { tool = "run_bash", session = "s1", args = { command = "pytest --version" }, at = 100, ends = 101 },
  { tool = "run_bash", session = "s1", args = { command = "git push" }, at = 102 },
]
expect = ["pass", "pass", "pass", "pass", "pass", "pass", "deny"]
why = "none of these shows that tests have passed"
""",
        ),
        Example(
            "Nothing goes out once secrets were read",
            """\
[[rule]]
id = "no-mail-after-secrets"
kind = "sequence"
tools = ["send_email"]
not_after = [{ tool = "read_secret" }]

[[rule.example]]
calls = [
  { tool = "send_email", session = "s1", args = { to = "a@example.com" }, at = 0 },
  { tool = "read_secret", session = "s1", args = { name = "db" }, at = 1, ends = 2, fails = true },
  { tool = "send_email", session = "s1", args = { to = "a@example.com" }, at = 3 },
  { tool = "send_email", session = "s2", args = { to = "a@example.com" }, at = 3 },
]
expect = ["pass", "pass", "deny", "pass"]
why = "that it began is enough, whatever came of it"
""",
        ),
        Example(
            "A deployment needs a build that says so",
            """\
[[rule]]
id = "build-first"
kind = "sequence"
tools = ["deploy"]
effect = "ask"
after = [{ tool = "build", shows = "(?i)build succeeded" }]

[[rule.example]]
calls = [
  { tool = "build", session = "s1", args = {}, at = 0, ends = 5, returns = "2 warnings" },
  { tool = "deploy", session = "s1", args = {}, at = 6 },
  { tool = "build", session = "s1", args = {}, at = 7, ends = 9, returns = "Build succeeded" },
  { tool = "deploy", session = "s1", args = {}, at = 8 },
  { tool = "deploy", session = "s1", args = {}, at = 10 },
]
expect = ["pass", "ask", "pass", "ask", "pass"]

[[rule.example]]
call = { tool = "build", session = "s1", args = {} }
expect = "pass"

[[rule.example]]
call = { tool = "deploy", args = {} }
expect = "ask"
why = "a call without a session has no past"
""",
        ),
    ),
    strategy=_strategy,
)
