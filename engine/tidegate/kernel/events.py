"""Events by name: who listens, and the five ways to dispatch.

The mode belongs to listener and dispatch alike: a dispatch runs only the listeners of its own mode, so one
name can be wrapped by some (`waterfall`) and observed by others (`emit`). Every dispatch runs over the
listeners that stood when it began. Listeners take one value.

========== ======== ==========================================================================
emit       sync     all run, in order of registration; one that raises is reported, the rest run
parallel   awaited  all run at once; if any raised, one `ExceptionGroup`
serial     awaited  in order, until one answers neither `None` nor `False`: that is returned
bail       sync     the same without waiting
waterfall  awaited  around each other; see `waterfall.py`
========== ======== ==========================================================================
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from threading import Lock
from typing import Any, Final, Literal, NamedTuple

from .phases import MODES
from .waterfall import Chain, is_awaitable, require_sync

Mode = Literal["emit", "parallel", "serial", "bail", "waterfall", "guard"]
AnyListener = Callable[..., Any]
Lineage = tuple[str, ...]
Report = Callable[[Exception, str], None]

_ANY_MODES: Final = frozenset({"emit", "parallel", "serial", "bail", "waterfall"})
_ASYNC: Final = "the listener is async, and nobody waits for it in this mode"


class Entry(NamedTuple):
    """One registration: the listener, and the agent whose calls it is for (`None` for all)."""

    listener: AnyListener
    agent: str | None


class _Line(NamedTuple):
    """All registrations of one name and mode; `plain` are the listeners alone, if none is for one agent only."""

    entries: tuple[Entry, ...]
    plain: tuple[AnyListener, ...] | None


class Events:
    """The listeners of one tree of contexts. Adding and removing is safe from any thread."""

    __slots__ = ("_lines", "_lock", "_report")

    def __init__(self, report: Report) -> None:
        self._lines: dict[tuple[str, Mode], _Line] = {}
        self._lock = Lock()
        self._report = report

    def add(
        self, name: str, mode: Mode, listener: AnyListener, *, agent: str | None = None, prepend: bool = False
    ) -> Callable[[], None]:
        """Register *listener* and return what removes exactly this registration.

        Raises:
            ValueError: Nobody dispatches *name* in that mode, so that the listener would never run.
            TypeError: The listener is not callable.
        """
        if mode not in MODES.get(name, _ANY_MODES):
            raise ValueError(f"no listener of `{name}` runs in mode `{mode}`")
        if not callable(listener):
            raise TypeError(f"a listener of `{name}` is a callable, not {type(listener).__name__}")
        entry = Entry(listener, agent)
        with self._lock:
            entries = self.entries(name, mode)
            self._put(name, mode, (entry, *entries) if prepend else (*entries, entry))

        def remove() -> None:
            with self._lock:
                self._put(name, mode, tuple(other for other in self.entries(name, mode) if other is not entry))

        return remove

    def _put(self, name: str, mode: Mode, entries: tuple[Entry, ...]) -> None:
        if entries:
            everyone = all(entry.agent is None for entry in entries)
            plain = tuple(entry.listener for entry in entries) if everyone else None
            self._lines[name, mode] = _Line(entries, plain)
        else:
            self._lines.pop((name, mode), None)

    def entries(self, name: str, mode: Mode) -> tuple[Entry, ...]:
        """The registrations of *name* and *mode*, for whomever, as they stand now."""
        line = self._lines.get((name, mode))
        return () if line is None else line.entries

    def listeners(self, name: str, mode: Mode, lineage: Lineage = ()) -> tuple[AnyListener, ...]:
        """The listeners for everyone and for the agents of *lineage*, in order of registration."""
        line = self._lines.get((name, mode))
        if line is None:
            return ()
        if line.plain is not None:
            return line.plain
        return tuple(entry.listener for entry in line.entries if entry.agent is None or entry.agent in lineage)

    def guards(self, name: str, lineage: Lineage = ()) -> tuple[AnyListener, ...]:
        """The guards of that name: those for everyone first, then by scope from the farthest ancestor on."""
        line = self._lines.get((name, "guard"))
        if line is None:
            return ()
        if line.plain is not None:
            return line.plain
        ranks: dict[str | None, int] = {agent: rank for rank, agent in enumerate((None, *lineage))}
        entries = sorted((one for one in line.entries if one.agent in ranks), key=lambda one: ranks[one.agent])
        return tuple(entry.listener for entry in entries)

    def emit(self, name: str, value: object = None, lineage: Lineage = ()) -> None:
        """Show *value* to every observer. What they return or raise changes nothing."""
        for listener in self.listeners(name, "emit", lineage):
            try:
                require_sync(listener(value), _ASYNC)
            except Exception as error:  # noqa: BLE001 - contained and reported: observers cannot touch a call
                self._report(error, f"an observer of `{name}`")

    async def parallel(self, name: str, value: object = None, lineage: Lineage = ()) -> None:
        """Run all listeners at once and wait for all of them.

        Raises:
            ExceptionGroup: Some raised; it holds every exception.
        """
        failures: list[Exception] = []
        pending: list[Awaitable[Any]] = []
        for listener in self.listeners(name, "parallel", lineage):
            try:
                answer = listener(value)
            except Exception as error:  # noqa: BLE001 - raised below, with the others
                failures.append(error)
            else:
                if is_awaitable(answer):
                    pending.append(answer)
        await _all(pending, failures)
        if failures:
            raise ExceptionGroup(f"listeners of `{name}` failed", failures)

    async def serial(self, name: str, value: object = None, lineage: Lineage = ()) -> Any:
        """Ask one listener after the other; give the first answer that is neither `None` nor `False`."""
        for listener in self.listeners(name, "serial", lineage):
            answer = listener(value)
            if is_awaitable(answer):
                answer = await answer
            if answer is not None and answer is not False:
                return answer
        return None

    def bail(self, name: str, value: object = None, lineage: Lineage = ()) -> Any:
        """`serial` without waiting.

        Raises:
            TypeError: A listener gave something that has to be awaited.
        """
        for listener in self.listeners(name, "bail", lineage):
            answer = listener(value)
            require_sync(answer, _ASYNC)
            if answer is not None and answer is not False:
                return answer
        return None

    async def waterfall(
        self, name: str, value: Any, inner: Callable[[Any], Any] | None = None, lineage: Lineage = ()
    ) -> Any:
        """Let *value* fall through the listeners into *inner*, which gives it back where there is none."""
        listeners = self.listeners(name, "waterfall", lineage)
        return await Chain(listeners, inner or _as_it_is).run(value)


def _as_it_is(value: Any) -> Any:
    return value


async def _all(pending: list[Awaitable[Any]], failures: list[Exception]) -> None:
    async def contained(awaitable: Awaitable[Any]) -> None:
        try:
            await awaitable
        except Exception as error:  # noqa: BLE001 - raised together by the caller
            failures.append(error)

    if len(pending) > 1:
        from anyio import create_task_group

        async with create_task_group() as group:
            for awaitable in pending:
                group.start_soon(contained, awaitable)
    else:
        for awaitable in pending:
            await contained(awaitable)
