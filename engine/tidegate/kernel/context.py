"""Contexts: where plugins are mounted, listeners registered, services found and everything undone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import MissingService
from .effects import Effect, Effects, Undo
from .events import AnyListener, Events, Mode, Report
from .fiber import Fiber
from .scopes import Scopes
from .services import Services, bound


class Tree:
    """What all contexts of one tree share."""

    __slots__ = ("events", "report", "scopes", "services")

    def __init__(self, on_error: Report | None) -> None:
        self.report = contained(on_error) if on_error else log
        self.events = Events(self.report)
        self.scopes = Scopes()
        self.services = Services(self.report)


class Context:
    """A place to register things in; what was registered through it is undone with it.

    `Context()` is the root of a tree. Plugins get child contexts, which they own. `agent` names whose calls
    the registrations of a scoped context are for, `None` for all calls.

    Args:
        on_error: Told of every exception that was contained (`(error, where)`): of observers, of disposers, of
            listeners that broke a call. The logger `tidegate` by default.
    """

    def __init__(self, *, on_error: Report | None = None) -> None:
        self._init(Tree(on_error), None, None)

    def _init(self, tree: Tree, agent: str | None, fiber: Fiber | None) -> None:
        self.tree = tree
        self.agent = agent
        self.effects = Effects(tree.report)
        self._fiber = fiber
        self._effect: tuple[Effects, Effect] | None = None

    def child(self, fiber: Fiber | None = None, agent: str | None = None) -> Context:
        """A context beneath this one, for *fiber*; whoever makes it sees to its end."""
        context = Context.__new__(Context)
        context._init(self.tree, agent or self.agent, fiber)  # noqa: SLF001 - a constructor of our own
        return context

    def on(self, name: str, mode: Mode = "emit", *, prepend: bool = False) -> Callable[[AnyListener], Effect]:
        """Listen: `ctx.on("tools/pre-execute", "waterfall")(listener)` returns a disposer.

        Listeners run in order of registration, the first one outermost; *prepend* puts one before all others.
        See `events.py` for the modes and `waterfall.py` for `listener(value, next)`.

        Raises:
            InactiveContext: The context has been unloaded.
            ValueError: Nobody dispatches that event in that mode: the listener would never run.
        """

        def register(listener: AnyListener) -> Effect:
            self.effects.require_alive()
            remove = self.tree.events.add(name, mode, listener, agent=self.agent, prepend=prepend)
            return self.effects.push(remove, f"listener of `{name}`")

        return register

    def emit(self, name: str, value: object = None) -> None:
        """Show *value* to every observer; what they do changes nothing."""
        self.tree.events.emit(name, value, self._lineage())

    async def parallel(self, name: str, value: object = None) -> None:
        """Run all listeners at once; an `ExceptionGroup` if any failed."""
        await self.tree.events.parallel(name, value, self._lineage())

    async def serial(self, name: str, value: object = None) -> Any:
        """The first answer that is neither `None` nor `False`."""
        return await self.tree.events.serial(name, value, self._lineage())

    def bail(self, name: str, value: object = None) -> Any:
        """The first answer that is neither `None` nor `False`, without waiting."""
        return self.tree.events.bail(name, value, self._lineage())

    async def waterfall(self, name: str, value: Any, inner: Callable[[Any], Any] | None = None) -> Any:
        """Let *value* fall through the listeners into *inner* and give what comes out."""
        return await self.tree.events.waterfall(name, value, inner, self._lineage())

    def _lineage(self) -> tuple[str, ...]:
        return self.tree.scopes.lineage(self.agent)

    def effect(self, undo: Undo, *, label: str = "") -> Effect:
        """Have *undo* called when this context ends; returns a disposer that does it before, once."""
        return self.effects.push(undo, label)

    def plugin(self, plugin: Any) -> Fiber:
        """Mount *plugin*: an object with `apply(ctx)`, or a callable. `apply` may return a disposer.

        A plugin may have a `name`, and names of services in `inject`: it waits until they are there, is unloaded
        when one goes away, and mounted again when it is back.

        Raises:
            TypeError: It is no plugin, or an async one.
            Exception: Whatever `apply` raised, after everything it had registered is undone.
        """
        fiber = Fiber(plugin, self, self.tree.services)
        if not fiber.missing():
            fiber.mount()
        return fiber

    async def mount(self, plugin: Any) -> Fiber:
        """Mount *plugin*, waiting for an async `apply`. It does not wait for services, nor come back by itself.

        Raises:
            MissingService: It injects a service that is not there.
            Exception: Whatever `apply` raised, after everything it had registered is undone.
        """
        fiber = Fiber(plugin, self, self.tree.services)
        await fiber.mount_waiting()
        return fiber

    def provide(self, name: str, value: object) -> Effect:
        """Offer *value* as a service; returns a disposer that takes it away.

        Raises:
            DuplicateName: Somebody provides that name already.
        """
        self.effects.require_alive()
        offer = self.tree.services.offer(name, value)
        effect = self.effects.push(offer.withdraw, f"service `{name}`", later=offer.withdraw_waiting, waits=offer.waits)
        self.tree.services.settle()
        return effect

    def get(self, name: str) -> Any:
        """The service of that name, bound to this context if it offers `bound_to(ctx)`; `None` if there is none."""
        offer = self.tree.services.find(name)
        return None if offer is None else bound(offer.value, self)

    def __getattr__(self, name: str) -> Any:
        offer = None if name.startswith("_") else self.tree.services.find(name)
        if offer is None:
            raise AttributeError(f"no service `{name}` is provided here", name=name, obj=self)
        return bound(offer.value, self)

    def scope(self, *, agent: str) -> Context:
        """A child context whose registrations count only for calls of *agent* and of its descendants.

        Scopes within scopes make descendants. Routing, not a wall: whoever names the agent of a call chooses.

        Raises:
            DuplicateName: The agent has a scope beneath another one.
        """
        self.effects.require_alive()
        close = self.tree.scopes.add(agent, self.agent)
        scoped = self.child(agent=agent)
        scoped.effects.push(close, f'scope of "{agent}"')
        effect = self.effects.push(scoped.stop, f'scope of "{agent}"', later=scoped.unload, waits=scoped.effects.waits)
        scoped._effect = self.effects, effect  # noqa: SLF001 - to leave its parent's stack by itself
        return scoped

    def start(self) -> None:
        """See that every plugin is mounted.

        Raises:
            MissingService: Plugins still wait; it names each with the services it waits for.
        """
        if waiting := self.tree.services.waiting():
            raise MissingService(waiting)

    def stop(self) -> None:
        """Undo everything that was registered through this context, last first; again does nothing.

        Raises:
            TidegateError: Something has to be waited for; nothing has been undone. Use `unload`.
        """
        if self._fiber is not None:
            self._fiber.dispose()
        else:
            self.effects.require_sync()
            self.effects.unwind()
            self._leave()

    async def unload(self) -> None:
        """`stop`, waiting for what has to be waited for."""
        if self._fiber is not None:
            await self._fiber.unload()
        else:
            await self.effects.unwind_waiting()
            self._leave()

    def _leave(self) -> None:
        if self._effect is not None:
            stack, effect = self._effect
            stack.discard(effect)


def log(error: Exception, where: str) -> None:
    """Report a contained exception to the logger `tidegate`."""
    from logging import getLogger

    getLogger("tidegate").error("%s failed", where, exc_info=error)


def contained(report: Report) -> Report:
    """*report*, whose own failures are logged with what they were to report."""

    def reported(error: Exception, where: str) -> None:
        try:
            report(error, where)
        except Exception as failure:  # noqa: BLE001 - a broken reporter must not change what it reports on
            log(failure, "the error reporter")
            log(error, where)

    return reported
