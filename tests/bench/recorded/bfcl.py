"""The benign calls that the Berkeley Function-Calling Leaderboard expects of a model, read from its data files."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

PACKAGE = "bfcl_eval"
TURNS = "multi_turn_base"
SINGLE = (
    "simple_python",
    "simple_java",
    "simple_javascript",
    "multiple",
    "parallel",
    "parallel_multiple",
    "live_simple",
    "live_multiple",
    "live_parallel",
    "live_parallel_multiple",
)

Named = tuple[str, dict[str, Any]]


def conversations() -> list[Named]:
    """Every call of conversations of several turns: of a file system, of messages, tickets, travel, trading, a car.

    Arguments that are given by their places are named after these, as the files do not tell their names.

    Raises:
        ImportError: The package is not installed.
    """
    return [_spelled(text) for row in _rows(TURNS) for turn in row["ground_truth"] for text in turn]


def single_answers() -> list[Named]:
    """Every call that answers one question; of the values that would be right the first that is not left out.

    Raises:
        ImportError: The package is not installed.
    """
    return [
        (name, {key: _first(values) for key, values in arguments.items() if _given(values)})
        for file in SINGLE
        for row in _rows(file)
        for call in row["ground_truth"]
        for name, arguments in call.items()
    ]


def _rows(name: str) -> Iterator[dict[str, Any]]:
    found = find_spec(PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise ImportError(f"{PACKAGE} is not installed")
    file = Path(found.submodule_search_locations[0]) / "data" / "possible_answer" / f"BFCL_v4_{name}.json"
    return (json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line)


def _spelled(text: str) -> Named:
    """A call that is written as Python would write it."""
    call = ast.parse(text, mode="eval").body
    if not isinstance(call, ast.Call):
        raise ValueError(f"no call: {text}")  # noqa: TRY004 - the text is wrong, not its type
    placed = {f"argument_{at}": ast.literal_eval(value) for at, value in enumerate(call.args)}
    named = {str(one.arg): ast.literal_eval(one.value) for one in call.keywords}
    return ast.unparse(call.func), placed | named


def _given(values: Any) -> bool:
    return not (isinstance(values, list) and all(value == "" for value in values))


def _first(values: Any) -> Any:
    """The first of the values that would be right; those of an object are lists of such values again."""
    if not isinstance(values, list):
        return values
    value = next((value for value in values if value != ""), "")
    if isinstance(value, dict):
        return {key: _first(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [{key: _first(inner) for key, inner in one.items()} if isinstance(one, dict) else one for one in value]
    return value
