"""The kind `sql`: what it lets through, what it holds, and what it says it cannot tell."""

import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kinds.deciding import Deciding
from tests.kinds.making import case, made, of_fields, problems
from tidegate.kind import Effect
from tidegate.kinds.sql import KIND, Sql
from tidegate.meaning.sql.dialects import DIALECTS
from tidegate.meaning.tri import Unknown

PIECES = """
SELECT * FROM a , orders 1 WHERE id = ; DROP TABLE DELETE LIMIT 10 ( ) WITH x AS UPDATE SET 'a' "b" `c` -- /* */
public . INTO EXPLAIN JOIN UNION ALL VALUES $$ [t] \\ '
"""
texts = st.lists(st.sampled_from([*PIECES.split(), "\n", ""]), max_size=12).map(" ".join)
near = st.sampled_from(
    [
        "SELECT * FROM orders LIMIT {}",
        "SELECT * FROM public.orders WHERE id = 1 LIMIT {}",
        "SELECT TOP {} * FROM orders",
        "DELETE FROM Users WHERE id = {}",
        "UPDATE users SET a = {}",
        "SELECT 1;SELECT 2 LIMIT {}",
        "WITH users AS (SELECT {}) SELECT * FROM users",
        "INSERT INTO x.audit_log VALUES ({})",
    ]
)
calls = st.builds(lambda text, count: text.replace("{}", str(count)), near, st.integers(0, 101)) | texts


def says(part, text, field="confines"):
    """What one matcher of a rule says of a text that a binding calls SQL."""
    return getattr(part, field)(Effect("query", text, "/sql"), case({"sql": text}))


def word(tri):
    """The answer as a word."""
    return "unknown" if isinstance(tri, Unknown) else {True: "yes", False: "no"}[tri]


class TestLaws:
    """Whatever the text, the answer is yes, no or unknown, and what is asked for more holds less."""

    @given(fields=KIND.strategy(), text=calls)
    def test_no_text_makes_a_rule_fail(self, fields, text):
        """Each matcher answers every text without an error."""
        part = of_fields(KIND, fields)
        answers = [word(says(part, text, field)) for field in ("confines", "denies") if getattr(part, field)]

        assert answers

    @given(dialect=st.sampled_from(DIALECTS), text=calls)
    def test_every_dialect_is_at_least_as_strict_as_each(self, dialect, text):
        """What a rule without a dialect calls read-only is so in each dialect."""
        every, one = (says(made(KIND, read_only=True, dialect=said), text) for said in (None, dialect))

        assert every is not True or one is True

    @given(fields=KIND.strategy(), text=calls)
    def test_refused_sql_is_never_granted(self, fields, text):
        """A rule grants only what it neither refuses nor finds unknown."""
        fields = Sql(**{name: getattr(fields, name) for name in FIELDS} | {"grant": True, "read_only": True})
        fields = Sql(**{name: getattr(fields, name) for name in FIELDS} | {"where_required": False, "statements": None})
        part = of_fields(KIND, fields)
        denied = part.denies is not None and says(part, text, "denies") is not False

        assert says(part, text, "grants") is not True or (says(part, text) is True and not denied)

    @given(text=texts, dialect=st.sampled_from(DIALECTS))
    def test_unknown_verbs_are_not_read_only(self, text, dialect):
        """A text with a bare `DROP` or `DELETE` in it is read-only only where the word stands in quotes or comments."""
        part = made(KIND, read_only=True, dialect=dialect)
        bare = not any(mark in text for mark in "'\"`-/$[") and {"DROP", "DELETE"} & set(text.split())

        assert not bare or says(part, text) is not True


FIELDS = [field.name for field in Sql.__attrs_attrs__]


