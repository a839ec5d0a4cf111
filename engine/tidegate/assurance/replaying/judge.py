"""Rules as something that can be sent to where calls are: it judges recorded calls and executes none.

A `Judge` carries its rules as they were read, so that every process and every machine of a cluster judges by the same,
whether the files are there or not.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from attrs import field, frozen

from ...calls import call_of
from ...compile.compiler import Outcome, compile_plan
from ...compile.examples import check_examples
from ...decision import as_json, refusal
from ...errors import CallError, RuleError
from ...facts.clock import SystemClock
from ...kernel.json_values import snapshot, thaw
from ...kind import Guard
from ...lang.layers import in_file_order, load
from ...lang.ruleset import Loaded
from ..suites import RulePaths
from .judging import Judging, Surroundings

PathLike = str | os.PathLike[str]


@frozen(init=False)
class Judge:
    """Judges batches of recorded calls by one rule set; it can be pickled, and each batch is judged by itself.

    Attributes:
        around: What calls are judged in, as far as they do not say it themselves.
        sources: The absolute paths of the rule files, packs left out.
    """

    around: Surroundings
    sources: tuple[str, ...]
    _rules: bytes = field(repr=False)

    def __init__(
        self,
        rules: RulePaths | PathLike,
        *,
        root: str | None = None,
        home: str | None = None,
        here: bool = False,
        protect: Iterable[str] = (),
    ) -> None:
        """Read the rules.

        Args:
            rules: The project's rule file, or those of all layers.
            root: The project's folder of calls that do not say theirs; by default that of the rule file.
            home: The same for the home folder; by default that of this account.
            here: Whether the calls were made on the machine that judges them: then its links, its variables and its
                accounts count. Otherwise there are none, and the answer is the same everywhere.
            protect: Absolute paths that no call may change, beside the rules themselves.

        Raises:
            RuleError: The rules have an error; carries every finding.
        """
        paths = rules if isinstance(rules, RulePaths) else RulePaths(project=Path(rules))
        loaded = load(managed=paths.managed, project=paths.project, user=paths.user, base=Path.cwd())
        now = SystemClock().now()
        packed = pickle.dumps((loaded, now, tuple(protect)))
        outcome = _compiled(packed)
        if outcome.plan is None or (failing := check_examples(outcome)):
            findings = [*outcome.findings, *(failing if outcome.plan is not None else ())]
            raise RuleError(in_file_order(findings, loaded.files))
        around = Surroundings(root or outcome.plan.folder, home or str(Path.home()), now, here)
        sources = (source.path for one in loaded.rule_sets for source in one.sources if not source.pack)
        self.__attrs_init__(around, tuple(sources), packed)

    @property
    def counts(self) -> bool:
        """Whether the answer about a call depends on those before it: limits, and what rules note of a session."""
        return any(layer.limits or any(map(_observes, layer.guards)) for layer in self.begin().plan.layers)

    def begin(self) -> Judging:
        """Begin to judge, with empty counters and without a past."""
        return Judging(_compiled(self._rules), self.around)

    def __call__(self, rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """The answers about the calls of one batch, as `tidegate decide` gives them, in their order.

        Limits and the past of sessions begin empty with every batch: what belongs together must be in one. A row that
        is no call, or that cannot be judged, is denied, and its reason says why; it hides no other.
        """
        judging = self.begin()
        return [_answer(judging, row) for row in rows]


@lru_cache(maxsize=8)
def _compiled(rules: bytes) -> Outcome:
    """The rules of a judge compiled: once in each process, however often they are sent there."""
    loaded: Loaded
    loaded, now, protect = pickle.loads(rules)  # noqa: S301 - inside of what was unpickled already, by whoever sent it
    return compile_plan(loaded, now=now, protect=protect)


def _observes(rule: Any) -> bool:
    return isinstance(rule.part, Guard) and rule.part.observes is not None


def _answer(judging: Judging, row: Mapping[str, Any]) -> dict[str, Any]:
    """The answer about one row, whatever is in it."""
    try:
        call = call_of(snapshot(row))
    except CallError as error:
        return refusal(f"it is no call: {error}")
    try:
        answer = as_json(judging.judge(call))
    except Exception as error:  # noqa: BLE001 - what cannot be judged is denied, and the other rows go on
        return refusal(f"it could not be judged: {type(error).__name__}: {error}", call.call_id)
    return {**answer, "arguments": thaw(answer["arguments"])}
