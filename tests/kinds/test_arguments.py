"""The kind `arguments`: what must hold, what is refused, what is granted, and what is no rule."""

import datetime as dt
import json
from fractions import Fraction

import jsonschema
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.kinds.deciding import Deciding
from tests.kinds.making import case, made, of_fields, problems
from tests.redacting.making_secrets import SECRETS
from tests.redacting.test_redactor import encoded, layers
from tidegate.kernel.json_values import snapshot
from tidegate.kind import Effect, Setting
from tidegate.kinds.arguments import KIND, Check
from tidegate.predicates import FAILS, HOLDS, WRONG_TYPE, Predicate, compile_judge
from tidegate.predicates.schemas import compile_schema, schema_faults
from tidegate.redacting.finding import TooMuch

USE = Effect("use", "a_tool")
numbers = st.one_of(
    st.integers(-6, 6),
    st.floats(-6, 6),
    st.integers(2**53 - 2, 2**53 + 2),
    st.sampled_from([2**63, 2**63 + 1, float(2**63), 10**400, 1e308, -0.0, 0.1, 5e-324]),
)
scalars = st.none() | st.booleans() | numbers | st.text("ab/*A１", max_size=3)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=6,
)
MOMENTS = st.integers(-62_000_000_000, 253_000_000_000).map(
    lambda seconds: dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(seconds=seconds)
)
calls = st.dictionaries(st.sampled_from(["a", "b", "c"]), values, max_size=3)


def confines(part, arguments):
    return part.confines(USE, case(arguments))


def denies(part, arguments):
    return part.denies(USE, case(arguments))


def grants(part, arguments):
    return part.grants(USE, case(arguments))


@st.composite
def near_bounds(draw, low, high):
    """Values at, just outside of and just inside of two bounds, and what only looks like them."""
    bound = draw(st.sampled_from([low, high]))
    value = draw(st.sampled_from([bound, bound - 1, bound + 1, float(bound), Fraction(bound)]))
    value = float(value) if isinstance(value, Fraction) else value
    return draw(st.sampled_from([value, str(value), [value], f"{value:,}", None, True, {"value": value}]))


