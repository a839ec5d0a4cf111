"""SQL that a client of a database is given on a command line is handed on as SQL, with its dialect."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kinds.deciding import Deciding
from tests.meaning.commands.reading import BARE, command
from tidegate.meaning.commands.code import read_code
from tidegate.meaning.effects import SqlTarget

DROPS = '[[rule]]\nid = "r"\nkind = "sql"\ndeny_statements = ["drop"]\n'
CLIENTS = {
    "psql": "postgres",
    "mysql": "mysql",
    "sqlite": "sqlite",
    "duckdb": "duckdb",
    "tsql": "tsql",
    "snowflake": "snowflake",
}


def says(language, text):
    """The SQL that is handed on, and whether something beside it is not understood."""
    found = read_code(language, text, command("x"), BARE)
    queries = [effect.target for effect in found if effect.kind == "query"]
    return queries, any(effect.kind == "unknown" for effect in found)


@pytest.mark.parametrize(("language", "dialect"), CLIENTS.items())
def test_sql_of_a_client_is_handed_on_in_its_dialect(language, dialect):
    """What a client is given to run is SQL of its dialect, and nothing else."""
    assert says(language, "select * from t") == ([SqlTarget("select * from t", dialect)], False)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("psql", "copy t to program 'id'"),
        ("psql", "\\! id"),
        ("psql", "select 'rm x' \\gexec"),
        ("psql", "\\dt\n\\! id"),
        ("mysql", "select 1 into outfile '/x'"),
        ("mysql", "\\! id"),
        ("sqlite", ".shell id"),
        ("sqlite", "select 1;\n.shell id"),
        ("sqlite", ".output |id"),
        ("duckdb", "copy t to 'x.csv'"),
    ],
)
def test_what_a_client_escapes_to_is_not_understood(language, text):
    """Files and programs in the client's own language are unknown, and what SQL there is is handed on all the same."""
    queries, doubt = says(language, text)

    assert (len(queries), doubt) == (1, True)


@pytest.mark.parametrize(
    ("language", "text"),
    [("psql", "\\dt"), ("psql", "\\d+ public.orders"), ("sqlite", ".tables"), ("sqlite", ".mode csv\n.headers on")],
)
def test_what_a_client_shows_is_no_sql(language, text):
    """Commands that only show or arrange do nothing."""
    assert says(language, text) == ([], False)


def test_sql_between_such_lines_is_seen():
    """Lines that arrange are taken away, and the statements around them stay."""
    assert says("sqlite", ".mode csv\ndrop table t;\n.headers on") == ([SqlTarget("drop table t;", "sqlite")], False)
    assert says("mysql", "show create table t\\G") == ([SqlTarget("show create table t", "mysql")], False)


@given(
    language=st.sampled_from(sorted(CLIENTS)),
    lines=st.lists(
        st.sampled_from(["drop", "table t", "'", '"', "/*", "*/", "\\d t", ".tables", "--", ";", "\\G", "\\dt x"])
    ),
)
def test_no_word_of_sql_is_lost(language, lines):
    """Whatever stands around them, words that are no command of the client are part of the SQL that is handed on."""
    queries, _ = says(language, "\n".join(lines))
    text = queries[0].text if queries else ""

    assert [line for line in lines if line in ("drop", "table t")] == [
        line for line in text.split("\n") if line in ("drop", "table t")
    ]


@pytest.mark.parametrize(
    ("line", "effect"),
    [
        ("psql -c 'DROP TABLE t'", "deny"),
        ("psql <<E\ndrop table t;\nE", "deny"),
        ("echo 'drop table t' | mysql db", "deny"),
        ("docker exec pg psql -U postgres -c 'drop schema public cascade'", "deny"),
        ("ssh h \"mysql -e 'DROP DATABASE x'\"", "deny"),
        ("sqlite3 a.db 'DROP TABLE t'", "deny"),
        ("duckdb -c 'drop table t' a.db", "deny"),
        ("sqlcmd -S h -Q 'DROP TABLE t'", "deny"),
        ("cockroach sql -e 'DROP TABLE t'", "deny"),
        ("clickhouse-client -q 'DROP TABLE t'", "deny"),
        ("cqlsh -e 'DROP TABLE t'", "deny"),
        ("psql -c \"select 'drop table t'\"", "allow"),
        ("psql -c 'select 1' -d 'drop table t'", "allow"),
        ("psql -c 'begin; delete from t where id = 1; commit'", "allow"),
        ("sqlite3 a.db .tables", "allow"),
        ("psql -c \"do 'begin drop table t; end'\"", "ask"),
    ],
)
def test_rule_about_sql_sees_commands(tmp_path, line, effect):
    """A rule about SQL means what a client runs as much as what a tool's argument says."""
    assert Deciding(tmp_path, DROPS, "allow").bash(line) == effect


def test_grant_for_a_client_covers_its_sql(tmp_path):
    """SQL on a command line needs no grant but that for the client, and none for SQL covers the client."""
    client = '[[rule]]\nid = "r"\nkind = "command"\nallow = ["psql -c * ..."]\n'
    sql = '[[rule]]\nid = "r"\nkind = "sql"\ngrant = true\nread_only = true\n'

    assert Deciding(tmp_path, client).bash("psql -c 'select 1'") == "allow"
    assert Deciding(tmp_path, sql).bash("psql -c 'select 1'") == "deny"
