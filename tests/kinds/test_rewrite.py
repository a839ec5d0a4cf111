"""`rewrite`: what it changes, what it leaves, and what it refuses."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kinds.making import case, made, of_fields, problems
from tidegate.errors import Veto
from tidegate.kernel.json_values import FrozenDict, same_json
from tidegate.kinds.rewrite import KIND, Bounds, Prefixes
from tidegate.pointers import MISSING, values_at

keys = st.sampled_from(["a", "b", "limit", "0"])
numbers = st.integers(-200, 200) | st.floats(-200, 200)
values = st.recursive(
    st.none() | st.booleans() | numbers | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)
arguments = st.dictionaries(keys, values, max_size=4)
prefixes = st.text("ab/", max_size=5)
pointers = st.lists(keys | st.just("*"), min_size=1, max_size=3).map(lambda names: "/" + "/".join(names))


def outcome(part, of):
    """The arguments after a rewrite, or `None` where it refuses."""
    try:
        return part.apply(case(of))
    except Veto:
        return None


class TestLaws:
    """A rewrite that changes nothing is invisible, and one that was applied has nothing left to change."""

    @given(fields=KIND.strategy(), of=arguments)
    def test_applying_twice_is_applying_once(self, fields, of):
        """The outcome of a rewrite goes through it again as the very same object."""
        part = of_fields(KIND, fields)
        once = outcome(part, of)

        assert once is None or part.apply(case(once)) is once

    @given(fields=KIND.strategy(), of=arguments)
    def test_outcome_is_immutable_or_the_same_object(self, fields, of):
        """Either nothing changed and the arguments are the same object, or they are other and frozen."""
        part, given_call = of_fields(KIND, fields), case(of)
        try:
            after = part.apply(given_call)
        except Veto:
            return

        assert isinstance(after, FrozenDict)
        assert (after is given_call.call.arguments) == same_json(after, given_call.call.arguments)

    @given(key=keys, value=values, of=arguments)
    def test_what_was_set_is_read(self, key, value, of):
        after = made(KIND, set={f"/{key}": value}).apply(case(of))

        assert same_json(after[key], value)
        assert {name: item for name, item in after.items() if name != key} == {
            name: item for name, item in of.items() if name != key
        }

    @given(key=keys, value=values, of=arguments)
    def test_default_fills_what_is_missing_only(self, key, value, of):
        after = made(KIND, default={f"/{key}": value}).apply(case(of))

        assert same_json(after, {key: value, **of})

    @given(low=numbers, high=numbers, value=numbers)
    def test_clamped_number_is_in_range_and_the_nearest(self, low, high, value):
        """A number within the range stays; another becomes the bound that it passed."""
        low, high = sorted([low, high])
        after = made(KIND, clamp={"/n": Bounds(low, high)}).apply(case({"n": value}))["n"]

        assert after == min(max(value, low), high)

    @given(pointer=pointers, low=numbers, high=numbers, of=arguments)
    def test_number_is_never_out_of_its_range_afterwards(self, pointer, low, high, of):
        """What a pointer with a range leads to after a rewrite is missing, or a number within the range."""
        low, high = sorted([low, high])
        after = outcome(made(KIND, clamp={pointer: Bounds(low, high)}), of)
        found = [] if after is None else [value for _, value in values_at(after, pointer)]

        assert all(value is MISSING or low <= value <= high for value in found)

    @given(old=prefixes, new=prefixes, text=prefixes)
    def test_replaced_prefix_is_replaced_once_and_for_all(self, old, new, text):
        """What comes out stays, and is the text itself or ends as the text does."""
        part = made(KIND, replace_prefix={"/t": Prefixes(old, new)})
        after = part.apply(case({"t": text}))

        assert part.apply(case(after)) == after
        assert after["t"] == text or (after["t"].startswith(new) and text.endswith(after["t"][len(new) :]))
        assert not after["t"].startswith(old) or after["t"].startswith(new)

    @given(pointer=pointers, of=arguments)
    def test_what_is_removed_is_missing_afterwards(self, pointer, of):
        after = outcome(made(KIND, remove=(pointer,)), of)

        assert after is None or all(value is MISSING for _, value in values_at(after, pointer))


class TestSteps:
    """Defaults come before what is set, and that before ranges; outer pointers before those beneath."""

    def test_default_is_clamped_only_when_it_was_missing(self):
        part = made(KIND, default={"/n": 10}, clamp={"/n": Bounds(1, 100)})

        assert [part.apply(case(of)) for of in ({}, {"n": 0}, {"n": 1_000})] == [{"n": 10}, {"n": 1}, {"n": 100}]

    def test_outer_values_come_first_whatever_their_order_in_the_file(self):
        part = made(KIND, default={"/o/t": 5, "/o": {}}, set={"/o/s": "x"})

        assert part.apply(case({})) == {"o": {"t": 5, "s": "x"}}

    def test_what_is_set_for_each_reaches_defaults(self):
        """A default that was just given is one of the values that `*` stands for."""
        assert made(KIND, set={"/*": "x"}, default={"/k": 1}).apply(case({})) == {"k": "x"}

    def test_what_is_set_for_each_is_clamped(self):
        assert made(KIND, set={"/*": 9}, clamp={"/n": Bounds(1, 5)}).apply(case({"n": 2, "m": 2})) == {"n": 5, "m": 9}

    def test_each_item_is_changed(self):
        part = made(KIND, set={"/e/*/k": 1}, clamp={"/e/*/n": Bounds(None, 3)})

        assert part.apply(case({"e": [{"n": 9}, {"k": 1}]})) == {"e": [{"n": 3, "k": 1}, {"k": 1}]}

    def test_integers_stay_integers_and_keep_every_digit(self):
        huge = 2**80 + 1
        after = made(KIND, clamp={"/n": Bounds(None, huge)}).apply(case({"n": huge + 1}))

        assert (after["n"], type(after["n"])) == (huge, int)

    def test_only_the_way_to_a_change_is_copied(self):
        given_call = case({"big": {"x": [1, 2]}, "n": 1})
        after = made(KIND, set={"/n": 2}).apply(given_call)

        assert after["big"] is given_call.call.arguments["big"]
        assert given_call.call.arguments["n"] == 1


class TestRefusals:
    """What cannot be done refuses the call, and the model is told what is wrong."""

    @pytest.mark.parametrize("value", [10, True, None, ["a"], {"a": 1}], ids=repr)
    def test_prefix_of_what_is_no_text_is_refused(self, value):
        with pytest.raises(Veto, match="`/t` must be a text"):
            made(KIND, replace_prefix={"/t": Prefixes("a", "b")}).apply(case({"t": value}))

    def test_item_of_an_array_is_not_removed(self):
        """What stands behind it would move to its place."""
        with pytest.raises(Veto, match="`/e` is an array, whose items keep their places"):
            made(KIND, remove=("/e/0",)).apply(case({"e": [1, 2]}))

    @pytest.mark.parametrize("value", ["10", True, None, [1], {"a": 1}], ids=repr)
    def test_clamp_refuses_what_is_no_number(self, value):
        with pytest.raises(Veto, match="`/n` must be a number"):
            made(KIND, clamp={"/n": Bounds(1, 5)}).apply(case({"n": value}))

    @pytest.mark.parametrize("field", ["set", "default"])
    @pytest.mark.parametrize(
        ("pointer", "reason"),
        [
            ("/no/k", "`/no` is missing"),
            ("/text/k", "`/text` is neither an object nor an array"),
            ("/list/k", "`/list` is an array, not an object"),
            ("/list/1", "`/list` has no item 1"),
            ("/list/0/k", "`/list/0` is neither an object nor an array"),
            ("/text/*/k", "`/text` is neither an object nor an array"),
        ],
    )
    def test_value_without_a_place_is_refused(self, field, pointer, reason):
        with pytest.raises(Veto) as veto:
            made(KIND, **{field: {pointer: 1}}).apply(case({"text": "x", "list": [0]}))

        assert veto.value.reason.startswith(reason)

    def test_refusal_does_not_repeat_what_the_model_wrote_unescaped(self):
        """A key with a control character is shown escaped."""
        with pytest.raises(Veto) as veto:
            made(KIND, set={"/o/*/k": 1}).apply(case({"o": {"\x1b[2J`": 1}}))

        assert "\x1b" not in veto.value.reason
        assert veto.value.reason.count("`") == 2

    @pytest.mark.parametrize("of", [{}, {"o": {}}, {"e": []}])
    def test_clamp_leaves_what_is_missing(self, of):
        given_call = case(of)
        part = made(KIND, clamp={"/n": Bounds(1, 5), "/o/n": Bounds(1, 5), "/e/*/n": Bounds(1, 5)})

        assert part.apply(given_call) is given_call.call.arguments


class TestProblems:
    """A rule that could not do what it says is refused when it is loaded."""

    @pytest.mark.parametrize(
        ("fields", "expected"),
        [
            ({}, ("missing-key", ())),
            ({"set": {}, "clamp": {}}, ("missing-key", ())),
            ({"set": {"limit": 1}}, ("bad-pointer", ("set", "limit"))),
            ({"set": {"": 1}}, ("bad-pointer", ("set", ""))),
            ({"default": {"/a~": 1}}, ("bad-pointer", ("default", "/a~"))),
            ({"default": {"/a/*": 1}}, ("bad-pointer", ("default", "/a/*"))),
            ({"clamp": {"/a~2": Bounds(1)}}, ("bad-pointer", ("clamp", "/a~2"))),
            ({"clamp": {"/a": Bounds()}}, ("missing-key", ("clamp", "/a"))),
            ({"clamp": {"/a": Bounds(2, 1)}}, ("bad-value", ("clamp", "/a"))),
            ({"set": {"/a": 1}, "default": {"/a": 2}}, ("bad-value", ("default", "/a"))),
            ({"set": {"/a": 9}, "clamp": {"/a": Bounds(1, 5)}}, ("bad-value", ("set", "/a"))),
            ({"default": {"/a": "1"}, "clamp": {"/a": Bounds(1, 5)}}, ("bad-value", ("default", "/a"))),
            ({"remove": ("a",)}, ("bad-pointer", ("remove", 0))),
            ({"remove": ("",)}, ("bad-pointer", ("remove", 0))),
            ({"remove": ("/a",), "set": {"/a/b": 1}}, ("bad-value", ("set", "/a/b"))),
            ({"remove": ("/a",), "default": {"/a": 1}}, ("bad-value", ("default", "/a"))),
            ({"replace_prefix": {"a": Prefixes("x", "y")}}, ("bad-pointer", ("replace_prefix", "a"))),
            (
                {"replace_prefix": {"/*": Prefixes("x", "y"), "/a": Prefixes("y", "x")}},
                ("bad-value", ("replace_prefix", "/a")),
            ),
            (
                {"clamp": {"/a": Bounds(1)}, "replace_prefix": {"/*": Prefixes("x", "y")}},
                ("bad-value", ("replace_prefix", "/*")),
            ),
            (
                {"set": {"/a": "xa"}, "replace_prefix": {"/a": Prefixes("x", "y")}},
                ("bad-value", ("set", "/a")),
            ),
            ({"wrap": ""}, ("bad-value", ("wrap",))),
            ({"wrap": "timeout $T"}, ("bad-pattern", ("wrap",))),
            ({"wrap": "timeout 60;"}, ("bad-pattern", ("wrap",))),
            ({"wrap": "~/bin/timeout 60"}, ("bad-value", ("wrap",))),
            ({"wrap": "my-sandbox --strict"}, ("bad-value", ("wrap",))),
            ({"wrap": "echo"}, ("bad-value", ("wrap",))),
            ({"wrap": "time*out 60"}, ("bad-value", ("wrap",))),
            ({"options": {"curl": "--max-tiem 30"}}, ("bad-value", ("options", "curl"))),
            ({"options": {"curl": "https://a.test"}}, ("bad-value", ("options", "curl"))),
            ({"options": {"curl": "-s x"}}, ("bad-value", ("options", "curl"))),
            ({"options": {"curl": ""}}, ("bad-value", ("options", "curl"))),
            ({"options": {"cu*l": "-s"}}, ("bad-value", ("options", "cu*l"))),
            ({"options": {"/bin/curl": "-s"}}, ("bad-value", ("options", "/bin/curl"))),
            ({"options": {"curl": "-s; rm x"}}, ("bad-pattern", ("options", "curl"))),
            ({"options": {"find": "-xdev"}}, ("bad-value", ("options", "find"))),
            ({"options": {"npm insatll": "--ignore-scripts"}}, ("bad-value", ("options", "npm insatll"))),
            ({"set": {"/a": dt.date(2027, 1, 1)}}, ("bad-value", ("set", "/a"))),
            ({"set": {"/a": float("nan")}}, ("bad-value", ("set", "/a"))),
        ],
        ids=str,
    )
    def test_problem_stands_at_its_key(self, fields, expected):
        assert problems(KIND, **fields) == [expected]
