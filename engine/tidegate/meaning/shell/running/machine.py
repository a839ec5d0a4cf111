"""What every part of the walker shares: the effects so far, what may still be spent, and its parts' names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable

from ...effects import LOCAL, CodeTarget, Effect, EffectKind, Place, Target
from ...scene import Scene
from ...values import Value
from ..command import Limits, Nested, SimpleCommand, Word
from ..parsing.scanner import Grammar
from ..parsing.syntax import Node, Part, RawWord, Sequence
from ..seams import Seams
from .call import Call
from .held import Held
from .state import State

Span = tuple[int, int]
LONGEST_REASON = 200
MOVED = "/"
"""Stands in the history of assignments for a change of directory."""


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


class Turns:
    """The states that leave a loop early: for good, or for its next turn."""

    __slots__ = ("exits", "nexts")

    def __init__(self) -> None:
        """Nothing has left it yet."""
        self.exits: list[State] = []
        self.nexts: list[State] = []


class Machine(ABC):
    """The walker's memory besides the shell's state, and what its parts ask of each other.

    `sink` collects what is printed, where somebody wants to know; `status` is that of the last command where it
    is known; `merged` tells that standard error goes where standard output goes. `within` counts the
    substitutions around. `fed` is what the last process substitution prints. `loops`, `returns` and `ends`
    collect states that leave a loop, a function or the shell early. `history` lists what was assigned, in order.
    `sh` tells that the shell may be any POSIX shell, `posix` that it is read as one without extensions; `bashism`
    becomes true when the two readings differ. `active` are the functions that run, with their arguments and the
    state before; `ran` the bodies that ran at all. `defined` are the functions that are known, `traps` the texts to
    run later, each with the state and the length of the history then. `splits` counts for each node how often it
    was read once more, `splittable` tells whether the one at hand still may be.
    """

    __slots__ = (
        "active", "bashism", "commands", "defined", "depth", "effects", "ends", "fed", "grammar", "history",
        "limits", "loops", "merged", "persistent", "place", "posix", "ran", "returns", "scene", "seams", "sh",
        "sink", "source", "splits", "splittable", "status", "steps", "traps", "within",
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
        self.grammar = Grammar(depth=limits.depth, commands=limits.commands)
        self.loops: list[Turns] = []
        self.returns: list[State] = []
        self.ends: list[State] = []
        self.history: list[str] = []
        self.active: list[tuple[Node, tuple[Word, ...], State]] = []
        self.ran: dict[int, Node] = {}
        self.defined: list[tuple[Node, State, int]] = []
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
        self.emit("unknown", reason[:LONGEST_REASON], span)

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
        """Run *node*; *state* becomes the one where it succeeds; that where it fails is returned, if it differs."""

    @abstractmethod
    def compound(self, node: Node, state: State) -> State | None:
        """Run a branch, a loop, a test or a definition."""

    @abstractmethod
    def sequence(self, body: Sequence, state: State) -> State | None:
        """Run the commands of *body* one after the other."""

    @abstractmethod
    def printed(self, body: Sequence, state: State) -> Value:
        """Run *body* in a subshell and return what it prints."""

    @abstractmethod
    def captured(self, body: Sequence, state: State) -> Value:
        """Run *body* in a subshell and return what it prints, without newlines at the end."""

    @abstractmethod
    def text(self, text: Value, state: State, span: Span) -> State | None:
        """Run *text* in this very shell."""

    @abstractmethod
    def shell(self, text: Value, language: str, state: State, span: Span) -> None:
        """Run *text* in a fresh shell whose state is *state*."""

    @abstractmethod
    def program(self, call: Call, state: State) -> State | None:
        """Run a builtin or a program."""

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
    def names_in(self, text: Value | None, *, split: bool) -> tuple[Value, ...] | None:
        """The names of which *text* is a list, where they are known and can be told apart."""

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
