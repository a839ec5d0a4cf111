"""Calls that show what rules do: made from the rules' own patterns, and judged by the engine before they are shown."""

from __future__ import annotations

from .bench import Bench, line_of
from .probing import Prober

__all__ = ["Bench", "Prober", "line_of"]
