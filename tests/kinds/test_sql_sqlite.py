"""SQLite itself is asked: what the kind calls read-only changes nothing, and what it sees is what SQLite reaches."""

import sqlite3

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tidegate.meaning.sql.reading import read_sql
from tidegate.meaning.tri import Unknown

SCRIPT = """
CREATE TABLE orders (id INTEGER PRIMARY KEY, state TEXT, total REAL);
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT);
INSERT INTO orders VALUES (1, 'new', 5.5), (2, 'sent', 7);
INSERT INTO customers VALUES (1, 'Ann'), (2, 'Bob');
"""
CHANGES = {
    name
    for name in dir(sqlite3)
    if name.startswith(("SQLITE_CREATE", "SQLITE_DROP", "SQLITE_ALTER"))
    or name
    in ("SQLITE_INSERT", "SQLITE_UPDATE", "SQLITE_DELETE", "SQLITE_ATTACH", "SQLITE_DETACH", "SQLITE_TRANSACTION")
}
CHANGING = {getattr(sqlite3, name) for name in CHANGES}

names = st.sampled_from(["orders", "customers", '"orders"', "[customers]", "`orders`", "main.orders", "ORDERS", "x"])
columns = st.sampled_from(["id", "state", "name", "1", "'a;b'", "NULL", '"id"', "x.id"])
BLANKS = [" ", "\n", "\t", " /* c */ ", " -- c\n", "  "]
spaces = st.sampled_from(BLANKS)
expressions = st.recursive(
    columns,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "=", "<>", "||", "AND", "or", "LIKE", "IS"]), inner).map(" ".join),
        inner.map(lambda one: f"({one})"),
        inner.map(lambda one: f"upper({one})"),
        inner.map(lambda one: f"coalesce({one}, 1)"),
        inner.map(lambda one: f"CASE WHEN {one} THEN 1 ELSE 2 END"),
        inner.map(lambda one: f"exists(SELECT {one} FROM orders)"),
    ),
    max_leaves=4,
)


@st.composite
def queries(draw, depth=2):
    """A query, perhaps with CTEs, joins, subqueries and set operations."""
    source = draw(names) if depth == 0 or draw(st.booleans()) else f"({draw(queries(depth - 1))})"
    text = f"SELECT {draw(expressions)} AS a FROM {source} AS x"
    if draw(st.booleans()):
        text += f" WHERE {draw(expressions)}"
    if draw(st.integers(0, 4)) == 0:
        text += f" UNION ALL SELECT {draw(expressions)} FROM customers AS x"
    if draw(st.integers(0, 3)) == 0:
        text = f"WITH x AS ({text}) SELECT * FROM x"
    if draw(st.integers(0, 3)) == 0:
        text += f" LIMIT {draw(st.integers(0, 5))}"
    return text


changes = st.sampled_from(
    [
        "DELETE FROM orders",
        "UPDATE customers SET name = 'x'",
        "INSERT INTO orders VALUES (3, 'x', 1)",
        "REPLACE INTO orders VALUES (1, 'x', 1)",
        "DROP TABLE orders",
        "CREATE TABLE t2 AS SELECT * FROM orders",
        "CREATE TEMP VIEW v AS SELECT 1",
        "ALTER TABLE orders ADD COLUMN z",
        "PRAGMA user_version = 7",
        "PRAGMA journal_mode = MEMORY",
        "ATTACH ':memory:' AS other",
        "VACUUM",
        "REINDEX",
        "ANALYZE",
        "BEGIN",
        "SAVEPOINT s",
        "WITH x AS (SELECT 1) DELETE FROM orders",
        "WITH orders AS (SELECT 1) DELETE FROM orders",
        "WITH orders AS (SELECT 7 AS a) INSERT INTO customers SELECT a, 'q' FROM orders",
        "WITH customers AS (SELECT 1) UPDATE customers SET name = 'x' WHERE id = 1",
        "WITH x AS (SELECT 9 AS id) INSERT INTO customers SELECT id, 'q' FROM x",
        "INSERT INTO orders (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET state = 'y'",
        "EXPLAIN SELECT * FROM orders",
        "EXPLAIN QUERY PLAN SELECT 1",
        "PRAGMA table_info(orders)",
        "VALUES (1), (2)",
        "SELECT load_extension('x')",
    ]
)
statements = queries() | changes
texts = st.lists(statements, min_size=1, max_size=2).map(";".join) | st.tuples(statements, spaces, statements).map(
    "".join
)


@st.composite
def respelled(draw, of):
    """A text with blanks as comments and line ends, and words in other cases, outside of quotes."""
    text, chance, quote, out = draw(of), draw(st.randoms(use_true_random=False)), "", []
    for char in text:
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"`[":
            quote = "]" if char == "[" else char
        elif char == " ":
            out.append(chance.choice(BLANKS))
            continue
        out.append(char.swapcase() if not quote and chance.random() < 0.3 else char)
    return "".join(out)


