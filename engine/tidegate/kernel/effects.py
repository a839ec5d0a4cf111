"""Effects: what a context has registered, and undoing it in reverse."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from inspect import iscoroutinefunction
from typing import Any

from ..errors import InactiveContext, TidegateError
from .events import Report
from .waterfall import is_awaitable, require_sync

Undo = Callable[[], Any]
"""Undoes one thing, once. Where it gives an awaitable, the thing is undone when that has been awaited."""


class Effect:
    """One thing to undo. Calling it undoes it, once, and takes it off its stack.

    `later` is the way to undo it for those who can wait; `waits` tells whether it may have to be waited for.
    """

    __slots__ = ("_stack", "label", "later", "undo", "waits")

    def __init__(
        self,
        stack: Effects,
        undo: Undo,
        label: str,
        later: Callable[[], Awaitable[None]] | None,
        waits: Callable[[], bool] | None,
    ) -> None:
        self._stack = stack
        self.undo = undo
        self.label = label
        self.later = later or self._undo_waiting
        self.waits = waits or self._is_async

    def __call__(self) -> Any:
        """Undo it; gives an awaitable where the undoing is an async function.

        Raises:
            TidegateError: What hangs on it has to be waited for; nothing has been undone.
        """
        if self.later != self._undo_waiting and self.waits():
            raise TidegateError(f"{self.label} can only be undone by `await unload()`")
        return self.undo() if self._stack.discard(self) else None

    def _is_async(self) -> bool:
        return iscoroutinefunction(self.undo)

    async def _undo_waiting(self) -> None:
        pending = self.undo()
        if is_awaitable(pending):
            await pending


class Effects:
    """The stack of everything that one context has registered."""

    __slots__ = ("_report", "_stack", "alive")

    def __init__(self, report: Report) -> None:
        self._stack: dict[Effect, bool] = {}
        self._report = report
        self.alive = True

    def require_alive(self) -> None:
        """Raise `InactiveContext` if everything has been undone, or is being undone."""
        if not self.alive:
            raise InactiveContext("cannot create effect on inactive context")

    def push(
        self,
        undo: Undo,
        label: str = "",
        *,
        later: Callable[[], Awaitable[None]] | None = None,
        waits: Callable[[], bool] | None = None,
    ) -> Effect:
        """Put *undo* on top and return its disposer.

        Raises:
            InactiveContext: Everything has been undone already.
        """
        self.require_alive()
        effect = Effect(self, undo, label or getattr(undo, "__qualname__", type(undo).__qualname__), later, waits)
        self._stack[effect] = True
        return effect

    def discard(self, effect: Effect) -> bool:
        """Take *effect* off without undoing it; tells whether it was still there."""
        return self._stack.pop(effect, False)

    def lift(self, effect: Effect) -> None:
        """Move *effect* to the top, to be undone first."""
        self._stack[effect] = self._stack.pop(effect)

    def labels(self) -> tuple[str, ...]:
        """What there is to undo, oldest first."""
        return tuple(effect.label for effect in self._stack)

    def waits(self) -> bool:
        """Whether undoing it all may have to be waited for."""
        return any(effect.waits() for effect in tuple(self._stack))

    def require_sync(self) -> None:
        """Raise `TidegateError` if something in it has to be waited for."""
        if slow := [effect.label for effect in tuple(self._stack) if effect.waits()]:
            raise TidegateError(f"{', '.join(slow)} can only be undone by `await unload()`")

    def unwind(self) -> None:
        """Undo everything, last first. What raises, or turns out to be async, is reported; the rest goes on."""
        self.alive = False
        while self._stack:
            effect, _ = self._stack.popitem()
            try:
                require_sync(effect.undo(), "it is async, and nobody waited for it; use `await unload()`")
            except Exception as error:  # noqa: BLE001 - contained and reported: the rest must be undone
                self._report(error, f"undoing {effect.label}")

    async def unwind_waiting(self) -> None:
        """Undo everything, last first and one after the other, waiting where there is something to wait for.

        Being cancelled does not interrupt it: half undone is worse than late.
        """
        if not self.waits():
            self.unwind()
            return
        from anyio import CancelScope

        self.alive = False
        with CancelScope(shield=True):
            while self._stack:
                effect, _ = self._stack.popitem()
                try:
                    await effect.later()
                except Exception as error:  # noqa: BLE001 - contained and reported: the rest must be undone
                    self._report(error, f"undoing {effect.label}")
