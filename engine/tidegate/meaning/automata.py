"""The texts that a pattern names, as an automaton over kinds of characters: exact also for partly known text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from operator import xor

from .steps import ANY, LAST, Many, Maybe, One, Ranges, Step, complement, literal, union
from .tri import Tri, Unknown
from .values import Hole, Value

# What an automaton is made of comes along, so that who builds one needs a single import.
__all__ = ["ANY", "Automaton", "Many", "Maybe", "One", "Ranges", "Step", "complement", "literal", "union"]

_NEVER_NOTHING = frozenset({Hole.DIGITS, Hole.ENTRY, Hole.VISIBLE})
_MOST_SETS = 512
_MOST_STEPS = 200_000


class Automaton:
    """A nondeterministic automaton whose sets of states are bits of one integer; its subsets are built on demand."""

    __slots__ = (
        "_accept", "_cuts", "_dot", "_jumping", "_jumps", "_loops", "_next", "_samples", "_slash", "_spreads", "_start",
        "_takes",
    )  # fmt: skip

    def __init__(self, branches: Sequence[Sequence[Step]]) -> None:
        program = _Program()
        for branch in branches:
            program.add(branch)
        self._loops = program.loops
        self._accept = program.accept
        self._jumps = _transitive(program.jumps)
        self._jumping = sum(1 << state for state in program.jumps)
        self._start = self._close(program.start)
        self._cuts = _cut_points(program.chars)
        # INVARIANT: all characters between two cuts are the same to every state; `.`, `/` and digits are apart.
        self._takes = _takers(program.chars, self._cuts)
        named = {kind: self._cuts[kind] for kind in range(len(self._cuts)) if self._cuts[kind] != ord("/")}
        self._samples = {
            Hole.ANY: tuple(range(len(self._cuts))),
            Hole.NAME: tuple(named),
            Hole.VISIBLE: tuple(named),
            Hole.ENTRY: tuple(named),
            Hole.DIGITS: tuple(kind for kind, cut in named.items() if ord("0") <= cut <= ord("9")),
        }
        self._dot = bisect_right(self._cuts, ord(".")) - 1
        self._slash = bisect_right(self._cuts, ord("/")) - 1
        self._next: dict[tuple[int, int], int] = {}
        self._spreads: dict[tuple[Hole, tuple[int, ...]], set[int]] = {}

    def accepts(self, text: str) -> bool:
        """Whether the pattern names *text*, in time linear in its length."""
        return bool(self._run(self._start, text) & self._accept)

    def answer(self, value: Value, *, absolute: bool = False) -> Tri:
        """Whether the pattern names every text that *value* can be (yes), none of them (no), or it depends.

        With *absolute*, only texts that begin with a slash are meant.
        """
        if isinstance(value, str):
            return self.accepts(value)
        ends = self._ends(value.parts, absolute=absolute)
        if ends is None:
            return Unknown("too many possibilities to compare")
        hits = sum(1 for end in ends if end & self._accept)
        if hits == 0:
            return False
        return True if hits == len(ends) else Unknown(value.reason)

    def _ends(self, parts: tuple[str | Hole, ...], *, absolute: bool) -> set[int] | None:
        """The sets of states in which the texts can end, or `None` past a limit."""
        sets = {self._start}
        steps = 0
        for index, part in enumerate(parts):
            if isinstance(part, str):
                steps += len(part) * len(sets)
                if steps > _MOST_STEPS:
                    return None
                sets = {self._run(states, part) for states in sets}
            elif index == 0 and absolute and part is Hole.ANY:
                rooted = self._spread({self._run(self._start, "/")}, part)
                after = parts[1] if len(parts) > 1 else ""
                sets = rooted | sets if isinstance(after, str) and after.startswith("/") else rooted
            else:
                bare = sets if part is Hole.VISIBLE and _may_be_nothing(parts[index + 1 :]) else set()
                sets = bare | self._spread(sets, part)
            if len(sets) > _MOST_SETS:
                return None
        return sets

    def _spread(self, sets: set[int], hole: Hole) -> set[int]:
        """Every set of states that a text of the hole's shape can lead to; stops growing soon after the limit.

        That no name is `.` or `..` is not looked at: more texts than there are make no answer wrong.
        """
        key = (hole, tuple(sorted(sets)))
        found = self._spreads.get(key)
        if found is None:
            if len(self._spreads) >= _MOST_SETS:
                self._spreads.clear()
            found = self._spreads[key] = (
                self._spread_folders(sets) if hole is Hole.FOLDERS else self._spread_names(sets, hole)
            )
        return found

    def _spread_names(self, sets: set[int], hole: Hole) -> set[int]:
        kinds = self._samples[hole]
        if hole in _NEVER_NOTHING:
            first = [kind for kind in kinds if hole is not Hole.VISIBLE or kind != self._dot]
            sets = {self._step(states, kind) for states in sets for kind in first}
        seen, todo = set(sets), list(sets)
        while todo and len(seen) <= _MOST_SETS:
            states = todo.pop()
            for kind in kinds:
                after = self._step(states, kind)
                if after not in seen:
                    seen.add(after)
                    todo.append(after)
        return seen

    def _spread_folders(self, sets: set[int]) -> set[int]:
        seen, todo = set(sets), set(sets)
        while todo and len(seen) <= _MOST_SETS:
            todo = {self._step(states, self._slash) for states in self._spread(todo, Hole.ENTRY)} - seen
            seen |= todo
        return seen

    def _run(self, states: int, text: str) -> int:
        cuts = self._cuts
        for char in text:
            if not states:
                return 0
            states = self._step(states, bisect_right(cuts, ord(char)) - 1)
        return states

    def _step(self, states: int, kind: int) -> int:
        key = (states, kind)
        found = self._next.get(key)
        if found is None:
            moved = states & self._takes[kind]
            found = self._close((moved & self._loops) | ((moved & ~self._loops) << 1))
            if len(self._next) >= _MOST_STEPS:
                self._next.clear()
            self._next[key] = found
        return found

    def _close(self, states: int) -> int:
        """The states together with all that are reached from them without a character."""
        rest = states & self._jumping
        while rest:
            low = rest & -rest
            states |= self._jumps[low.bit_length() - 1]
            rest ^= low
        return states


def _may_be_nothing(after: tuple[str | Hole, ...]) -> bool:
    """Whether the start of a visible name may be nothing, given what comes after it."""
    return bool(after) and not (isinstance(after[0], str) and after[0].startswith((".", "/")))


class _Program:
    """Numbers the states: each stands before one step, and the last of a branch accepts."""

    def __init__(self) -> None:
        self.start = self.loops = self.accept = self.size = 0
        self.chars: dict[int, Ranges] = {}
        self.jumps: dict[int, int] = {}

    def add(self, branch: Sequence[Step]) -> None:
        self.start |= 1 << self.size
        for step in branch:
            if isinstance(step, Maybe):
                before = self.size
                for inner in step.steps:
                    self._place(inner)
                self._jump(before, self.size)
            else:
                self._place(step)
        self.accept |= 1 << self.size
        self.size += 1

    def _place(self, step: One | Many) -> None:
        self.chars[self.size] = step.chars
        if isinstance(step, Many):
            self.loops |= 1 << self.size
            self._jump(self.size, self.size + 1)
        self.size += 1

    def _jump(self, origin: int, target: int) -> None:
        self.jumps[origin] = self.jumps.get(origin, 0) | 1 << target


def _transitive(jumps: dict[int, int]) -> dict[int, int]:
    """Jumps only lead forward, so one pass from the end closes them."""
    closed: dict[int, int] = {}
    for state in sorted(jumps, reverse=True):
        reached = jumps[state]
        for target in range(state + 1, reached.bit_length()):
            if reached >> target & 1:
                reached |= closed.get(target, 0)
        closed[state] = reached
    return closed


def _cut_points(chars: dict[int, Ranges]) -> list[int]:
    cuts = {0, ord("."), ord("/"), ord("0"), ord("9") + 1}
    for ranges in chars.values():
        for low, high in ranges:
            cuts.add(low)
            if high < LAST:
                cuts.add(high + 1)
    return sorted(cuts)


def _takers(chars: dict[int, Ranges], cuts: list[int]) -> list[int]:
    """For each kind of character the states that move on it."""
    flips = [0] * (len(cuts) + 1)
    for state, ranges in chars.items():
        for low, high in ranges:
            flips[bisect_right(cuts, low) - 1] ^= 1 << state
            flips[bisect_right(cuts, high)] ^= 1 << state
    return list(accumulate(flips[:-1], xor))
