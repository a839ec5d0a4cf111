"""What a kind's compile function returns: one part for each phase."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any

from attrs import frozen

from ..output import Output
from .case import Case
from .guards import Guard
from .limits import Limit


class Phase(Enum):
    """When a kind answers; a kind belongs to exactly one phase."""

    REWRITE = "rewrite"
    GUARD = "guard"
    LIMIT = "limit"
    RUN = "run"
    OUTPUT = "output"


@frozen
class Rewrite:
    """How a rewrite rule changes arguments.

    `apply` returns the new arguments, or the very same mapping where nothing changes. It raises `Veto` where
    the rule cannot be applied, which refuses the call.
    """

    apply: Callable[[Case], Mapping[str, Any]]


@frozen
class Shape:
    """How an output rule changes a result; `order` places it: redact 0, annotate 1, truncate 2.

    `record` does the same to the JSON of decision records, where it is given, of the tools that the rule is about.
    """

    apply: Callable[[Output, Case], Output]
    order: int
    record: Callable[[Any], Any] | None = None


@frozen
class Timeout:
    """How many seconds the body of a call may take."""

    seconds: float


Part = Rewrite | Guard | Limit | Timeout | Shape
