"""`sequence`: a call only after that one succeeded, or not after that one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from attrs import frozen

from ..kind import (
    Case,
    CommandPattern,
    Comparison,
    Effect,
    Example,
    Guard,
    Invocation,
    Kind,
    Mark,
    Observes,
    Output,
    PathPattern,
    Phase,
    Setting,
    Tri,
    Unknown,
    denies_path,
    grants_path,
    name_test,
    param,
    parse_pattern,
    widened_name_test,
)
from ..limiting.rates import read_span
from ..meaning.regexes import compile_regex
from ..meaning.shell.proving import Proven, must_have_succeeded
from ..pointers import parse_pointer, values_at
from ..shown import quote

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


@frozen
class Step:
    """A call that a `sequence` rule waits for; everything that is given must hold of it."""

    tool: str | None = param("A glob of tool names.", default=None)
    command: str | None = param("A command pattern.", default=None)
    path: str | None = param("A glob of paths that the call writes or deletes.", default=None)
    shows: str | None = param("A regular expression that the text of a successful result must hold.", default=None)


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


Test = Callable[[Case], bool]
NO_SESSION = Unknown("the call does not say its session")
_STATUS = frozenset({"exit_code", "exitCode", "exit_status", "exitStatus", "returncode", "return_code"})
_ENDED = compile_regex(r"\[(?:exit code -?[0-9]+|ended after [0-9.e+]+ seconds)\]\s*\z")
_KEEP_STATUS = frozenset({"env", "nice", "nohup", "timeout"})


def compile_sequence(fields: SequenceFields, setting: Setting) -> Guard:
    """Compile the steps, each with the key of its mark."""
    _check(fields, setting)
    waits = [_Step.certain(step, ("after", at), setting) for at, step in enumerate(fields.after)]
    bars = [_Step.possible(step, ("not_after", at), setting) for at, step in enumerate(fields.not_after)]
    ends = [_Step.possible(step, ("since", at), setting) for at, step in enumerate(fields.since)]
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


def _keys(steps: Iterable[_Step], case: Case) -> list[str]:
    return [step.key for step in steps if step.is_step(case)]


def _counts(mark: Mark | None, latest: int, within: int | None, now: float) -> bool:
    """Whether a success is there, is later than all that ends it, and is not too old."""
    if mark is None or mark.number <= latest:
        return False
    return within is None or 0 <= now - mark.at <= within


class _Step:
    """A compiled step: which tools it names, which calls it is, when it succeeded, and the key of its mark."""

    __slots__ = ("_shows", "is_step", "key", "names")

    def __init__(self, key: str, names: Callable[[str], bool], tests: Sequence[Test], shows: Any) -> None:
        self.key = key
        self.names = names
        self._shows = shows
        self.is_step: Test = lambda case: names(case.call.tool.name) and all(test(case) for test in tests)

    @classmethod
    def certain(cls, step: Step, path: tuple[str | int, ...], setting: Setting) -> _Step:
        """A step of which it must be certain that a call was it."""
        tests: list[Test] = [partial(_proved, one) for one in _command(step, path, setting, grant=True)]
        tests += [partial(_all_written, one) for one in _path(step, path, setting)]
        names = name_test((step.tool,)) if step.tool is not None else _every
        shows = setting.patterns("shows", None if step.shows is None else (step.shows,), compile_regex)
        _replace(setting, "shows", path)
        return cls(_key(step, path, setting), names, tests, shows[0] if shows else None)

    @classmethod
    def possible(cls, step: Step, path: tuple[str | int, ...], setting: Setting) -> _Step:
        """A step that a call already is where nobody can tell."""
        tests: list[Test] = [partial(_may_run, one) for one in _command(step, path, setting, grant=False)]
        tests += [partial(_may_write, one) for one in _path(step, path, setting)]
        names = widened_name_test((step.tool,)) if step.tool is not None else _every
        if step.shows is not None:
            what, why = "`shows` does nothing here", "such a step counts from its beginning, before there is a result"
            setting.problem((*path, "shows"), "says-nothing", what, why, "take it away")
        return cls(_key(step, path, setting), names, tests, None)

    def succeeded(self, case: Case, output: Output) -> bool:
        """Whether the call was this step and its result says that it succeeded."""
        return self.is_step(case) and not _failed(output) and (self._shows is None or _holds(self._shows, output))


def _every(_: str) -> bool:
    return True


def _key(step: Step, path: tuple[str | int, ...], setting: Setting) -> str:
    """The key of the mark: of the rule and of what the step says, so that another step is another one."""
    digest = blake2b(repr((path[0], step)).encode(errors="surrogatepass"), digest_size=12)
    return f"{setting.rule}:{digest.hexdigest()}"


def _command(step: Step, path: tuple[str | int, ...], setting: Setting, *, grant: bool) -> tuple[CommandPattern, ...]:
    texts = None if step.command is None else (step.command,)
    found = setting.patterns("command", texts, lambda text: parse_pattern(text, setting.table, grant=grant))
    _replace(setting, "command", path)
    return found


def _path(step: Step, path: tuple[str | int, ...], setting: Setting) -> tuple[PathPattern, ...]:
    found = setting.patterns("path", None if step.path is None else (step.path,), PathPattern.compile)
    _replace(setting, "path", path)
    return found


def _replace(setting: Setting, key: str, path: tuple[str | int, ...]) -> None:
    """Put what was found wrong with the pattern under *key* at its place in the step."""
    setting.problems = [
        problem if problem.path != (key, 0) else _at(problem, (*path, key)) for problem in setting.problems
    ]


def _at(problem: Any, path: tuple[str | int, ...]) -> Any:
    from attrs import evolve

    return evolve(problem, path=path)


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


def _proved(pattern: CommandPattern, case: Case) -> bool:
    """Whether the call ran a command that the pattern grants, and its own status shows that it succeeded."""
    compare = Comparison(case.places)
    for effect in case.effects:
        command = effect.target
        if effect.kind != "exec" or not isinstance(command, Invocation) or not effect.bound:
            continue
        if pattern.match_grant(command, compare) is True and _is_whole(pattern, command, case):
            return any(_is_it(command, proven) for proven in _proven(effect.source, case.call.arguments))
    return False


def _is_whole(pattern: CommandPattern, command: Invocation, case: Case) -> bool:
    """Whether the pattern covers all that the command does, such as variables that would make another thing of it."""
    own = [effect for effect in case.effects if effect.by is command]
    return all(pattern.covers(effect) for effect in own) and not command.variables


def _proven(source: str, arguments: Mapping[str, Any]) -> tuple[Proven, ...]:
    ((_, value),) = values_at(arguments, parse_pointer(source))
    if isinstance(value, str):
        return must_have_succeeded(value)
    words = tuple(value) if isinstance(value, list) else ()
    return (Proven((0, 0), words),) if words and all(isinstance(word, str) for word in words) else ()


def _is_it(command: Invocation, proven: Proven) -> bool:
    """Whether the command is the one that is proven, bare or behind wrappers that pass its status on."""
    if not set(command.wrappers) <= _KEEP_STATUS or command.place.kind != "local":
        return False
    words = command.words
    if not command.wrappers:
        return words == proven.words
    return 0 < len(words) < len(proven.words) and words == proven.words[-len(words) :]


def _all_written(pattern: PathPattern, case: Case) -> bool:
    changes = [effect for effect in case.effects if effect.kind in ("write", "delete")]
    return bool(changes) and all(grants_path((pattern,), effect, case.places) is True for effect in changes)


def _may_run(pattern: CommandPattern, case: Case) -> bool:
    compare = Comparison(case.places)
    return any(
        effect.kind == "unknown"
        or (isinstance(effect.target, Invocation) and pattern.match_deny(effect.target, compare) is not False)
        for effect in case.effects
    )


def _may_write(pattern: PathPattern, case: Case) -> bool:
    return any(
        effect.kind == "unknown"
        or (effect.kind in ("write", "delete") and denies_path((pattern,), effect, case.places) is not False)
        for effect in case.effects
    )


def _failed(output: Output) -> bool:
    """Whether a result is an error, or tells an exit status that is not 0."""
    if output.is_error:
        return True
    told = output.structured
    if isinstance(told, Mapping) and any(key in told and not _is_zero(told[key]) for key in _STATUS):
        return True
    return _ENDED.search(_text(output)[-200:]) is not None


def _is_zero(status: object) -> bool:
    return (type(status) is int and status == 0) or status == "0"


def _holds(shows: Any, output: Output) -> bool:
    return shows.search(_text(output)) is not None


def _text(output: Output) -> str:
    return "".join(block for block in output.blocks if isinstance(block, str))


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
