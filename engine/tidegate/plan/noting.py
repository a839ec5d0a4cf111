"""What rules note of calls that run, and what they find noted: the past of a session."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from logging import getLogger
from typing import TYPE_CHECKING

from ..facts import RECORDED
from ..facts.history import LIVE, Mark
from ..kind import Guard, Output

if TYPE_CHECKING:
    from ..facts import Facts
    from ..kind import Observes
    from .rule import Rule
    from .sitting import Sitting

_log = getLogger("tidegate")
UNNOTED = "what this call does could not be noted, and a rule depends on that; try again later"
PROMPT = "prompt"
"""The source of what people said, among those of the texts of a session."""


class SessionPast:
    """The past of one session, or of no session, as rules ask for it."""

    __slots__ = ("_facts", "_store", "session")

    def __init__(self, facts: Facts, session: str | None, *, recorded: bool) -> None:
        self._facts = facts
        self._store = RECORDED if recorded else LIVE
        self.session = session

    def marks(self, keys: Iterable[str]) -> Mapping[str, Mark]:
        """The marks that are set under these keys; none in no session.

        Raises:
            StoreError: The store cannot be used.
        """
        return {} if self.session is None else self._facts.history(self._store).marks(self.session, keys)

    def texts(self, source: str) -> tuple[str, ...]:
        """What came from one source."""
        return () if self.session is None else self._facts.texts.of(self._named(self.session), source)

    def note(self, keys: Iterable[str], at: float, number: int | None = None) -> int | None:
        """Set marks; in no session nothing is noted."""
        return None if self.session is None else self._facts.history(self._store).note(self.session, keys, at, number)

    def hear(self, source: str, text: str) -> None:
        """Keep a text."""
        if self.session is not None:
            self._facts.texts.add(self._named(self.session), source, text)

    def _named(self, session: str) -> str:
        return f"{self._store}:{session}"


def begin(sitting: Sitting) -> str | None:
    """Note that the body of a call is entered; what cannot be noted refuses the call, and this says so."""
    past = sitting.past
    if past is None or not sitting.rules.observers:
        return None
    try:
        keys = [key for rule in sitting.rules.observers for key in _observes(rule).begins(sitting.cases[rule.layer])]
        sitting.begun = past.note(keys, sitting.now)
    except Exception:  # noqa: BLE001 - not silent: the host reads it in the log, and the model a refusal
        _log.exception("a call of `%s` could not be noted", sitting.call.tool.name)
        return UNNOTED
    return None


def end(sitting: Sitting, output: Output) -> None:
    """Note how a call ended, by its result before any output rule; what cannot be noted did not happen."""
    past = sitting.past
    if past is None:
        return
    for rule in sitting.rules.observers:
        try:
            case, observes = sitting.cases[rule.layer], _observes(rule)
            past.note(observes.lasts(case), sitting.now)
            past.note(observes.ends(case, output), sitting.now, sitting.begun)
        except Exception:  # noqa: BLE001 - not silent, and less is known to have succeeded
            _log.exception("the end of a call of `%s` could not be noted", sitting.call.tool.name)


def hear(sitting: Sitting, output: Output) -> None:
    """Keep what a call returned, as it goes out, where a rule wants to know where texts come from."""
    past = sitting.past
    if past is None:
        return
    for rule in sitting.rules.observers:
        try:
            for source, text in _observes(rule).hears(sitting.cases[rule.layer], output):
                past.hear(source, text)
        except Exception:  # noqa: BLE001 - not silent, and less is known to be a source
            _log.exception("the result of a call of `%s` could not be kept", sitting.call.tool.name)


def _observes(rule: Rule) -> Observes:
    assert isinstance(rule.part, Guard)  # noqa: S101 - only such rules are among the observers
    assert rule.part.observes is not None  # noqa: S101
    return rule.part.observes