class TestLaws:
    """The three lists, over every call."""

    @given(fields=KIND.strategy(), arguments=calls)
    def test_every_call_is_answered(self, fields, arguments):
        """No rule fails on any call, and each of its lists says yes or no."""
        part = of_fields(KIND, fields)
        matchers = [one for one in (part.confines, part.denies, part.grants) if one is not None]

        assert {type(matcher(USE, case(arguments))) for matcher in matchers} == {bool}

    @given(fields=KIND.strategy(), arguments=calls)
    def test_what_is_granted_is_what_would_be_confined_to(self, fields, arguments):
        """A table grants a call only if a confinement to the same table lets it pass."""
        tables = fields.allow or fields.only or fields.deny
        states = {"missing": fields.missing, "extra": fields.extra}
        grant, confine = made(KIND, allow=tables, **states), made(KIND, only=tables, **states)

        assert grants(grant, arguments) is False or confines(confine, arguments) is True

    @given(fields=KIND.strategy(), arguments=calls, key=st.sampled_from(["x", "bcc"]), value=values)
    def test_argument_that_nobody_names_is_refused(self, fields, arguments, key, value):
        """Whatever the tables are, a confinement to named arguments refuses another one."""
        tables = fields.only or fields.allow or fields.deny
        named = any(pointer == "" for table in tables for pointer in table)
        part = made(KIND, only=tables, missing="allow")

        assert named or confines(part, {**arguments, key: value}) is False

    @given(low=numbers, high=numbers, value=numbers)
    @example(low=2**53 + 1, high=2**53 + 1, value=float(2**53))
    @example(low=2**63, high=2**63, value=2**63 + 1)
    def test_numbers_are_compared_exactly(self, low, high, value):
        """The bounds hold as they do for rational numbers, whatever the size."""
        low, high = sorted([low, high])
        inside = Fraction(low) <= Fraction(value) <= Fraction(high)
        said = compile_judge(Predicate(min=low, max=high))(value)

        assert said is (HOLDS if inside else FAILS)

    @given(low=st.integers(-3, 3), size=st.integers(0, 3), data=st.data())
    def test_what_is_no_number_is_refused_everywhere(self, low, size, data):
        """Text that looks like a number, a boolean, null and lists fail a confinement, hit a deny, and get no grant."""
        high = low + size
        value = data.draw(near_bounds(low, high))
        number = type(value) in (int, float)
        table = ({"n": Check(min=low, max=high)},)
        inside = number and low <= value <= high
        call = {"n": value}

        assert confines(made(KIND, only=table), call) is inside
        assert grants(made(KIND, allow=table, wrong_type="allow", only=table), call) is inside
        assert denies(made(KIND, deny=table), call) is (inside or not number)
        assert confines(made(KIND, only=({"n": Check(not_=Predicate(min=low, max=high))},)), call) is (
            number and not inside
        )

    @given(word=st.sampled_from(["prod", "rm -rf", "Straße", "a*b"]), data=st.data())
    def test_deny_sees_through_spelling(self, word, data):
        """Case, blanks around, invisible characters and wide letters are no way around a deny, nor past a `not`."""
        chance = data.draw(st.randoms(use_true_random=False))
        wide = {" ": " ", **{chr(code): chr(code + 0xFEE0) for code in range(0x21, 0x7F)}}
        ways = [str.upper, str.lower, lambda c: f"{c}\u200b", lambda c: wide.get(c, c), str]
        value = chance.choice(["", " ", "\t"]) + "".join(chance.choice(ways)(char) for char in word)
        part = made(KIND, deny=({"t": Check(equals=word)},))
        negated = made(KIND, only=({"t": Check(not_=Predicate(one_of=(word,)))},))

        assert denies(part, {"t": value}) is True
        assert confines(negated, {"t": value}) is False
        assert confines(made(KIND, only=({"t": Check(equals=word)},)), {"t": value}) is (value == word)

    @given(
        moment=MOMENTS,
        bound=MOMENTS,
        minutes=st.integers(-1439, 1439),
        near=st.none() | st.integers(-2, 2),
    )
    def test_moments_are_compared_as_instants(self, moment, bound, minutes, near):
        """In whatever zone it is written, a moment is before, at or after the bound."""
        instant = moment if near is None else bound + dt.timedelta(microseconds=near)
        text = instant.astimezone(dt.timezone(dt.timedelta(minutes=minutes))).isoformat()

        assert compile_judge(Predicate(not_before=bound))(text) is (HOLDS if instant >= bound else FAILS)
        assert compile_judge(Predicate(not_after=bound))(text) is (HOLDS if instant <= bound else FAILS)


