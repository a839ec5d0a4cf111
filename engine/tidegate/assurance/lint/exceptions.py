"""Exceptions that except nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any

import attrs

from ...call import Call
from ...lang.ruleset import RawRule
from ...meaning.globs import Glob
from ...meaning.names import widened_name_test
from ...meaning.widen import short_names, widen_glob
from ...plan.rule import Rule
from ...shown import quote
from ..clauses import Clause, Item
from ..clauses.commands import Command
from ..clauses.items import Path, Url, path_items
from ..languages import NotDecided, glob_language, is_within, share
from ..witnesses import texts
from ..witnesses.probing import in_examples
from .looking import Looking, Said, Undecided, decided, slip

_MOST_CALLS = 60
_MEND = "take it out, or name what the rule refuses"
_ABOUT_EFFECTS = {"path": {"path"}, "url": {"url"}, "command": {"command", "path", "url"}}
"""By the key of an exception the kinds of rules whose refusals it can be about."""


def idle(look: Looking) -> Iterator[Said]:
    """Exceptions of rules whose lists are compared by what they mean; others are left alone."""
    for address, clauses in look.clauses_by_rule().items():
        raw = clauses[0].raw
        if any(clause.whole for clause in clauses):
            continue
        for index, said in enumerate(raw.fields.get("except") or ()):
            yield from decided(address, "idle-exception", _one(look, clauses, index, said))


def _one(look: Looking, clauses: Sequence[Clause], index: int, said: Mapping[str, Any]) -> Iterator[Said]:
    raw = clauses[0].raw
    refusals = [clause for clause in clauses if not clause.grants]
    calls = list(islice(_calls(look, raw, refusals, said), _MOST_CALLS))
    if any(_is_used(look, clauses[0], index, call) for call in calls):
        return
    what = _why_idle(raw, refusals, said)
    if what is None:
        why = "no call was found that it excepts, and none is known to be impossible"
        yield Undecided(raw.address, "idle-exception", f"exception {index + 1}: {why}")
        return
    test = partial(_shows, look, clauses[0], index)
    yield from slip(
        raw,
        ("except", index),
        "idle-exception",
        f"the exception {_told(said)} excepts nothing: {what}",
        "its author thinks that something is allowed which is not, or the pattern has a slip",
        _MEND,
        [look.first(iter(calls), partial(_shows_refused, look, clauses[0], index)) or look.first(iter(calls), test)],
    )


def _told(said: Mapping[str, Any]) -> str:
    return quote(", ".join(f"{key} = {json.dumps(value, default=str)}" for key, value in said.items()))


def _calls(look: Looking, raw: RawRule, refusals: Sequence[Clause], said: Mapping[str, Any]) -> Iterator[Call]:
    """Calls that the exception names, or the rule refuses."""
    names = look.prober.tools.of(raw.fields.get("tools"))
    table = look.bench.outcome.readers[refusals[0].rule.layer if refusals else 0].table
    denied = [item for clause in refusals for item in clause.items if isinstance(item, Command)]
    for item in _items(said, lambda text: Command.read(text, table, grant=False)):
        yield from look.prober.of_item(item, names)
        if isinstance(item, Command):
            for other in denied:
                yield from look.prober.of_command(_joined(item, other), names)
    tools = _many(said.get("tool"))
    for word in [*_many(said.get("path")), *_many(said.get("url"))]:
        for item in denied:
            for text in islice(texts.commands(item.text), 1):
                yield from look.prober.of_command(f"{text} {texts.word(word, wild=True)}", names)
    for clause in refusals:
        if tools:
            yield from look.prober.calls(clause, (), look.prober.tools.of(tools))
        yield from look.prober.calls(clause)
    yield from in_examples([raw])


def _joined(one: Command, other: Command) -> str:
    """A command that both patterns may name: the words of the one, and those that the other has beside."""
    mine, theirs = (next(texts.commands(each.text)).split() for each in (one, other))
    return " ".join([*mine, *(word for word in theirs if word not in mine)])


def _items(said: Mapping[str, Any], command: Callable[[str], Item]) -> Iterator[Item]:
    for text in _many(said.get("command")):
        yield command(text)
    for text in _many(said.get("path")):
        yield from path_items(text, links=False)
    for text in _many(said.get("url")):
        yield Url(text)


def _many(said: Any) -> list[str]:
    return [] if said is None else [said] if isinstance(said, str) else list(said)


def _without(index: int, rule: Rule) -> Rule:
    return attrs.evolve(rule, excepts=rule.excepts[:index] + rule.excepts[index + 1 :])


def _is_used(look: Looking, clause: Clause, index: int, call: Call) -> bool:
    """Whether the rule refuses the call more strictly without the exception."""
    subject = look.of(clause)
    return look.bench.alone(subject, call) != look.bench.alone(subject, call, partial(_without, index))


def _shows(look: Looking, clause: Clause, index: int, call: Call) -> str | None:
    subject = look.of(clause)
    said = look.bench.alone(subject, call)
    if said is None or look.bench.alone(subject, call, partial(_without, index)) != said:
        return None
    return f"{quote(clause.raw.address)} alone says {said}, and without the exception {said} as well"


def _shows_refused(look: Looking, clause: Clause, index: int, call: Call) -> str | None:
    """The same of a call that the rule refuses although the exception seems to name it."""
    said = clause.raw.fields["except"][index]
    words = [*_many(said.get("path")), *_many(said.get("url"))]
    named = any(word.rstrip("*/") in json.dumps(call.arguments) for word in words)
    shown = _shows(look, clause, index, call) if named else None
    return shown if shown is not None and "says pass" not in shown else None


def _why_idle(raw: RawRule, refusals: Sequence[Clause], said: Mapping[str, Any]) -> str | None:
    """Why the exception can except nothing, `None` where that is not known."""
    if not refusals:
        return "the rule refuses nothing"
    tools = _many(said.get("tool"))
    own = raw.fields.get("tools")
    if tools and own is not None and not any(map(widened_name_test(own), tools)) and not _have_wildcards(tools):
        return "the rule is not about these tools"
    for key, kinds in _ABOUT_EFFECTS.items():
        if key in said and raw.kind not in kinds:
            return f"a rule of the kind `{raw.kind}` refuses nothing that a `{key}` could name"
    if raw.kind == "path" and "path" in said and set(said) <= {"path", "expires"}:
        return _apart(refusals, _many(said["path"]))
    if raw.kind == "command" and "command" in said:
        return _other_programs(refusals, said)
    return None


def _have_wildcards(globs: Sequence[str]) -> bool:
    return any("*" in glob or "?" in glob for glob in globs)


def _apart(refusals: Sequence[Clause], globs: Sequence[str]) -> str | None:
    """Whether the rule refuses none of the paths."""
    own = [item for glob in globs for item in path_items(glob, links=False)]
    for clause in refusals:
        items = [item for item in clause.items if isinstance(item, Path)]
        places = {(item.branch.place, item.branch.up) for item in (*own, *items)}
        if clause.says in ("unread", "code"):
            continue
        if len(places) > 1:
            raise NotDecided("the exception and the list begin at different places")
        mine = [Glob("", (item.branch.segments,)) for item in own]
        theirs = [Glob("", (item.branch.segments,)) for item in items]
        if clause.says == "only":
            if not is_within(glob_language(mine), glob_language(theirs)):
                return None
            continue
        wide = [*map(widen_glob, theirs), *(each for glob in theirs for each in short_names(glob))]
        if share(glob_language(mine), glob_language(theirs)) is not None:
            return None
        if share(glob_language(map(widen_glob, mine)), glob_language(wide)) is not None:
            return None
    return "the rule refuses none of these paths"


def _other_programs(refusals: Sequence[Clause], said: Mapping[str, Any]) -> str | None:
    """Whether the rule denies other programs than the exception names."""
    if any(clause.says == "only" for clause in refusals):
        return None
    denied = [item.program for clause in refusals for item in clause.items if isinstance(item, Command)]
    excepted = {text.split()[0].rpartition("/")[2].lower() for text in _many(said["command"])}
    if None in denied or any("*" in name or "=" in name for name in excepted) or excepted & set(denied):
        return None
    return "the rule denies other programs"
