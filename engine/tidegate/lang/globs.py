"""Globs of `include`: which files of a folder they name."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from fnmatch import translate
from pathlib import Path

_MAGIC = re.compile(r"[*?\[]")

MAX_ENTRIES = 20_000
"""How many entries of folders one glob may look at."""


class TooWide(Exception):
    """A glob would look at more than `MAX_ENTRIES` entries."""


def is_glob(text: str) -> bool:
    """Whether *text* has a wildcard."""
    return _MAGIC.search(text) is not None


def fixed(folder: str, pattern: str) -> str:
    """The folder that a glob looks into: *folder* and the names of *pattern* before the first wildcard."""
    names = pattern.split("/")
    first = next(index for index, name in enumerate(names) if is_glob(name))
    return "/".join([folder, *names[:first]])


def matches(folder: str, pattern: str) -> list[str]:
    """What *pattern* names beneath *folder*, apart from folders, sorted name by name; paths begin with *folder*.

    `*`, `?` and `[…]` match within one name, hidden files included, and small letters are not capitals;
    `**` is any number of folders, of which those behind a symlink are left out. A final `**` is every file beneath.
    A symlink that leads nowhere is named like a file, so that whoever reads it notices.

    Raises:
        OSError: A folder on the way cannot be listed.
        TooWide: There is too much to look at.
    """
    names = pattern.split("/")
    if names[-1] == "**":
        names.append("*")
    found = {path for path in _expand(folder, names) if _exists(path) and not _is_folder(path)}
    return sorted(found, key=lambda path: path.split("/"))


def _expand(folder: str, names: list[str]) -> list[str]:
    budget = iter(range(MAX_ENTRIES))
    paths = [folder]
    for name in names:
        if name == "**":
            paths = [beneath for path in paths for beneath in _tree(path, budget)]
        elif is_glob(name):
            fits = re.compile(translate(name)).match
            paths = [f"{path}/{entry.name}" for path in paths for entry in _entries(path, budget) if fits(entry.name)]
        else:
            paths = [f"{path}/{name}" for path in paths]
    return paths


def _tree(folder: str, budget: Iterator[int]) -> Iterator[str]:
    todo = [folder]
    while todo:
        here = todo.pop()
        yield here
        folders = (entry.name for entry in _entries(here, budget) if entry.is_dir(follow_symlinks=False))
        todo.extend(f"{here}/{name}" for name in folders)


def _entries(folder: str, budget: Iterator[int]) -> list[os.DirEntry[str]]:
    if not _is_folder(folder or "/"):
        return []
    found = []
    with os.scandir(folder or "/") as entries:
        for entry in entries:
            if next(budget, None) is None:
                raise TooWide
            found.append(entry)
    return found


# `os.path` and `pathlib` have ready answers, but these take a folder that may not be looked into for no folder.
def _is_folder(path: str) -> bool:
    try:
        return stat.S_ISDIR(Path(path).stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False


def _exists(path: str) -> bool:
    try:
        Path(path).lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True
