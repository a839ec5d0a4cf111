"""`arguments`: what the arguments of a call must be, must not be, and may be."""

from __future__ import annotations

from itertools import starmap
from typing import TYPE_CHECKING

import attrs
from attrs import frozen

from ..kind import Case, Effect, EffectKind, Example, Guard, Kind, Phase, Seeks, Setting, Tri, param
from ..pointers import pointer_to, values_at
from ..predicates import Predicate
from ..predicates.checks import Check, compile_check, compile_pointer, compile_tables
from ..predicates.index import Needed, needed
from ..predicates.latest import latest
from ..predicates.places import is_beneath
from ..predicates.tables import Entry, State, States, Table, is_hit, is_met
from ..predicates.words import words
from ..shown import quote

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


@frozen
class Arguments(Check):
    """State what must hold of the arguments of a call, what is refused, and what is granted.

    Arguments are named by JSON pointers (`/to`, or plainly `to`); `*` as a segment is each item or value, and the
    empty pointer the arguments as a whole. `argument` with predicates beside it says what must hold of that one.
    For several, `only`, `deny` and `allow` are arrays of tables from pointer to predicates; a table applies where
    everything in it holds, and a list where one of its tables does. An empty table `{}` names an argument without
    saying more of it. With a `schema` and no `argument`, the arguments as a whole must meet it.

    **Missing, extra, of another type.** Outside of a `deny`, an argument that is missing refuses the call unless
    `missing = "allow"`; so does one that the rule does not name, at any depth on the way, unless
    `extra = "allow"`. A value of another type than the predicate is about (`"1,000"` or `true` for a number, null for
    anything) refuses the call everywhere, in a `deny` too and under `not` too, unless `wrong_type = "allow"`; it is
    never granted. To a `deny` a missing argument is one that is not there to be refused, unless `missing = "deny"`.

    Numbers are compared exactly, however large. Globs and regular expressions match the whole text as it is; a
    `deny` (and a `not` in what must hold) also sees through case, blanks around, invisible characters and
    look-alikes. Dates are days (`2027-01-31`), moments are RFC 3339 with their zone and compared as instants.

    `secrets = false` holds of a value without a secret, and `secrets = true` of one with: a token or key in a format
    that the kind `redact` knows, in any text or key of the value, also encoded. In a `deny`,
    `{ "" = { secrets = true } }` looks at all arguments.

    A grant covers the use of the tool, and the texts that it names where no binding says what they mean. It never
    covers what a bound argument does: a path that looks like `/srv/*` may lead anywhere, so paths, URLs and commands
    need grants of their own kinds.

    A schema is judged as a whole: nothing is fetched, `$ref` leads within it, `pattern` is of the RE2 dialect and
    searched for, formats are checked, and keywords or formats that nobody would check are refused.

    The rule compares text and not meaning: for what an argument does, write rules of the kinds `path`, `url`,
    `command` or `sql`.
    """

    argument: str | tuple[str, ...] | None = param(
        "The argument, or each of several, of which the predicates beside it must hold.", default=None
    )
    only: tuple[dict[str, Check], ...] | None = param("Tables of which one must hold; grants nothing.", default=None)
    deny: tuple[dict[str, Check], ...] | None = param("Tables of which none may hold.", default=None)
    allow: tuple[dict[str, Check], ...] | None = param(
        "Tables of which one, if it holds, grants the use.", default=None
    )
    missing: State | None = param(
        "What an argument that is not there does: `deny` as one that fails, `allow` as one that holds; "
        "`deny` unless given, and nothing in a `deny` list.",
        default=None,
    )
    extra: State | None = param("What an argument that the rule does not name does; `deny` unless given.", default=None)
    wrong_type: State = param(
        "What a value of another type does: `deny` refuses the call, `allow` takes it for one that the rule is not "
        "about.",
        default="deny",
    )


_COVERS: frozenset[EffectKind] = frozenset({"use", "mention"})


def compile_arguments(fields: Arguments, setting: Setting) -> Guard:
    """Compile the tables; a call is compared with them once, and they answer for the use of the tool."""
    states = States(fields.missing, fields.extra, fields.wrong_type)
    alone = _flat(fields, setting)
    only = compile_tables("only", fields.only, setting, wide=False)
    deny = compile_tables("deny", fields.deny, setting, wide=True)
    allow = compile_tables("allow", fields.allow, setting, wide=False)
    _check_states(fields, setting)
    lists = [one for one in (alone, only, allow if setting.otherwise else ()) if one]

    def denies(_: Effect, case: Case) -> Tri:
        return any(is_hit(table, case.call.arguments, states) for table in deny)

    def confines(_: Effect, case: Case) -> Tri:
        arguments = case.call.arguments
        return all(any(is_met(table, arguments, states) for table in tables) for tables in lists)

    @latest
    def granted(case: Case) -> frozenset[str] | None:
        """The pointers to what is granted, `None` where no table holds."""
        arguments, strict = case.call.arguments, states._replace(wrong_type="deny")
        met = [table for table in allow if is_met(table, arguments, strict)]
        named = (place for table in met for entry in table for place, _ in values_at(arguments, entry.pointer))
        return frozenset(named) if met else None

    def grants(effect: Effect, case: Case) -> Tri:
        places = granted(case)
        return places is not None and (effect.kind == "use" or is_beneath(effect.source, places))

    return Guard(
        grants=grants if allow else None,
        denies=denies if deny else None,
        confines=confines if lists else None,
        about=frozenset({"use"}),
        covers=_COVERS,
        offer="" if setting.problems else _offer(fields, setting),
        whole=True,
        seeks=None if lists or allow or setting.problems else _seeks(fields.deny or ()),
    )


