"""Every channel of a result within its bound."""

from __future__ import annotations

from typing import Any, NamedTuple

from attrs import evolve

from .kernel.json_values import compact
from .output import Output
from .shorten import NONE, UNBOUNDED, Size, Style, shorten_texts, sound
from .shorten_json import json_of, json_size, shorten_json, shorten_json_text
from .shorten_tokens import Tokens, within_tokens
from .shown import escape


class Bound(NamedTuple):
    """The bound of text and of structured content, in sizes and perhaps in tokens, and of other blocks in bytes."""

    most: Size
    others: int
    tokens: Tokens | None
    as_json: bool


def all_text(output: Output) -> bytes:
    """All text of a result, and its structured content unless that is one of the texts."""
    texts = [sound(block) for block in output.blocks if isinstance(block, str)]
    if output.structured is not None and (structured := sound(compact(output.structured))) not in texts:
        texts.append(structured)
    return "\n".join(texts).encode()


def cut_to(output: Output, bound: Bound, style: Style) -> Output:
    """*output* with every channel within its bound; itself if it is."""
    most = bound.most
    blocks = _with_room(output.blocks, bound.others, style) if bound.others != UNBOUNDED else output.blocks
    structured, dropped = output.structured, NONE
    if structured is not None:
        structured, dropped = within_tokens(
            lambda most: shorten_json(output.structured, most, style),
            lambda shortened: compact(shortened.value),
            most,
            bound.tokens,
        )
    texts = [sound(block) for block in blocks if isinstance(block, str)]
    value = json_of(texts[0]) if bound.as_json and len(texts) == 1 else None

    def shorten(most: Size) -> list[str]:
        shortened = None if value is None else shorten_json_text(texts[0], value, most, style)
        return shortened or shorten_texts(texts, most, style, dropped)

    blocks = _replaced(blocks, within_tokens(shorten, "".join, most, bound.tokens))
    if structured is output.structured and blocks == output.blocks:
        return output
    return evolve(output, blocks=blocks, structured=structured)


def _with_room(blocks: tuple[Any, ...], room: int, style: Style) -> tuple[Any, ...]:
    """*blocks* with a text in the place of every block other than text that has no room beside those before it."""
    kept = []
    backwards = style.keep == "tail"
    for block in reversed(blocks) if backwards else blocks:
        size = 0 if isinstance(block, str) else json_size(block).bytes
        kept.append(block if size <= room else _notice(block, size))
        room -= size if size <= room else 0
    return tuple(reversed(kept) if backwards else kept)


def _notice(block: Any, size: int) -> str:
    return f"[{escape(str(getattr(block, 'type', 'block')), limit=40)} of {size} bytes left out]"


def _replaced(blocks: tuple[Any, ...], texts: list[str]) -> tuple[Any, ...]:
    """*blocks* with *texts* in the places of their texts, one more of them at the end, and without those cut empty."""
    left = iter(texts)
    replaced: list[Any] = []
    for block in blocks:
        text = next(left) if isinstance(block, str) else block
        if text != "" or block == "":
            replaced.append(text)
    return (*replaced, *left)
