"""One rule of a file becomes one rule of a plan, or findings."""

from __future__ import annotations

from typing import Literal, NamedTuple

from ..errors import Finding
from ..kind import Guard, Kind, Phase, Problem, Setting
from ..kinds import builtin, builtin_names
from ..lang import RawRule
from ..lang.nearest import nearest
from ..meaning.commands.table import Table
from ..meaning.names import name_test, widened_name_test
from ..plan.rule import Rule
from ..shown import quote
from .conditions import compile_condition, end_of
from .fields import CommonFields, ExampleFields, GuardFields
from .structure import structure_rule

Default = Literal["allow", "ask", "deny"]


class Compiled(NamedTuple):
    """A rule as compiled, `None` where it is broken or off, with the phase of its kind and its examples."""

    rule: Rule | None
    phase: Phase | None
    examples: tuple[ExampleFields, ...]
    findings: list[Finding]


def compile_rule(raw: RawRule, kinds: dict[str, Kind], default: Default, table: Table, *, enforce: bool) -> Compiled:
    """Compile *raw*; everything that is wrong with it becomes a finding at the key that it is about.

    Args:
        raw: The rule as written, overrides applied.
        kinds: Third-party kinds that the top layer names.
        default: The `default` of the rule's layer.
        table: The table of commands, extended by the rule set.
        enforce: False where the whole layer only monitors.
    """
    kind = kinds.get(raw.kind) or (builtin(raw.kind) if raw.kind in builtin_names() else None)
    if kind is None:
        return Compiled(None, None, (), [_unknown_kind(raw, [*builtin_names(), *kinds])])
    common, own, problems = structure_rule(raw.fields, kind)
    if common is None or own is None:
        return Compiled(None, kind.phase, (), _findings(raw, kind, problems))
    guard = common if isinstance(common, GuardFields) else None
    setting = Setting(raw.address, default, guard.otherwise if guard else None, table)
    when = compile_condition(common.when, setting, ("when",)) if common.when else None
    excepts = tuple(
        compile_condition(fields, setting, ("except", index)) for index, fields in enumerate(guard.except_ if guard else ())
    )
    part = kind.compile(own, setting)
    if isinstance(part, Guard):
        _check_lists(raw, part, setting)
    problems += setting.problems
    findings = _findings(raw, kind, problems)
    if any(finding.severity == "error" for finding in findings) or common.mode == "off":
        return Compiled(None, kind.phase, (), findings)
    rule = Rule(
        id=raw.address,
        kind=kind.name,
        part=part,
        grants_tool=name_test(common.tools) if common.tools else None,
        denies_tool=widened_name_test(common.tools) if common.tools else None,
        when=when,
        excepts=excepts,
        enforced=enforce and common.mode == "enforce",
        message=common.message,
        expires=end_of(common.expires),
        **_guard_fields(guard),
    )
    return Compiled(rule, kind.phase, common.example, findings)


def _guard_fields(guard: GuardFields | None) -> dict[str, str | None]:
    if guard is None:
        return {}
    return {
        "effect": guard.effect,
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
            "the rule has no list",
            "it would never answer anything",
            "add `allow`, `deny` or `only`",
        )
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


def _unknown_kind(raw: RawRule, known: list[str]) -> Finding:
    close = nearest(raw.kind, known)
    return raw.finding(
        ("kind",),
        "unknown-kind",
        f"unknown kind {quote(raw.kind)} in rule {quote(raw.address)}",
        why="a rule of a kind that nobody knows would never answer",
        mend=f"write `{close}`" if close else f"the kinds are {', '.join(f'`{name}`' for name in sorted(known))}",
        of="value",
    )


def _findings(raw: RawRule, kind: Kind, problems: list[Problem]) -> list[Finding]:
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


def tools_of(common: CommonFields) -> tuple[str, ...]:
    """The globs of the tools that a rule is about."""
    return common.tools or ("*",)