def _seeks(tables: tuple[dict[str, Check], ...]) -> Seeks | None:
    """For each table of a `deny` one of the texts that it needs; `None` where a table needs none."""
    found = [next(filter(None, starmap(_needed, table.items())), None) for table in tables]
    texts = tuple(need for need in found if need is not None)
    return Seeks(texts=texts) if len(texts) == len(found) else None


def _needed(name: str, check: Check) -> Needed | None:
    return needed(pointer_to(name) if name else (), check) if check.schema is None else None


def _flat(fields: Arguments, setting: Setting) -> tuple[Table, ...]:
    """The predicates that stand in the rule itself, as a list of one table."""
    check = Check(**{field.name: getattr(fields, field.name) for field in attrs.fields(Check)})
    if fields.argument is None and check == Check():
        return ()
    if fields.argument is None and check.given():
        setting.problem((), "missing-key", "the key `argument` is missing", *_WHOSE)
        return ()
    if fields.argument is not None and check == Check() and fields.missing == "allow" and fields.extra == "allow":
        setting.problem(("argument",), "says-nothing", "nothing is said of the argument", *_IDLE)
    several = isinstance(fields.argument, tuple)
    names = fields.argument if isinstance(fields.argument, tuple) else (fields.argument or "",)
    pointers = [
        compile_pointer(name, ("argument", at) if several else ("argument",), setting) for at, name in enumerate(names)
    ]
    judge = compile_check(check, (), setting, wide=False)
    return (tuple(Entry(pointer, judge) for pointer in pointers),)


def _check_states(fields: Arguments, setting: Setting) -> None:
    """States that nothing in the rule would look at."""
    confines = fields.only or fields.allow or fields.argument is not None or fields.schema is not None
    if fields.extra is not None and not confines:
        setting.problem(("extra",), "says-nothing", "`extra` stands there beside a `deny` alone", *_NO_EXTRA)
    if fields.wrong_type == "allow" and not (fields.only or fields.deny or fields.argument is not None):
        setting.problem(("wrong_type",), "says-nothing", "`wrong_type` stands there beside an `allow` alone", *_NO_TYPE)


_WHOSE = ("nobody knows of which argument the predicates must hold", 'add `argument = "/NAME"`')
_IDLE = ("it may be missing, others may be there, and it may be anything", "say what must hold of it")
_NO_EXTRA = ("a `deny` looks only at what it names", "leave it out, or write `only`")
_NO_TYPE = ("a grant needs a value of the right type", "leave it out")


def _offer(fields: Arguments, setting: Setting) -> str:
    """What would be allowed, for the model."""
    lists = [fields.only or (), (fields.allow or ()) if setting.otherwise or not fields.only else ()]
    names = (fields.argument,) if isinstance(fields.argument, str) else fields.argument or ()
    told = [", ".join(_told(name, fields) for name in names)] if names else []
    told += [", ".join(_told(name, check) for name, check in table.items()) for tables in lists for table in tables]
    others = "" if fields.extra == "allow" or not told else " and no other argument"
    return "; or ".join(f"{one}{others}" for one in told if one)


def _told(name: str, check: Check) -> str:
    said = words(check)
    return f"{quote(name or '/', limit=60)} {said}" if said else quote(name or "/", limit=60)


def _strategy() -> SearchStrategy[Arguments]:
    from hypothesis import strategies as st

    names = st.sampled_from(["a", "b", "/a/*/b", "/b/0", ""])
    numbers = st.integers(-5, 5) | st.just(2**63) | st.floats(-5, 5)
    texts = st.text("ab/*", max_size=3)
    checks = st.one_of(
        st.just(Check()),
        st.builds(lambda two: Check(min=min(two), max=max(two)), st.tuples(numbers, numbers)),
        st.builds(lambda size: Check(max_length=size), st.integers(0, 4)),
        st.builds(lambda text: Check(glob=text), texts),
        st.builds(lambda text: Check(equals=text), texts | numbers | st.booleans()),
        st.builds(lambda said: Check(secrets=said), st.sampled_from([("aws-*",), True, False])),
        st.builds(lambda text: Check(not_=Predicate(glob=text)), texts),
    )
    tables = st.lists(st.dictionaries(names, checks, min_size=1, max_size=2), min_size=1, max_size=2).map(tuple)
    state = st.none() | st.sampled_from(["deny", "allow"])
    return st.one_of(
        st.builds(Arguments, only=tables, deny=st.none() | tables, missing=state, extra=state),
        st.builds(Arguments, deny=tables, missing=state),
        st.builds(Arguments, allow=tables, missing=state, extra=state),
    )