class TestReadOnly:
    """Only what is known to read is read-only, in each dialect."""

    @pytest.mark.parametrize(
        ("dialect", "text"),
        [
            ("postgres", "SELECT a.id, count(*) FROM orders a LEFT JOIN x USING (id) GROUP BY 1 HAVING count(*) > 1"),
            ("postgres", "TABLE orders"),
            ("postgres", "EXPLAIN SELECT * FROM orders"),
            ("postgres", "SELECT data->>'a', data @> '{}'::jsonb FROM t WHERE ts > now() - interval '1 day'"),
            ("postgres", "SELECT row_number() OVER (PARTITION BY a ORDER BY b) FROM t"),
            ("mysql", "SHOW TABLES"),
            ("mysql", "SELECT `a`, IFNULL(b, 1) FROM t LIMIT 5, 10"),
            ("sqlite", "PRAGMA table_info(orders)"),
            ("sqlite", "SELECT strftime('%Y', ts) FROM [t]"),
            ("tsql", "SELECT TOP 5 * FROM [dbo].[Orders] WHERE name LIKE 'a%'"),
            ("bigquery", "SELECT * FROM `p.d.t` WHERE _PARTITIONTIME > TIMESTAMP('2027-01-01')"),
            ("snowflake", "SELECT * FROM t QUALIFY row_number() OVER (PARTITION BY a ORDER BY b) = 1"),
            ("duckdb", "FROM orders"),
            ("sqlite", "SELECT 'DROP TABLE t; DELETE' AS note -- delete from t"),
        ],
    )
    def test_query_is_read_only(self, dialect, text):
        assert says(made(KIND, read_only=True, dialect=dialect), text) is True

    @pytest.mark.parametrize(
        ("dialect", "text"),
        [
            ("postgres", "SELECT pg_read_file('/etc/passwd')"),
            ("postgres", "SELECT lo_import('/etc/passwd')"),
            ("postgres", "SELECT nextval('s')"),
            ("postgres", "SELECT set_config('role', 'admin', false)"),
            ("postgres", "SELECT evil.lower('x')"),
            ("postgres", "SELECT evil.json_agg(x) FROM t"),
            ("postgres", 'SELECT "Lower"(name) FROM t'),
            ("postgres", "SELECT * FROM dblink('host=x', 'DROP TABLE t') AS t(a int)"),
            ("postgres", "COPY t TO PROGRAM 'sh'"),
            ("postgres", "COPY (SELECT 1) TO '/tmp/x'"),
            ("postgres", "SELECT * INTO t2 FROM t"),
            ("postgres", "SELECT * FROM t FOR UPDATE"),
            ("postgres", "EXPLAIN ANALYZE DELETE FROM t"),
            ("postgres", "EXPLAIN (ANALYZE) DELETE FROM t"),
            ("postgres", "DO $$ BEGIN DELETE FROM t; END $$"),
            ("postgres", "CALL f()"),
            ("postgres", "SET ROLE admin"),
            ("postgres", "RESET ALL"),
            ("postgres", "LISTEN x"),
            ("postgres", "LOCK TABLE t"),
            ("postgres", "PREPARE x AS DELETE FROM t"),
            ("postgres", "WITH x AS (INSERT INTO t VALUES (1) RETURNING *) SELECT * FROM x"),
            ("mysql", "SELECT load_file('/etc/passwd')"),
            ("mysql", "SELECT sleep(10)"),
            ("mysql", "SELECT @a := 1"),
            ("mysql", "REPLACE INTO t VALUES (1)"),
            ("mysql", "EXPLAIN ANALYZE SELECT 1"),
            ("mysql", "LOAD DATA INFILE 'x' INTO TABLE t"),
            ("sqlite", "ATTACH 'x.db' AS x"),
            ("sqlite", "PRAGMA user_version = 1"),
            ("sqlite", "PRAGMA writable_schema = 1"),
            ("sqlite", "SELECT load_extension('x')"),
            ("tsql", "EXEC xp_cmdshell 'dir'"),
            ("tsql", "SELECT 1 DELETE FROM t"),
            ("tsql", "SELECT a FROM t SHUTDOWN"),
            ("tsql", "SELECT * FROM openrowset('a', 'b', 'c')"),
            ("tsql", "SELECT * INTO t2 FROM t"),
            ("tsql", "IF 1 = 1 DROP TABLE t"),
            ("bigquery", "EXPORT DATA OPTIONS(uri='gs://x') AS SELECT 1"),
            ("snowflake", "COPY INTO @s FROM t"),
            ("snowflake", "SELECT s.nextval"),
            ("snowflake", "SELECT * FROM @stage"),
            ("duckdb", "SELECT * FROM 'https://evil.test/x.parquet'"),
            ("duckdb", "SELECT * FROM read_csv('/etc/passwd')"),
            ("duckdb", "SELECT * FROM glob('/etc/*')"),
            ("duckdb", "INSTALL httpfs"),
            ("duckdb", "COPY t TO 'x'"),
        ],
    )
    def test_what_may_do_more_is_not(self, dialect, text):
        assert says(made(KIND, read_only=True, dialect=dialect), text) is not True

    @pytest.mark.parametrize(
        "text",
        [
            "SELECT 1 INTO OUTFILE '/tmp/x'",
            "SELECT 1 /*! INTO OUTFILE '/tmp/x' */",
            "SELECT 1 /*!50000 ; DROP TABLE t */",
            "SELECT 1 /*M! ; DROP TABLE t */",
            "SELECT '\\'; DROP TABLE t; -- '",
            "SELECT 1 -- x\rDROP TABLE t",
            "SELECT 1 /* /* */ ; DROP TABLE t -- */",
            "SELECT\u00a01",
            "SELECT 1\x00",
            "SELECT (1",
            "",
            "-- nothing",
            "SELECT " + "(" * 500 + "1" + ")" * 500,
            "SELECT " + "1+" * 10_000 + "1",
        ],
        ids=lambda text: text[:30],
    )
    def test_what_servers_may_read_differently_is_unknown(self, text):
        assert isinstance(says(made(KIND, read_only=True, dialect="mysql"), text), Unknown)

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("SELECT a FROM t", "yes"),
            ("SELECT `a` FROM t", "unknown"),
            ("SELECT a FROM t SHUTDOWN", "no"),
            ("SELECT pg_sleep(1)", "no"),
        ],
    )
    def test_strictest_reading_counts_without_a_dialect(self, text, expected):
        """What one dialect refuses is refused, and what one cannot read is unknown, whatever the others say."""
        assert word(says(made(KIND, read_only=True), text)) == expected


