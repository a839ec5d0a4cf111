"""What new rules do that old ones did not, tool by tool: proved, shown by a call, or not decided.

That nothing is loosened rests on two laws of the engine (`tests/laws`): adding a deny, ask or `only` rule never makes
a decision more permissive, and adding a grant never makes one stricter. So nothing is looser where each refusal of the
old rules is covered by the new ones, and each grant of the new ones by the old. The rest is for witnesses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from attrs import evolve

from ...lang.ruleset import RawRule
from ...meaning.names import is_glob, name_test, widened_name_test
from ..clauses import Clause, covers
from ..clauses.items import Path, Same
from ..clauses.written import SILENT, canonical, without
from ..languages import NotDecided
from ..witnesses import Bench
from ..witnesses.probing import in_examples
from .frame import changes_around
from .rows import search_in_rows
from .searching import Candidates, Open, Side, search
from .verdicts import Comparison, Direction, Row, Shown


def compare(old: Bench, new: Bench, tools: Sequence[str] = ()) -> Comparison:
    """Compare two rule sets for each tool that one of them names, for *tools*, and for all others together."""
    sides = (Side.of(old), Side.of(new))
    named = list(dict.fromkeys([*tools, *_named(sides)]))
    return Comparison((*(_row(sides, tool) for tool in named), _row(sides, "", apart_from=named)))


def _named(sides: Iterable[Side]) -> Iterator[str]:
    """The tools that rules name exactly, by their `tools`, in `when`, as items of the kind `tools`, and by examples."""
    for side in sides:
        for rule_set in side.outcome.rule_sets:
            for rule in rule_set.rules:
                yield from (name for name in _mentions(rule) if not is_glob(name))
            yield from (binding.tool for binding in rule_set.bindings if not is_glob(binding.tool))
    for side in sides:
        for rule_set in side.outcome.rule_sets:
            yield from (call.tool.name for call in in_examples(rule_set.rules))


def _mentions(rule: RawRule) -> Iterator[str]:
    yield from rule.fields.get("tools") or ()
    when = rule.fields.get("when")
    said = when.get("tool") if isinstance(when, dict) else None
    yield from [said] if isinstance(said, str) else said or ()
    if rule.kind == "tools":
        for key in ("allow", "deny", "only"):
            yield from rule.fields.get(key) or ()


def _row(sides: tuple[Side, Side], tool: str, apart_from: Sequence[str] = ()) -> Row:
    """The row of one tool, or of all that are not among *apart_from*."""
    around = changes_around(sides[0].outcome, sides[1].outcome, tool, apart_from)
    old, new = (_about(side.clauses, side, tool, apart_from) for side in sides)
    less = _uncovered(old, new, tool, grants=False) + _uncovered(new, old, tool, grants=True)
    more = _uncovered(new, old, tool, grants=False) + _uncovered(old, new, tool, grants=True)
    wanted = (bool(less or around.looser), bool(more or around.stricter))
    candidates = Candidates(sides, tool, apart_from, less + more)
    found = search(sides, candidates, wanted)
    if around.bounds:
        found = search_in_rows(sides, candidates, found, wanted, around.bounds)
    return Row(tool, _direction(found[0], less, around.looser), _direction(found[1], more, around.stricter))


def _about(clauses: Iterable[Clause], side: Side, tool: str, apart_from: Sequence[str]) -> tuple[Clause, ...]:
    """The clauses that have a say about the tool, or about some tool that is not named."""
    if not tool:
        return tuple(clause for clause in clauses if not _is_about_these_only(clause, apart_from))
    return tuple(one for clause in clauses if (one := _about_tool(clause, side, tool)) is not None)


def _about_tool(clause: Clause, side: Side, tool: str) -> Clause | None:
    """What the clause says of one tool, `None` for nothing."""
    test = name_test if clause.grants else widened_name_test
    globs = clause.raw.fields.get("tools")
    if globs is not None and not test(globs)(tool):
        return None
    if clause.kind == "tools" and not clause.whole:
        named = (widened_name_test if clause.says == "deny" else name_test)([item.text for item in clause.items])(tool)
        return evolve(clause, items=(Same(tool),)) if named is not (clause.says == "only") else None
    if clause.grants and not clause.whole and clause.kind in _GRANTED_TO:
        reader = side.outcome.readers[clause.rule.layer]
        roles = {binding.role for binding in reader.bindings.of_tool(tool)}
        return clause if roles & _GRANTED_TO[clause.kind] else None
    return clause


_SHELL = {"command", "argv"}
_GRANTED_TO = {
    "path": {"path", "cwd", "url", "patch", *_SHELL},
    "url": {"url", "host", *_SHELL},
    "command": _SHELL,
}
"""The roles of arguments that grants of a kind can cover; where nothing is bound they cover nothing."""


def _is_about_these_only(clause: Clause, tools: Sequence[str]) -> bool:
    """Whether the clause has nothing to say of a tool that is not among *tools* and looks like none of them."""
    globs = clause.raw.fields.get("tools")
    if globs is not None and all(glob in tools for glob in globs):
        return True
    return (
        clause.kind == "tools" and clause.says in ("deny", "grant") and all(item.text in tools for item in clause.items)
    )


def _uncovered(some: Sequence[Clause], others: Sequence[Clause], tool: str, *, grants: bool) -> list[Open]:
    """The refusals, or the grants, of *some* that *others* are not proved to cover."""
    found = []
    against = tuple(other for other in others if other.grants is grants)
    written = {_written(other) for other in against}
    for clause in some:
        if clause.grants is not grants or _written(clause) in written:
            continue
        try:
            if not covers(clause, against, tools=not tool):
                linkless = [_without_links(other) for other in against]
                doubt = _LINKS if covers(_without_links(clause), linkless, tools=not tool) else ""
                found.append(Open(clause, against, doubt))
        except NotDecided as undecided:
            found.append(Open(clause, against, str(undecided)))
    return found


_LINKS = "nothing has changed unless a symlink leads elsewhere"


def _without_links(clause: Clause) -> Clause:
    """The clause where symlinks lead nowhere else."""
    items = (evolve(item, links=False) if isinstance(item, Path) else item for item in clause.items)
    return evolve(clause, items=tuple(items)) if any(isinstance(item, Path) for item in clause.items) else clause


def _written(clause: Clause) -> str:
    """The clause as it stands in its rule: what is written alike says the same."""
    fields = without(clause.raw.fields, SILENT)
    return canonical([clause.rule.layer, clause.rule.enforced, clause.raw.kind, clause.says, clause.key, fields])


def _direction(shown: Shown | None, opened: Sequence[Open], around: Sequence[str]) -> Direction:
    if shown is None and not opened and not around:
        return Direction(none=True)
    rules = tuple(dict.fromkeys(one.clause.raw.address for one in opened))
    doubts = () if shown is not None else tuple(dict.fromkeys([*around, *map(_doubt, opened)]))
    return Direction(none=False, shown=shown, doubts=doubts, rules=rules)


def _doubt(one: Open) -> str:
    about = one.clause.raw.address
    if one.doubt:
        return f"rule `{about}`: {one.doubt}"
    item = ", ".join(dict.fromkeys(item.text for item in one.clause.items if item.text)) or one.clause.says
    return f"rule `{about}`: no call was found that shows what has become of `{item[:80]}`"
