"""Programs that print names, one in each line: `find`, `ls`, `grep -l`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..values import Hole, Listing, Partial, Value
from .finding import folders, found_listing
from .printing import Printing
from .text import joined

_LISTED = "the names in a folder are not known"
_MATCHING = "which files match is not known"
_ORDER = frozenset({"-1", "-t", "-r", "--reverse", "-S", "-X", "-v", "-U", "-c", "-u", "--sort", "-N", "--literal"})
_OTHER_LINES = frozenset({"--count", "--color", "--colour", "--label", "--only-matching", "--quiet"})


def _find(run: Printing) -> Value | None:
    paths = [operand.path for operand in run.operands]
    trees = run.cwds if not paths else [name for path in paths if path is not None for name in path.names]
    return found_listing(run.found, folders(trees)) if None not in paths else None


def _ls(run: Printing) -> Value | None:
    """The names in the working directory, without those that begin with a dot."""
    names = {found.name for found in run.found.options}
    if run.operands or not names <= _ORDER or not run.found.complete:
        return None
    return Listing((Partial((Hole.ENTRY,), _LISTED),), "\n", folders(run.cwds), _LISTED)


def _grep(run: Printing) -> Value | None:
    """The names of files with matches."""
    options = run.found.options
    given = {found.name for found in options}
    if not given & {"--files-with-matches", "--files-without-match"} or given & _OTHER_LINES:
        return None
    if not run.found.complete or not all(found.spec is not None and found.exact for found in options):
        return None
    files = run.operands[0 if given & {"--regexp", "--file"} else 1 :]
    if any(file.value == "-" or file.path is None for file in files):
        return None
    deep = bool(given & {"--recursive", "--dereference-recursive"})
    if not files and not deep and run.stdin != "":
        return None
    names: list[Value] = [file.value for file in files]
    if deep:
        inside = [joined(name, "/", Hole.FOLDERS, Hole.ENTRY, reason=_MATCHING) for name in names]
        names += inside or [Partial((Hole.FOLDERS, Hole.ENTRY), _MATCHING)]
    trees = [name for file in files if file.path is not None for name in file.path.names] or run.cwds
    return Listing(tuple(names), "\0" if "--null" in given else "\n", folders(trees), _MATCHING)


PRINT_NAMES: Mapping[str, Callable[[Printing], Value | None]] = {"find": _find, "grep": _grep, "ls": _ls}
