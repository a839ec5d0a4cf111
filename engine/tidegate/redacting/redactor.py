"""Putting labels in the place of everything that is found, until nothing is found any more."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any

from ..kernel.json_values import compact
from .finding import Finder, Span
from .labels import Labels

MOST_ROUNDS = 16
"""How often a text is looked through again after something in it was replaced."""

_SCALAR = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9][0-9.eE+-]*|true|false|null')


class Unsettled(ValueError):
    """Something is found in every text that comes of replacing what was found before."""


class Redactor:
    """Replaces what a finder finds by labels.

    In what comes out nothing is found but what lies within labels, and it comes out again as it is. What holds
    nothing is returned itself.
    """

    def __init__(self, finder: Finder, labels: Labels) -> None:
        self._find = finder
        self._labels = labels

    def text(self, text: str) -> str:
        """One text.

        Raises:
            Unsettled, TooMuchDecoding: It cannot be told what to leave of it.
        """
        return self.texts([text])[0]

    def texts(self, texts: Sequence[str]) -> list[str]:
        """Texts that a reader may read one by one, right after another, or one below the other."""
        parts = [text.encode("utf-8", "surrogatepass") for text in texts]
        for _ in range(MOST_ROUNDS):
            before = parts
            # What goes over several is longer than what is found in one of them.
            for between in (b"", b"\n") if len(parts) > 1 else ():
                parts = self._together(parts, between)
            parts = self._alone(parts)
            if parts == before:
                return [
                    text if part == text.encode("utf-8", "surrogatepass") else part.decode("utf-8", "surrogatepass")
                    for text, part in zip(texts, parts, strict=True)
                ]
        raise Unsettled("a pattern matches whatever is put in the place of what it matches")

    def json(self, value: Any) -> Any:
        """A JSON value: its strings, keys and numbers, each for itself, and all of them as they stand in JSON text.

        A number that is replaced becomes a string; keys that would become equal are numbered.
        """
        for _ in range(MOST_ROUNDS):
            leaves = list(_leaves(value))
            replaced = self._leaves_together(value, leaves)
            alone = self._leaves_alone(leaves)
            replaced = [one or other for one, other in zip(alone, replaced, strict=True)]
            if not any(replaced):
                return value
            left = iter(replaced)
            changed = _rebuilt(value, left)
            if compact(changed) == compact(value):
                return value
            value = changed
        raise Unsettled("a pattern matches whatever is put in the place of what it matches")

    # Texts.

    def _alone(self, parts: Sequence[bytes]) -> list[bytes]:
        found = self._find(parts)
        return [
            self._replaced(part, self._open(part, spans)) if spans else part
            for part, spans in zip(parts, found, strict=True)
        ]

    def _together(self, parts: list[bytes], between: bytes) -> list[bytes]:
        """The parts without what is found in them joined; its label stands in the part in which it begins."""
        text = between.join(parts)
        (found,) = self._find([text])
        spans = self._open(text, found) if found else []
        starts = list(accumulate([len(part) + len(between) for part in parts[:-1]], initial=0))
        pieces: list[list[Span]] = [[] for _ in parts]
        for span in spans:
            label = self._labels.write(span.label, span.value)
            for index in range(bisect_right(starts, span.start) - 1, len(parts)):
                first = max(0, span.start - starts[index])
                last = min(len(parts[index]), span.end - starts[index])
                if starts[index] >= span.end:
                    break
                if first < last:
                    pieces[index].append(Span(first, last, "", label))
                    label = b""
        return [_spliced(part, spans) for part, spans in zip(parts, pieces, strict=True)]

    def _open(self, text: bytes, found: list[Span]) -> list[Span]:
        """What has to be replaced: everything that is more than labels, in order, with the labels that it touches."""
        labels = self._labels.places(text)
        starts = [start for start, _ in labels]
        merged: list[Span] = []
        for span in sorted(found, key=lambda span: (span.start, -span.end)):
            start, end = span.start, span.end
            touched = labels[max(0, bisect_right(starts, start) - 1) : bisect_right(starts, end - 1)]
            touched = [place for place in touched if place[0] < end and start < place[1]]
            if touched:
                if touched[0][0] <= start and end <= touched[0][1]:
                    continue
                start, end = min(start, touched[0][0]), max(end, touched[-1][1])
            if merged and start < merged[-1].end:
                merged[-1] = merged[-1]._replace(end=max(end, merged[-1].end))
            else:
                merged.append(span._replace(start=start, end=end))
        return merged

    def _replaced(self, text: bytes, spans: Sequence[Span]) -> bytes:
        return _spliced(text, [span._replace(value=self._labels.write(span.label, span.value)) for span in spans])

    # JSON values.

    def _leaves_alone(self, leaves: Sequence[tuple[str, bool]]) -> list[str | None]:
        """What stands for each leaf whose own text holds something."""
        texts = list(dict.fromkeys(text for text, alone in leaves if alone))
        parts = [text.encode("utf-8", "surrogatepass") for text in texts]
        changed = {}
        for text, part, after in zip(texts, parts, self._alone(parts), strict=True):
            if after != part:
                changed[text] = after.decode("utf-8", "surrogatepass")
        return [changed.get(text) if alone else None for text, alone in leaves]

    def _leaves_together(self, value: Any, leaves: Sequence[tuple[str, bool]]) -> list[str | None]:
        """What stands for each leaf that is touched by something found in the JSON text."""
        replaced: list[str | None] = [None] * len(leaves)
        text = compact(value).encode("utf-8", "surrogatepass")
        (found,) = self._find([text])
        if not found:
            return replaced
        places = [_inner(match) for match in _SCALAR.finditer(text)]
        starts = [start for start, _ in places]
        for span in found:
            for index in range(max(0, bisect_right(starts, span.start) - 1), bisect_right(starts, span.end - 1)):
                touched = max(span.start, places[index][0]) < min(span.end, places[index][1])
                if touched and replaced[index] is None and not self._is_label(leaves[index][0]):
                    replaced[index] = self._labels.write(span.label, span.value).decode()
        return replaced

    def _is_label(self, text: str) -> bool:
        part = text.encode("utf-8", "surrogatepass")
        return self._labels.places(part)[:1] == [(0, len(part))]


def _spliced(text: bytes, spans: Sequence[Span]) -> bytes:
    """*text* with the value of each span in its place."""
    pieces, at = [], 0
    for span in spans:
        pieces += [text[at : span.start], span.value]
        at = span.end
    return b"".join([*pieces, text[at:]]) if pieces else text


def _leaves(value: Any) -> Iterator[tuple[str, bool]]:
    """Every key and scalar in the order of JSON text, with whether its own text says anything."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield key, True
            yield from _leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    elif isinstance(value, str):
        yield value, True
    else:
        yield compact(value), not (value is None or isinstance(value, bool))


def _inner(match: re.Match[bytes]) -> tuple[int, int]:
    """Where a scalar stands in JSON text, without the quotes of a string."""
    start, end = match.span()
    return (start + 1, end - 1) if match[0][:1] == b'"' else (start, end)


def _rebuilt(value: Any, replaced: Iterator[str | None]) -> Any:
    """*value* with each leaf replaced for which there is something."""
    if isinstance(value, dict):
        table: dict[str, Any] = {}
        for key, item in value.items():
            name = next(replaced)
            table[_unused(key if name is None else name, table)] = _rebuilt(item, replaced)
        return table
    if isinstance(value, list):
        return [_rebuilt(item, replaced) for item in value]
    leaf = next(replaced)
    return value if leaf is None else leaf


def _unused(key: str, table: dict[str, Any]) -> str:
    if key not in table:
        return key
    number = 2
    while f"{key} {number}" in table:
        number += 1
    return f"{key} {number}"
