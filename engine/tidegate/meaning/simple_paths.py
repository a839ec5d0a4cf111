"""The short way from a path to its names, where it is spelled plainly and nobody sees what links there are.

What it says is what the long way says of the same path, which is a law (`tests/meaning/test_simple_paths.py`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from .links import NO_FILES, is_plain
from .values import Hole, Partial, Value
from .windows import is_windows

LONGEST = 1_000
_PLAIN = re.compile(
    r"(?:\./|((?!/(?:proc|dev|\.vol|System)(?:/|\Z))/))?+"
    r"((?:(?!\.\.?+(?:/|\Z))[A-Za-z0-9_.@%+=,-]++(?:/(?!/|\Z))?+)++)/?+"
)
"""A path of plain letters that is absolute or begins with a name, and has neither `.` nor `..` in it."""
_HERE = frozenset((".", "./"))
_LETTERS = re.compile(r"[A-Za-z0-9_.@%+=,-]*+")
_SHAPES = frozenset((Hole.NAME, Hole.VISIBLE, Hole.DIGITS, Hole.ENTRY))
_HIDING = frozenset(("", ".", ".."))
# The constructor of a named tuple costs four times as much as the tuple itself.
_new = tuple.__new__


def simple_names(value: Value, cwds: Sequence[Value], start: str | None, glob: bool) -> tuple[Value, ...] | None:
    """The names of *value* behind the only one of *cwds*, or `None` where anything about them is less than plain.

    *start* is the directory of the scene, and *glob* as in `resolve`.
    """
    if len(cwds) != 1 or not _is_plain_folder(cwds[0], start):
        return None
    if not isinstance(value, str):
        return _partly(value, str(cwds[0]), glob=glob)
    if len(value) > LONGEST:
        return None
    found = _PLAIN.fullmatch(value)
    if found is None:
        return (cwds[0], NO_FILES) if value in _HERE else None
    root, names = found.groups()
    return (f"/{names}" if root else f"{cwds[0]}/{names}", NO_FILES)


@lru_cache(maxsize=256)
def _is_plain_folder(cwd: Value, start: str | None) -> bool:
    """Whether a plain relative path makes a plain path behind *cwd*."""
    return isinstance(cwd, str) and is_plain(cwd) and not is_windows(start)


def _partly(value: Partial, cwd: str, *, glob: bool) -> tuple[Value, ...] | None:
    """The names of a path of which a folder is known, and partly the last name, in that folder or beneath it."""
    head, *tail = value.parts
    if not isinstance(head, str) or not tail or head[:1] == "~":
        return None
    place = head.rfind("/") + 1
    found = simple_names(head[:place] or ".", (cwd,), None, glob=False)
    name: list[str | Hole] = [head[place:], *tail] if place < len(head) else tail
    beneath = name[0] is Hole.FOLDERS
    if found is None or not _is_one_name(name[1:] if beneath else name, glob=glob and not beneath):
        return None
    if glob and name[0] is Hole.NAME:
        name[0] = Hole.VISIBLE
    known = name.pop(0) if isinstance(name[0], str) else ""
    shown = Partial((f"{found[0]}/{known}", *name), value.reason)
    return shown, Partial((Hole.ANY, f"/{known}", *name), NO_FILES.reason)


def _is_one_name(name: list[str | Hole], *, glob: bool) -> bool:
    """Whether the pieces are certainly one name, and neither `.` nor `..`."""
    texts = [piece for piece in name if isinstance(piece, str)]
    known = "".join(texts)
    if len(texts) == len(name) or len(known) > LONGEST or _LETTERS.fullmatch(known) is None:
        return False
    before: str | Hole = Hole.NAME
    for piece in name:
        if isinstance(piece, str):
            if piece == "" or isinstance(before, str):
                return False
        elif piece not in _SHAPES:
            return False
        before = piece
    if name == [Hole.ENTRY] or Hole.DIGITS in name or (glob and isinstance(name[0], Hole)):
        return True
    return known not in _HIDING
