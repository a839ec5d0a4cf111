"""Fibers: plugins while they are mounted, or wait to be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from ..errors import MissingService
from .waterfall import is_awaitable, require_sync

if TYPE_CHECKING:
    from .context import Context
    from .services import Offer, Services

State = Literal["pending", "active", "failed", "disposed"]


class Fiber:
    """One plugin in its place. Everything that it registers is undone when the fiber ends.

    `state` is `pending` while services that it injects are missing, `active` while it is mounted, `failed` if
    mounting raised, `disposed` when it has ended for good. An async plugin ends for good when a service that
    it injects goes away, as nobody would wait for it to be mounted again.
    """

    __slots__ = (
        "_apply",
        "_effect",
        "_is_async",
        "_parent",
        "_services",
        "context",
        "inject",
        "name",
        "optional",
        "state",
        "uses",
    )

    def __init__(self, plugin: Any, parent: Context, services: Services) -> None:
        self._apply = getattr(plugin, "apply", plugin)
        if not callable(self._apply):
            raise TypeError("a plugin is a callable, or has a method `apply(ctx)`")
        self._is_async = False
        self._parent = parent
        self._services = services
        self.name = str(getattr(plugin, "name", "") or getattr(plugin, "__name__", type(plugin).__name__))
        inject = getattr(plugin, "inject", ())
        self.inject: tuple[str, ...] = (inject,) if isinstance(inject, str) else tuple(inject)
        self.optional: bool = getattr(plugin, "optional", False)
        self.state: State = "pending"
        self.context: Context | None = None
        self.uses: tuple[Offer, ...] = ()
        self._effect = parent.effects.push(self.dispose, f"plugin `{self.name}`", later=self.unload, waits=self.waits)
        services.enter(self)

    def missing(self) -> tuple[str, ...]:
        """The injected services that nobody provides."""
        return tuple(name for name in self.inject if self._services.find_staying(name) is None)

    def waits(self) -> bool:
        """Whether unloading it may have to be waited for."""
        return self.context is not None and self.context.effects.waits()

    def mount(self) -> None:
        """Apply the plugin, whose services are there.

        Raises:
            TypeError: Its `apply` is async.
            Exception: Whatever `apply` raised, after everything it had registered is undone.
        """
        context = self._open()
        try:
            answer = self._apply(context)
            require_sync(answer, f"plugin `{self.name}` is async; mount it with `await ctx.mount(plugin)`")
            require_sync(self._keep(answer, context), f"plugin `{self.name}` was unloaded while it was mounted")
        except BaseException:
            context.effects.unwind()
            self._end("failed")
            raise

    async def mount_waiting(self) -> None:
        """Apply the plugin, waiting for it.

        Raises:
            MissingService: It injects a service that is not there.
            Exception: Whatever `apply` raised, after everything it had registered is undone.
        """
        if missing := self.missing():
            self._end("failed")
            raise MissingService({self.name: missing})
        context = self._open()
        try:
            answer = self._apply(context)
            if is_awaitable(answer):
                self._is_async = True
                answer = await answer
            left = self._keep(answer, context)
            if is_awaitable(left):
                await left
        except BaseException:
            await context.effects.unwind_waiting()
            self._end("failed")
            raise

    def suspend(self) -> None:
        """Undo everything and wait for the services to come back."""
        if self.context is not None:
            self.context.effects.unwind()
            self._sleep()

    async def suspend_waiting(self) -> None:
        """`suspend`, waiting for what has to be waited for."""
        if self.context is not None:
            await self.context.effects.unwind_waiting()
            self._sleep()

    def dispose(self) -> None:
        """Unload the plugin for good; again does nothing.

        Raises:
            TidegateError: Something has to be waited for; nothing has been undone. Use `unload`.
        """
        if self.context is not None:
            self.context.effects.require_sync()
            self.context.effects.unwind()
        self._end("disposed")

    async def unload(self) -> None:
        """Unload the plugin for good, waiting for what has to be waited for; again does nothing."""
        if self.context is not None:
            await self.context.effects.unwind_waiting()
        self._end("disposed")

    def _open(self) -> Context:
        offers = (self._services.find_staying(name) for name in self.inject)
        self.uses = tuple(offer for offer in offers if offer is not None)
        self.context = context = self._parent.child(self)
        self.state = "active"
        self._parent.effects.lift(self._effect)
        self._services.enter(self)
        return context

    def _keep(self, answer: object, context: Context) -> Any:
        """Have the returned disposer called in the end; if that has come already, it is called now."""
        if not callable(answer):
            return None
        if not context.effects.alive:
            return answer()
        context.effect(answer, label=f"plugin `{self.name}`")
        return None

    def _sleep(self) -> None:
        if self.state != "active":  # it was unloaded for good meanwhile
            return
        if self._is_async:
            self._end("disposed")
            return
        self.context = None
        self.uses = ()
        self.state = "pending"

    def _end(self, state: State) -> None:
        self.context = None
        self.uses = ()
        if self.state != "disposed":
            self.state = state
        self._parent.effects.discard(self._effect)
        self._services.forget(self)
