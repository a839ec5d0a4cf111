"""Programs that print a fact of the system, whose shape is known where the fact is not: `date`, `uname`, `wc`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from ..values import Hole, Listing, Partial, Plain, Value
from .printing import Printing
from .text import joined

_DIRECTIVE = re.compile(r"%(-?[A-Za-z%])|([^%]+)")
_DATE: Mapping[str, tuple[str | Hole, ...]] = {
    **dict.fromkeys("CdHIjmMNsSuUVwWyYgG", (Hole.DIGITS,)),
    **dict.fromkeys("abABhpPZ", (Hole.NAME,)),
    "%": ("%",),
    "F": (Hole.DIGITS, "-", Hole.DIGITS, "-", Hole.DIGITS),
    "T": (Hole.DIGITS, ":", Hole.DIGITS, ":", Hole.DIGITS),
    "R": (Hole.DIGITS, ":", Hole.DIGITS),
    "D": (Hole.DIGITS, "/", Hole.DIGITS, "/", Hole.DIGITS),
}
_WORD: Mapping[str, frozenset[frozenset[str]]] = {
    "hostname": frozenset({frozenset(), frozenset({"--short"}), frozenset({"--fqdn"})}),
    "id": frozenset({frozenset({"--user", "--name"}), frozenset({"--group", "--name"})}),
    "uname": frozenset(
        frozenset(names) for names in ((), ("--kernel-name",), ("--nodename",), ("--kernel-release",), ("--machine",))
    ),
    "whoami": frozenset({frozenset()}),
}
_NUMBER: Mapping[str, frozenset[frozenset[str]]] = {
    "id": frozenset({frozenset({"--user"}), frozenset({"--group"})}),
    "nproc": frozenset({frozenset(), frozenset({"--all"})}),
}
_COUNTS = frozenset({"--bytes", "--chars", "--lines", "--max-line-length", "--words"})
_RANGE = re.compile(r"[0-9]+-[0-9]+", re.ASCII)
_NATURAL = re.compile(r"[0-9]{1,9}", re.ASCII)
_QUIET = frozenset({"--date", "--utc"})


def _fact(program: str) -> Callable[[Printing], Value | None]:
    def printer(run: Printing) -> Value | None:
        given = frozenset(found.name for found in run.found.options)
        if run.operands or not run.found.complete:
            return None
        if given in _NUMBER.get(program, ()):
            return Partial((Hole.DIGITS, "\n"), f"what `{program}` prints is not known")
        if given in _WORD.get(program, ()):
            return Partial((Hole.ENTRY, "\n"), f"what `{program}` prints is not known")
        return None

    return printer


def _date(run: Printing) -> Value | None:
    form = run.operands[0].value if len(run.operands) == 1 else ""
    if not isinstance(form, str) or form[:1] != "+" or not run.found.complete:
        return None
    if not {found.name for found in run.found.options} <= _QUIET:
        return None
    pieces: list[str | Hole] = []
    end = 1
    for found in _DIRECTIVE.finditer(form, 1):
        meant = _DATE.get(found[1].lstrip("-")) if found[1] else (found[2],)
        if meant is None or found.start() != end:
            return None
        pieces += meant
        end = found.end()
    return joined(*pieces, "\n", reason="what `date` prints is not known") if end == len(form) else None


def _wc(run: Printing) -> Value | None:
    """One number, where one is asked for of standard input."""
    given = [found.name for found in run.found.options]
    if run.operands or not run.found.complete or len(given) != 1 or given[0] not in _COUNTS:
        return None
    return Partial((Hole.DIGITS, "\n"), "what `wc` prints is not known")


def _shuf(run: Printing) -> Value | None:
    """One number out of a range."""
    given = {found.name: found.value for found in run.found.options}
    span, count = given.get("--input-range"), given.get("--head-count")
    if run.operands or not run.found.complete or len(given) != 2 or count != "1":  # noqa: PLR2004 those two
        return None
    if not isinstance(span, str) or not _RANGE.fullmatch(span):
        return None
    return Partial((Hole.DIGITS, "\n"), "what `shuf` prints is not known")


def _seq(run: Printing) -> Value | None:
    """Numbers, each on a line of its own."""
    given = [operand.value for operand in run.operands]
    if not run.found.complete or not {found.name for found in run.found.options} <= {"--equal-width"}:
        return None
    if not given or not all(isinstance(number, str) and _NATURAL.fullmatch(number) for number in given):
        return None
    reason = "which number it is, is not known"
    return Listing((Plain((Hole.DIGITS,), reason),), "\n", (), reason)


PRINT_FACTS: Mapping[str, Callable[[Printing], Value | None]] = {
    **{program: _fact(program) for program in (*_WORD, *_NUMBER)},
    "date": _date,
    "seq": _seq,
    "shuf": _shuf,
    "wc": _wc,
}
