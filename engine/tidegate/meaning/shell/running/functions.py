"""Functions: they come before builtins and programs of the same name."""

from __future__ import annotations

from ...values import unknown
from ..parsing.syntax import Node
from .call import Call
from .programs import Programs
from .state import State, put_back

MOST_ACTIVE = 4


class Functions(Programs):
    """Runs functions, and decides whether a command is one."""

    __slots__ = ()

    def call(self, call: Call, state: State) -> State | None:
        """Run a command whose words are known as far as they can be."""
        head = call.words[0]
        name = head.value
        if not isinstance(name, str) or head.many:
            return self.dynamic(call, state)
        bodies = state.functions.get(name) if state.functions and call.among == "functions" else None
        if bodies is not None:
            return self.shadowed(call, bodies, state)
        return self.program(call, state)

    def shadowed(self, call: Call, bodies: tuple[Node | None, ...], state: State) -> State | None:
        """Run a command whose name is that of a function, for certain or perhaps."""
        self.called(call, state, certain=None not in bodies)
        ends: list[State] = []
        outer = self.sink
        if len(bodies) > 1 and outer is not None:
            self.print(unknown("what is printed depends on which function is meant"))
            self.sink = None
        for body in bodies:
            inner = state.fork()
            if body is None:
                failed = self.program(call, inner)
                ends.extend([inner] if failed is None else [inner, failed])
            else:
                self.run_function(body, call, inner)
                ends.append(inner)
        self.sink = outer
        state.take(ends[0])
        for end in ends[1:]:
            state.join(end)
        return None

    def called(self, call: Call, state: State, *, certain: bool) -> None:
        """Say that a function is called, which does nothing but what its body does."""
        reading = self.seams.interpret(self.asked(call, state, lookup=False))
        exec_only = reading.effects[0]._replace(inherent=reading.effects[0].inherent or certain)
        self.take_over(reading._replace(effects=(exec_only,)))

    def run_function(self, body: Node, call: Call, state: State) -> None:
        """Run the body of a function with the words of *call*."""
        active = [entry for entry in self.active if entry[0] is body]
        words = call.words[1:]
        if any(entry[1] == words and entry[2].same(state) for entry in active):
            state.doubt("a function calls itself")
            return
        if len(active) >= MOST_ACTIVE:
            self.doubt(f"the function `{call.words[0].value}` calls itself with ever new values", call.span)
            state.doubt("a function calls itself")
            return
        outer = (state.arguments, state.frames, self.returns, self.loops, state.stdin)
        self.active.append((body, words, state.fork()))
        self.ran[id(body)] = body
        self.returns, self.loops = [], []
        state.arguments, state.frames, state.stdin = words, (*state.frames, {}), call.stdin
        self.deeper()
        failed = self.node(body, state)
        self.depth -= 1
        for end in [*self.returns, *([failed] if failed is not None else ())]:
            state.join(end)
        for name, held in state.frames[-1].items():
            put_back(state, name, held)
        outer_frames = state.frames[:-1]
        state.arguments, _, self.returns, self.loops, state.stdin = outer
        state.frames = outer_frames
        self.active.pop()
