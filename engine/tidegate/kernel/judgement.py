"""The pre-execute waterfall: listeners judge and rewrite a call before anything runs."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import NoReturn

from ..errors import ToolArgsError, ToolFailed, UnknownTool, Veto
from .call import ToolExecution
from .content import DENIED, Denial
from .waterfall import Chain, Listener, Step, Wait

Judge = Listener[ToolExecution, ToolExecution]


class Judgement:
    """The judgement of one call by listeners, which rewrite or refuse it.

    Attributes:
        call: The call as the innermost continuation received it; until then as it came. What a listener noted in
            it counts also where one outside of it refuses the call afterwards.
    """

    __slots__ = ("_asked", "_reached", "call")

    def __init__(self, asked: ToolExecution) -> None:
        self._asked = self.call = asked
        self._reached = False

    def run(self, judges: tuple[Judge, ...], wait: Wait | None) -> Awaitable[ToolExecution]:
        """Let *judges* rewrite or refuse the call; gives it as the innermost continuation received it.

        Every judge has to return exactly that call: it is what all of them have seen. A judge that raises, returns
        anything else, or ends before what it started, refuses the call for good, whatever those outside of it do.

        Raises (when awaited):
            Exception: The call is refused, and why.
        """
        return Chain(judges, self._reach, self._settle, wait).run(self._asked)

    def _reach(self, call: ToolExecution) -> ToolExecution:
        require_same_call(call, self._asked)
        self.call, self._reached = call, True
        return call

    def _settle(self, _: Step[ToolExecution, ToolExecution], verdict: object) -> None:
        if not self._reached or verdict is not self.call:
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
