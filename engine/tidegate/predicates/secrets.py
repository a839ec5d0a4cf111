"""Whether a value holds a secret of a documented format, plainly or encoded."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, get_args

from ..kernel.json_values import compact
from ..meaning.names import name_test
from ..redacting.encodings import Encoding
from ..redacting.finding import Finder
from ..redacting.formats import FORMATS, secret

DEPTH = 2
"""How many encodings over one another are undone."""


def formats_of(glob: str) -> list[str]:
    """The formats that a glob names."""
    return list(filter(name_test([glob]), FORMATS))


def holds_secret(globs: bool | Sequence[str]) -> Callable[[Any], bool]:
    """Make what tells whether a JSON value holds a secret: in a text or key of it, or in its JSON text.

    A boolean stands for all formats. What it makes raises `TooMuch` for a value that nobody can look through.
    """
    wanted = ("*",) if isinstance(globs, bool) else globs
    names = dict.fromkeys(name for glob in wanted for name in formats_of(glob))
    finder = Finder([secret(name) for name in names], get_args(Encoding), DEPTH)

    def holds(value: Any) -> bool:
        texts = list(dict.fromkeys([*_texts(value), *([compact(value)] if isinstance(value, dict | list) else [])]))
        return any(finder([text.encode("utf-8", "surrogatepass") for text in texts]))

    return holds


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
