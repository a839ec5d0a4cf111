"""Calls are judged by new rules, and by the old ones or by what was recorded; where the two differ is counted."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen

from ...call import Call
from ...decision import Decision
from ...kernel.json_values import same_json
from .entry import Entry, Piece, Word
from .formats import entries
from .judge import Judge
from .judging import Judging
from .tally import Change, Flip, Tally, change_between


@frozen
class Task:
    """What is compared: new rules with old ones, or without them with what was recorded.

    `sources` are the names of the sources, and `forms` those of their formats.
    """

    new: Judge
    old: Judge | None
    sources: tuple[str, ...]
    forms: tuple[str, ...]

    @property
    def counts(self) -> bool:
        """Whether the order of calls matters to either."""
        return self.new.counts or (self.old is not None and self.old.counts)

    def entries(self, piece: Piece) -> Iterable[Entry]:
        """The calls in a piece."""
        source = piece.place.source
        return entries(self.forms[source], piece, self.sources[source])


class Comparison:
    """Compares calls one after the other, and keeps count."""

    def __init__(self, task: Task) -> None:
        """Begin without any."""
        self._task = task
        self._new = task.new.begin()
        self._old: Judging | None = task.old.begin() if task.old is not None else None
        self._latest = float("-inf")
        self.tally = Tally()

    def take(self, items: Iterable[Piece | Entry]) -> None:
        """Compare the calls in these, in their order."""
        for item in items:
            for entry in (item,) if isinstance(item, Entry) else self._task.entries(item):
                self._take(entry)

    def _take(self, entry: Entry) -> None:
        if entry.call is None:
            self.tally.note_error(entry.place, entry.error)
            return
        try:
            new = self._new.judge(entry.call)
            old = self._old.judge(entry.call) if self._old is not None else None
        except Exception as error:  # noqa: BLE001 - not silent: it is told, and the other calls go on
            self.tally.note_error(entry.place, f"it could not be judged: {type(error).__name__}: {error}")
            return
        self._note_time(entry.call)
        self._note(entry, entry.call, new, old)

    def _note_time(self, call: Call) -> None:
        if call.at is None:
            self.tally.untimed += 1
            return
        self.tally.backwards += call.at < self._latest
        self._latest = call.at

    def _note(self, entry: Entry, call: Call, new: Decision, old: Decision | None) -> None:
        tally, word = self.tally, Word(new.effect, new.rule)
        before = entry.said if old is None else Word(old.effect, old.rule)
        tally.calls += 1
        if before is None:
            tally.not_compared += 1
            tally.note(Flip("not compared", None, word, call.tool.name), entry.place, call, new.reason)
            return
        change: Change | None = change_between(before, word)
        if change is None and old is not None and _differ(new, old):
            change = "rewritten"
        if change is not None:
            tally.note(Flip(change, before, word, call.tool.name), entry.place, call, new.reason)
        elif before == word:
            tally.same += 1
        else:
            tally.by_other_rule += 1


def _differ(new: Decision, old: Decision) -> bool:
    """Whether other arguments would run; a refused call has none that would."""
    return new.effect != "deny" and not same_json(new.arguments, old.arguments)
