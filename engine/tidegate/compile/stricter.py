"""Whether new rules are shown to loosen nothing, for `reload = "stricter"`."""

from __future__ import annotations

from ..errors import Finding
from ..lang import RawRule, RuleSet
from ..shown import quote
from .compiler import Outcome

_TIGHTENING = frozenset({"tools", "command", "path", "url"})


def loosened(old: Outcome, new: Outcome) -> list[Finding]:
    """Why *new* is held back; empty where it may take over.

    A layer that says `reload = "stricter"` takes over by itself only what certainly loosens nothing: all that stood
    stands unchanged, and what was added are guard rules without grants. Everything else waits for an operator;
    `tidegate diff` tells what it would change.
    """
    held = []
    after = {rule_set.layer: rule_set for rule_set in new.rule_sets}
    for before in old.rule_sets:
        if before.settings.reload != "stricter":
            continue
        now = after.get(before.layer)
        if now is None:
            held.append(
                before.top.finding((), "held-back", "the layer is gone", why=_WHY, mend=_MEND, severity="warning")
            )
        else:
            held += _of_layer(before, now)
    return held


_WHY = 'the rules in force say `reload = "stricter"`'
_MEND = "an operator accepts the new rules, or they are changed so that they only add denies"


def _of_layer(before: RuleSet, now: RuleSet) -> list[Finding]:
    held = []
    if before.settings != now.settings or _bound(before) != _bound(now) or _commands(before) != _commands(now):
        what = "settings, bindings or command entries have changed"
        held.append(now.top.finding((), "held-back", what, why=_WHY, mend=_MEND, severity="warning"))
    standing = {_said(rule) for rule in now.rules}
    known = {_said(rule) for rule in before.rules}
    for rule in before.rules:
        if _said(rule) not in standing:
            what = f"rule {quote(rule.address)} was changed or removed"
            held.append(now.top.finding((), "held-back", what, why=_WHY, mend=_MEND, severity="warning"))
    for rule in now.rules:
        if _said(rule) not in known and (rule.kind not in _TIGHTENING or {"allow", "effects"} & rule.fields.keys()):
            what = f"the new rule {quote(rule.address)} may grant or change something"
            held.append(rule.finding((), "held-back", what, why=_WHY, mend=_MEND, severity="warning"))
    return held


def _said(rule: RawRule) -> str:
    """Everything that the rule says, as one text; examples change nothing."""
    fields = {key: value for key, value in rule.fields.items() if key != "example"}
    return repr((rule.address, rule.kind, sorted(fields.items(), key=lambda item: item[0])))


def _bound(rule_set: RuleSet) -> list[str]:
    return [repr((binding.tool, binding.argument, dict(binding.table))) for binding in rule_set.bindings]


def _commands(rule_set: RuleSet) -> list[str]:
    return [repr((command.name, dict(command.table))) for command in rule_set.commands]
