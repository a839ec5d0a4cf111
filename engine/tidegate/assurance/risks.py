"""Which entries of risk catalogues a rule set answers, by what its rules say in `maps`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files

import tomli
from attrs import frozen

from ..compile.compiler import Subject
from ..errors import Finding
from ..lang import RawRule, RuleSet
from ..lang.nearest import nearest
from ..shown import quote


@frozen
class Catalogue:
    """A list of risks, or of measures against them: descriptions by id."""

    id: str
    title: str
    entries: Mapping[str, str]


@frozen
class Mapped:
    """A rule that answers an entry; `enforced` is false where it only monitors."""

    rule: str
    enforced: bool


@frozen
class Entry:
    """One entry of a catalogue with the rules that answer it, in file order."""

    id: str
    means: str
    rules: tuple[Mapped, ...]

    @property
    def covered(self) -> bool:
        """Whether a rule answers it that is enforced."""
        return any(rule.enforced for rule in self.rules)


@frozen
class CatalogueCoverage:
    """One catalogue with what is answered of it."""

    catalogue: Catalogue
    entries: tuple[Entry, ...]

    @property
    def covered(self) -> int:
        """How many entries are answered."""
        return sum(entry.covered for entry in self.entries)


@frozen
class RiskCoverage:
    """What a rule set answers; `unmapped` are its rules that answer no entry that is known, in file order."""

    catalogues: tuple[CatalogueCoverage, ...]
    unmapped: tuple[str, ...]


@cache
def catalogues() -> tuple[Catalogue, ...]:
    """The catalogues that are known, in the order in which they are shown.

    Source: OWASP, Top 10 for Agentic Applications 2026 and Top 10 for LLM Applications 2025; MITRE ATLAS 5.6.1.
    """
    text = files("tidegate.assurance").joinpath("risks.toml").read_text(encoding="utf-8")
    return tuple(Catalogue(**table) for table in tomli.loads(text)["catalogue"])


def risk_coverage(subjects: Sequence[Subject]) -> RiskCoverage:
    """What the rules of *subjects* answer; a rule that is off answers nothing.

    An entry counts as answered only by its own id: a rule about a part of a technique need not answer the whole.
    """
    by_id: dict[str, dict[Mapped, None]] = {}
    for subject in subjects:
        for name in _maps(subject.raw):
            by_id.setdefault(name, {})[Mapped(subject.raw.address, subject.rule.enforced)] = None
    known = _known()
    return RiskCoverage(
        tuple(CatalogueCoverage(one, tuple(_entries(one, by_id))) for one in catalogues()),
        tuple(one.raw.address for one in subjects if not known.keys() & set(_maps(one.raw))),
    )


def _entries(catalogue: Catalogue, by_id: Mapping[str, Iterable[Mapped]]) -> Iterator[Entry]:
    for id_, means in catalogue.entries.items():
        yield Entry(id_, means, tuple(by_id.get(id_, ())))


def check_maps(rule_sets: Iterable[RuleSet]) -> list[Finding]:
    """A warning for each id in `maps` that no catalogue has: whoever counts what is covered would not count it."""
    return [finding for rule_set in rule_sets for rule in rule_set.rules for finding in _strange(rule)]


def _strange(rule: RawRule) -> Iterator[Finding]:
    known = _known()
    for index, name in enumerate(_maps(rule)):
        if name in known:
            continue
        close = nearest(name, known)
        yield rule.finding(
            ("maps", index),
            "unknown-risk",
            f"{quote(name)} is in no risk catalogue that is known here, in rule {quote(rule.address)}",
            why="a report of what the rules cover would leave the rule out",
            mend=f"write `{close}`"
            if close
            else "write an id such as `ASI02`, `LLM06` or `AML.T0086`, or take it away",
            of="value",
            severity="warning",
        )


def _maps(rule: RawRule) -> tuple[str, ...]:
    """What the rule names; of another type it is a finding of its own."""
    said = rule.fields.get("maps")
    return tuple(said) if isinstance(said, list) and all(isinstance(name, str) for name in said) else ()


def _known() -> Mapping[str, str]:
    return {id_: said for one in catalogues() for id_, said in one.entries.items()}
