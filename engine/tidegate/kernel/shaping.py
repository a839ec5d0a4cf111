"""The post-execute waterfall: listeners shape what became of a call."""

from __future__ import annotations

from collections.abc import Awaitable

from .call import ToolOutcome
from .waterfall import Chain, Listener, Step, Wait

Shaper = Listener[ToolOutcome, ToolOutcome]


def shape(outcome: ToolOutcome, shapers: tuple[Shaper, ...], wait: Wait | None) -> Awaitable[ToolOutcome]:
    """Let *shapers* reword, redact or withhold *outcome*.

    Every shaper has to return what `next` gave it, or what its `with_…` made of that; without `next`, of what it
    was given. So nobody can undo what another has redacted, nor make a success of a failure. A shaper that
    raises or returns anything else spoils the outcome for good, whatever those outside of it do.

    Raises (when awaited):
        Exception: The outcome is spoilt and must be withheld.
    """
    shaping = _Shaping(outcome)
    return Chain(shapers, shaping.reach, shaping.settle, wait).run(outcome)


class _Shaping:
    __slots__ = ("_raw",)

    def __init__(self, raw: ToolOutcome) -> None:
        self._raw = raw

    def reach(self, outcome: ToolOutcome) -> ToolOutcome:
        _require_made_of(self._raw, outcome)
        return outcome

    def settle(self, step: Step[ToolOutcome, ToolOutcome], shaped: ToolOutcome) -> None:
        _require_made_of(step.value if step.answer is None else step.answer, shaped)
        _require_made_of(self._raw, shaped)


def _require_made_of(source: ToolOutcome, shaped: ToolOutcome) -> None:
    if shaped is source:
        return
    if type(shaped) is not ToolOutcome or not shaped.made_of(source):
        raise TypeError("a listener returned something that was not made of what next() gave it")
    if shaped.call is not source.call or shaped.entered is not source.entered:
        raise TypeError("a listener changed what the outcome is of")
    if source.is_error and not shaped.is_error:
        raise TypeError("a listener made a success of a failure")
