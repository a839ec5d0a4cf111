"""What every part of the walker shares: the effects so far, what may still be spent, and its parts' names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Literal

from ..effects import LOCAL, CodeTarget, Effect, EffectKind, Place, Target
from ..scene import Scene
from ..values import Value
from .command import Limits, Nested, SimpleCommand, Word
from .held import Held
from .scanner import Grammar
from .seams import Seams
from .state import State
from .syntax import Assignment, Node, Part, RawWord, Sequence

Span = tuple[int, int]


class Exhausted(Exception):
    """A limit is reached; nothing behind this place is looked at."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Split(Exception):
    """A variable has a few possible values, and the command at hand is to be read once for each."""

    def __init__(self, name: str, options: tuple[Held, ...]) -> None:
        super().__init__(name)
        self.name = name
        self.options = options


class Call:
    """A simple command after expansion, on its way to whatever runs it.

    `arguments` holds the assignments behind a builtin that takes them (`declare`) by their place in `words`,
    `code` what the process substitution at a place prints. `rest` is what is left of `stdin`.
    `stdout` is false where standard output goes elsewhere, `lookup` where an assignment before the command
    changed what its name means. `among` says what the name may mean: also a function, at most a builtin, or a
    program only.
    """

    __slots__ = (
        "among", "arguments", "code", "lookup", "rest", "span", "stdin", "stdout", "variables", "words", "wrappers",
    )  # fmt: skip

    def __init__(self, words: tuple[Word, ...], variables: tuple[tuple[str, Value], ...], span: Span) -> None:
        """A call of *words* with *variables* assigned before it."""
        self.words = words
        self.variables = variables
        self.span = span
        self.arguments: dict[int, tuple[Assignment, Held]] = {}
        self.code: dict[int, Value] = {}
        self.stdin: Value | None = None
        self.rest: Value | None = None
        self.stdout = True
        self.lookup = True
        self.among: Literal["functions", "builtins", "programs"] = "functions"
        self.wrappers: tuple[str, ...] = ()

    def without(self, count: int, *wrappers: str) -> Call:
        """The call of what stands behind the first *count* words, which are peeled as *wrappers*."""
        call = Call(self.words[count:], self.variables, self.span)
        call.arguments = {place - count: argument for place, argument in self.arguments.items()}
        call.code = {place - count: text for place, text in self.code.items()}
        call.stdin, call.rest, call.stdout, call.lookup = self.stdin, self.rest, self.stdout, self.lookup
        call.among = self.among
        call.wrappers = (*self.wrappers, *wrappers)
        return call


