"""Lists of names that pass through pipes, and whether what splits text into words leaves the names whole."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from .gaps import FOLDERS, Tree
from .scene import Files
from .values import Hole, Listing, Partial, Plain, Possible, Value

MOST_ENTRIES = 5_000
_PLAIN = re.compile(r"[A-Za-z0-9_./:=@%+#-]*~?")
_INERT = re.compile(r"[^\uFDD0]*(?:[A-Za-z0-9_./]\uFDD0+[^\uFDD0]*)*")
_ELSEWHERE = re.compile(r"<<|\(\(|\[\[|\$\[|\$\{[^}]*\uFDD0|\{[^}]*\{")
_EVERY = (FOLDERS, (Hole.ENTRY,))


def is_plain(text: str) -> bool:
    """Whether nothing changes *text* that splits text into words, unquotes or expands it, or takes it for binary."""
    return _PLAIN.fullmatch(text) is not None


def whole_names(text: Value | None, files: Files | None, end: str, *, split: bool = False) -> tuple[Value, ...] | None:
    """The names that stand in *text* where each line of it is one, behind which *end* stands; else `None`.

    Lines that end with a newline are told apart only where each name that is really there is plain: then no name
    has a newline of its own. The same is asked where lines are *split* into words, or cut at their ends.
    """
    if not isinstance(text, Listing) or text.end[-1] != end:
        return None
    if text.end == "\0" and not split:
        return text.names
    return plain_names(text.names, text.trees, files)


def plain_names(names: Iterable[Value], trees: Sequence[Value], files: Files | None) -> tuple[Value, ...] | None:
    """The *names* with plain holes, where all that is really in *trees* is plain, else `None`."""
    found = tuple(names)
    if not (all(map(_is_plain_name, found)) and _all_plain(tuple(trees), files)):
        return None
    return tuple(name if isinstance(name, str | Possible) else Plain(name.parts, name.reason) for name in found)


def is_inert(text: Value) -> bool:
    """Whether the holes of a program text of a shell are parts of words, and change nothing of how it is parsed."""
    if not isinstance(text, Plain):
        return False
    marked = "".join(part if isinstance(part, str) else "\ufdd0" for part in text.parts)
    return _INERT.fullmatch(marked) is not None and _ELSEWHERE.search(marked) is None


def _is_plain_name(name: Value) -> bool:
    parts = (name,) if isinstance(name, str) else name.parts
    return all(is_plain(part) for part in parts if isinstance(part, str))


def _all_plain(trees: tuple[Value, ...], files: Files | None) -> bool:
    """Whether every name that is really in one of the folders *trees*, or beneath it, is plain."""
    if files is None:
        return not trees  # text that is no list of what is there (`seq`)
    tree = Tree(files, MOST_ENTRIES)
    for folder in trees:
        if not isinstance(folder, str):
            return False
        for step in tree.steps(folder, _EVERY):
            name = "-" if isinstance(step, Partial) else step[0].rpartition("/")[2]
            if name.startswith("-") or not is_plain(name):
                return False
    return True


def merged(texts: Sequence[Value]) -> Listing | None:
    """Several lists one after the other, in any order and number, as one; `None` where that is not what they are."""
    lists = [text for text in texts if isinstance(text, Listing)]
    if not lists or len(lists) < len(texts) or len({text.end for text in lists}) > 1:
        return None
    names = dict.fromkeys(name for text in lists for name in text.names)
    trees = dict.fromkeys(tree for text in lists for tree in text.trees)
    return Listing(tuple(names), lists[0].end, tuple(trees), lists[0].reason)