class TestTables:
    """Names are compared as the dialect does; CTEs are none."""

    @pytest.mark.parametrize(
        ("dialect", "text", "expected"),
        [
            ("postgres", "SELECT * FROM orders", "yes"),
            ("postgres", "SELECT * FROM ORDERS o JOIN shop.items i ON o.id = i.id", "yes"),
            ("postgres", 'SELECT * FROM "ORDERS"', "no"),
            ("postgres", "SELECT * FROM other.orders", "no"),
            ("postgres", "SELECT * FROM orders WHERE id IN (SELECT id FROM secrets)", "no"),
            ("postgres", "WITH c AS (SELECT * FROM orders) SELECT * FROM c", "yes"),
            ("postgres", "WITH c AS (SELECT * FROM c) SELECT * FROM c", "no"),
            ("postgres", "WITH c AS (SELECT 1) SELECT * FROM pg.c", "no"),
            ("postgres", "SELECT (WITH c AS (SELECT 1) SELECT * FROM c), * FROM c", "no"),
            ("postgres", "WITH RECURSIVE c AS (SELECT 1 UNION SELECT * FROM c) SELECT * FROM c", "yes"),
            ("postgres", "SELECT query_to_xml('SELECT * FROM secrets', true, true, '')", "unknown"),
            ("postgres", "SELECT 1", "yes"),
            ("sqlite", 'SELECT * FROM "ORDERS"', "yes"),
            ("mysql", "SELECT * FROM Orders", "no"),
            ("snowflake", "SELECT * FROM ORDERS", "yes"),
            ("snowflake", 'SELECT * FROM "orders"', "no"),
            ("bigquery", "SELECT * FROM `shop.items`", "yes"),
            ("postgres", "WITH c AS (SELECT 1) DELETE FROM c WHERE id = 1", "no"),
            ("postgres", "WITH c AS (SELECT 1) INSERT INTO c (a) SELECT * FROM c", "no"),
            ("postgres", "WITH c AS (SELECT 1) UPDATE c SET a = 1", "no"),
            ("postgres", "WITH c AS (SELECT 1) INSERT INTO orders SELECT * FROM c", "yes"),
            ("postgres", "WITH c AS (SELECT 1) SELECT * INTO c FROM orders", "no"),
            (
                "postgres",
                "WITH c AS (SELECT 1 AS a) MERGE INTO c USING orders ON a = id WHEN MATCHED THEN UPDATE SET b = 1",
                "no",
            ),
            ("postgres", "WITH c AS (SELECT 1) SELECT * FROM orders WHERE id IN (SELECT * FROM c)", "yes"),
            ("postgres", "CREATE TABLE c AS WITH c AS (SELECT 1) SELECT * FROM c", "no"),
            ("postgres", "DROP TABLE secrets", "no"),
            ("postgres", "INSERT INTO orders SELECT * FROM secrets", "no"),
            ("postgres", "CALL f()", "unknown"),
        ],
    )
    def test_only_named_tables_are_touched(self, dialect, text, expected):
        part = made(KIND, tables=("orders", "shop.items"), dialect=dialect)

        assert word(says(part, text)) == expected

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("SELECT * FROM users", "yes"),
            ('SELECT * FROM "USERS"', "yes"),
            ("SELECT * FROM public . Users", "yes"),
            ("SELECT * FROM db.public.users", "yes"),
            ("SELECT * FROM public/**/.users", "yes"),
            ("SELECT * FROM other.users", "no"),
            ("SELECT * FROM user_names", "no"),
            ("WITH users AS (SELECT 1) SELECT * FROM users", "no"),
            ("SELECT 'users' AS users", "no"),
            ("SELECT * FROM orders", "no"),
            ("SELECT * FROM log", "yes"),
            ("SELECT strange(1)", "unknown"),
            ("SELECT * FROM public.us\u0435rs", "yes"),
        ],
    )
    def test_denied_table_is_found_in_whatever_spelling(self, text, expected):
        part = made(KIND, deny_tables=("public.users", "audit.log"), dialect="postgres")

        assert word(says(part, text, "denies")) == expected

    @pytest.mark.parametrize(
        ("fields", "field", "text", "expected"),
        [
            ({"tables": ("public.*",)}, "confines", "SELECT * FROM public.a", "yes"),
            ({"tables": ("public.*",)}, "confines", "SELECT * FROM a", "unknown"),
            ({"tables": ("public.*", "*")}, "confines", "SELECT * FROM a", "yes"),
            ({"tables": ("*.*",)}, "confines", "SELECT * FROM a", "yes"),
            ({"tables": ("*",)}, "confines", "SELECT * FROM secret.a", "no"),
            ({"deny_tables": ("secret.*",)}, "denies", "SELECT * FROM a", "unknown"),
            ({"deny_tables": ("secret.*",)}, "denies", "SELECT * FROM public.a", "no"),
            ({"deny_tables": ("*_log",)}, "denies", "SELECT * FROM x.audit_log", "yes"),
        ],
        ids=str,
    )
    def test_table_without_a_schema_may_be_in_any(self, fields, field, text, expected):
        """A pattern that says a schema cannot tell of a table that does not."""
        assert word(says(made(KIND, dialect="postgres", **fields), text, field)) == expected


