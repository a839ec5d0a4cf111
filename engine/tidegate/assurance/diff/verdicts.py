"""What is said of two rule sets: for each tool a verdict, with the calls that show it."""

from __future__ import annotations

from typing import Literal

from attrs import frozen

from ...call import Call
from ...decision import Decision

Word = Literal["equal", "looser", "stricter", "incomparable", "not decided"]


@frozen
class Shown:
    """A call that the two rule sets decide differently, by itself or as the last of a row that they decide alike.

    Attributes:
        times: How many calls the row has.
        every: The seconds from one to the next.
        before: The calls before the last, `None` where they are the same one.
        fails: Whether each of them fails.
        takes: How many seconds each of them takes, `None` where that does not matter.
    """

    call: Call
    old: Decision
    new: Decision
    times: int = 1
    every: float = 0.0
    before: Call | None = None
    fails: bool = False
    takes: float | None = None


@frozen
class Direction:
    """Whether some call is decided more loosely, or more strictly: `shown` by one, or `none` for proved that not.

    Where neither holds, `doubts` says why, and `rules` are those that may be behind it.
    """

    none: bool
    shown: Shown | None = None
    doubts: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()


@frozen
class Row:
    """What is said of one tool; `tool` is empty for every tool that is not named."""

    tool: str
    looser: Direction
    stricter: Direction

    @property
    def word(self) -> Word:
        """The verdict in one word."""
        if self.looser.shown and self.stricter.shown:
            return "incomparable"
        if self.looser.shown:
            return "looser"
        if self.stricter.shown:
            return "stricter"
        return "equal" if self.looser.none and self.stricter.none else "not decided"

    @property
    def settled(self) -> bool:
        """Whether nothing is left open in either direction."""
        return all(one.none or one.shown is not None for one in (self.looser, self.stricter))


@frozen
class Comparison:
    """The rows of all tools that either rule set names, and last that of all others."""

    rows: tuple[Row, ...]

    @property
    def looser(self) -> bool:
        """Whether something is looser, or may be."""
        return any(not row.looser.none for row in self.rows)

    @property
    def stricter(self) -> bool:
        """Whether something is stricter, or may be."""
        return any(not row.stricter.none for row in self.rows)
