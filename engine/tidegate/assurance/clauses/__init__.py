"""Rules taken apart into clauses, and which clause says at least what another one says."""

from __future__ import annotations

from .clause import Clause, clauses_of
from .covering import covers
from .items import Item

__all__ = ["Clause", "Item", "clauses_of", "covers"]
