"""The pre-execute waterfall: listeners judge and rewrite a call before anything runs."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import NoReturn

from ..errors import ToolArgsError, ToolFailed, UnknownTool, Veto
from .call import ToolExecution
from .content import DENIED, Denial
from .waterfall import Chain, Listener, Step, Wait

Judge = Listener[ToolExecution, ToolExecution]


def judge(call: ToolExecution, judges: tuple[Judge, ...], wait: Wait | None) -> Awaitable[ToolExecution]:
    """Let *judges* rewrite or refuse *call*; gives the call as the innermost continuation received it.

    Every judge has to return exactly that call: it is what all of them have seen. A judge that raises, returns
    anything else, or ends before what it started, refuses the call for good, whatever those outside of it do.

    Raises (when awaited):
        Exception: The call is refused, and why.
    """
    judgement = _Judgement(call)
    return Chain(judges, judgement.reach, judgement.settle, wait).run(call)


class _Judgement:
    __slots__ = ("_asked", "_reached")

    def __init__(self, asked: ToolExecution) -> None:
        self._asked = asked
        self._reached: ToolExecution | None = None

    def reach(self, call: ToolExecution) -> ToolExecution:
        require_same_call(call, self._asked)
        self._reached = call
        return call

    def settle(self, _: Step[ToolExecution, ToolExecution], verdict: object) -> None:
        if verdict is None or verdict is not self._reached:
            _refuse(verdict)


def _refuse(verdict: object) -> NoReturn:
    if type(verdict) is Denial:
        raise Veto(verdict.reason or DENIED)
    raise TypeError("a policy listener did not pass the call on")


def require_same_call(call: object, asked: ToolExecution) -> None:
    """Raise `TypeError` unless *call* is *asked*, if perhaps with other arguments."""
    if type(call) is not ToolExecution:
        raise TypeError("a listener passed on something that is no call")
    if call.name != asked.name or call.call_id != asked.call_id or call.agent != asked.agent:
        raise TypeError("a listener changed the tool, the id or the agent of the call")


def is_refusal(error: Exception) -> bool:
    """Whether *error* says no as it should, so that nobody's code is to be mended."""
    return isinstance(error, Veto | ToolArgsError | ToolFailed | UnknownTool)
