"""`truncate`: tokens, JSON in text, files for what was cut, and refusals, which are never cut."""

import json
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kinds.making import made, problems
from tidegate.kernel.json_values import compact, same_json, snapshot
from tidegate.kind import Output, Setting
from tidegate.kinds import truncate
from tidegate.kinds.truncate import KIND
from tidegate.shorten import NONE, UNBOUNDED, Size, Style, shorten_texts
from tidegate.shorten_json import json_of, shorten_json_text
from tidegate.shorten_spill import spill, spilled
from tidegate.shorten_tokens import Tokens, within_tokens

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=8) | st.dictionaries(st.text(max_size=8), inner, max_size=5),
    max_leaves=20,
)
containers = st.lists(values, max_size=8) | st.dictionaries(st.text(max_size=8), values, max_size=5)


def words(text):
    """A counter of tokens that has nothing to do with bytes."""
    return len(text.split())


class Installed:
    """An installed package that offers a counter."""

    def __init__(self, counter):
        self.names = {"words"}
        self._counter = counter

    def __call__(self, group):
        assert group == "tidegate.counters"
        return self

    def select(self, name):
        return [self] if name in self.names else []

    def load(self):
        if isinstance(self._counter, Exception):
            raise self._counter
        return self._counter


class TestTokens:
    """Tokens are estimated by bytes, or counted by what an installed package offers."""

    @given(
        text=st.builds(lambda text, times: text * times, st.text(max_size=9), st.integers(0, 60)),
        tokens=st.integers(20, 60),
    )
    def test_estimate_is_a_token_for_four_bytes(self, text, tokens):
        shown = made(KIND, max_tokens=tokens, marker="[…]").apply(Output((text,)), None)

        assert len("".join(shown.blocks).encode()) <= 4 * tokens
        assert (shown.blocks == (text,)) is (len(text.encode()) <= 4 * tokens)

    @given(
        texts=st.lists(st.lists(st.sampled_from(["a", "bb", "\n", "ccc"]), max_size=60).map(" ".join), max_size=3),
        most=st.integers(3, 40),
        keep=st.sampled_from(["head", "tail", "head-tail"]),
    )
    def test_counted_tokens_are_within_the_bound(self, texts, most, keep):
        """However the counter counts; and what is within it is left."""
        style, tokens = Style(keep, "[{bytes} left out]"), Tokens(most, words)
        shown = within_tokens(
            lambda size: shorten_texts(texts, size, style, NONE), "".join, Size(UNBOUNDED, UNBOUNDED), tokens
        )

        assert words("".join(shown)) <= most
        assert (shown == texts) is (words("".join(texts)) <= most)

    def test_counter_is_that_of_an_installed_package(self, monkeypatch):
        monkeypatch.setattr(truncate, "entry_points", Installed(words))
        part = made(KIND, max_tokens=6, counter="words", marker="[…]")
        shown = part.apply(Output(("one two three four five six seven",), ["1 2 3 4 5 6 7 8"]), None)

        assert (shown.blocks[0].split()[0], words(shown.blocks[0])) == ("one", 6)
        assert words(compact(shown.structured)) <= 6

    @pytest.mark.parametrize("counter", [lambda _: "7", lambda _: -1, lambda _: True, lambda _: 1 / 0])
    def test_counter_that_gives_no_number_is_an_error(self, monkeypatch, counter):
        """The plan withholds what a rule cannot shape."""
        monkeypatch.setattr(truncate, "entry_points", Installed(counter))
        part = made(KIND, max_tokens=6, counter="words", marker="[…]")

        with pytest.raises((TypeError, ZeroDivisionError)):
            part.apply(Output(("a",)), None)

    def test_counter_for_which_the_marker_alone_is_too_long_is_an_error(self, monkeypatch):
        monkeypatch.setattr(truncate, "entry_points", Installed(lambda text: 100 * len(text)))

        with pytest.raises(ValueError, match="marker alone"):
            made(KIND, max_tokens=6, counter="words", marker="[…]").apply(Output(("a" * 50,)), None)

    @pytest.mark.parametrize("counter", ["absent", "word", ""])
    def test_counter_that_nobody_offers_is_a_problem(self, counter):
        assert problems(KIND, max_tokens=100, counter=counter) == [("bad-value", ("counter",))]

    def test_counter_that_cannot_be_loaded_is_a_problem(self, monkeypatch):
        monkeypatch.setattr(truncate, "entry_points", Installed(ImportError("no such module")))

        assert problems(KIND, max_tokens=100, counter="words") == [("bad-value", ("counter",))]

    def test_counter_without_a_bound_is_a_problem(self, monkeypatch):
        monkeypatch.setattr(truncate, "entry_points", Installed(words))

        assert problems(KIND, max_bytes=100, counter="words") == [("says-nothing", ("counter",))]


