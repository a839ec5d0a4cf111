"""`sql`: what may be done to a database."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from attrs import frozen

from ..kind import Case, Effect, EffectKind, Example, Guard, Kind, Phase, Setting, Tri, Unknown, all_of, any_of, param
from ..meaning.effects import SqlTarget
from ..meaning.sql.asked import Asked, Condition, hit
from ..meaning.sql.dialects import DIALECTS, Dialect
from ..meaning.sql.reading import is_installed, read_sql
from ..meaning.sql.statement import Reading, StatementKind
from ..meaning.sql.tablepatterns import TablePattern
from ..pointers import MISSING, BadPointer, Pointer, pointer_to, values_at
from ..predicates.latest import latest

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


@frozen
class Sql:
    """Confine the SQL that a call runs to reading, to kinds of statements, to tables, to conditions and row limits.

    The rule looks at arguments with the role `sql` (and at those named `sql` without a role), or at `argument`.
    Without `argument` it looks at the SQL in commands as well (`psql -c`, `mysql -e`, `sqlite3 FILE SQL`, or text that
    is piped into one of them), which is read in the dialect of that client. All that it says must hold of each
    statement: `read_only`, `statements`, `tables`, `where_required`, `max_rows`, `max_statements`, `comments`. What
    fails gets `otherwise`. `deny_statements` and `deny_tables` refuse what they name. With `grant = true`, SQL of which
    all holds is granted as well; a client is granted by a rule about commands.

    **Read-only** is what is known to be: queries made of listed clauses and functions, `EXPLAIN` of one (not
    `ANALYZE`), `SHOW` where the dialect has statements for it (MySQL), `DESCRIBE` and a few pragmas. A function that
    nobody knows, `SELECT … INTO`, `FOR UPDATE`, a CTE that writes, a sequence, a file in place of a table and
    everything else is not.

    **Tables** are compared as the dialect does, by their parts from behind; names of CTEs are no tables. A pattern
    without a schema names tables that are written without one: where these are looked up, the SQL does not say, so
    that `public.*` cannot tell of `orders` (write both). A `deny_tables` sees through case and look-alikes and takes a
    table without a schema for the one that it names.

    **Unknown**, and answered by `unknown`, is text that the parser cannot read or that servers read differently by
    their settings (a backslash before a quote, comments within comments, MySQL's `/*! */`), and statements whose
    tables or conditions it cannot see (procedures, `EXECUTE`, functions that nobody knows). Without a `dialect` a text
    is read in each of them, and the strictest reading counts; name yours, or much will be unknown.

    **Limits.** A view, a trigger or a function that replaces a known one hides what it does, and a condition that is
    true of every row need not look so: `1=1`, `id=id` and `LIKE '%'` are seen, `id > 0` is not. The account of the
    database should have no more rights than the rule means to give.
    """

    argument: str | tuple[str, ...] | None = param(
        "The argument that holds the SQL, or several; without it those with the role `sql`.", default=None
    )
    dialect: Dialect | tuple[Dialect, ...] | None = param(
        "What the database speaks; of several dialects, and of all without it, the strictest reading counts.",
        default=None,
    )
    read_only: bool = param("With `true` only statements that are known to read may be run.", default=False)
    statements: tuple[StatementKind, ...] | None = param("The only kinds of statements that may be run.", default=None)
    deny_statements: tuple[StatementKind, ...] | None = param("Kinds of statements that are refused.", default=None)
    tables: tuple[str, ...] | None = param("Globs of the only tables that may be named.", default=None)
    deny_tables: tuple[str, ...] | None = param("Globs of tables that are refused.", default=None)
    where_required: bool = param(
        "With `true` an `UPDATE` or `DELETE` needs a condition that is not plainly true of every row.", default=False
    )
    max_rows: int | None = param(
        "A query must limit its rows, to this many at most, and by a plain number.", default=None, minimum=1
    )
    max_statements: int | None = param("How many statements one text may hold.", default=None, minimum=1)
    comments: Literal["allow", "deny"] = param("Whether the SQL may have comments.", default="allow")
    grant: bool = param("With `true` SQL of which all of this holds is granted.", default=False)


_WRITING = frozenset({"alter", "attach", "copy", "create", "delete", "detach", "drop", "execute", "grant"})
_CHANGING = _WRITING | {"insert", "load", "merge", "revoke", "truncate", "update"}


def compile_sql(fields: Sql, setting: Setting) -> Guard:
    """Compile the patterns; each text is read once, in each dialect."""
    if not is_installed():
        setting.problem(("kind",), "extra-missing", "SQL cannot be read, because sqlglot is not installed", *_NO_PARSER)
    _check(fields, setting)
    said = fields.dialect
    dialects = (said,) if isinstance(said, str) else said or DIALECTS
    asked = Asked(
        fields.read_only,
        fields.statements or (),
        setting.patterns("tables", fields.tables, TablePattern.compile),
        fields.where_required,
        fields.max_rows,
        fields.deny_statements or (),
        setting.patterns("deny_tables", fields.deny_tables, TablePattern.compile),
    )
    needs, refuses = list(asked.needs()), list(asked.refuses())
    pointers = _pointers(fields, setting)
    texts = _texts(pointers)

    @latest
    def readings(sql: str | SqlTarget) -> tuple[tuple[str, Reading | Unknown], ...]:
        if isinstance(sql, SqlTarget):
            return ((sql.dialect, read_sql(sql.text, sql.dialect)),)
        return tuple((dialect, read_sql(sql, dialect)) for dialect in dialects)

    def holds(text: str | SqlTarget) -> Tri:
        return all_of(_of(reading, dialect, fields, needs) for dialect, reading in readings(text))

    def confines(effect: Effect, case: Case) -> Tri:
        found = texts(effect, case)
        return found if isinstance(found, Unknown) else all_of(text is not None and holds(text) for text in found)

    def denies(effect: Effect, case: Case) -> Tri:
        found = texts(effect, case)
        if isinstance(found, Unknown):
            return found
        return any_of(
            True if text is None else hit(reading, dialect, refuses)
            for text in found
            for dialect, reading in (readings(text) if text is not None else (("", _NO_TEXT),))
        )

    def grants(effect: Effect, case: Case) -> Tri:
        if pointers and effect.kind != "use" and effect.source not in _places(pointers, case):
            return False
        return all_of([confines(effect, case), _negated(denies(effect, case))])

    covers: frozenset[EffectKind] = frozenset({"use", "query", "mention"} if pointers else {"query"})
    return Guard(
        grants=grants if fields.grant else None,
        denies=denies if refuses else None,
        confines=confines if needs or fields.max_statements or fields.comments == "deny" else None,
        about=frozenset({"use"} if pointers else {"query"}),
        covers=covers,
        offer=_offer(fields),
        whole=bool(pointers),
    )


_NO_TEXT = Unknown("the SQL is no text")


def _of(reading: Reading | Unknown, dialect: str, fields: Sql, needs: list[Condition]) -> Tri:
    """Whether a text is what the rule asks for, in one dialect."""
    if isinstance(reading, Unknown):
        return reading
    if fields.max_statements is not None and len(reading.statements) > fields.max_statements:
        return False
    if fields.comments == "deny" and reading.comments:
        return False
    return all_of(need(statement, dialect) for statement in reading.statements for need in needs)


def _negated(tri: Tri) -> Tri:
    return tri if isinstance(tri, Unknown) else not tri


def _pointers(fields: Sql, setting: Setting) -> tuple[Pointer, ...]:
    several = isinstance(fields.argument, tuple)
    names = fields.argument if isinstance(fields.argument, tuple) else (fields.argument,) if fields.argument else ()
    pointers = []
    for at, name in enumerate(names):
        try:
            pointers.append(pointer_to(name))
        except BadPointer as bad:
            path = ("argument", at) if several else ("argument",)
            setting.problem(path, "bad-pointer", str(bad), "what cannot be found would never be looked at", bad.mend)
    return tuple(pointers)


def _texts(pointers: tuple[Pointer, ...]) -> Callable[[Effect, Case], list[str | SqlTarget | None] | Unknown]:
    """What gives the SQL that an effect is about; `None` stands for a value that is no text."""

    def texts(effect: Effect, case: Case) -> list[str | SqlTarget | None] | Unknown:
        if not pointers:
            return [effect.target if isinstance(effect.target, str | SqlTarget) else None]
        found = [value for pointer in pointers for _, value in values_at(case.call.arguments, pointer)]
        there: list[str | SqlTarget | None] = [
            value if isinstance(value, str) else None for value in found if value is not MISSING
        ]
        return there or Unknown("the call has no SQL where the rule looks for it")

    return texts


def _places(pointers: tuple[Pointer, ...], case: Case) -> set[str]:
    return {place for pointer in pointers for place, _ in values_at(case.call.arguments, pointer)}


def _check(fields: Sql, setting: Setting) -> None:
    """Conditions that say nothing, or that nothing meets."""
    needs = (fields.read_only, fields.statements, fields.tables, fields.where_required, fields.max_rows)
    refuses = (fields.deny_statements, fields.deny_tables)
    if not any((*needs, *refuses, fields.max_statements, fields.comments == "deny")):
        setting.problem((), "says-nothing", "nothing is asked of the SQL", *_NOTHING)
    if fields.grant and not (fields.read_only or fields.statements or fields.tables):
        setting.problem(("grant",), "missing-key", "a grant without `read_only`, `statements` and `tables`", *_GRANT)
    for index, kind in enumerate(fields.statements or ()):
        if fields.read_only and kind in _CHANGING:
            what = f"`{kind}` is not read-only"
            setting.problem(("statements", index), "never-holds", what, "both must hold, and they never do", _KEEP)
        if kind in (fields.deny_statements or ()):
            what = f"`{kind}` is allowed and refused"
            setting.problem(("statements", index), "never-holds", what, "the deny would always win", _KEEP)
    if fields.where_required and fields.read_only:
        setting.problem(("where_required",), "says-nothing", "`where_required` stands beside `read_only`", *_READING)


_NO_PARSER = ("a rule that cannot read what it judges would refuse everything, or nothing", "install `tidegate[sql]`")
_NOTHING = ("it would never answer anything", "add `read_only = true`, `statements`, `tables` or another condition")
_GRANT = ("it would grant whatever nobody refused", "say what may be done")
_KEEP = "keep one of them"
_READING = ("what only reads neither updates nor deletes", "keep one of them")


def _offer(fields: Sql) -> str:
    """What would be allowed, for the model."""
    said = [
        "reading" if fields.read_only else "",
        f"{', '.join(f'`{kind.upper()}`' for kind in fields.statements)}" if fields.statements else "",
        f"the tables {', '.join(f'`{table}`' for table in fields.tables)}" if fields.tables else "",
        "`UPDATE` and `DELETE` with a condition" if fields.where_required else "",
        f"queries with `LIMIT {fields.max_rows}` or less" if fields.max_rows else "",
        f"{fields.max_statements} statement{'s' if fields.max_statements != 1 else ''} at once"
        if fields.max_statements
        else "",
        "SQL without comments" if fields.comments == "deny" else "",
    ]
    return "; ".join(filter(None, said))


def _strategy() -> SearchStrategy[Sql]:
    from hypothesis import strategies as st

    tables = st.sampled_from(["orders", "public.*", "*", "*.audit_*", "Users"])
    lists = st.none() | st.lists(tables, min_size=1, max_size=2, unique=True).map(tuple)
    one = st.fixed_dictionaries({"read_only": st.just(True)}) | st.fixed_dictionaries({"where_required": st.just(True)})
    base = one | st.fixed_dictionaries({"statements": st.just(("select", "insert"))})
    more = st.fixed_dictionaries(
        {"tables": lists, "deny_tables": lists, "dialect": st.none() | st.sampled_from(DIALECTS)},
        optional={
            "max_rows": st.integers(1, 100),
            "max_statements": st.integers(1, 3),
            "comments": st.just("deny"),
            "deny_statements": st.just(("drop",)),
        },
    )
    both: SearchStrategy[dict[str, Any]] = st.builds(lambda least, rest: {**least, **rest}, base, more)
    return both.map(lambda fields: Sql(**fields))


KIND = Kind(
    name="sql",
    phase=Phase.GUARD,
    fields=Sql,
    compile=compile_sql,
    examples=(
        Example(
            "Reading only",
            """\
[[rule]]
id = "reading-only"
kind = "sql"
tools = ["query_orders"]
argument = "/sql"
dialect = "postgres"
read_only = true
max_rows = 100

[[rule.example]]
call = { tool = "query_orders", args = { sql = "SELECT state, 'drop table' FROM orders WHERE id = 7 LIMIT 10" } }
expect = "pass"

[[rule.example]]
call = { tool = "query_orders", args = { sql = "SELECT 1 LIMIT 1; DROP TABLE orders" } }
expect = "deny"

[[rule.example]]
call = { tool = "query_orders", args = { sql = "WITH x AS (DELETE FROM orders RETURNING *) SELECT * FROM x LIMIT 5" } }
expect = "deny"

[[rule.example]]
call = { tool = "query_orders", args = { sql = "SELECT pg_read_file('/etc/passwd') LIMIT 1" } }
expect = "deny"
why = "a function that is not known to be harmless"

[[rule.example]]
call = { tool = "query_orders", args = { sql = "SELECT * FROM orders" } }
expect = "deny"
why = "without a limit it could return everything"

[[rule.example]]
call = { tool = "query_orders", args = { sql = "SELEC 1" } }
expect = "ask"
why = "what cannot be read is unknown"
""",
        ),
        Example(
            "Some tables, by their names",
            """\
[[rule]]
id = "shop-tables"
kind = "sql"
tools = ["run_sql"]
argument = "sql"
dialect = "postgres"
statements = ["select"]
tables = ["shop.*", "orders"]
deny_tables = ["customers"]
grant = true

[[rule.example]]
call = { tool = "run_sql", args = { sql = "WITH new AS (SELECT * FROM orders) SELECT * FROM new, shop.items" } }
expect = "allow"
why = "`new` is no table"

[[rule.example]]
call = { tool = "run_sql", args = { sql = 'SELECT * FROM shop."CUSTOMERS"' } }
expect = "deny"

[[rule.example]]
call = { tool = "run_sql", args = { sql = "SELECT * FROM orders, pg_catalog.pg_authid" } }
expect = "deny"

[[rule.example]]
call = { tool = "list_tables", args = {} }
expect = "pass"
""",
        ),
        Example(
            "No change without a condition",
            """\
[[rule]]
id = "conditions"
kind = "sql"
dialect = "mysql"
where_required = true
deny_statements = ["drop", "truncate"]

[[rule.example]]
call = { tool = "run_sql", args = { sql = "UPDATE orders SET state = 'sent' WHERE id = 7" } }
expect = "pass"

[[rule.example]]
call = { tool = "run_sql", args = { sql = "DELETE FROM orders /* all */ WHERE 1 = 1 OR id = 7" } }
expect = "deny"
why = "a condition that is always true is none"

[[rule.example]]
call = { tool = "run_sql", args = { sql = "truncate orders" } }
expect = "deny"

[[rule.example]]
call = { tool = "run_sql", args = { sql = "SELECT 1 /*! UNION SELECT password FROM users */" } }
expect = "ask"
why = "MySQL runs what stands in such a comment"
""",
        ),
    ),
    strategy=_strategy,
)
