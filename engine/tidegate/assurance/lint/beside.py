"""Rules beside other rules: what is said twice, drowned, contradicted, or answered in two ways."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from ...call import Call
from ...shown import quote
from ..clauses import Clause, covers
from ..clauses.covering import answers
from ..languages import NotDecided
from ..witnesses.probing import in_examples
from .looking import Looking, Said, Undecided, decided, shown_item, slip

_WHY = "what changes no decision misleads whoever reads it"


def said_twice(look: Looking) -> Iterator[Said]:
    """Rules and items that say nothing of their own; of two that say the same, the later one."""
    shelf = _Shelf(look.clauses)
    for address, own in reversed(look.clauses_by_rule().items()):
        whole = _all_covered(own, shelf)
        if isinstance(whole, Undecided):
            yield whole
        if isinstance(whole, list):
            shelf.remove(own)
            yield from _drowned(look, own[0], own, whole)
            continue
        items = [clause for clause in own if len(clause.key) > 1]
        for clause in reversed(items if len(items) > 1 else []):  # without its only item a rule would say nothing
            covering = _covering(clause, shelf.beside([clause], clause))
            if isinstance(covering, Undecided):
                yield covering
            elif covering:
                shelf.remove([clause])
                yield from _drowned(look, clause, [clause], list(covering))
        for clause in own:
            yield from decided(address, "redundant", _named_twice(look, clause))


class _Shelf:
    """The clauses that are left, by what two must have in common so that one may cover the other."""

    def __init__(self, clauses: Sequence[Clause]) -> None:
        self._sorts: dict[tuple[object, ...], list[Clause]] = {}
        for clause in clauses:
            self._sorts.setdefault(clause.sort, []).append(clause)
        self._drowning = [clause for clause in clauses if clause.kind == "tools" and clause.says == "deny"]
        self._gone: set[int] = set()

    def remove(self, clauses: Sequence[Clause]) -> None:
        """Take clauses away, because they say nothing of their own."""
        self._gone |= set(map(id, clauses))

    def beside(self, own: Sequence[Clause], clause: Clause) -> list[Clause]:
        """Those that may cover *clause*, but none of *own*."""
        hidden = self._gone | set(map(id, own))
        monitored = not clause.rule.enforced and not clause.grants
        some = [one for sort in self._sorts.values() for one in sort] if monitored else self._sorts[clause.sort]
        found = {id(other): other for other in (*some, *self._drowning)}
        return [other for key, other in found.items() if key not in hidden]


def _covering(clause: Clause, others: Sequence[Clause]) -> Sequence[Clause] | Undecided:
    """The clauses that cover one item of a list."""
    if len(clause.key) <= 1 or clause.whole:
        return ()
    if clause.grants and "otherwise" in clause.raw.fields:  # what else the list names is let through by no other rule
        others = [other for other in others if other.raw is clause.raw]
    try:
        return covers(clause, others)
    except NotDecided as undecided:
        return Undecided(clause.raw.address, "redundant", str(undecided))


def _named_twice(look: Looking, clause: Clause) -> Iterator[Said]:
    """Globs of a list of paths that name nothing which the others of the list do not."""
    if clause.kind != "path" or len(clause.key) != 1:
        return
    left = list(clause.value)
    for index, text in reversed(list(enumerate(left))):
        own = [item for item in clause.items if item.text == text]
        others = [item for item in clause.items if item.text in left[:index] + left[index + 1 :]]
        if left.count(text) > 1 or all(item.within(others, grant=True) for item in own):
            del left[index]
            names = look.prober.tools.of(clause.raw.fields.get("tools"))
            calls = (call for item in own for call in look.prober.of_item(item, names, (), clause.access))
            said = {"allow"} if clause.grants else {"pass"}
            yield from slip(
                clause.raw,
                (*clause.key, index),
                "redundant",
                f"the item {quote(text)} names nothing that the other items of `{clause.key[0]}` do not",
                _WHY,
                "take it out",
                [look.first(calls, partial(_is_said, look, clause, said))],
            )


def _is_said(look: Looking, clause: Clause, wanted: set[str], call: Call) -> str | None:
    said = look.bench.alone(look.of(clause), call)
    return f"{quote(clause.raw.address)} alone says {said}" if said in wanted else None


def _all_covered(own: Sequence[Clause], shelf: _Shelf) -> list[Clause] | Undecided | None:
    """The clauses of other rules that cover all of one rule, `None` where they do not."""
    found: list[Clause] = []
    try:
        for clause in own:
            covering = covers(clause, shelf.beside(own, clause))
            if not covering:
                return None
            found += covering if clause.says not in ("unread", "code") else ()
    except NotDecided as undecided:
        return Undecided(own[0].raw.address, "redundant", str(undecided))
    return found


def _drowned(look: Looking, first: Clause, own: Sequence[Clause], covering: Sequence[Clause]) -> Iterator[Said]:
    """The finding about clauses that others cover."""
    one = len(own) == 1 and len(own[0].key) > 1
    names = list(dict.fromkeys(clause.raw.address for clause in covering))
    speaking = [clause for clause in own if clause.says not in ("unread", "code")]
    stricter = [
        pair
        for clause in speaking
        if not clause.grants
        for pair in covering
        if pair.says not in ("unread", "code") and _strictness(pair) > _strictness(clause)
    ]
    code = "shadowed" if stricter else "redundant"
    told = ", ".join(map(quote, names))
    subject = f"the item {shown_item(first)}" if one else "everything"
    here = one and names == [first.raw.address]
    what = f"{subject} is said by other items as well" if here else f"{subject} is said by {told} as well"
    if stricter:
        what = f"{subject} is refused more strictly by {told}"
    witness = look.first(_calls(look, speaking), lambda call: _is_drowned(look, speaking, names, call))
    yield from slip(
        first.raw,
        first.key if one else (),
        code,
        what,
        _WHY,
        "take it out, or say what makes it different",
        [witness],
    )


def _strictness(clause: Clause) -> int:
    said = answers(clause)[0]
    return {"ask": 1, "deny": 2}.get(said or "", 0)


def _calls(look: Looking, clauses: Sequence[Clause]) -> Iterator[Call]:
    for clause in clauses:
        yield from look.prober.calls(clause)
        yield from in_examples([clause.raw])


def _is_drowned(look: Looking, own: Sequence[Clause], names: Sequence[str], call: Call) -> str | None:
    """What shows that a rule speaks of the call, that others speak of it too, and that it changes nothing."""
    alone = look.bench.alone(look.of(own[0]), call)
    if alone in (None, "pass") or (alone == "allow") is not own[0].grants:
        return None
    others = [look.bench.alone(look.subjects[name], call) for name in names]
    spoken = [said for said in others if said is not None and said != "pass"]
    same_rule = names == [own[0].raw.address]
    with_it = look.bench.decide(call)
    without_it = with_it if same_rule else look.bench.decide_without([own[0].raw.address], call)
    if not spoken or with_it is None or without_it is None or with_it.effect != without_it.effect:
        return None
    return f"{quote(own[0].raw.address)} alone says {alone}, {', '.join(map(quote, names))} {spoken[0]}"
