"""Rules taken apart: each thing that a rule says for itself, so that it can be compared with what others say."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, Literal

from attrs import field, frozen

from ...compile.compiler import Outcome, Subject
from ...kind import PATH_EFFECTS, Guard, Phase
from ...lang.ruleset import RawRule
from ...lang.scan import KeyPath
from ...plan.rule import Rule
from .commands import Command
from .items import Doings, Item, Name, Same, Url, path_items
from .tables import Table
from .written import SILENT, canonical, without

Says = Literal["deny", "only", "grant", "unread", "code"]
"""What a clause says: one item of `deny`, the confinement, a grant, what cannot be read, code that a call runs."""

_FRAME = frozenset({"tools", "when", "except", "mode", "expires", "effect", "otherwise", "unknown", "code", "kind"})
_LISTS = frozenset({"allow", "deny", "only", "effects", "deny_ranges"})
_TAKEN_APART = frozenset({"path", "url", "command", "tools", "arguments"})


@frozen(eq=False)
class Clause:
    """One thing that a rule says.

    Attributes:
        raw: The rule as written.
        rule: The same compiled.
        says: What kind of thing it is.
        key: The item that it is about, from the rule's table; empty where it is the rule as a whole.
        items: The patterns; a `deny` and most grants have one, which may be several branches.
        option: What else must be the same for two clauses to be compared, as a text.
        access: What is done to paths, for the kind `path`.
        whole: Whether the rule is compared only as it is written.
    """

    raw: RawRule = field(repr=False)
    rule: Rule = field(repr=False)
    says: Says
    key: KeyPath
    items: tuple[Item, ...]
    option: str = ""
    access: frozenset[str] = PATH_EFFECTS
    whole: bool = False

    @cached_property
    def when(self) -> str | None:
        """The condition of the rule, as a text."""
        when = self.raw.fields.get("when")
        return None if when is None else canonical(when)

    @cached_property
    def excepts(self) -> frozenset[str]:
        """The exceptions of the rule, as texts."""
        return frozenset(map(canonical, self.raw.fields.get("except") or ()))

    @cached_property
    def sort(self) -> tuple[object, ...]:
        """What two clauses must have in common so that one may cover the other."""
        return (self.says, self.whole, self.option, self.rule.layer, self.kind == "tools" and self.says == "deny")

    @cached_property
    def program(self) -> str | None:
        """The only program that it names, where it has one pattern of a command and that is known by its name."""
        return self.items[0].program if len(self.items) == 1 and isinstance(self.items[0], Command) else None

    @property
    def value(self) -> Any:
        """What stands at its key in the rule."""
        value: Any = self.raw.fields
        for step in self.key:
            value = value[step]
        return value

    @property
    def kind(self) -> str:
        """The kind of the rule."""
        return self.raw.kind

    @property
    def grants(self) -> bool:
        """Whether it is matched as a grant."""
        return self.says == "grant"


def clauses_of(outcome: Outcome, *, links: bool = False) -> tuple[Clause, ...]:
    """The clauses of all guard rules that compiled, in file order; with *links* they hold wherever symlinks lead."""
    found: list[Clause] = []
    for subject in outcome.subjects:
        if subject.phase is Phase.GUARD and subject.raw.fields.get("mode") != "off":
            found += _of_rule(subject, outcome, links=links)
    return tuple(found)


def _of_rule(subject: Subject, outcome: Outcome, *, links: bool) -> Iterator[Clause]:
    raw, rule, fields = subject.raw, subject.rule, subject.raw.fields
    guard = rule.part
    assert isinstance(guard, Guard)  # noqa: S101 - sorted by phase
    if raw.kind in _TAKEN_APART and guard.observes is None:
        yield from _listed(subject, outcome, links=links)
    else:
        said = Same(canonical({"kind": raw.kind, **without(fields, SILENT | _FRAME)}))
        if guard.denies is not None or guard.confines is not None:
            yield Clause(raw, rule, "deny", (), (said,), whole=True)
        if guard.grants is not None:
            yield Clause(raw, rule, "grant", (), (said,), whole=True)
    if guard.denies is not None or guard.confines is not None:
        if "unknown" in guard.about and rule.unknown != "allow":
            yield Clause(raw, rule, "unread", (), ())
        if "code" in guard.about and rule.code != "allow":
            yield Clause(raw, rule, "code", (), ())


def _listed(subject: Subject, outcome: Outcome, *, links: bool) -> Iterator[Clause]:
    """The clauses of the lists of a rule."""
    raw, rule, fields = subject.raw, subject.rule, subject.raw.fields
    option = canonical({"kind": raw.kind, **without(fields, SILENT | _FRAME | _LISTS | {"access", "argument"})})
    access = fields.get("access")
    common: dict[str, Any] = {
        "option": option,
        "access": frozenset([access] if isinstance(access, str) else access) if access else PATH_EFFECTS,
    }
    read = _Reader(raw, outcome, rule.layer, links=links)
    for key in ("deny", "deny_ranges"):
        for index in range(len(fields.get(key) or ())):
            yield Clause(raw, rule, "deny", (key, index), read.items(key, index), **common)
    confined = "only" if "only" in fields else "allow" if fields.get("otherwise") else None
    if confined is not None and confined in fields:
        yield Clause(raw, rule, "only", (confined,), read.all(confined), **common)
    if raw.kind == "arguments" and confined == "only" and fields.get("otherwise") and "allow" in fields:
        yield Clause(raw, rule, "only", ("allow",), read.all("allow"), **common)
    if raw.kind == "arguments" and read.is_flat:
        yield Clause(raw, rule, "only", (), (Same(canonical(without(fields, SILENT | _FRAME | _LISTS))),), **common)
    if raw.kind == "path" and "allow" in fields:
        # A path of several names is granted only where one rule grants them all, so its list stays whole.
        yield Clause(raw, rule, "grant", ("allow",), read.all("allow"), **common)
    elif "allow" in fields:
        for index in range(len(fields["allow"])):
            yield Clause(raw, rule, "grant", ("allow", index), read.items("allow", index), **common)
    if "effects" in fields:
        doings = Doings(", ".join(fields["effects"]), frozenset(fields["effects"]))
        yield Clause(raw, rule, "grant", ("effects",), (doings,), **common)


class _Reader:
    """Reads the items of one rule."""

    def __init__(self, raw: RawRule, outcome: Outcome, layer: int, *, links: bool) -> None:
        self._raw = raw
        self._table = outcome.readers[layer].table
        self._links = links

    @property
    def is_flat(self) -> bool:
        """Whether a rule of the kind `arguments` says in itself what must hold."""
        fields = self._raw.fields
        return "argument" in fields or "schema" in fields

    def all(self, key: str) -> tuple[Item, ...]:
        """All items of a list."""
        return tuple(item for index in range(len(self._raw.fields[key])) for item in self.items(key, index))

    def items(self, key: str, index: int) -> tuple[Item, ...]:
        """One item of a list, in its branches."""
        said = self._raw.fields[key][index]
        if key == "deny_ranges":
            return (Same(f"range {said}"),)
        match self._raw.kind:
            case "path":
                return path_items(said, links=self._links)
            case "url":
                return (Url(said),)
            case "command":
                return (Command.read(said, self._table, grant=key != "deny"),)
            case "tools":
                return (Name(said),)
        states = canonical({name: self._raw.fields.get(name) for name in ("missing", "extra", "wrong_type")})
        return (Table.of(said, states),)
