"""A first policy from recorded calls: grants for what was called, and for little more."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import evolve, field, frozen

from ..call import Call
from ..compile.bindings import well_known
from ..compile.compiler import compile_plan
from ..compile.guessing import Guess, guessed
from ..errors import RuleError
from ..facts import Facts
from ..facts.clock import SystemClock
from ..facts.counters import MemoryCounters
from ..facts.files import NothingThere
from ..kernel.json_values import thaw
from ..lang.inline import is_writable
from ..lang.layers import loads
from ..meaning.effects import PATH_EFFECTS, Effect, Invocation, Mention, PathTarget, Target, UrlTarget
from ..plan.binding import Bindings
from ..plan.judge import answer, fold
from ..plan.plan import Plan
from ..plan.sitting import Sitting
from .drafts import Draft, DraftExample, DraftRule, rendered
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


@frozen
class _Seen:
    """What the calls did: patterns by access and owner, with the tools that did it; and tools that did nothing else.

    The owner is one tool where a path lies outside of the root, and empty else.
    """

    paths: dict[tuple[str, str], dict[str, None]] = field(factory=dict)
    tools: dict[tuple[str, str], dict[str, None]] = field(factory=dict)
    commands: dict[str, None] = field(factory=dict)
    urls: dict[str, None] = field(factory=dict)
    plain: dict[str, None] = field(factory=dict)


def draft_from_calls(calls: Sequence[Call], default: str) -> Draft:
    """Rules that grant what *calls* do.

    Paths are widened to their folders and stand beneath `{root}`, commands that only look to their program and
    subcommand, URLs to their host. A tool is granted as such only where nothing in its arguments names a path, a URL
    or a command. What no grant can name, such as code that a call does not show, stays to `default`, and a comment
    says which calls that is.
    """
    placed = [_placed(call) for call in calls]
    bindings = _bindings(placed)
    plan = _plan(rendered(Draft(default, (), bindings=bindings, include=())))
    seen = _Seen()
    for call in placed:
        _look(call, plan, seen)
    draft = Draft("ask" if default == "allow" else default, tuple(_rules(seen)), _HEAD, bindings)
    plan = _plan(rendered(draft))
    examples = {rule.id: tuple(_examples(rule.id, placed, plan)) for rule in draft.rules}
    rules = tuple(evolve(rule, examples=examples[rule.id]) for rule in draft.rules)
    return evolve(draft, rules=rules, notes=tuple(_left(placed, plan)))


_HEAD = "A first policy, from recorded calls. Read it: what was done once is not always what should be allowed."


def _bindings(calls: Iterable[Call]) -> dict[str, dict[str, Guess]]:
    """What the arguments of tools that nobody knows probably mean."""
    known = Bindings(well_known())
    arguments: dict[str, dict[str, Any]] = {}
    for call in calls:
        if not known.of_tool(call.tool.name):
            named = ((name, {} if isinstance(item, str) else _NO_TEXT) for name, item in call.arguments.items())
            arguments.setdefault(call.tool.name, {}).update(named)
    guesses = ((tool, guessed(tool, named)) for tool, named in arguments.items())
    return {tool: found for tool, found in guesses if found}


_NO_TEXT = {"type": "object"}


def _plan(text: str) -> Plan:
    outcome = compile_plan(loads(text), now=SystemClock().now())
    if outcome.plan is None:
        raise RuleError(outcome.findings)
    return outcome.plan


def _facts() -> Facts:
    return Facts(clock=SystemClock(), counters=lambda _: MemoryCounters(), files=NothingThere(), home=HOME)


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
    if not own and _is_plain(call, effects, plan):
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


def _is_plain(call: Call, effects: Iterable[Effect], plan: Plan) -> bool:
    """Whether a grant for the tool itself grants no path, URL or command that it was not called with."""
    roles = {binding.role for binding in plan.reader.bindings.of_tool(call.tool.name)}
    return roles <= {"text"} and not any(_names_something(effect.target) for effect in effects)


def _names_something(target: Target) -> bool:
    """Whether a text of unknown role looks like a path or a URL."""
    if not isinstance(target, Mention) or not isinstance(target.text, str):
        return isinstance(target, Mention)
    return target.url is not None or target.text.startswith("~") or bool(set("/\\") & set(target.text))


def _note_path(call: Call, effect: Effect, seen: _Seen) -> None:
    assert isinstance(effect.target, PathTarget)  # noqa: S101 - the caller has looked
    for name in effect.target.names:
        if isinstance(name, str):
            pattern = path_pattern(name, call.root or ROOT, effect)
            # What lies elsewhere is for the tool that was there; within the root, tools go where others went.
            owner = "" if pattern.startswith("{root}") else _NO_ID.sub("-", call.tool.name.lower()).strip("-")
            seen.paths.setdefault((effect.kind, owner), {})[pattern] = None
            seen.tools.setdefault((effect.kind, owner), {})[call.tool.name] = None


_NO_ID = re.compile(r"[^a-z0-9]+")


def _rules(seen: _Seen) -> Iterator[DraftRule]:
    for access, (ident, comment) in _ACCESS.items():
        for where in sorted(where for where in seen.paths if where[0] == access):
            fields = {"tools": list(seen.tools[where]), "access": access, "allow": needed(seen.paths[where])}
            yield DraftRule(f"{ident}-of-{where[1]}" if where[1] else ident, "path", comment, fields)
    if seen.commands:
        yield DraftRule("commands", "command", "These commands ran.", {"allow": sorted(seen.commands)})
    if seen.urls:
        yield DraftRule("hosts", "url", "These hosts were reached.", {"allow": sorted(seen.urls)})
    if seen.plain:
        comment = "These tools were used with arguments that tell no rule what they do."
        yield DraftRule("tools", "tools", comment, {"allow": sorted(seen.plain)})


def _examples(ident: str, calls: Sequence[Call], plan: Plan) -> Iterator[DraftExample]:
    """The first call that the rule allows all by itself, as an example of it; for a rule about tools, one of each."""
    found = next(rule for layer in plan.layers for rule in layer.guards if rule.id == ident)
    shown: set[str] = set()
    # A call that is too long to be shown still tells the name of its tool.
    bare = (evolve(call, arguments={}) for call in calls) if found.kind == "tools" else ()
    for call in (*calls, *bare):
        args = None if call.tool.name in shown else _shortened(call, plan)
        if args is None:
            continue
        case = _read(evolve(call, arguments=args, cwd=ROOT, root=ROOT, home=HOME), plan).case
        name = call.tool.name
        if not case.effects or (found.denies_tool is not None and not found.denies_tool(name)):
            continue
        if fold(answer(found, case), case.effects).uncovered is None:
            yield DraftExample(name, args, "allow")
            shown.add(name)
            if found.kind != "tools":
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
