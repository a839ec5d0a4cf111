"""`truncate`: how much of a result reaches the model."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Literal

from attrs import frozen

from ..kind import Case, Example, Kind, Output, Phase, Setting, Shape, param
from ..lang.nearest import nearest
from ..shorten import UNBOUNDED, Size, Style, count_lines, utf8_size
from ..shorten_outputs import Bound, all_text, cut_to
from ..shorten_spill import spilled
from ..shorten_tokens import Counter, Tokens
from ..shown import escape, quote

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

COUNTERS = "tidegate.counters"
"""The group of entry points under which installed packages offer counters of tokens: functions from text to int."""

_MARKER = "[… {bytes} bytes, {lines} lines left out …]"
_MARKER_WITH_FILE = "[… {bytes} bytes, {lines} lines left out; all of it is in {file} …]"


@frozen
class Truncate:
    """Cut what a tool returns to so many bytes, lines or tokens, with a marker that says how much is missing.

    Each channel has the bound for itself: all text blocks together, the structured content, and all other blocks
    together. The marker counts towards it. Bytes are those of UTF-8, a line ends with a line feed, and nothing that
    reads as one character is cut in half, however many code points it has. Failures are cut like successes, and
    refusals are not cut: nothing ran, and the model has to read why. What is within the bound is left as it is.

    Tokens are counted by the `counter` that an installed package offers under the entry points `tidegate.counters`.
    Without one they are estimated, a token for every four bytes: no model counts so, and languages other than English
    take more.

    Structured content stays valid JSON: `max_bytes` bounds its compact form and `max_lines` its strings taken
    together. Its longest strings are shortened, then its arrays lose their last items, and as a last resort it
    becomes `{"truncated": "…"}`, or nothing if even that is too long. It may no longer be valid under the tool's
    own output schema, and a key is never shortened. What was dropped from it without a marker of its own is
    counted by the marker in the text. With `json = true` a result whose only text is a JSON object or array is cut in
    the same way, and written anew in its compact form; the marker then is a text of its own behind it.

    Images and other blocks cannot be cut, and their tokens are not counted. Those that have no room in `max_bytes`, by
    the length of their JSON, are replaced by a text that says so.

    With `spill` the text that was cut is kept in a new file of that folder, which is for its owner alone and has a name
    that nobody can guess; `{file}` in the marker says where. It holds what redaction left, up to `spill_bytes`. Where
    it cannot be written, the result is cut all the same and the marker says `(not kept)`. Nobody deletes these files,
    and reading one is a call like any other, which some rule has to allow.

    The rule bounds what is shown and not what a tool does or reads, and it runs after redaction, so that no secret
    is cut in half before it is found.
    """

    max_bytes: int | None = param("The most bytes of each channel, as UTF-8.", default=None, minimum=1)
    max_lines: int | None = param("The most lines of each channel.", default=None, minimum=1)
    keep: Literal["head", "tail", "head-tail"] = param(
        "Which part stays: the beginning, the end, or some of both.", default="head"
    )
    marker: str = param(
        "What stands where something is missing; `{bytes}` and `{lines}` say how much, and `{file}` where it is kept.",
        default=_MARKER,
    )
    max_tokens: int | None = param("The most tokens of each channel.", default=None, minimum=1, maximum=10**9)
    counter: str | None = param("The name of what counts tokens; without it they are estimated.", default=None)
    json: bool = param("With `true` text that is JSON stays JSON.", default=False)
    spill: str | None = param("A folder for what was cut, relative to the rule's own file.", default=None)
    spill_bytes: int = param("The most bytes of a file in it.", default=100_000_000, minimum=1)


_FIELD = re.compile(r"\{([^{}]*)\}")
_LARGEST = Size(10**12 - 1, 10**12 - 1)
_BYTES_OF_ESTIMATE = 4
_NOT_KEPT = "(not kept)"


def compile_truncate(fields: Truncate, setting: Setting) -> Shape:
    """Check that the marker has room, and put the bound together."""
    sizes = [fields.max_bytes or UNBOUNDED]
    if fields.max_tokens is not None and fields.counter is None:
        sizes.append(_BYTES_OF_ESTIMATE * fields.max_tokens)
    most = Size(min(sizes), fields.max_lines or UNBOUNDED)
    counter = _counter(fields, setting)
    tokens = None if counter is None or fields.max_tokens is None else Tokens(fields.max_tokens, counter)
    bound = Bound(most, fields.max_bytes or UNBOUNDED, tokens, fields.json)
    marker = _MARKER_WITH_FILE if fields.spill is not None and fields.marker == _MARKER else fields.marker
    folder = None if fields.spill is None else os.path.join(setting.folder or "", fields.spill)  # noqa: PTH118 - text
    _check(fields, marker, folder, bound, setting)

    def apply(output: Output, _: Case) -> Output:
        if output.refused:
            return output
        cut = cut_to(output, bound, _style(fields.keep, marker, folder and spilled(folder)))
        if folder is None or output.spill is None or (cut.blocks, cut.structured) == (output.blocks, output.structured):
            return cut
        try:
            path = output.spill(folder, all_text(output)[: fields.spill_bytes])
        except OSError:
            path = _NOT_KEPT
        return cut_to(output, bound, _style(fields.keep, marker, path))

    return Shape(apply, order=2)


def _style(keep: Literal["head", "tail", "head-tail"], marker: str, path: str | None) -> Style:
    return Style(keep, marker if path is None else marker.replace("{file}", path))


def _counter(fields: Truncate, setting: Setting) -> Counter | None:
    """The counter that the rule names; one that is not there is a problem."""
    if fields.counter is None:
        return None
    if fields.max_tokens is None:
        what, why = "`counter` stands there without `max_tokens`", "nothing would be counted"
        setting.problem(("counter",), "says-nothing", what, why, "add `max_tokens`, or take it away")
    points = entry_points(group=COUNTERS)
    try:
        counter = next(iter(points.select(name=fields.counter))).load()
    except StopIteration:
        close = nearest(fields.counter, points.names)
        what = f"no installed package offers the counter {quote(fields.counter)}"
        mend = f"write `{close}`" if close else "install it, or take `counter` away for an estimate"
        setting.problem(("counter",), "bad-value", what, "tokens could not be counted", mend)
        return None
    except Exception as error:  # noqa: BLE001 - whatever a foreign package raises, its counter is not there
        what = f"the counter {quote(fields.counter)} cannot be loaded: {escape(str(error), limit=200)}"
        setting.problem(("counter",), "bad-value", what, "tokens could not be counted", "mend or replace its package")
        return None
    return counter  # type: ignore[no-any-return]


def _check(fields: Truncate, marker: str, folder: str | None, bound: Bound, setting: Setting) -> None:
    if fields.max_bytes is None and fields.max_lines is None and fields.max_tokens is None:
        setting.problem((), "missing-key", "no bound", "without one nothing is ever cut", *_ADD_BOUND)
    known = ("bytes", "lines") if folder is None else ("bytes", "lines", "file")
    for found in _FIELD.finditer(marker):
        if found[1] not in known:
            what = f"nothing stands for {quote(found[0])} in a marker"
            setting.problem(("marker",), "bad-marker", what, *(_TWO_FIELDS if folder is None else _THREE_FIELDS))
    if folder is not None and "{file}" not in marker:
        setting.problem(("marker",), "bad-marker", "the marker does not say where the rest is", *_NO_FILE)
    if not marker.strip():
        setting.problem(("marker",), "bad-marker", "the marker is blank", *_BLANK)
    for widest in _widest(marker, folder):
        size = Size(utf8_size(widest), count_lines(widest))
        if not size.within(bound.most):
            what = f"the marker does not fit: it may take {size.bytes} bytes and {size.lines} lines"
            setting.problem(("marker",), "bad-marker", what, *_NO_ROOM)
            break


def _widest(marker: str, folder: str | None) -> Iterator[str]:
    """The marker with the largest numbers, for each path that it may name."""
    for path in (None,) if folder is None else (spilled(folder), _NOT_KEPT):
        yield _style("head", marker, path).mark(_LARGEST)


_ADD_BOUND = ("add `max_bytes`, `max_lines` or `max_tokens`",)
_TWO_FIELDS = ("only `{bytes}` and `{lines}` are filled in", "write one of them, or leave the braces out")
_THREE_FIELDS = ("only `{bytes}`, `{lines}` and `{file}` are filled in", "write one of them, or leave the braces out")
_NO_FILE = ("nobody can guess the name of the file", "write `{file}` into it")
_BLANK = ("a reader would take the part for the whole", "write what is missing, with `{bytes}` or `{lines}`")
_NO_ROOM = ("the bound holds with the marker, whatever its numbers are", "write a shorter marker, or raise the bound")


def _strategy() -> SearchStrategy[Truncate]:
    from hypothesis import strategies as st

    sizes, lines = st.integers(40, 2_000), st.integers(1, 50)
    bounds = st.tuples(sizes, lines) | st.tuples(sizes, st.none()) | st.tuples(st.none(), lines)
    return st.builds(
        lambda most, keep, marker, tokens, json: Truncate(most[0], most[1], keep, marker, tokens, json=json),
        bounds,
        tokens=st.none() | st.integers(10, 500),
        json=st.booleans(),
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
            "So many tokens, as JSON, and the rest in a file",
            """\
[[rule]]
id = "small-context"
kind = "truncate"
max_tokens = 40
json = true
spill = "/var/agent/spill"
marker = "[{bytes} bytes left out: {file}]"

[[rule.example]]
result = '{"text": "ok"}'
expect_result = '{"text": "ok"}'

[[rule.example]]
result = "short"
expect_result = "short"

[[rule.example]]
result = [1, 22, 333]
expect_result = [1, 22, 333]
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
