"""The state of a shell while its text is walked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

from ...values import Value, unknown
from ..command import Word
from ..parsing.syntax import Node
from .held import Absence, Either, Held, blurred, merge

MOST_DIRECTORIES = 8
_PERHAPS_LOCAL = unknown("the variable is perhaps local")
Variables = dict[str, Held | Either]


class State:
    """Everything that a command can leave behind for the next one.

    Dictionaries are never changed in place, except `variables` by `put` while `owned` is true, so that a fork
    costs as little as its slots.

    `exported` names what children inherit. `attributes` holds the letters of `declare`. `functions` holds every
    body that a name could have, `None` where it may have none; `aliases` holds `None` where the text is not
    known. `arguments` are `$1` and so on, `None` where their number is not known. `options` are those of `set`
    and `shopt` that were touched, `hashed` the places that `hash -p` gave to names, `None` where paths disagree.
    `lookup` is false once a bare name could mean something else, `mixed` true once a variable may be one of
    several things. `lasting` tells that this is the shell itself and no subshell. `inherits` is false where the
    environment was cleared. `frames` hold, for each function that runs, what the variables that are local in it
    were before. `unsure` tells that variables may be set of which nothing is known, `elsewhere` that standard output
    was moved for good, `dead` that nothing runs here any more.
    """

    __slots__ = (
        "aliases", "arguments", "attributes", "cwds", "dead", "elsewhere", "exported", "frames", "functions",
        "hashed", "inherits", "lasting", "lookup", "mixed", "name", "options", "owned", "previous", "stack", "stdin",
        "unsure", "variables",
    )  # fmt: skip

    def __init__(self, cwds: tuple[Value, ...]) -> None:
        """The state of a shell that has just started in one of *cwds*."""
        self.variables: Variables = {}
        self.owned = True
        self.exported: tuple[str, ...] = ()
        self.attributes: dict[str, str] = {}
        self.functions: dict[str, tuple[Node | None, ...]] = {}
        self.aliases: dict[str, str | None] = {}
        self.hashed: dict[str, Value | None] = {}
        self.cwds = cwds
        self.previous: tuple[Value, ...] = ()
        self.stack: tuple[tuple[Value, ...], ...] | None = ()
        self.arguments: tuple[Word, ...] | None = ()
        self.name: Value = unknown("`$0` depends on how the shell was started")
        self.options: dict[str, bool | None] = {}
        self.lookup = True
        self.mixed = False
        self.stdin: Value | None = None
        self.lasting = True
        self.inherits = True
        self.frames: tuple[Variables, ...] = ()
        self.elsewhere = False
        self.unsure = False
        self.dead = False

    def fork(self) -> Self:
        """The same state once more; what happens to one does not touch the other."""
        twin = object.__new__(type(self))
        self.owned = False
        twin.take(self)
        return twin

    def take(self, other: State) -> None:
        """Become *other*, which must not be used any more."""
        self.aliases = other.aliases
        self.arguments = other.arguments
        self.attributes = other.attributes
        self.cwds = other.cwds
        self.dead = other.dead
        self.elsewhere = other.elsewhere
        self.exported = other.exported
        self.frames = other.frames
        self.functions = other.functions
        self.hashed = other.hashed
        self.inherits = other.inherits
        self.lasting = other.lasting
        self.lookup = other.lookup
        self.mixed = other.mixed
        self.name = other.name
        self.options = other.options
        self.owned = other.owned
        self.previous = other.previous
        self.stack = other.stack
        self.stdin = other.stdin
        self.unsure = other.unsure
        self.variables = other.variables

    def put(self, name: str, value: Held | Either) -> None:
        """Let the variable *name* hold *value*."""
        if not self.owned:
            self.variables = self.variables.copy()
            self.owned = True
        if type(value) is Either:
            self.mixed = True
        self.variables[name] = value

    def drop(self, name: str) -> None:
        """Let the variable *name* be as it was before the text began."""
        if name in self.variables:
            self.variables = {key: held for key, held in self.variables.items() if key != name}
            self.owned = True

    def join(self, other: State) -> None:
        """Be what is known of this state and *other* alike, unless one of them is never reached."""
        if other.dead and not self.dead:
            return
        if self.dead and not other.dead:
            self.take(other.fork())
            return
        if self.variables is not other.variables:
            self.variables = _joined(self.variables, other.variables, Absence.INHERITED)
            self.owned = self.mixed = True
        if self.cwds != other.cwds:
            self.cwds = directories((*self.cwds, *other.cwds))
        if self.stdin != other.stdin:
            self.stdin = None
        self.lookup = self.lookup and other.lookup
        self.elsewhere = self.elsewhere or other.elsewhere
        self.unsure = self.unsure or other.unsure
        self._join_rare(other)

    def _join_rare(self, other: State) -> None:
        """Join what most texts never touch."""
        if self.frames is not other.frames:
            pairs = zip(self.frames, other.frames, strict=False)
            self.frames = tuple([_joined(one, another, _PERHAPS_LOCAL) for one, another in pairs])
        if self.previous != other.previous:
            self.previous = directories((*self.previous, *other.previous))
        if self.exported != other.exported:
            self.exported = tuple(dict.fromkeys((*self.exported, *other.exported)))
        if self.attributes is not other.attributes:
            self.attributes = _letters(self.attributes, other.attributes)
        if self.functions is not other.functions:
            self.functions = _bodies(self.functions, other.functions)
        self.aliases = _agreed(self.aliases, other.aliases)
        self.hashed = _agreed(self.hashed, other.hashed)
        self.options = _agreed(self.options, other.options)
        if self.arguments != other.arguments:
            self.arguments = None
        if self.stack != other.stack:
            self.stack = None

    def widen(self, before: State) -> None:
        """Give up on whatever differs from the state *before* one more turn of a loop."""
        variables = dict(before.variables)
        for name in self.variables.keys() | variables.keys():
            mine = self.variables.get(name, Absence.INHERITED)
            other = variables.get(name, Absence.INHERITED)
            if mine != other:
                options = [*_options(mine), *_options(other)]
                variables[name] = blurred(options, f"the value of `${name}` changes in a loop")
        if self.cwds != before.cwds:
            self.cwds = (unknown("the directory changes in a loop"),)
        self.variables = before.variables
        self.join(before)
        self.variables, self.owned = variables, True

    def same(self, other: State) -> bool:
        """Whether nothing is known of this state that is not known of *other*, and the other way round."""
        return all(getattr(self, slot) == getattr(other, slot) for slot in State.__slots__ if slot != "owned")

    def doubt(self, reason: str) -> None:
        """Anything may have happened to this state, and nothing need have."""
        lost = unknown(reason)
        self.variables = {name: merge(held, lost, reason) for name, held in self.variables.items()}
        self.owned = self.mixed = True
        self.cwds = directories((*self.cwds, lost))
        self.functions = {
            name: bodies if None in bodies else (*bodies, None) for name, bodies in self.functions.items()
        }
        self.aliases = dict.fromkeys(self.aliases)
        self.hashed = dict.fromkeys(self.hashed)
        self.options = dict.fromkeys(self.options)
        self.arguments = None
        self.stack = None
        self.stdin = None
        self.lookup = False
        self.unsure = True


def put_back(state: State, name: str, held: Held | Either | None) -> None:
    """Let the variable *name* hold again what it held before."""
    if held is None or held is Absence.INHERITED:
        state.drop(name)
    else:
        state.put(name, held)


def directories(places: Iterable[Value]) -> tuple[Value, ...]:
    """The different ones among *places*, or one that is not known where they are too many."""
    different = tuple(dict.fromkeys(places))
    if len(different) <= MOST_DIRECTORIES:
        return different
    return (unknown("the directory depends on which commands ran"),)


def _options(held: Held | Either) -> tuple[Held, ...]:
    return held.options if isinstance(held, Either) else (held,)


def _joined(one: Variables, other: Variables, absent: Held) -> Variables:
    joined = dict(one)
    for name in one.keys() | other.keys():
        mine, yours = one.get(name, absent), other.get(name, absent)
        if mine is not yours:
            joined[name] = merge(mine, yours, f"the value of `${name}` depends on which commands ran")
    return joined


def _letters(one: dict[str, str], other: dict[str, str]) -> dict[str, str]:
    return {name: "".join({*one.get(name, ""), *other.get(name, "")}) for name in one.keys() | other.keys()}


def _bodies(
    one: dict[str, tuple[Node | None, ...]], other: dict[str, tuple[Node | None, ...]]
) -> dict[str, tuple[Node | None, ...]]:
    missing: tuple[Node | None, ...] = (None,)
    joined: dict[str, tuple[Node | None, ...]] = {}
    for name in one.keys() | other.keys():
        bodies = list(one.get(name, missing))
        bodies.extend(body for body in other.get(name, missing) if not any(body is known for known in bodies))
        joined[name] = tuple(bodies)
    return joined


def _agreed(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    if one is other:
        return one
    return {name: one.get(name) if one.get(name) == other.get(name) else None for name in one.keys() | other.keys()}