class TestConditions:
    """Conditions, limits, kinds of statements, their number, comments."""

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("DELETE FROM t WHERE id = 5", "yes"),
            ("DELETE FROM t", "no"),
            ("DELETE FROM t WHERE 2 > 1", "no"),
            ("DELETE FROM t WHERE id = 5 OR TRUE", "no"),
            ("DELETE FROM t WHERE NOT (1 = 0)", "no"),
            ("DELETE FROM t WHERE id = 5 AND 1 = 1", "yes"),
            ("DELETE FROM t WHERE id = id", "no"),
            ("DELETE FROM t WHERE EXISTS (SELECT 1)", "no"),
            ("UPDATE t SET a = 1 WHERE a LIKE '%%'", "no"),
            ("UPDATE t SET a = 1 WHERE a LIKE 'x%'", "yes"),
            ("WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x WHERE id = 5", "no"),
            ("SELECT 1; DELETE FROM t", "no"),
            ("SELECT * FROM t", "yes"),
            ("DO $$ BEGIN DELETE FROM t; END $$", "unknown"),
            ("EXECUTE x", "unknown"),
        ],
    )
    def test_change_needs_a_condition(self, text, expected):
        assert word(says(made(KIND, where_required=True, dialect="postgres"), text)) == expected

    @pytest.mark.parametrize(
        ("dialect", "text", "expected"),
        [
            ("postgres", "SELECT * FROM t LIMIT 10", "yes"),
            ("postgres", "(SELECT * FROM t LIMIT 10)", "yes"),
            ("postgres", "SELECT * FROM t FETCH FIRST 10 ROWS ONLY", "yes"),
            ("postgres", "SELECT * FROM t FETCH FIRST 10 ROWS WITH TIES", "no"),
            ("postgres", "SELECT * FROM t LIMIT 11", "no"),
            ("postgres", "SELECT * FROM t LIMIT ALL", "no"),
            ("postgres", "SELECT * FROM t LIMIT 5 + 500", "no"),
            ("postgres", "SELECT * FROM t LIMIT '10'", "no"),
            ("postgres", "SELECT * FROM (SELECT * FROM t LIMIT 10) x CROSS JOIN y", "no"),
            ("postgres", "SELECT 1 UNION ALL SELECT * FROM t LIMIT 10", "yes"),
            ("postgres", "SELECT 1 UNION ALL (SELECT * FROM t LIMIT 10)", "no"),
            ("postgres", "DELETE FROM t", "yes"),
            ("mysql", "SELECT * FROM t LIMIT 100, 10", "yes"),
            ("mysql", "SELECT * FROM t LIMIT 10, 100", "no"),
            ("tsql", "SELECT TOP 10 * FROM t", "yes"),
            ("tsql", "SELECT TOP 10 PERCENT * FROM t", "no"),
        ],
    )
    def test_query_needs_a_plain_limit(self, dialect, text, expected):
        assert word(says(made(KIND, max_rows=10, dialect=dialect), text)) == expected

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("SELECT 1", "yes"),
            ("INSERT INTO t SELECT 1", "yes"),
            ("UPDATE t SET a = 1", "no"),
            ("WITH x AS (UPDATE t SET a = 1 RETURNING *) SELECT * FROM x", "no"),
            ("SELECT * INTO x FROM t", "no"),
            ("CALL f()", "no"),
            ("VACUUM", "no"),
        ],
    )
    def test_only_these_kinds_are_run(self, text, expected):
        assert word(says(made(KIND, statements=("select", "insert"), dialect="postgres"), text)) == expected

    @pytest.mark.parametrize(
        ("text", "expected"),
        [("DROP TABLE t", "yes"), ("drop/**/table t", "yes"), ("SELECT 'DROP'", "no"), ("DO $$ x $$", "unknown")],
    )
    def test_denied_kind_is_found(self, text, expected):
        assert word(says(made(KIND, deny_statements=("drop",), dialect="postgres"), text, "denies")) == expected

    @pytest.mark.parametrize(
        ("text", "expected"), [("SELECT 1;", "yes"), (";SELECT 1;;", "yes"), ("SELECT 1;SELECT 2", "no")]
    )
    def test_statements_are_counted(self, text, expected):
        assert word(says(made(KIND, max_statements=1, dialect="postgres"), text)) == expected

    @pytest.mark.parametrize(
        ("text", "expected"),
        [("SELECT 1", "yes"), ("SELECT '-- x'", "yes"), ("SELECT 1 -- x", "no"), ("/* x */ SELECT 1", "no")],
    )
    def test_comments_are_found(self, text, expected):
        assert word(says(made(KIND, comments="deny", dialect="postgres"), text)) == expected


