"""Languages and what can be asked of them; every answer is exact, or it is not given."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cached_property
from typing import Any

from ...meaning.steps import LAST, Ranges
from .pieces import Chars, Either, Joined, Piece, Repeated

MOST_STATES = 20_000
"""How many states are looked at for one question."""

_MOST_PARTS = 20_000
_SURROGATES = (0xD800, 0xE000)
_READABLE = "axbcdefghijklmnopqrstuvwyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_-. /:=,+@"


class NotDecided(Exception):
    """A question that has an answer which would take too long to find; the text says why."""


class Language(ABC):
    """A set of texts, as a deterministic automaton whose states are made when they are first met.

    `cuts` are sorted code points; the characters from one cut up to the next are all the same to the language.
    """

    cuts: tuple[int, ...]
    start: Any

    @abstractmethod
    def step(self, state: Any, code: int) -> Any:
        """The state after one more character."""

    @abstractmethod
    def accepts(self, state: Any) -> bool:
        """Whether a text that leads to the state is in the language."""

    @abstractmethod
    def is_dead(self, state: Any) -> bool:
        """Whether no text that goes on from the state is known to be in the language."""

    def holds(self, text: str) -> bool:
        """Whether *text* is in the language."""
        state = self.start
        for char in text:
            state = self.step(state, ord(char))
        return self.accepts(state)

    @cached_property
    def first(self) -> str | None:
        """A shortest text of it, found once. Raises `NotDecided`."""
        return example(self)

    def __or__(self, other: Language) -> Language:
        """The texts of one of the two."""
        return _Combined(self, other, lambda one, two: one or two, lambda one, two: one and two)

    def __and__(self, other: Language) -> Language:
        """The texts that both have."""
        return _Combined(self, other, lambda one, two: one and two, lambda one, two: one or two)

    def __sub__(self, other: Language) -> Language:
        """The texts of this one that the other has not."""
        return _Combined(self, other, lambda one, two: one and not two, lambda one, _: one)


def example(language: Language, most: int = MOST_STATES) -> str | None:
    """A shortest text of the language, `None` where it has none.

    Raises:
        NotDecided: More than *most* states would have to be looked at.
    """
    codes = _alphabet(language.cuts)
    seen: dict[Hashable, tuple[Any, int] | None] = {language.start: None}
    todo = deque([language.start])
    while todo:
        state = todo.popleft()
        if language.accepts(state):
            return _way(seen, state)
        if language.is_dead(state):
            continue
        for code in codes:
            after = language.step(state, code)
            if after not in seen:
                seen[after] = (state, code)
                todo.append(after)
        if len(seen) > most:
            raise NotDecided(f"the patterns have more than {most} states together")
    return None


def is_within(one: Language, other: Language) -> bool:
    """Whether every text of the first is one of the other. Raises `NotDecided`."""
    return example(one - other) is None


def is_within_all(one: Language, others: Sequence[Language]) -> bool:
    """Whether every text of the first is one of some of the others. Raises `NotDecided`.

    Only those of the others are looked at together that have a text which the ones before them lack.
    """
    left, rest = one, list(others)
    while (text := left.first) is not None:
        fitting = next((other for other in rest if other.holds(text)), None)
        if fitting is None:
            return False
        left -= fitting
        rest.remove(fitting)
    return True


def share(one: Language, other: Language) -> str | None:
    """A shortest text that both have, `None` where they have none in common. Raises `NotDecided`."""
    return example(one & other)


class Machine(Language):
    """The language of a piece; a state is a set of places in it, as the bits of an integer.

    `matches` says the same of a text as the piece does, where somebody can say it faster.

    Raises:
        NotDecided: The piece is too large, such as `(a{1000}){1000}`.
    """

    def __init__(self, piece: Piece, matches: Callable[[str], bool] | None = None) -> None:
        self._matches = matches
        places = _Places()
        entry, leaving = places.add(piece)
        self._accept = 1 << leaving
        self._moves = places.moves
        self._reached = _closed(places.jumps)
        self.cuts = _cuts(ranges for ranges, _ in places.moves.values())
        self.start = self._reached[entry]
        self._next: dict[tuple[int, int], int] = {}

    def holds(self, text: str) -> bool:
        """Whether *text* is in the language."""
        return super().holds(text) if self._matches is None else self._matches(text)

    def step(self, state: int, code: int) -> int:
        """The places after one more character."""
        key = (state, bisect_right(self.cuts, code))
        found = self._next.get(key)
        if found is None:
            found = 0
            for place in _bits(state):
                move = self._moves.get(place)
                if move is not None and any(low <= code <= high for low, high in move[0]):
                    found |= self._reached[move[1]]
            self._next[key] = found
        return found

    def accepts(self, state: int) -> bool:
        """Whether the last place is among them."""
        return bool(state & self._accept)

    def is_dead(self, state: int) -> bool:
        """Whether there is no place."""
        return not state


class _Combined(Language):
    """Two languages side by side."""

    def __init__(self, one: Language, other: Language, accepts: Any, dead: Any) -> None:
        self._one, self._other = one, other
        self._accepts, self._dead = accepts, dead
        self.cuts = tuple(sorted({*one.cuts, *other.cuts}))
        self.start = (one.start, other.start)

    def step(self, state: Any, code: int) -> Any:
        return (self._one.step(state[0], code), self._other.step(state[1], code))

    def accepts(self, state: Any) -> bool:
        return bool(self._accepts(self._one.accepts(state[0]), self._other.accepts(state[1])))

    def is_dead(self, state: Any) -> bool:
        return bool(self._dead(self._one.is_dead(state[0]), self._other.is_dead(state[1])))


class _Places:
    """Numbers the places of a piece: from each leads at most one move, and any number of jumps."""

    def __init__(self) -> None:
        self.moves: dict[int, tuple[Ranges, int]] = {}
        self.jumps: list[list[int]] = []

    def add(self, piece: Piece) -> tuple[int, int]:
        """The places before and behind the piece."""
        if isinstance(piece, Chars):
            entry, leaving = self._place(), self._place()
            self.moves[entry] = (piece.ranges, leaving)
        elif isinstance(piece, Joined):
            entry = leaving = self._place()
            for part in piece.parts:
                before, behind = self.add(part)
                self.jumps[leaving].append(before)
                leaving = behind
        elif isinstance(piece, Either):
            entry, leaving = self._place(), self._place()
            for part in piece.parts:
                before, behind = self.add(part)
                self.jumps[entry].append(before)
                self.jumps[behind].append(leaving)
        else:
            entry, leaving = self._repeated(piece)
        return entry, leaving

    def _repeated(self, piece: Repeated) -> tuple[int, int]:
        entry = leaving = self._place()
        for _ in range(piece.least):
            before, behind = self.add(piece.part)
            self.jumps[leaving].append(before)
            leaving = behind
        if piece.most is None:
            before, behind = self.add(piece.part)
            end = self._place()
            self.jumps[leaving] += [before, end]
            self.jumps[behind] += [before, end]
            return entry, end
        end = self._place()
        self.jumps[leaving].append(end)
        for _ in range(piece.most - piece.least):
            before, behind = self.add(piece.part)
            self.jumps[leaving].append(before)
            self.jumps[behind].append(end)
            leaving = behind
        return entry, end

    def _place(self) -> int:
        if len(self.jumps) >= _MOST_PARTS:
            raise NotDecided(f"a pattern has more than {_MOST_PARTS} parts")
        self.jumps.append([])
        return len(self.jumps) - 1


def _closed(jumps: list[list[int]]) -> list[int]:
    """For each place the set of those that are reached from it without a character, itself among them."""
    closed: list[int] = []
    for place in range(len(jumps)):
        seen, todo = {place}, [place]
        while todo:
            for target in jumps[todo.pop()]:
                if target not in seen:
                    seen.add(target)
                    todo.append(target)
        closed.append(sum(1 << one for one in seen))
    return closed


def _bits(state: int) -> Iterable[int]:
    while state:
        low = state & -state
        yield low.bit_length() - 1
        state ^= low


def _cuts(all_ranges: Iterable[Ranges]) -> tuple[int, ...]:
    cuts = {0, *_SURROGATES}
    for ranges in all_ranges:
        for low, high in ranges:
            cuts |= {low} if high == LAST else {low, high + 1}
    return tuple(sorted(cuts))


def _alphabet(cuts: tuple[int, ...]) -> list[int]:
    """One character for each stretch between two cuts, those that are easy to read first; no surrogates."""
    chosen: dict[int, tuple[int, int]] = {}
    for rank, char in enumerate(_READABLE):
        chosen.setdefault(bisect_right(cuts, ord(char)), (rank, ord(char)))
    for index, low in enumerate(cuts):
        if _SURROGATES[0] <= low < _SURROGATES[1]:
            continue
        chosen.setdefault(index + 1, (len(_READABLE) + (not chr(low).isprintable()), low))
    return [code for _, code in sorted(chosen.values())]


def _way(seen: dict[Hashable, tuple[Any, int] | None], state: Any) -> str:
    codes = []
    while (step := seen[state]) is not None:
        state = step[0]
        codes.append(chr(step[1]))
    return "".join(reversed(codes))
