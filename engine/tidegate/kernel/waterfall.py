"""The waterfall: one value falls through a chain of listeners, each around all that come after it.

A listener is `listener(value, next)`, sync or async. `next()` hands on the value as it is, `next(other)` hands
on another, `None` included; awaiting what it gives runs the rest of the chain. What a listener returns is
what the one outside of it sees. A listener that returns without `next` cuts the rest off.

Sources: cordis (`ctx.waterfall`) for the onion, mini-dsh for the value that `next` carries. Against both, a
second `next` is an error: there it skips what stands between or runs it twice.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Generator
from enum import Enum
from typing import Any, Final, Generic, Protocol, TypeVar

from ..errors import CalledTwice

V = TypeVar("V")
R = TypeVar("R")
V_contra = TypeVar("V_contra", contravariant=True)
R_co = TypeVar("R_co", covariant=True)


class _Unchanged(Enum):
    UNCHANGED = "the value as it came"


UNCHANGED: Final = _Unchanged.UNCHANGED


class Next(Protocol[V_contra, R_co]):
    """The rest of the chain as a listener sees it; may be called once, while the listener runs."""

    def __call__(self, value: V_contra | _Unchanged = UNCHANGED, /) -> Awaitable[R_co]:
        """Hand on *value*, or what came in; awaiting runs the rest and gives its outcome."""


Listener = Callable[[V, Next[V, R]], R | Awaitable[R]]
Wait = Callable[[Awaitable[Any]], Awaitable[Any]]
"""How to wait for what is not ours where there may be no event loop yet; see `sync.py`."""


def is_awaitable(value: object) -> bool:
    """Whether *value* has to be awaited to have a meaning."""
    return hasattr(type(value), "__await__")


def require_sync(answer: object, complaint: str) -> None:
    """Raise `TypeError` with *complaint* if *answer* has to be awaited, where nobody can."""
    if is_awaitable(answer):
        if isinstance(answer, Coroutine):
            answer.close()
        raise TypeError(complaint)


class _State(Enum):
    FRESH = "next was not called"
    CALLED = "next was called and not awaited"
    RUNNING = "the rest of the chain runs"
    DONE = "the rest of the chain has answered"


_FRESH, _CALLED, _RUNNING, _DONE = _State


class Step(Generic[V, R]):
    """One listener's place in a running chain; it is what the listener calls `next`."""

    __slots__ = ("_chain", "_index", "_state", "answer", "value")

    def __init__(self, chain: Chain[V, R], index: int, value: V) -> None:
        self._chain = chain
        self._index = index
        self._state = _FRESH
        self.value = value
        self.answer: R | None = None

    def __call__(self, value: V | _Unchanged = UNCHANGED, /) -> Awaitable[R]:
        """Hand on *value*, or what came in; see `Next`."""
        if self._state is not _FRESH:
            raise CalledTwice("next() was called a second time")
        self._require_open()
        self._state = _CALLED
        return _Rest(self, self.value if value is UNCHANGED else value)

    @property
    def answered(self) -> bool:
        """Whether the rest of the chain ran to its end and left its outcome in `answer`."""
        return self._state is _DONE

    def _begin(self, value: V) -> Generator[Any, Any, R]:
        if self._state is not _CALLED:
            raise CalledTwice("the rest of the chain was awaited a second time")
        self._require_open()
        self._state = _RUNNING
        return self._chain.run(value, self._index + 1, self).__await__()

    def _require_open(self) -> None:
        if self._chain.closed <= self._index:
            raise CalledTwice("next() was called after its listener had returned")

    def _require_finished(self) -> None:
        if self._state is _RUNNING:
            raise CalledTwice("a listener returned while the rest of the chain was still running")

    def _finish(self, answer: R) -> None:
        self.answer = answer
        self._state = _DONE


class _Rest(Generic[V, R]):
    """What `next` returns: nothing runs before it is awaited."""

    __slots__ = ("_step", "_value")

    def __init__(self, step: Step[V, R], value: V) -> None:
        self._step = step
        self._value = value

    def __await__(self) -> Generator[Any, Any, R]:
        return self._step._begin(self._value)  # noqa: SLF001 - step and rest are one thing


class Chain(Generic[V, R]):
    """One run of a waterfall over a snapshot of its listeners.

    A *strict* chain has a `settle` function, which checks what each listener answered (and raises if it will
    not do). The first exception of a strict chain is its outcome, even where an outer listener caught it, and
    no listener may return while what it started still runs.
    """

    __slots__ = ("_inner", "_listeners", "_settle", "_wait", "closed", "failure")

    def __init__(
        self,
        listeners: tuple[Listener[V, R], ...],
        inner: Callable[[V], R | Awaitable[R]],
        *,
        settle: Callable[[Step[V, R], R], None] | None = None,
        wait: Wait | None = None,
    ) -> None:
        self._listeners = listeners
        self._inner = inner
        self._settle = settle
        self._wait = wait
        self.closed = len(listeners)
        self.failure: Exception | None = None

    @property
    def open(self) -> bool:
        """Whether no listener has returned yet, so that the innermost continuation still counts."""
        return self.closed == len(self._listeners)

    async def run(self, value: V, index: int = 0, above: Step[V, R] | None = None) -> R:
        """Run the chain from listener *index* on and give its outcome.

        Raises:
            CalledTwice: A listener called `next` twice, or after it had returned.
            Exception: Whatever a listener or the innermost function raised and nobody outside of it caught.
        """
        if index == len(self._listeners):
            answer: Any = self._inner(value)
            if is_awaitable(answer):
                answer = await answer
        else:
            answer = await self._listen(value, index)
        if above is not None:
            above._finish(answer)  # noqa: SLF001 - the chain moves its steps
        elif self._settle is not None and self.failure is not None:
            raise self.failure
        return answer  # type: ignore[no-any-return]

    async def _listen(self, value: V, index: int) -> R:
        step = Step(self, index, value)
        try:
            answer: Any = self._listeners[index](value, step)
            if is_awaitable(answer):
                if self._wait is not None and type(answer) is not _Rest:
                    answer = self._wait(answer)
                answer = await answer
            if self._settle is not None:
                step._require_finished()  # noqa: SLF001 - the chain moves its steps
                self._settle(step, answer)
        except Exception as failure:
            if self.failure is None:
                self.failure = failure
            raise
        finally:
            self.closed = min(self.closed, index)
        return answer  # type: ignore[no-any-return]
