"""Programs that print names, one in each line: `find`, `ls`, `grep -l`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..shell.command import Word
from ..values import Hole, Listing, Partial, Value
from .finding import NEVER_A_FILE, folders, found_listing
from .printing import Printing
from .text import as_found, joined

_LISTED = "the names in a folder are not known"
_MATCHING = "which files match is not known"
_ORDER = frozenset({"-1", "-t", "-r", "--reverse", "-S", "-X", "-v", "-U", "-c", "-u", "--sort", "-N", "--literal"})
_MORE = frozenset({"-a", "--all", "-A", "--almost-all", "-d", "--directory", "-p", "-C", "-x"})
_FORMS = frozenset({"-1", "-C", "-x"})
_OTHER_LINES = frozenset({"--count", "--color", "--colour", "--label", "--only-matching", "--quiet"})


def _find(run: Printing) -> Value | None:
    paths = [operand.path for operand in run.operands]
    trees = run.cwds if not paths else [name for path in paths if path is not None for name in path.names]
    return found_listing(run.found, folders(trees)) if None not in paths else None


def _ls(run: Printing) -> Value | None:
    """Files by the names that they are given by, and the names in folders; of those that begin with a dot if asked."""
    given = {found.name for found in run.found.options}
    if not given <= _ORDER | _MORE or not _is_sorted(run) or any(each.path is None for each in run.operands):
        return None
    form = next((found.name for found in reversed(run.found.options) if found.name in _FORMS), "-1")
    if form != "-1":
        return None
    names: list[Value] = [Partial((Hole.ENTRY,), _LISTED)]
    if given & {"-a", "--all"}:
        names += [".", ".."]
    if run.operands:
        named = [_given(operand.value) for operand in run.operands]
        several = len(named) > 1 or any(operand.many for operand in run.operands)
        names = named if given & {"-d", "--directory"} else [*named, *names]
        if several and len(names) > len(named):  # each folder under its name, with an empty line before
            names += ["", *(joined(name, ":") for name in named)]
    if "-p" in given:
        names += [joined(name, "/") for name in names if name != ""]
    trees = [name for each in run.operands if each.path is not None for name in each.path.names] or run.cwds
    return Listing(tuple(names), "\n", folders(trees), _LISTED)


def _given(value: Value) -> Value:
    """A name as it is given; what a pattern matches is found, and begins with a dot only where that is written."""
    return value if isinstance(value, str) or isinstance(value.parts[0], Hole) else as_found(value)


def _is_sorted(run: Printing) -> bool:
    """Whether no word is an option that is not known, as far as the names in the listed folders begin with no dash.

    Whoever takes a list of lines for one of names makes sure of that.
    """
    known = all(found.spec is not None and found.exact for found in run.found.options)
    return run.found.complete or (known and all(map(_is_operand, run.found.operands)))


def _is_operand(word: Word) -> bool:
    value = word.value
    return isinstance(value, str) or word.glob or (value.prefix[:1] not in ("", "-") and not word.many)


def _grep(run: Printing) -> Value | None:
    """The names of files with matches."""
    options = run.found.options
    given = {found.name for found in options}
    if not given & {"--files-with-matches", "--files-without-match"} or given & _OTHER_LINES:
        return None
    if not (_is_sorted(run) if "--null" not in given else run.found.complete):
        return None
    if not all(found.spec is not None and found.exact for found in options):
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
        names = [name for name in names if not (isinstance(name, str) and NEVER_A_FILE.fullmatch(name))]
        names += inside or [Partial((Hole.FOLDERS, Hole.ENTRY), _MATCHING)]
    trees = [name for file in files if file.path is not None for name in file.path.names] or run.cwds
    return Listing(tuple(names), "\0" if "--null" in given else "\n", folders(trees), _MATCHING)


PRINT_NAMES: Mapping[str, Callable[[Printing], Value | None]] = {"find": _find, "grep": _grep, "ls": _ls}
