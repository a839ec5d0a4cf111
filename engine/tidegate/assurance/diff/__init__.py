"""Two rule sets side by side: for each tool which is stricter, with calls that show it."""

from __future__ import annotations

from .compare import compare
from .verdicts import Comparison, Direction, Row, Shown

__all__ = ["Comparison", "Direction", "Row", "Shown", "compare"]
