"""Rules looked through for slips, each shown by a call and none guessed."""

from __future__ import annotations

from .codes import CODES
from .looking import Slip, Undecided, Witness
from .run import Lint, lint

__all__ = ["CODES", "Lint", "Slip", "Undecided", "Witness", "lint"]
