"""A first policy from recorded calls: grants for what was called, and for little more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from attrs import evolve, field, frozen

from ..call import Call
from ..compile.compiler import compile_plan
from ..errors import RuleError
from ..facts import Facts
from ..facts.clock import SystemClock
from ..facts.counters import MemoryCounters
from ..kernel.json_values import thaw
from ..lang.layers import loads
from ..meaning.effects import PATH_EFFECTS, Effect, Invocation, PathTarget, UrlTarget
from ..plan.judge import answer, fold
from ..plan.plan import Plan
from ..plan.sitting import Sitting
from .drafts import Draft, DraftExample, DraftRule, is_writable, rendered
from .narrow import command_pattern, needed, path_pattern, url_pattern

ROOT = "/srv/project"
HOME = "/home/dev"
"""Where the calls are taken to have happened that do not say it themselves."""

LONGEST_EXAMPLE = 300
LONGEST_TEXT = 20
MOST_NOTES = 20

_ACCESS: Mapping[str, tuple[str, str]] = {
    "read": ("read-files", "These were read."),
    "list": ("list-folders", "These were listed."),
    "write": ("write-files", "These were written."),
    "delete": ("delete-files", "These were deleted."),
}


class _NoLinks:
    """A file system without any link: the recorded one is not at hand."""

    def readlink(self, _: str) -> str | None:
        return None

    def kind(self, _: str) -> Literal["absent"]:
        return "absent"

    def names(self, _: str) -> list[str] | None:
        return None


@frozen
class _Seen:
    """What the calls did: patterns by access, with the tools that did it; and tools that did nothing else."""

    paths: dict[str, dict[str, None]] = field(factory=dict)
    tools: dict[str, dict[str, None]] = field(factory=dict)
    commands: dict[str, None] = field(factory=dict)
    urls: dict[str, None] = field(factory=dict)
    plain: dict[str, None] = field(factory=dict)


def draft_from_calls(calls: Sequence[Call], default: str) -> Draft:
    """Rules that grant what *calls* do.

    Paths are widened to their folders and stand beneath `{root}`, commands to their program and subcommand, URLs to
    their host. What no grant can name, such as code that a call does not show, stays to `default`, and a comment
    says which calls that is.
    """
    placed = [_placed(call) for call in calls]
    plan = _plan("version = 1\n")
    seen = _Seen()
    for call in placed:
        _look(call, plan, seen)
    draft = Draft("ask" if default == "allow" else default, tuple(_rules(seen)), _HEAD)
    plan = _plan(rendered(draft))
    examples = {rule.id: tuple(_examples(rule.id, placed, plan)) for rule in draft.rules}
    rules = tuple(evolve(rule, examples=examples[rule.id]) for rule in draft.rules)
    return evolve(draft, rules=rules, notes=tuple(_left(placed, plan)))


_HEAD = "A first policy, from recorded calls. Read it: what was done once is not always what should be allowed."


def _plan(text: str) -> Plan:
    outcome = compile_plan(loads(text), now=SystemClock().now())
    if outcome.plan is None:
        raise RuleError(outcome.findings)
    return outcome.plan


def _facts() -> Facts:
    return Facts(clock=SystemClock(), counters=lambda _: MemoryCounters(), files=_NoLinks(), home=HOME)


def _placed(call: Call) -> Call:
    """The call with a place, so that `{root}` means something."""
    cwd = call.cwd or call.root or ROOT
    return evolve(call, cwd=cwd, root=call.root or cwd, home=call.home or HOME)


def _read(call: Call, plan: Plan) -> Sitting:
    sitting = Sitting(plan, call, _facts())
    sitting.take_all()
    return sitting


def _look(call: Call, plan: Plan, seen: _Seen) -> None:
    """Note what one call does."""
    case = _read(call, plan).case
    effects = case.effects
    if not effects:  # nobody can tell what it does, so nothing can be granted for it
        return
    own = [effect for effect in effects[1:] if effect.kind != "mention"]
    if not own or len(own) < len(effects) - 1:
        seen.plain[call.tool.name] = None
    for effect in own:
        if isinstance(effect.target, Invocation):
            pattern = None if effect.inherent else command_pattern(effect.target, case, plan.reader.table)
            if pattern is not None:
                seen.commands[pattern] = None
        elif effect.inherent:
            continue
        elif effect.kind in PATH_EFFECTS and isinstance(effect.target, PathTarget):
            _note_path(call, effect, seen)
        elif isinstance(effect.target, UrlTarget) and (url := url_pattern(effect.target)) is not None:
            seen.urls[url] = None


def _note_path(call: Call, effect: Effect, seen: _Seen) -> None:
    assert isinstance(effect.target, PathTarget)  # noqa: S101 - the caller has looked
    ident = _ACCESS[effect.kind][0]
    for name in effect.target.names:
        if isinstance(name, str):
            seen.paths.setdefault(ident, {})[path_pattern(name, call.root or ROOT, effect)] = None
            seen.tools.setdefault(ident, {})[call.tool.name] = None


def _rules(seen: _Seen) -> Iterator[DraftRule]:
    for access, (ident, comment) in _ACCESS.items():
        if ident in seen.paths:
            fields = {"tools": list(seen.tools[ident]), "access": access, "allow": needed(seen.paths[ident])}
            yield DraftRule(ident, "path", comment, fields)
    if seen.commands:
        yield DraftRule("commands", "command", "These commands ran.", {"allow": sorted(seen.commands)})
    if seen.urls:
        yield DraftRule("hosts", "url", "These hosts were reached.", {"allow": sorted(seen.urls)})
    if seen.plain:
        comment = "These tools were used with arguments that tell no rule what they do."
        yield DraftRule("tools", "tools", comment, {"allow": sorted(seen.plain)})


def _examples(ident: str, calls: Iterable[Call], plan: Plan) -> Iterator[DraftExample]:
    """The first call that the rule allows all by itself, as an example of it."""
    found = next(rule for layer in plan.layers for rule in layer.guards if rule.id == ident)
    for call in calls:
        args = _shortened(call, plan)
        if args is None:
            continue
        case = _read(evolve(call, arguments=args, cwd=ROOT, root=ROOT, home=HOME), plan).case
        name = call.tool.name
        if not case.effects or (found.denies_tool is not None and not found.denies_tool(name)):
            continue
        if fold(answer(found, case), case.effects).uncovered is None:
            yield DraftExample(name, args, "allow")
            return


def _shortened(call: Call, plan: Plan) -> dict[str, Any] | None:
    """The arguments for an example: paths beneath the root are made relative to it; `None` where that is too long."""
    args = {name: item for name, item in thaw(call.arguments).items() if is_writable(item)}
    base = (call.root or ROOT).rstrip("/")
    for bound in plan.reader.bindings.arguments(call.tool.name, call.arguments):
        name = bound.pointer[1:]
        if not isinstance(bound.value, str) or name not in args:
            continue
        if bound.binding.role == "path" and bound.value.startswith(f"{base}/"):
            args[name] = bound.value[len(base) + 1 :] or "."
        elif bound.binding.role == "text" and len(bound.value) > LONGEST_TEXT:
            args[name] = f"{bound.value[:LONGEST_TEXT]}…"
    text = str(args)
    return args if len(text) <= LONGEST_EXAMPLE and (base == ROOT or base not in text) else None


def _left(calls: Iterable[Call], plan: Plan) -> Iterator[str]:
    """What is said of calls that the draft does not allow."""
    count = 0
    for number, call in enumerate(calls, 1):
        sitting = _read(call, plan)
        decision = sitting.settle()
        if decision.allowed:
            continue
        count += 1
        if count == 1:
            yield "\nNot allowed by these rules, although it was called:"
        if count <= MOST_NOTES:
            yield f"  call {number}, {call.tool.name}: {decision.reason}"
    if count > MOST_NOTES:
        yield f"  and {count - MOST_NOTES} more"