class TestStates:
    """Missing, extra and wrongly typed arguments."""

    @pytest.mark.parametrize(
        ("fields", "arguments", "expected"),
        [
            ({}, {"n": 1}, True),
            ({}, {}, False),
            ({"missing": "allow"}, {}, True),
            ({}, {"n": 1, "m": 1}, False),
            ({"extra": "allow"}, {"n": 1, "m": 1}, True),
            ({}, {"n": "1"}, False),
            ({}, {"n": None}, False),
            ({"missing": "allow"}, {"n": None}, False),
            ({"wrong_type": "allow"}, {"n": "1"}, True),
            ({"wrong_type": "allow"}, {"n": 9}, False),
        ],
        ids=str,
    )
    def test_state_of_one_argument(self, fields, arguments, expected):
        assert confines(made(KIND, argument="/n", max=5, **fields), arguments) is expected

    @pytest.mark.parametrize(
        ("fields", "arguments", "expected"),
        [
            ({}, {}, False),
            ({"missing": "deny"}, {}, True),
            ({}, {"force": True, "x": 1}, True),
            ({}, {"force": "true"}, True),
            ({}, {"force": 1}, True),
            ({}, {"force": False}, False),
            ({"wrong_type": "allow"}, {"force": "true"}, False),
        ],
        ids=str,
    )
    def test_deny_refuses_what_is_there(self, fields, arguments, expected):
        assert denies(made(KIND, deny=({"force": Check(equals=True)},), **fields), arguments) is expected

    def test_deny_of_presence_needs_no_predicate(self):
        part = made(KIND, deny=({"bcc": Check()},))

        assert [denies(part, of) for of in ({"bcc": None}, {"bcc": []}, {"to": "x"})] == [True, True, False]

    def test_everything_in_a_table_must_be_there_for_a_deny(self):
        part = made(KIND, deny=({"a": Check(equals=1), "b": Check(equals=1)},))

        assert [denies(part, of) for of in ({"a": 1, "b": 1}, {"a": 1, "b": 2}, {"a": 1})] == [True, False, False]

    @pytest.mark.parametrize(
        ("edits", "confined", "denied"),
        [
            ([], True, False),
            ([{"mode": "a"}], True, True),
            ([{"mode": "b"}, {"mode": "a"}], False, True),
            ([{"mode": "a", "owner": "root"}], False, True),
            ([{}], False, False),
            ("a", False, False),
        ],
        ids=str,
    )
    def test_each_item_is_looked_at(self, edits, confined, denied):
        """All items must hold for a confinement, with nothing beside them; one is enough for a deny."""
        table = ({"/edits/*/mode": Check(equals="a")},)

        assert confines(made(KIND, only=table), {"edits": edits}) is confined
        assert denies(made(KIND, deny=table), {"edits": edits}) is denied


class TestGrants:
    """What a grant covers: the use, and the texts that it names."""

    RULE = """\
[[rule]]
id = "g"
kind = "arguments"
allow = [{ to = { glob = "*@x.test" }, note = {} }]
missing = "allow"
"""

    @pytest.mark.parametrize(
        ("tool", "arguments", "expected"),
        [
            ("mail", {"to": "ann@x.test"}, "allow"),
            ("mail", {"to": "ann@x.test", "note": "see /etc/passwd and http://evil.test"}, "allow"),
            ("mail", {"to": "ann@y.test"}, "deny"),
            ("mail", {"to": "Ann@X.test"}, "deny"),
            ("mail", {"to": "ann@x.test", "bcc": "eve@y.test"}, "deny"),
            ("mail", {"to": ["ann@x.test"]}, "deny"),
            ("save", {"to": "/srv/@x.test", "note": "x"}, "deny"),
            ("fetch", {"to": "http://evil.test/@x.test"}, "deny"),
            ("run_bash", {"command": "ls"}, "deny"),
        ],
        ids=str,
    )
    def test_grant_is_for_text_and_never_for_what_it_does(self, tmp_path, tool, arguments, expected):
        bound = '[tools.save]\nto = { role = "path", access = "write" }\n[tools.fetch]\nto = { role = "url" }\n'

        assert Deciding(tmp_path, bound + self.RULE)(tool, **arguments) == expected

    def test_grant_leaves_texts_that_it_does_not_name(self, tmp_path):
        """With `extra` allowed, the use is granted and the other texts still need a grant of their own."""
        decide = Deciding(tmp_path, self.RULE + 'extra = "allow"\n')

        assert [decide("mail", to="a@x.test", n=5), decide("mail", to="a@x.test", bcc="b")] == ["allow", "deny"]

    def test_refusal_says_what_would_be_allowed(self, tmp_path):
        rule = '[[rule]]\nid = "r"\nkind = "arguments"\nargument = "/limit"\nmin = 1\nmax = 1000\n'
        decision = Deciding(tmp_path, rule).engine.decide("search", {"limit": 5000})

        assert decision.reason.endswith("allowed: `/limit` at least `1`, at most `1000` and no other argument")


