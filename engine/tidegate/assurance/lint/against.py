"""Rules against other rules: what one grants and another refuses, and what is answered in two ways."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice

from ...call import Call
from ...shown import quote
from ..clauses import Clause
from ..clauses.commands import Command
from ..clauses.covering import answers
from ..clauses.items import Item, Path, names_beneath
from ..clauses.wholly import refused_wholly
from ..languages import NotDecided, share
from ..witnesses.probing import in_examples
from .looking import Looking, Said, Witness, decided, slip


def contradicted(look: Looking) -> Iterator[Said]:
    """Grants that other rules refuse wherever they grant."""
    # A grant of what another rule asks about is no contradiction: without it, `default` could deny.
    refusals = [clause for clause in look.clauses if clause.says in ("deny", "only") and answers(clause)[0] == "deny"]
    refusals = [clause for clause in refusals if clause.rule.enforced]
    for clause in look.clauses:
        if clause.grants and not clause.whole and clause.kind != "arguments":
            for item, key in _items(clause):
                yield from decided(clause.raw.address, "contradicting", _refused(look, clause, item, key, refusals))


def _items(clause: Clause) -> Iterator[tuple[tuple[Item, ...], tuple[str | int, ...]]]:
    """The items of a grant one by one, each with its key; one glob may have several branches."""
    if len(clause.key) > 1 or clause.kind != "path":
        yield clause.items, clause.key
        return
    for index, text in enumerate(clause.value):
        yield tuple(item for item in clause.items if item.text == text), (*clause.key, index)


def _refused(
    look: Looking, clause: Clause, items: tuple[Item, ...], key: tuple[str | int, ...], refusals: Sequence[Clause]
) -> Iterator[Said]:
    refusing = refused_wholly(clause, items, refusals)
    if refusing is None:
        return
    names = look.prober.tools.of(clause.raw.fields.get("tools"))
    calls = (call for item in items for call in look.prober.of_item(item, names, (), clause.access))

    def test(call: Call) -> str | None:
        decision = look.bench.decide(call)
        if decision is None or decision.effect == "allow" or look.bench.alone(look.of(clause), call) != "allow":
            return None
        if look.bench.alone(look.of(refusing), call) not in ("deny", "ask"):
            return None
        return (
            f"{quote(clause.raw.address)} alone says allow, and it is {decision.effect} by {quote(str(decision.rule))}"
        )

    yield from slip(
        clause.raw,
        key,
        "contradicting",
        f"the grant of {', '.join(dict.fromkeys(quote(item.text) for item in items))} is refused wherever it grants, "
        f"by rule {quote(refusing.raw.address)}",
        "one of the two rules does not do what its author means: a refusal counts whoever grants",
        "take the grant out, or except it there",
        [look.first(calls, test)],
    )


def answered_twice(look: Looking) -> Iterator[Said]:
    """Rules that ask about some calls that another rule denies, and about others that it does not."""
    refusals = [
        clause for clause in look.clauses if clause.says == "deny" and clause.rule.enforced and not clause.whole
    ]
    pairs: dict[tuple[str, str], list[tuple[Clause, Clause]]] = {}
    for ask in refusals:
        for deny in refusals if answers(ask)[0] == "ask" else ():
            if answers(deny)[0] == "deny" and ask.kind == deny.kind and _may_overlap(ask, deny):
                pairs.setdefault((ask.raw.address, deny.raw.address), []).append((ask, deny))
    for some in pairs.values():
        ask, deny = some[0]
        mixed = (call for pair in some for clause in pair for call in islice(_calls(look, clause), 2))
        both = look.first(islice(mixed, _MOST_CALLS), partial(_both, look, ask, deny))
        own = (call for one, _ in some for call in islice(_calls(look, one), 2))
        only = look.first(islice(own, _MOST_CALLS), partial(_one, look, ask, deny)) if both else None
        if both and only:
            yield from _overlap(ask, deny, both, only)


_MOST_CALLS = 24


def _may_overlap(ask: Clause, deny: Clause) -> bool:
    """Whether it is worth while to look for calls that both are about."""
    return any(_may_share(one, other) for one in ask.items for other in deny.items)


def _may_share(one: Item, other: Item) -> bool:
    if isinstance(one, Path) and isinstance(other, Path):
        return one.branch.place == other.branch.place and _share_names(one, other)
    if isinstance(one, Command) and isinstance(other, Command):
        mine, theirs = one.shapes[-1], other.shapes[-1]
        less = min(len(mine.subcommand), len(theirs.subcommand))
        return mine.program == theirs.program and mine.subcommand[:less] == theirs.subcommand[:less]
    return one != other


def _share_names(one: Path, other: Path) -> bool:
    try:
        return share(names_beneath(one.branch), names_beneath(other.branch)) is not None
    except NotDecided:
        return True


def _overlap(ask: Clause, deny: Clause, both: Witness, only: Witness) -> Iterator[Said]:
    yield from slip(
        ask.raw,
        (),
        "overlapping",
        f"some of what it asks about is denied by rule {quote(deny.raw.address)}",
        "who reads the one rule expects a question where the other one refuses without asking",
        "except it in one of the two, or say in `why` that both are meant",
        [both, only],
    )


def _both(look: Looking, ask: Clause, deny: Clause, call: Call) -> str | None:
    if look.bench.alone(look.of(ask), call) != "ask" or look.bench.alone(look.of(deny), call) != "deny":
        return None
    return f"{quote(ask.raw.address)} says ask and {quote(deny.raw.address)} deny"


def _one(look: Looking, ask: Clause, deny: Clause, call: Call) -> str | None:
    if look.bench.alone(look.of(ask), call) != "ask" or look.bench.alone(look.of(deny), call) != "pass":
        return None
    return f"{quote(ask.raw.address)} says ask and {quote(deny.raw.address)} nothing"


def _calls(look: Looking, clause: Clause) -> Iterator[Call]:
    yield from look.prober.calls(clause)
    yield from in_examples([clause.raw])
