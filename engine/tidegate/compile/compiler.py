"""Rule sets become a plan, or findings: the whole way from files to something that judges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from attrs import evolve

from ..errors import Finding
from ..kind import Kind, Phase, Setting, Shape
from ..kinds import builtin_names, installed_names, third_party
from ..lang import Loaded, RawRule, RuleSet
from ..lang.layers import in_file_order
from ..lang.nearest import nearest
from ..meaning.commands.table import EntryError, Table
from ..meaning.names import name_test
from ..plan.binding import Binding, Bindings
from ..plan.plan import LayerPlan, Plan
from ..plan.protection import Protection
from ..plan.reading import Reader
from ..plan.rule import Rule
from ..shown import escape, quote
from .bindings import compile_binding, well_known
from .fields import ExampleFields
from .rules import Around, compile_rule


class Subject(NamedTuple):
    """A rule with the examples that say what it answers."""

    raw: RawRule
    rule: Rule
    phase: Phase
    examples: tuple[ExampleFields, ...]


class Outcome(NamedTuple):
    """What came of compiling.

    `plan` is `None` where a finding is an error. `subjects` are the rules that compiled, with their examples;
    `readers` read the calls of these, one for each layer, and are none where bindings or command entries are broken.
    `arounds` are what the rules of each layer were compiled in. `read` holds the files beside the rule files that went
    into the plan, by path with the SHA-256 of their bytes in hex.
    """

    plan: Plan | None
    findings: tuple[Finding, ...]
    subjects: tuple[Subject, ...]
    rule_sets: tuple[RuleSet, ...]
    readers: tuple[Reader, ...]
    arounds: tuple[Around, ...]
    read: Mapping[str, str] = MappingProxyType({})

    def protecting(self, protect: Iterable[str]) -> Outcome:
        """The same with other paths protected beside the rules; see `compile_plan`."""
        if self.plan is None:
            return self
        protection = _protection(self.rule_sets, [*protect, *self.read])
        return self._replace(plan=evolve(self.plan, protection=protection))


def compile_plan(loaded: Loaded, *, now: float, protect: Iterable[str] = (), case_sensitive: bool = True) -> Outcome:
    """Compile all layers.

    Args:
        loaded: The layers as read, with their findings.
        now: The time of loading in seconds since the epoch; what has expired by then is warned of.
        protect: Further absolute paths that no judged call may change: state, cache, socket, installed hooks.
        case_sensitive: Whether names on the file system of the tools differ by case.

    Pure: the same rule sets give plans that decide alike. Everything that is wrong is found at once.
    """
    findings = list(loaded.findings)
    kinds, found = _kinds(loaded.rule_sets)
    findings += found
    readers, unreadable = _readers(loaded.rule_sets)
    layers, subjects, arounds, read = [], [], [], dict[str, str]()
    for index, (rule_set, reader) in enumerate(zip(loaded.rule_sets, readers, strict=True)):
        settings = rule_set.settings
        around = Around(kinds[index], settings.default, reader.table, settings.mode == "enforce", now, index)
        arounds.append(around)
        compiled = [(raw, compile_rule(raw, around)) for raw in rule_set.rules]
        findings += [finding for _, one in compiled for finding in one.findings]
        for _, one in compiled:
            read |= one.read
        subjects += [Subject(raw, one.rule, one.phase, one.examples) for raw, one in compiled if one.rule and one.phase]
        layers.append(_layer(rule_set, [(one.rule, one.phase) for _, one in compiled if one.rule and one.phase]))
    ordered = in_file_order([*findings, *unreadable], loaded.files)
    if unreadable:
        readers = ()
    if not readers or any(finding.severity == "error" for finding in ordered):
        return Outcome(None, ordered, tuple(subjects), loaded.rule_sets, readers, tuple(arounds))
    plan = Plan(
        layers=tuple(layers),
        readers=readers,
        protection=_protection(loaded.rule_sets, [*protect, *read]),
        folder=(_project(loaded.rule_sets) or loaded.rule_sets[0]).folder,
        digest=":".join([*(rule_set.digest for rule_set in loaded.rule_sets), *read.values()]),
        case_sensitive=case_sensitive,
    )
    return Outcome(plan, ordered, tuple(subjects), loaded.rule_sets, readers, tuple(arounds), read)


def _layer(rule_set: RuleSet, rules: Sequence[tuple[Rule, Phase]]) -> LayerPlan:
    settings = rule_set.settings
    delegate = settings.delegate or (("*",) if settings.default == "allow" else ())
    shapes = [rule for rule, phase in rules if phase is Phase.OUTPUT]
    return LayerPlan(
        name=rule_set.layer,
        default=settings.default,
        delegates=name_test(delegate),
        monitors=settings.mode == "monitor",
        rewrites=tuple(rule for rule, phase in rules if phase is Phase.REWRITE),
        guards=tuple(rule for rule, phase in rules if phase is Phase.GUARD),
        limits=tuple(rule for rule, phase in rules if phase is Phase.LIMIT),
        shapes=tuple(sorted(shapes, key=_order)),
        timeouts=tuple(rule for rule, phase in rules if phase is Phase.RUN),
    )


def _order(rule: Rule) -> int:
    assert isinstance(rule.part, Shape)  # noqa: S101 - sorted by phase already
    return rule.part.order


def _kinds(rule_sets: Sequence[RuleSet]) -> tuple[list[Mapping[str, Kind]], list[Finding]]:
    """The third-party kinds that each layer can use: those that it names itself, and those of the layers above.

    What a lower layer names is for its own rules and those beneath: it must not change what a rule of a higher
    layer means.
    """
    known: Mapping[str, Kind] = {}
    layers, findings = [], []
    for rule_set in rule_sets:
        for index, name in enumerate(rule_set.settings.kinds):
            said = _in_the_way(name)
            if not said:
                try:
                    known = {**known, **third_party([name])}
                except Exception as error:  # noqa: BLE001 - whatever a foreign package raises, its kind is not there
                    said = _not_there(name, error)
            if said:
                code, what, why, mend = said
                findings.append(rule_set.top.finding(("kinds", index), code, what, why=why, mend=mend))
        layers.append(known)
    return layers, findings


def _in_the_way(name: str) -> tuple[str, str, str, str] | None:
    """What is wrong with a third-party kind that has the name of one of our own."""
    if name not in builtin_names():
        return None
    return (
        "bad-value",
        f"the kind {quote(name)} ships with tidegate",
        "a kind of another package in its place would change what rules mean that others wrote",
        "take it away: rules can use the kind as it is",
    )


def _not_there(name: str, error: Exception) -> tuple[str, str, str, str]:
    """What is wrong with a kind that could not be loaded."""
    absent = isinstance(error, KeyError)
    close = nearest(name, installed_names()) if absent else None
    return (
        "kind-missing",
        f"no installed package offers the kind {quote(name)}"
        if absent
        else f"the kind {quote(name)} cannot be loaded: {escape(str(error), limit=200)}",
        "its rules would never answer",
        f"write `{close}`"
        if close
        else "install the package that offers it under the entry point group `tidegate.kinds`",
    )


def _readers(rule_sets: Sequence[RuleSet]) -> tuple[tuple[Reader, ...], list[Finding]]:
    """What each layer reads calls by: its own bindings and command entries and those of the layers above.

    What a lower layer says of a tool or a program is for its own rules and those beneath: a higher layer must not be
    made to see less, nor its grants to reach further.
    """
    table, findings = Table.builtin(), []
    bindings: list[Binding] = []
    readers: list[Reader] = []
    for rule_set in rule_sets:
        table, broken = _extended(table, rule_set)
        more, wrong = _bindings(rule_set, table)
        findings += [*broken, *wrong]
        bindings += more
        adds = more or rule_set.commands or not readers
        readers.append(Reader(Bindings((*bindings, *well_known())), table) if adds else readers[-1])
    return tuple(readers), findings


def _extended(table: Table, rule_set: RuleSet) -> tuple[Table, list[Finding]]:
    """The table of commands with everything that a rule set adds."""
    findings = []
    for raw in rule_set.commands:
        try:
            table = table.extended({raw.name: raw.table})
        except EntryError as error:
            findings.append(raw.finding(error.path, "bad-command-entry", error.what, why=error.why, mend=error.mend))
    return table, findings


def _bindings(rule_set: RuleSet, table: Table) -> tuple[list[Binding], list[Finding]]:
    """The bindings of a rule set, in file order, those that name a tool exactly before globs."""
    bindings, findings = [], []
    for raw in rule_set.bindings:
        binding, found = compile_binding(raw, Setting("", rule_set.settings.default, None, table))
        findings += found
        if binding is not None:
            bindings.append(binding)
    return sorted(bindings, key=lambda binding: not binding.exact), findings


def _protection(rule_sets: Sequence[RuleSet], protect: Iterable[str]) -> Protection:
    """What no judged call may change; only the managed layer can lift it."""
    if any(not rule_set.settings.self_protection for rule_set in rule_sets if rule_set.layer == "managed"):
        return Protection()
    files = {name for rule_set in rule_sets for source in rule_set.sources for name in (source.path, source.real)}
    folders = {folder for rule_set in rule_sets for folder in rule_set.folders}
    return Protection.of(sorted(files), sorted(folders | set(protect)))


def _project(rule_sets: Sequence[RuleSet]) -> RuleSet | None:
    return next((rule_set for rule_set in rule_sets if rule_set.layer == "project"), None)