class TestPredicates:
    """Single predicates at their edges."""

    @pytest.mark.parametrize(
        ("predicate", "value", "expected"),
        [
            (Predicate(equals=1), 1.0, HOLDS),
            (Predicate(equals=1), True, WRONG_TYPE),
            (Predicate(equals={"a": [1]}), {"a": [1]}, HOLDS),
            (Predicate(equals={"a": [1]}), {"a": [True]}, FAILS),
            (Predicate(one_of=("a", 1)), 2, FAILS),
            (Predicate(one_of=("a", "b")), 2, WRONG_TYPE),
            (Predicate(max=10), float("nan"), WRONG_TYPE),
            (Predicate(max=10), float("-inf"), WRONG_TYPE),
            (Predicate(max=10), "1,000", WRONG_TYPE),
            (Predicate(max_length=2), "äöü", FAILS),
            (Predicate(max_length=2), [1, 2], HOLDS),
            (Predicate(max_length=2), 11, WRONG_TYPE),
            (Predicate(glob="a*"), "xa", FAILS),
            (Predicate(regex="a|b"), "ab", FAILS),
            (Predicate(regex="(a+)+"), "a" * 5_000 + "!", FAILS),
            (Predicate(regex="a"), "a\n", FAILS),
            (Predicate(not_before=dt.date(2027, 1, 1)), "2027-01-01", HOLDS),
            (Predicate(not_before=dt.date(2027, 1, 1)), "2026-12-31", FAILS),
            (Predicate(not_before=dt.date(2027, 1, 1)), "2027-1-1", WRONG_TYPE),
            (Predicate(not_before=dt.date(2027, 1, 1)), "2027-02-30", WRONG_TYPE),
            (Predicate(not_before=dt.date(2027, 1, 1)), "2027-01-01T00:00:00Z", WRONG_TYPE),
            (Predicate(not_after=dt.datetime(2027, 1, 1, tzinfo=dt.UTC)), "2027-01-01T00:30:00+01:00", HOLDS),
            (Predicate(not_after=dt.datetime(2027, 1, 1, tzinfo=dt.UTC)), "2027-01-01T00:00:00.000000001Z", FAILS),
            (Predicate(not_after=dt.datetime(2027, 1, 1, tzinfo=dt.UTC)), "2026-12-31T23:59:59", WRONG_TYPE),
            (Predicate(not_after=dt.datetime(2027, 1, 1, tzinfo=dt.UTC)), "2026-12-31 23:59:59Z", WRONG_TYPE),
            (Predicate(not_=Predicate(glob="*evil*")), "good", HOLDS),
            (Predicate(not_=Predicate(glob="*evil*")), ["evil"], WRONG_TYPE),
        ],
        ids=str,
    )
    def test_predicate_of_a_value(self, predicate, value, expected):
        assert compile_judge(predicate)(value) is expected

    @pytest.mark.parametrize("value", ["DROP TABLE x", "drop table y", " ＤＲＯＰ table z", "dro\u200bp table"])
    def test_denied_pattern_is_found_in_other_spellings(self, value):
        assert denies(made(KIND, deny=({"q": Check(regex="drop table.*")},)), {"q": value}) is True


SCHEMAS = st.recursive(
    st.one_of(
        st.booleans(),
        st.sampled_from(["string", "integer", "number", "boolean", "null", "array", "object"]).map(
            lambda name: {"type": name}
        ),
        st.builds(lambda low: {"minimum": low}, st.integers(-3, 3)),
        st.builds(lambda items: {"enum": items}, st.lists(scalars, min_size=1, max_size=3)),
        st.sampled_from(["^a", "b$", "[ab]{2}", "A|b"]).map(lambda pattern: {"pattern": pattern}),
        st.just({"uniqueItems": True}),
        st.just({"maxLength": 1}),
    ),
    lambda inner: st.one_of(
        st.builds(lambda one: {"items": one}, inner),
        st.builds(lambda one: {"not": one}, inner),
        st.builds(lambda both: {"anyOf": both}, st.lists(inner, min_size=1, max_size=2)),
        st.builds(lambda one, more: {"properties": {"a": one}, "additionalProperties": more}, inner, inner),
        st.builds(
            lambda one, more: {
                "patternProperties": {"^a": one},
                "properties": {"b": one},
                "additionalProperties": more,
            },
            inner,
            inner,
        ),
    ),
    max_leaves=5,
)
SCHEMAS |= SCHEMAS.map(lambda one: {"$defs": {"x": one}, "items": {"$ref": "#/$defs/x"}})


