"""Finding what is looked for in texts, also where parts of them are encoded, over and over."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from .detectors import Detector, Prefilter
from .encodings import BETWEEN, ESCAPES, Decoded, Encoding, Stretches
from .escapes import Reading

MOST_TEXT = 64 * 1_048_576
"""How many bytes are looked through at all."""

MOST_WORK = 64
"""How many times the length of the texts may be decoded in all."""

_SMALL = 1_048_576
_LARGE = 4 * 1_048_576
"""Readings are looked through together until they are as long as this."""


class TooMuch(ValueError):
    """The texts are longer than anybody could look through."""


class TooMuchDecoding(TooMuch):
    """The texts are encoded in so many ways at once that nobody can look through all of them."""


class Span(NamedTuple):
    """Something found: where it stands in bytes, what it is, and the value as it is without encodings."""

    start: int
    end: int
    label: str
    value: bytes


class _Level:
    """Pieces of text that are looked through together, and where they come from.

    `starts` and `ends` say where each piece stands in `text`. Those that were decoded come from the level `of`:
    `sources` says from which part of its text, and `readings` how those came about that were read by their escapes.
    """

    __slots__ = ("_length", "_texts", "ends", "of", "readings", "sources", "starts", "text")

    def __init__(self, of: _Level | None = None) -> None:
        self.text = b""
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.sources: list[tuple[int, int]] = []
        self.readings: dict[int, Reading] = {}
        self.of = of
        self._texts: list[bytes] = []
        self._length = 0

    @classmethod
    def of_texts(cls, texts: Sequence[bytes]) -> _Level:
        """The outermost level."""
        level = cls()
        level.text = BETWEEN.join(texts)
        at = 0
        for text in texts:
            level.starts.append(at)
            level.ends.append(at + len(text))
            at += len(text) + len(BETWEEN)
        return level

    def add(self, more: Decoded, reading: Reading | None) -> None:
        """Put pieces behind those that are here."""
        offset = self._length
        if reading is not None:
            self.readings[len(self.starts)] = reading
        self._texts.append(more.text)
        self._length += len(more.text) + len(BETWEEN)
        self.starts += [start + offset for start in more.starts] if offset else more.starts
        self.ends += [end + offset for end in more.ends] if offset else more.ends
        self.sources += more.sources

    def has_room_for(self, more: Decoded) -> bool:
        """Whether it is small enough to look through more together with it."""
        return not self.starts or self._length + len(more.text) <= _LARGE

    def closed(self) -> _Level:
        """The level, to which nothing more is added."""
        self.text = BETWEEN.join(self._texts)
        self._texts.clear()
        return self

    def pieces(self) -> Iterator[tuple[int, bytes]]:
        """Each piece by its index."""
        for index, (start, end) in enumerate(zip(self.starts, self.ends, strict=True)):
            yield index, self.text[start:end]

    def origin(self, index: int, start: int, end: int) -> tuple[int, int, int]:
        """Which of the outermost texts it is in which something stands that was found in a piece, and where in it."""
        level = self
        while level.of is not None:
            source, reading = level.sources[index], level.readings.get(index)
            if reading is None:
                start, end = source
            else:
                offset = level.starts[index]
                start, end = reading.escapes.source(start - offset, end - offset)
                start, end = source[0] + start, source[0] + end
            level = level.of
            index = bisect_right(level.starts, start) - 1
        return index, start - level.starts[index], end - level.starts[index]


class Finder:
    """Looks for everything at once, in texts and in what is encoded in them up to *depth* times.

    Takes time linear in the texts for every expression that matches in them, and for all others together.
    """

    def __init__(self, detectors: Sequence[Detector], encodings: Iterable[Encoding], depth: int) -> None:
        self._suspects = Prefilter(detectors)
        self._encodings = tuple(encodings)
        self._escapes = [ESCAPES[encoding] for encoding in self._encodings if encoding in ESCAPES]
        self._depth = depth if self._encodings else 0

    def __call__(self, texts: Sequence[bytes]) -> list[list[Span]]:
        """What is found in each of *texts*, in no order; spans may overlap.

        Raises:
            TooMuch: They are longer than `MOST_TEXT`.
            TooMuchDecoding: More would have to be decoded than can be.
        """
        length = sum(map(len, texts))
        if length > MOST_TEXT:
            raise TooMuch(f"a result of {length:,} bytes is too long to be looked through")
        found: list[list[Span]] = [[] for _ in texts]
        if texts:
            self._search(_Level.of_texts(texts), self._depth, found, [MOST_WORK * length + _SMALL])
        return found

    def _search(self, level: _Level, depth: int, found: list[list[Span]], room: list[int]) -> bool:
        """Find everything in a level and in what is encoded in it; *room* is how much may still be decoded.

        Returns:
            Whether there is anything that could be what is looked for, if it began and ended elsewhere.
        """
        suspects = self._suspects(level.text)
        for detector in suspects:
            for index, start, end in _places(detector, level):
                root, first, last = level.origin(index, start, end)
                found[root].append(Span(first, last, detector.label, level.text[start:end]))
        if not depth:
            return bool(suspects)
        stretches = Stretches(self._encodings, level.text)

        def search(readings: Iterable[tuple[Decoded, Reading | None]]) -> bool:
            inner = [self._search(each, depth - 1, found, room) for each in _levels(level, readings, room)]
            return any(inner)

        suspected = search((more, None) for more in stretches.readings())
        if suspected:
            search((more, None) for more in stretches.parts())
        return search(self._unescaped(level)) or suspected or bool(suspects)

    def _unescaped(self, level: _Level) -> Iterator[tuple[Decoded, Reading]]:
        """Every reading of the pieces that have escapes."""
        for mark, readings in self._escapes:
            at = level.text.find(mark)
            while at >= 0:
                index = bisect_right(level.starts, at) - 1
                start, end = level.starts[index], level.ends[index]
                for reading in readings(level.text[start:end]):
                    yield Decoded(reading.text, [0], [len(reading.text)], [(start, end)]), reading
                at = level.text.find(mark, max(end, at + 1))


def _levels(of: _Level, readings: Iterable[tuple[Decoded, Reading | None]], room: list[int]) -> Iterator[_Level]:
    """The readings of a level as levels, small ones together."""
    inner = _Level(of)
    for more, reading in readings:
        room[0] -= sum(more.ends) - sum(more.starts)
        if room[0] < 0:
            raise TooMuchDecoding("it is encoded in too many ways at once to be looked through")
        if not inner.has_room_for(more):
            yield inner.closed()
            inner = _Level(of)
        inner.add(more, reading)
    if inner.starts:
        yield inner.closed()


def _places(detector: Detector, level: _Level) -> Iterable[tuple[int, int, int]]:
    """Where a detector finds something: the index of the piece, and the place in the text of the level."""
    if detector.alone:
        return _places_alone(detector, level)
    places = []
    for start, end in detector.find(level.text):
        index = bisect_right(level.starts, start) - 1
        if end > level.ends[index]:
            return _places_alone(detector, level)
        places.append((index, start, end))
    return places


def _places_alone(detector: Detector, level: _Level) -> Iterator[tuple[int, int, int]]:
    for index, text in level.pieces():
        offset = level.starts[index]
        for start, end in detector.find(text):
            yield index, start + offset, end + offset
