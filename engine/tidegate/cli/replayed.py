"""The answer of `replay` in its forms: for people, for programs, and for a pull request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..assurance.replaying.entry import Place, Word
from ..assurance.replaying.replay import Replayed
from ..assurance.replaying.tally import OTHERS, Flip, Group, Tally
from ..shown import quote
from .jsonlines import dump
from .terminal import safe

FORMS = ("text", "json", "markdown")

_LONGEST = 300


def write(form: str, replayed: Replayed) -> Iterator[str]:
    """The lines of the answer."""
    if form == "json":
        return iter([dump(as_json(replayed))])
    return _markdown(replayed) if form == "markdown" else _text(replayed)


def notes(replayed: Replayed) -> Iterator[str]:
    """What has to be known of the answer, where rules count calls."""
    tally = replayed.tally
    if not replayed.counted:
        return
    if replayed.workers > 1:
        yield (
            f"what rules count over several sessions was counted by each of {replayed.workers} processes for itself; "
            "`--workers 1` is exact"
        )
    if tally.untimed:
        yield f"{_calls(tally.untimed)} without a time; limits take such a call as if it were the first"
    if tally.backwards:
        yield (
            f"{_calls(tally.backwards)} earlier than the one before; limits count in the order of the "
            "record, so sort it by time"
        )


def _text(replayed: Replayed) -> Iterator[str]:
    tally = replayed.tally
    for flip, group in tally.ordered():
        yield f"{flip.change}: {_tool(flip)}, {_calls(group.calls)}"
        yield f"  {safe(_change(flip))}"
        for sample in group.samples:
            yield f"  {_place(replayed, sample.place)}: {_cut(sample.line)}"
    for error in tally.errors:
        yield f"no call: {_place(replayed, error.place)}: {safe(error.why)}"
    if tally.unread > len(tally.errors):
        yield f"no call: {tally.unread - len(tally.errors)} more"
    yield _sum(tally)
    for note in notes(replayed):
        yield f"note: {note}"


def _calls(number: int) -> str:
    return f"{number:,} call{'' if number == 1 else 's'}"


def _tool(flip: Flip) -> str:
    return "other tools" if flip.tool == OTHERS else quote(flip.tool)


def _by(word: Word) -> str:
    return f"{word.effect} by {quote(word.rule) if word.rule is not None else '`default`'}"


def _change(flip: Flip) -> str:
    now = f"now {_by(flip.new)}"
    if flip.old is None:
        return f"nothing is recorded, {now}"
    return f"{_by(flip.old)}, {now}{', with other arguments' if flip.change == 'rewritten' else ''}"


def _place(replayed: Replayed, place: Place) -> str:
    call = f" (call {place.part + 1})" if place.part else ""
    return safe(f"{replayed.sources[place.source]}:{place.number}{call}")


def _cut(line: str) -> str:
    if not line:
        return "too long to be shown"
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def _sum(tally: Tally) -> str:
    changes = tally.changes()
    parts = [f"{tally.same + tally.by_other_rule:,} as before"]
    if tally.by_other_rule:
        parts[0] += f" ({tally.by_other_rule:,} by another rule)"
    parts += [f"{number:,} {change}" for change, number in sorted(changes.items())]
    unread = f"; {tally.unread:,} {'is' if tally.unread == 1 else 'are'} no call" if tally.unread else ""
    return f"{_calls(tally.calls)}: {', '.join(parts)}{unread}"


def _markdown(replayed: Replayed) -> Iterator[str]:
    """A table for a pull request, and the calls beneath it."""
    tally = replayed.tally
    yield f"### Replay: {_sum(tally)}"
    if tally.groups:
        yield ""
        yield "| change | tool | old | new | calls |"
        yield "| --- | --- | --- | --- | ---: |"
    groups = tally.ordered()
    for flip, group in groups:
        old = "" if flip.old is None else _by(flip.old)
        yield f"| {flip.change} | {_cell(_tool(flip))} | {_cell(old)} | {_cell(_by(flip.new))} | {group.calls:,} |"
    for flip, group in groups:
        yield ""
        yield f"{flip.change}, {_cell(_tool(flip))}: {_cell(_change(flip))}"
        yield ""
        yield "```json"
        yield from (_cut(sample.line) for sample in group.samples)
        yield "```"
    if tally.errors:
        yield ""
        yield from (
            f"- {_cell(_place(replayed, error.place))} is no call: {_cell(error.why)}" for error in tally.errors
        )
    for note in notes(replayed):
        yield ""
        yield f"Note: {note}"


def _cell(text: str) -> str:
    return safe(text).replace("|", "\\|")


def as_json(replayed: Replayed) -> dict[str, Any]:
    """Everything, with the samples as lines that `tidegate decide` reads."""
    tally = replayed.tally
    changes = tally.changes()
    return {
        "calls": tally.calls,
        "same": tally.same,
        "by_other_rule": tally.by_other_rule,
        **{name: changes[name] for name in ("looser", "stricter", "rewritten")},
        "not_compared": tally.not_compared,
        "no_calls": tally.unread,
        "errors": [{"place": _place(replayed, error.place), "why": error.why} for error in tally.errors],
        "groups": [_group(replayed, flip, group) for flip, group in tally.ordered()],
        "workers": replayed.workers,
        "notes": list(notes(replayed)),
    }


def _group(replayed: Replayed, flip: Flip, group: Group) -> dict[str, Any]:
    return {
        "change": flip.change,
        "tool": flip.tool if flip.tool != OTHERS else None,
        "old": None if flip.old is None else flip.old._asdict(),
        "new": flip.new._asdict(),
        "calls": group.calls,
        "samples": [
            {"place": _place(replayed, sample.place), "call": sample.line or None, "reason": sample.reason}
            for sample in group.samples
        ],
    }
