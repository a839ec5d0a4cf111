"""What breaks in a scene: facts that an engine needs, which raise when they are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from attrs import evolve

from ...errors import StoreError
from ...facts.clock import SystemClock

if TYPE_CHECKING:
    from ...facts import Facts
    from ...facts.counters import Counters

Breaks = Literal["", "resolver", "store", "clock"]
"""Which fact is broken: `resolver` breaks a rule while it judges, `clock` the engine before it asks any rule."""


def broken(facts: Facts, breaks: Breaks) -> Facts:
    """*facts* with one of them broken, none for the empty text.

    An adapter in this process gets them with the engine of the scene. One in another process has to start that with
    them; `tests/conformance/planted.py` does so with the commands of tidegate.
    """
    if breaks == "resolver":
        return evolve(facts, resolver=_broken_resolver)
    if breaks == "store":
        return evolve(facts, counters=_broken_counters)
    return evolve(facts, clock=_BreakingClock()) if breaks else facts


def _broken_resolver(host: str) -> Any:  # noqa: ARG001 - as resolvers are called
    raise RuntimeError("boom")


def _broken_counters(_: str) -> Counters:
    raise StoreError("down")


class _BreakingClock(SystemClock):
    """A clock that can be read once, by whoever loads the rules."""

    __slots__ = ("_read",)

    def now(self) -> float:
        if hasattr(self, "_read"):
            raise RuntimeError("boom")
        self._read = True
        return super().now()
