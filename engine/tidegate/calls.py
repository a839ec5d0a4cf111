"""Lines of JSON become calls: strictly, and with a word on what is wrong with one that is none."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from .call import Call, Tool
from .errors import CallError
from .kernel.json_values import MAX_DEPTH, snapshot
from .lang.nearest import nearest
from .shown import quote

MAX_LINE = 64 * 1024 * 1024
"""The longest line that is read, in characters."""

_TEXTS = ("call_id", "cwd", "root", "home", "agent", "session", "mode")
KEYS = ("tool", "args", *_TEXTS, "interactive", "at")
"""What a call on a line may have; the first two it must."""

_MEANT: Mapping[str, str] = {
    **dict.fromkeys(("arguments", "input", "parameters", "params", "tool_input"), "args"),
    **dict.fromkeys(("function", "name", "tool_name"), "tool"),
    **dict.fromkeys(("id", "tool_call_id", "tool_use_id"), "call_id"),
    "session_id": "session",
    "permission_mode": "mode",
    "time": "at",
    "timestamp": "at",
}
"""What the keys of other formats are here."""


class Line(NamedTuple):
    """One line of a file of calls: its number from 1, and the call, or why it is none."""

    number: int
    call: Call | None
    error: str = ""


def read_calls(lines: Iterable[str | bytes]) -> Iterator[Line]:
    """Read one call from each line; empty lines are passed over, broken ones yield their error."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield Line(number, call_of(parse(line)))
        except CallError as error:
            yield Line(number, None, f"line {number} is no call: {error}")


def parse(text: str | bytes) -> Any:
    """Parse one JSON text: no duplicate keys, no NaN, no lone surrogates, no nesting past `MAX_DEPTH`.

    Raises:
        CallError: The text is none of that; says what and, where it is known, at which character.
    """
    if len(text) > MAX_LINE:
        raise CallError(f"it is longer than {MAX_LINE} characters")
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8")
        if text.startswith("\ufeff"):
            raise CallError("it begins with a byte order mark; save the file without one")
        return snapshot(json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant))
    except UnicodeDecodeError as error:
        raise CallError(f"byte {error.start + 1} is not UTF-8") from None
    except json.JSONDecodeError as error:
        said = f"{error.msg[:1].lower()}{error.msg[1:]}".removesuffix(" at")
        raise CallError(f"it is not JSON: {said} at character {error.pos + 1}") from None
    except RecursionError:
        raise CallError(f"it is nested deeper than {MAX_DEPTH} levels") from None
    except ValueError:
        most = sys.get_int_max_str_digits()
        raise CallError(f"a number in it has more than {most} digits") from None


def call_of(value: Any) -> Call:
    """Make a call of the JSON object of one line.

    Raises:
        CallError: A key is unknown, missing or of the wrong type.
    """
    if not isinstance(value, Mapping):
        raise CallError(f"it is {_word(value)}, not an object")
    for key in value:
        if key not in KEYS:
            close = _MEANT.get(key) or nearest(key, KEYS)
            raise CallError(f"unknown key {quote(key)}" + (f"; write `{close}`" if close else ""))
    for key in ("tool", "args"):
        if value.get(key) is None:
            raise CallError(f"the key `{key}` is missing")
    texts = {key: _expect(value, key, str, "a text") for key in _TEXTS}
    arguments = _expect(value, "args", dict, "an object")
    at = value.get("at")
    if at is not None and type(at) not in (int, float):
        raise CallError(f"the key `at` must be a number, not {_word(at)}")
    interactive = _expect(value, "interactive", bool, "true or false")
    return Call(
        _tool(value),
        arguments,
        call_id=texts.pop("call_id") or "",
        interactive=True if interactive is None else interactive,
        at=at,
        **texts,
    )


def _tool(value: Mapping[str, Any]) -> Tool:
    """The tool: a name, or the table of one that a server offers."""
    if isinstance(value["tool"], Mapping):
        from .served import served

        return served(value["tool"])
    name: str = _expect(value, "tool", str, "a text")
    if not name:
        raise CallError("the key `tool` must not be empty")
    return Tool(name)


def _expect(value: Mapping[str, Any], key: str, kind: type, word: str) -> Any:
    found = value.get(key)
    if found is not None and not isinstance(found, kind):
        raise CallError(f"the key `{key}` must be {word}, not {_word(found)}")
    return found


def _word(value: Any) -> str:
    words = {str: "a text", bool: "a boolean", type(None): "null"}
    return words.get(type(value)) or (
        "a number" if isinstance(value, int | float) else "an array" if isinstance(value, list) else "an object"
    )


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise CallError(f"the key {quote(key)} stands twice")
        found[key] = value
    return found


def _no_constant(name: str) -> Any:
    raise CallError(f"`{name}` is no JSON number")
