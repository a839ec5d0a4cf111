"""Rules and items that can match no call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import attrs

from ...call import Call
from ...lang.words import quoted
from ...meaning.names import is_glob, name_test
from ...plan.rule import Rule
from ...shown import quote
from ..clauses import Clause
from ..clauses.items import Name
from ..languages import name_language, share
from .looking import Looking, Said, decided, slip

_WHY = "a rule that never speaks is taken for a protection, or for a grant, by whoever reads it"
_NEEDED = {
    "path": {"path", "cwd", "url", "patch", "command", "argv"},
    "url": {"url", "host", "command", "argv"},
    "command": {"command", "argv"},
}
"""By kind the roles of which a grant of that kind needs one."""


def never_matches(look: Looking) -> Iterator[Said]:
    """Rules whose tools, conditions and lists have nothing in common."""
    for address, clauses in look.clauses_by_rule().items():
        yield from decided(address, "never-matches", _when_apart(look, clauses[0]))
        for clause in clauses:
            if clause.kind == "tools" and not clause.whole and clause.raw.fields.get("tools"):
                yield from decided(address, "never-matches", _other_tools(look, clause))
            if clause.grants and clause.kind in _NEEDED and not clause.whole:
                yield from _grants_no_argument(look, clause)


def _when_apart(look: Looking, clause: Clause) -> Iterator[Said]:
    """A rule whose `when` names none of its tools."""
    fields = clause.raw.fields
    when = fields.get("when")
    said = when.get("tool") if isinstance(when, Mapping) else None
    if said is None or fields.get("tools") is None:
        return
    globs = [said] if isinstance(said, str) else said
    apart = all(
        share(name_language(globs, wide=wide), name_language(fields["tools"], wide=wide)) is None
        for wide in (False, True)
    )
    if apart:
        calls = look.prober.calls(attrs.evolve(clause, raw=_free(clause)))
        yield from slip(
            clause.raw,
            ("when", "tool"),
            "never-matches",
            "`when` names no tool that `tools` names",
            _WHY,
            "name the same tools in both, or leave `when` out",
            [look.first(calls, partial(_speaks_only_if, look, clause, _unconditional))],
        )


def _free(clause: Clause) -> Any:
    """The rule without its condition."""
    return attrs.evolve(clause.raw, fields={key: v for key, v in clause.raw.fields.items() if key != "when"})


def _unconditional(rule: Rule) -> Rule:
    return attrs.evolve(rule, when=None)


def _everywhere(rule: Rule) -> Rule:
    return attrs.evolve(rule, grants_tool=None, denies_tool=None)


def _speaks_only_if(look: Looking, clause: Clause, change: Any, call: Call) -> str | None:
    """What shows that the rule is silent, and would not be if it were changed."""
    subject = look.of(clause)
    said, would = look.bench.alone(subject, call), look.bench.alone(subject, call, change)
    if said != "pass" or would in (None, "pass"):
        return None
    return f"{quote(clause.raw.address)} alone says pass, and would say {would} without that"


def _other_tools(look: Looking, clause: Clause) -> Iterator[Said]:
    """An item of the kind `tools` that names none of the tools that the rule is about."""
    own = clause.raw.fields["tools"]
    if clause.says == "only":
        return
    wide = clause.says == "deny"
    if any(share(name_language([clause.value], wide=each), name_language(own, wide=each)) for each in {False, wide}):
        return
    calls = look.prober.of_item(Name(clause.value), ())
    yield from slip(
        clause.raw,
        clause.key,
        "never-matches",
        f"the item {quote(clause.value)} names no tool that `tools` names",
        _WHY,
        "name it under `tools`, or leave `tools` out",
        [look.first(calls, partial(_speaks_only_if, look, clause, _everywhere))],
    )


def _grants_no_argument(look: Looking, clause: Clause) -> Iterator[Said]:
    """A grant for tools none of which has an argument that it could cover."""
    tools = clause.raw.fields.get("tools")
    if look.catalogue is not None:
        names = [tool.name for tool in look.catalogue if tools is None or name_test(tools)(tool.name)]
    elif tools is None or any(map(is_glob, tools)):
        return
    else:
        names = list(tools)
    bindings = [binding for name in names for binding in look.bench.outcome.readers[-1].bindings.of_tool(name)]
    roles: set[str] = {binding.role for binding in bindings}
    accesses = {access for binding in bindings for access in binding.access}
    needed = _NEEDED[clause.kind]
    if not names:
        return
    if roles & needed:
        only_paths = clause.kind == "path" and roles & needed == {"path"}
        if not only_paths or accesses & clause.access:
            return
        what = (
            f"its tools only {quoted(sorted(accesses), 'and')}, and it grants to {quoted(sorted(clause.access), 'and')}"
        )
    else:
        what = f"no argument of its tools is bound to {quoted(sorted(needed), 'or')}"
    calls = (
        look.prober.make(name, {argument: text})
        for name in names
        for argument, text in (("path", "x"), ("command", "ls"), ("url", "https://example.com/"))
    )
    yield from slip(
        clause.raw,
        clause.key,
        "never-matches",
        f"the grant covers nothing: {what}",
        _WHY,
        "bind the argument under `[tools]`, or name the tools that are meant",
        [look.first(calls, partial(_is_silent, look, clause))],
    )


def _is_silent(look: Looking, clause: Clause, call: Call) -> str | None:
    said = look.bench.alone(look.of(clause), call)
    return f"{quote(clause.raw.address)} alone says {said}" if said is not None and said != "allow" else None
