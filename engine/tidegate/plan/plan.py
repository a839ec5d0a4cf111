"""Rules compiled: everything that is needed to judge calls, sorted by layer, phase and tool."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from attrs import field, frozen

from ..call import Call, Tool
from ..decision import Answer, Verdict
from ..facts import Facts
from ..kind import Case
from ..meaning.places import Places
from ..meaning.scene import Scene
from .protection import Protection
from .reading import Reader
from .rule import Rule

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


@frozen
class LayerRules:
    """What of one layer applies to one tool; each guard with whether its grants count."""

    default: Verdict
    delegates: bool
    monitors: bool
    guards: tuple[tuple[Rule, bool], ...]


@frozen
class ToolRules:
    """Everything that applies to one tool: layers from the highest, and the other phases over all layers.

    Rewrites of lower layers come first, so that a higher layer has the last word.
    """

    layers: tuple[LayerRules, ...]
    rewrites: tuple[Rule, ...]
    limits: tuple[Rule, ...]
    shapes: tuple[Rule, ...]


@frozen
class Plan:
    """A compiled rule set.

    Attributes:
        layers: From the highest to the lowest.
        reader: Reads calls.
        protection: Refuses changes of the plan's own sources; always on unless the managed layer lifts it.
        folder: What `{root}` is where a call has none.
        digest: Of all sources.
        case_sensitive: Whether names on the file system of the tools differ by case.
    """

    layers: tuple[LayerPlan, ...]
    reader: Reader
    protection: Protection
    folder: str
    digest: str
    case_sensitive: bool = True
    _by_tool: dict[Tool, ToolRules] = field(factory=dict, init=False, repr=False, eq=False)

    def rules_for(self, tool: Tool) -> ToolRules:
        """The rules that apply to a tool; found once, so that no call scans the rules."""
        found = self._by_tool.get(tool)
        if found is None:
            found = self._find(tool.name)
            if len(self._by_tool) >= MOST_TOOLS:
                self._by_tool.clear()
            self._by_tool[tool] = found
        return found

    def _find(self, name: str) -> ToolRules:
        layers = tuple(
            LayerRules(
                layer.default,
                layer.delegates(name),
                layer.monitors,
                tuple((rule, _named(rule.grants_tool, name)) for rule in _about(layer.guards, name)),
            )
            for layer in self.layers
        )
        lowest_first = self.layers[::-1]
        return ToolRules(
            layers=layers,
            rewrites=tuple(rule for layer in lowest_first for rule in _about(layer.rewrites, name)),
            limits=tuple(rule for layer in self.layers for rule in _about(layer.limits, name)),
            shapes=tuple(rule for layer in self.layers for rule in _about(layer.shapes, name)),
        )

    def places(self, call: Call, facts: Facts) -> Places:
        """What `{root}`, `~` and the working folder stand for in one call."""
        scene = Scene(
            cwd=call.cwd if call.cwd is not None else facts.cwd(),
            home=call.home if call.home is not None else facts.home,
            files=facts.files,
            environment=facts.environment,
            homes=facts.homes,
            case_sensitive=self.case_sensitive,
        )
        return Places(scene, call.root if call.root is not None else self.folder)

    def protected(self, case: Case) -> Answer | None:
        """What self-protection says of a call."""
        return self.protection.answer(case)


def _about(rules: Iterable[Rule], tool: str) -> list[Rule]:
    return [rule for rule in rules if _named(rule.denies_tool, tool)]


def _named(test: Callable[[str], bool] | None, tool: str) -> bool:
    return test is None or test(tool)
