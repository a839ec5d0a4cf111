"""`rewrite`: change arguments before any rule judges them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from attrs import frozen

from ..errors import CallError
from ..kernel.json_values import same_json, snapshot
from ..kind import Case, Example, Kind, Phase, Rewrite, Setting, Veto, param
from ..pointers import EACH, MISSING, BadPointer, NoPlace, Pointer, changed, parse_pointer
from ..shown import quote

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


@frozen
class Bounds:
    """The range into which a number is brought."""

    min: int | float | None = param("The smallest value that the argument may have.", default=None)
    max: int | float | None = param("The largest value that the argument may have.", default=None)


@frozen
class Rewriting:
    """Set arguments, give them defaults, or bring numbers into a range.

    Arguments are named by JSON pointers; `*` as a segment stands for each item of an array or each value of an
    object. Outer pointers come before those beneath them, and of two at one depth `default` comes before `set`
    and `set` before `clamp`, so that a rule applied to its own outcome changes nothing. The rules after it, and
    the tool, see the new arguments only. A rule changes arguments and never the tool that is called.

    What cannot be done refuses the call: a value on the way that is no object or array, an object that should get
    a key and is missing, an array that would have to grow, or a number that is something else (text such as
    `"10"`, a boolean, null). Where there are no items under a `*` there is nothing to do, and what is missing is
    not clamped: give it a default as well.

    The rule knows values, not meaning: it does not see a number inside a text or a limit under another name, and
    the new arguments are validated only where the tool or another rule does so.
    """

    set: Mapping[str, Any] | None = param("Values by pointer that replace what the call says.", default=None)
    default: Mapping[str, Any] | None = param("Values by pointer for what the call leaves out.", default=None)
    clamp: Mapping[str, Bounds] | None = param("Ranges by pointer, each with `min`, `max` or both.", default=None)


class Step(NamedTuple):
    """One change: where, and how a value there (or `MISSING`) becomes another; the same value is no change.

    `needed` tells that the object which holds the last key must be there.
    """

    pointer: Pointer
    change: Callable[[Any], Any]
    needed: bool


def compile_rewrite(fields: Rewriting, setting: Setting) -> Rewrite:
    """Make one list of steps, outermost first."""
    if not (fields.set or fields.default or fields.clamp):
        setting.problem((), "missing-key", *_NOTHING)
    _check_constants(fields, setting)
    steps = [*_defaults(fields, setting), *_sets(fields, setting), *_clamps(fields, setting)]
    steps.sort(key=lambda step: len(step.pointer))

    def apply(case: Case) -> Mapping[str, Any]:
        before = case.call.arguments
        after: Any = before
        for step in steps:
            try:
                after = changed(after, step.pointer, step.change, needed=step.needed)
            except NoPlace as error:
                raise Veto(f"{quote(error.place)} {error.why}, so that a value beneath it cannot be set") from error
        return before if after is before or same_json(after, before) else _frozen(after)

    return Rewrite(apply)


def _frozen(arguments: Any) -> Mapping[str, Any]:
    frozen: Mapping[str, Any] = snapshot(arguments)
    return frozen


def _defaults(fields: Rewriting, setting: Setting) -> Iterator[Step]:
    for text, value in (fields.default or {}).items():
        pointer = _pointer("default", text, setting)
        if pointer and pointer[-1] is EACH:
            what = f"the pointer {quote(text)} of a default ends in `*`"
            setting.problem(
                ("default", text), "bad-pointer", what, "`*` stands for values that are there", "name a key"
            )
        yield Step(pointer, _default(_constant("default", text, value, setting)), needed=True)


def _default(constant: Any) -> Callable[[Any], Any]:
    return lambda found: constant if found is MISSING else found


def _sets(fields: Rewriting, setting: Setting) -> Iterator[Step]:
    for text, value in (fields.set or {}).items():
        pointer = _pointer("set", text, setting)
        yield Step(pointer, _set(_constant("set", text, value, setting)), needed=True)


def _set(constant: Any) -> Callable[[Any], Any]:
    return lambda found: found if same_json(found, constant) else constant


def _clamps(fields: Rewriting, setting: Setting) -> Iterator[Step]:
    for text, bounds in (fields.clamp or {}).items():
        if bounds.min is None and bounds.max is None:
            setting.problem(("clamp", text), "missing-key", f"the range of {quote(text)} has no bound", *_NO_BOUND)
        elif bounds.min is not None and bounds.max is not None and bounds.min > bounds.max:
            setting.problem(("clamp", text), "bad-value", f"the range of {quote(text)} is empty", *_EMPTY)
        yield Step(_pointer("clamp", text, setting), _clamp(text, bounds), needed=False)


def _clamp(text: str, bounds: Bounds) -> Callable[[Any], Any]:
    low, high = bounds.min, bounds.max

    def clamp(found: Any) -> Any:
        if found is MISSING:
            return found
        if type(found) is not int and type(found) is not float:
            raise Veto(f"{quote(text)} must be a number")
        if low is not None and found < low:
            return low
        return high if high is not None and found > high else found

    return clamp


def _check_constants(fields: Rewriting, setting: Setting) -> None:
    """A default that `set` hides, and constants that their own range changes or refuses."""
    for key, constants in (("default", fields.default or {}), ("set", fields.set or {})):
        for text, value in constants.items():
            if key == "default" and text in (fields.set or {}):
                setting.problem((key, text), "bad-value", f"{quote(text)} has a default and is set as well", *_HIDDEN)
            bounds = (fields.clamp or {}).get(text)
            if bounds is not None and not _within(value, text, bounds):
                setting.problem(
                    (key, text), "bad-value", f"the value for {quote(text)} is outside of its range", *_RANGE
                )


def _within(value: Any, text: str, bounds: Bounds) -> bool:
    try:
        return _clamp(text, bounds)(value) is value
    except Veto:
        return False


def _pointer(key: str, text: str, setting: Setting) -> Pointer:
    """The pointer, or the empty one and a problem."""
    try:
        pointer = parse_pointer(text)
    except BadPointer as bad:
        setting.problem(
            (key, text), "bad-pointer", str(bad), "a value that cannot be found would never change", bad.mend
        )
        return ()
    if not pointer:
        setting.problem((key, text), "bad-pointer", "an empty pointer names all arguments at once", *_WHOLE)
    return pointer


def _constant(key: str, text: str, value: Any, setting: Setting) -> Any:
    try:
        return snapshot(value)
    except CallError as error:
        setting.problem((key, text), "bad-value", f"the value for {quote(text)} is no argument: {error}", *_NO_JSON)
        return None


_NOTHING = (
    "the rule changes nothing",
    "a rewrite without `set`, `default` and `clamp` leaves every call as it is",
    "add one of them, or remove the rule",
)
_NO_BOUND = ("a range without a bound changes nothing", "add `min`, `max` or both")
_EMPTY = ("no number is both at least `min` and at most `max`", "swap them, or write the range that you mean")
_HIDDEN = ("a default is for what is missing, and after `set` it never is", "keep one of them")
_RANGE = ("one half of the rule undoes the other", "write a number within the range, or change the range")
_WHOLE = ("arguments are changed one by one", "name an argument, such as `/limit`")
_NO_JSON = ("arguments are JSON, which has no dates, no times, no `inf` and no `nan`", "write it as a string in quotes")


def _strategy() -> SearchStrategy[Rewriting]:
    from hypothesis import strategies as st

    keys = st.sampled_from(["a", "b", "limit", "0", "*"])
    pointers = st.lists(keys, min_size=1, max_size=3).map(lambda names: "/" + "/".join(names))
    numbers = st.integers(-100, 100) | st.floats(-100, 100)
    values = st.none() | st.booleans() | numbers | st.text(max_size=5) | st.dictionaries(st.sampled_from("ab"), numbers)
    bounds = st.tuples(numbers, numbers).map(lambda two: Bounds(min(two), max(two)))
    changes = st.one_of(
        st.fixed_dictionaries({"set": values}),
        st.fixed_dictionaries({"default": values}),
        st.fixed_dictionaries({"clamp": bounds}),
        bounds.map(lambda range_: {"default": range_.max, "clamp": range_}),
    )
    return st.dictionaries(pointers, changes, min_size=1, max_size=4).map(_fields_of)


def _fields_of(changes: Mapping[str, Mapping[str, Any]]) -> Rewriting:
    """Fields that make these changes; a default needs a key, and sets what a `*` stands for instead."""
    tables: dict[str, dict[str, Any]] = {"set": {}, "default": {}, "clamp": {}}
    for pointer, change in changes.items():
        for key, value in change.items():
            tables["set" if key == "default" and pointer.endswith("*") else key][pointer] = value
    return Rewriting(**{key: table or None for key, table in tables.items()})


KIND = Kind(
    name="rewrite",
    phase=Phase.REWRITE,
    fields=Rewriting,
    compile=compile_rewrite,
    examples=(
        Example(
            "At most a hundred results",
            """\
