"""Edits that change nothing: proved to be so, or taken for ones that a test should notice."""

from __future__ import annotations

from collections.abc import Sequence

from ..compile.compiler import Outcome, Subject
from ..compile.rules import Around
from ..compile.structure import structure_rule
from ..kinds import builtin
from ..shown import quote
from .clauses import Clause, clauses_of, covers
from .languages import NotDecided
from .mutants import DROP_PATTERN, Mutant


def why_equivalent(mutant: Mutant, before: Subject, after: Subject, outcome: Outcome) -> str:
    """Why the rule says after the edit what it said before, on every call; empty where that is not proved."""
    around = outcome.arounds[before.rule.layer]
    if _values(before, around) == _values(after, around):
        return "the rule means the same without it"
    try:
        old, new = (clauses_of(outcome._replace(subjects=(one,)), links=True) for one in (before, after))
        if not old or not new or not (_all_within(old, new, mutant) and _all_within(new, old, mutant)):
            return ""
        return _why(mutant, old, new)
    except NotDecided:
        return ""


def _values(subject: Subject, around: Around) -> object:
    """The fields of a rule as values, defaults filled in."""
    kind = around.kinds.get(subject.raw.kind) or builtin(subject.raw.kind)
    common, own, problems = structure_rule(subject.raw.fields, kind)
    return (common, own, len(problems))


_LISTS = frozenset({"allow", "deny", "only", "deny_ranges"})


def _all_within(some: Sequence[Clause], others: Sequence[Clause], mutant: Mutant) -> bool:
    """Whether each clause is said by *others* as well: as strictly where it refuses, as widely where it grants.

    Where only a list was edited, all that stands in the other lists says the same as before.
    """
    same = {_said(clause) for clause in others} if mutant.path and mutant.path[0] in _LISTS else set()
    return all(_said(clause) in same or covers(clause, others) for clause in some)


def _said(clause: Clause) -> tuple[object, ...]:
    return clause.says, clause.items, clause.option, clause.access, clause.whole


def _why(mutant: Mutant, old: Sequence[Clause], new: Sequence[Clause]) -> str:
    if mutant.edit == DROP_PATTERN:
        dropped = next((clause for clause in old if clause.key == mutant.path), None)
        if dropped is not None:
            texts = dict.fromkeys(item.text for clause in covers(dropped, new) for item in clause.items)
            return f"{' and '.join(quote(text) for text in texts)} name{'s' * (len(texts) == 1)} all that it names"
    return "the rule is proved to say the same on every call"
