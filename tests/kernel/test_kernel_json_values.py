"""Immutable JSON: what a snapshot takes, what it refuses, and that it stays as it is."""

from __future__ import annotations

import copy
import enum
import json
import math
import pickle
import types

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tidegate.errors import CallError
from tidegate.kernel import snapshot, thaw
from tidegate.kernel.json_values import MAX_DEPTH, compact, same_json

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner),
    max_leaves=20,
)


class TestSnapshot:
    """A snapshot is the same JSON, and nobody can change it."""

    @given(json_values)
    def test_a_snapshot_is_the_same_json(self, value):
        """Through any writer and reader, and back as plain values."""
        frozen = snapshot(value)

        assert frozen == value
        assert json.loads(json.dumps(frozen)) == value
        assert json.loads(compact(frozen)) == value
        assert thaw(frozen) == value
        assert snapshot(frozen) is frozen or not isinstance(frozen, dict | list)
        assert same_json(frozen, value)

    @given(json_values)
    def test_a_thawed_copy_is_plain_and_detached(self, value):
        """Changing it leaves the snapshot alone."""
        frozen = snapshot({"value": value})
        thawed = thaw(frozen)
        thawed["value"] = "changed"

        assert frozen["value"] == value
        assert type(thawed) is dict

    @given(json_values)
    def test_copies_are_the_snapshot_itself(self, value):
        """It cannot change, so a copy would be a waste; a pickled one is frozen again."""
        frozen = snapshot([{"value": value}])

        assert copy.copy(frozen) is frozen
        assert copy.deepcopy(frozen) is frozen
        assert copy.copy(frozen[0]) is copy.deepcopy(frozen[0]) is frozen[0]
        pickled = pickle.loads(pickle.dumps(frozen))
        assert pickled == frozen
        assert pickle.loads(pickle.dumps(frozen[0])) == frozen[0]
        with pytest.raises(TypeError):
            pickled[0]["value"] = 1

    @pytest.mark.parametrize(
        "change",
        [
            lambda one: one.__setitem__("a", 1),
            lambda one: one.__delitem__("a"),
            lambda one: one.__ior__({"a": 1}),
            lambda one: one.clear(),
            lambda one: one.pop("a"),
            lambda one: one.popitem(),
            lambda one: one.setdefault("b", 1),
            lambda one: one.update(a=1),
            lambda one: one["list"].__setitem__(0, 1),
            lambda one: one["list"].__delitem__(0),
            lambda one: one["list"].__iadd__([1]),
            lambda one: one["list"].__imul__(2),
            lambda one: one["list"].append(1),
            lambda one: one["list"].extend([1]),
            lambda one: one["list"].insert(0, 1),
            lambda one: one["list"].pop(),
            lambda one: one["list"].remove(1),
            lambda one: one["list"].clear(),
            lambda one: one["list"].sort(),
            lambda one: one["list"].reverse(),
        ],
    )
    def test_every_way_to_change_it_is_refused(self, change):
        """At every level, with a word on what to do."""
        frozen = snapshot({"a": 0, "list": [1, 0]})

        with pytest.raises(TypeError, match="`thaw` makes a copy"):
            change(frozen)
        assert frozen == {"a": 0, "list": [1, 0]}

    def test_it_is_json_to_everyone_else(self):
        """To `isinstance` and to schema validators."""
        frozen = snapshot({"a": [1, {"b": None}]})
        schema = {"type": "object", "properties": {"a": {"type": "array", "items": {"type": ["integer", "object"]}}}}

        assert isinstance(frozen, dict)
        assert Draft202012Validator(schema).is_valid(frozen)

    def test_what_was_handed_in_is_left_alone(self):
        """It is copied, not frozen."""
        inner = [1]
        value = {"a": inner}
        frozen = snapshot(value)
        inner.append(2)

        assert (frozen, value) == ({"a": [1]}, {"a": [1, 2]})

    def test_subclasses_become_the_basic_types(self):
        """Whatever their own methods would say."""

        class Text(str):
            __slots__ = ()

            def __str__(self):
                return "lies"

            def __eq__(self, other):
                return True

            __hash__ = str.__hash__

        class Number(enum.IntEnum):
            ONE = 1

        class Real(float):
            pass

        frozen = snapshot(
            [Text("a"), Text("ä"), Number.ONE, Real(0.5), True, types.MappingProxyType({Text("k"): 1}), (1,)]
        )

        assert [type(item) for item in frozen[:5]] == [str, str, int, float, bool]
        assert compact(frozen) == '["a","ä",1,0.5,true,{"k":1},[1]]'
        assert type(next(iter(frozen[5]))) is str

    def test_integers_keep_every_digit(self):
        """As far as Python writes them out."""
        big = 10**4_298

        assert json.loads(compact(snapshot([big, -big]))) == [big, -big]


def nested(depth):
    value = []
    for _ in range(depth - 1):
        value = [value]
    return value


def cyclic():
    value = {}
    value["again"] = [value, value]
    return value


def shared():
    value = [0]
    for _ in range(30):
        value = [value, value]
    return value


class Broken(dict):
    def items(self):
        raise OSError("gone")


class Twice(dict):
    def items(self):
        return [("a", 1), ("a", 2)]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (math.nan, "nan is not JSON"),
        ([math.inf], "inf is not JSON"),
        ("\ud800", "text with a lone surrogate is not JSON"),
        ({"\udfff": 1}, "text with a lone surrogate is not JSON"),
        ({1: 1}, "a key of type `int` is not JSON"),
        ({None: 1}, "a key of type `NoneType` is not JSON"),
        (b"", "a value of type `bytes` is not JSON"),
        ({"a": {1}}, "a value of type `set` is not JSON"),
        (object(), "a value of type `object` is not JSON"),
        (10**4_301, "an integer of more than 4,300 digits cannot be written as JSON"),
        (nested(MAX_DEPTH + 1), f"is nested deeper than {MAX_DEPTH} levels, or holds itself"),
        (nested(10_000), f"is nested deeper than {MAX_DEPTH} levels, or holds itself"),
        (cyclic(), f"is nested deeper than {MAX_DEPTH} levels, or holds itself"),
        (shared(), "holds more than 1,000,000 values"),
        (Broken(), "cannot be read as JSON: OSError"),
        (Twice(), "holds a key twice"),
    ],
    ids=[
        *("nan", "infinity", "surrogate", "surrogate key", "number key", "none key", "bytes", "set", "object"),
        *("huge integer", "one too deep", "much too deep", "cycle", "shared", "unreadable", "duplicate key"),
    ],
)
def test_what_is_no_json_is_refused(value, text):
    """With its reason, and never with another exception."""
    with pytest.raises(CallError) as caught:
        snapshot(value)

    assert str(caught.value) == text


def test_the_deepest_value_is_taken():
    """And can be written."""
    assert len(compact(snapshot(nested(MAX_DEPTH)))) == 2 * MAX_DEPTH


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        ([1], [True], False),
        ({"a": 1}, {"a": 1.0}, True),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        ([], {}, False),
        ("1", 1, False),
        (None, False, False),
        (None, None, True),
    ],
)
def test_equality_is_that_of_json(one, other, same):
    """Numbers by value, and booleans are no numbers."""
    assert same_json(one, other) is same_json(other, one) is same
