"""What a rule asks of arguments, by pointer: predicates and JSON Schemas, compiled."""

from __future__ import annotations

from typing import Any, Protocol

from attrs import frozen

from ..param import param
from ..pointers import BadPointer, Pointer, pointer_to
from . import FAILS, HOLDS, Judge, Predicate, compile_judge
from .checking import faults
from .tables import Entry, Table


class Reports(Protocol):
    """Takes down what is wrong, and reads files that a rule names; what a kind compiles in does both."""

    def problem(self, path: tuple[str | int, ...], code: str, what: str, why: str, mend: str) -> None:
        """Note an error at the key that *path* leads to."""

    def file(self, name: str) -> bytes:
        """The bytes of a file beside the rule's own."""


@frozen
class Check(Predicate):
    """What must hold of one argument; every key that is given must hold."""

    schema: str | dict[str, Any] | None = param(
        "A JSON Schema (draft 2020-12) that the value must meet: a table, or a file relative to the rule file.",
        default=None,
    )


def compile_tables(
    key: str, tables: tuple[dict[str, Check], ...] | None, setting: Reports, *, wide: bool
) -> tuple[Table, ...]:
    """Compile a list of tables from pointer to predicates; what is wrong stands at its place under *key*."""
    compiled = []
    for index, table in enumerate(tables or ()):
        if not table and wide:
            setting.problem((key, index), "empty-table", "the table says nothing", *_EVERY)
        entries = [
            Entry(
                compile_pointer(name, (key, index, name), setting),
                compile_check(check, (key, index, name), setting, wide=wide),
            )
            for name, check in table.items()
        ]
        compiled.append(tuple(entries))
    return tuple(compiled)


def compile_pointer(name: str, path: tuple[str | int, ...], setting: Reports) -> Pointer:
    """The pointer, the empty one for no name; one that is none is a problem at *path*."""
    try:
        return pointer_to(name) if name else ()
    except BadPointer as bad:
        setting.problem(
            path, "bad-pointer", str(bad), "an argument that cannot be found would never be looked at", bad.mend
        )
        return ()


def compile_check(check: Check, path: tuple[str | int, ...], setting: Reports, *, wide: bool) -> Judge | None:
    """What judges the value, `None` where nothing must hold or something is wrong."""
    found = [fault._replace(path=(*path, *fault.path)) for fault in faults(check)]
    judges = [] if found or not check.given() else [compile_judge(check, wide=wide)]
    if check.schema is not None:
        from .schema_files import schema_of

        schema, wrong = schema_of(check.schema, setting.file)
        found += [fault._replace(path=(*path, "schema", *fault.path)) for fault in wrong]
        if not wrong:
            judges.append(_of_schema(schema))
    for fault in found:
        setting.problem(*fault)
    return None if not judges else judges[0] if len(judges) == 1 else _both(judges[0], judges[1])


def _both(one: Judge, other: Judge) -> Judge:
    def judge(value: Any) -> Any:
        said = one(value)
        return other(value) if said is HOLDS else said

    return judge


def _of_schema(schema: Any) -> Judge:
    from .schemas import compile_schema

    valid = compile_schema(schema)
    return lambda value: HOLDS if valid(value) else FAILS


_EVERY = ("it would hold for every call", "name an argument in it")
