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

from ..errors import CalledTwice, TidegateError

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


def awaited(awaitable: Awaitable[Any], source: object, wait: Wait | None) -> Awaitable[Any]:
    """*awaitable*, which a listener or another foreign *source* gave, as it can be awaited where *wait* says how."""
    if wait is None or getattr(source, "asks_for_loop", False):
        return awaitable
    return wait(awaitable)


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
    ENDED = "the rest of the chain has answered or raised"


_FRESH, _CALLED, _RUNNING, _ENDED = _State


class Step(Generic[V, R]):
    """One listener's place in a running chain: what the listener calls as `next`, and awaits.

    `value` is what came in, `passed` what was handed on, `answer` what the rest of the chain gave (`None` where
    it has not).
    """

    __slots__ = ("_chain", "answer", "index", "passed", "state", "value")

    def __init__(self, chain: Chain[V, R], index: int, value: V) -> None:
        self._chain = chain
        self.index = index
        self.state = _FRESH
        self.value = self.passed = value
        self.answer: R | None = None

    def __call__(self, value: V | _Unchanged = UNCHANGED, /) -> Awaitable[R]:
        """Hand on *value*, or what came in; see `Next`."""
        if self.state is not _FRESH:
            raise CalledTwice("next() was called a second time")
        if self._chain.closed <= self.index:
            raise CalledTwice("next() was called after its listener had returned")
        self.state = _CALLED
        if value is not UNCHANGED:
            self.passed = value
        return self

    def __await__(self) -> Generator[Any, Any, R]:
        if self.state is not _CALLED:
            raise CalledTwice("next was awaited without being called, or a second time")
        if self._chain.closed <= self.index:
            raise CalledTwice("the rest of the chain was awaited after its listener had returned")
        self.state = _RUNNING
        return self._chain.run(self.passed, self.index + 1, self).__await__()


class Chain(Generic[V, R]):
    """One run of a waterfall over a snapshot of its listeners.

    Args:
        reach: The innermost continuation, which the listeners are around; runs at most once.
        settle: Makes the chain strict: it is asked about every listener's answer, except where a listener merely
            returned `next(…)`, and raises if that will not do; no listener may return while what it started still
            runs; and the first exception is the outcome, even where a listener outside of it caught it, as it may
            catch the cancellation of what it started.
        wait: See `awaited`.
    """

    __slots__ = ("_listeners", "_reach", "_settle", "_wait", "closed", "failure")

    def __init__(
        self,
        listeners: tuple[Listener[V, R], ...],
        reach: Callable[[V], R | Awaitable[R]],
        settle: Callable[[Step[V, R], R], None] | None = None,
        wait: Wait | None = None,
    ) -> None:
        self._listeners = listeners
        self._reach = reach
        self._settle = settle
        self._wait = wait
        self.closed = len(listeners)
        self.failure: Exception | None = None

    @property
    def open(self) -> bool:
        """Whether no listener has returned yet, so that reaching the innermost continuation counts."""
        return self.closed == len(self._listeners)

    async def run(self, value: V, index: int = 0, above: Step[V, R] | None = None) -> R:
        """Run the chain from listener *index* on and give its outcome.

        Raises:
            CalledTwice: A listener called `next` twice, or after it had returned.
            Exception: Whatever a listener or `reach` raised and nobody outside of it caught.
        """
        try:
            step, answer = self._fall(value, index)
            while is_awaitable(answer):
                if step is not None and type(answer) is not Step:
                    answer = awaited(answer, self._listeners[step.index], self._wait)
                answer = await answer
            if step is not None and self._settle is not None:
                if step.state is _RUNNING:
                    raise CalledTwice("a listener returned while the rest of the chain was still running")  # noqa: TRY301
                self._settle(step, answer)
        except BaseException as failure:  # noqa: BLE001 - a listener that swallows a cancellation must not gain by it
            raise self._first(failure)  # noqa: B904 - most often it is the same one
        finally:
            if index < self.closed:  # noqa: PLR1730 - half the cost of `min`
                self.closed = index
            if above is not None:
                above.state = _ENDED
        if above is not None:
            above.answer = answer
        elif self._settle is not None and self.failure is not None:
            raise self.failure
        return answer  # type: ignore[no-any-return]

    def _first(self, failure: BaseException) -> BaseException:
        """Note *failure*; gives what it has to count as: in a strict chain, the first exception that there was."""
        error = failure if isinstance(failure, Exception) else TidegateError("a listener was interrupted")
        self.failure = first = self.failure or error
        return first if self._settle is not None and error is failure else failure

    def _fall(self, value: V, index: int) -> tuple[Step[V, R] | None, Any]:
        """Go on to the first listener that does not merely return `next(…)`, or to the end; give its answer.

        Those that are gone through need no frame of their own: their outcome is that of the rest, and nothing
        could run between its end and theirs.
        """
        for place in range(index, len(self._listeners)):
            step = Step(self, place, value)
            answer: Any = self._listeners[place](value, step)
            if answer is not step or step.state is not _CALLED:
                return step, answer
            step.state = _RUNNING
            value = step.passed
        return None, self._reach(value)
