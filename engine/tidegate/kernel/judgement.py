"""The pre-execute waterfall: listeners judge and rewrite a call before anything runs."""

from __future__ import annotations

from typing import NoReturn

from ..errors import ToolArgsError, ToolFailed, UnknownTool, Veto
from .call import ToolExecution
from .content import DENIED, Denial
from .waterfall import Chain, Listener, Step, Wait

Judge = Listener[ToolExecution, ToolExecution]


class Judgement(Chain[ToolExecution, ToolExecution]):
    """The run of the pre-execute listeners over one call; its outcome is the call as `reach` received it.

    Every judge has to return exactly that call: it is what all of them have seen. A judge that raises, returns
    anything else, or ends before what it started, refuses the call for good, whatever those outside of it do.
    """

    __slots__ = ("_asked", "_reached")

    strict = True

    def __init__(self, asked: ToolExecution, judges: tuple[Judge, ...], wait: Wait | None) -> None:
        super().__init__(judges, wait)
        self._asked = asked
        self._reached: ToolExecution | None = None

    def reach(self, value: ToolExecution) -> ToolExecution:
        """Take the call as all judges have passed it on."""
        require_same_call(value, self._asked)
        self._reached = value
        return value

    def settle(self, step: Step[ToolExecution, ToolExecution], answer: object) -> None:  # noqa: ARG002 - as in Chain
        """See that a judge returned what all of them have passed on."""
        if answer is None or answer is not self._reached:
            _refuse(answer)


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
