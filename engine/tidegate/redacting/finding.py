"""Finding what is looked for in texts, also where parts of them are encoded, over and over."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from .detectors import Detector, Prefilter
from .encodings import ESCAPES, STRETCHES, Encoding, Escapes

MOST_WORK = 64
"""How many times the length of the texts may be decoded in all."""

_SMALL = 1_048_576


class TooMuchDecoding(ValueError):
    """The texts are encoded in so many ways at once that nobody can look through all of them."""


class Span(NamedTuple):
    """Something found: where it stands in bytes, what it is, and the value as it is without encodings."""

    start: int
    end: int
    label: str
    value: bytes


class _Piece(NamedTuple):
    """A text, or what is decoded from a part of the piece *of*: from a whole stretch, or by *escapes*."""

    text: bytes
    root: int
    of: _Piece | None = None
    start: int = 0
    end: int = 0
    escapes: Escapes | None = None


# No line of one piece goes on in the next, and neither does an encoded stretch.
_BETWEEN = b"\n\0\n"


class Finder:
    """Looks for everything at once, in texts and in what is encoded in them up to *depth* times.

    Takes time linear in the texts for every expression that matches in them, and for all others together.
    """

    def __init__(self, detectors: Sequence[Detector], encodings: Iterable[Encoding], depth: int) -> None:
        self._suspects = Prefilter(detectors)
        self._encodings = tuple(encodings)
        self._depth = depth if self._encodings else 0

    def __call__(self, texts: Sequence[bytes]) -> list[list[Span]]:
        """What is found in each of *texts*, in no order; spans may overlap.

        Raises:
            TooMuchDecoding: More would have to be decoded than can be.
        """
        found: list[list[Span]] = [[] for _ in texts]
        pieces = [_Piece(text, root) for root, text in enumerate(texts)]
        room = MOST_WORK * sum(map(len, texts)) + _SMALL
        for depth in range(self._depth + 1):
            text = _BETWEEN.join([piece.text for piece in pieces])
            self._look(text, pieces, found)
            if depth < self._depth:
                inner = []
                for piece in self._decoded(text, pieces):
                    room -= len(piece.text)
                    if room < 0:
                        raise TooMuchDecoding("it is encoded in too many ways at once to be looked through")
                    inner.append(piece)
                pieces = inner
        return found

    def _look(self, text: bytes, pieces: Sequence[_Piece], found: list[list[Span]]) -> None:
        """Find everything in *pieces*; *text* are all of them."""
        for detector in self._suspects(text) if pieces else ():
            for piece in pieces:
                for start, end in detector.find(piece.text):
                    first, last = _origin(piece, start, end)
                    found[piece.root].append(Span(first, last, detector.label, piece.text[start:end]))

    def _decoded(self, text: bytes, pieces: Sequence[_Piece]) -> Iterator[_Piece]:
        """What is encoded in *pieces*; *text* are all of them."""
        starts = list(accumulate((len(piece.text) + len(_BETWEEN) for piece in pieces[:-1]), initial=0))
        for encoding in self._encodings:
            if encoding in STRETCHES:
                for inner, start, end in STRETCHES[encoding](text):
                    index = bisect_right(starts, start) - 1
                    piece, offset = pieces[index], starts[index]
                    yield _Piece(inner, piece.root, piece, start - offset, end - offset)
            else:
                mark, decode = ESCAPES[encoding]
                for piece in [piece for piece in pieces if mark in piece.text]:
                    for inner, escapes in decode(piece.text):
                        yield _Piece(inner, piece.root, piece, escapes=escapes)


def _origin(piece: _Piece, start: int, end: int) -> tuple[int, int]:
    """Where in the outermost text something stands that was found in a piece."""
    while piece.of is not None:
        start, end = (piece.start, piece.end) if piece.escapes is None else piece.escapes.source(start, end)
        piece = piece.of
    return start, end
