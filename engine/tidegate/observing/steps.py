"""The steps of a sequence, compiled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from hashlib import blake2b
from typing import Any

from attrs import frozen

from ..kind import (
    Case,
    CommandPattern,
    Output,
    PathPattern,
    Setting,
    name_test,
    param,
    parse_pattern,
    widened_name_test,
)
from ..meaning.regexes import compile_regex
from .proofs import all_written, failed, holds, may_run, may_write, proved


@frozen
class Step:
    """A call that a `sequence` rule waits for; everything that is given must hold of it."""

    tool: str | None = param("A glob of tool names.", default=None)
    command: str | None = param("A command pattern.", default=None)
    path: str | None = param("A glob of paths that the call writes or deletes.", default=None)
    shows: str | None = param("A regular expression that the text of a successful result must hold.", default=None)


Test = Callable[[Case], bool]


class CompiledStep:
    """A compiled step: which tools it names, which calls it is, when it succeeded, and the key of its mark."""

    __slots__ = ("_shows", "is_step", "key", "names")

    def __init__(self, key: str, names: Callable[[str], bool], tests: Sequence[Test], shows: Any) -> None:
        self.key = key
        self.names = names
        self._shows = shows
        self.is_step: Test = lambda case: names(case.call.tool.name) and all(test(case) for test in tests)

    @classmethod
    def certain(cls, step: Step, path: tuple[str | int, ...], setting: Setting) -> CompiledStep:
        """A step of which it must be certain that a call was it."""
        tests: list[Test] = [partial(proved, one) for one in _command(step, path, setting, grant=True)]
        tests += [partial(all_written, one) for one in _path(step, path, setting)]
        names = name_test((step.tool,)) if step.tool is not None else _every
        shows = setting.patterns("shows", None if step.shows is None else (step.shows,), compile_regex)
        _replace(setting, "shows", path)
        return cls(_key(step, path, setting), names, tests, shows[0] if shows else None)

    @classmethod
    def possible(cls, step: Step, path: tuple[str | int, ...], setting: Setting) -> CompiledStep:
        """A step that a call already is where nobody can tell."""
        tests: list[Test] = [partial(may_run, one) for one in _command(step, path, setting, grant=False)]
        tests += [partial(may_write, one) for one in _path(step, path, setting)]
        names = widened_name_test((step.tool,)) if step.tool is not None else _every
        if step.shows is not None:
            what, why = "`shows` does nothing here", "such a step counts from its beginning, before there is a result"
            setting.problem((*path, "shows"), "says-nothing", what, why, "take it away")
        return cls(_key(step, path, setting), names, tests, None)

    def succeeded(self, case: Case, output: Output) -> bool:
        """Whether the call was this step and its result says that it succeeded."""
        return self.is_step(case) and not failed(output) and (self._shows is None or holds(self._shows, output))


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
