"""What runs in which order: lists, pipelines, subshells, branches and loops."""

from __future__ import annotations

from ..values import Hole, Partial, Value, concat, unknown
from .calls import Calls
from .command import Word
from .declarations import name_tested
from .held import Absence, Array, Either, Held, generalise
from .machine import Split
from .redirections import Output
from .state import State
from .syntax import (
    AndOr,
    ArithmeticCommand,
    ArithmeticFor,
    Case,
    Condition,
    Coprocess,
    For,
    Function,
    Group,
    If,
    Literal,
    Loop,
    Node,
    Opaque,
    Pipeline,
    RawWord,
    Redirected,
    Sequence,
    Simple,
    Subshell,
)

MOST_TURNS = 32
MOST_SPLITS = 8
_PATIENCE = 2
_ONLY_ORDER = frozenset((AndOr, Pipeline, Sequence, Group, Subshell, Opaque))
_ARITHMETIC = frozenset(("-eq", "-ne", "-lt", "-le", "-gt", "-ge"))


class Control(Calls):
    """Runs everything that is more than a simple command."""

    __slots__ = ()

    def node(self, node: Node, state: State) -> State | None:
        """Run *node*, after which *state* is the one where it succeeds; return the one where it fails if that differs."""
        if type(node) in _ONLY_ORDER:
            return self.once(node, state)
        start = state.fork()
        place = len(self.effects), self.depth, len(self.loops), self.within
        _, count = self.splits.get(id(node), (node, 0))
        outer, self.splittable = self.splittable, count < MOST_SPLITS
        try:
            return self.once(node, state)
        except Split as split:
            effects, self.depth, loops, self.within = place
            del self.effects[effects:], self.loops[loops:]
            self.splits[id(node)] = (node, count + 1)
            return self.each(node, state, start, split)
        finally:
            self.splittable = outer

    def each(self, node: Node, state: State, start: State, split: Split) -> State | None:
        """Run *node* once for each thing that a variable could hold."""
        before = start.variables.get(split.name)
        ends: list[State] = []
        fails: list[State] = []
        printed: list[Value] = []
        outer = self.sink
        statuses: set[bool | None] = set()
        for option in split.options:
            inner = start.fork()
            if option is Absence.INHERITED:
                inner.drop(split.name)
            else:
                inner.put(split.name, option)
            self.sink = [] if outer is not None else None
            try:
                failed = self.node(node, inner)
            finally:
                printed.append(concat(self.sink or []))
                self.sink = outer
            statuses.add(self.status)
            for end in (inner, *(() if failed is None else (failed,))):
                if end.variables.get(split.name, Absence.INHERITED) == option:
                    _restore(end, split.name, before)
            ends.append(inner)
            fails.append(inner.fork() if failed is None else failed)
        self.print(generalise(printed, "what is printed depends on a variable"))
        self.status = statuses.pop() if len(statuses) == 1 else None
        state.take(_together(ends))
        return _together(fails)

    def once(self, node: Node, state: State) -> State | None:
        """Run *node* as whatever it is."""
        match node:
            case Simple():
                return self.simple(node, state)
            case AndOr():
                return self.and_or(node, state)
            case Pipeline():
                return self.pipeline(node, state)
            case Sequence():
                return self.sequence(node, state)
            case Group(body):
                return self.deeply(body, state)
            case Subshell(body):
                self.deeply(body, self.subshell(state))
                return None
            case Redirected():
                return self.redirected(node, state)
            case Opaque(reason, start, end, foreign):
                if not foreign:
                    self.doubt(reason, (start, end))
                    state.doubt("a part of the text is not understood")
                    self.print(unknown(reason))
                self.status = None
                return None
            case _:
                return self.compound(node, state)

    def compound(self, node: Node, state: State) -> State | None:
        """Run a branch, a loop, a test or a definition."""
        self.spend()
        self.deeper()
        outer = self.sink
        if outer is not None:
            self.sink = []
        try:
            self.branching(node, state)
        finally:
            printed, self.sink = self.sink, outer
        if printed:
            self.print(unknown("what is printed depends on which commands run"))
        self.depth -= 1
        self.status = None
        return None

    def branching(self, node: Node, state: State) -> None:
        """Run what may take one way or another."""
        match node:
            case If():
                self.conditional(node, state)
            case Loop():
                self.loop(node, state)
            case For():
                self.loop_over(node, state)
            case ArithmeticFor():
                self.arithmetic_for(node, state)
            case Case():
                self.choice(node, state)
            case Function():
                self.define(node, state)
            case Condition():
                self.condition(node, state)
            case ArithmeticCommand(expression):
                self.arithmetic(expression, state)
            case Coprocess(name, body):
                self.assign(name, Array(None), state, (0, 0))
                self.node(body, self.subshell(state))

    def deeply(self, body: Sequence, state: State) -> State | None:
        """Run *body* one construct deeper."""
        self.deeper()
        failed = self.sequence(body, state)
        self.depth -= 1
        return failed

    def sequence(self, body: Sequence, state: State) -> State | None:
        """Run the commands of *body* one after the other."""
        failed: State | None = None
        for node, background in body.items:
            if failed is not None:
                state.join(failed)
            if background:
                failed = None
                inner = self.subshell(state)
                inner.stdin = None
                self.branch(node, inner)
                self.status = True
            else:
                failed = self.node(node, state)
        return failed

    def branch(self, node: Node, state: State) -> State | None:
        """Run *node*, of which it is not known whether or when it prints."""
        outer = self.sink
        if outer is None:
            return self.node(node, state)
        self.sink = []
        try:
            failed = self.node(node, state)
        finally:
            printed, self.sink = self.sink, outer
        if printed:
            self.print(unknown("what is printed depends on which commands run"))
        return failed

    def and_or(self, node: AndOr, state: State) -> State | None:
        """Run commands joined by `&&` and `||`, each in the state that the ones before leave where they succeed or fail."""
        failed = self.node(node.first, state) or state.fork()
        for operator, following in node.rest:
            wanted, status = operator == "&&", self.status
            here, there = (state, failed) if wanted else (failed, state)
            worse = self.node(following, here) if status is wanted else self.branch(following, here)
            if wanted:
                failed = worse if worse is not None else state.fork()
                if status is not True:
                    failed.join(there)
            else:
                better = here.fork() if worse is None else here
                failed = here if worse is None else worse
                if status is False:
                    state.take(better)
                else:
                    state.join(better)
            if status is not wanted:
                self.status = status if status is not None else None
        return failed

    def pipeline(self, node: Pipeline, state: State) -> State | None:
        """Run commands joined by pipes, each in a subshell that reads what the one before prints."""
        if len(node.commands) == 1:
            failed = self.node(node.commands[0], state)
            self.status = not self.status if self.status is not None else None
            if failed is None:
                return None
            other = state.fork()
            state.take(failed)
            return other
        if not node.commands:
            self.status = not node.negated
            return None
        outer, merged, fed = self.sink, self.merged, state.stdin
        last = len(node.commands) - 1
        self.merged = merged or node.merged
        try:
            for place, command in enumerate(node.commands):
                inner = self.subshell(state)
                inner.stdin = fed
                inner.elsewhere = inner.elsewhere and place == last
                self.sink = outer if place == last else []
                self.node(command, inner)
                if place < last:
                    fed = _known(concat(self.sink or []))
        finally:
            self.sink, self.merged = outer, merged
        if state.options.get("lastpipe", False) is not False:
            state.join(inner)
        if node.negated and self.status is not None:
            self.status = not self.status
        return None

    def redirected(self, node: Redirected, state: State) -> State | None:
        """Run a compound command with redirections."""
        streams = self.redirect(node.redirects, state)
        outer, merged, stdin = self.sink, self.merged, state.stdin
        if streams.moved:
            state.stdin = streams.stdin
        self.merged = merged or streams.merged
        if streams.output is not Output.HERE:
            self.sink = None
        try:
            failed = self.node(node.body, state)
        finally:
            self.sink, self.merged = outer, merged
        if streams.output is Output.UNSURE:
            self.print(unknown("standard output was moved"))
        for end in (state, failed):
            if streams.moved and end is not None:
                end.stdin = stdin
        return failed

    def captured(self, body: Sequence, state: State) -> Value:
        """Run *body* in a subshell and return what it prints, without newlines at the end."""
        self.deeper()
        self.within += 1
        outer, merged, self.sink, self.merged = self.sink, self.merged, [], False
        inner = self.subshell(state)
        inner.elsewhere = False
        try:
            self.sequence(body, inner)
            printed = concat(self.sink or [])
        finally:
            self.sink, self.merged = outer, merged
        self.depth -= 1
        self.within -= 1
        self.fed = self.short(printed)
        if isinstance(printed, str):
            return self.short(printed.rstrip("\n").replace("\0", ""))
        tail = printed.parts[-1] if printed.parts else ""
        if isinstance(tail, str):
            printed = Partial((*printed.parts[:-1], tail.rstrip("\n")), printed.reason)
        return self.short(printed)

    def conditional(self, node: If, state: State) -> None:
        """Run every branch of `if`."""
        ends: list[State] = []
        for condition, body in node.clauses:
            failed = self.sequence(condition, state) or state.fork()
            self.settle(body, state)
            ends.append(state.fork())
            state.take(failed)
        if node.otherwise is not None:
            self.settle(node.otherwise, state)
        for end in ends:
            state.join(end)

    def settle(self, body: Sequence, state: State) -> None:
        """Run *body*, whatever becomes of it."""
        failed = self.sequence(body, state)
        if failed is not None:
            state.join(failed)

    def loop(self, node: Loop, state: State) -> None:
        """Run `while` or `until` until nothing new comes of it."""
        exits: list[State] = []
        self.loops.append(exits)
        for turn in range(MOST_TURNS):
            before = state.fork()
            failed = self.sequence(node.condition, state)
            over = self.status is node.until and turn > 0
            if node.until and failed is not None:
                failed, swap = state.fork(), failed
                state.take(swap)
            exits.append(failed if failed is not None else state.fork())
            if over:
                break
            self.settle(node.body, state)
            if self.turned(state, before, turn, concrete=before.stdin is not None):
                break
        else:
            self.unsettled(state)
        self.loops.pop()
        for end in exits:
            state.join(end)

    def turned(self, state: State, before: State, turn: int, *, concrete: bool = False) -> bool:
        """Whether one more turn of a loop would bring nothing new; after some turns, what changes is given up."""
        self.spend(1 + (len(state.variables) >> 3))
        if state.same(before):
            return True
        if turn >= _PATIENCE and not (concrete and turn < MOST_TURNS - _PATIENCE):
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
        exits: list[State] = []
        self.loops.append(exits)
        if node.select or len(words) > MOST_TURNS or any(word.many for word in words):
            exits.append(state.fork())
            self.some_turns(node, words, state)
        elif words:
            for word in words:
                self.assign(node.name, word.value, state, word.span)
                self.settle(node.body, state)
        else:
            inner = state.fork()
            self.assign(node.name, unknown(f"`{node.name}` takes no value"), inner, (0, 0))
            self.settle(node.body, inner)
        self.loops.pop()
        for end in exits:
            state.join(end)

    def loop_words(self, node: For, state: State) -> list[Word]:
        """The words that a loop runs over."""
        if node.words is None:
            words = state.arguments
            return (
                list(words) if words is not None else [Word(unknown("the arguments are not known"), (0, 0), many=True)]
            )
        return [word for raw in node.words for word in self.words(raw, state)]

    def some_turns(self, node: For, words: list[Word], state: State) -> None:
        """Run the body of a loop over words of which there may be any number."""
        reason = f"`{node.name}` takes its values from a list that is not known"
        known = [word for word in words if not word.many] if not node.select else []
        for word in known[:MOST_TURNS]:
            before = state.fork()
            self.assign(node.name, word.value, state, word.span)
            self.settle(node.body, state)
            state.join(before)
        shapes = [word.value if word.glob else unknown(reason) for word in words if word.many]
        if len(known) > MOST_TURNS:
            shapes.append(generalise([word.value for word in known], reason))
        for turn in range(MOST_TURNS):
            before = state.fork()
            for shape in shapes or [unknown(reason)]:
                self.assign(node.name, shape, state, (0, 0))
                if node.select:
                    self.assign("REPLY", unknown("somebody types an answer"), state, (0, 0))
                self.settle(node.body, state)
            state.join(before)
            if self.turned(state, before, turn):
                return
        self.unsettled(state)

    def arithmetic_for(self, node: ArithmeticFor, state: State) -> None:
        """Run `for ((…))` until nothing new comes of it."""
        first, condition, step = node.header
        self.arithmetic(first, state)
        exits: list[State] = []
        self.loops.append(exits)
        for turn in range(MOST_TURNS):
            before = state.fork()
            self.arithmetic(condition, state)
            exits.append(state.fork())
            self.settle(node.body, state)
            self.arithmetic(step, state)
            if self.turned(state, before, turn):
                break
        else:
            self.unsettled(state)
        self.loops.pop()
        for end in exits:
            state.join(end)

    def arithmetic(self, raw: RawWord, state: State) -> None:
        """Evaluate an expression for what it does."""
        self.evaluate(self.arithmetic_text(raw, state), state, (raw.start, raw.end))

    def choice(self, node: Case, state: State) -> None:
        """Run every clause of `case`."""
        self.scalar(node.word, state)
        ends = [state.fork()]
        through: State | None = None
        for clause in node.clauses:
            for pattern in clause.patterns:
                self.scalar(pattern, state)
            inner = state.fork()
            if through is not None:
                inner.join(through)
            self.settle(clause.body, inner)
            through = inner.fork() if clause.terminator == ";&" else None
            ends.append(inner)
        state.take(_together(ends))

    def define(self, node: Function, state: State) -> None:
        """Define a function."""
        state.functions = {**state.functions, node.name: (node.body,)}
        self.defined.append((node.name, node.body, state.fork(), len(self.history)))
        self.lasting(state, f"the function `{node.name}`", (node.start, node.end))

    def condition(self, node: Condition, state: State) -> None:
        """Run what the tests between `[[` and `]]` expand, and what they evaluate as arithmetic."""
        for test in node.tests:
            values = [self.scalar(word, state) for word in test.words]
            span = (test.words[0].start, test.words[0].end)
            if test.operator in _ARITHMETIC:
                for word, value in zip(test.words, values, strict=True):
                    text = value if word.text is not None else self.arithmetic_text(_as_expression(word), state)
                    self.evaluate(text, state, span)
            elif test.operator in ("-v", "-R"):
                name_tested(self, values[0], state, span)


def _as_expression(word: RawWord) -> RawWord:
    return word._replace(parts=word.parts or (Literal(word.text or ""),))


def _known(value: Value) -> Value | None:
    """*value*, unless nothing is known of it."""
    return None if not isinstance(value, str) and value.parts == (Hole.ANY,) else value


def _restore(state: State, name: str, held: Held | Either | None) -> None:
    if held is None:
        state.drop(name)
    else:
        state.put(name, held)


def _together(states: list[State]) -> State:
    first = states[0]
    for state in states[1:]:
        first.join(state)
    return first
