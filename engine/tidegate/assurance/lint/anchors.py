"""Patterns that stand in fewer places than they seem to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from ...call import Call
from ...shown import quote
from ..clauses import Clause
from ..clauses.items import Path, Url
from ..clauses.tables import Table
from ..witnesses import texts
from .looking import Looking, Said, slip


def unanchored(look: Looking) -> Iterator[Said]:
    """Items of `deny` beside which the same thing goes through."""
    for clause in look.clauses:
        if clause.says != "deny" or clause.whole:
            continue
        for item in clause.items:
            if isinstance(item, Path):
                yield from _only_here(look, clause, item)
            elif isinstance(item, Url):
                yield from _only_the_host(look, clause, item)
            elif isinstance(item, Table):
                for name, check in item.checks.items():
                    yield from _only_as_a_whole(look, clause, item, name, check)


def _only_here(look: Looking, clause: Clause, item: Path) -> Iterator[Said]:
    """A name without a folder, which stands only in the folder in which the call runs."""
    branch = item.branch
    if branch.place or branch.up or len(branch.segments) != 1:
        return
    text = next(texts.paths(item, ()), None)
    if text is None or "/" in text:
        return
    names = look.prober.tools.of(clause.raw.fields.get("tools"))
    here, beneath = (list(look.prober.of_path(path, names, clause.access)) for path in (text, f"sub/{text}"))
    if not (_is_refused(look, clause, here) and _has_gap(look, clause, beneath)):
        return
    yield from slip(
        clause.raw,
        clause.key,
        "unanchored",
        f"{quote(item.text)} is refused only in the folder in which the call runs, and in none beneath it",
        "a relative glob stands under the working folder of the call",
        f'write `"**/{item.text}"` for every folder, or `"{{cwd}}/{item.text}"` if only this one is meant',
        [
            look.first(iter(here), partial(_says, look, clause, {"deny", "ask"})),
            look.first(iter(beneath), partial(_goes_through, look, clause)),
        ],
    )


def _is_refused(look: Looking, clause: Clause, calls: list[Call]) -> bool:
    """Whether the rule refuses one of the calls."""
    return look.first(iter(calls), partial(_says, look, clause, {"deny", "ask"})) is not None


def _has_gap(look: Looking, clause: Clause, calls: list[Call]) -> bool:
    """Whether one of the calls is refused by no rule at all, so that the gap is one of the rule set."""
    return look.first(iter(calls), partial(_goes_through, look, clause)) is not None


def _only_the_host(look: Looking, clause: Clause, item: Url) -> Iterator[Said]:
    """A host by its name, beside which its subdomains go through."""
    match = re.fullmatch(r"(?:(\w+)://)?([a-z0-9-]+(?:\.[a-z0-9-]+)+)(:\d+)?(/.*)?", item.text)
    if match is None or re.fullmatch(r"[0-9.]+", match[2]):
        return
    names = look.prober.tools.of(clause.raw.fields.get("tools"))
    scheme, rest = match[1] or "https", f"{match[3] or ''}/"
    there = list(look.prober.of_url(f"{scheme}://{match[2]}{rest}", names))
    beside = list(look.prober.of_url(f"{scheme}://sub.{match[2]}{rest}", names))
    if not (_is_refused(look, clause, there) and _has_gap(look, clause, beside)):
        return
    yield from slip(
        clause.raw,
        clause.key,
        "unanchored",
        f"{quote(item.text)} is refused, and none of the hosts beneath it",
        "a host is compared as a whole; whoever has a name has all the names beneath it",
        f'add `"*.{match[2]}"`',
        [
            look.first(iter(there), partial(_says, look, clause, {"deny", "ask"})),
            look.first(iter(beside), partial(_goes_through, look, clause)),
        ],
    )


def _only_as_a_whole(look: Looking, clause: Clause, item: Table, name: str, check: Mapping[str, Any]) -> Iterator[Said]:
    """A regular expression that is written as if it were searched for."""
    regex = check.get("regex")
    if not isinstance(regex, str) or not _looks_searched(regex):
        return
    text = next(texts.values({"regex": regex}, ()), None)
    if not isinstance(text, str):
        return
    tools = look.prober.tools.of(clause.raw.fields.get("tools"))
    others = [other for other in item.checks if other != name]
    if others:
        return
    exact, longer = (list(look.prober.of_value(name, value, tools)) for value in (text, f"{text}x y"))
    if not (_is_refused(look, clause, exact) and _has_gap(look, clause, longer)):
        return
    yield from slip(
        clause.raw,
        clause.key,
        "unanchored",
        f"{quote(regex)} is refused only as the whole text of {quote(name)}",
        "regular expressions are matched as a whole, and not searched for",
        f"write `{_searched(regex)}` if it may stand anywhere",
        [
            look.first(iter(exact), partial(_says, look, clause, {"deny", "ask"})),
            look.first(iter(longer), partial(_goes_through, look, clause)),
        ],
    )


def _looks_searched(regex: str) -> bool:
    """Whether the expression begins with an anchor and ends without one, or has nothing that repeats at either end."""
    bare = re.sub(r"^\(\?[a-z]+\)", "", regex)
    ended = bare.endswith(("$", r"\z"))
    if bare.startswith(("^", r"\A")):
        return not ended and not bare.endswith((".*", ".+"))
    return not ended and re.fullmatch(r"[\w \-/\\.]*", bare) is not None and not bare.endswith((".*", ".+"))


def _searched(regex: str) -> str:
    flags = re.match(r"\(\?[a-z]+\)", regex)
    bare = regex[flags.end() :] if flags else regex
    head = "" if bare.startswith(("^", r"\A")) else ".*"
    letters = "".join(sorted({"s", *(flags[0][2:-1] if flags else "")}))
    return f"(?{letters}){head}{bare.removeprefix('^')}.*"


def _says(look: Looking, clause: Clause, wanted: set[str], call: Call) -> str | None:
    said = look.bench.alone(look.of(clause), call)
    return f"{quote(clause.raw.address)} says {said}" if said in wanted else None


def _goes_through(look: Looking, clause: Clause, call: Call) -> str | None:
    """What shows that the rule says nothing of the call and that no other rule refuses it."""
    decision = look.bench.decide(call)
    if decision is None or look.bench.alone(look.of(clause), call) != "pass":
        return None
    refused = any(said.says in ("deny", "ask") and not said.monitored for said in decision.trace)
    return None if refused else f"{quote(clause.raw.address)} says nothing, and no other rule refuses it"
