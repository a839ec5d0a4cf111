"""What a tool returned, as output rules see it."""

from __future__ import annotations

from typing import Any

from attrs import frozen


@frozen
class Output:
    """A result with every channel in which it reaches the model.

    `blocks` holds text as `str` and any other block (an image, a resource) as the value that it was.
    `structured` is the JSON value beside the text, `None` where there is none.
    """

    blocks: tuple[Any, ...]
    structured: Any = None
    is_error: bool = False