class TestSchemas:
    """Whole JSON Schemas: as the library reads them, in linear time, alone."""

    @given(schema=SCHEMAS, value=values)
    def test_schema_means_what_the_library_says(self, schema, value):
        """Where a schema has no fault, it takes exactly the values that jsonschema's own keywords take."""
        plain = jsonschema.Draft202012Validator(schema)

        assert schema_faults(schema) == []
        assert compile_schema(schema)(snapshot(value)) is plain.is_valid(value)

    @pytest.mark.parametrize(
        "schema",
        [
            {"propertyNames": {"not": {"pattern": r"^\d$"}}},
            {"patternProperties": {r"^\d$": False}},
            {"patternProperties": {r"^\D$": True}, "additionalProperties": False},
        ],
        ids=str,
    )
    def test_patterns_are_those_of_the_rules(self, schema):
        """A digit is one of ASCII, as in every other pattern of a rule."""
        assert [compile_schema(schema)({key: 1}) for key in ("٣", "3")] == [True, False]

    @pytest.mark.parametrize(
        "schema",
        [
            {"pattern": "^(a+)+$"},
            {"propertyNames": {"pattern": "^(a+)+$"}},
            {"patternProperties": {"^(a+)+$": True}, "additionalProperties": False},
        ],
        ids=str,
    )
    def test_hostile_text_takes_linear_time(self, schema):
        """What would take for ever with backtracking is refused at once."""
        text = "a" * 5_000 + "!"

        assert compile_schema(schema)({text: 1} if "pattern" not in schema else text) is False

    @pytest.mark.parametrize(
        ("format_", "right", "wrong"),
        [
            ("date", "2027-01-31", "2027-02-31"),
            ("date-time", "2027-01-31T00:00:00Z", "2027-01-31T00:00:00"),
            ("time", "10:00:00Z", "25:00:00Z"),
            ("ipv4", "10.0.0.1", "10.0.0.01"),
            ("ipv6", "::1", "::1%eth0"),
            ("uuid", "123e4567-e89b-12d3-a456-426614174000", "123e4567e89b12d3a456426614174000"),
            ("regex", "a+", "(?=a)"),
        ],
    )
    def test_formats_are_checked(self, format_, right, wrong):
        holds = compile_schema({"format": format_})

        assert [holds(right), holds(wrong), holds(5)] == [True, False, True]

    @pytest.mark.parametrize(
        ("schema", "path"),
        [
            ({"requird": ["a"]}, ("requird",)),
            ({"properties": {"a": {"typ": "string"}}}, ("properties", "a", "typ")),
            ({"type": "strng"}, ("type",)),
            ({"format": "email"}, ("format",)),
            ({"$ref": "https://example.com/x.json"}, ("$ref",)),
            ({"$ref": "file:///etc/passwd"}, ("$ref",)),
            ({"$ref": "other.json"}, ("$ref",)),
            ({"$ref": "#/$defs/x"}, ("$ref",)),
            ({"$dynamicRef": "#x"}, ("$ref",)),
            ({"$id": "https://example.com/"}, ("$id",)),
            ({"$schema": "http://json-schema.org/draft-07/schema#"}, ("$schema",)),
            ({"pattern": "(?=a)"}, ("pattern",)),
            ({"patternProperties": {"(a)\\1": True}}, ("patternProperties", "(a)\\1")),
            (
                {"allOf": [{"patternProperties": {"a": True}}], "unevaluatedProperties": False},
                ("unevaluatedProperties",),
            ),
            (5, ()),
        ],
        ids=str,
    )
    def test_fault_stands_at_its_place(self, schema, path):
        assert [fault.path for fault in schema_faults(schema)] == [path]


