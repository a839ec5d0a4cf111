"""Cases 38 to 52 of the two reference systems: declaring parameters and checking arguments."""

# ruff: noqa: A006 - listeners have a `next`, whether they use it or not

from __future__ import annotations

import copy
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tidegate.errors import SchemaError, ToolArgsError
from tidegate.kernel import (
    ToolError,
    ToolExecution,
    ToolRegistry,
    define_tool,
    schema_spec_to_json_schema,
    snapshot,
    validate_args,
)

READ_FILE = {
    "path": {"type": "string", "required": True, "description": "Absolute file path"},
    "offset": {"type": "number"},
    "limit": {"type": "number", "description": "How many lines"},
}
NESTED = {
    "config": {
        "type": "object",
        "required": True,
        "properties": {"host": {"type": "string", "required": True}, "port": {"type": "number"}},
    },
    "bag": {"type": "object"},
}
LISTS = {
    "tags": {"type": "array", "items": {"type": "string"}},
    "servers": {
        "type": "array",
        "items": {"type": "object", "required": True, "properties": {"host": {"type": "string", "required": True}}},
    },
}


def test_case_38_a_spec_becomes_a_json_schema():
    """Case 38: required keys in the order of the spec, and no `required` when there are none."""
    assert schema_spec_to_json_schema(READ_FILE) == {
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "Absolute file path"},
            "offset": {"type": "number"},
            "limit": {"type": "number", "description": "How many lines"},
        },
        "required": ["path"],
    }
    assert schema_spec_to_json_schema({}) == {"type": "object", "properties": {}}


def test_case_39_nested_objects_list_their_own_required_keys():
    """Case 39: a required host, and an all-optional object without `required`."""
    optional = {"config": {"type": "object", "properties": {"port": {"type": "number"}}}}

    assert schema_spec_to_json_schema(NESTED)["properties"]["config"] == {
        "type": "object",
        "properties": {"host": {"type": "string"}, "port": {"type": "number"}},
        "required": ["host"],
    }
    assert schema_spec_to_json_schema(optional)["properties"]["config"] == {
        "type": "object",
        "properties": {"port": {"type": "number"}},
    }


def test_case_40_arrays_convert_their_items():
    """Case 40: items keep their own required keys and lose the flag on themselves; without items, bare."""
    assert schema_spec_to_json_schema({**LISTS, "any": {"type": "array"}})["properties"] == {
        "tags": {"type": "array", "items": {"type": "string"}},
        "servers": {
            "type": "array",
            "items": {"type": "object", "properties": {"host": {"type": "string"}}, "required": ["host"]},
        },
        "any": {"type": "array"},
    }


def test_case_41_annotations_are_told_and_absent_ones_are_absent():
    """Case 41: enum, default and description; an empty description is dropped, a null default kept."""
    spec = {
        "color": {"type": "string", "description": "Which", "enum": ["red", "green"], "default": "red"},
        "plain": {"type": "string", "description": "", "default": None},
    }

    converted = schema_spec_to_json_schema(spec)["properties"]

    assert converted == {
        "color": {"type": "string", "description": "Which", "enum": ["red", "green"], "default": "red"},
        "plain": {"type": "string", "default": None},
    }
    assert list(converted["color"]) == ["type", "description", "enum", "default"]


def test_case_42_a_missing_key_is_a_violation_and_an_extra_one_is_not():
    """Case 42; Python has no undefined, so that a key is there or is not, and `None` is null."""
    assert validate_args(READ_FILE, {}) == ['missing required property "path"']
    assert validate_args(READ_FILE, {"path": None}) == ['"path" must be a string']
    assert validate_args(READ_FILE, {"path": "a", "extra": 1}) == []


def test_case_43_a_default_is_not_filled_in():
    """Case 43: an optional key with a default may be missing, and stays so."""
    args = {}

    assert validate_args({"n": {"type": "number", "default": 1}}, args) == []
    assert args == {}


def test_case_44_wrong_types_have_their_texts():
    """Case 44; a boolean is no number, whatever Python says."""
    spec = {"s": {"type": "string"}, "n": {"type": "number"}, "b": {"type": "boolean"}}

    assert validate_args(spec, {"s": 1, "n": "x", "b": "x"}) == [
        '"s" must be a string',
        '"n" must be a number',
        '"b" must be a boolean',
    ]
    assert validate_args(spec, {"n": True}) == ['"n" must be a number']


def test_case_45_an_enum_lists_its_members():
    """Case 45: as compact JSON."""
    spec = {"color": {"type": "string", "enum": ["red", "green"]}}

    for args in ({"color": "blue"}, snapshot({"color": "blue"})):
        assert validate_args(spec, args) == ['"color" must be one of ["red","green"]']
    assert validate_args(spec, snapshot({"color": "red"})) == []


