"""Edits of settings: whatever stands in a file besides our hooks is still there afterwards."""

import json
from itertools import cycle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.cli.installing.edits import added, removed
from tidegate.cli.installing.hooks_in import found, with_hooks, without_hooks
from tidegate.cli.installing.jsonc import NotJson, read
from tidegate.cli.installing.places import PLACES

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)
blanks = st.sampled_from(["", " ", "\n", "\n  ", "\r\n\t", " // a, ]\n", "/* }, */", '\n// "x"\n  '])


def written(value, filling):
    """A text of *value*, with the next of *filling* wherever blanks and comments may be."""
    if isinstance(value, dict):
        parts = [
            f"{next(filling)}{json.dumps(key)}{next(filling)}:{written(one, filling)}" for key, one in value.items()
        ]
        return f"{next(filling)}{{{','.join(parts)}{next(filling)}}}{next(filling)}"
    if isinstance(value, list):
        return f"{next(filling)}[{','.join(written(one, filling) for one in value)}{next(filling)}]{next(filling)}"
    return f"{next(filling)}{json.dumps(value)}{next(filling)}"


objects = st.dictionaries(st.text(max_size=4), values, max_size=4)
lists = st.lists(values, max_size=4)


def with_text(strategy):
    """A value, and a text of it."""
    fillings = st.lists(blanks, min_size=1, max_size=5)
    return st.tuples(strategy, fillings).map(lambda case: (case[0], written(case[0], cycle(case[1]))))


COMMENTS = ("// a, ]", "/* }, */", '// "x"')


def comments(text):
    """How often each comment stands in a text."""
    return [text.count(one) for one in COMMENTS]


@given(with_text(values))
def test_reading_finds_the_value_under_all_comments(case):
    """A text with comments is the value that it would be without."""
    value, text = case

    assert read(text, comments=True).value == value


@given(st.text(max_size=30) | values.map(json.dumps))
def test_reading_agrees_with_json(text):
    """Without comments, a text is JSON here where it is JSON elsewhere, but for keys that stand twice."""
    try:
        expected = json.loads(text, object_pairs_hook=pairs, parse_constant=refuse)
    except (ValueError, RecursionError):
        with pytest.raises(NotJson):
            read(text, comments=False)
        return

    assert read(text, comments=False).value == expected


def pairs(found):
    if len(dict(found)) != len(found):
        raise ValueError
    return dict(found)


def refuse(_):
    raise ValueError


@given(with_text(lists), values)
def test_an_added_item_is_the_last_and_nothing_else_changes(case, more):
    """The new value stands behind the others, and every comment is still there."""
    value, text = case
    new = added(text, read(text, comments=True), more)

    assert read(new, comments=True).value == [*value, more]
    assert comments(new) == comments(text)


@given(with_text(objects), values)
def test_an_added_member_is_the_last_and_nothing_else_changes(case, more):
    """The same of a member under a key that was not there."""
    value, text = case
    new = added(text, read(text, comments=True), more, "not there")

    assert list(read(new, comments=True).value.items()) == [*value.items(), ("not there", more)]
    assert comments(new) == comments(text)


@given(with_text(st.lists(values, min_size=1, max_size=4)), st.integers(0, 3))
def test_a_removed_item_takes_nothing_along(case, index):
    """What stood before and behind it stays, with the comments between them."""
    value, text = case
    index %= len(value)
    root = read(text, comments=True)
    inside = text[slice(*root.spans[index])]
    new = removed(text, root, index)

    assert read(new, comments=True).value == value[:index] + value[index + 1 :]
    assert [a + b for a, b in zip(comments(new), comments(inside), strict=True)] == comments(text)


PLACE = PLACES["gemini"]
OURS = {"hooks": [{"type": "command", "command": "tidegate hook gemini --rules r.toml"}]}
WANTED = dict.fromkeys(PLACE.events, OURS)
settings = st.fixed_dictionaries(
    {},
    optional={
        "theme": values,
        "hooks": st.dictionaries(
            st.sampled_from([*PLACE.events, "Notification"]),
            st.lists(st.just({"matcher": "x", "hooks": [{"type": "command", "command": "mine"}]}) | values, max_size=2),
        ),
    },
)


@given(with_text(settings))
def test_installing_adds_our_hooks_and_uninstalling_leaves_what_was_there(case):
    """Between the two, there is one hook for each event; a second time changes nothing."""
    value, text = case
    there = with_hooks(text, PLACE, "gemini", WANTED)
    root = read(there, comments=True)
    rest = {key: one for key, one in value.items() if key != "hooks"}

    assert sorted(one.event for one in found(root, PLACE, "gemini")) == sorted(PLACE.events)
    assert with_hooks(there, PLACE, "gemini", WANTED) == there
    assert {key: one for key, one in root.value.items() if key != "hooks"} == rest

    left = read(without_hooks(there, PLACE, "gemini"), comments=True).value
    others = {event: entries for event, entries in value.get("hooks", {}).items() if entries}

    assert {key: one for key, one in left.items() if key != "hooks"} == rest
    assert {event: entries for event, entries in left.get("hooks", {}).items() if entries} == others
    assert comments(without_hooks(there, PLACE, "gemini")) == comments(text)


def test_a_hook_within_a_group_of_others_goes_alone():
    """Handlers of others in the same group stay where they are."""
    text = '{"hooks": {"BeforeTool": [{"hooks": [{"command": "a"}, {"command": "tidegate hook gemini"}]}]}}'

    assert json.loads(without_hooks(text, PLACE, "gemini")) == {
        "hooks": {"BeforeTool": [{"hooks": [{"command": "a"}]}]}
    }


@pytest.mark.parametrize(
    ("command", "ours"),
    [
        ("tidegate hook gemini --rules r.toml", True),
        ("'/a b/tidegate' hook gemini", True),
        ("& 'C:\\x\\tidegate.exe' 'hook' 'gemini' '--rules'", True),
        ("/usr/bin/python3 -m tidegate hook gemini", True),
        ("python -I -S /x/tidegate/hook_program.py gemini --rules r", True),
        ("tidegate hook gemini-next", False),
        ("tidegate hook cursor", False),
        ("echo tidegate gemini", False),
    ],
)
def test_ours_are_told_from_others(command, ours):
    """A hook is ours where its line starts tidegate for this harness, however it is quoted."""
    root = read(json.dumps({"hooks": {"BeforeTool": [{"hooks": [{"command": command}]}]}}), comments=False)

    assert bool(found(root, PLACE, "gemini")) == ours
