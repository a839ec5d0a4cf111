"""Rules compiled: everything that is needed to judge calls, sorted by layer, phase and tool."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from attrs import field, frozen

from ..call import Call, Tool
from ..decision import Answer, Verdict
from ..facts import Facts
from ..kind import Case, EffectKind, Guard, Limit, Part
from ..meaning.glimpse import Glimpse
from ..meaning.places import Places
from ..meaning.scene import Scene
from .index import RuleIndex, ToolIndex
from .protection import Protection
from .reading import Reader
from .rule import Rule
from .shaping import in_order

MOST_TOOLS = 4_096
"""How many tools are remembered; their names come from calls, and a hostile caller has many."""


@frozen
class LayerPlan:
    """The rules of one layer by phase, in file order.

    `delegates` tells which tools it leaves to the next layer where it has only its `default` to say.
    """

    name: str
    default: Verdict
    delegates: Callable[[str], bool]
    monitors: bool
    rewrites: tuple[Rule, ...]
    guards: tuple[Rule, ...]
    limits: tuple[Rule, ...]
    shapes: tuple[Rule, ...]
    timeouts: tuple[Rule, ...] = ()


@frozen
class LayerRules:
    """What of one layer applies to one tool; each guard with whether its grants count."""

    default: Verdict
    delegates: bool
    monitors: bool
    guards: tuple[tuple[Rule, bool], ...]
    index: ToolIndex


@frozen
class ToolRules:
    """Everything that applies to one tool: layers from the highest, and the other phases over all layers.

    Rewrites of lower layers come first, so that a higher layer has the last word. `resolves` tells whether a guard
    asks where names lead or what was approved, and `stores` whether a limit counts elsewhere than in
    memory. `observers` are the rules that note what calls of the tool do, of all layers, and `remembers` tells whether
    there are any or a guard looks into the past of a session.
    """

    layers: tuple[LayerRules, ...]
    rewrites: tuple[Rule, ...]
    limits: tuple[Rule, ...]
    timeouts: tuple[Rule, ...]
    shapes: tuple[Rule, ...]
    resolves: bool
    stores: bool
    observers: tuple[Rule, ...] = ()
    remembers: bool = False
    _offers: dict[str, str] = field(factory=dict, init=False, repr=False, eq=False)

    @cached_property
    def guards(self) -> tuple[Rule, ...]:
        """The guard rules of all layers."""
        return tuple(rule for layer in self.layers for rule, _ in layer.guards)

    @cached_property
    def has_terms(self) -> bool:
        """Whether a guard rule says who may approve."""
        return any(isinstance(rule.part, Guard) and rule.part.terms is not None for rule in self.guards)

    def offer_of(self, name: str) -> str:
        """What the guard rules of that id would allow, for the model."""
        return _told(rule.part for rule in self.guards if rule.id == name)

    def offers_for(self, kind: EffectKind) -> str:
        """What the rules that grant effects of a kind would allow, for the model."""
        found = self._offers.get(kind)
        if found is None:
            found = self._offers[kind] = _told(rule.part for rule in self.guards if _would_cover(rule.part, kind))
        return found

    @property
    def counts(self) -> bool:
        """Whether a call changes what outlives it: it takes from a limit, is noted, or uses up what was approved."""
        guards = [rule.part for layer in self.layers for rule, _ in layer.guards]
        return bool(self.limits or self.observers or any(isinstance(part, Guard) and part.terms for part in guards))


@frozen
class Plan:
    """A compiled rule set.

    Attributes:
        layers: From the highest to the lowest.
        readers: Read calls, one for each layer; a layer that has nothing to say of it shares that of the one above.
        protection: Refuses changes of the plan's own sources; always on unless the managed layer lifts it.
        folder: What `{root}` is where a call has none.
        digest: Of all sources.
        case_sensitive: Whether names on the file system of the tools differ by case.
    """

    layers: tuple[LayerPlan, ...]
    readers: tuple[Reader, ...]
    protection: Protection
    folder: str
    digest: str
    case_sensitive: bool = True
    _by_tool: dict[Tool, ToolRules] = field(factory=dict, init=False, repr=False, eq=False)

    @cached_property
    def _indexes(self) -> tuple[RuleIndex, ...]:
        """The guard rules of each layer by what they seek."""
        pairs = zip(self.layers, self.readers, strict=True)
        return tuple(RuleIndex(layer.guards, reader.table) for layer, reader in pairs)

    def rules_for(self, tool: Tool) -> ToolRules:
        """The rules that apply to a tool; found once, so that no call scans the rules."""
        found = self._by_tool.get(tool)
        if found is None:
            found = self._find(tool)
            if len(self._by_tool) >= MOST_TOOLS:
                self._by_tool.clear()
            self._by_tool[tool] = found
        return found

    def prepare(self, before: Plan) -> None:
        """Make what the first calls would make, for the tools that the plan *before* has met."""
        for index in self._indexes:
            index.prepare()
        for tool in list(before._by_tool):
            self.rules_for(tool)

    def _find(self, tool: Tool) -> ToolRules:
        name = tool.name
        layers = tuple(_layer_rules(*pair, tool) for pair in zip(self.layers, self._indexes, strict=True))
        lowest_first = self.layers[::-1]
        limits = tuple(rule for layer in self.layers for rule in _about(layer.limits, name))
        observers = tuple(rule for layer in self.layers for rule in layer.guards if _observed(rule, name))
        return ToolRules(
            layers=layers,
            rewrites=tuple(rule for layer in lowest_first for rule in _about(layer.rewrites, name)),
            limits=limits,
            timeouts=tuple(rule for layer in self.layers for rule in _about(layer.timeouts, name)),
            shapes=tuple(in_order(rule for layer in self.layers for rule in _about(layer.shapes, name))),
            resolves=any(_resolves(rule) for layer in layers for rule, _ in layer.guards),
            stores=any(isinstance(rule.part, Limit) and _waits(rule.part) for rule in limits),
            observers=observers,
            remembers=bool(observers) or any(_observes(rule) for layer in layers for rule, _ in layer.guards),
        )

    def places(self, call: Call, facts: Facts) -> Places:
        """What `{root}`, `~` and the working folder stand for in one call."""
        scene = Scene(
            cwd=call.cwd if call.cwd is not None else facts.cwd(),
            home=call.home if call.home is not None else facts.home,
            files=None if facts.files is None else Glimpse(facts.files),
            environment=facts.environment,
            complete_environment=facts.complete_environment,
            homes=facts.homes,
            case_sensitive=self.case_sensitive,
            resolver=facts.resolver,
        )
        return Places(scene, self.folder if call.root is None and facts.rooted else call.root)

    @property
    def reader(self) -> Reader:
        """What reads calls with everything that all layers say of tools and programs."""
        return self.readers[-1]

    def protected(self, cases: Sequence[Case]) -> Answer | None:
        """What self-protection says of a call, as any layer sees it."""
        asked: Answer | None = None
        before: Case | None = None
        for case in cases:
            said = self.protection.answer(case) if case is not before else None
            if said is not None and said.says == "deny":
                return said
            asked = asked or said
            before = case
        return asked


def _told(parts: Iterable[Part]) -> str:
    offers = (part.offer for part in parts if isinstance(part, Guard))
    return ", ".join(dict.fromkeys(filter(None, offers)))


def _would_cover(part: Part, kind: EffectKind) -> bool:
    """Whether a rule grants effects of this kind."""
    if not isinstance(part, Guard) or part.grants is None or kind not in part.covers:
        return False
    return part.whole == (kind == "use")


def _layer_rules(layer: LayerPlan, index: RuleIndex, tool: Tool) -> LayerRules:
    asked = [(rule, _named(rule.grants_tool, tool.name)) for rule in _about(layer.guards, tool.name)]
    return LayerRules(
        layer.default, layer.delegates(tool.name), layer.monitors, tuple(asked), ToolIndex(index, asked, tool)
    )


def _about(rules: Iterable[Rule], tool: str) -> list[Rule]:
    return [rule for rule in rules if _named(rule.denies_tool, tool)]


def _resolves(rule: Rule) -> bool:
    part = rule.part
    return isinstance(part, Guard) and (part.resolves or part.terms is not None)


def _waits(limit: Limit) -> bool:
    return limit.in_rows or limit.store != "memory"


def _observes(rule: Rule) -> bool:
    return isinstance(rule.part, Guard) and rule.part.observes is not None


def _observed(rule: Rule, tool: str) -> bool:
    return isinstance(rule.part, Guard) and rule.part.observes is not None and rule.part.observes.about(tool)


def _named(test: Callable[[str], bool] | None, tool: str) -> bool:
    return test is None or test(tool)