class Database:
    """A scratch database that notes what SQLite says it does."""

    def __init__(self):
        self.connection = sqlite3.connect(":memory:", isolation_level=None)
        self.connection.executescript(SCRIPT)
        self.acts, self.tables = set(), set()
        self.before = self.dump()

    def dump(self):
        pragmas = [self.connection.execute(f"PRAGMA {name}").fetchall() for name in ("user_version", "database_list")]
        return list(self.connection.iterdump()), pragmas, self.connection.in_transaction

    def run(self, text):
        """Run statement after statement as a careless tool would, as far as SQLite takes them."""
        self.connection.set_authorizer(self._note)
        try:
            for one in _split(text):
                self.connection.execute(one).fetchall()
        except sqlite3.Error:
            pass
        finally:
            self.connection.set_authorizer(None)
        return self.dump()

    def _note(self, action, table, _column, _database, _source):
        self.acts.add(action)
        if action in (sqlite3.SQLITE_READ, sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE):
            self.tables.add(str(table).lower())
        return sqlite3.SQLITE_OK


def _split(text):
    """The statements of a text, as SQLite itself tells where they end."""
    piece = ""
    for char in text:
        piece += char
        if char == ";" and sqlite3.complete_statement(piece):
            yield piece
            piece = ""
    yield piece


def _is_read_only(text):
    reading = read_sql(text, "sqlite")
    return not isinstance(reading, Unknown) and not any(one.writes for one in reading.statements)


@given(text=respelled(texts))
@example(text="SELECT 1 /* ; */ ; DELETE FROM orders")
@example(text="SELECT 1 -- ;\n; DELETE FROM orders")
@example(text="SELECT 1 /* /* */ ; DELETE FROM orders -- */")
@example(text="SELECT '\\'; DELETE FROM orders; --'")
@example(text='SELECT "a" AS "delete" FROM orders; DELETE FROM orders')
@example(text="EXPLAIN SELECT 1; DELETE FROM orders")
@example(text="PRAGMA table_info(orders); PRAGMA user_version = 9")
@example(text="SELECT 1; ; ; DROP TABLE orders;")
def test_sql_that_is_called_read_only_changes_nothing(text):
    """After SQL that the kind calls read-only the database is what it was, and SQLite was asked for no change."""
    database = Database()
    after = database.run(text)

    assert not _is_read_only(text) or (after == database.before and not database.acts & CHANGING)


@given(text=respelled(queries()))
def test_queries_of_known_parts_are_called_read_only(text):
    """The kind is of use: whatever the spelling, a plain query is seen to be one."""
    assert _is_read_only(text)


@given(text=respelled(texts))
def test_tables_that_sqlite_reaches_are_seen(text):
    """Each table that SQLite reads or changes is among those that the kind sees, unless it says that some may hide."""
    database = Database()
    database.run(text)
    reading = read_sql(text, "sqlite")
    known = not isinstance(reading, Unknown) and not any(one.hidden for one in reading.statements)
    seen = {table[-1] for one in reading.statements for table in one.tables} if known else set()

    # SQLite also names the CTEs that it has worked out beforehand.
    assert not known or database.tables & {"orders", "customers", "t2"} <= seen


@given(change=changes.filter(lambda text: not text.startswith(("EXPLAIN", "VALUES", "PRAGMA table"))), data=st.data())
def test_respelling_never_makes_a_change_read_only(change, data):
    """However it is written, and whatever stands before it, what changes something is not called read-only."""
    before = data.draw(st.sampled_from(["", "SELECT 1; ", "SELECT ';'; ", "-- c\n", "/* SELECT */ "]))
    text = data.draw(respelled(st.just(before + change)))

    assert not _is_read_only(text)


@pytest.mark.parametrize(
    "condition", ["1=1", "'a' = 'a'", "id = id", "1 = 1 OR id = 5", "(true)", "name LIKE '%'", "1"]
)
def test_condition_that_is_called_missing_leaves_nothing_out(condition):
    """SQLite deletes every row by a condition that the kind takes for none."""
    database = Database()
    text = f"DELETE FROM customers WHERE {condition}"
    database.run(text)

    assert read_sql(text, "sqlite").statements[0].unfiltered
    assert database.connection.execute("SELECT count(*) FROM customers").fetchone() == (0,)


@given(limit=st.integers(0, 3), offset=st.none() | st.integers(0, 2), text=queries())
def test_query_returns_no_more_rows_than_it_is_seen_to_say(limit, offset, text):
    """The bound that the kind reads is one that SQLite keeps."""
    bounded = f"SELECT * FROM ({text}) LIMIT {limit}" + ("" if offset is None else f" OFFSET {offset}")
    (statement,) = read_sql(bounded, "sqlite").statements
    try:
        rows = Database().connection.execute(bounded).fetchall()
    except sqlite3.Error:
        rows = []

    assert statement.rows == limit
    assert len(rows) <= statement.rows
