"""Lines of a stream, none of which can fill the memory; and JSON as it is written."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from ..calls import MAX_LINE


def bounded_lines(stream: BinaryIO, most: int = MAX_LINE) -> Iterator[bytes]:
    """The lines of *stream*, as they arrive; of one that is longer than *most* bytes, one byte more than that."""
    while line := stream.readline(most + 1):
        yield line
        while len(line) > most and not line.endswith(b"\n"):
            line = stream.readline(most + 1)


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """The stream at *path*, or standard input for `-`."""
    if path == "-":
        yield sys.stdin.buffer
        return
    with Path(path).open("rb") as stream:
        yield stream


def dump(value: Any) -> str:
    """*value* on one line of ASCII, so that no terminal and no reader can take it for anything else."""
    return json.dumps(value, allow_nan=False)