def test_case_46_nested_violations_come_in_the_order_of_the_spec():
    """Case 46: the missing host of `config`, then the wrong `bag`."""
    assert validate_args(NESTED, {"config": {"port": 9}, "bag": 5}) == [
        'missing required property "config.host"',
        '"bag" must be an object',
    ]


def test_case_47_items_are_named_by_their_index():
    """Case 47: wrong items, no array at all, and a missing key within an item."""
    assert validate_args(LISTS, {"tags": ["a", 2]}) == ['"tags[1]" must be a string']
    assert validate_args(LISTS, {"tags": "nope"}) == ['"tags" must be an array']
    assert validate_args(LISTS, {"servers": [{"host": "a"}, {}]}) == ['missing required property "servers[1].host"']


@pytest.mark.parametrize("root", [None, "x", [], 3])
def test_case_48_a_root_that_is_no_object_is_one_violation(root):
    """Case 48: whatever is required within."""
    assert validate_args(READ_FILE, root) == ['"arguments" must be an object']


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(allow_nan=False, allow_infinity=False) | st.text("ab"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=3),
    max_leaves=8,
)
anything = json_values | st.floats() | st.binary() | st.dictionaries(st.integers(), st.floats())
names = st.sampled_from(["a", "b", "c"])


def scalars(kind, values):
    return st.fixed_dictionaries(
        {"type": st.just(kind)}, optional={"enum": st.lists(values, min_size=1, max_size=3), "const": values}
    ).filter(lambda prop: "const" not in prop or "enum" not in prop or prop["const"] in prop["enum"])


def containers(props):
    properties = st.dictionaries(names, st.builds(lambda prop, flag: {**prop, **flag}, props, flags), max_size=3)
    objects = st.fixed_dictionaries(
        {"type": st.just("object")}, optional={"properties": properties, "additionalProperties": st.booleans()}
    )
    arrays = st.fixed_dictionaries({"type": st.just("array")}, optional={"items": props})
    return objects | arrays | st.builds(lambda branches: {"oneOf": branches}, st.lists(props, min_size=2, max_size=3))


flags = st.sampled_from([{}, {"required": True}, {"required": False}])
props = st.recursive(
    scalars("string", st.text("ab", max_size=2))
    | scalars("integer", st.integers(-2, 2))
    | scalars("number", st.integers(-2, 2) | st.floats(-2, 2))
    | st.sampled_from([{"type": "boolean"}, {"type": "null"}, {"type": "json"}]),
    containers,
    max_leaves=6,
)
specs = st.dictionaries(names, st.builds(lambda prop, flag: {**prop, **flag}, props, flags), max_size=3)


def fitting(prop):
    """Values that fit *prop* by construction, where it has no `oneOf`."""
    if "const" in prop:
        return st.just(prop["const"])
    if "enum" in prop:
        return st.sampled_from(prop["enum"])
    return {
        "string": st.text,
        "integer": st.integers,
        "number": lambda: st.integers() | st.floats(allow_nan=False, allow_infinity=False),
        "boolean": st.booleans,
        "null": st.none,
        "json": lambda: json_values,
        "object": lambda: fitting_arguments(prop.get("properties", {})),
        "array": lambda: st.lists(fitting(prop["items"]) if "items" in prop else json_values, max_size=2),
    }[prop["type"]]()


def fitting_arguments(spec):
    required = {name: fitting(prop) for name, prop in spec.items() if prop.get("required")}
    optional = {name: fitting(prop) for name, prop in spec.items() if not prop.get("required")}
    return st.fixed_dictionaries(required, optional=optional)


def has_one_of(prop):
    return "oneOf" in prop or any(
        has_one_of(inner)
        for inner in [*prop.get("properties", {}).values(), *([prop["items"]] if "items" in prop else [])]
    )


def required_sets(spec, schema):
    """Pairs of what is required at each level: by the spec, and by the schema."""
    yield {name for name, prop in spec.items() if prop.get("required") is True}, set(schema.get("required", ()))
    for name, prop in spec.items():
        inner = schema["properties"][name]
        while prop.get("type") == "array" and "items" in prop:
            prop, inner = prop["items"], inner["items"]  # noqa: PLW2901
        if prop.get("type") == "object" and "properties" in prop:
            yield from required_sets(prop["properties"], inner)


