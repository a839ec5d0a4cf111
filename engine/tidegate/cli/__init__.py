"""The command `tidegate`: one file for each of its commands."""

from __future__ import annotations

import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    0 is fine, 1 stands for findings or for a call that was not allowed, 2 for misuse. `hook` answers a harness and
    has that harness's own codes; it is looked at first, since it must be quick and must never fail open.

    Args:
        arguments: The words after `tidegate`; by default those of this process.
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    if words[:1] == ["hook"]:
        from .hook import main as hook

        return hook(words[1:])
    from .app import run

    return run(words)
