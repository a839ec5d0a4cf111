"""What `find` finds: the names that it prints, and that it hands to what it runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Literal

from ..gaps import matched_names, split_known
from ..shell.command import Word
from ..values import Hole, Listing, Partial, Value, shown, unknown
from .sorting import Sorted
from .text import joined, known_start, last_component

FOUND = "the names that `find` finds are not known"
_GLOB = re.compile(r"(\*|\?|\[.*\])", re.DOTALL)
_NEVER_A_FILE = re.compile(r"(?:.*/)?\.{0,2}")
_NOT_ALL = frozenset({"!", "-not", "-o", "-or", ",", "("})
_OTHER_TEXT = frozenset({"-ls", "-printf", "-help", "--help", "-version", "--version", "-D"})


def starts(found: Sorted) -> tuple[Value, ...]:
    """The places that `find` starts from."""
    if found.found("-files0-from") is not None:
        return (unknown("the places that `find` starts from are not known"),)
    return tuple(map(_start, found.operands)) or (".",)


def _start(word: Word) -> Value:
    value = word.value
    return matched_names(value) if word.glob and isinstance(value, Partial) else value


def found_names(found: Sorted) -> Iterator[Value]:
    """What could be found: each place to start from unless a test excludes it, and what lies beneath it."""
    glob = name_tested(found)
    for start in starts(found):
        if not excludes_start(found, start, glob):
            yield start
        slash = "" if known_start(start).endswith("/") and isinstance(start, str) else "/"
        yield joined(start, slash, Hole.FOLDERS, *last_names(glob), reason=FOUND)


def name_tested(found: Sorted) -> Value | None:
    """The glob that every name found must match, where the expression is a plain conjunction."""
    if not found.complete or any(option.name in _NOT_ALL for option in found.options):
        return None
    test = found.found("-name")
    caseless = found.found("-iname")
    if test is None and caseless is not None and isinstance(caseless.value, str) and caseless.value.isascii():
        return _caseless(caseless.value)
    return test.value if test is not None and test.value is not None and _is_one_name(test.value) else None


def _caseless(glob: str) -> Value | None:
    """A glob with a hole in the place of each letter, whose case is not known, and of what stands in brackets."""
    if "/" in glob or "\\" in glob:
        return None
    pieces = [piece for piece in re.split(r"(\*|\?|\[.*\]|[A-Za-z]+)", glob) if piece]
    holes = [Hole.NAME if piece[0] in "*?[" or piece.isalpha() else piece for piece in pieces]
    merged = [piece for at, piece in enumerate(holes) if at == 0 or piece != holes[at - 1]]
    return Partial(tuple(merged), FOUND) if Hole.NAME in merged else glob


def _is_one_name(glob: Value) -> bool:
    """Whether a glob is known as far as its wildcards go, and no slash is in it."""
    parts = (glob,) if isinstance(glob, str) else glob.parts
    return all(part is Hole.NAME or (isinstance(part, str) and "/" not in part) for part in parts)


def last_names(glob: Value | None) -> tuple[str | Hole, ...]:
    """The last name of what is found beneath a start, as text with holes."""
    if isinstance(glob, Partial):  # it is matched against the names of files first, and then names what is found
        return (Hole.ENTRY,) if "\\" in shown(glob) or _is_open(glob) else glob.parts
    pieces = _GLOB.split(glob) if glob is not None else []
    if glob is None or "\\" in glob or all(at % 2 or piece in ("", ".", "..") for at, piece in enumerate(pieces)):
        return (Hole.ENTRY,)
    return tuple(Hole.NAME if at % 2 else piece for at, piece in enumerate(pieces) if at % 2 or piece)


def _is_open(glob: Partial) -> bool:
    """Whether a glob with these known stretches could name `.` or `..`."""
    return all(isinstance(part, Hole) or part in (".", "..") for part in glob.parts)


def excludes_start(found: Sorted, start: Value, glob: Value | None) -> bool:
    """Whether a test leaves out the place to start from itself."""
    if not isinstance(start, str) or not found.complete:
        return False
    depth = found.found("-mindepth")
    if depth is not None and isinstance(depth.value, str) and depth.value.isdecimal() and int(depth.value) > 0:
        return True
    plain = isinstance(glob, str) and not set(glob) & set("[\\")
    if plain and not fnmatchcase(str(last_component(start)), str(glob)):
        return True
    caseless = found.found("-iname")
    if isinstance(glob, Partial) and caseless is not None and isinstance(caseless.value, str):
        folded = caseless.value.lower()
        if not set(folded) & set("[\\") and not fnmatchcase(str(last_component(start)).lower(), folded):
            return True
    kind = found.found("-type")
    return glob is not None and kind is not None and kind.value == "f" and _NEVER_A_FILE.fullmatch(start) is not None


def found_listing(found: Sorted, trees: Sequence[Value]) -> Listing | None:
    """What is printed where that is names alone; *trees* are the places to start from, as they are found."""
    end: Literal["\n", "\0"] | None = "\n"
    for option in found.options:
        if option.spec is None or option.spec.acts or not option.exact or option.name in _OTHER_TEXT:
            return None
        if option.name == "-print0":
            end = "\0" if found.found("-print") is None else None
    if end is None or not found.complete:
        return None
    return Listing(tuple(found_names(found)), end, tuple(trees), FOUND)


def folders(names: Iterable[Value]) -> tuple[Value, ...]:
    """The folders in which all of *names* lie."""
    return tuple(
        split_known(name)[0] if isinstance(name, Partial) and name.prefix.startswith("/") else name for name in names
    )
