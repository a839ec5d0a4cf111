"""Grants that a refusal takes back wherever they grant."""

from __future__ import annotations

from collections.abc import Sequence

from ...meaning.globs import Glob
from ..languages import NotDecided, glob_language, name_language, share
from .clause import Clause
from .commands import Command
from .covering import applies_to
from .items import Item, Name, Path, names_within


def refused_wholly(grant: Clause, items: Sequence[Item], refusals: Sequence[Clause]) -> Clause | None:
    """The first refusal that is proved to refuse all that *items* of the grant grant, `None` where there is none.

    Raises:
        NotDecided: There is none, and of one it cannot be told.
    """
    doubt: NotDecided | None = None
    for refusal in refusals:
        try:
            if (
                _is_of_a_kind(grant, refusal)
                and _has_no_exception(refusal)
                and applies_to(grant, refusal)
                and _refuses(grant, items, refusal)
            ):
                return refusal
        except NotDecided as undecided:
            doubt = undecided
    if doubt is not None:
        raise doubt
    return None


def _is_of_a_kind(grant: Clause, refusal: Clause) -> bool:
    return refusal.kind in (grant.kind, "tools")


def _has_no_exception(refusal: Clause) -> bool:
    return not refusal.raw.fields.get("except")


def _refuses(grant: Clause, items: Sequence[Item], refusal: Clause) -> bool:
    if refusal.kind == "tools" and grant.kind != "tools" and refusal.says == "deny":
        return names_within(grant.raw.fields.get("tools"), [item.text for item in refusal.items], wide=False)
    if refusal.kind != grant.kind or not grant.access <= refusal.access:
        return False
    if grant.kind == "path" and "recursive" in grant.option + refusal.option and grant.option != refusal.option:
        return False
    if grant.kind == "url" and "redirects" in grant.option + refusal.option:
        return False
    if refusal.says == "deny":
        return all(_is_within(item, refusal.items) for item in items)
    return all(_is_outside(item, refusal.items) for item in items)


def _is_within(item: Item, denied: Sequence[Item]) -> bool:
    """Whether a deny names all that a grant names; it does where it would as a grant, for one name is enough."""
    return item.within(denied, grant=False) or (not isinstance(item, Command) and item.within(denied, grant=True))


def _is_outside(item: Item, confined: Sequence[Item]) -> bool:
    """Whether the item names nothing that a confinement leaves."""
    if isinstance(item, Name):
        return share(name_language([item.text]), name_language([other.text for other in confined])) is None
    if not isinstance(item, Path):
        return False
    others = [other for other in confined if isinstance(other, Path)]
    place = (item.branch.place, item.branch.up)
    if any((other.branch.place, other.branch.up) != place for other in others):
        return False
    own = glob_language([Glob("", (item.branch.segments,))])
    return share(own, glob_language([Glob("", (other.branch.segments,)) for other in others])) is None
