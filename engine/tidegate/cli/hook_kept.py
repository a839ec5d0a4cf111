"""Where an engine comes from in a process that stays: plans are kept, and hold as long as their files stand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from attrs import define, field

from ..adapters.hook_answers import Wanted
from ..call import Call
from ..compile.compiler import Outcome
from ..engine import Engine, Sources, read
from ..facts import Facts
from ..lang import RuleSet
from ..lang.layers import load
from ..lang.standing import stands
from .hook_engines import engine_of

MOST_PLANS = 8
MOST_FOLDERS = 16
"""How many plans are kept, and of each how many forms that protect the hooks of one folder."""

Key = tuple[str | None, ...]


class Foreign(BaseException):
    """The rules name kinds of other packages, which nobody here would see change; the hook decides by itself."""


@define
class _Kept:
    """A plan, with nothing but rules protected, and its forms by what else they protect."""

    outcome: Outcome
    forms: dict[tuple[str, ...], Outcome] = field(factory=dict)

    def protecting(self, own: tuple[str, ...]) -> Outcome:
        if own not in self.forms:
            if len(self.forms) >= MOST_FOLDERS:
                self.forms.clear()
            self.forms[own] = self.outcome.protecting(own)
        return self.forms[own]


@define
class Plans:
    """The plans of rule files, each compiled when it is first needed and again when anything of it has changed."""

    _kept: dict[Key, _Kept] = field(factory=dict)

    def __len__(self) -> int:
        """How many are kept."""
        return len(self._kept)

    def engines(self, begin: Callable[[bool], None]) -> Callable[[Wanted, Call], AbstractContextManager[Engine]]:
        """Engines over these plans; *begin* is called before one is used, with whether the call will count."""

        @contextmanager
        def engine(wanted: Wanted, call: Call) -> Iterator[Engine]:
            with engine_of(self.read, wanted, call) as made:
                begin(made.plan.rules_for(call.tool).counts)
                yield made

        return engine

    def read(self, sources: Sources, facts: Facts) -> Outcome:
        """What `engine.read` gives, from what is kept where that still holds.

        Raises:
            RuleError: The rules have an error.
            Foreign: They name kinds of other packages.
        """
        files = (sources.managed, sources.project, sources.user)
        key = (*(None if file is None else str(Path(file).absolute()) for file in files), facts.home)
        kept = self._kept.pop(key, None)
        if kept is None or not stands(kept.outcome.rule_sets, kept.outcome.read):
            _own_kinds_only(load(managed=files[0], project=files[1], user=files[2]).rule_sets)
            kept = _Kept(read(sources, facts))
            _own_kinds_only(kept.outcome.rule_sets)
            if len(self._kept) >= MOST_PLANS:
                del self._kept[next(iter(self._kept))]
        self._kept[key] = kept  # the last is the one that was used last
        return kept.protecting(facts.own)


def _own_kinds_only(rule_sets: tuple[RuleSet, ...]) -> None:
    if any(rule_set.settings.kinds for rule_set in rule_sets):
        raise Foreign
