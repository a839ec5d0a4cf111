"""The exceptions that let one call pass: as narrow as the call itself, one for each thing that a rule refuses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from attrs import evolve

from ..call import Call
from ..compile.conditions import compile_condition
from ..compile.fields import ConditionFields
from ..compile.structure import structure
from ..decision import Answer
from ..facts import Facts
from ..kernel.json_values import thaw
from ..kind import Case, Setting
from ..lang.inline import inline, is_writable
from ..meaning.commands.table import Table
from ..meaning.effects import PATH_EFFECTS, Effect, Invocation, PathTarget, UrlTarget
from ..meaning.names import is_glob
from ..plan.condition import Condition
from ..plan.judge import answer
from ..plan.plan import Plan
from ..plan.protection import literal
from ..plan.rule import Rule
from ..plan.sitting import Sitting
from .narrow import command_pattern, exact_command, path_pattern, url_pattern

LONGEST = 2_000
"""The longest table of an exception, in characters; nobody would read a longer one."""

ExceptTable = Mapping[str, Any]
Made = tuple[ExceptTable, Condition]
WhyNot = Callable[[Rule], str]


class Needed(NamedTuple):
    """An exception that a call needs: the rule, and the table to be written, without its end."""

    rule: Rule
    table: ExceptTable


class Lifted(NamedTuple):
    """What lets a call pass, or why nothing does."""

    exceptions: tuple[Needed, ...]
    why_not: str = ""


def exceptions_for(call: Call, plan: Plan, facts: Facts, why_not: WhyNot, *, widen: bool = False) -> Lifted:
    """The exceptions by which the call would pass, and none where it would not pass with all of them.

    An exception names the tool, the agent if there is one, and the path, the URL or the command that was refused;
    where that cannot be named, the whole call with all its arguments. With *widen* it names the folder, the host, or
    the command with further operands instead, for every agent.

    Args:
        call: The call as it came.
        plan: The rules that refuse it.
        facts: What these may know; their limits are looked at and not used up.
        why_not: Says of a rule why it may not be excepted from, and nothing where it may.
        widen: Whether more than what was seen is to be excepted.
    """
    sitting = _judged(plan, call, facts)
    if sitting.settle().allowed:
        return Lifted((), "it passes by now")
    needed: list[Needed] = []
    lifted: dict[int, Rule] = {}
    for layer, case, reader in zip(sitting.rules.layers, sitting.cases, plan.readers, strict=True):
        for rule, _ in layer.guards:
            found = _lifted(rule, case, reader.table, widen=widen)
            if found is not None and not found[1]:
                continue
            if said := why_not(rule):
                return Lifted((), said)
            if found is None:
                return Lifted((), f"no exception of `{rule.id}` can name just this")
            lifted[id(rule)] = found[0]
            needed += [Needed(rule, table) for table in found[1]]
    left = _judged(_with(plan, lifted), call, facts).settle()
    if not left.allowed:
        by = f"`{left.rule}`" if left.rule else "the default, since no rule grants it,"
        return Lifted((), f"{by} would refuse it all the same")
    return Lifted(tuple(needed))


def _judged(plan: Plan, call: Call, facts: Facts) -> Sitting:
    sitting = Sitting(plan, call, facts)
    sitting.take_all()
    return sitting


def _with(plan: Plan, lifted: Mapping[int, Rule]) -> Plan:
    """The plan with some rules in the place of others."""
    layers = (evolve(one, guards=tuple(lifted.get(id(rule), rule) for rule in one.guards)) for one in plan.layers)
    return evolve(plan, layers=tuple(layers))


def _lifted(rule: Rule, case: Case, table: Table, *, widen: bool) -> tuple[Rule, list[ExceptTable]] | None:
    """The rule with exceptions for all that it refuses, and these; `None` where one cannot be made."""
    tables: list[ExceptTable] = []
    seen: list[Effect] = []
    while (refused := _refused(rule, case)) is not None:
        # An exception of a rule that has expired counts no more.
        if any(effect is refused for effect in seen):
            return None
        seen.append(refused)
        made = _exception(rule, refused, case, table, widen=widen)
        if made is None:
            return None
        tables.append(made[0])
        rule = evolve(rule, excepts=(*rule.excepts, made[1]))
    return rule, tables


def _refused(rule: Rule, case: Case) -> Effect | None:
    """The effect that the rule refuses, and that counts."""
    said: list[Answer] = answer(rule, case, grants=False)
    return next((one.effect for one in said if one.says in ("deny", "ask") and not one.monitored), None)


def _exception(
    rule: Rule, effect: Effect, case: Case, table: Table, *, widen: bool
) -> tuple[ExceptTable, Condition] | None:
    """The narrowest exception that holds for the effect."""
    for candidate in _candidates(effect, case, table, widen=widen):
        if not is_writable(candidate) or len(inline(candidate)) > LONGEST:
            continue
        condition = _compiled(candidate, rule, table)
        if condition is not None and condition.excepts(effect, case) is True:
            return candidate, condition
    return None


def _compiled(candidate: ExceptTable, rule: Rule, table: Table) -> Condition | None:
    fields, problems = structure(candidate, ConditionFields)
    if problems:
        return None
    setting = Setting(rule.id, "deny", None, table)
    condition = compile_condition(fields, setting, ())
    return None if setting.problems else condition


def _candidates(effect: Effect, case: Case, table: Table, *, widen: bool) -> Iterator[ExceptTable]:
    """Tables that may hold for the effect, the narrowest first.

    There are none for a tool whose name is a glob, nor for what nobody can tell: the same text may do something else.
    """
    call = case.call
    who = {"tool": call.tool.name, **({"agent": call.agent} if call.agent and not widen else {})}
    if any(map(is_glob, who.values())) or not _is_known(effect):
        return
    command = effect.target if isinstance(effect.target, Invocation) else effect.by
    if widen:
        if (what := _widened(effect, case)) is not None:
            yield {**who, **what}
        if command is not None and (pattern := command_pattern(command, case, table)) is not None:
            yield {**who, "command": pattern}
    pattern = exact_command(command, case, table) if command is not None else None
    what = _named(effect, case) or {}
    if pattern is not None:
        yield {**who, "command": pattern, **what}
    elif what and effect.span is None:
        yield {**who, **what}
    whole = {"args": {"": {"equals": thaw(call.arguments)}}}
    yield {**who, **what, **whole}
    yield {**who, **whole}


def _is_known(effect: Effect) -> bool:
    """Whether it is known exactly what the effect is of, or which command has it: the same call then does the same."""
    target = effect.target
    if effect.by is not None and effect.kind != "unknown":
        target = effect.by
    if isinstance(target, PathTarget):
        return all(isinstance(name, str) for name in target.names)
    if isinstance(target, Invocation):
        return target.complete and all(isinstance(word, str) for word in target.words)
    if isinstance(target, UrlTarget):
        return all(isinstance(part, str) for part in (target.scheme, target.host, target.path))
    return effect.kind != "unknown"


def _named(effect: Effect, case: Case) -> ExceptTable | None:
    """The path or the URL of the effect, and nothing else."""
    target = effect.target
    if effect.kind in PATH_EFFECTS and isinstance(target, PathTarget):
        names = [_exact_path(name, case, effect) for name in target.names if isinstance(name, str)]
        return _path(names) if len(names) == len(target.names) else None
    return _exact_url(target) if isinstance(target, UrlTarget) else None


def _widened(effect: Effect, case: Case) -> ExceptTable | None:
    """The folder of the path, or the host of the URL."""
    target = effect.target
    if effect.kind in PATH_EFFECTS and isinstance(target, PathTarget):
        root = case.places.root or "/"
        names = [path_pattern(name, root, effect) for name in target.names if isinstance(name, str)]
        return _path(names) if len(names) == len(target.names) else None
    url = url_pattern(target) if isinstance(target, UrlTarget) else None
    return None if url is None else {"url": url}


def _path(patterns: list[str]) -> ExceptTable | None:
    unique = list(dict.fromkeys(patterns))
    return {"path": unique[0] if len(unique) == 1 else unique} if unique else None


def _exact_path(name: str, case: Case, effect: Effect) -> str:
    """The path itself, beneath `{root}` where it lies there; everything beneath it where that is what was done."""
    root = case.places.root
    inner = PurePosixPath(name).relative_to(root) if root and PurePosixPath(name).is_relative_to(root) else None
    exact = literal(name) if inner is None else f"{{root}}/{literal(inner.as_posix())}" if inner.parts else "{root}"
    return f"{exact.rstrip('/')}/**" if effect.recursive else exact


def _exact_url(target: UrlTarget) -> ExceptTable | None:
    """The URL with its path; `None` where a pattern would say more than that: without a path, or with a query."""
    text, path, start = target.text, target.path, url_pattern(target)
    if start is None or not isinstance(path, str) or path in ("", "/", "/**") or not isinstance(text, str):
        return None
    return {"url": f"{start}{path}"} if not set("?#*[]{}\\") & set(text) else None
