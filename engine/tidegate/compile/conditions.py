"""`when` and `except` tables become conditions."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from ..kind import WHY_BAD_PATTERN, PathPattern, Setting, UrlPattern, parse_pattern
from ..meaning.names import name_test
from ..meaning.tri import any_of
from ..plan.condition import Condition
from ..pointers import BadPointer, Pointer, pointer_to
from ..predicates import Predicate, Test, compile_predicate
from ..predicates.checking import faults
from ..shown import quote
from .fields import ConditionFields, Globs
from .structure import structure

Path = tuple[str | int, ...]


def compile_condition(fields: ConditionFields, setting: Setting, path: Path) -> Condition:
    """Compile one table that stands at *path* in its rule; what is wrong is noted in *setting*."""
    inner = Setting(setting.rule, setting.default, setting.otherwise, setting.table)
    words = {
        about: name_test(_many(globs))
        for about in ("tool", "agent", "session", "mode")
        if (globs := getattr(fields, about)) is not None
    }
    condition = Condition(
        words=words,
        arguments=_arguments(fields.args or {}, inner),
        variables=_variables(fields.env or {}, inner),
        paths=inner.patterns("path", _many(fields.path), PathPattern.compile),
        urls=inner.patterns("url", _many(fields.url), UrlPattern.compile),
        commands=inner.patterns("command", _many(fields.command), lambda text: parse_pattern(text, setting.table)),
        expires=end_of(fields.expires),
    )
    for problem in inner.problems:
        # A pattern that stands alone is not an item of an array.
        single = isinstance(getattr(fields, str(problem.path[0]), None), str)
        setting.problem(
            (*path, *(problem.path[:1] if single else problem.path)),
            problem.code,
            problem.what,
            problem.why,
            problem.mend,
        )
    if fields == ConditionFields(expires=fields.expires):
        setting.problem(
            path,
            "empty-table",
            "the table says nothing",
            "it would hold for every call",
            "name a tool, a path or a command",
        )
    return condition


def end_of(day: dt.date | None) -> float | None:
    """The moment at which a day, or a date-time, has passed, in seconds since the epoch; a day ends in UTC."""
    if day is None:
        return None
    if isinstance(day, dt.datetime):
        return (day if day.tzinfo else day.replace(tzinfo=dt.UTC)).timestamp()
    after = day + dt.timedelta(days=1)
    return dt.datetime(after.year, after.month, after.day, tzinfo=dt.UTC).timestamp()


def _many(globs: Globs | None) -> tuple[str, ...]:
    return () if globs is None else (globs,) if isinstance(globs, str) else globs


def _arguments(tables: Mapping[str, Any], setting: Setting) -> tuple[tuple[Pointer, Test], ...]:
    """Tests of arguments: a glob, an array of globs, or a table of predicates each."""
    tests = []
    for pointer, said in tables.items():
        try:
            where = pointer_to(pointer) if pointer else ()  # the arguments as a whole
        except BadPointer as bad:
            setting.problem(("args", pointer), "bad-pointer", str(bad), WHY_BAD_PATTERN, bad.mend)
            continue
        test = _test(said, ("args", pointer), setting)
        if test is not None:
            tests.append((where, test))
    return tuple(tests)


def _variables(tables: Mapping[str, Any], setting: Setting) -> tuple[tuple[str, Test], ...]:
    """Tests of variables: a glob, an array of globs, or a table of predicates each."""
    tests = []
    for name, said in tables.items():
        path = ("env", name)
        if not name or "=" in name or "\0" in name:
            setting.problem(path, "bad-value", f"{quote(name)} is no name of a variable", *_NAME)
            continue
        globs = said if isinstance(said, list) else [said]
        if not isinstance(said, dict) and not all(isinstance(glob, str) for glob in globs):
            setting.problem(path, "bad-value", "a variable holds a text", *_TEXT)
            continue
        test = _test(said, path, setting)
        if test is not None:
            tests.append((name, test))
    return tuple(tests)


_NAME = ("no environment could have it", "write the name alone, such as `CI`")
_TEXT = ("a number or a boolean would never be found in one", 'write such as `CI = "true"`')


def _test(said: Any, path: Path, setting: Setting) -> Test | None:
    """The test that stands at *path*: a glob, an array of globs, or a table of predicates; `None` if it is broken."""
    if isinstance(said, dict):
        predicate, problems = structure(said, Predicate)
        for problem in problems:
            setting.problem((*path, *problem.path), problem.code, problem.what, problem.why, problem.mend)
        if predicate is None:
            return None
        options = [predicate]
    else:
        options = [_one(text) for text in (said if isinstance(said, list) else [said])]
    wrong = [(index, fault) for index, option in enumerate(options) for fault in faults(option)]
    for index, fault in wrong:
        inside = fault.path if isinstance(said, dict) else (index,) if isinstance(said, list) else ()
        setting.problem((*path, *inside), fault.code, fault.what, fault.why, fault.mend)
    return None if wrong else _either([compile_predicate(option) for option in options])


def _one(said: Any) -> Predicate:
    return Predicate(glob=said) if isinstance(said, str) else Predicate(equals=said)


def _either(tests: list[Test]) -> Test:
    return tests[0] if len(tests) == 1 else lambda value: any_of([test(value) for test in tests])
