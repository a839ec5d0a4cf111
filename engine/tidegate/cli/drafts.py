"""Rule files as they are first written: comments, rules and examples, laid out by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import field, frozen

from ..lang.inline import inline, inline_key


@frozen
class DraftExample:
    """One example of a rule: a call and the rule's own answer."""

    tool: str
    args: Mapping[str, Any]
    expect: str


@frozen
class DraftRule:
    """One rule with the comment above it; `hints` are lines that stay comments, for whoever reads on."""

    id: str
    kind: str
    comment: str
    fields: Mapping[str, Any]
    examples: tuple[DraftExample, ...] = ()
    hints: tuple[str, ...] = ()


@frozen
class Draft:
    """A whole rule file."""

    default: str
    rules: tuple[DraftRule, ...]
    comment: str = "A first policy. Read it, change it, and let `tidegate check` tell what is wrong."
    bindings: Mapping[str, Mapping[str, Mapping[str, Any]]] = field(factory=dict)
    include: tuple[str, ...] = ("pack:baseline",)
    notes: tuple[str, ...] = ()


def rendered(draft: Draft) -> str:
    """The draft as TOML."""
    lines = [
        *commented(draft.comment),
        "version = 1",
        f"default = {inline(draft.default)}   # for a call that no rule covers: allow, ask or deny",
    ]
    if draft.include:
        lines.append(f"include = {inline(list(draft.include))}   # rules that come with tidegate")
    if draft.bindings:
        lines += ["", "# What the arguments of tools mean, guessed from their names: look at each."]
    for index, (tool, arguments) in enumerate(draft.bindings.items()):
        lines += [*([""] if index else []), f"[tools.{inline_key(tool)}]"]
        lines += [f"{inline_key(name)} = {inline(table)}" for name, table in arguments.items()]
    for rule in draft.rules:
        lines += ["", *_rule(rule)]
    if draft.notes:
        lines += ["", *(line for note in draft.notes for line in commented(note))]
    return "\n".join(lines) + "\n"


def _rule(rule: DraftRule) -> Iterable[str]:
    yield from commented(rule.comment)
    yield "[[rule]]"
    yield f"id = {inline(rule.id)}"
    yield f"kind = {inline(rule.kind)}"
    for key, item in rule.fields.items():
        yield f"{key} = {inline(item)}"
    yield from (line for hint in rule.hints for line in commented(hint))
    for example in rule.examples:
        yield ""
        yield "[[rule.example]]"
        yield f"call = {inline({'tool': example.tool, 'args': example.args})}"
        yield f"expect = {inline(example.expect)}"


def commented(text: str) -> list[str]:
    """The text as lines of a comment."""
    return [f"# {_plain(line)}".rstrip() for line in text.split("\n")]


def _plain(line: str) -> str:
    """The line without what a TOML comment may not hold."""
    return "".join(character if character.isprintable() else "?" for character in line)
