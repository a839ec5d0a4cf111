"""What a guard rule says of one effect, and what it notes of calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from attrs import frozen

from ..meaning.effects import Effect, EffectKind
from ..meaning.tri import Tri
from ..output import Output
from .case import Case
from .seeks import Seeks

Matcher = Callable[[Effect, Case], Tri]
"""Says whether a pattern of the rule holds for one effect."""


@frozen
class Terms:
    """Who may answer the questions of a rule, and what of the answer may be remembered.

    `by` are the names of those who may, `None` for anybody. `patience` is how many seconds they have, `None` for as
    long as the host waits. `scopes` are those of `once`, `session` and `until` that they may choose; nothing is
    remembered for more than `longest` seconds. `patterns` are what may be allowed instead of exactly the call: each a
    text to be shown, with a matcher that says, as a grant, whether it names an effect.
    """

    by: frozenset[str] | None
    patience: float | None
    scopes: frozenset[str]
    longest: float
    patterns: tuple[tuple[str, Matcher], ...] = ()


def _nothing(*_: object) -> tuple[Any, ...]:
    return ()


@frozen
class Observes:
    """What a rule notes of calls, whichever tools it is about itself.

    `about` tells of which tools, by name. Marks are set under the keys that come of the functions: `begins` when the
    body is about to be entered, `lasts` once more when it has ended, and `ends` then as well, but with the place in the
    order that the call had when it began: what happened meanwhile came later. `hears` gives texts by their sources,
    from the result as it goes out. A call whose beginning cannot be noted does not run.
    """

    about: Callable[[str], bool]
    begins: Callable[[Case], Iterable[str]] = _nothing
    lasts: Callable[[Case], Iterable[str]] = _nothing
    ends: Callable[[Case, Output], Iterable[str]] = _nothing
    hears: Callable[[Case, Output], Iterable[tuple[str, str]]] = _nothing


@frozen
class Guard:
    """What a guard rule says about one effect.

    `denies` tells whether the rule's `deny` names the effect, and `confines` whether its `only` does (or an `allow`
    with an `otherwise`); both are asked about the kinds of effects in `about`. `grants` tells whether its `allow`
    names the effect; it is asked about the kinds in `covers`. Each is `None` where the rule has no such list.
    A matcher that raises is a match for a deny and no match for a grant.

    The plan itself answers for `unknown` effects, for `code`, for exceptions and for expiry.

    `explains` says why a list (`deny`, `only`) answers as it does where that is not plain from the rule, or nothing.
    `offer` says, for the model, what would be allowed instead. `whole` marks a kind whose grant speaks for the
    tool itself (`tools`, `mcp`): it covers `use` and what no binding names. `resolves` tells that a matcher asks
    where names lead (`case.places.names`), for which an event loop must not wait.

    A rule with `terms` asks where others deny, and says who may answer. One that `observes` notes what happens in a
    session, and finds it in the past of later calls. `says` is for the model where the rule's author says nothing.
    `seeks` is what a call must have for `denies`, `confines` or `grants` to say anything but nothing, `None` where that
    cannot be told: then the rule is always asked.
    """

    grants: Matcher | None = None
    denies: Matcher | None = None
    confines: Matcher | None = None
    about: frozenset[EffectKind] = frozenset()
    covers: frozenset[EffectKind] = frozenset()
    offer: str = ""
    whole: bool = False
    resolves: bool = False
    explains: Callable[[str, Case], str] | None = None
    terms: Terms | None = None
    observes: Observes | None = None
    says: str = ""
    seeks: Seeks | None = None
