"""Names as a deny compares them: over case, look-alikes, invisible characters, streams and short names.

A deny compares both what it names and what the call names in these spellings; a grant never does.
"""

from __future__ import annotations

import math
import re
from itertools import product

from .automata import DIGITS, SLASH, Ranges, complement, union
from .globs import Glob, Line
from .globsyntax import DEEP, Atom, Segment, Set
from .lookalikes import fold
from .values import Hole, Partial, Value, unknown

_ODD = re.compile(r":|[. ](?:/|$)|//")
_TAIL = re.compile(r"[. ]+$")
_DIGIT = Set(DIGITS)
_HEX = Set((*DIGITS, (0x61, 0x66)))
_SHORT = re.compile(r"[^. +,;=\[\]]{1,8}(?:\.[^. +,;=\[\]]{1,3})?")
_MOST_MEMBERS = 512
_MOST_LINES = 64


def widen(name: Value) -> tuple[Value, ...]:
    """The spellings under which a deny compares *name*: as it looks, and as a file system may shorten it.

    The second, given where it differs, is without trailing dots and blanks and without `:stream` in each of its
    components, and with `.`, `..` and repeated separators that came to light taken out.
    """
    if isinstance(name, Partial):
        seen = Partial(tuple(fold(part) if isinstance(part, str) else part for part in name.parts), name.reason)
        loose = _loose_partial(seen)
        return (seen,) if loose == seen else (seen, loose)
    looks = fold(name)
    if not _ODD.search(looks):
        return (looks,)
    short = _folded(_loose(looks))
    return (looks,) if short == looks else (looks, short)


def _loose(text: str) -> str:
    return "/".join(map(_loose_name, text.split("/")))


def _loose_name(name: str) -> str:
    """A component as Windows would open it; one of only dots and blanks stays what it is."""
    if name in (".", ".."):
        return name
    head = name.split(":", 1)[0] or name
    return _TAIL.sub("", head) or head


def _folded(path: str) -> str:
    """An absolute path without `.`, `..` and repeated slashes."""
    names: list[str] = []
    for name in path.split("/"):
        if name == "..":
            del names[-1:]
        elif name not in ("", "."):
            names.append(name)
    return "/" + "/".join(names) if path.startswith("/") else "/".join(names)


def _loose_partial(value: Partial) -> Value:
    """The same for partly known text; where a hole touches what would go, it may stand for more than before."""
    parts: list[str | Hole] = []
    for at, part in enumerate(value.parts):
        if isinstance(part, Hole):
            parts.append(Hole.NAME if part is Hole.DIGITS and parts[-1:] == [Hole.NAME] else part)
            continue
        *whole, last = part.split("/")
        if ".." in whole or last == "..":
            return unknown(value.reason)
        final = at == len(value.parts) - 1
        edge = _loose_name(last) if final else last.split(":", 1)[0].rstrip(". ")
        parts.append("/".join([*map(_loose_name, whole), edge]))
        if edge != last and not final:
            parts.append(Hole.NAME)
    return Partial(tuple(parts), value.reason)


def widen_glob(glob: Glob) -> Glob:
    """The same glob over the spellings of `widen`.

    It does not contain what the exact glob names through `[…]` and `?` where a character folds into several, so
    a deny asks both.
    """
    return Glob.of(glob.text, [tuple(map(_fold_segment, line)) for line in glob.lines], rooted=glob.rooted)


def short_names(glob: Glob) -> Glob | None:
    """What the plain names in *glob* may be called by a file system that shortens them (`GIT~1` for `.git`).

    Segments with wildcards keep their form: which short names their matches have cannot be known.
    """
    lines = [line for wide in widen_glob(glob).lines for line in _shortened(wide)]
    return Glob.of(glob.text, lines, rooted=glob.rooted) if lines else None


def _fold_segment(segment: Segment) -> Segment:
    return segment if segment == DEEP else tuple(map(_fold_atom, segment))


def _fold_atom(atom: Atom) -> Atom:
    if isinstance(atom, str):
        return fold(atom)
    if not isinstance(atom, Set):
        return atom
    chars = complement(union(atom.chars + SLASH)) if atom.negated else atom.chars
    if sum(high - low + 1 for low, high in chars) > _MOST_MEMBERS:
        return atom
    folded = union(_fold_ranges(chars))
    return Set(complement(union(folded + SLASH)), negated=True) if atom.negated else Set(folded)


def _fold_ranges(ranges: Ranges) -> list[tuple[int, int]]:
    singles = (fold(chr(code)) for low, high in ranges for code in range(low, high + 1))
    return [(ord(single), ord(single)) for single in singles if len(single) == 1]


def _shortened(line: Line) -> list[Line]:
    """The line with its plain long names shortened: in every combination where these are few, else one and all."""
    choices = [_short_forms(segment) for segment in line]
    if not any(choices):
        return []
    if math.prod(len(forms) + 1 for forms in choices) <= _MOST_LINES:
        every = product(*([segment, *forms] for segment, forms in zip(line, choices, strict=True)))
        return list(every)[1:]
    ones = [(*line[:at], form, *line[at + 1 :]) for at, forms in enumerate(choices) for form in forms[:1]]
    return [*ones, tuple(forms[0] if forms else segment for segment, forms in zip(line, choices, strict=True))]


def _short_forms(segment: Segment) -> list[Segment]:
    """The 8.3 names that Windows may make of a plain name: by number, by two numbers, and by a hash of it."""
    if len(segment) != 1 or not isinstance(segment[0], str) or _SHORT.fullmatch(segment[0]):
        return []
    name = re.sub(r"[+,;=\[\]]", "_", segment[0].replace(" ", "").lstrip("."))
    base, _, extension = name.rpartition(".") if "." in name else (name, "", "")
    base, tail = base.replace(".", ""), f".{extension[:3]}" if extension else ""
    if not base:
        return []
    ends: tuple[Atom, ...] = (tail,) if tail else ()
    return [
        (f"{base[:6]}~", _DIGIT, *ends),
        (f"{base[:5]}~", _DIGIT, _DIGIT, *ends),
        (base[:2], _HEX, _HEX, _HEX, _HEX, "~", _DIGIT, *ends),
    ]
