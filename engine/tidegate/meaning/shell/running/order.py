"""What runs in which order: lists, pipelines, subshells, and what a substitution prints."""

from __future__ import annotations

from ...values import Partial, Plain, Value, concat, unknown
from ..command import known
from ..parsing.syntax import AndOr, Group, Node, Opaque, Pipeline, Redirected, Sequence, Simple, Subshell
from .calls import Calls
from .held import Absence, generalise
from .machine import Split
from .redirections import Output
from .state import State, put_back

MOST_SPLITS = 8
_ONLY_ORDER = frozenset((AndOr, Pipeline, Sequence, Group, Subshell, Opaque))


class Order(Calls):
    """Runs commands one after the other, one or the other, and side by side."""

    __slots__ = ()

    def node(self, node: Node, state: State) -> State | None:
        """Run *node*; *state* becomes the one where it succeeds; that where it fails is returned, if it differs."""
        if type(node) in _ONLY_ORDER:
            return self.once(node, state)
        if isinstance(node, Simple) and node.constant and not state.variables:
            return self.simple(node, state)
        if isinstance(node, Simple) and not state.mixed and not self.grammar.defaults:
            outer, self.splittable = self.splittable, False
            try:
                return self.simple(node, state)
            finally:
                self.splittable = outer
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
                    put_back(end, split.name, before)
            ends.append(inner)
            fails.append(inner.fork() if failed is None else failed)
        self.print(generalise(printed, "what is printed depends on a variable"))
        self.status = statuses.pop() if len(statuses) == 1 else None
        state.take(together(ends))
        return together(fails)

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

    def settle(self, body: Sequence, state: State) -> None:
        """Run *body*, whatever becomes of it."""
        failed = self.sequence(body, state)
        if failed is not None:
            state.join(failed)

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
        """Run commands joined by `&&` and `||`, each in the state where the ones before succeed or fail."""
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
                    fed = known(concat(self.sink or []))
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
        printed = self.printed(body, state)
        if isinstance(printed, str):
            return printed.rstrip("\n").replace("\0", "")
        tail = printed.parts[-1] if printed.parts else ""
        if isinstance(tail, str):
            end = tail.rstrip("\n")
            parts = (*printed.parts[:-1], end) if end else printed.parts[:-1]
            return (Plain if isinstance(printed, Plain) else Partial)(parts, printed.reason)
        return printed

    def printed(self, body: Sequence, state: State) -> Value:
        """Run *body* in a subshell and return what it prints."""
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
        return self.short(printed)


def together(states: list[State]) -> State:
    """What is known of all of *states* alike; the first of them is used up."""
    first = states[0]
    for state in states[1:]:
        first.join(state)
    return first
