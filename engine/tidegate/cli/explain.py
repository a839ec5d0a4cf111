"""`tidegate explain`: how the decision about one call comes about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from time import time

import click
from attrs import evolve

from ..assurance.explaining import Consulted, Explanation, explain
from ..call import Call
from ..calls import call_of, parse
from ..calls import read_calls as recorded
from ..errors import CallError
from ..plan.phrases import describe
from ..pointers import parse_pointer, values_at
from ..shown import escape, quote
from .explaining import as_json as explanation_as_json
from .jsonlines import bounded_lines, dump, opened
from .loading import FILE, layer_options, load_engine
from .terminal import Screen, output, safe, verdict
from .underline import Part, underlined

_PLACE = re.compile(r"(?s:(.+)):([0-9]{1,9})")


@click.command("explain", short_help="Say how the decision about one call comes about.")
@click.argument("rules", type=FILE)
@click.argument("call")
@layer_options
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object.")
def command(rules: Path, call: str, managed: Path | None, user: Path | None, as_json: bool) -> int:
    """Say what a call does, what every rule says of it and why, and what would be allowed.

    CALL is a call as JSON, `@FILE` for a file that holds one, `FILE:LINE` for a line of recorded calls, or `-` for
    standard input. Limits are looked at and not used up; for `FILE:LINE` they are those that the calls on the lines
    before have left, as in `decide`. Exit code 1 means that the call is not allowed.
    """
    *earlier, wanted = read_calls(call)
    engine = load_engine(rules, managed, user)
    for one in earlier:
        engine.judge(one)
    explanation = explain(engine, wanted)
    screen = output()
    if as_json:
        screen.line(dump(explanation_as_json(explanation)))
    else:
        for line in told(explanation, screen):
            screen.line(line)
    return 0 if explanation.decision.allowed else 1


def read_calls(text: str) -> list[Call]:
    """The call that the word on the command line stands for, after those that were recorded before it.

    Recorded calls without a time of their own get the present one, so that they are counted for themselves and not
    with the live ones.

    Raises:
        UsageError: It stands for none.
        CallError: What stands there is no call.
    """
    if text.lstrip()[:1] in ("{", "[", '"'):
        return [call_of(parse(text))]
    if text == "-" or text.startswith("@"):
        with opened(text.removeprefix("@")) as stream:
            return [call_of(parse(stream.read()))]
    place = _PLACE.fullmatch(text)
    if place is None:
        raise click.UsageError("CALL must be a JSON object, `@FILE`, `FILE:LINE` or `-`")
    try:
        *lines, last = _lines(place[1], int(place[2]))
        wanted = call_of(parse(last))
    except CallError as error:
        raise CallError(f"line {place[2]} of `{place[1]}` is no call: {error}") from None
    now = time()
    earlier = [line.call for line in recorded(lines) if line.call is not None]
    return [one if one.at is not None else evolve(one, at=now) for one in (*earlier, wanted)]


def _lines(path: str, number: int) -> list[bytes]:
    """The lines of the file up to the one of that number."""
    with opened(path) as stream:
        lines = list(islice(bounded_lines(stream), number))
    if not 0 < number == len(lines):
        raise CallError("the file has no such line")
    return lines


def told(explanation: Explanation, screen: Screen) -> Iterator[str]:
    """The explanation in lines for people."""
    decision, call = explanation.decision, explanation.call
    by = _by(explanation)
    yield f"{screen.paint(decision.effect, *verdict(decision.effect))} {quote(call.tool.name)} {by}"
    if decision.reason:
        yield f"  {safe(decision.reason)}"
    if decision.would is not None:
        yield f"  monitored rules would say {screen.paint(decision.would, *verdict(decision.would))}"
    yield ""
    yield screen.paint("arguments", "bold")
    yield f"  {escape(dump(decision.arguments), 2_000)}"
    yield from _rules("before any rule", explanation.before, screen)
    yield from _rules("rewriting", explanation.rewrites, screen)
    yield from _effects(explanation, screen)
    for layer in explanation.layers:
        title = "rules" if len(explanation.layers) == 1 else f"rules of the {layer.name} layer"
        yield from _rules(title, layer.rules, screen)
        if layer.uncovered:
            yield ""
            yield screen.paint("covered by no grant", "bold")
            numbers = ", ".join(map(str, layer.uncovered))
            said = screen.paint(layer.default, *verdict(layer.default))
            left = ", unless the next layer says otherwise" if layer.delegates else ""
            if layer.monitors:
                yield f'  {numbers}, so `default` would count: {said}; with `mode = "monitor"` it refuses nothing'
            else:
                yield f"  {numbers}, so `default` counts: {said}{left}"
    yield from _rules("limits", explanation.limits, screen)
    if explanation.offers:
        yield ""
        yield screen.paint("what would be allowed", "bold")
        for rule, offer in explanation.offers:
            yield f"  {quote(rule)}: {safe(offer)}"
    if explanation.elsewhere:
        yield ""
        more = "1 more rule is" if explanation.elsewhere == 1 else f"{explanation.elsewhere} more rules are"
        yield screen.paint(f"{more} not about this tool", "dim")


def _by(explanation: Explanation) -> str:
    """What brought the decision about."""
    decision = explanation.decision
    if decision.rule is not None:
        return f"by rule {quote(decision.rule)}"
    silent = [layer for layer in explanation.layers if layer.monitors and layer.uncovered and layer.default != "allow"]
    if decision.effect != "allow" or not silent:
        return "by `default`"
    names = " and ".join(layer.name for layer in silent)
    return f'because `mode = "monitor"` keeps the {names} layer from refusing'


def _effects(explanation: Explanation, screen: Screen) -> Iterator[str]:
    if not explanation.effects:
        return
    yield ""
    yield screen.paint("what it does", "bold")
    commands: dict[str, list[Part]] = {}
    for number, effect in enumerate(explanation.effects):
        marks = [word for word, holds in (("recursive", effect.recursive), ("inherent", effect.inherent)) if holds]
        place = "" if effect.place.kind == "local" else f" ({effect.place.kind})"
        note = f"  [{', '.join(marks)}]" if marks else ""
        yield f"  {number:>2}  {describe(effect)}{place}{screen.paint(note, 'dim')}"
        if effect.span is not None:
            commands.setdefault(effect.source, []).append(Part(*effect.span, str(number)))
    for source, parts in commands.items():
        text = next((value for _, value in values_at(explanation.call.arguments, parse_pointer(source))), None)
        if isinstance(text, str):
            yield ""
            for line in underlined(text, _joined(parts)):
                yield f"      {line}"


def _joined(parts: Iterable[Part]) -> list[Part]:
    """Parts of the same stretch as one, with all their labels."""
    labels: dict[tuple[int, int], list[str]] = {}
    for part in parts:
        labels.setdefault((part.start, part.end), []).append(part.label)
    return [Part(start, end, ", ".join(found)) for (start, end), found in labels.items()]


def _rules(title: str, rules: tuple[Consulted, ...], screen: Screen) -> Iterator[str]:
    if not rules:
        return
    yield ""
    yield screen.paint(title, "bold")
    wide = max(len(rule.rule) for rule in rules)
    for rule in rules:
        style = verdict("allow" if rule.says == "grant" else rule.says)
        about = f" {rule.effect}" if rule.effect is not None and rule.says in ("deny", "ask") else ""
        covers = f" {', '.join(map(str, rule.covers))}" if rule.covers else ""
        says = "-" if rule.says == "pass" else f"{rule.says}{about}{covers}"
        monitored = " (monitored, does not count)" if rule.monitored else ""
        yield (
            f"  {escape(rule.rule, 60):<{min(wide, 60)}}  {rule.kind:<10}  {screen.paint(f'{says:<12}', *style)}  "
            f"{safe(rule.why)}{monitored}"
        )