class TestJsonText:
    """Text that is JSON stays JSON where that is asked for."""

    @given(value=containers, most=st.integers(40, 200), indent=st.none() | st.just(2))
    def test_json_text_stays_json(self, value, most, indent):
        """The text is JSON, and with the marker behind it within the bound; what fits is left as it is."""
        text = json.dumps(value, indent=indent, ensure_ascii=False)
        part = made(KIND, max_bytes=most, json=True, marker="[{bytes} out]")
        shown = part.apply(Output((text,)), None)

        json.loads(shown.blocks[0])
        assert sum(len(block.encode()) for block in shown.blocks) <= most
        assert len(shown.blocks) <= 2
        assert (shown.blocks == (text,)) is (len(text.encode()) <= most)
        assert part.apply(shown, None) is shown

    def test_blanks_go_before_anything_else(self):
        """Text that has room in its compact form loses nothing."""
        value = {"a": [1, 2, 3], "b": "text"}
        text = json.dumps(value, indent=8)
        shown = made(KIND, max_bytes=60, json=True, marker="[…]").apply(Output((text,)), None)

        assert shown.blocks == (compact(value),)

    @pytest.mark.parametrize("text", ["[1, 2", "NaN", '"text"', '{"a": 1, "a": 2}', "[NaN]", "[1e999]", "[" * 5_000])
    def test_text_that_is_no_json_is_text(self, text):
        assert json_of(text) is None

    @given(value=containers)
    def test_json_is_read_as_it_is(self, value):
        assert same_json(json_of(compact(snapshot(value))), snapshot(value))

    def test_marker_without_room_for_json_leaves_text(self):
        assert shorten_json_text("[" + "1," * 50 + "1]", [1] * 51, Size(8, 5), Style("head", "[out]")) is None

    def test_without_being_asked_text_is_cut_as_text(self):
        shown = made(KIND, max_bytes=20, marker="[…]").apply(Output((json.dumps(list(range(50))),)), None)

        assert shown.blocks == ("[0, 1, 2, 3, 4\n[…]",)


def spilling(folder, **fields):
    setting = Setting("r", "deny", None, None, str(folder))
    defaults = {"max_bytes": 200, "spill": "kept", "marker": "[{bytes} out: {file}]"}
    part = KIND.compile(KIND.fields(**{**defaults, **fields}), setting)
    assert setting.problems == []
    return part


class TestSpill:
    """What was cut is kept in a file that only its owner can read, and the marker says where."""

    def test_all_text_is_in_the_file_that_the_marker_names(self, tmp_path):
        text = "line é\n" * 100
        shown = spilling(tmp_path).apply(Output((text, "more"), {"a": "b"}, spill=spill), None)
        (path,) = (tmp_path / "kept").iterdir()

        assert str(path) in "".join(shown.blocks)
        assert sum(len(block.encode()) for block in shown.blocks) <= 200
        assert path.read_text(encoding="utf-8") == f'{text}\nmore\n{{"a":"b"}}'

    @pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
    def test_file_and_folder_are_for_their_owner_alone(self, tmp_path):
        spilling(tmp_path).apply(Output(("x" * 500,), spill=spill), None)
        folder = tmp_path / "kept"

        assert [stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.iterdir())] == [0o700, 0o600]

    def test_result_within_the_bound_is_not_kept(self, tmp_path):
        output = Output(("short",), spill=spill)

        assert spilling(tmp_path).apply(output, None) is output
        assert not (tmp_path / "kept").exists()

    def test_file_has_a_bound(self, tmp_path):
        spilling(tmp_path, spill_bytes=300).apply(Output(("x" * 500,), spill=spill), None)
        (path,) = (tmp_path / "kept").iterdir()

        assert path.read_bytes() == b"x" * 300

    def test_names_are_never_the_same(self, tmp_path):
        for _ in range(3):
            spilling(tmp_path).apply(Output(("x" * 500,), spill=spill), None)
        names = {path.name for path in (tmp_path / "kept").iterdir()}

        assert len(names) == 3
        assert {len(name) for name in names} == {36}

    @pytest.mark.parametrize("folder", ["file", "link", "open", "below/missing"])
    def test_folder_that_is_not_safe_gets_nothing_and_the_marker_says_so(self, tmp_path, folder):
        """A file, a link, a folder open to others, and one without a parent: the text is cut all the same."""
        (tmp_path / "file").write_text("x")
        (tmp_path / "real").mkdir(mode=0o700)
        (tmp_path / "link").symlink_to(tmp_path / "real")
        (tmp_path / "open").mkdir()
        (tmp_path / "open").chmod(0o777)
        shown = spilling(tmp_path, spill=folder).apply(Output(("x" * 500,), spill=spill), None)

        assert "out: (not kept)]" in shown.blocks[0]
        assert len(shown.blocks[0]) <= 200
        assert list((tmp_path / "real").iterdir()) == list((tmp_path / "open").iterdir()) == []

    def test_example_writes_nothing(self, tmp_path):
        """Without a door to the disk the marker names a file that could be there."""
        shown = spilling(tmp_path).apply(Output(("x" * 500,)), None)

        assert spilled(str(tmp_path / "kept")) in shown.blocks[0]
        assert not (tmp_path / "kept").exists()

    def test_file_that_was_cut_short_is_taken_away(self, tmp_path, monkeypatch):
        """A full disk leaves no half of a text behind."""

        def full(*_):
            raise OSError("no space left on device")

        monkeypatch.setattr("tidegate.shorten_spill.os.fdopen", full)
        with pytest.raises(OSError, match="no space"):
            spill(str(tmp_path / "kept"), b"x")

        assert list(Path(tmp_path / "kept").iterdir()) == []

    @pytest.mark.parametrize(
        ("fields", "expected"),
        [
            ({"max_bytes": 500, "marker": "[{file}]"}, [("bad-marker", ("marker",))]),
            ({"max_bytes": 500, "spill": "kept", "marker": "[…]"}, [("bad-marker", ("marker",))]),
            ({"max_bytes": 40, "spill": "kept", "marker": "[{file}]"}, [("bad-marker", ("marker",))]),
            ({"max_bytes": 500, "spill": "kept"}, []),
        ],
        ids=str,
    )
    def test_marker_names_the_file_if_there_is_one(self, fields, expected):
        assert problems(KIND, **fields) == expected


class TestRefusals:
    """The text of a refusal is never cut: nothing ran, and the model has to read why."""

    def test_refusal_is_left_as_it_is(self):
        output = Output(("Error: " + "why " * 100,), is_error=True, refused=True)

        assert made(KIND, max_bytes=50, marker="[…]").apply(output, None) is output
