"""What commands are known to print, for pipes and substitutions."""

from __future__ import annotations

from ..values import Value
from .run import Run


def printed(run: Run) -> Value | None:
    """What the command prints, or `None` where that is not known."""
    return None
