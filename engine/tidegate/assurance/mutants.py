"""Mutants: rule sets with one small wrong edit each, made on the values of rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from attrs import evolve, frozen

from ..lang import Loaded, RawRule, RuleSet
from ..lang.document import Span
from ..lang.inline import inline
from ..lang.scan import KeyPath
from ..lang.words import toml_key
from .edits import Language, edits, number_edits, rate_edits

DROP_RULE, DROP_PATTERN, DROP_EXCEPTION = "drop the rule", "drop a pattern", "drop an exception"
DROP_FIELD, SWAP, BOUND = "drop a field", "swap an answer", "move a bound"
DROP_BINDING, DROP_COMMAND, SWAP_DEFAULT = "drop a binding", "drop a command entry", "swap the default"

_TOLD = frozenset(
    {"message", "why", "severity", "maps", "expires", "example", "mode", "marker", "text", "store", "zone"}
)
"""Fields that change no answer of a test, or only its words."""

_SWAPPED: Mapping[str, Mapping[str, str]] = {
    "effect": {"deny": "ask", "ask": "deny"},
    "otherwise": {"deny": "ask", "ask": "deny"},
    "then": {"deny": "ask", "ask": "deny"},
}
_WRITTEN_IN: Mapping[str, Language] = {"path": "path", "url": "url", "tools": "name", "mcp": "name", "sql": "name"}
_CONDITIONS: Mapping[str, Language] = {"path": "path", "url": "url", "tool": "name"}


@frozen
class Mutant:
    """One edit of a rule set.

    `layer` is the index of the rule set and `rule` the address of the rule, empty where it is no rule that is edited;
    `edit` says what was done and `before` and `after` are the TOML of the place, empty for nothing. `fields` are those
    of the rule as edited, `None` where the whole rule is gone; for the default, it is there.
    """

    layer: int
    rule: str
    path: KeyPath
    edit: str
    before: str
    after: str
    span: Span
    fields: Mapping[str, Any] | None = None

    def applied(self, loaded: Loaded) -> Loaded:
        """The rule sets with the edit."""
        sets = list(loaded.rule_sets)
        sets[self.layer] = self._edited(sets[self.layer])
        return evolve(loaded, rule_sets=tuple(sets))

    def _edited(self, rule_set: RuleSet) -> RuleSet:
        if self.edit == DROP_BINDING:
            return evolve(rule_set, bindings=tuple(one for one in rule_set.bindings if one.path != self.path))
        if self.edit == DROP_COMMAND:
            return evolve(rule_set, commands=tuple(one for one in rule_set.commands if one.path != self.path))
        if self.edit == SWAP_DEFAULT and self.fields is not None:
            return evolve(rule_set, settings=evolve(rule_set.settings, default=self.fields["default"]))
        edited = (self.of(one) if one.address == self.rule else one for one in rule_set.rules)
        return evolve(rule_set, rules=tuple(one for one in edited if one is not None))

    def of(self, raw: RawRule) -> RawRule | None:
        """The rule as edited; its examples are still those that were written for it."""
        if self.fields is None:
            return None
        return evolve(raw, fields=self.fields)


def mutants(loaded: Loaded) -> list[Mutant]:
    """Every mutant, always in the same order: layer by layer, rule by rule, field by field as written."""
    found: list[Mutant] = []
    for layer, rule_set in enumerate(loaded.rule_sets):
        for raw in rule_set.rules:
            if raw.fields.get("mode") != "off":
                found += _of_rule(layer, raw)
        found += _of_settings(layer, rule_set)
    return found


def _of_settings(layer: int, rule_set: RuleSet) -> Iterator[Mutant]:
    """Edits of what is no rule: the `default`, bindings and command entries."""
    default = rule_set.settings.default
    if "default" in rule_set.top.values:
        for other in ("allow", "ask", "deny"):
            if other != default:
                place = rule_set.top.span(("default",))
                before, after = (f'default = "{one}"' for one in (default, other))
                yield Mutant(layer, "", ("default",), SWAP_DEFAULT, before, after, place, {"default": other})
    for binding in rule_set.bindings:
        text = f"{toml_key(binding.argument)} = {inline(binding.table)}"
        yield Mutant(layer, "", binding.path, DROP_BINDING, text, "", binding.span())
    for command in rule_set.commands:
        yield Mutant(layer, "", command.path, DROP_COMMAND, f"[commands.{toml_key(command.name)}]", "", command.span())


def _of_rule(layer: int, raw: RawRule) -> Iterator[Mutant]:
    yield Mutant(layer, raw.address, (), DROP_RULE, f'id = "{raw.id}"', "", raw.span())
    for change in _changes(raw):
        fields = _with(raw.fields, change.path, change.value)
        before, after = change.texts(raw)
        yield Mutant(layer, raw.address, change.path, change.edit, before, after, raw.span(change.path), fields)
    if "deny" in raw.fields and "effect" not in raw.fields:
        fields = {**raw.fields, "effect": "ask"}
        yield Mutant(layer, raw.address, ("effect",), SWAP, "", 'effect = "ask"', raw.span(("deny",)), fields)


_GONE: Any = object()


@frozen
class _Change:
    """What is put at a path of a rule, or taken away there."""

    path: KeyPath
    edit: str
    value: Any

    def texts(self, raw: RawRule) -> tuple[str, str]:
        """The TOML of the place before and after."""
        value: Any = raw.fields
        for step in self.path:
            value = value[step]
        last = self.path[-1]
        name = f"{toml_key(last)} = " if isinstance(last, str) else ""
        return f"{name}{inline(value)}", "" if self.value is _GONE else f"{name}{inline(self.value)}"


def _with(value: Any, path: KeyPath, new: Any) -> Any:
    """The value with another one at *path*, or without it."""
    step, rest = path[0], path[1:]
    changed: Any = dict(value) if isinstance(value, Mapping) else list(value)
    if rest:
        changed[step] = _with(value[step], rest, new)
    elif new is _GONE:
        del changed[step]
    else:
        changed[step] = new
    return changed


def _changes(raw: RawRule) -> Iterator[_Change]:
    for key, value in raw.fields.items():
        if key not in _TOLD:
            yield from _of_value((key,), value, raw)


def _of_value(path: KeyPath, value: Any, raw: RawRule) -> Iterator[_Change]:
    """The changes of a field, or of what stands inside of it."""
    key = next(step for step in reversed(path) if isinstance(step, str))
    if isinstance(value, list):
        yield from _of_list(path, value, raw)
        return
    if isinstance(path[-1], str):
        yield _Change(path, DROP_FIELD, _GONE)
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _of_value((*path, name), inner, raw)
    elif isinstance(value, bool):
        yield _Change(path, SWAP, not value)
    elif isinstance(value, int | float):
        yield from (_Change(path, BOUND, other) for other in number_edits(value))
    elif isinstance(value, str):
        if value in _SWAPPED.get(key, {}):
            yield _Change(path, SWAP, _SWAPPED[key][value])
        yield from (_Change(path, BOUND, other) for other in rate_edits(value))
        language = _language(path, raw)
        if language is not None:
            yield from (_Change(path, what, other) for what, other in edits(value, language))


def _of_list(path: KeyPath, items: Sequence[Any], raw: RawRule) -> Iterator[_Change]:
    drop = DROP_EXCEPTION if path == ("except",) else DROP_PATTERN
    if len(items) == 1:
        yield _Change(path, DROP_FIELD if drop == DROP_PATTERN else drop, _GONE)
    for index, item in enumerate(items):
        if len(items) > 1:
            yield _Change((*path, index), drop, _GONE)
        if isinstance(item, Mapping):
            for name, inner in item.items():
                if name != "expires":
                    yield from _inside(path, index, name, inner, raw, alone=len(item) == 1)
        else:
            yield from _of_value((*path, index), item, raw)


def _inside(path: KeyPath, index: int, name: str, inner: Any, raw: RawRule, *, alone: bool) -> Iterator[_Change]:
    """The changes of a key of a table in a list; without its only key the table would say nothing."""
    for change in _of_value((*path, index, name), inner, raw):
        if not (alone and change.value is _GONE and change.path == (*path, index, name)):
            yield change


def _language(path: KeyPath, raw: RawRule) -> Language | None:
    """What the text at *path* is written in, `None` where it is no pattern that is edited."""
    head = path[0]
    if head == "tools":
        return "name"
    if head in ("when", "except"):
        key = next(step for step in reversed(path) if isinstance(step, str))
        if key == "command":
            return "grant" if head == "except" else "command"
        return _CONDITIONS.get(key)
    if head in ("allow", "deny", "only") and len(path) == 2:  # noqa: PLR2004 - the list and the item
        if raw.kind == "command":
            return "command" if head == "deny" else "grant"
        return _WRITTEN_IN.get(raw.kind)
    return None
