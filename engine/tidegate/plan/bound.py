"""What an approval is bound to: everything that could make another call of the one that was shown."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from ..decision import Decision
from ..kind import Case, Matcher
from ..meaning.effects import CodeTarget, Effect
from .judge import needs_grant

if TYPE_CHECKING:
    from ..facts.approvals import Scope
    from .sitting import Sitting

DEFAULT = "the default"


class Bound(NamedTuple):
    """What one question is about.

    `place` is a digest of the tool, the agent, where the call happens and the plan, `exact` one of all that, of the
    arguments and of the effects. `asks` are the rules that ask, `kinds` the kinds of effects. `code` holds the
    digests of the files of code that the call names, by path; it is `None` where one of them cannot be read.
    """

    place: str
    exact: str
    session: str | None
    asks: frozenset[str]
    kinds: frozenset[str]
    code: dict[str, str] | None

    def binding(self, scope: Scope, pattern: str | None = None) -> str:
        """The digest under which an approval of this scope is kept: for exactly this call, or for a pattern."""
        what = ["exact", self.exact] if pattern is None else ["pattern", self.place, pattern]
        return _digest([scope, *what, None if scope == "until" else self.session])


def bound_of(sitting: Sitting, decision: Decision, digest: Callable[[str], str] | None) -> Bound:
    """What the question of a sitting is bound to; *digest* reads files of code."""
    call, scene = sitting.call, sitting.places.scene
    tool = call.tool
    place = _digest(
        [
            [tool.name, tool.origin, tool.server, tool.raw],
            [call.agent, call.mode],
            [scene.cwd, scene.home, sitting.places.root],
            sitting.plan.digest,
        ]
    )
    asks = frozenset(asking(sitting, decision))
    effects = [effect for case in dict.fromkeys(sitting.cases) for effect in case.effects]
    code = _code(effects, digest)
    exact = _digest([place, call.arguments, list(map(repr, effects)), sorted(asks)])
    return Bound(place, exact, call.session, asks, frozenset(effect.kind for effect in effects), code)


def asking(sitting: Sitting, decision: Decision) -> Iterable[str]:
    """The ids of all rules that ask, and `DEFAULT` where the default does."""
    yield from (answer.rule for answer in decision.trace if answer.says == "ask" and not answer.monitored)
    if sitting.default_asks():
        yield DEFAULT


def covered_by(matches: Matcher, sitting: Sitting) -> bool:
    """Whether a pattern names, as a grant, everything that a call does beside using its tool, as each layer sees it."""
    return all(_covers(matches, case) for case in dict.fromkeys(sitting.cases))


def _covers(matches: Matcher, case: Case) -> bool:
    own = [effect for effect in case.effects[1:] if needs_grant(effect)]
    return bool(own) and all(effect.bound and matches(effect, case) is True for effect in own)


def _code(effects: Iterable[Effect], digest: Callable[[str], str] | None) -> dict[str, str] | None:
    """The digest of every file of code that is named; what cannot be read here cannot be bound."""
    found: dict[str, str] = {}
    for effect in effects:
        if not isinstance(effect.target, CodeTarget):
            continue
        for path in effect.target.paths:
            for name in path.names:
                if digest is None or not isinstance(name, str) or effect.place.kind != "local":
                    return None
                try:
                    found[name] = digest(name)
                except (OSError, ValueError):
                    return None
    return found


def _digest(value: object) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=True)
    return blake2b(text.encode(), digest_size=24).hexdigest()
