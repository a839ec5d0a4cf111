"""What a compile function may know, and how it says what is wrong with a rule."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from attrs import frozen

from ..lang import sources
from ..lang.parse import MAX_BYTES
from ..lang.sources import NoFile
from ..meaning.commands.patterns import PatternError
from ..meaning.regexes import BadPattern

if TYPE_CHECKING:
    from ..meaning.commands.table import Table


@frozen
class Problem:
    """Something wrong with a rule that only its kind can see; becomes a finding at the key that `path` leads to."""

    path: tuple[str | int, ...]
    code: str
    what: str
    why: str
    mend: str
    severity: str = "error"


P = TypeVar("P")


class Setting:
    """What a compile function may know: the rule's `otherwise`, the layer's `default`, the table of commands.

    `folder` is that of the rule's file; a rule without a file has none. `read` holds the files that were read for
    the rule, by path with the SHA-256 of their bytes in hex: they are as much a part of the plan as its rule files.

    `problem()` collects what is wrong, so that an author sees everything at once; where one was collected, what
    the compile function returns is not used.
    """

    def __init__(self, rule: str, default: str, otherwise: str | None, table: Table, folder: str | None = None) -> None:
        self.rule = rule
        self.default = default
        self.otherwise = otherwise
        self.table = table
        self.folder = folder
        self.problems: list[Problem] = []
        self.read: dict[str, str] = {}

    def file(self, name: str) -> bytes:
        """The bytes of a file that the rule names, relative to its own file.

        Raises:
            OSError: It is not there, is no plain file, may not be read, is too large, or the rule has no file.
        """
        if self.folder is None:
            raise FileNotFoundError("the rule stands in no file")
        path = os.path.normpath(os.path.join(self.folder, name))  # noqa: PTH118 - paths of sources are texts
        try:
            data = sources.read(path).data
        except (NoFile, ValueError):
            raise FileNotFoundError("it is no plain file") from None
        if len(data) > MAX_BYTES:
            raise OSError("it is too large")
        self.read[path] = hashlib.sha256(data).hexdigest()
        return data

    def problem(self, path: tuple[str | int, ...], code: str, what: str, why: str, mend: str) -> None:
        """Note an error at the key that *path* leads to, in the three parts of a finding."""
        self.problems.append(Problem(path, code, what, why, mend))

    def patterns(self, key: str, texts: Sequence[str] | None, compile_one: Callable[[str], P]) -> tuple[P, ...]:
        """Compile a list of patterns; each that is broken is noted at its place in the array *key*."""
        patterns = []
        for index, text in enumerate(texts or ()):
            try:
                patterns.append(compile_one(text))
            except BadPattern as bad:
                self.problem((key, index), "bad-pattern", str(bad), WHY_BAD_PATTERN, bad.mend)
            except PatternError as bad:
                self.problem((key, index), "bad-pattern", bad.what, bad.why, bad.mend)
        return tuple(patterns)


WHY_BAD_PATTERN = "a pattern that cannot be compiled would match nothing"