class TestFiles:
    """A schema in a file beside the rules."""

    RULE = '[[rule]]\nid = "s"\nkind = "arguments"\nschema = "schemas/n.json"\n'

    def write(self, folder, schema):
        (folder / "schemas").mkdir(exist_ok=True)
        path = folder / "schemas" / "n.json"
        path.write_text(schema if isinstance(schema, str) else json.dumps(schema), encoding="utf-8")
        return path

    def test_schema_is_read_relative_to_the_rule_file(self, tmp_path):
        self.write(tmp_path, {"properties": {"n": {"type": "integer"}}, "required": ["n"]})
        decide = Deciding(tmp_path, self.RULE, default="allow")

        assert [decide("t", n=5), decide("t", n="5"), decide("t")] == ["allow", "deny", "deny"]

    def test_schema_is_a_part_of_the_plan(self, tmp_path):
        """Another schema is another plan, and no call may write the file."""
        path = self.write(tmp_path, True)
        first = Deciding(tmp_path, self.RULE, default="allow")
        path.write_text("false")
        second = Deciding(tmp_path, self.RULE, default="allow")

        assert first.engine.plan.digest != second.engine.plan.digest
        assert first("write_file", path=str(path), content="true") == "deny"

    @pytest.mark.parametrize("text", ["{", '{"a": 1, "a": 2}', "NaN", '{"type": "strng"}', '"\\ud800"', "[" * 9_999])
    def test_broken_file_is_a_problem_at_its_name(self, tmp_path, text):
        self.write(tmp_path, text)
        setting = Setting("s", "deny", None, None, str(tmp_path))
        KIND.compile(KIND.fields(schema="schemas/n.json"), setting)

        assert [(one.code, one.path) for one in setting.problems] == [("bad-schema", ("schema",))]

    @pytest.mark.parametrize("name", ["absent.json", ".", "a\0b"])
    def test_missing_file_is_a_problem(self, tmp_path, name):
        setting = Setting("s", "deny", None, None, str(tmp_path))
        KIND.compile(KIND.fields(schema=name), setting)

        assert [(one.code, one.path) for one in setting.problems] == [("bad-schema", ("schema",))]


class TestProblems:
    """A rule that could not do what it says is refused when it is loaded."""

    @pytest.mark.parametrize(
        ("fields", "expected"),
        [
            ({"max": 5}, [("missing-key", ())]),
            ({"argument": "/a", "missing": "allow", "extra": "allow"}, [("says-nothing", ("argument",))]),
            ({"argument": "/a~", "max": 5}, [("bad-pointer", ("argument",))]),
            ({"argument": ("/a", "/~"), "max": 5}, [("bad-pointer", ("argument", 1))]),
            ({"argument": "/a", "min": 6, "max": 5}, [("never-holds", ("max",))]),
            ({"argument": "/a", "min_length": 6, "max_length": 5}, [("never-holds", ("max_length",))]),
            ({"argument": "/a", "min": 6, "glob": "x"}, [("never-holds", ("glob",))]),
            ({"argument": "/a", "equals": "x", "glob": "y*"}, [("never-holds", ("equals",))]),
            ({"argument": "/a", "one_of": ("y", "x"), "glob": "y*"}, [("never-holds", ("one_of", 1))]),
            ({"argument": "/a", "not_": Predicate()}, [("never-holds", ("not",))]),
            ({"argument": "/a", "not_": Predicate(regex="(")}, [("bad-pattern", ("not", "regex"))]),
            ({"argument": "/a", "regex": "(?=a)"}, [("bad-pattern", ("regex",))]),
            ({"argument": "/a", "equals": dt.date(2027, 1, 1)}, [("bad-value", ("equals",))]),
            ({"argument": "/a", "one_of": ("a", float("nan"))}, [("bad-value", ("one_of", 1))]),
            ({"argument": "/a", "not_before": dt.datetime(2027, 1, 1)}, [("bad-value", ("not_before",))]),  # noqa: DTZ001
            (
                {"argument": "/a", "not_before": dt.date(2027, 1, 2), "not_after": dt.date(2027, 1, 1)},
                [("never-holds", ("not_after",))],
            ),
            (
                {
                    "argument": "/a",
                    "not_before": dt.date(2027, 1, 2),
                    "not_after": dt.datetime(2027, 1, 3, tzinfo=dt.UTC),
                },
                [("bad-value", ("not_after",))],
            ),
            ({"deny": ({},)}, [("empty-table", ("deny", 0))]),
            ({"deny": ({"/a~2": Check(max=1)},)}, [("bad-pointer", ("deny", 0, "/a~2"))]),
            ({"only": ({"a": Check(min=2, max=1)},)}, [("never-holds", ("only", 0, "a", "max"))]),
            ({"only": ({"a": Check(schema={"typ": 1})},)}, [("bad-schema", ("only", 0, "a", "schema", "typ"))]),
            ({"deny": ({"a": Check(max=1)},), "extra": "allow"}, [("says-nothing", ("extra",))]),
            ({"allow": ({"a": Check(max=1)},), "wrong_type": "allow"}, [("says-nothing", ("wrong_type",))]),
        ],
        ids=str,
    )
    def test_problem_stands_at_its_key(self, fields, expected):
        assert problems(KIND, **fields) == expected


