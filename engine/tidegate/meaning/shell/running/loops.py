"""Loops: run until nothing new comes of them."""

from __future__ import annotations

from ...values import Value, unknown
from ..command import Word
from ..parsing.syntax import ArithmeticFor, For, Loop, RawWord, Sequence
from .held import generalise
from .machine import Turns
from .order import Order
from .state import State

MOST_TURNS = 32
_PATIENCE = 2
_SETTLING = 6


class Loops(Order):
    """Runs loops, each turn in the state that the one before leaves, and gives up on what keeps changing."""

    __slots__ = ()

    def loop(self, node: Loop, state: State) -> None:
        """Run `while` or `until`."""
        turns = Turns()
        self.loops.append(turns)
        for turn in range(MOST_TURNS):
            before = state.fork()
            failed = self.sequence(node.condition, state)
            status = self.status
            if node.until and failed is not None:
                failed, swap = state.fork(), failed
                state.take(swap)
            if status is node.until or status is None:
                turns.exits.append(failed if failed is not None else state.fork())
            if status is node.until and turn > 0:
                break
            self.turn(node.body, turns, state)
            if state.dead or self.settled(state, before, turn, concrete=bool(before.stdin)):
                break
        else:
            self.unsettled(state)
        state.dead = True
        self.left(turns, state)

    def turn(self, body: Sequence, turns: Turns, state: State) -> None:
        """Run the body of a loop once; what `continue` left behind is where the next turn may begin as well."""
        self.settle(body, state)
        for early in turns.nexts:
            state.join(early)
        turns.nexts.clear()

    def left(self, turns: Turns, state: State) -> None:
        """Leave a loop in any of the ways that lead out of it."""
        self.loops.pop()
        for end in turns.exits:
            state.join(end)

    def settled(self, state: State, before: State, turn: int, *, concrete: bool = False) -> bool:
        """Whether one more turn of a loop would bring nothing new; after some turns, what changes is given up."""
        self.spend(1 + (len(state.variables) >> 3))
        if state.same(before):
            return True
        if turn >= _PATIENCE and not (concrete and turn < MOST_TURNS - _SETTLING):
            state.widen(before)
            return state.same(before)
        return False

    def unsettled(self, state: State) -> None:
        """Give up on a loop that does not settle."""
        self.doubt(f"a loop does not settle within {MOST_TURNS} turns", (0, 0))
        state.doubt("a loop does not settle")

    def loop_over(self, node: For, state: State) -> None:
        """Run the body of `for` or `select` once for each word."""
        words = self.loop_words(node, state)
        turns = Turns()
        self.loops.append(turns)
        if node.select or len(words) > MOST_TURNS or any(word.many for word in words):
            turns.exits.append(state.fork())
            self.some_turns(node, words, turns, state)
        elif words:
            for word in words:
                self.assign(node.name, word.value, state, word.span)
                self.turn(node.body, turns, state)
        else:
            inner = state.fork()
            self.assign(node.name, unknown(f"`{node.name}` takes no value"), inner, (0, 0))
            self.turn(node.body, turns, inner)
        self.left(turns, state)

    def loop_words(self, node: For, state: State) -> list[Word]:
        """The words that a loop runs over."""
        if node.words is None:
            words = state.arguments
            return (
                list(words) if words is not None else [Word(unknown("the arguments are not known"), (0, 0), many=True)]
            )
        return [word for raw in node.words for word in self.words(raw, state)]

    def some_turns(self, node: For, words: list[Word], turns: Turns, state: State) -> None:
        """Run the body of a loop over words of which there may be any number."""
        reason = f"`{node.name}` takes its values from a list that is not known"
        known = [word for word in words if not word.many] if not node.select else []
        for word in known[:MOST_TURNS]:
            before = state.fork()
            self.assign(node.name, word.value, state, word.span)
            self.turn(node.body, turns, state)
            state.join(before)
        shapes: list[Value] = [word.value if word.glob else unknown(reason) for word in words if word.many]
        if len(known) > MOST_TURNS:
            shapes.append(generalise([word.value for word in known], reason))
        for turn in range(MOST_TURNS):
            before = state.fork()
            for shape in shapes or [unknown(reason)]:
                self.assign(node.name, shape, state, (0, 0))
                if node.select:
                    self.assign("REPLY", unknown("somebody types an answer"), state, (0, 0))
                self.turn(node.body, turns, state)
            state.join(before)
            if self.settled(state, before, turn):
                return
        self.unsettled(state)

    def arithmetic_for(self, node: ArithmeticFor, state: State) -> None:
        """Run `for ((…))`."""
        first, condition, step = node.header
        self.arithmetic(first, state)
        turns = Turns()
        self.loops.append(turns)
        for turn in range(MOST_TURNS):
            before = state.fork()
            self.arithmetic(condition, state)
            turns.exits.append(state.fork())
            self.turn(node.body, turns, state)
            self.arithmetic(step, state)
            if state.dead or self.settled(state, before, turn):
                break
        else:
            self.unsettled(state)
        self.left(turns, state)

    def arithmetic(self, raw: RawWord, state: State) -> None:
        """Evaluate an expression for what it does."""
        self.evaluate(self.arithmetic_text(raw, state), state, (raw.start, raw.end))
