"""What stands around the guard rules: settings, bindings, commands, and rules of the other phases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import frozen

from ...compile.compiler import Outcome
from ...decision import STRICTNESS
from ...kind import Phase
from ...lang.ruleset import RuleSet
from ...meaning.names import name_test, widened_name_test
from ..clauses.written import SILENT, canonical, without


@frozen
class Around:
    """Why something may be looser, and why stricter; without a reason it is proved not to be for these causes.

    `counts` tells whether a limit is different, which shows only where a call is made again and again.
    """

    looser: tuple[str, ...] = ()
    stricter: tuple[str, ...] = ()
    counts: bool = False


def changes_around(old: Outcome, new: Outcome, tool: str, apart_from: Sequence[str]) -> Around:
    """What is different for one tool, or for those that are not among *apart_from*, beside its guard rules."""
    looser: list[str] = []
    stricter: list[str] = []
    if [one.layer for one in old.rule_sets] != [one.layer for one in new.rule_sets]:
        return Around(("there are other layers",), ("there are other layers",))
    for before, after in zip(old.rule_sets, new.rule_sets, strict=True):
        _settings(before, after, looser, stricter)
        if _bindings(before, tool, apart_from) != _bindings(after, tool, apart_from):
            _both("what the arguments mean has changed (`[tools]`)", looser, stricter)
        if _commands(before) != _commands(after):
            _both("entries of `[commands]` have changed", looser, stricter)
    if _files(old) != _files(new):
        _both("a file that rules read beside the rule files has changed", looser, stricter)
    for phase, limits in ((Phase.REWRITE, False), (Phase.LIMIT, True), (Phase.RUN, True), (Phase.OUTPUT, False)):
        _other_rules(_of(old, phase, tool, apart_from), _of(new, phase, tool, apart_from), looser, stricter, limits)
    one, other = (_of(outcome, Phase.LIMIT, tool, apart_from) for outcome in (old, new))
    return Around(tuple(looser), tuple(stricter), counts=bool(_beyond(one, other) or _beyond(other, one)))


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


def _of(outcome: Outcome, phase: Phase, tool: str, apart_from: Sequence[str]) -> list[tuple[str, str]]:
    """The rules of a phase about the tool: what each says as a text, and its address."""
    found = []
    for subject in outcome.subjects:
        globs = subject.raw.fields.get("tools")
        about = globs is None or (
            widened_name_test(globs)(tool) if tool else any(glob not in apart_from for glob in globs)
        )
        if subject.phase is phase and about and subject.raw.fields.get("mode") != "off":
            silent = SILENT | {"tools"} if tool else SILENT
            fields = without(subject.raw.fields, silent)
            said = canonical([subject.rule.layer, subject.rule.enforced, subject.raw.kind, fields])
            found.append((said, subject.raw.address))
    return found


def _other_rules(
    before: Sequence[tuple[str, str]],
    after: Sequence[tuple[str, str]],
    looser: list[str],
    stricter: list[str],
    limits: bool,
) -> None:
    """Rewrites and shapes are compared as they are written; a limit that is added loosens nothing."""
    if [said for said, _ in before] == [said for said, _ in after]:
        return
    gone, come = _beyond(before, after), _beyond(after, before)
    if not limits:
        named = ", ".join(f"`{name}`" for name in dict.fromkeys(gone + come)) or "their order"
        _both(f"rules that change arguments or results are different: {named}", looser, stricter)
        return
    looser += [f"the limit of rule `{name}` is gone or different" for name in gone]
    stricter += [f"the limit of rule `{name}` is new or different" for name in come]


def _beyond(some: Iterable[tuple[str, str]], others: Iterable[tuple[str, str]]) -> list[str]:
    known = {said for said, _ in others}
    return [address for said, address in some if said not in known]
