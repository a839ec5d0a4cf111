"""What `find` finds: the names that it prints, and that it hands to what it runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from ..beneath import beneath
from ..effects import Invocation, Option, PathTarget
from ..gaps import matched_names, split_known
from ..scene import Scene
from ..shell.command import Word
from ..values import Hole, Listing, Partial, Possible, Value, shown, unknown
from .find_tests import ANYTHING_BENEATH, Named, Wanted, is_decided_by_names, is_printing, reached
from .sorting import Found, Sorted
from .text import joined, known_start, last_component

MOST_THERE = 1_000
FOUND = "the names that `find` finds are not known"
_GLOB = re.compile(r"(\*|\?|\[.*\])", re.DOTALL)
NEVER_A_FILE = re.compile(r"(?:.*/)?\.{0,2}")
_NOT_ALL = frozenset({"!", "-not", "-o", "-or", ",", "("})
_FORM = re.compile(r"(?:%[pPf]|[^%\\])+\\[n0]")
_PIECES = re.compile(r"%[pPf]|[^%]+")
_PRINTING = {"-print": r"%p\n", "-print0": r"%p\0", "-printf": ""}
_OTHER_TEXT = frozenset({"-ls", "-help", "--help", "-version", "--version", "-D"})


def starts(found: Sorted) -> tuple[Value, ...]:
    """The places that `find` starts from."""
    if found.found("-files0-from") is not None:
        return (unknown("the places that `find` starts from are not known"),)
    return tuple(map(_start, found.operands)) or (".",)


def _start(word: Word) -> Value:
    value = word.value
    return matched_names(value) if word.glob and isinstance(value, Partial) else value


def found_names(found: Sorted, wanted: Wanted) -> Iterator[Value]:
    """What an action could be done to: each place to start from unless a test excludes it, and what lies beneath it."""
    for start in starts(found):
        if start == "":
            continue  # nothing has that name
        itself = found_start(found, start, wanted)
        if itself is not None:
            yield itself
        if reached(found, ANYTHING_BENEATH, wanted) is not False:
            yield found_beneath(found, start)


def found_beneath(found: Sorted, start: Value) -> Value:
    """The names that lie beneath a place to start from."""
    slash = "" if known_start(start).endswith("/") and isinstance(start, str) else "/"
    return joined(start, slash, Hole.FOLDERS, *last_names(name_tested(found)), reason=FOUND)


def names_there(found: Sorted, start: Value, path: PathTarget, scene: Scene, wanted: Wanted) -> tuple[str, ...]:
    """The names that stand beneath a place to start from now, and to which an action is certainly done.

    *path* is that place; past a number of names no more are looked at.
    """
    if scene.files is None or not isinstance(start, str) or not is_decided_by_names(found):
        return ()
    there: list[str] = []
    for root in path.names:
        if not isinstance(root, str):
            continue
        for name in beneath(PathTarget(root, (root,)), scene, MOST_THERE):
            if isinstance(name, str):
                rest = name[len(root.rstrip("/")) + 1 :]
                spelled = f"{start}{'' if start.endswith('/') else '/'}{rest}"
                depth = rest.count("/") + 1
                if reached(found, Named(spelled, depth, scene.files.kind(name)), wanted) is True:
                    there.append(name)
    return tuple(there)


def found_start(found: Sorted, start: Value, wanted: Wanted) -> Value | None:
    """A place to start from as one of the names that are found, `None` where a test leaves it out.

    Where nobody knows, a folder may be meant: who starts there is after what lies beneath. Any other name that is
    written out is taken to be meant.
    """
    if not isinstance(start, str):
        return start
    folder = NEVER_A_FILE.fullmatch(start) is not None
    said = reached(found, Named(start, 0, "dir" if folder else None), wanted)
    if said is False:
        return None
    return start if said is True or not folder else Possible((start,), FOUND)


def name_tested(found: Sorted) -> Value | None:
    """The glob that every name found must match, where the expression is a plain conjunction."""
    return _tested(found.options) if found.complete else None


def tested_name(by: Invocation) -> Value | None:
    """The same of a `find` that was read."""
    return _tested(by.options) if by.complete else None


def _tested(options: Sequence[Found | Option]) -> Value | None:
    if any(option.name in _NOT_ALL for option in options):
        return None
    tests = {option.name: option.value for option in options}  # of several the last one counts
    test, caseless = tests.get("-name"), tests.get("-iname")
    if "-name" not in tests and isinstance(caseless, str) and caseless.isascii():
        return _caseless(caseless)
    return test if test is not None and _is_one_name(test) else None


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


def found_listing(found: Sorted, trees: Sequence[Value]) -> Value | None:
    """What is printed where that is names alone; *trees* are the places to start from, as they are found."""
    forms: dict[str, None] = {}
    ends: set[str] = set()
    for option in found.options:
        if option.spec is None or option.spec.acts or not option.exact or option.name in _OTHER_TEXT:
            return None
        if option.name in _PRINTING:
            form = option.value if option.name == "-printf" else _PRINTING[option.name]
            if not isinstance(form, str) or not _FORM.fullmatch(form):
                return None
            forms[form[:-2]] = None
            ends.add(form[-1])
    if not found.complete or len(ends) > 1:
        return None
    end: Literal["\n", "\0"] = "\0" if "0" in ends else "\n"
    names = tuple(name for form in forms or ("%p",) for name in _printed_names(found, form))
    return Listing(names, end, tuple(trees), FOUND) if names else ""


def _printed_names(found: Sorted, form: str) -> Iterator[Value]:
    """What `-printf` makes of the names: `%p` is the whole name, `%P` what follows the start, `%f` the last part."""
    glob = name_tested(found)
    last = Partial(last_names(glob), FOUND)
    for name in found_names(found, is_printing):
        beneath = isinstance(name, Partial) and Hole.FOLDERS in name.parts
        after = joined(Hole.FOLDERS, last) if beneath else ""
        marks = {"%p": name, "%P": after, "%f": last if beneath else last_component(name)}
        pieces = [marks.get(piece, piece) for piece in _PIECES.findall(form)]
        yield pieces[0] if len(pieces) == 1 else joined(*pieces, reason=FOUND)


def folders(names: Iterable[Value]) -> tuple[Value, ...]:
    """The folders in which all of *names* lie."""
    return tuple(
        split_known(name)[0] if isinstance(name, Partial) and name.prefix.startswith("/") else name for name in names
    )
