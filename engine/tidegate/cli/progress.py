"""How far a long run has come, for a person who waits."""

from __future__ import annotations

from collections import Counter
from time import monotonic
from types import TracebackType
from typing import Self

from .terminal import Screen

_EVERY = 0.1


class Progress:
    """A line on standard error that counts what was decided; nothing where that is no terminal.

    It is `hidden` as well where the answers themselves appear on the same terminal.
    """

    def __init__(self, screen: Screen, *, hidden: bool) -> None:
        self._screen = screen
        self._shown = screen.terminal and not hidden
        self._counts: Counter[str] = Counter()
        self._last = 0.0

    def step(self, effect: str) -> None:
        """Count one more."""
        self._counts[effect] += 1
        if self._shown and monotonic() - self._last >= _EVERY:
            self._last = monotonic()
            self._write()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._shown and self._counts:
            self._write()
            self._screen.line()

    def _write(self) -> None:
        parts = [f"{self._counts.total()} calls"]
        parts += [f"{self._counts[effect]} {effect}" for effect in ("allow", "ask", "deny") if self._counts[effect]]
        self._screen.stream.write(f"\r{', '.join(parts)}\x1b[K")
        self._screen.stream.flush()
