"""What is known of the results of calls in Python code that only compute."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping, Sequence

from ..values import Value, unknown
from .python_names import BUILTINS, HARMLESS_CALLS, KEEPING
from .python_values import (
    DATA,
    ELEMENT,
    PATHS,
    SOME_PATH,
    UNKNOWN,
    Function,
    Items,
    Known,
    Name,
    NotUnderstood,
    PathThing,
    Text,
    Thing,
    as_text,
    joined_path,
)
from .text import last_component

_STREAMS = frozenset(
    {"sys.stdin", "sys.stdout", "sys.stderr", "os.sep", "os.linesep", "os.environ", "os.name", "sys.argv", "sys.path"}
    | {"sys.version", "sys.platform", "sys.executable", "sys.version_info", "sys.maxsize", "sys.prefix", "os.devnull"}
)
STRING_METHODS = frozenset(
    [
        "strip",
        "lstrip",
        "rstrip",
        "lower",
        "upper",
        "replace",
        "format",
        "join",
        "split",
        "title",
        "removeprefix",
        "removesuffix",
        "decode",
        "encode",
    ]
)
LONGEST = 100_000
Arguments = Sequence[Thing]
Keywords = Mapping[str, Thing]


def over_paths(dotted: str, args: Arguments) -> Thing:
    """A builtin over a collection of paths."""
    if dotted == "next":
        return SOME_PATH
    if dotted in KEEPING and len(args) == 1:
        return PATHS
    if dotted in ("len", "print", "any", "all"):
        return DATA
    raise NotUnderstood(f"what `{dotted}` makes of paths is not followed")


def is_data(thing: Thing) -> bool:
    """Whether a value is plain data, without methods that do anything."""
    return isinstance(thing, (Known, Text, Items)) or thing is DATA or thing is ELEMENT


def check_handed_on(things: Sequence[Thing]) -> None:
    """Refuse functions among arguments: who gets them may call them."""
    for thing in things:
        if isinstance(thing, Name):
            last = thing.dotted.rpartition(".")[2]
            if not (
                last.isupper() or thing.dotted in _STREAMS or thing.dotted in BUILTINS or thing.dotted in HARMLESS_CALLS
            ):
                raise NotUnderstood(f"`{thing.dotted}` is handed on")
        elif isinstance(thing, Function) or thing is UNKNOWN or thing is PATHS:
            raise NotUnderstood("what is handed on is not plain data")
        elif isinstance(thing, Items):
            check_handed_on(thing.items)


def path_of(args: Arguments) -> PathThing:
    """The path that `Path(…)` makes of its arguments."""
    value: Value = as_text(args[0]) if args else "."
    for arg in args[1:]:
        value = joined_path(value, as_text(arg))
    return PathThing(value)


def path_attribute(thing: PathThing, name: str) -> Thing:
    """What is known of an attribute of a path."""
    if name == "name" and isinstance(thing.value, str):
        return Known(last_component(thing.value))
    if name == "parent":
        head = thing.value.rpartition("/")[0] if isinstance(thing.value, str) else None
        return PathThing(
            unknown("the Python code computes it") if head is None else head or ("/" if thing.value[:1] == "/" else ".")
        )
    return DATA


def string_method(value: object, name: str, known: list[object]) -> Thing:
    """The result of a method of a constant text, where it is small."""
    method: Callable[..., object] | None = getattr(value, name, None) if isinstance(value, (str, bytes)) else None
    if method is None:
        return DATA
    try:
        result = method(*known)
    except Exception:  # noqa: BLE001 - whatever the code would raise, nothing is known of the result then
        return DATA
    if isinstance(result, list):
        return Items(tuple(map(Known, result[:LONGEST])))
    return Known(result) if isinstance(result, (str, bytes)) and len(result) <= LONGEST else DATA


def decoded(dotted: str, thing: Thing) -> Thing:
    """The bytes that a constant text in base64 or hexadecimal digits stands for."""
    if not isinstance(thing, Known) or not isinstance(thing.value, (str, bytes)):
        return DATA
    try:
        if dotted == "bytes.fromhex":
            return Known(bytes.fromhex(str(thing.value)))
        return Known(base64.b64decode(thing.value))
    except (binascii.Error, ValueError):
        return DATA