[[rule]]
id = "small-searches"
kind = "rewrite"
tools = ["web_search"]
default = { "/limit" = 10 }
clamp = { "/limit" = { min = 1, max = 100 } }

[[rule.example]]
call = { tool = "web_search", args = { query = "tides", limit = 5000 } }
expect_arguments = { query = "tides", limit = 100 }

[[rule.example]]
call = { tool = "web_search", args = { query = "tides" } }
expect_arguments = { query = "tides", limit = 10 }

[[rule.example]]
call = { tool = "web_search", args = { query = "tides", limit = "5000" } }
expect = "deny"
why = "a text is no number, whatever it says"
""",
        ),
        Example(
            "Mail goes out as a draft",
            """\
[[rule]]
id = "drafts-only"
kind = "rewrite"
tools = ["send_email"]
set = { "/draft" = true, "/headers/x-sent-by" = "agent" }

[[rule.example]]
call = { tool = "send_email", args = { to = "a@example.com", draft = false, headers = {} } }
expect_arguments = { to = "a@example.com", draft = true, headers = { x-sent-by = "agent" } }

[[rule.example]]
call = { tool = "send_email", args = { to = "a@example.com" } }
expect = "deny"
why = "there are no headers in which the second value could stand"
""",
        ),
        Example(
            "Each edit says its encoding",
            """\
[[rule]]
id = "edits-in-utf-8"
kind = "rewrite"
tools = ["edit_files"]
default = { "/edits/*/encoding" = "utf-8" }

[[rule.example]]
call = { tool = "edit_files", args = { edits = [{ path = "a" }, { path = "b", encoding = "latin-1" }] } }
expect_arguments = { edits = [{ path = "a", encoding = "utf-8" }, { path = "b", encoding = "latin-1" }] }

[[rule.example]]
call = { tool = "edit_files", args = { edits = [] } }
expect = "pass"
""",
        ),
    ),
    strategy=_strategy,
)
