"""What a reader finds in a record: a call with where it stands, or why there is none."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...call import Call
from ...decision import Verdict


class Place(NamedTuple):
    """Where something stands: which of the sources from 0, its line (or item) from 1, and which call of that from 0.

    Places stand in the order in which calls are taken.
    """

    source: int
    number: int
    part: int = 0


class Word(NamedTuple):
    """What rules said of a call: the verdict, and the determining rule, `None` for the default."""

    effect: Verdict
    rule: str | None


class Entry(NamedTuple):
    """One recorded call, with what the record itself says of its decision; or why what stands there is no call."""

    place: Place
    call: Call | None
    error: str = ""
    said: Word | None = None


class Piece(NamedTuple):
    """What is read as a whole: a line of JSON as it is, or the value of one, with its *size* in what is counted."""

    place: Place
    value: bytes | Any
    size: int
