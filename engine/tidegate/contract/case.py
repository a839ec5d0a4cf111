"""One call as rules see it, and what happened before it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from ..call import Call, CommandText
from ..meaning.effects import Effect
from ..meaning.places import Places


class Mark(Protocol):
    """The last time that something happened in a session: its place in the order of everything, and the time."""

    @property
    def number(self) -> int:
        """The place; what comes later has a larger one."""

    @property
    def at(self) -> float:
        """The time in seconds since the epoch."""


class Past(Protocol):
    """What happened in the session of a call before it, as rules noted it (`Observes`); `session` may be `None`."""

    session: str | None

    def marks(self, keys: Iterable[str]) -> Mapping[str, Mark]:
        """The marks that are set under these keys; none in no session. Raises `StoreError`."""

    def texts(self, source: str) -> tuple[str, ...]:
        """What came from one source; the prompt is that of `prompt`."""


Commands = Callable[[Mapping[str, Any]], "tuple[CommandText, ...] | None"]


class Case:
    """One call before the rules: the call, what it does, and where it happens.

    `effects[0]` is the `use` of the tool. `places` are what `{root}` and `~` stand for in this call. `now` is the
    time of judgement in seconds since the epoch, by the injected clock. `past` is what happened in its session.
    `commands`, which only a rewrite is given, finds those of the arguments that it is given which bindings call
    commands; it gives `None` where no binding of the tool names one.
    """

    __slots__ = ("call", "commands", "effects", "now", "past", "places")

    def __init__(
        self,
        call: Call,
        effects: tuple[Effect, ...],
        places: Places,
        now: float,
        past: Past | None = None,
        commands: Commands | None = None,
    ) -> None:
        self.call = call
        self.effects = effects
        self.places = places
        self.now = now
        self.past = past
        self.commands = commands
