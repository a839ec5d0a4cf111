"""Which clause says at least what another one says, wherever that one says it."""

from __future__ import annotations

from collections.abc import Sequence

from ...plan.rule import Rule
from ..languages import NotDecided
from .clause import Clause
from .items import Same, names_within
from .written import canonical

_MOST_TRIED = 24
_STRICTNESS = {"allow": 0, None: 1, "ask": 2, "deny": 3}
"""The answers from the loosest to the strictest; `None` is `ask` for code that the same call wrote, else `allow`."""


def covers(clause: Clause, others: Sequence[Clause], *, tools: bool = True) -> tuple[Clause, ...]:
    """Those of *others* that make *clause* say nothing of its own; none where that is not proved.

    Of a refusal: such as refuse at least as strictly wherever this one refuses. Of a grant: such as grant and cover all
    that this one does. With *tools* false the tools of the rules are not compared, for whoever asks about one tool that
    all the rules are about.

    Raises:
        NotDecided: None is proved to, and of some it cannot be told.
    """
    fitting = [other for other in others if _speaks_where(clause, other, tools=tools)]
    pool = _pooled(clause, fitting)
    # What all of them do not cover together, none does alone; only then it is worth while to ask for less than all.
    if len(pool) > 1 and not _say(clause, pool):
        fitting = [other for other in fitting if other not in pool]
        pool = ()
    alone = _first_alone(clause, fitting)
    return alone or (_needed(clause, pool) if len(pool) > 1 else ())


def _first_alone(clause: Clause, others: Sequence[Clause]) -> tuple[Clause, ...]:
    """The first that covers the clause without the others."""
    doubt: NotDecided | None = None
    for other in others:
        try:
            if _say(clause, (other,)):
                return (other,)
        except NotDecided as undecided:
            doubt = undecided
    if doubt is not None:
        raise doubt
    return ()


def _needed(clause: Clause, some: tuple[Clause, ...]) -> tuple[Clause, ...]:
    """Those without which the others would not do; only where they are few."""
    if len(some) > _MOST_TRIED:
        return some
    for one in some:
        rest = tuple(other for other in some if other is not one)
        if rest and _say(clause, rest):
            return _needed(clause, rest)
    return some


def _pooled(clause: Clause, others: Sequence[Clause]) -> tuple[Clause, ...]:
    """Those whose items count together, as if they stood in one list."""
    if clause.whole or (clause.says != "deny" and not (clause.grants and clause.kind == "tools")):
        return ()
    same = (other for other in others if other.says == clause.says and not other.whole)
    return tuple(other for other in same if other.option == clause.option and clause.access <= other.access)


def _speaks_where(one: Clause, other: Clause, *, tools: bool) -> bool:
    """Whether *other* has a say, as strict or as generous, in every call in which *one* has."""
    if one.grants != other.grants or one.rule.layer != other.rule.layer or not _are_comparable(one, other):
        return False
    if one.grants:
        return _when(one, other) and _lasts(one, other) and (not tools or _named(one, other, wide=False))
    if not one.rule.enforced:
        return True
    return (
        other.rule.enforced
        and _is_as_strict(one, other)
        and _when(one, other)
        and _excepts_less(one, other)
        and (not tools or _named(one, other, wide=True))
    )


def _are_comparable(one: Clause, other: Clause) -> bool:
    """Whether the two are of a sort, so that more can be asked."""
    if one.says == other.says and one.whole == other.whole and one.option == other.option:
        return other.program is None or one.program == other.program
    return not one.rule.enforced or (other.says == "deny" and other.kind == "tools")


def applies_to(grant: Clause, refusal: Clause) -> bool:
    """Whether a refusal has a say in every call in which a grant has. Raises `NotDecided`."""
    return grant.rule.layer == refusal.rule.layer and _when(grant, refusal) and _named(grant, refusal, wide=False)


def _named(one: Clause, other: Clause, *, wide: bool) -> bool:
    return names_within(one.raw.fields.get("tools"), other.raw.fields.get("tools"), wide=wide)


def _when(one: Clause, other: Clause) -> bool:
    """Whether *other* applies wherever *one* does."""
    return other.when is None or other.when == one.when


def _lasts(one: Clause, other: Clause) -> bool:
    """Whether the grants of *other* last as long."""
    return other.rule.expires is None or (one.rule.expires is not None and one.rule.expires <= other.rule.expires)


def _excepts_less(one: Clause, other: Clause) -> bool:
    """Whether *other* excepts nothing that *one* does not."""
    if not other.excepts:
        return True
    lasts = one.rule.expires is None or one.rule.expires == other.rule.expires
    return lasts and other.excepts <= one.excepts


def answers(clause: Clause) -> tuple[str | None, str | None]:
    """What the clause answers where it certainly speaks, and where nobody can tell."""
    rule: Rule = clause.rule
    if clause.says == "code":
        return rule.code, "allow"
    if clause.says == "unread":
        return rule.unknown, "allow"
    return (rule.otherwise if clause.says == "only" else rule.effect), rule.unknown


def _is_as_strict(one: Clause, other: Clause) -> bool:
    (mine, mine_unknown), (theirs, theirs_unknown) = answers(one), answers(other)
    if one.whole:
        return canonical(_tone(one)) == canonical(_tone(other))
    at_least = max(_STRICTNESS[mine], _STRICTNESS[mine_unknown])
    if one.says in ("code", "unread"):
        return _STRICTNESS[theirs] >= _STRICTNESS[mine]
    if other.says == "deny" and other.kind == "tools":  # it always knows
        return _STRICTNESS[theirs] >= at_least
    return _STRICTNESS[theirs] >= at_least and _STRICTNESS[theirs_unknown] >= _STRICTNESS[mine_unknown]


def _tone(clause: Clause) -> list[object]:
    return [clause.raw.fields.get(key) for key in ("effect", "otherwise", "unknown", "code")]


def _say(one: Clause, others: Sequence[Clause]) -> bool:
    """Whether *others* together speak of all that *one* speaks of."""
    other = others[0]
    if (not one.grants and not one.rule.enforced) or _refuses_the_tool(one, other):
        return True
    if one.says != other.says or one.whole != other.whole or one.option != other.option:
        return False
    if one.whole:
        return one.items == other.items
    if one.says == "only":  # the less is named, the more is refused
        return one.access <= other.access and all(item.within(one.items, grant=True) for item in other.items)
    items = [item for each in others for item in each.items]
    accesses = frozenset.intersection(*(each.access for each in others))
    return one.access <= accesses and all(item.within(items, grant=one.grants) for item in one.items)


def _refuses_the_tool(one: Clause, other: Clause) -> bool:
    """Whether *other* refuses every call of the tools that *one* is about."""
    if one.grants or other.kind != "tools" or other.says != "deny":
        return False
    # Where one tool is asked about, the items of rules about it are that tool, and no longer globs.
    if all(isinstance(item, Same) for item in other.items):
        return True
    return names_within(one.raw.fields.get("tools"), [item.text for item in other.items], wide=True)
