"""`truncate`: the bound holds in every channel, and what comes out is still text and JSON."""

import json
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.kinds.making import made, of_fields, problems
from tidegate.kernel.content import DataBlock
from tidegate.kernel.json_values import compact, snapshot
from tidegate.kind import Output
from tidegate.kinds.truncate import KIND, Truncate
from tidegate.shorten import count_lines

letters = st.text(st.sampled_from('abc 12\n\n"\\é€😀\u0301\u200d\x00\ud800'), max_size=60)
long_texts = st.builds(lambda text, times: text * times, letters, st.sampled_from([1, 1, 7, 90]))
images = st.integers(0, 400).map(lambda size: DataBlock("image", {"data": "A" * size, "mimeType": "image/png"}))
block_lists = st.lists(long_texts | images, max_size=4).map(tuple)
structures = st.none() | st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | long_texts,
    lambda inner: st.lists(inner, max_size=30) | st.dictionaries(letters, inner, max_size=5),
    max_leaves=12,
)
outputs = st.builds(Output, block_lists, structures, st.booleans())


def texts_of(output):
    """The text blocks of a result."""
    return [block for block in output.blocks if isinstance(block, str)]


def strings_in(value):
    """Every string in a JSON value that is no key."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for item in inner for text in strings_in(item)]


def bounded(fields, output):
    """Whether each channel of a result is within the bound."""
    most = fields.max_bytes or 10**9
    size = min(most, 4 * (fields.max_tokens or 10**9))
    lines = fields.max_lines or 10**9
    others = [compact(block) for block in output.blocks if not isinstance(block, str)]
    structured = strings_in(output.structured)
    return (
        sum(len(text.encode()) for text in texts_of(output)) <= size
        and sum(map(count_lines, texts_of(output))) <= lines
        and sum(len(text.encode()) for text in others) <= most
        and (output.structured is None or len(compact(output.structured).encode()) <= size)
        and 1 + sum(max(0, count_lines(text) - 1) for text in structured) <= lines
    )


def shaped(fields, output):
    """What the rule makes of a result."""
    return of_fields(KIND, fields).apply(output, None)


class TestLaws:
    """Truncated output fits its bound in every channel and is valid UTF-8 and JSON; twice is once."""

    @given(fields=KIND.strategy(), output=outputs)
    def test_every_channel_is_within_the_bound(self, fields, output):
        """Text, structured content and other blocks: each fits, marker included, and can be encoded."""
        assert bounded(fields, shaped(fields, output))

    @given(fields=KIND.strategy(), output=outputs)
    def test_truncating_twice_is_truncating_once(self, fields, output):
        once = shaped(fields, output)

        assert shaped(fields, once) is once

    @given(fields=KIND.strategy(), output=outputs)
    def test_what_is_within_the_bound_is_left_as_it_is(self, fields, output):
        """A result of sound text that fits comes back as the very same object."""
        surrogates = re.search("[\ud800-\udfff]", repr_of(output))
        fits = not surrogates and bounded(fields, output)

        assert (shaped(fields, output) is output) == fits

    @given(fields=KIND.strategy(), output=outputs)
    def test_failures_are_shaped_like_successes(self, fields, output):
        """Whether the call failed changes nothing but the flag, which stays."""
        other = Output(output.blocks, output.structured, not output.is_error)
        one, two = shaped(fields, output), shaped(fields, other)

        assert (one.blocks, one.structured) == (two.blocks, two.structured)
        assert (one.is_error, two.is_error) == (output.is_error, not output.is_error)

    @given(text=long_texts, keep=st.sampled_from(["head", "tail", "head-tail"]), size=st.integers(30, 300))
    @example(text="a\r\nb\r\n" * 50, keep="head", size=30)
    def test_what_stays_is_the_part_that_was_asked_for(self, text, keep, size):
        """What stands before the marker begins the text, what stands after it ends the text, and the numbers add up."""
        text = text.replace("\ud800", "")
        fields = Truncate(max_bytes=size, keep=keep, marker="<{bytes}>")
        shown = "".join(shaped(fields, Output((text,))).blocks)
        found = re.fullmatch(r"(.*?)\n?<(\d+)>\n?(.*)", shown, re.DOTALL)
        if len(text.encode()) <= size:
            assert shown == text
            return
        head, missing, tail = found[1], int(found[2]), found[3]

        assert keep != "tail" or head == ""
        assert keep != "head" or tail == ""
        assert text.startswith(head)
        assert text.endswith(tail)
        assert len(text.encode()) - missing in range(len((head + tail).encode()), len((head + tail).encode()) + 2)


def repr_of(output):
    """All text of a result, to look for surrogates in."""
    return "".join(map(str, output.blocks)) + json.dumps(output.structured, ensure_ascii=False)


class TestText:
    """Bytes and lines of text, in one block or several."""

    def test_empty_blocks_stay_and_those_cut_empty_go(self):
        """A block that was empty before means what it meant; one of which nothing is left would mean nothing."""
        part = made_with({"max_lines": 2})

        assert part.apply(Output(("", "1\n2", "")), None).blocks == ("", "1\n2", "")
        assert part.apply(Output(("", "1\n2", "3", "4")), None).blocks == ("", "1\n[…]")

    def test_image_between_texts_keeps_its_place(self):
        image = DataBlock("image", {"data": "x"})
        shown = made_with({"max_lines": 2, "keep": "tail"}).apply(Output(("1", image, "2", "3")), None)

        assert shown.blocks == (image, "[…]\n3")

    def test_lone_surrogates_become_replacement_characters(self):
        """They cannot be encoded, so that no reader could be shown them anyway."""
        shown = made_with({"max_bytes": 100}).apply(Output(("a\ud800b",), {"k\udfff": "\udc00"}), None)

        assert (shown.blocks, shown.structured) == (("a\ufffdb",), {"k\ufffd": "\ufffd"})


def made_with(fields):
    """The part of a rule; markers that are tight on purpose are checked by their own test."""
    return made(KIND, **{"marker": "[…]", **fields})


class TestStructuredContent:
    """Structured content is shortened in its strings, then in its arrays, then as a whole."""

    def test_longest_strings_are_shortened_to_one_length(self):
        value = {"id": 7, "a": "x" * 500, "b": "y" * 300, "c": "short"}
        shown = made_with({"max_bytes": 200, "marker": "[+{bytes}]"}).apply(Output((), value), None).structured

        assert (shown["id"], shown["c"]) == (7, "short")
        assert len(shown["a"]) == len(shown["b"])
        assert re.fullmatch(r"x+\[\+\d+\]", shown["a"])

    def test_characters_that_json_escapes_count_as_long_as_they_are_written(self):
        """A string of line feeds takes twice as many bytes, and is still only shortened."""
        shown = (
            made_with({"max_bytes": 100, "marker": "[+{bytes}]"}).apply(Output((), {"a": "\n" * 200}), None).structured
        )

        assert re.fullmatch(r"\n{35,45}\[\+\d+\]", shown["a"])

    def test_arrays_lose_their_last_items_when_strings_are_short(self):
        """The text says how much went, because an array of numbers has no place for a marker."""
        value = {"rows": list(range(100, 1_000)), "total": 900}
        shown = made_with({"max_bytes": 100, "marker": "[{bytes} bytes]"}).apply(Output(("ok",), value), None)
        rows = shown.structured["rows"]

        assert rows == list(range(100, 100 + len(rows)))
        assert len(rows) > 15
        assert shown.blocks == ("ok", f"[{len(compact(value)) - len(compact(shown.structured))} bytes]")

    def test_object_that_says_so_is_the_last_resort(self):
        """Keys are never shortened, since two could become one."""
        value = {"k" * 500: 1}
        shown = made_with({"max_bytes": 100, "marker": "[{bytes} bytes]"}).apply(Output((), value), None)

        assert shown.structured == {"truncated": "[506 bytes]"}
        assert shown.blocks == ("[506 bytes]",)

    def test_nothing_is_left_when_not_even_that_has_room(self):
        shown = made_with({"max_bytes": 8, "marker": "[…]"}).apply(Output((), list(range(100))), None)
        gone = made_with({"max_bytes": 8, "marker": "[…]"}).apply(Output((), {"k" * 500: 1}), None)

        assert shown.structured == [0, 1, 2]
        assert (gone.structured, gone.blocks) == (None, ("[…]",))

    def test_lines_of_strings_are_bounded_together(self):
        value = {"a": "1\n2\n3\n4", "b": "1\n2\n3\n4", "c": "one"}
        shown = made_with({"max_lines": 3, "marker": "[+{lines}]"}).apply(Output((), value), None).structured

        assert shown == {"a": "1\n2[+2]", "b": "1\n2[+2]", "c": "one"}

    def test_deeply_nested_value_stays_json(self):
        value = "x" * 300
        for _ in range(120):
            value = [value, {"k": "y" * 40}]
        shown = made_with({"max_bytes": 3_000}).apply(Output((), snapshot(value)), None).structured

        assert len(json.dumps(shown, separators=(",", ":"), ensure_ascii=False).encode()) <= 3_000
        assert shown is not None

    def test_outcome_is_the_same_each_time(self):
        value = {"rows": [{"n": number, "text": "x" * (number % 50)} for number in range(300)]}
        part = made_with({"max_bytes": 2_000})

        assert part.apply(Output((), value), None) == part.apply(Output((), json.loads(compact(value))), None)

    def test_value_that_is_no_json_is_an_error(self):
        """The plan withholds what a rule cannot shape."""
        with pytest.raises(ValueError, match="not JSON compliant"):
            made_with({"max_bytes": 100}).apply(Output((), [float("nan")]), None)


class TestOtherBlocks:
    """Images cannot be cut; what has no room is replaced by a text."""

    @pytest.mark.parametrize(("keep", "kept"), [("head", 0), ("tail", 2)])
    def test_blocks_that_have_no_room_are_told(self, keep, kept):
        blocks = tuple(DataBlock("image", {"data": letter * 50}) for letter in "abc")
        shown = made_with({"max_bytes": 120, "keep": keep}).apply(Output(blocks), None).blocks

        assert shown[kept] == blocks[kept]
        assert [block for block in shown if isinstance(block, str)] == ["[image of 71 bytes left out]"] * 2

    def test_small_block_after_a_large_one_stays(self):
        large, small = DataBlock("audio", {"data": "x" * 500}), DataBlock("image", {"data": ""})

        assert made_with({"max_bytes": 100}).apply(Output((large, small)), None).blocks == (
            "[audio of 521 bytes left out]",
            small,
        )

    def test_bound_on_lines_leaves_blocks_alone(self):
        output = Output((DataBlock("image", {"data": "x" * 5_000}),))

        assert made_with({"max_lines": 1}).apply(output, None) is output


class TestProblems:
    """A rule that could not do what it says is refused when it is loaded."""

    @pytest.mark.parametrize(
        ("fields", "expected"),
        [
            ({}, ("missing-key", ())),
            ({"max_bytes": 100, "marker": "  \n"}, ("bad-marker", ("marker",))),
            ({"max_bytes": 100, "marker": "{byte} gone"}, ("bad-marker", ("marker",))),
            ({"max_bytes": 100, "marker": "{}"}, ("bad-marker", ("marker",))),
            ({"max_bytes": 10, "marker": "0123456789x"}, ("bad-marker", ("marker",))),
            ({"max_bytes": 20, "marker": "{bytes} + {lines}"}, ("bad-marker", ("marker",))),
            ({"max_lines": 1, "marker": "two\nlines"}, ("bad-marker", ("marker",))),
        ],
        ids=str,
    )
    def test_problem_stands_at_its_key(self, fields, expected):
        assert problems(KIND, **fields) == [expected]

    def test_default_marker_has_room_in_small_bounds(self):
        assert problems(KIND, max_bytes=80, max_lines=1) == []
