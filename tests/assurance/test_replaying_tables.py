"""Tables of calls: Parquet in every shape that calls are kept in, and lines that are packed or spread over files."""

import gzip
import json

import pytest

from tests.assurance.replaying import lines_of
from tidegate.assurance.replaying.comparing import Task
from tidegate.assurance.replaying.entry import Word
from tidegate.assurance.replaying.tables import NoTable, is_table, table_at
from tidegate.call import Call, Tool
from tidegate.errors import CallError

duckdb = pytest.importorskip("duckdb", reason="the extra `replay` is not installed")


def entries_at(name):
    source = table_at(str(name), 0)
    task = Task(None, None, (source.name,), (source.form,))
    return [entry for piece in source.pieces for entry in task.entries(piece)]


def parquet(path, query):
    duckdb.connect().execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
    return path


def test_arguments_may_be_texts_or_structures(tmp_path):
    """JSON as a text and a structure without its nulls are the same arguments."""
    wanted = [Call(Tool("a"), {"x": 1, "y": {"z": ["b"]}}), Call(Tool("b"), {"x": 2})]
    text = """SELECT * FROM (VALUES ('a', '{"x": 1, "y": {"z": ["b"]}}'), ('b', '{"x": 2}')) AS t(tool, args)"""
    structure = (
        """SELECT * FROM (VALUES ('a', {'x': 1, 'y': {'z': ['b']}}), ('b', {'x': 2, 'y': NULL})) AS t(tool, args)"""
    )
    for number, query in enumerate((text, structure)):
        entries = entries_at(parquet(tmp_path / f"{number}.parquet", query))

        assert [entry.call for entry in entries] == wanted
        assert [entry.place.number for entry in entries] == [1, 2]


def test_columns_are_what_calls_have(tmp_path):
    """Every column that a call has is read, a time in either form; others are passed over."""
    query = """
        SELECT {'server': 'dice', 'name': 'roll'} AS tool, '{}' AS args, 'c' AS call_id, '/srv' AS cwd, 's' AS session,
        'a' AS agent, false AS interactive, make_timestamp(1793527201250000) AS "at", 'deny' AS effect, 'r' AS rule,
        7 AS cost, NULL::VARCHAR AS home
    """
    (entry,) = entries_at(parquet(tmp_path / "a.parquet", query))

    assert entry.said == Word("deny", "r")
    assert entry.call == Call(
        Tool("mcp__dice__roll", "mcp", "dice", "roll"),
        {},
        call_id="c",
        cwd="/srv",
        session="s",
        agent="a",
        interactive=False,
        at=1793527201.25,
    )


def test_a_row_that_is_no_call_hides_none(tmp_path):
    """Rows around one that is no call are read, and it says why."""
    query = """SELECT * FROM (VALUES ('a', '{}'), ('b', '{broken'), (NULL, '{}'), ('d', '{}')) AS t(tool, args)"""
    entries = entries_at(parquet(tmp_path / "a.parquet", query))

    assert [entry.call and entry.call.tool.name for entry in entries] == ["a", None, None, "d"]
    assert "it is not JSON" in entries[1].error
    assert "`tool` is missing" in entries[2].error


def test_a_table_without_arguments_is_refused(tmp_path):
    """Without the columns that every call has nothing is read."""
    path = parquet(tmp_path / "a.parquet", "SELECT 'a' AS tool, '{}' AS arguments")

    with pytest.raises(CallError, match="no column `args`; it has `tool`, `arguments`"):
        table_at(str(path), 0)


@pytest.mark.parametrize("name", ["none.parquet", "*.parquet", "none.jsonl.gz"])
def test_what_is_not_there_is_said_in_one_line(tmp_path, name):
    """A table that DuckDB cannot read ends in what it says, on one line."""
    with pytest.raises(NoTable) as caught:
        table_at(str(tmp_path / name), 0)
    assert "\n" not in str(caught.value)


def test_packed_lines_are_told_apart_and_broken_ones_kept(tmp_path):
    """A packed file is read like a plain one, and a line that is no JSON is one that is no call."""
    lines = lines_of({"tool": "a", "args": {"x": 1}}, {"tool": "b", "args": {}})
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(lines[0] + b"{broken\n" + lines[1]))
    entries = entries_at(tmp_path / "a.jsonl.gz")

    assert [entry.call and entry.call.tool.name for entry in entries] == ["a", None, "b"]


def test_files_of_a_pattern_are_one_source(tmp_path):
    """A pattern stands for its files in the order of their names."""
    for name in ("b", "a"):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({"tool": name, "args": {}}), encoding="utf-8")

    assert [entry.call.tool.name for entry in entries_at(tmp_path / "*.jsonl")] == ["a", "b"]


def test_a_file_that_is_named_like_a_pattern_is_a_file(tmp_path):
    """Only what is no file of that name is a pattern."""
    path = tmp_path / "calls[1].jsonl"

    assert is_table(str(path))
    path.touch()
    assert not is_table(str(path))
