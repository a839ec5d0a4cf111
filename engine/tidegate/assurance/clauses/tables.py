"""Tables of predicates on arguments compared with each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import field, frozen

from ...meaning.lookalikes import fold
from ..languages import NotDecided, Unread, is_within, text_language
from ..languages.algebra import Language, Machine
from ..languages.pieces import Either, literal
from .items import Item
from .written import canonical

_TEXTS = ("glob", "regex", "equals", "one_of")
_NUMBERS = frozenset({"min", "max"})


@frozen
class Table(Item):
    """One table of `only`, `allow` or `deny` of the kind `arguments`; `states` says what else the rule has."""

    text: str
    states: str
    checks: Mapping[str, Any] = field(eq=False)

    @classmethod
    def of(cls, table: Mapping[str, Any], states: str) -> Table:
        """The table as it stands in a rule."""
        checks = {name if name.startswith("/") or not name else f"/{name}": check for name, check in table.items()}
        return cls(canonical(checks), states, checks)

    def within(self, others: Sequence[Item], *, grant: bool) -> bool:
        """Argument by argument, where both are about the same ones."""
        return any(
            isinstance(other, Table)
            and self.states == other.states
            and self.checks.keys() == other.checks.keys()
            and all(_is_check_within(check, other.checks[name], wide=not grant) for name, check in self.checks.items())
            for other in others
        )


def _is_check_within(one: Mapping[str, Any], other: Mapping[str, Any], *, wide: bool) -> bool:
    """Whether a value of which *one* holds is one of which *other* holds, and both are about the same type."""
    if canonical(one) == canonical(other):
        return True
    if one and other and one.keys() | other.keys() <= _NUMBERS:
        low, high = other.get("min"), other.get("max")
        return (low is None or ("min" in one and one["min"] >= low)) and (
            high is None or ("max" in one and one["max"] <= high)
        )
    if len(one) != 1 or len(other) != 1:
        return False
    mine, theirs = texts(one), texts(other)
    if mine is None or theirs is None or (wide and ("regex" in one) != ("regex" in other)):
        return False
    if not is_within(mine, theirs):
        return False
    if not wide:
        return True
    widened, against = texts(one, wide=True), texts(other, wide=True)
    return widened is not None and against is not None and is_within(widened, against)


def texts(check: Mapping[str, Any], *, wide: bool = False) -> Language | None:
    """The texts of which the first of the keys about texts holds, `None` where there is none.

    Raises:
        NotDecided: The regular expression uses what is not modelled.
    """
    for key in _TEXTS:
        said = check.get(key)
        if key == "glob" and isinstance(said, str):
            return text_language(glob=said, wide=wide)
        if key == "regex" and isinstance(said, str):
            try:
                return text_language(regex=said, wide=wide)
            except Unread as unread:
                raise NotDecided(f"the regular expression `{said}`: {unread}") from None
        options: list[Any] = list(said) if isinstance(said, list) else [said]
        if key in check and all(isinstance(option, str) for option in options):
            return Machine(Either(tuple(literal(fold(option).strip() if wide else option) for option in options)))
    return None
