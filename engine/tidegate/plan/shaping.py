"""Output rules over results: every channel passes through them, and one that fails withholds the result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..decision import Answer
from ..errors import Veto
from ..kernel.call import ToolOutcome
from ..kernel.content import Block, TextBlock
from ..kernel.json_values import same_json
from ..kind import Case, Output, Shape
from ..shorten_spill import spill
from .judge import failure
from .rule import Rule

LONG = 50_000
"""The fewest characters of a result for which an event loop should not wait."""

WITHHELD = "the result was withheld, because it could not be made fit to show"


def shape(rules: Iterable[Rule], outcome: ToolOutcome, cases: Sequence[Case]) -> tuple[ToolOutcome, list[Answer]]:
    """Let every output rule shape the outcome, in their order; *cases* are the call as each layer sees it.

    A value that is neither text, blocks nor JSON cannot be shaped and is withheld, where a rule applies.
    """
    answers: list[Answer] = []
    for rule in rules:
        case = cases[rule.layer]
        if rule.when is not None and rule.when.applies(case) is False:
            continue
        try:
            shaped = _shape_one(rule, outcome, case)
        except Exception as error:  # noqa: BLE001 - whatever it was, what was not shaped is not shown
            answers.append(
                Answer(rule.id, rule.kind, "deny", "output", note=failure(error), monitored=not rule.enforced)
            )
            if rule.enforced:
                return outcome.with_error(WITHHELD), answers
            continue
        if shaped is not outcome:
            answers.append(Answer(rule.id, rule.kind, "rewrite", "output", monitored=not rule.enforced))
            if rule.enforced:
                outcome = shaped
        if rule.enforced:
            outcome = _told_once(outcome)
    return outcome, answers


def _shape_one(rule: Rule, outcome: ToolOutcome, case: Case) -> ToolOutcome:
    part = rule.part
    assert isinstance(part, Shape)  # noqa: S101 - the plan sorts rules by phase
    result = outcome.result
    if _is_opaque(outcome):
        raise TypeError(f"a result of type `{type(result.value).__name__}` cannot be shaped; return text or JSON")
    given = output_of(outcome)
    blocks = given.blocks
    shaped = part.apply(given, case)
    if shaped is given or (shaped.blocks == blocks and shaped.structured is result.structured):
        return outcome
    content: list[Block] = [TextBlock(block) if isinstance(block, str) else block for block in shaped.blocks]
    return outcome.with_content(content, shaped.structured)


def reminded(outcome: ToolOutcome, notices: Sequence[str]) -> ToolOutcome:
    """The outcome with notices before its text; a value that no channel shows has no place for them."""
    if _is_opaque(outcome):
        return outcome
    blocks: list[Block] = [TextBlock(f"[{notice}]") for notice in notices]
    return outcome.with_content([*blocks, *outcome.result.content], outcome.result.structured)


def is_long(outcome: ToolOutcome) -> bool:
    """Whether shaping the outcome takes long."""
    result = outcome.result
    text = sum(len(block.text) for block in result.content if isinstance(block, TextBlock))
    return text >= LONG or _length(result.structured, LONG - text) >= LONG - text


def _length(value: Any, most: int) -> int:
    """About as many characters as a JSON value is written with, or *most*."""
    length, left = 0, [value]
    while left and length < most:
        one = left.pop()
        if isinstance(one, dict):
            left += [*one, *one.values()]
        elif isinstance(one, list):
            left += one
        length += len(one) if isinstance(one, str) else 1
    return length


def output_of(outcome: ToolOutcome) -> Output:
    """The result of a call as rules see it."""
    result = outcome.result
    blocks = tuple(block.text if isinstance(block, TextBlock) else block for block in result.content)
    # What refused is still known by the name of the error when another rule has changed its text.
    refused = not outcome.entered and result.error is not None and result.error.name == Veto.__name__
    return Output(blocks, result.structured, result.is_error, refused, spill)


def in_order(rules: Iterable[Rule]) -> list[Rule]:
    """Output rules of all layers as they apply: those that redact before those that cut, wherever they stand."""
    return sorted(rules, key=_order)


def redactions(rules: Iterable[Rule]) -> tuple[Callable[[Any], Any], ...]:
    """What output rules make of the JSON of a decision record, whether they are enforced or not."""
    parts = [rule.part for rule in rules if isinstance(rule.part, Shape)]
    return tuple(part.record for part in parts if part.record is not None)


def _order(rule: Rule) -> int:
    assert isinstance(rule.part, Shape)  # noqa: S101 - the plan sorts rules by phase
    return rule.part.order


def _is_opaque(outcome: ToolOutcome) -> bool:
    """Whether the value is one that programs see and no channel for the model shows."""
    value, result = outcome.result.value, outcome.result
    if value is None or value is result.structured:
        return False
    if isinstance(value, str):
        return result.content != (TextBlock(value),)
    if isinstance(value, bool | int | float):
        return not same_json(value, result.structured)
    return bool(value != result.content)


def _told_once(outcome: ToolOutcome) -> ToolOutcome:
    """The outcome without an exception that says something else than was shaped; `call` then raises what was."""
    cause = outcome.cause
    if cause is None:
        return outcome
    try:
        said = str(cause)
    except Exception:  # noqa: BLE001 - an exception that cannot speak is not handed on
        said = None
    shown = outcome.result.text
    return outcome if said == "" or shown == f"Error: {said}" else outcome.with_content(outcome.result.content)