class TestCase49:
    """Case 49: conversion and validation say the same."""

    @given(specs, anything)
    def test_case_49_any_spec_converts_and_any_input_validates(self, spec, args):
        """Neither raises, and neither changes what it is given."""
        before = copy.deepcopy((spec, args))

        json.dumps(schema_spec_to_json_schema(spec))
        violations = validate_args(spec, args)

        assert all(isinstance(violation, str) for violation in violations)
        assert repr((spec, args)) == repr(before)

    @given(st.data())
    def test_case_49_fitting_arguments_have_no_violation(self, data):
        """Arguments built to fit do fit, and dropping a required key is a violation that names it."""
        spec = data.draw(specs.filter(lambda spec: not any(map(has_one_of, spec.values()))))
        args = data.draw(fitting_arguments(spec))

        assert validate_args(spec, args) == []
        for name in [name for name in args if spec[name].get("required")]:
            rest = {key: value for key, value in args.items() if key != name}

            assert validate_args(spec, rest) == [f'missing required property "{name}"']

    @given(specs)
    def test_case_49_required_is_the_same_at_every_level(self, spec):
        """The schema's `required` holds exactly the keys whose declaration says `required: True`."""
        for declared, told in required_sets(spec, schema_spec_to_json_schema(spec)):
            assert declared == told

    @given(specs, st.dictionaries(names, json_values, max_size=4))
    def test_case_49_validation_agrees_with_the_schema(self, spec, args):
        """JSON arguments have no violation if and only if a JSON Schema validator accepts them."""
        accepted = Draft202012Validator(schema_spec_to_json_schema(spec)).is_valid(args)

        assert (validate_args(spec, args) == []) is accepted


words = st.sampled_from(["a", "b"])
flat = st.fixed_dictionaries(
    {"type": st.sampled_from(["string", "integer", "number", "boolean", "null"])},
    optional={"enum": st.just(["a", 1]), "const": st.just("a"), "required": st.just(True)},
)


@given(
    st.dictionaries(words, flat), st.dictionaries(words, words | st.integers(0, 1) | st.booleans() | st.floats(0, 1))
)
def test_a_snapshot_is_validated_as_what_it_was_made_of(spec, args):
    """The quick look at flat snapshots, which most calls are, sees what the long one sees."""
    assert validate_args(spec, snapshot(args)) == validate_args(spec, args)


@pytest.mark.anyio
async def test_case_50_bad_arguments_through_the_registry(tools):
    """Case 50: an error result that lists the violations; the body is not entered."""
    tools.register(
        define_tool(name="read_file", description="", parameters=READ_FILE, execute=lambda _: pytest.fail("entered"))
    )

    result = await tools.execute(ToolExecution("c1", "read_file", {}))

    assert result.text == 'Error: invalid arguments: missing required property "path"'
    assert (result.is_error, result.error) == (True, ToolError("ToolArgsError", "INVALID_ARGS"))


@pytest.mark.anyio
async def test_case_50_arguments_are_validated_as_rewritten(ctx, tools: ToolRegistry):
    """A rewrite can mend arguments, and can break them."""
    tools.register(
        define_tool(name="read_file", description="", parameters=READ_FILE, execute=lambda args: args["path"])
    )
    mended = {"path": "mended"}
    ctx.on("tools/pre-execute", "waterfall")(lambda call, next: next(call.with_arguments(**mended)))

    assert (await tools.execute(ToolExecution("c1", "read_file", {"path": 3}))).text == "mended"
    mended["path"] = 3
    assert (await tools.execute(ToolExecution("c1", "read_file", {"path": "fine"}))).is_error


def test_case_51_tool_args_error_joins_its_violations():
    """Case 51: message, code and violations."""
    error = ToolArgsError(["one", "two"])

    assert str(error) == "invalid arguments: one; two"
    assert (error.code, error.violations) == ("INVALID_ARGS", ("one", "two"))


