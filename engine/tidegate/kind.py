"""The contract of a kind: everything that the author of one imports.

A kind is one file: an attrs class whose fields are what a rule may say, and whose docstring is its page in the
docs; a compile function that does all work which does not depend on a call; examples; and a `Kind` named `KIND`.

The compile function returns what belongs to the kind's phase: `Rewrite`, `Guard`, `Limit`, `Timeout` or `Shape`.
None of them decides anything: they answer yes, no or unknown about one effect (or change one value), and the plan
decides, so that every kind treats exceptions, errors, unknowns, monitoring and expiry alike.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from attrs import frozen

from .call import Call, Tool
from .errors import Veto
from .lang import sources
from .lang.parse import MAX_BYTES
from .lang.sources import NoFile
from .meaning.addresses import Resolver, in_ranges
from .meaning.commands.behind import commands_behind
from .meaning.commands.patterns import CommandPattern, PatternError, parse_pattern
from .meaning.comparing import Comparison, denies_path, denies_url, grants_path, grants_url
from .meaning.effects import PATH_EFFECTS, Effect, EffectKind, Invocation, Mention, PathTarget, UrlTarget
from .meaning.names import name_test, widened_name_test
from .meaning.pathpatterns import PathPattern
from .meaning.places import Places
from .meaning.regexes import BadPattern
from .meaning.tri import Tri, Unknown, all_of, any_of
from .meaning.urlpatterns import UrlPattern
from .meaning.values import shown
from .output import Output
from .param import param

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from .meaning.commands.table import Table

__all__ = [
    "PATH_EFFECTS",
    "Call",
    "Case",
    "Claim",
    "CommandPattern",
    "Comparison",
    "Effect",
    "EffectKind",
    "Example",
    "Guard",
    "Invocation",
    "Kind",
    "Limit",
    "Mark",
    "Mention",
    "Observes",
    "Output",
    "Past",
    "PathPattern",
    "PathTarget",
    "Phase",
    "Places",
    "Problem",
    "Resolver",
    "Rewrite",
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


class Phase(Enum):
    """When a kind answers; a kind belongs to exactly one phase."""

    REWRITE = "rewrite"
    GUARD = "guard"
    LIMIT = "limit"
    RUN = "run"
    OUTPUT = "output"


class Mark(Protocol):
    """The last time that something happened in a session: its place in the order of everything, and the time."""

    @property
    def number(self) -> int:
        """The place; what comes later has a larger one."""

    @property
    def at(self) -> float:
        """The time in seconds since the epoch."""


class Past(Protocol):
    """What happened in the session of a call before it, as rules noted it (`Observes`); `session` may be `None`."""

    session: str | None

    def marks(self, keys: Iterable[str]) -> Mapping[str, Mark]:
        """The marks that are set under these keys; none in no session. Raises `StoreError`."""

    def texts(self, source: str) -> tuple[str, ...]:
        """What came from one source; the prompt is that of `prompt`."""


class Case:
    """One call before the rules: the call, what it does, and where it happens.

    `effects[0]` is the `use` of the tool. `places` are what `{root}` and `~` stand for in this call. `now` is the
    time of judgement in seconds since the epoch, by the injected clock. `past` is what happened in its session.
    """

    __slots__ = ("call", "effects", "now", "past", "places")

    def __init__(
        self, call: Call, effects: tuple[Effect, ...], places: Places, now: float, past: Past | None = None
    ) -> None:
        self.call = call
        self.effects = effects
        self.places = places
        self.now = now
        self.past = past


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


@frozen
class Rewrite:
    """How a rewrite rule changes arguments.

    `apply` returns the new arguments, or the very same mapping where nothing changes. It raises `Veto` where
    the rule cannot be applied, which refuses the call.
    """

    apply: Callable[[Case], Mapping[str, Any]]


Settles = Literal["entry", "slot", "result", "streak"]
"""When it is known what a claim takes.