RULE = '[[rule]]\nid = "s"\nkind = "sql"\ndialect = "postgres"\nread_only = true\ngrant = true\n'
BOUND = '[tools.ask]\nq = { role = "sql" }\n[tools.other]\nq = { role = "text" }\n'


class TestCalls:
    """Which arguments are looked at, and what a grant covers."""

    @pytest.mark.parametrize(
        ("arguments", "expected"),
        [
            ({"q": "SELECT 1"}, "allow"),
            ({"q": "DROP TABLE t"}, "deny"),
            ({"q": "SELEC"}, "deny"),
            ({"q": ["SELECT 1"]}, "deny"),
            ({"q": "SELECT 1", "to": "x.txt"}, "deny"),
            ({"q": "SELECT 1", "n": 5}, "allow"),
        ],
        ids=str,
    )
    def test_bound_argument_is_granted_and_nothing_beside_it(self, tmp_path, arguments, expected):
        decide = Deciding(tmp_path, BOUND + RULE)

        assert decide("ask", **arguments) == expected

    @pytest.mark.parametrize(
        ("tool", "arguments", "expected"),
        [
            ("any", {"sql": "DROP TABLE t"}, "deny"),
            ("any", {"sql": "SELECT 1"}, "allow"),
            ("any", {"sql": 5}, "allow"),
            ("other", {"q": "DROP TABLE t"}, "allow"),
            ("any", {"query": "fish and chips"}, "allow"),
        ],
        ids=str,
    )
    def test_argument_named_sql_is_looked_at_without_a_binding(self, tmp_path, tool, arguments, expected):
        decide = Deciding(tmp_path, BOUND + RULE.replace("grant = true\n", ""), default="allow")

        assert decide(tool, **arguments) == expected

    @pytest.mark.parametrize(
        ("arguments", "expected"),
        [
            ({"q": "SELECT 1"}, "allow"),
            ({"r": {"sql": "SELECT 1"}}, "allow"),
            ({"q": "SELECT 1", "r": {"sql": "DROP TABLE t"}}, "deny"),
            ({"q": 5}, "deny"),
            ({}, "deny"),
            ({"q": "SELECT 1", "to": "x.txt"}, "deny"),
        ],
        ids=str,
    )
    def test_argument_of_the_rule_is_looked_at(self, tmp_path, arguments, expected):
        decide = Deciding(tmp_path, RULE + 'argument = ["/q", "/r/sql"]\n')

        assert decide("any", **arguments) == expected

    def test_grant_for_the_tool_covers_its_sql(self, tmp_path):
        decide = Deciding(tmp_path, BOUND + '[[rule]]\nid = "t"\nkind = "tools"\nallow = ["ask"]\n')

        assert decide("ask", q="DROP TABLE t") == "allow"

    def test_sql_is_granted_by_nothing_else(self, tmp_path):
        """A grant for paths does not reach the SQL beside them."""
        bound = '[tools.ask]\nq = { role = "sql" }\nout = { role = "path", access = "write" }\n'
        decide = Deciding(tmp_path, bound + '[[rule]]\nid = "p"\nkind = "path"\nallow = ["/**"]\n')

        assert [decide("ask", q="SELECT 1", out="/x"), decide("ask", out="/x")] == ["deny", "allow"]


