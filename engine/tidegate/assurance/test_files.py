"""Test files: `*.test.toml` become tests, or findings with their place in the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from attrs import frozen

from ..compile.examples import MEND_CALL, WHY_NOTHING
from ..compile.structure import structure
from ..errors import Finding
from ..kind import Problem, Setting
from ..lang import sources
from ..lang.document import Document
from ..lang.keys import VERSION
from ..lang.nearest import nearest
from ..lang.parse import parse
from ..lang.scan import KeyPath
from ..meaning.commands.table import Table
from ..shown import quote
from .fields import RuleTestFields, RuleTestFileFields
from .fuzzing.invariants import Invariant, compile_invariant

SUFFIX = ".test.toml"
"""How the names of test files end."""

WORDS = ("allow", "ask", "deny")

_ABOUT_KEY = frozenset({"unknown-key", "missing-key"})


@frozen
class RuleTest:
    """One `[[test]]` of a test file."""

    name: str
    fields: RuleTestFields
    document: Document
    index: int

    def finding(self, path: KeyPath, code: str, what: str, *, why: str, mend: str) -> Finding:
        """A finding at a key of the test; the empty path is its header."""
        of = "value" if path else "key"
        return self.document.finding(("test", self.index, *path), code, what, why=why, mend=mend, of=of)  # type: ignore[arg-type]

    @property
    def line(self) -> int:
        """Where it stands in its file, counted from 1."""
        return self.document.span(("test", self.index)).line


@frozen
class RuleTestFile:
    """A test file: where it is, the rule files that it names by layer, as absolute paths, and what it says of them."""

    shown: str
    path: Path
    rules: Path | None
    managed: Path | None
    user: Path | None
    tests: tuple[RuleTest, ...]
    fields: RuleTestFileFields
    document: Document


def is_test_file(path: Path) -> bool:
    """Whether the name is that of a test file."""
    return path.name.endswith(SUFFIX) and path.name != SUFFIX


def read_test_file(path: Path, base: Path) -> tuple[RuleTestFile | None, list[Finding]]:
    """The tests of the file at *path* and all that is wrong with it; no tests where something is.

    Findings name the file relative to the folder *base* where it lies beneath it.
    """
    path = path.absolute()
    shown = sources.shown(path.as_posix(), base.absolute().as_posix())
    try:
        data = sources.read(str(path)).data
    except (OSError, ValueError, sources.NoFile) as error:
        return None, [_unreadable(shown, error)]
    return parse_test_file(data, path, shown)


def parse_test_file(data: bytes, path: Path, shown: str) -> tuple[RuleTestFile | None, list[Finding]]:
    """The same for the bytes of a file that stands, or would stand, at the absolute *path*; *shown* is its name."""
    found: list[Finding] = []
    document = parse(data, shown, found)
    if document is None or found:
        return None, found
    values = {key: value for key, value in document.values.items() if key != "$schema"}
    fields, problems = structure(values, RuleTestFileFields)
    if fields is None:
        return None, [_finding(document, problem) for problem in problems]
    tests = tuple(
        RuleTest(one.name or f"test {index + 1}", one, document, index) for index, one in enumerate(fields.test)
    )
    found = [*_of_file(document, fields, path), *_twice(tests), *(one for test in tests for one in _of_test(test))]
    if found:
        return None, found
    rules, managed, user = (
        None if name is None else path.parent / name for name in (fields.rules, fields.managed, fields.user)
    )
    return RuleTestFile(shown, path, rules, managed, user, tests, fields, document), []


def invariants_of(file: RuleTestFile, table: Table) -> tuple[list[Invariant], list[Finding]]:
    """The invariants of a test file, compiled with what *table* says of programs, and what is wrong with them."""
    invariants, findings = [], []
    for index, fields in enumerate(file.fields.invariant):
        setting = Setting(fields.id, "deny", None, table)
        invariants.append(compile_invariant(fields, setting))
        findings += [
            file.document.finding(
                ("invariant", index, *problem.path),
                problem.code,
                f"{problem.what} in invariant {quote(fields.id)}",
                why=problem.why,
                mend=problem.mend,
                of="value" if problem.path else "key",
            )
            for problem in setting.problems
        ]
    return invariants, findings


def unknown_rules(test: RuleTest, known: Sequence[str]) -> Iterator[Finding]:
    """A finding for every rule that the test names and nobody has: such a test could not fail, or not pass."""
    for key in ("rule", "not_rule", "only"):
        said = getattr(test.fields, key)
        for index, name in enumerate(() if said is None else (said,) if isinstance(said, str) else said):
            if name not in known:
                close = nearest(name, known)
                yield test.finding(
                    (key,) if isinstance(said, str) else (key, index),
                    "unknown-rule",
                    f"there is no rule {quote(name)}",
                    why="a test that names a rule which does not exist says nothing of those that do",
                    mend=f"write `{close}`" if close else "name a rule of the file, or of a pack like `pack/id`",
                )


def _of_file(document: Document, fields: RuleTestFileFields, path: Path) -> Iterator[Finding]:
    if fields.version != VERSION:
        what = f"`version` is {fields.version}, and this tidegate reads version {VERSION}"
        why = "another version may give the same words another meaning"
        yield document.finding(
            ("version",), "bad-value", what, why=why, mend=f"write `version = {VERSION}`", of="value"
        )
    if not fields.test and not fields.invariant:
        yield document.finding((), "missing-key", "the file has no `[[test]]`", why=WHY_NOTHING, mend="write one")
    for key in ("rules", "managed", "user"):
        name = getattr(fields, key)
        if name is not None and not (path.parent / name).is_file():
            why = "tests of rules that are not there would all pass or all fail"
            mend = "write its path relative to this file"
            what = f"there is no rule file {quote(name)}"
            yield document.finding((key,), "missing-file", what, why=why, mend=mend, of="value")


def _twice(tests: Sequence[RuleTest]) -> Iterator[Finding]:
    first: dict[str, RuleTest] = {}
    for test in tests:
        other = first.setdefault(test.name, test)
        if other is not test:
            what = f"the `name` {quote(test.name)} is already taken at line {other.line}"
            why = "reports tell tests apart by their names"
            yield test.finding(("name",), "duplicate-name", what, why=why, mend="give one of the two another `name`")


def _of_test(test: RuleTest) -> Iterator[Finding]:
    """What is wrong with one test before any rule is asked."""
    fields = test.fields
    if (fields.call is None) == (fields.calls is None):
        both = fields.call is not None
        what = "it has `call` and `calls`" if both else "it has no call"
        mend = "keep one of the two" if both else MEND_CALL.replace("write", "add")
        yield test.finding((), "missing-key", what, why="a test is about one call, or several in a row", mend=mend)
    yield from _of_expected(test)
    for key in ("expect_arguments", "expect_result", "only", "result"):
        if fields.calls is not None and getattr(fields, key) is not None:
            what = f"`{key}` stands beside `calls`"
            why = "which of the calls it is about cannot be known"
            yield test.finding((key,), "bad-value", what, why=why, mend="write a test of one `call`")
    if (fields.result is None) != (fields.expect_result is None):
        here, missing = ("expect_result", "result") if fields.result is None else ("result", "expect_result")
        mend = f"add `{missing} = …`"
        yield test.finding((here,), "missing-key", f"`{here}` stands there without `{missing}`", why=_SHAPED, mend=mend)


_SHAPED = "what becomes of a result is told by what the tool returned and by what the model gets"


def _of_expected(test: RuleTest) -> Iterator[Finding]:
    fields = test.fields
    given = (fields.expect, fields.rule, fields.not_rule, fields.only, fields.expect_arguments, fields.expect_result)
    if all(one is None for one in given):
        mend = 'add `expect = "deny"`, or what else is to hold'
        yield test.finding((), "missing-key", "it expects nothing", why=WHY_NOTHING, mend=mend)
    calls = 1 if fields.calls is None else len(fields.calls)
    words = (fields.expect,) if isinstance(fields.expect, str) else fields.expect or ()
    for key in ("expect", "rule"):
        said = getattr(fields, key)
        if isinstance(said, tuple) and len(said) != calls:
            what = f"it has {calls} call{'s' * (calls != 1)} and {len(said)} of `{key}`"
            yield test.finding((key,), "bad-value", what, why=_EACH, mend=f"write one `{key}` for each of `calls`")
    if isinstance(fields.expect, str) and calls > 1:
        what = f"it has {calls} calls and one `expect`"
        yield test.finding(
            ("expect",), "bad-value", what, why=_EACH, mend="write an array with one for each of `calls`"
        )
    for index, word in enumerate(words):
        if word not in WORDS:
            close = nearest(word, WORDS)
            mend = f"write `{close}`" if close else "write `allow`, `ask` or `deny`"
            path: KeyPath = ("expect",) if isinstance(fields.expect, str) else ("expect", index)
            yield test.finding(path, "bad-value", f"{quote(word)} is no decision", why=_DECISION, mend=mend)


_EACH = "every call of a row has an answer of its own"
_DECISION = "all rules together allow, ask or deny; `pass` is what one rule says, in its own examples"


def _finding(document: Document, problem: Problem) -> Finding:
    path = problem.path
    place = f" in test {int(path[1]) + 1}" if len(path) > 1 and path[0] == "test" else ""
    of = "key" if problem.code in _ABOUT_KEY else "value"
    return document.finding(
        path, problem.code, f"{problem.what}{place}", why=problem.why, mend=problem.mend, of=of  # type: ignore[arg-type]
    )  # fmt: skip


def _unreadable(shown: str, error: Exception) -> Finding:
    missing = isinstance(error, FileNotFoundError)
    what = "there is no such file" if missing else "this file cannot be read"
    why = "tests that are not run prove nothing"
    return Finding(shown, 0, 0, "missing-file" if missing else "unreadable-file", what, why, "correct the path")
