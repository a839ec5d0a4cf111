"""Mutants are judged: does an example or a test notice the edit?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

from attrs import define, evolve, field, frozen

from ..compile.compiler import Subject, compile_plan
from ..compile.examples import check_examples, check_subject
from ..compile.fields import ExampleFields
from ..compile.rules import compile_rule
from ..kernel.json_values import same_json, snapshot
from ..plan.plan import Plan
from ..plan.rule import Rule
from .equivalent import why_equivalent
from .mutants import Mutant, mutants
from .running import run_test
from .suites import NOW, RulePaths, Suite, gather
from .test_files import RuleTest

Fate = Literal["killed", "survived", "refused", "equivalent"]


class Judgement(NamedTuple):
    """What became of a mutant, by its number: `by` names the example or test that noticed it, or says why none can."""

    number: int
    fate: Fate
    by: str


@frozen
class Score:
    """What became of all mutants.

    An edit that is refused at load, or is proved to change nothing, is none that a test could notice, and counts
    neither way.
    """

    mutants: tuple[Mutant, ...]
    judgements: tuple[Judgement, ...]

    def of(self, fate: Fate) -> list[tuple[Mutant, Judgement]]:
        """The mutants that came to this, in their order."""
        return [(self.mutants[one.number], one) for one in sorted(self.judgements) if one.fate == fate]

    @property
    def killed(self) -> int:
        """How many are noticed."""
        return self.count("killed")

    @property
    def counted(self) -> int:
        """How many could be noticed."""
        return self.killed + self.count("survived")

    def count(self, fate: Fate) -> int:
        """How many came to this."""
        return sum(one.fate == fate for one in self.judgements)


@define
class Judge:
    """Judges the mutants of one suite, of which nothing may fail as it stands."""

    suite: Suite
    mutants: list[Mutant] = field(init=False)
    _subjects: Mapping[tuple[int, str], Subject] = field(init=False)

    def __attrs_post_init__(self) -> None:
        """Make the mutants."""
        self.mutants = mutants(self.suite.loaded)
        self._subjects = {(one.rule.layer, one.raw.address): one for one in self.suite.outcome.subjects}

    def judge(self, index: int) -> Judgement:
        """What becomes of one mutant."""
        mutant = self.mutants[index]
        try:
            fate, by = self._of_rule(mutant) if mutant.rule else self._of_rest(mutant)
        except Exception as error:  # noqa: BLE001 - rules on which we fail are noticed by whoever loads them
            return Judgement(index, "refused", f"{type(error).__name__}: {error}")
        return Judgement(index, fate, by)

    def _of_rule(self, mutant: Mutant) -> tuple[Fate, str]:
        """An edit of one rule: by its examples, then by the tests, and where none notices, by proof."""
        before = self._subjects.get((mutant.layer, mutant.rule))
        if before is None:
            return "refused", "the rule is off"
        after = self._edited(mutant, before)
        if isinstance(after, str):
            return "refused", after
        if after is None:
            noticed = next((index for index, one in enumerate(before.examples) if speaks(one)), None)
            if noticed is not None:
                return "killed", f"{before.raw.address} example {noticed + 1}"
        else:
            reader = self.suite.outcome.readers[mutant.layer]
            failing = next(check_subject(reader, after), None)
            if failing is not None:
                return "killed", failing.what
        assert self.suite.outcome.plan is not None  # noqa: S101 - nothing of the suite fails as it stands
        plan = _exchanged(self.suite.outcome.plan, before.rule, None if after is None else after.rule)
        killer = self._killer(plan, mutant.rule)
        if killer is not None:
            return "killed", killer
        why = "" if after is None else why_equivalent(mutant, before, after, self.suite.outcome)
        return ("equivalent", why) if why else ("survived", "")

    def _edited(self, mutant: Mutant, before: Subject) -> Subject | str | None:
        """The rule as edited, why no plan is made of it, or `None` where it is gone."""
        raw = mutant.of(before.raw)
        if raw is None:
            return None
        compiled = compile_rule(raw, self.suite.outcome.arounds[mutant.layer])
        wrong = next((finding.what for finding in compiled.findings if finding.severity == "error"), None)
        if wrong is not None or compiled.rule is None or compiled.phase is None:
            return wrong or "the rule is off"
        return Subject(raw, compiled.rule, compiled.phase, compiled.examples)

    def _of_rest(self, mutant: Mutant) -> tuple[Fate, str]:
        """An edit of what all rules stand on: by every example, then by the tests."""
        outcome = compile_plan(mutant.applied(self.suite.loaded), now=NOW)
        if outcome.plan is None:
            return "refused", next((one.what for one in outcome.findings if one.severity == "error"), "")
        failing = next(iter(check_examples(outcome)), None)
        if failing is not None:
            return "killed", failing.what
        killer = self._killer(outcome.plan, "")
        return ("survived", "") if killer is None else ("killed", killer)

    def _killer(self, plan: Plan, rule: str) -> str | None:
        """The test that notices an edit; those that name the edited rule are asked first."""
        tests = [(file, test) for file in self.suite.files for test in file.tests]
        for file, test in sorted(tests, key=lambda one: rule not in _named(one[1])):
            if run_test(plan, test) is not None:
                return f"{file.shown}: {test.name}"
        return None


def _named(test: RuleTest) -> set[str]:
    """The rules that a test names."""
    fields = test.fields
    said = (fields.rule, fields.not_rule, fields.only)
    return {name for one in said for name in ((one,) if isinstance(one, str) else one or ())}


def _exchanged(plan: Plan, before: Rule, after: Rule | None) -> Plan:
    """The plan with one rule in the place of another, or without it: rules are compiled each for itself."""

    def rules(some: tuple[Rule, ...]) -> tuple[Rule, ...]:
        exchanged = (after if one is before else one for one in some)
        return tuple(one for one in exchanged if one is not None)

    layers = tuple(
        evolve(
            layer,
            rewrites=rules(layer.rewrites),
            guards=rules(layer.guards),
            limits=rules(layer.limits),
            shapes=rules(layer.shapes),
            timeouts=rules(layer.timeouts),
        )
        for layer in plan.layers
    )
    return evolve(plan, layers=layers)


def speaks(example: ExampleFields) -> bool:
    """Whether an example could not hold were its rule not there."""
    expected = example.expect if isinstance(example.expect, tuple) else (example.expect,)
    if any(word not in (None, "pass") for word in expected):
        return True
    calls = example.calls or ((example.call,) if example.call is not None else ())
    if example.expect_arguments is not None:
        return any(not _same(example.expect_arguments, call.get("args")) for call in calls)
    return example.expect_result is not None and not _same(example.expect_result, example.result)


def _same(one: Any, other: Any) -> bool:
    return same_json(snapshot(one), snapshot(other))


def judge_all(suite: Suite, base: Path, workers: int) -> Iterator[Judgement]:
    """Judge all mutants of a suite, in *workers* processes, as they come.

    Each process reads the rules and tests anew from *base*, so that nothing but numbers goes between them.
    """
    judge = Judge(suite)
    if workers < 2 or len(judge.mutants) < _FEW:  # noqa: PLR2004 - one process is this one
        yield from map(judge.judge, range(len(judge.mutants)))
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    files = tuple(file.path for file in suite.files)
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        yield from pool.map(partial(_judge, suite.paths, files, base), range(len(judge.mutants)), chunksize=_CHUNK)


_FEW = 40
"""So many mutants are judged before another process has begun."""
_CHUNK = 4


def _judge(paths: RulePaths, files: tuple[Path, ...], base: Path, index: int) -> Judgement:
    return _judge_of(paths, files, base).judge(index)


@cache
def _judge_of(paths: RulePaths, files: tuple[Path, ...], base: Path) -> Judge:
    """The judge of a process: reading is pure, and every mutant needs the same."""
    suites, _ = gather(paths, files, base)
    return Judge(suites[0])
