"""Where the rules that have judged a call were told that names lead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..kernel import ToolExecution
from ..meaning.addresses import Address, Resolver
from ..plan.sitting import Sitting


def judged_resolver(execution: ToolExecution, otherwise: Resolver) -> Resolver:
    """Who tells the body of a call where names lead, so that it dials what was judged.

    A name that rules have looked up keeps the answer that they got. One that none of them asked about is looked up
    once, by the resolver of the engine; where no engine with a resolver has judged the call, by *otherwise*. Where
    several engines have, only the addresses that each was told are left.
    """
    sittings = [one for one in execution.context.values() if isinstance(one, Sitting)]
    asked: list[Resolver] = [one.places.names for one in sittings if one.places.scene.resolver is not None]

    def resolve(host: str) -> tuple[Address, ...]:
        first, *others = [tuple(one(host)) for one in asked or [otherwise]]
        return tuple(address for address in first if all(address in other for other in others))

    return resolve


def unjudged(context: Mapping[str, Any]) -> dict[str, Any]:
    """The notes of a call for another one, which nobody has judged."""
    return {key: value for key, value in context.items() if not isinstance(value, Sitting)}
