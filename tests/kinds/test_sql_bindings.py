"""SQL whose binding tells the dialect is read in that one, as if the rule had named it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.worlds import facts
from tidegate.compile.compiler import compile_plan
from tidegate.engine import Engine, Sources
from tidegate.lang.layers import loads
from tidegate.meaning.sql.dialects import DIALECTS

pytest.importorskip("sqlglot")

TEXTS = [
    "SELECT a FROM t",
    "SELECT `a` FROM t",
    "SELECT [a] FROM t",
    'SELECT "a" FROM t -- x',
    "SELECT a FROM t # x\n; DROP TABLE t",
    "SELECT $$;$$ FROM t",
    "SELECT TOP 3 a FROM t",
    "PRAGMA table_info(t)",
    "SHOW TABLES",
    "INSERT INTO t VALUES (1)",
    "SELECT /*! 1 */ a FROM t",
]


def engine(binding, rule):
    text = f'version = 1\ndefault = "allow"\n{binding}[[rule]]\nid = "r"\nkind = "sql"\nread_only = true\n{rule}'
    return Engine(compile_plan(loads(text), now=0.0), Sources(), facts())


ENGINES = {
    dialect: (
        engine(f'[tools.t]\nq = {{ role = "sql", dialect = "{dialect}" }}\n', ""),
        engine('[tools.t]\nq = { role = "text" }\n', f'argument = "/q"\ndialect = "{dialect}"\n'),
    )
    for dialect in DIALECTS
}


@given(st.sampled_from(TEXTS), st.sampled_from(DIALECTS))
def test_a_bound_dialect_counts_like_that_of_a_rule(text, dialect):
    """Whatever the text, both ways to say the dialect answer alike."""
    bound, said = ENGINES[dialect]

    assert bound.decide("t", {"q": text}).effect == said.decide("t", {"q": text}).effect


def test_a_bound_dialect_makes_a_difference():
    """Backticks are names in MySQL and nothing in PostgreSQL."""
    answers = {dialect: bound.decide("t", {"q": "SELECT `a` FROM t"}).effect for dialect, (bound, _) in ENGINES.items()}

    assert (answers["mysql"], answers["postgres"]) == ("allow", "ask")


def test_servers_that_everybody_knows_are_read_in_their_dialect():
    """The servers for PostgreSQL and SQLite need no dialect in a rule."""
    plain = engine("", "")

    assert plain.decide("mcp__sqlite__read_query", {"query": "SELECT `a` FROM t"}).effect == "allow"
    assert plain.decide("mcp__postgres__query", {"sql": "SELECT `a` FROM t"}).effect == "ask"
