"""The contract of a kind: everything that the author of one imports.

A kind is one file: an attrs class whose fields are what a rule may say, and whose docstring is its page in the
docs; a compile function that does all work which does not depend on a call; examples; and a `Kind` named `KIND`.

The compile function returns what belongs to the kind's phase: `Rewrite`, `Guard`, `Limit`, `Timeout` or `Shape`.
None of them decides anything: they answer yes, no or unknown about one effect (or change one value), and the plan
decides, so that every kind treats exceptions, errors, unknowns, monitoring and expiry alike.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from attrs import frozen

from .call import Call, CommandText, Tool
from .contract.case import Case, Mark, Past
from .contract.guards import Guard, Matcher, Observes, Terms
from .contract.limits import Claim, Limit, Refuse, Settles
from .contract.parts import Part, Phase, Rewrite, Shape, Timeout
from .contract.seeks import Seeks
from .contract.setting import WHY_BAD_PATTERN, Problem, Setting
from .errors import Veto
from .meaning.addresses import Resolver, in_ranges
from .meaning.commands.behind import commands_behind
from .meaning.commands.patterns import CommandPattern, parse_pattern
from .meaning.comparing import Comparison, denies_path, denies_url, grants_path, grants_url
from .meaning.effects import PATH_EFFECTS, Effect, EffectKind, Invocation, Mention, PathTarget, UrlTarget
from .meaning.names import name_test, widened_name_test
from .meaning.pathpatterns import PathPattern
from .meaning.places import Places
from .meaning.tri import Tri, Unknown, all_of, any_of
from .meaning.urlpatterns import UrlPattern
from .meaning.values import shown
from .output import Output
from .param import param

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = [
    "PATH_EFFECTS",
    "WHY_BAD_PATTERN",
    "Call",
    "Case",
    "Claim",
    "CommandPattern",
    "CommandText",
    "Comparison",
    "Effect",
    "EffectKind",
    "Example",
    "Guard",
    "Invocation",
    "Kind",
    "Limit",
    "Mark",
    "Matcher",
    "Mention",
    "Observes",
    "Output",
    "Part",
    "Past",
    "PathPattern",
    "PathTarget",
    "Phase",
    "Places",
    "Problem",
    "Refuse",
    "Resolver",
    "Rewrite",
    "Seeks",
    "Setting",
    "Settles",
    "Shape",
    "Terms",
    "Timeout",
    "Tool",
    "Tri",
    "Unknown",
    "UrlPattern",
    "UrlTarget",
    "Veto",
    "all_of",
    "any_of",
    "commands_behind",
    "denies_path",
    "denies_url",
    "grants_path",
    "grants_url",
    "in_ranges",
    "name_test",
    "param",
    "parse_pattern",
    "shown",
    "widened_name_test",
]


@frozen
class Example:
    """One example of a kind: a rule as TOML, shown in the docs, whose `[[rule.example]]` tables are run."""

    title: str
    toml: str


@frozen
class Kind:
    """One type of policy.

    Attributes:
        name: What a rule says under `kind`.
        phase: When it answers.
        fields: The attrs class of its own fields; its docstring is the kind's page.
        compile: Turns the fields into a part of the plan.
        examples: Rules that show it; a test runs each.
        strategy: Makes a Hypothesis strategy for fields, for fuzzing; imports Hypothesis itself.
    """

    name: str
    phase: Phase
    fields: type
    compile: Callable[[Any, Setting], Part]
    examples: tuple[Example, ...] = ()
    strategy: Callable[[], SearchStrategy[Any]] | None = None

    @property
    def summary(self) -> str:
        """The first sentence of the docs."""
        return (self.fields.__doc__ or "").strip().split("\n", 1)[0]
