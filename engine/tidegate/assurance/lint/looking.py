"""What the checks look at, and what they say of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

from attrs import frozen

from ...call import Call
from ...compile.catalogue import Described
from ...compile.compiler import Subject
from ...errors import Finding
from ...lang.ruleset import RawRule
from ...lang.scan import KeyPath
from ...shown import quote
from ..clauses import Clause, clauses_of
from ..languages import NotDecided
from ..witnesses import Bench, Prober

MOST_CALLS = 200
"""How many calls are tried for one witness."""


@frozen
class Witness:
    """A call, and what the engine says of it that makes it one."""

    call: Call
    said: str


@frozen
class Slip:
    """Something wrong, with the calls that show it; `rule` is its address, and `key` leads to what is wrong in it."""

    finding: Finding
    rule: str
    key: KeyPath
    witnesses: tuple[Witness, ...] = ()


@frozen
class Undecided:
    """A question that nobody answered: about which rule, which check asked it, and why there is no answer."""

    rule: str
    code: str
    why: str


Said = Slip | Undecided


@frozen
class Looking:
    """One rule set under the glass."""

    bench: Bench
    catalogue: tuple[Described, ...] | None = None

    @cached_property
    def clauses(self) -> tuple[Clause, ...]:
        """Every clause of every guard rule, in file order."""
        return clauses_of(self.bench.outcome)

    @cached_property
    def prober(self) -> Prober:
        """What makes calls."""
        return Prober(self.bench.outcome, self.catalogue)

    @cached_property
    def subjects(self) -> dict[str, Subject]:
        """The rules by address."""
        return {subject.raw.address: subject for subject in self.bench.outcome.subjects}

    def of(self, clause: Clause) -> Subject:
        """The rule of a clause."""
        return self.subjects[clause.raw.address]

    def clauses_by_rule(self) -> dict[str, list[Clause]]:
        """The clauses of each rule, in file order."""
        found: dict[str, list[Clause]] = {}
        for clause in self.clauses:
            found.setdefault(clause.raw.address, []).append(clause)
        return found

    def first(self, calls: Iterable[Call], test: Callable[[Call], str | None]) -> Witness | None:
        """The first of the calls of which *test* has something to say."""
        for number, call in enumerate(calls):
            if number >= MOST_CALLS:
                return None
            said = test(call)
            if said is not None:
                return Witness(call, said)
        return None


def slip(
    raw: RawRule,
    key: KeyPath,
    code: str,
    what: str,
    why: str,
    mend: str,
    witnesses: Sequence[Witness | None],
) -> Iterator[Said]:
    """The slip with its witnesses; where one is missing it is not shown, but said to be undecided."""
    shown = tuple(one for one in witnesses if one is not None)
    if len(shown) < len(witnesses):
        yield Undecided(raw.address, code, "no call was found that shows it")
        return
    finding = raw.finding(
        key,
        code,
        f"rule {quote(raw.address)}: {what}",
        why=why,
        mend=mend,
        of="value" if key else "key",
        severity="warning",
    )
    yield Slip(finding, raw.address, key, shown)


def decided(rule: str, code: str, said: Iterator[Said]) -> Iterator[Said]:
    """What a check says of a rule, and where it could not go on, that it could not decide."""
    try:
        yield from said
    except NotDecided as undecided:
        yield Undecided(rule, code, str(undecided))


def shown_item(clause: Clause) -> str:
    """The item of a clause in backticks, as the rule has it."""
    return f"`{clause.key[0]}`" if isinstance(clause.value, list) else quote(str(clause.value), limit=80)
