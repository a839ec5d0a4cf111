"""JSON Schemas as rules name them: as a table, or by a file."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from ..errors import CallError
from ..kernel.json_values import snapshot
from ..shown import quote
from .checking import Fault
from .schemas import schema_faults


def schema_of(said: str | dict[str, Any], read: Callable[[str], bytes]) -> tuple[Any, list[Fault]]:
    """The schema that a rule says, or *read* from the file that it names, and what is wrong with it.

    The faults of a schema in a file stand at its name.
    """
    try:
        schema = snapshot(said if isinstance(said, dict) else json.loads(read(said), object_pairs_hook=_once))
    except CallError as error:
        return None, [_unreadable(said, f"holds what is not JSON: it {error}")]
    except OSError as error:
        return None, [_unreadable(said, f"cannot be read: {error.strerror or error}")]
    except (ValueError, RecursionError) as error:
        return None, [_unreadable(said, f"is not JSON: {error}")]
    wrong = schema_faults(schema)
    if isinstance(said, dict):
        return schema, wrong
    return schema, [
        fault._replace(path=(), what=f"{quote(said)} at `/{'/'.join(map(str, fault.path))}`: {fault.what}")
        for fault in wrong
    ]


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        raise ValueError("a key stands twice in one object")
    return table


def _unreadable(said: str | dict[str, Any], what: str) -> Fault:
    name = quote(said) if isinstance(said, str) else "the schema"
    return Fault((), "bad-schema", f"{name} {what}", *_NO_SCHEMA)


_NO_SCHEMA = ("a schema that is not there would let every call pass", "write a JSON Schema of draft 2020-12")