class TestSecrets:
    """A value holds a secret wherever in it that stands, and whatever it is encoded in."""

    @given(
        secret=st.sampled_from(["github-token", "aws-access-key", "aws-secret-key"]).map(SECRETS.get),
        layers=layers,
        place=st.sampled_from(["text", "key", "item", "deep"]),
    )
    def test_secret_is_seen_wherever_it_stands(self, secret, layers, place):
        hidden = encoded(secret, layers)
        value = {"text": f"a {hidden}", "key": {hidden: 1}, "item": [1, hidden], "deep": {"a": [{"b": hidden}]}}[place]
        call = {"body": value, "n": 1}

        assert denies(made(KIND, deny=({"": Check(secrets=True)},)), call) is True
        assert denies(made(KIND, deny=({"body": Check(secrets=("github-*", "aws-*"))},)), call) is True
        assert confines(made(KIND, argument="body", secrets=False, extra="allow"), call) is False

    @given(arguments=calls)
    def test_call_without_a_secret_has_none(self, arguments):
        """Numbers, booleans and null hold none either, and are of no wrong type."""
        assert denies(made(KIND, deny=({"": Check(secrets=True)},)), arguments) is False
        assert confines(made(KIND, only=({"": Check(secrets=False)},)), arguments) is True

    def test_name_of_an_argument_tells_of_its_value(self):
        """In JSON text the key and the value stand side by side."""
        name, value = SECRETS["aws-secret-key"].split(" = ")

        assert denies(made(KIND, deny=({"env": Check(secrets=True)},)), {"env": {name: value}}) is True

    def test_other_formats_than_the_named_are_passed_over(self):
        deny = made(KIND, deny=({"t": Check(secrets=("gitlab-*",))},))

        assert denies(deny, {"t": SECRETS["github-token"]}) is False

    def test_value_that_is_too_long_to_be_looked_through_is_refused(self, monkeypatch):
        """An error inside a rule is a match for a deny."""
        monkeypatch.setattr("tidegate.redacting.finding.MOST_TEXT", 10)
        deny = made(KIND, deny=({"t": Check(secrets=True)},))

        with pytest.raises(TooMuch):
            denies(deny, {"t": "x" * 11})

    @pytest.mark.parametrize(
        ("check", "expected"),
        [
            (Check(secrets=("aws-acess-key",)), ("bad-value", ("deny", 0, "t", "secrets", 0))),
            (Check(secrets=True, min=1), ("never-holds", ("deny", 0, "t", "secrets"))),
            (Check(secrets=True, equals="x"), ("never-holds", ("deny", 0, "t", "equals"))),
        ],
        ids=str,
    )
    def test_problem_stands_at_its_key(self, check, expected):
        assert problems(KIND, deny=({"t": check},)) == [expected]
