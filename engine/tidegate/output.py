"""What a tool returned, as output rules see it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import field, frozen


@frozen
class Output:
    """A result with every channel in which it reaches the model.

    `blocks` holds text as `str` and any other block (an image, a resource) as the value that it was.
    `structured` is the JSON value beside the text, `None` where there is none. `refused` tells that it is the text of
    a refusal: nothing ran, and the model has to read all of it. `spill` puts data into a new file of a folder and gives
    its path, or raises `OSError`; it is `None` where nothing may be written, as in examples.
    """

    blocks: tuple[Any, ...]
    structured: Any = None
    is_error: bool = False
    refused: bool = False
    spill: Callable[[str, bytes], str] | None = field(default=None, eq=False, repr=False)