@pytest.mark.parametrize(
    ("prop", "value", "violations"),
    [
        ({"type": "integer"}, 1.5, ['"p" must be an integer']),
        ({"type": "integer"}, True, ['"p" must be an integer']),
        ({"type": "integer"}, 2.0, []),
        ({"type": "integer"}, math.inf, ['"p" must be a finite JSON number']),
        ({"type": "number"}, math.nan, ['"p" must be a finite JSON number']),
        ({"type": "number"}, -0.0, []),
        ({"type": "null"}, 0, ['"p" must be null']),
        ({"type": "null"}, None, []),
        ({"type": "json"}, math.nan, ['"p" must be a lossless JSON value']),
        ({"type": "json"}, {"a": [1, None]}, []),
        ({"type": "array"}, [1, math.nan], ['"p[1]" must be a lossless JSON value']),
        ({"type": "object"}, {"x": b""}, ['"p.x" must be a lossless JSON value']),
        ({"type": "object"}, {1: 2}, ['"p" must be a lossless JSON object']),
        (
            {"type": "object", "properties": {"a": {"type": "null"}}, "additionalProperties": False},
            {"x": 1, "a": None},
            ['"p.x" is not a declared property (additionalProperties: false)'],
        ),
        ({"type": "object", "additionalProperties": True}, {"x": 1}, []),
        (
            {"oneOf": [{"type": "string"}, {"type": "null"}]},
            3,
            ['"p" must match exactly one oneOf branch (matched 0)'],
        ),
        (
            {"oneOf": [{"type": "number"}, {"type": "integer"}]},
            3,
            ['"p" must match exactly one oneOf branch (matched 2)'],
        ),
        ({"oneOf": [{"type": "string"}, {"type": "null"}], "enum": ["a"]}, "b", ['"p" must be one of ["a"]']),
        ({"type": "string", "const": "a"}, "b", ['"p" must be "a"']),
        ({"type": "integer", "const": 1}, 1.0, []),
        ({"type": "integer", "enum": [1]}, 2, ['"p" must be one of [1]']),
        ({"type": "array", "enum": [[True]]}, [1], ['"p" must be one of [[true]]']),
        ({"type": "object", "enum": [{"a": [1]}]}, {"a": [1.0]}, []),
        ({"type": "object", "enum": [{"a": 1}]}, {"b": 1}, ['"p" must be one of [{"a":1}]']),
    ],
)
def test_case_52_the_later_types_have_their_texts(prop, value, violations):
    """Case 52; minus zero is lossless in Python, unlike in JavaScript."""
    schema_spec_to_json_schema({"p": prop})

    assert validate_args({"p": prop}, {"p": value}) == violations


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ({"p": {"type": "string", "pattern": "a"}}, "parameters.p.pattern is not a supported keyword"),
        ({"p": {"type": "str"}}, "parameters.p.type must be one of array, boolean, integer, json, null, number"),
        ({"p": {"type": ["string", "null"]}}, "parameters.p.type must be one of"),
        ({"p": {}}, "parameters.p.type must be one of"),
        ({"p": "string"}, "parameters.p must be an object"),
        ({"p": {"type": "string", "required": "yes"}}, "parameters.p.required must be true or false"),
        ({"p": {"type": "string", "description": 3}}, "parameters.p.description must be text"),
        ({"p": {"type": "string", "enum": "ab"}}, "parameters.p.enum must be an array"),
        ({"p": {"type": "string", "enum": ["a"], "const": "b"}}, "parameters.p.const must be a member of enum"),
        ({"p": {"type": "object", "properties": []}}, "parameters.p.properties must be an object"),
        ({"p": {"type": "object", "additionalProperties": {}}}, "parameters.p.additionalProperties must be true or"),
        ({"p": {"type": "array", "items": {"type": "x"}}}, "parameters.p.items.type must be one of"),
        ({"p": {"oneOf": [{"type": "null"}]}}, "parameters.p.oneOf must have at least two branches"),
        ({"p": {"oneOf": "ab"}}, "parameters.p.oneOf must have at least two branches"),
        ({"p": {"oneOf": [{"type": "null"}, {"a": 1}]}}, "parameters.p.oneOf[1].a is not a supported keyword"),
        ({"p": {"type": "null", "oneOf": [{"type": "null"}] * 2}}, "parameters.p must have either type or oneOf"),
        ({"p": {"type": "number", "default": math.nan}}, "parameters nan is not JSON"),
        ({1: {"type": "number"}}, "parameters a key of type `int` is not JSON"),
        ([], "parameters must be an object of declarations"),
    ],
)
def test_case_52_an_unsupported_declaration_is_refused(spec, text):
    """Case 52: when the tool is defined, naming the place."""
    with pytest.raises(SchemaError) as caught:
        schema_spec_to_json_schema(spec)

    assert str(caught.value).startswith(f"unsupported JSON schema: {text}")
    assert caught.value.code == "UNSUPPORTED_SCHEMA"


def test_case_52_all_problems_of_a_declaration_are_named_at_once():
    """Two wrong parameters, one error."""
    with pytest.raises(SchemaError, match=r"parameters\.a must be an object; parameters\.b must be an object"):
        schema_spec_to_json_schema({"a": 1, "b": 2})


def test_case_52_an_unknown_type_raises_only_when_its_key_is_there():
    """Validating against a spec that was never converted fails loudly, not silently."""
    spec = {"p": {"type": "date"}}

    assert validate_args(spec, {}) == []
    with pytest.raises(SchemaError, match="\"p\" has type 'date'"):
        validate_args(spec, {"p": 1})


def test_case_52_a_declaration_that_holds_itself_is_refused():
    """Cycles and depth end in an error, never in a crash."""
    cycle = {"type": "object", "properties": {}}
    cycle["properties"]["again"] = cycle

    with pytest.raises(SchemaError, match="nested deeper than 256 levels"):
        schema_spec_to_json_schema({"p": cycle})


def test_keys_that_belong_to_another_type_are_ignored():
    """`properties` of a string and `items` of an object are not told."""
    spec = {"p": {"type": "string", "properties": {}, "items": {"type": "null"}}}

    assert schema_spec_to_json_schema(spec)["properties"] == {"p": {"type": "string"}}