KIND = Kind(
    name="arguments",
    phase=Phase.GUARD,
    fields=Arguments,
    compile=compile_arguments,
    examples=(
        Example(
            "A number within bounds",
            """\
[[rule]]
id = "few-rows"
kind = "arguments"
tools = ["search_orders"]
argument = "/limit"
min = 1
max = 1000
extra = "allow"

[[rule.example]]
call = { tool = "search_orders", args = { text = "boots", limit = 1000 } }
expect = "pass"

[[rule.example]]
call = { tool = "search_orders", args = { text = "boots", limit = 1001 } }
expect = "deny"

[[rule.example]]
call = { tool = "search_orders", args = { text = "boots", limit = "1,000" } }
expect = "deny"
why = "a text is no number, whatever it says"

[[rule.example]]
call = { tool = "search_orders", args = { text = "boots" } }
expect = "deny"
why = "without the argument the tool would choose the limit"
""",
        ),
        Example(
            "Mail stays in the house",
            """\
[[rule]]
id = "mail-inside"
kind = "arguments"
tools = ["send_email"]
missing = "allow"
allow = [{ "/to" = { glob = "*@example.com" }, "/cc/*" = { glob = "*@example.com" }, "/subject" = {}, "/body" = {} }]
otherwise = "deny"

[[rule.example]]
call = { tool = "send_email", args = { to = "ann@example.com", subject = "Hi", body = "…" } }
expect = "allow"

[[rule.example]]
call = { tool = "send_email", args = { to = "ann@example.com", bcc = "eve@evil.test", body = "…" } }
expect = "deny"
why = "an argument that the rule does not name is refused"

[[rule.example]]
call = { tool = "send_email", args = { to = "ann@example.com", cc = ["bob@example.com.evil.test"], body = "…" } }
expect = "deny"

[[rule.example]]
call = { tool = "send_email", args = { to = ["ann@example.com"], body = "…" } }
expect = "deny"
why = "a list is no text"
""",
        ),
        Example(
            "Nothing in production",
            """\
[[rule]]
id = "no-production"
kind = "arguments"
deny = [
  { "/environment" = { one_of = ["prod", "production"] } },
  { "/force" = { equals = true }, "/dry_run" = { equals = false } },
]

[[rule.example]]
call = { tool = "deploy", args = { environment = "Production " } }
expect = "deny"
why = "a deny sees through case and blanks"

[[rule.example]]
call = { tool = "deploy", args = { environment = "staging", force = "true", dry_run = false } }
expect = "deny"
why = "a text where a boolean belongs is no way around the rule"

[[rule.example]]
call = { tool = "deploy", args = { environment = "staging", force = true, dry_run = true } }
expect = "pass"
""",
        ),
        Example(
            "A whole schema",
            """\
[[rule]]
id = "refunds"
kind = "arguments"
tools = ["refund"]

[rule.schema]
type = "object"
required = ["order", "cents"]
additionalProperties = false
properties.order = { type = "string", pattern = "^[A-Z]{2}-[0-9]+$" }
properties.cents = { type = "integer", minimum = 1, maximum = 5000 }

[[rule.example]]
call = { tool = "refund", args = { order = "DE-17", cents = 5000 } }
expect = "pass"

[[rule.example]]
call = { tool = "refund", args = { order = "DE-17", cents = 5001 } }
expect = "deny"

[[rule.example]]
call = { tool = "refund", args = { order = "DE-17", cents = 100, to = "me" } }
expect = "deny"
""",
        ),
        Example(
            "Bookings of next year",
            """\
[[rule]]
id = "next-year"
kind = "arguments"
tools = ["book"]
argument = ["/from", "/to"]
not_before = 2027-01-01
not_after = 2027-12-31
otherwise = "ask"

[[rule.example]]
call = { tool = "book", args = { from = "2027-03-01", to = "2027-03-02" } }
expect = "pass"

[[rule.example]]
call = { tool = "book", args = { from = "2026-12-31", to = "2027-01-02" } }
expect = "ask"

[[rule.example]]
call = { tool = "book", args = { from = "1 March 2027", to = "2027-03-02" } }
expect = "ask"
why = "what is no date cannot be compared"
""",
        ),
        Example(
            "No secret leaves the house",
            """\
[[rule]]
id = "no-secrets-out"
kind = "arguments"
tools = ["send_email", "web_search"]
deny = [{ "" = { secrets = true } }]

[[rule.example]]
call = { tool = "send_email", args = { to = "ann@example.com", body = "the key is AKIAIOSFODNN7EXAMPLE" } }
expect = "deny"

[[rule.example]]
call = { tool = "web_search", args = { query = "what is QUtJQUlPU0ZPRE5ON0VYQU1QTEU=" } }
expect = "deny"
why = "the same key in base64"

[[rule.example]]
call = { tool = "web_search", args = { query = "where do AKIA keys come from", page = 2 } }
expect = "pass"
""",
        ),
    ),
    strategy=_strategy,
)
