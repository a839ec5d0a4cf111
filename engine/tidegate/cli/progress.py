"""How far a long run has come, for a person who waits."""

from __future__ import annotations

from collections import Counter
from time import monotonic
from types import TracebackType
from typing import Self

from .terminal import Screen

_EVERY = 0.1
_BAR = 30


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


class Bar:
    """A bar on standard error that fills while a known number of things is done; nothing where that is no terminal."""

    def __init__(self, screen: Screen, total: int) -> None:
        self._screen = screen
        self._total = total
        self._counts: Counter[str] = Counter()
        self._last = 0.0

    def step(self, fate: str) -> None:
        """Count one more, and what became of it."""
        self._counts[fate] += 1
        if self._screen.terminal and (monotonic() - self._last >= _EVERY or self._counts.total() == self._total):
            self._last = monotonic()
            self._screen.stream.write(f"\r{self.line()}\x1b[K")
            self._screen.stream.flush()

    def line(self) -> str:
        """What is shown now."""
        done = self._counts.total()
        filled = _BAR * done // self._total if self._total else _BAR
        parts = [f"[{'#' * filled}{'.' * (_BAR - filled)}] {done} of {self._total}"]
        return ", ".join([*parts, *(f"{count} {fate}" for fate, count in sorted(self._counts.items()))])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._screen.terminal and self._counts:
            self._screen.stream.write("\r\x1b[K")
            self._screen.stream.flush()


class Share:
    """A bar on standard error that fills with the share of the input that is read; nothing where that is no terminal.

    Where nobody knows how much there is, it counts.
    """

    def __init__(self, screen: Screen, total: int | None) -> None:
        self._screen = screen
        self._total = total
        self._read = 0
        self._last = 0.0

    def step(self, size: int) -> None:
        """So much more was read."""
        self._read += size
        if self._screen.terminal and monotonic() - self._last >= _EVERY:
            self._last = monotonic()
            self._screen.stream.write(f"\r{self.line()}\x1b[K")
            self._screen.stream.flush()

    def line(self) -> str:
        """What is shown now."""
        if not self._total:
            return f"{self._read:,} read"
        share = min(1.0, self._read / self._total)
        filled = int(_BAR * share)
        return f"[{'#' * filled}{'.' * (_BAR - filled)}] {share:.0%}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._screen.terminal and self._read:
            self._screen.stream.write("\r\x1b[K")
            self._screen.stream.flush()
