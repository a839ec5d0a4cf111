"""Names as a deny compares them: over case, look-alikes, invisible characters, streams and short names.

A deny compares both what it names and what the call names in these spellings; a grant never does.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from itertools import product

from .gaps import FOLDERS, Component, components, joined
from .globs import Glob, Line
from .globtokens import DEEP, Atom, Segment, Set
from .lookalikes import caseless, fold
from .steps import DIGITS, SLASH, complement, union
from .values import Hole, Partial, Value, unknown

_ODD = re.compile(r":|[. ](?:/|$)|//")
_DOUBLE = re.compile(r"/(?:\.?/)+")
_TAIL = re.compile(r"[. ]+$")
_DIGIT = Set(DIGITS)
_HEX = Set((*DIGITS, (0x61, 0x66)))
_SHORT = re.compile(r"[^. +,;=\[\]]{1,8}(?:\.[^. +,;=\[\]]{1,3})?")
_MOST_MEMBERS = 512
_MOST_LINES = 64


def widen(name: Value) -> tuple[Value, ...]:
    """The spellings under which a deny compares *name*: without case, as it looks, and as Windows would open it.

    The last is without trailing dots and blanks and without `:stream` in each component, and with `.`, `..` and
    repeated separators that came to light taken out.
    """
    if isinstance(name, str):
        looks = fold(name)
        if not _ODD.search(looks) and name.isascii():
            return (looks,)
        spellings = [caseless(name), looks]
        return tuple(dict.fromkeys([*spellings, *(_folded(_loose(spelling)) for spelling in spellings)]))
    seen = [_mapped(name, caseless), _mapped(name, fold)]
    return tuple(dict.fromkeys([*seen, *map(_loose_partial, seen)]))


def _mapped(value: Partial, change: Callable[[str], str]) -> Partial:
    parts = (_DOUBLE.sub("/", change(part)) if isinstance(part, str) else part for part in value.parts)
    return Partial(tuple(parts), value.reason)


def _loose(text: str) -> str:
    return "/".join(map(_loose_name, text.split("/")))


def _loose_name(name: str) -> str:
    """A component as Windows would open it; one of only dots and blanks stays what it is."""
    return _TAIL.sub("", name.split(":", 1)[0]) or name


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
    """The same for partly known text; what is not known is taken to be spelled plainly."""
    names = [_loose_component(name) for name in components(value.parts)]
    if names[-1] == ():
        del names[-1]
    # A name that may be nothing comes of a backslash beside a hole; then even the number of names is not known.
    if ("..",) in names or any(name and set(name) == {Hole.NAME} for name in names):
        return unknown(value.reason)
    return joined(names, value.reason)


def _loose_component(component: Component) -> Component:
    if component in (FOLDERS, (Hole.ENTRY,)):
        return component
    kept: list[str | Hole] = []
    component = tuple(Hole.NAME if piece is Hole.ENTRY else piece for piece in component)
    for at, piece in enumerate(component):
        head, stream, _ = piece.partition(":") if isinstance(piece, str) else ("", "", "")
        if stream and (head or kept):
            kept += [*([head] if head else []), *([Hole.ANY] if Hole.ANY in component[at:] else [])]
            break
        kept.append(piece)
    return tuple(_without_tail(kept)) or component


def _without_tail(pieces: list[str | Hole]) -> list[str | Hole]:
    """The pieces without the dots and blanks at their end, for which a hole after them may stand."""
    for at in range(len(pieces) - 1, -1, -1):
        piece = pieces[at]
        if isinstance(piece, str):
            pieces[at] = plain = piece.rstrip(". ")
            if plain:
                break
        elif piece in (Hole.ANY, Hole.DIGITS):
            break
    return [piece for piece in pieces if piece]


def widen_glob(glob: Glob) -> Glob:
    """The same glob over the spellings of `widen`.

    It does not contain what the exact glob names through `[…]` and `?` where a character folds into several, so
    a deny asks both.
    """
    lines = (
        tuple(_fold_segment(segment, change) for segment in line) for line in glob.lines for change in (caseless, fold)
    )
    return Glob(glob.text, tuple(dict.fromkeys(lines)), glob.rooted)


def short_names(glob: Glob) -> list[Glob]:
    """What the plain names in *glob* may be called by a file system that shortens them (`GIT~1` for `.git`).

    Segments with wildcards keep their form: which short names their matches have cannot be known.
    """
    lines = [line for wide in widen_glob(glob).lines for line in _shortened(wide)]
    return [Glob(glob.text, (line,), glob.rooted) for line in lines]


def _fold_segment(segment: Segment, change: Callable[[str], str]) -> Segment:
    return segment if segment == DEEP else tuple(_fold_atom(atom, change) for atom in segment)


def _fold_atom(atom: Atom, change: Callable[[str], str]) -> Atom:
    if isinstance(atom, str):
        return change(atom)
    if not isinstance(atom, Set):
        return atom
    chars = complement(union(atom.chars + SLASH)) if atom.negated else atom.chars
    if sum(high - low + 1 for low, high in chars) > _MOST_MEMBERS:
        return atom
    singles = (change(chr(code)) for low, high in chars for code in range(low, high + 1))
    folded = union((ord(single), ord(single)) for single in singles if len(single) == 1)
    return Set(complement(union(folded + SLASH)), negated=True) if atom.negated else Set(folded)


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
