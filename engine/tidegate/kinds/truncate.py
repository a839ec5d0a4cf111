"""`truncate`: how much of a result reaches the model."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal

from attrs import evolve, frozen

from ..kind import Case, Example, Kind, Output, Phase, Setting, Shape, param
from ..shorten import NONE, UNBOUNDED, Size, Style, count_lines, shorten_texts, sound, utf8_size
from ..shorten_json import json_size, shorten_json
from ..shown import escape, quote

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


@frozen
class Truncate:
    """Cut what a tool returns to so many bytes or lines, with a marker that says how much is missing.

    Each channel has the bound for itself: all text blocks together, the structured content, and all other blocks
    together. The marker counts towards it. Bytes are those of UTF-8, and no character is cut in half; a line ends
    with a line feed. Failures are cut like successes. What is within the bound is left as it is.

    Structured content stays valid JSON: `max_bytes` bounds its compact form and `max_lines` its strings taken
    together. Its longest strings are shortened, then its arrays lose their last items, and as a last resort it
    becomes `{"truncated": "…"}`, or nothing if even that is too long. It may no longer be valid under the tool's
    own output schema, and a key is never shortened. What was dropped from it without a marker of its own is
    counted by the marker in the text.

    Images and other blocks cannot be cut. Those that have no room in `max_bytes`, by the length of their JSON, are
    replaced by a text that says so.

    The rule bounds what is shown and not what a tool does or reads, and it runs after redaction, so that no secret
    is cut in half before it is found. A character that consists of several code points may lose some of them.
    """

    max_bytes: int | None = param("The most bytes of each channel, as UTF-8.", default=None, minimum=1)
    max_lines: int | None = param("The most lines of each channel.", default=None, minimum=1)
    keep: Literal["head", "tail", "head-tail"] = param(
        "Which part stays: the beginning, the end, or some of both.", default="head"
    )
    marker: str = param(
        "What stands where something is missing; `{bytes}` and `{lines}` say how much.",
        default="[… {bytes} bytes, {lines} lines left out …]",
    )


_FIELD = re.compile(r"\{([^{}]*)\}")
_LARGEST = Size(10**12 - 1, 10**12 - 1)


def compile_truncate(fields: Truncate, setting: Setting) -> Shape:
    """Check that the marker has room, and put the bound together."""
    most = Size(fields.max_bytes or UNBOUNDED, fields.max_lines or UNBOUNDED)
    style = Style(fields.keep, fields.marker)
    _check(fields, most, style, setting)

    def apply(output: Output, _: Case) -> Output:
        blocks = _with_room(output.blocks, most, style) if fields.max_bytes else output.blocks
        structured, dropped = output.structured, NONE
        if structured is not None:
            structured, dropped = shorten_json(structured, most, style)
        texts = [sound(block) for block in blocks if isinstance(block, str)]
        blocks = _replaced(blocks, shorten_texts(texts, most, style, dropped))
        if structured is output.structured and blocks == output.blocks:
            return output
        return evolve(output, blocks=blocks, structured=structured)

    return Shape(apply, order=2)


def _check(fields: Truncate, most: Size, style: Style, setting: Setting) -> None:
    if fields.max_bytes is None and fields.max_lines is None:
        setting.problem((), "missing-key", "no bound", "without one nothing is ever cut", *_ADD_BOUND)
    for found in _FIELD.finditer(fields.marker):
        if found[1] not in ("bytes", "lines"):
            setting.problem(
                ("marker",), "bad-marker", f"nothing stands for {quote(found[0])} in a marker", *_TWO_FIELDS
            )
    if not fields.marker.strip():
        setting.problem(("marker",), "bad-marker", "the marker is blank", *_BLANK)
    widest = style.mark(_LARGEST)
    size = Size(utf8_size(widest), count_lines(widest))
    if not size.within(most):
        what = f"the marker does not fit: it may take {size.bytes} bytes and {size.lines} lines"
        setting.problem(("marker",), "bad-marker", what, *_NO_ROOM)


_ADD_BOUND = ("add `max_bytes`, `max_lines` or both",)
_TWO_FIELDS = ("only `{bytes}` and `{lines}` are filled in", "write one of them, or leave the braces out")
_BLANK = ("a reader would take the part for the whole", "write what is missing, with `{bytes}` or `{lines}`")
_NO_ROOM = ("the bound holds with the marker, whatever its numbers are", "write a shorter marker, or raise the bound")


def _with_room(blocks: tuple[Any, ...], most: Size, style: Style) -> tuple[Any, ...]:
    """*blocks* with a text in the place of every block other than text that has no room beside those before it."""
    room, kept = most.bytes, []
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


def _strategy() -> SearchStrategy[Truncate]:
    from hypothesis import strategies as st

    sizes, lines = st.integers(40, 2_000), st.integers(1, 50)
    bounds = st.tuples(sizes, lines) | st.tuples(sizes, st.none()) | st.tuples(st.none(), lines)
    return st.builds(
        lambda most, keep, marker: Truncate(most[0], most[1], keep, marker),
        bounds,
        keep=st.sampled_from(["head", "tail", "head-tail"]),
        marker=st.sampled_from(["[…]", "[{bytes} bytes]", "[{lines} lines left out]"]),
    )


KIND = Kind(
    name="truncate",
    phase=Phase.OUTPUT,
    fields=Truncate,
    compile=compile_truncate,
    examples=(
        Example(
            "The last lines of a log",
            """\
[[rule]]
id = "end-of-log"
kind = "truncate"
tools = ["run_bash"]
max_lines = 3
keep = "tail"
marker = "[{lines} lines left out]"

[[rule.example]]
result = "one\\ntwo\\nthree\\nfour\\nfive\\n"
expect_result = "[3 lines left out]\\nfour\\nfive\\n"

[[rule.example]]
result = "one\\ntwo\\nthree\\n"
expect_result = "one\\ntwo\\nthree\\n"
why = "what is within the bound is left as it is"
""",
        ),
        Example(
            "Both ends of a long output",
            """\
[[rule]]
id = "short-output"
kind = "truncate"
max_bytes = 60
keep = "head-tail"
marker = "[{bytes} bytes left out]"

[[rule.example]]
result = "a very long line of which the beginning tells what it is about, and the end how it came out"
expect_result = "a very long line of \\n[52 bytes left out]\\nend how it came out"
""",
        ),
        Example(
            "Structured content stays JSON",
            """\
[[rule]]
id = "small-answers"
kind = "truncate"
max_bytes = 64
marker = "[+{bytes}]"

[[rule.example]]
result = { title = "Tides", text = "The tide is the rise and fall of sea levels, caused by the Moon." }
expect_result = { title = "Tides", text = "The tide is the rise and fall of[+32]" }

[[rule.example]]
result = [1, 2, 3]
expect_result = [1, 2, 3]
""",
        ),
    ),
    strategy=_strategy,
)