class Machine(ABC):
    """The walker's memory besides the shell's state, and what its parts ask of each other.

    `sink` collects what is printed, where somebody wants to know; `status` is that of the last command where it
    is known; `merged` tells that standard error goes where standard output goes. `within` counts the substitutions around. `fed` is what the last
    process substitution prints. `loops` and `returns` collect states that leave a loop or a function early.
    `history` lists what was assigned, in order. `sh` tells that the shell may be any POSIX shell, `posix` that
    it is read as one without extensions; `bashism` becomes true when the two readings differ. `active` are the
    functions that run, with their arguments and the state before; `ran` the bodies that ran at all. `splits` counts
    for each node how often it was read once more, `splittable` tells whether the one at hand still may be.
    """

    __slots__ = (
        "active", "bashism", "commands", "defined", "depth", "effects", "fed", "grammar", "history", "limits", "loops",
        "merged", "persistent", "place", "posix", "ran", "returns", "scene", "seams", "sh", "sink", "source", "splits",
        "splittable", "status", "steps", "traps", "within",
    )  # fmt: skip

    def __init__(self, scene: Scene, seams: Seams, limits: Limits, source: str, *, persistent: bool) -> None:
        """A machine that has not run anything yet."""
        self.scene = scene
        self.seams = seams
        self.limits = limits
        self.source = source
        self.persistent = persistent
        self.effects: list[Effect] = []
        self.sink: list[Value] | None = None
        self.status: bool | None = None
        self.merged = False
        self.within = 0
        self.fed: Value | None = None
        self.steps = limits.steps
        self.commands = limits.commands
        self.splits: dict[int, tuple[Node, int]] = {}
        self.splittable = True
        self.depth = 0
        self.place: Place = LOCAL
        self.sh = False
        self.posix = False
        self.bashism = False
        self.grammar = Grammar(depth=limits.depth)
        self.loops: list[list[State]] = []
        self.returns: list[State] = []
        self.history: list[str] = []
        self.active: list[tuple[Node, tuple[Word, ...], State]] = []
        self.ran: dict[int, Node] = {}
        self.defined: list[tuple[str, Node, State, int]] = []
        self.traps: list[tuple[Value, State, int, Span]] = []

    def spend(self, steps: int = 1) -> None:
        """Pay for work; what cannot be paid for is not done."""
        self.steps -= steps
        if self.steps < 0:
            raise Exhausted(f"the command takes more than {self.limits.steps} steps to read")

    def deeper(self) -> None:
        """Go one construct deeper."""
        self.depth += 1
        if self.depth > self.limits.depth:
            raise Exhausted(f"constructs are nested more than {self.limits.depth} deep")

    def emit(self, kind: EffectKind, target: Target, span: Span) -> None:
        """Add an effect of the shell itself."""
        self.effects.append(Effect(kind, target, self.source, span, place=self.place))

    def doubt(self, reason: str, span: Span) -> None:
        """Add an unknown effect."""
        self.emit("unknown", reason, span)

    def lasting(self, state: State, what: str, span: Span) -> None:
        """Note that *what* outlives the text in a persistent shell."""
        if self.persistent and state.lasting:
            self.emit("code", CodeTarget(f"{what}, which lasts in this shell"), span)

    def runs_file(self, what: str, path: Value, state: State, span: Span) -> None:
        """Note that the shell reads the file at *path* and runs what it holds."""
        target = self.seams.resolve(path, state.cwds, self.scene)
        self.emit("read", target, span)
        self.emit("code", CodeTarget(what, (target,)), span)

    def print(self, value: Value) -> None:
        """Note what is printed, if somebody wants to know."""
        if self.sink is not None and value != "":
            self.sink.append(value)

    def take_fed(self) -> Value | None:
        """What the last process substitution prints; asked once, it is forgotten."""
        fed, self.fed = self.fed, None
        return fed

    def subshell(self, state: State) -> State:
        """A fork of *state* of which nothing lasts."""
        inner = state.fork()
        inner.lasting = False
        return inner

    @abstractmethod
    def node(self, node: Node, state: State) -> State | None:
        """Run *node*, after which *state* is the one where it succeeds; return the one where it fails if that differs."""

    @abstractmethod
    def sequence(self, body: Sequence, state: State) -> State | None:
        """Run the commands of *body* one after the other."""

    @abstractmethod
    def captured(self, body: Sequence, state: State) -> Value:
        """Run *body* in a subshell and return what it prints, without newlines at the end."""

    @abstractmethod
    def text(self, text: Value, state: State, span: Span) -> State | None:
        """Run *text* in this very shell."""

    @abstractmethod
    def call(self, call: Call, state: State) -> State | None:
        """Run a simple command."""

    @abstractmethod
    def run_nested(self, nested: Iterable[Nested], command: SimpleCommand, state: State) -> None:
        """Run what *command* runs in turn."""

    @abstractmethod
    def scalar(self, raw: RawWord, state: State) -> Value:
        """The value of *raw* where it is neither split nor matched against files."""

    @abstractmethod
    def joined_parts(self, parts: tuple[Part, ...], state: State) -> Value:
        """The values of *parts* without a gap."""

    @abstractmethod
    def part_value(self, part: Part, state: State) -> Value:
        """The value of one part, in one piece."""

    @abstractmethod
    def short(self, value: Value) -> Value:
        """*value*, unless it is too long to be looked at."""

    @abstractmethod
    def words(self, raw: RawWord, state: State) -> list[Word]:
        """The words that *raw* becomes."""

    @abstractmethod
    def held(self, name: str, state: State) -> Held:
        """What the variable *name* holds."""

    @abstractmethod
    def separators(self, state: State) -> str | None:
        """The characters of `IFS`, `None` where they are not known."""

    @abstractmethod
    def evaluate(self, text: Value, state: State, span: Span) -> Value:
        """Evaluate *text* as arithmetic, and whatever code that runs."""

    @abstractmethod
    def evaluate_subscript(self, text: str, state: State, span: Span) -> None:
        """Run whatever code a subscript that the shell evaluates once more holds."""

    @abstractmethod
    def assign(self, name: str, value: Held, state: State, span: Span) -> None:
        """Let the variable *name* hold *value*, with whatever follows from it."""

    @abstractmethod
    def assign_to(self, target: Value, value: Held, state: State, span: Span) -> None:
        """Assign to what *target* names, which may have a subscript that is code."""

    @abstractmethod
    def unset(self, name: str) -> Value:
        """The value of a variable that the text did not set."""

    @abstractmethod
    def export(self, name: str, state: State) -> None:
        """Let children inherit *name*."""

    @abstractmethod
    def expand_text(self, text: Value, state: State, span: Span) -> Value:
        """Expand *text* as if it stood in double quotes."""

    @abstractmethod
    def prompt(self, text: Value, state: State, span: Span) -> Value:
        """Expand *text* as a prompt, whose backslashes are decoded before."""
