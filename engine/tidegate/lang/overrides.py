"""`[[override]]`: what a file changes about rules that come from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from attrs import define, evolve, field

from ..errors import Finding
from ..shown import quote
from . import keys
from .gather import Gathered
from .nearest import MANY, nearest
from .ruleset import Entry, Layer, Origin, RawRule, Source

_FIXED = ("id", "kind")

Key = tuple[Layer, str]


@define
class Overrides:
    """The rules of all layers, highest first, while overrides are applied to them one after the other."""

    layers: tuple[Gathered, ...]
    report: list[Finding]
    _rules: dict[Key, RawRule] = field(factory=dict)  # of two rules with one address, the first
    _taken: dict[tuple[Key, str], Entry] = field(factory=dict)  # which override set a field already

    @classmethod
    def of(cls, layers: Iterable[Gathered], report: list[Finding]) -> Overrides:
        """The rules as their files say them."""
        self = cls(tuple(layers), report)
        for layer in self.layers:
            for rule in (rule for file in layer.files for rule in file.rules):
                self._rules.setdefault(_key(rule), rule)
        return self

    def apply_all(self) -> None:
        """Apply the overrides of all files; those that cannot be applied are reported."""
        for layer in self.layers:
            for file in layer.files:
                for entry in file.overrides:
                    self._apply(layer, file.source, entry)

    def applied(self, rule: RawRule) -> RawRule:
        """The rule of a file with what the overrides made of it."""
        changed = self._rules[_key(rule)]
        return changed if changed.table is rule.table else rule

    def _apply(self, layer: Gathered, source: Source, entry: Entry) -> None:
        wanted = self._wanted(entry)
        key = None if wanted is None else self._find(layer, source, entry, wanted)
        if key is None:
            return
        rule, found = self._rules[key], len(self.report)
        changed = rule
        for name, value in entry.table.items():
            if name != "rule" and self._may_set(layer, key, entry, name):
                changed = _with_field(changed, entry, name, value)
        self._rules[key] = changed
        same = (changed.fields, changed.overridable) == (rule.fields, rule.overridable)
        if same and len(self.report) == found:
            self.report.append(_idle(entry, rule))

    def _wanted(self, entry: Entry) -> str | None:
        value = entry.table.get("rule")
        if isinstance(value, str):
            return value
        if value is None:
            self.report.append(_nameless(entry))
        else:
            path = (*entry.path, "rule")
            self.report.append(keys.wrong_type(entry.document, path, value, "string", 'rule = "baseline/secrets"'))
        return None

    def _find(self, layer: Gathered, source: Source, entry: Entry, wanted: str) -> Key | None:
        """The rule that an override means: of its own layer first, then of the next higher one that has it."""
        head, colon, tail = wanted.partition(":")
        highest_first = [one.layer for one in self.layers]
        above = highest_first[highest_first.index(layer.layer) :: -1]
        if colon and head in above:
            above, wanted = [next(one for one in above if one == head)], tail
        key = next(((one, wanted) for one in above if (one, wanted) in self._rules), None)
        if key is None:
            if all(one.complete for one in self.layers if one.layer in above):
                self.report.append(self._unknown(entry, wanted, above))
            return None
        rule = self._rules[key]
        if key[0] == layer.layer:
            if rule.source not in layer.reach[source]:
                self.report.append(_out_of_reach(entry, rule, own=rule.source == source))
                return None
        elif not rule.overridable:
            self.report.append(_not_overridable(entry, rule))
            return None
        return key

    def _unknown(self, entry: Entry, wanted: str, layers: list[Layer]) -> Finding:
        known = [address for layer, address in self._rules if layer in layers]
        meant = next((name for name in known if name.endswith(f"/{wanted}")), None)
        if meant is None and len(self.report) < MANY:
            meant = nearest(wanted, known)
        return entry.finding(
            ("rule",),
            "unknown-rule",
            f"there is no rule {quote(wanted)}",
            why="an override that finds no rule would leave the rule as strict or as loose as it was, unseen",
            mend=f'write `rule = "{meant}"`' if meant else "name a rule of an included file or pack, like `pack/id`",
            of="value",
        )

    def _may_set(self, layer: Gathered, key: Key, entry: Entry, name: str) -> bool:
        """Whether the override may set this field; if not, the report says why."""
        if name in _FIXED or (name == "overridable" and key[0] != layer.layer):
            self.report.append(_fixed(entry, name))
            return False
        if name == "overridable" and not isinstance(entry.table[name], bool):
            path = (*entry.path, name)
            value = entry.table[name]
            self.report.append(keys.wrong_type(entry.document, path, value, "boolean", "overridable = true"))
            return False
        if name == "except":
            return self._may_add(entry)
        other = self._taken.setdefault((key, name), entry)
        if other is not entry:
            self.report.append(_duplicate(entry, name, other))
        return other is entry

    def _may_add(self, entry: Entry) -> bool:
        value = entry.table["except"]
        if isinstance(value, list):
            return True
        path = (*entry.path, "except")
        example = 'except = [{ path = "{root}/tests/**" }]'
        self.report.append(keys.wrong_type(entry.document, path, value, "array of tables", example))
        return False


def _key(rule: RawRule) -> Key:
    return rule.layer, rule.address


def _with_field(rule: RawRule, entry: Entry, name: str, value: Any) -> RawRule:
    if name == "overridable":
        return evolve(rule, overridable=value)
    origin = Origin(entry.document, entry.path)
    if name != "except" or name not in rule.fields:
        return evolve(rule, fields={**rule.fields, name: value}, replaced={**rule.replaced, name: origin})
    before = rule.fields[name]
    if not isinstance(before, list):
        return rule  # the kind's own check will say what is wrong with it
    added = (*rule.added, evolve(origin, start=len(before)))
    return evolve(rule, fields={**rule.fields, name: before + value}, added=added)


def _nameless(entry: Entry) -> Finding:
    return entry.finding(
        (),
        "missing-key",
        "this override does not say which rule it changes",
        why="an override changes exactly one rule",
        mend='write `rule = "pack/id"` for the rule of a pack, or `rule = "id"` for one of an included file',
    )


def _idle(entry: Entry, rule: RawRule) -> Finding:
    return entry.finding(
        (),
        "idle-override",
        f"this override changes nothing about {quote(rule.address)}",
        why="either the rule says this already, or the override does not say what was meant",
        mend="remove it, or write the fields that are to differ",
        severity="warning",
    )


def _out_of_reach(entry: Entry, rule: RawRule, *, own: bool) -> Finding:
    return entry.finding(
        ("rule",),
        "override-reach",
        f"{quote(rule.address)} stands in this very file"
        if own
        else f"{quote(rule.address)} stands in {quote(rule.source.shown)}, which this file does not include",
        why="whoever reads a rule must find its changes in the files that include it, and nowhere else",
        mend="change the rule itself" if own else "move the override to a file that includes the rule",
        of="value",
    )


def _not_overridable(entry: Entry, rule: RawRule) -> Finding:
    return entry.finding(
        ("rule",),
        "not-overridable",
        f"{quote(rule.address)} is a rule of the {rule.layer} layer that is not marked `overridable`",
        why="a lower layer may add to a higher one, and never change what it did not release",
        mend="remove the override, or have the owner of the rule write `overridable = true` into it",
        of="value",
    )


def _fixed(entry: Entry, name: str) -> Finding:
    above = name == "overridable"
    return entry.finding(
        (name,),
        "fixed-field",
        f"an override cannot set {quote(name)}" + (" of a rule of a higher layer" if above else ""),
        why="only the layer that owns a rule may release it"
        if above
        else "a rule with another name or kind is another rule",
        mend="remove it"
        if above
        else 'write a rule of your own, and `mode = "off"` into the override if the other is to end',
    )


def _duplicate(entry: Entry, name: str, other: Entry) -> Finding:
    place = other.span((name,))
    return entry.finding(
        (name,),
        "duplicate-override",
        f"{quote(name)} of this rule is already overridden at {place.file}:{place.line}",
        why="which of the two was meant to hold cannot be known",
        mend="keep one of the two",
    )
