"""The post-execute waterfall: listeners shape what became of a call."""

from __future__ import annotations

from .call import ToolOutcome
from .waterfall import Chain, Listener, Step, Wait

Shaper = Listener[ToolOutcome, ToolOutcome]


class Shaping(Chain[ToolOutcome, ToolOutcome]):
    """The run of the post-execute listeners over one outcome.

    Every shaper has to return what `next` gave it, or what its `with_…` made of that; without `next`, of what it
    was given. So nobody can undo what another has redacted, nor make a success of a failure. A shaper that
    raises or returns anything else spoils the outcome for good, whatever those outside of it do.
    """

    __slots__ = ("_raw",)

    strict = True

    def __init__(self, raw: ToolOutcome, shapers: tuple[Shaper, ...], wait: Wait | None) -> None:
        super().__init__(shapers, wait)
        self._raw = raw

    def reach(self, value: ToolOutcome) -> ToolOutcome:
        """Take the outcome as all shapers have passed it on."""
        _require_made_of(self._raw, value)
        return value

    def settle(self, step: Step[ToolOutcome, ToolOutcome], answer: ToolOutcome) -> None:
        """See that a shaper returned something made of what it was given."""
        _require_made_of(step.value if step.answer is None else step.answer, answer)
        _require_made_of(self._raw, answer)


def _require_made_of(source: ToolOutcome, shaped: ToolOutcome) -> None:
    if shaped is source:
        return
    if type(shaped) is not ToolOutcome or not shaped.made_of(source):
        raise TypeError("a listener returned something that was not made of what next() gave it")
    if shaped.call is not source.call or shaped.entered is not source.entered:
        raise TypeError("a listener changed what the outcome is of")
    if source.is_error and not shaped.is_error:
        raise TypeError("a listener made a success of a failure")
