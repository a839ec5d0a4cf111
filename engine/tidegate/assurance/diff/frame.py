"""What stands around the guard rules: settings, bindings, commands, and rules of the other phases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from attrs import frozen

from ...compile.compiler import Outcome, Subject
from ...decision import STRICTNESS
from ...kind import Phase
from ...lang.ruleset import RuleSet
from ...meaning.names import name_test, widened_name_test
from ..clauses.written import SILENT, canonical, without
from .bounds import Bound, bounds_of


@frozen
class Around:
    """Why something may be looser, and why stricter; without a reason it is proved not to be for these causes.

    `bounds` are those of both sides where some are different, which shows only where calls are made again and again.
    """

    looser: tuple[str, ...] = ()
    stricter: tuple[str, ...] = ()
    bounds: tuple[Bound, ...] = ()


def changes_around(old: Outcome, new: Outcome, tool: str, apart_from: Sequence[str]) -> Around:
    """What is different for one tool, or for those that are not among *apart_from*, beside its guard rules."""
    looser: list[str] = []
    stricter: list[str] = []
    if [one.layer for one in old.rule_sets] != [one.layer for one in new.rule_sets]:
        return Around(("there are other layers",), ("there are other layers",))
    for first, second in zip(old.rule_sets, new.rule_sets, strict=True):
        _settings(first, second, looser, stricter)
        if _bindings(first, tool, apart_from) != _bindings(second, tool, apart_from):
            _both("what the arguments mean has changed (`[tools]`)", looser, stricter)
        if _commands(first) != _commands(second):
            _both("entries of `[commands]` have changed", looser, stricter)
    if _files(old) != _files(new):
        _both("a file that rules read beside the rule files has changed", looser, stricter)
    _rewrites(_written(old, tool, apart_from), _written(new, tool, apart_from), looser, stricter)
    bounds: list[Bound] = []
    for phases in ((Phase.LIMIT, Phase.RUN), (Phase.OUTPUT,)):
        before, after = _bounding(old, phases, tool, apart_from), _bounding(new, phases, tool, apart_from)
        bounds += _bounds(before, after, tool, looser, stricter)
    return Around(tuple(looser), tuple(stricter), tuple(bounds))


def _files(outcome: Outcome) -> list[str]:
    """The digests of the files that rules read: schemas, pins, detectors."""
    assert outcome.plan is not None  # noqa: S101 - only rules that compiled are compared
    return sorted(outcome.plan.digest.split(":")[len(outcome.rule_sets) :])


def _both(why: str, looser: list[str], stricter: list[str]) -> None:
    looser.append(why)
    stricter.append(why)


def _settings(before: RuleSet, after: RuleSet, looser: list[str], stricter: list[str]) -> None:
    one, other = before.settings, after.settings
    if one.default != other.default:
        why = f"`default` was `{one.default}` and is `{other.default}`"
        (looser if STRICTNESS[other.default] < STRICTNESS[one.default] else stricter).append(why)
    if one.mode != other.mode:
        (looser if other.mode == "monitor" else stricter).append(f"`mode` was `{one.mode}` and is `{other.mode}`")
    for key in ("delegate", "kinds", "self_protection"):
        if getattr(one, key) != getattr(other, key):
            _both(f"`{key}` has changed", looser, stricter)


def _bindings(rule_set: RuleSet, tool: str, apart_from: Sequence[str]) -> object:
    """The bindings that are about the tool; their order counts where two could name the same argument."""
    found = [
        binding
        for binding in rule_set.bindings
        if (name_test([binding.tool])(tool) if tool else binding.tool not in apart_from)
    ]
    if tool and not any("when" in binding.table or "*" in binding.argument for binding in found):
        # Those that name a tool exactly come first, and of two for one argument the first counts.
        ranked = sorted(found, key=lambda binding: binding.tool != tool)
        return {f"/{one.argument.removeprefix('/')}": canonical(one.table) for one in reversed(ranked)}
    return [canonical([binding.tool, binding.argument, binding.table]) for binding in found]


def _commands(rule_set: RuleSet) -> list[str]:
    return [canonical([command.name, command.table]) for command in rule_set.commands]


def _about(outcome: Outcome, phase: Phase, tool: str, apart_from: Sequence[str]) -> Iterator[Subject]:
    """The rules of a phase about the tool, or about some that is not named."""
    for subject in outcome.subjects:
        globs = subject.raw.fields.get("tools")
        about = globs is None or (
            widened_name_test(globs)(tool) if tool else any(glob not in apart_from for glob in globs)
        )
        if subject.phase is phase and about and subject.raw.fields.get("mode") != "off":
            yield subject


def _written(outcome: Outcome, tool: str, apart_from: Sequence[str]) -> list[tuple[str, str]]:
    """What each rewrite of the tool says as a text, and its address."""
    silent = SILENT | {"tools"} if tool else SILENT
    return [
        (canonical([one.rule.layer, one.rule.enforced, one.raw.kind, without(one.raw.fields, silent)]), one.raw.address)
        for one in _about(outcome, Phase.REWRITE, tool, apart_from)
    ]


def _rewrites(
    before: Sequence[tuple[str, str]], after: Sequence[tuple[str, str]], looser: list[str], stricter: list[str]
) -> None:
    """Rewrites are compared as they are written, in their order."""
    if [said for said, _ in before] != [said for said, _ in after]:
        different = [name for said, name in before if said not in dict(after)]
        different += [name for said, name in after if said not in dict(before)]
        _both(f"rules that change arguments are different: {_named(different)}", looser, stricter)


def _named(addresses: Iterable[str]) -> str:
    return ", ".join(f"`{address}`" for address in dict.fromkeys(addresses)) or "their order"


def _bounding(outcome: Outcome, phases: Iterable[Phase], tool: str, apart_from: Sequence[str]) -> list[Bound]:
    """The bounds of the rules about the tool that are enforced."""
    subjects = [one for phase in phases for one in _about(outcome, phase, tool, apart_from) if one.rule.enforced]
    return [bound for subject in subjects for bound in bounds_of(subject, outcome)]


def _bounds(
    before: Sequence[Bound], after: Sequence[Bound], tool: str, looser: list[str], stricter: list[str]
) -> Sequence[Bound]:
    """Note which bounds of one side the other does not cover; all of both where there is one."""
    gone, come = _uncovered(before, after, tool), _uncovered(after, before, tool)
    shapes = [[one.about for one in side if not one.apart and one.phase is Phase.OUTPUT] for side in (before, after)]
    opaque = [one.address for one in (*gone, *come) if not one.apart and one.phase is Phase.OUTPUT]
    if opaque or shapes[0] != shapes[1]:
        _both(f"rules that change results are different: {_named(opaque)}", looser, stricter)
    looser += [
        f"the {one.noun} of rule `{one.address}` is gone or different" for one in gone if one.address not in opaque
    ]
    stricter += [
        f"the {one.noun} of rule `{one.address}` is new or different" for one in come if one.address not in opaque
    ]
    return (*before, *after) if gone or come else ()


def _uncovered(some: Iterable[Bound], others: Sequence[Bound], tool: str) -> list[Bound]:
    return [one for one in some if not any(other.covers(one, tool) for other in others)]
