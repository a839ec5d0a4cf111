"""Shortening a JSON value to a bound, so that it stays JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from .errors import CallError
from .kernel.json_values import compact, snapshot
from .shorten import NONE, UNBOUNDED, Size, Style, count_lines, shorten_string, sound, utf8_size

GENEROUS = 256
"""The bytes that a long string keeps, if there is room, before arrays lose items."""


class Shortened(NamedTuple):
    """A value within its bound, and the size of what was dropped from it without a marker."""

    value: Any
    dropped: Size


def shorten_json(value: Any, most: Size, style: Style) -> Shortened:
    """Shorten *value* so that its compact JSON has at most so many bytes, and all its strings so many lines.

    The longest strings are shortened first, all to one length, each with a marker. Where that is not enough, all
    arrays lose the items behind one index. Where that is not enough either, an object that says so takes the place
    of the value, and where even that has no room, `None`. A value within the bound comes back itself, and lone
    surrogates become U+FFFD. The same value gives the same outcome each time.

    Raises:
        ValueError, TypeError, RecursionError: *value* is not JSON, or nested deeper than `snapshot` takes.
    """
    value, whole = _measured(value)
    if whole.within(most):
        return Shortened(value, NONE)
    style = Style(style.keep, " ".join(style.marker.split()))
    least = string_size(style.mark(whole))
    for floor in (max(least, min(GENEROUS, most.bytes // 8)), least):
        draft = _longest_draft(value, most, style, floor)
        if draft is not None:
            kept = json_size(draft.value)
            dropped = Size(whole.bytes - kept.bytes, whole.lines - kept.lines)
            return Shortened(snapshot(_finished(draft, style)), dropped)
    notice = {"truncated": style.mark(whole)}
    return Shortened(snapshot(notice) if json_size(notice).within(most) else None, whole)


def json_of(text: str) -> Any:
    """The JSON object or array that a text is, or `None`."""
    try:
        value = snapshot(json.loads(text, object_pairs_hook=_once))
    except (ValueError, RecursionError, CallError):
        return None
    return value if isinstance(value, dict | list) else None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        raise ValueError("a key stands twice in one object")
    return table


def shorten_json_text(text: str, value: Any, most: Size, style: Style) -> list[str] | None:
    """Shorten the *text* of a JSON *value*, so that it stays JSON and is within *most* with a marker behind it.

    Gives the text and perhaps the marker as a second one, which counts what has no marker within the JSON. `None`
    where the text is within *most* as it is, or the marker leaves no room for JSON.
    """
    whole = Size(utf8_size(text), count_lines(text))
    reserve = style.mark(whole)
    room = Size(most.bytes - utf8_size(reserve), most.lines - count_lines(reserve))
    if whole.within(most) or room.bytes < len("null") or room.lines < 1:
        return None
    shortened, dropped = shorten_json(value, Size(room.bytes, UNBOUNDED), style)
    return [compact(shortened)] if dropped == NONE else [compact(shortened), style.mark(dropped)]


def json_size(value: Any) -> Size:
    """The bytes of the compact JSON of *value*, and the lines of all its strings run together."""
    text = compact(value)
    more = sum(map(_more_lines, _values(value, str))) if "\\n" in text else 0
    return Size(len(text.encode()), 1 + more)


_encode = json.JSONEncoder(ensure_ascii=False).encode


def string_size(text: str) -> int:
    """The bytes that *text* takes within the quotes of a JSON string."""
    return len(_encode(text).encode()) - 2


class _Draft(NamedTuple):
    """A value whose arrays have lost their ends, and what its strings may have at most."""

    value: Any
    text: Size


def _longest_draft(value: Any, most: Size, style: Style, floor: int) -> _Draft | None:
    """The draft with the longest arrays in which no string has to be shorter than *floor*, if there is one."""
    draft = _draft(value, UNBOUNDED, most, style, floor)
    if draft is not None or not any(_values(value, list)):
        return draft
    draft = _draft(value, 0, most, style, floor)
    # Growing from none costs as much as what has room, however long the arrays are.
    fits, fails = 0, 1
    while draft is not None and (longer := _draft(value, fails, most, style, floor)) is not None:
        draft, fits, fails = longer, fails, 2 * fails
    while draft is not None and fails - fits > 1:
        middle = (fits + fails) // 2
        longer = _draft(value, middle, most, style, floor)
        draft, fits, fails = (draft, fits, middle) if longer is None else (longer, middle, fails)
    return draft


def _draft(value: Any, items: int, most: Size, style: Style, floor: int) -> _Draft | None:
    """The draft with arrays of at most so many *items*, or `None` if a string had to be shorter than *floor*."""
    kept = value if items == UNBOUNDED else _mapped(value, lambda text: text, items)
    texts = list(_values(kept, str))
    sizes = list(map(string_size, texts))
    room = most.bytes - json_size(kept).bytes + sum(sizes)
    if room < 0:
        return None
    lines = UNBOUNDED
    if most.lines != UNBOUNDED:
        lines = 1 + _level([_more_lines(text) for text in texts], most.lines - 1)
        sizes = [string_size(shorten_string(text, Size(UNBOUNDED, lines), style, string_size)) for text in texts]
    if sum(min(size, floor) for size in sizes) > room:
        return None
    return _Draft(kept, Size(_level(sizes, room), lines))


def _level(sizes: Sequence[int], room: int) -> int:
    """The largest number to which all larger *sizes* can be cut so that their sum is at most *room*."""
    for index, size in enumerate(sorted(sizes)):
        even = room // (len(sizes) - index)
        if size > even:
            return even
        room -= size
    return UNBOUNDED - 1


def _finished(draft: _Draft, style: Style) -> Any:
    return _mapped(draft.value, lambda text: shorten_string(text, draft.text, style, string_size), UNBOUNDED)


def _more_lines(text: str) -> int:
    """The lines of *text* after its first."""
    return max(0, count_lines(text) - 1)


def _mapped(value: Any, change: Callable[[str], str], items: int) -> Any:
    """A copy with each string changed, and without what stands in an array behind so many *items*."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: _mapped(item, change, items) for key, item in value.items()}
    return [_mapped(item, change, items) for item in value[:items]] if isinstance(value, list) else value


def _values(value: Any, kind: type) -> Iterator[Any]:
    """Every value of one *kind* within *value*; keys are none."""
    stack = [value]
    while stack:
        value = stack.pop()
        if isinstance(value, kind):
            yield value
        if isinstance(value, dict):
            stack.extend(value.values())
        elif isinstance(value, list):
            stack.extend(value)


def _measured(value: Any) -> tuple[Any, Size]:
    """*value* and its size; a copy with U+FFFD for each lone surrogate where there are such."""
    try:
        return value, json_size(value)
    except UnicodeEncodeError:
        value = json.loads(sound(compact(value)))
        return value, json_size(value)
