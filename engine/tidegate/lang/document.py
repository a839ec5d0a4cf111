"""One rule file: its text, its values, and where each key and value stands."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from typing import Any, Literal, NamedTuple

from attrs import field, frozen

from ..errors import Finding, Severity
from .scan import KeyPath, Offsets, scan

_NEWLINE = re.compile("\n")

Of = Literal["key", "value"]


class Span(NamedTuple):
    """A place in a rule file. Lines and columns count from 1, columns in code points; line 0 is the whole file."""

    file: str
    line: int
    column: int


@frozen
class Document:
    """A rule file that is valid TOML.

    `file` is its name as findings show it, `text` has a bare newline at every end of line, and `values` are
    plain tables and lists as TOML means them. Positions are computed when the first one is asked for, because a
    rule file without findings needs none.
    """

    file: str
    text: str = field(repr=False)
    values: dict[str, Any] = field(repr=False)

    def span(self, path: KeyPath = (), of: Of = "key") -> Span:
        """Where the key or value at *path* stands.

        A path is made of keys and of list positions from 0: `("rule", 0, "allow", 2)`. The key of a list
        item is the item itself; that of an item of `[[rule]]` is its header. What has no place of its own
        (a missing key) gets that of the nearest table around it; the empty path is the whole file.
        """
        for end in range(len(path), 0, -1):
            offset = self._offset(path[:end], of if end == len(path) else "key")
            if offset is not None:
                return self.at(offset)
        return Span(self.file, 0, 0)

    def at(self, offset: int) -> Span:
        """The place of the character at *offset* of the text."""
        line = bisect_right(self._lines, offset)
        return Span(self.file, line, offset - self._lines[line - 1] + 1)

    def value(self, path: KeyPath) -> Any:
        """The value at *path*, which must exist."""
        value: Any = self.values
        for step in path:
            value = value[step]
        return value

    def finding(
        self, path: KeyPath, code: str, what: str, *, why: str, mend: str, of: Of = "key", severity: Severity = "error"
    ) -> Finding:
        """A finding that points at the key or value at *path*."""
        return Finding(*self.span(path, of), code, what, why, mend, severity)

    def _offset(self, path: KeyPath, of: Of) -> int | None:
        first, second = (self._offsets.keys, self._offsets.values)[:: 1 if of == "key" else -1]
        return first.get(path, second.get(path))

    @cached_property
    def _offsets(self) -> Offsets:
        return scan(self.text, self.values)

    @cached_property
    def _lines(self) -> list[int]:
        return [0, *(newline.end() for newline in _NEWLINE.finditer(self.text))]
