"""Which files a patch touches, and how."""

from __future__ import annotations

from collections.abc import Iterator

from .diffs import diff_touches
from .touches import NotAPatch, Touch
from .tri import Unknown

LONGEST = 10_000_000
_BEGIN, _END = "*** Begin Patch", "*** End Patch"
_HEADS = ("*** Add File: ", "*** Delete File: ", "*** Update File: ")
_MOVE = "*** Move to: "


def read_patch(text: str) -> list[Touch] | Unknown:
    """The files that a patch touches, in order, each access to a path once.

    Understood are the form of `apply_patch` (`*** Begin Patch`) and unified diffs, also git's; what is changed is
    read as well. A name in a diff counts with and without its first directory, because who applies it decides
    (`-p0`, `-p1`). Anything else is unknown.
    """
    if len(text) > LONGEST:
        return Unknown("the patch is too long")
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    try:
        if any(line.strip() == _BEGIN for line in lines):
            return list(dict.fromkeys(_marked_touches(lines)))
        return diff_touches(lines)
    except NotAPatch as problem:
        return Unknown(f"the patch cannot be read: {problem}")


def _marked_touches(lines: list[str]) -> Iterator[Touch]:
    """The touches of a patch between `*** Begin Patch` and `*** End Patch`.

    Headers may be indented, as the tools that apply such patches take them.
    """
    head = ""
    path = ""
    state = "before"
    for number, line in enumerate(lines, 1):
        mark = line.strip()
        if state != "inside":
            if mark == _BEGIN and state == "before":
                state = "inside"
            elif mark:
                raise NotAPatch(f"line {number} stands {state} it")
        elif _is_content(line, head):
            continue
        elif mark == _END:
            state = "after"
        elif mark.startswith(_HEADS):
            head, _, path = mark.partition(": ")
            head, path = f"{head}: ", path.strip()
            yield from _touched(head, path, number)
        elif mark.startswith(_MOVE) and head == _HEADS[2]:
            yield Touch("delete", path)
            yield Touch("write", mark.removeprefix(_MOVE).strip())
        elif mark:
            raise NotAPatch(f"line {number} is no part of it")
    if state != "after":
        raise NotAPatch("it does not end")


def _is_content(line: str, head: str) -> bool:
    """Whether a line belongs to the file that is added or updated."""
    if head == _HEADS[0]:
        return line.startswith("+")
    return head == _HEADS[2] and (line.startswith((" ", "+", "-", "@@")) or line == "*** End of File")


def _touched(head: str, path: str, number: int) -> Iterator[Touch]:
    if not path:
        raise NotAPatch(f"line {number} names no file")
    if head == _HEADS[1]:
        yield Touch("delete", path)
        return
    if head == _HEADS[2]:
        yield Touch("read", path)
    yield Touch("write", path)
