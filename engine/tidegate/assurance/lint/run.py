"""All checks, one after the other."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile

from attrs import frozen

from ...compile.catalogue import Described
from ...lang.document import Document
from ...lang.layers import in_file_order
from ...lang.ruleset import RuleSet
from ..witnesses import Bench
from .against import answered_twice, contradicted
from .anchors import unanchored
from .beside import said_twice
from .exceptions import idle
from .looking import Looking, Said, Slip, Undecided
from .never import never_matches
from .running import writes_what_runs
from .schemas import out_of_reach
from .secrets import secrets
from .wide import wide_grants


def not_looked_into(look: Looking) -> Iterator[Said]:
    """Kinds whose rules nobody here can compare by what they mean."""
    for address, clauses in look.clauses_by_rule().items():
        if any(clause.whole for clause in clauses):
            why = f"rules of the kind `{clauses[0].kind}` are compared only as they are written"
            yield Undecided(address, "redundant", why)


_CHECKS: tuple[Callable[[Looking], Iterator[Said]], ...] = (
    never_matches,
    out_of_reach,
    said_twice,
    contradicted,
    answered_twice,
    idle,
    unanchored,
    wide_grants,
    writes_what_runs,
    secrets,
    not_looked_into,
)


_ACCEPTED = re.compile(r"#\s*accepted:\s*([a-z-]+)\b")


@frozen
class Lint:
    """What was found, in file order, what nobody could decide, and what was found and is accepted by a comment."""

    slips: tuple[Slip, ...]
    undecided: tuple[Undecided, ...]
    accepted: tuple[Slip, ...] = ()


def lint(bench: Bench, files: Sequence[str] = (), catalogue: Sequence[Described] | None = None) -> Lint:
    """Look a rule set through, with the real tools where a catalogue has them.

    What is wrong in a pack is for whoever maintains it, and is left out; `files` are the files in their order. What a
    comment `# accepted: CODE` on its line, or on the lines right above, names is accepted.
    """
    look = Looking(bench, None if catalogue is None else tuple(catalogue))
    said = [one for check in _CHECKS for one in check(look)]
    rule_sets = bench.outcome.rule_sets
    packed = {source.shown for rule_set in rule_sets for source in rule_set.sources if source.pack}
    slips = {one.finding: one for one in said if isinstance(one, Slip) and one.finding.file not in packed}
    own = {rule.address for rule_set in rule_sets for rule in rule_set.rules if not rule.source.pack}
    undecided = dict.fromkeys(one for one in said if isinstance(one, Undecided) and one.rule in own)
    lines = {document.file: document.text.split("\n") for rule_set in rule_sets for document in _documents(rule_set)}
    ordered = [slips[finding] for finding in in_file_order(slips, files)]
    accepted = tuple(one for one in ordered if _is_accepted(one, lines.get(one.finding.file, [])))
    return Lint(tuple(one for one in ordered if one not in accepted), tuple(undecided), accepted)


def _documents(rule_set: RuleSet) -> Iterator[Document]:
    yield rule_set.top
    for entry in (*rule_set.rules, *rule_set.bindings, *rule_set.commands):
        yield entry.document


def _is_accepted(slip: Slip, lines: Sequence[str]) -> bool:
    """Whether a comment on the line of the finding, or one right above it, names its code."""
    at = slip.finding.line - 1
    if not 0 <= at < len(lines):
        return False
    above = takewhile(lambda line: line.lstrip().startswith("#"), reversed(lines[:at]))
    return any(slip.finding.code in _ACCEPTED.findall(line) for line in (lines[at], *above))