`entry`: when the body is entered. `slot`: it is held while the body runs, and for `window` seconds at most where
nobody renews it. `result`: its cost is a guess, for which the true one is put once the result is known. `streak`: it
needs room and takes nothing, until the result adds to its key or clears it.
"""


@frozen
class Claim:
    """What one call takes from one limit: *cost* units of the at most *limit* in *window* seconds under *key*.

    With a *refill* the key is a bucket of tokens instead: it holds *limit*, of which *refill* flow back in *window*
    seconds. *grain* is the step in seconds in which units leave their window, 0 for none; `None` leaves it to the
    store.
    """

    key: str
    limit: int
    window: float
    cost: int = 1
    refill: int = 0
    settles: Settles = "entry"
    grain: float | None = None

    @property
    def held(self) -> int:
        """The units that it takes before it is settled."""
        return 0 if self.settles == "streak" else self.cost


Refuse = Callable[[float, Claim], str]
"""Turns the seconds until there is room, and the claim that has none, into a text for the model."""


@frozen
class Limit:
    """What a limit rule takes for a call, and from which store; `refusal` words the refusal.

    `claims` gives one claim for each bucket that the call draws from (a command that reaches two hosts draws from
    two); all of them are taken or none. It raises `Veto` where it cannot tell, which refuses the call. `on_error`
    is the answer where the store fails, and `says` where there is no room; once an approver was asked, `ask` is deny.

    `settled` tells, from the result as it goes out, what each claim that does not settle at entry took in the end;
    `None` clears its key. It is not asked for a call whose body was never entered, or whose end nobody sees.
    """

    claims: Callable[[Case], tuple[Claim, ...]]
    store: str
    refusal: Refuse
    on_error: str = "deny"
    says: str = "deny"
    settled: Callable[[Output], int | None] | None = None


@frozen
class Shape:
    """How an output rule changes a result; `order` places it: redact 0, annotate 1, truncate 2.

    `record` does the same to the JSON of decision records, where it is given, of the tools that the rule is about.
    """

    apply: Callable[[Output, Case], Output]
    order: int
    record: Callable[[Any], Any] | None = None


@frozen
class Timeout:
    """How many seconds the body of a call may take."""

    seconds: float


Part = Rewrite | Guard | Limit | Timeout | Shape


@frozen
class Problem:
    """Something wrong with a rule that only its kind can see; becomes a finding at the key that `path` leads to."""

    path: tuple[str | int, ...]
    code: str
    what: str
    why: str
    mend: str
    severity: str = "error"


P = TypeVar("P")


class Setting:
    """What a compile function may know: the rule's `otherwise`, the layer's `default`, the table of commands.

    `folder` is that of the rule's file; a rule without a file has none. `read` holds the files that were read for
    the rule, by path with the SHA-256 of their bytes in hex: they are as much a part of the plan as its rule files.

    `problem()` collects what is wrong, so that an author sees everything at once; where one was collected, what
    the compile function returns is not used.
    """

    def __init__(self, rule: str, default: str, otherwise: str | None, table: Table, folder: str | None = None) -> None:
        self.rule = rule
        self.default = default
        self.otherwise = otherwise
        self.table = table
        self.folder = folder
        self.problems: list[Problem] = []
        self.read: dict[str, str] = {}

    def file(self, name: str) -> bytes:
        """The bytes of a file that the rule names, relative to its own file.

        Raises:
            OSError: It is not there, is no plain file, may not be read, is too large, or the rule has no file.
        """
        if self.folder is None:
            raise FileNotFoundError("the rule stands in no file")
        path = os.path.normpath(os.path.join(self.folder, name))  # noqa: PTH118 - paths of sources are texts
        try:
            data = sources.read(path).data
        except (NoFile, ValueError):
            raise FileNotFoundError("it is no plain file") from None
        if len(data) > MAX_BYTES:
            raise OSError("it is too large")
        self.read[path] = hashlib.sha256(data).hexdigest()
        return data

    def problem(self, path: tuple[str | int, ...], code: str, what: str, why: str, mend: str) -> None:
        """Note an error at the key that *path* leads to, in the three parts of a finding."""
        self.problems.append(Problem(path, code, what, why, mend))

    def patterns(self, key: str, texts: Sequence[str] | None, compile_one: Callable[[str], P]) -> tuple[P, ...]:
        """Compile a list of patterns; each that is broken is noted at its place in the array *key*."""
        patterns = []
        for index, text in enumerate(texts or ()):
            try:
                patterns.append(compile_one(text))
            except BadPattern as bad:
                self.problem((key, index), "bad-pattern", str(bad), WHY_BAD_PATTERN, bad.mend)
            except PatternError as bad:
                self.problem((key, index), "bad-pattern", bad.what, bad.why, bad.mend)
        return tuple(patterns)


WHY_BAD_PATTERN = "a pattern that cannot be compiled would match nothing"


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