class TestProblems:
    """A rule that could not do what it says is refused when it is loaded."""

    @pytest.mark.parametrize(
        ("fields", "expected"),
        [
            ({}, [("says-nothing", ())]),
            ({"dialect": "mysql"}, [("says-nothing", ())]),
            ({"tables": ("a..b",)}, [("bad-pattern", ("tables", 0))]),
            ({"deny_tables": ("a", " b")}, [("bad-pattern", ("deny_tables", 1))]),
            ({"read_only": True, "statements": ("select", "insert")}, [("never-holds", ("statements", 1))]),
            ({"statements": ("select",), "deny_statements": ("select",)}, [("never-holds", ("statements", 0))]),
            ({"read_only": True, "where_required": True}, [("says-nothing", ("where_required",))]),
            ({"max_rows": 5, "grant": True}, [("missing-key", ("grant",))]),
            ({"read_only": True, "argument": "/a~"}, [("bad-pointer", ("argument",))]),
            ({"read_only": True, "argument": ("/a", "/~")}, [("bad-pointer", ("argument", 1))]),
        ],
        ids=str,
    )
    def test_problem_stands_at_its_key(self, fields, expected):
        assert problems(KIND, **fields) == expected

    def test_rule_without_the_parser_is_refused(self, monkeypatch):
        """Where sqlglot is not installed, the rule says so instead of judging nothing."""
        monkeypatch.setitem(__import__("sys").modules, "sqlglot", None)

        assert problems(KIND, read_only=True) == [("extra-missing", ("kind",))]


def test_texts_are_not_written_to_the_log(caplog):
    """What sqlglot cannot take apart it does not repeat in the log of the host."""
    with caplog.at_level(logging.DEBUG):
        says(made(KIND, read_only=True, dialect="postgres"), "CALL secret('hunter2')")

    assert caplog.text == ""
