"""One rule of a file becomes one rule of a plan, or findings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from attrs import frozen

from ..errors import Finding
from ..kind import Guard, Kind, Part, Phase, Problem, Setting
from ..kinds import builtin, builtin_names, installed_names
from ..lang import RawRule
from ..lang.inline import inline
from ..lang.nearest import nearest
from ..meaning.commands.table import Table
from ..meaning.names import name_test, widened_name_test
from ..plan.rule import Rule
from ..shown import quote
from .conditions import compile_condition, end_of
from .expiry import check_expiry
from .fields import ExampleFields, GuardFields
from .lookups import check_lookups
from .structure import structure_rule

Default = Literal["allow", "ask", "deny"]


class Compiled(NamedTuple):
    """A rule as compiled, `None` where it is broken or off, with the phase of its kind and its examples.

    `read` holds the files beside the rule files that it was made from, by path with their SHA-256 in hex.
    """

    rule: Rule | None
    phase: Phase | None
    examples: tuple[ExampleFields, ...]
    findings: list[Finding]
    read: Mapping[str, str] = MappingProxyType({})


@frozen
class Around:
    """What a rule is compiled in.

    Attributes:
        kinds: Third-party kinds that a top file names.
        default: The `default` of the rule's layer.
        table: The table of commands, extended by the rule sets.
        enforce: False where the whole layer only monitors.
        now: The time of loading in seconds since the epoch, for what has expired.
        layer: The index of the rule's layer, the highest being 0.
    """

    kinds: Mapping[str, Kind]
    default: Default
    table: Table
    enforce: bool
    now: float
    layer: int


def compile_rule(raw: RawRule, around: Around) -> Compiled:
    """Compile *raw*; everything that is wrong with it becomes a finding at the key that it is about."""
    kind = around.kinds.get(raw.kind) or (builtin(raw.kind) if raw.kind in builtin_names() else None)
    if kind is None:
        return Compiled(None, None, (), [_unknown_kind(raw, around.kinds)])
    common, own, problems = structure_rule(raw.fields, kind)
    if common is None or own is None:
        return Compiled(None, kind.phase, (), _findings(raw, problems))
    guard = common if isinstance(common, GuardFields) else None
    folder = str(Path(raw.source.path).parent)
    setting = Setting(raw.address, around.default, guard.otherwise if guard else None, around.table, folder)
    setting.problems += problems
    part = kind.compile(own, setting)
    rule = Rule(
        id=raw.address,
        kind=kind.name,
        part=part,
        grants_tool=name_test(common.tools) if common.tools else None,
        denies_tool=widened_name_test(common.tools) if common.tools else None,
        when=compile_condition(common.when, setting, ("when",)) if common.when else None,
        enforced=around.enforce and common.mode == "enforce",
        message=common.message or (part.says if isinstance(part, Guard) else ""),
        expires=end_of(common.expires),
        layer=around.layer,
        **(_guard_fields(guard, part, setting) if guard else {}),
    )
    if isinstance(rule.part, Guard):
        _check_lists(raw, rule.part, setting)
    check_expiry(rule, setting, around.now)
    check_lookups(common.example, setting)
    findings = _findings(raw, setting.problems)
    unusable = any(finding.severity == "error" for finding in findings) or common.mode == "off"
    # Examples that came with a rule speak of the rule as it came; an override brings its own.
    stale = (raw.replaced or raw.added) and "example" not in raw.replaced
    return Compiled(None if unusable else rule, kind.phase, () if stale else common.example, findings, setting.read)


def _guard_fields(guard: GuardFields, part: Part, setting: Setting) -> dict[str, Any]:
    """What a guard rule has beside what every rule has."""
    return {
        "excepts": tuple(compile_condition(one, setting, ("except", at)) for at, one in enumerate(guard.except_)),
        "effect": "ask" if isinstance(part, Guard) and part.terms is not None else guard.effect,
        "otherwise": guard.otherwise or "deny",
        "unknown": guard.unknown,
        "code": guard.code,
    }


def _check_lists(raw: RawRule, guard: Guard, setting: Setting) -> None:
    """A guard rule must say something, and what it says must be able to do something."""
    if guard.grants is None and guard.denies is None and guard.confines is None and not setting.problems:
        setting.problem(
            (),
            "says-nothing",
            "`allow`, `deny` and `only` are all missing",
            "it would never answer anything",
            "add one of them",
        )
    if guard.terms is not None and "effect" in raw.fields:
        what, why = "`effect` does nothing here", "a rule that says who may approve always asks"
        setting.problem(("effect",), "says-nothing", what, why, "take it away, or write a rule that denies")
    if guard.grants is not None and guard.confines is None and setting.default == "allow" and "allow" in raw.fields:
        setting.problems.append(
            Problem(
                ("allow",),
                "idle-grant",
                '`allow` does nothing under `default = "allow"`',
                "everything that no rule refuses is allowed already, so the list confines nothing",
                "write `only` to confine to the list, or set `default` to `ask` or `deny`",
                "warning" if raw.source.pack else "error",
            )
        )


def _unknown_kind(raw: RawRule, named: Mapping[str, Kind]) -> Finding:
    known = [*builtin_names(), *named]
    close = nearest(raw.kind, known)
    installed = installed_names()
    offered = raw.kind if raw.kind in installed else None if close else nearest(raw.kind, installed)
    if offered is not None:
        kinds = inline([*named, offered])
        slip = "" if offered == raw.kind else f' and `kind = "{offered}"` here'
        return raw.finding(
            ("kind",),
            "unknown-kind",
            f"unknown kind {quote(raw.kind)} in rule {quote(raw.address)}: no `kinds` names it",
            why="an installed package offers it, and its code runs only where the top file of a layer says so",
            mend=f"write `kinds = {kinds}` in the top file of the layer{slip}",
            of="value",
        )
    return raw.finding(
        ("kind",),
        "unknown-kind",
        f"unknown kind {quote(raw.kind)} in rule {quote(raw.address)}",
        why="a rule of a kind that nobody knows would never answer",
        mend=f"write `{close}`" if close else f"the kinds are {', '.join(f'`{name}`' for name in sorted(known))}",
        of="value",
    )


def _findings(raw: RawRule, problems: list[Problem]) -> list[Finding]:
    """The problems as findings at their keys, with the rule that they are in."""
    found = []
    for problem in problems:
        about_value = problem.code not in ("unknown-key", "missing-key", "idle-grant", "says-nothing", "empty-table")
        found.append(
            raw.finding(
                problem.path,
                problem.code,
                f"{problem.what} in rule {quote(raw.address)}",
                why=problem.why,
                mend=problem.mend,
                of="value" if about_value else "key",
                severity="warning" if problem.severity == "warning" else "error",
            )
        )
    return found
