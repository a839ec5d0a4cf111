"""What the benchmarks over recorded calls rest on: their rule files, their data, their choice of lines."""

from pathlib import Path

import pytest

from tests.bench.recorded import bfcl
from tests.bench.recorded.one_liners import is_project_work
from tidegate.compile.compiler import compile_plan
from tidegate.compile.examples import check_examples
from tidegate.lang.layers import load

RULES = sorted((Path(__file__).parent / "bench/agentdojo").glob("*.toml"))


@pytest.mark.parametrize("file", RULES, ids=lambda file: file.stem)
def test_agentdojo_rule_file_loads_and_its_examples_hold(file):
    """Each suite has a file of ours and one of allow-lists, and none of them has a finding."""
    outcome = compile_plan(load(project=file), now=0.0)

    assert [*outcome.findings, *check_examples(outcome)] == []


def test_agentdojo_rule_files_are_there_for_four_suites():
    """None is passed over."""
    names = [f"{suite}{end}" for suite in ("banking", "slack", "travel", "workspace") for end in ("", "-lists")]

    assert sorted(file.stem for file in RULES) == sorted(names)


@pytest.mark.parametrize(
    "line",
    [
        "find . -name '*.py' | xargs wc -l",
        'for f in *.txt; do mv "$f" "${f%.txt}.md"; done',
        "awk '{print $1}' a.txt > /tmp/b",
        "make test 2>/dev/null",
    ],
)
def test_project_work_is_what_stands_for_itself_and_stays_in_the_project(line):
    """Its own variables, its own files, and `/tmp`."""
    assert is_project_work(line)


@pytest.mark.parametrize(
    "line",
    [
        "cat /etc/passwd",
        "ls ~/src",
        "sudo make install",
        "grep x $file",
        "ssh host ls",
        "find . | xargs -n1 chown ann",
        "for f in *; do",
        "tar xf a.tar -C $HOME",
    ],
)
def test_other_lines_are_no_project_work(line):
    """Other places, other users, other machines, variables of a script that is not there, and no command at all."""
    assert not is_project_work(line)


def test_answers_of_bfcl_take_the_first_value_that_is_given():
    """Also inside of objects; an argument of which only nothing would be right is left out."""
    values = {"a": ["", 2], "b": [""], "c": [{"d": ["x", "y"]}], "e": [[{"f": [1]}, 3]]}

    assert {key: bfcl._first(value) for key, value in values.items() if bfcl._given(value)} == {
        "a": 2,
        "c": {"d": "x"},
        "e": [{"f": 1}, 3],
    }


def test_calls_of_bfcl_are_read_as_python_writes_them():
    """Values by place are kept under a name of their place."""
    assert bfcl._spelled("fs.mv('a', destination=['b', -1])") == (
        "fs.mv",
        {"argument_0": "a", "destination": ["b", -1]},
    )
