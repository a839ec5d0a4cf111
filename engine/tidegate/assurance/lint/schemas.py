"""Rules about arguments held against the JSON Schemas of the tools that there really are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ...call import Call
from ...compile.catalogue import Described
from ...lang.words import quoted
from ...meaning.lookalikes import fold
from ...meaning.names import name_test, widened_name_test
from ...pointers import EACH, BadPointer, pointer_to
from ...shown import quote
from ..clauses import Clause
from ..clauses.tables import Table, texts
from ..languages import Language, Unread, share
from ..languages.algebra import Machine
from ..languages.pieces import ANYTHING, Joined
from ..languages.regexes import regex_pieces
from .looking import Looking, Said, decided, slip

_WHY = "the schemas of the tools leave no value of which it could hold"


def out_of_reach(look: Looking) -> Iterator[Said]:
    """Tables of `deny` and `allow` that name arguments or values which no schema of their tools has."""
    for clause in look.clauses if look.catalogue is not None else ():
        if clause.kind == "arguments" and clause.says in ("deny", "grant") and not clause.whole:
            for item in clause.items:
                if isinstance(item, Table):
                    yield from decided(clause.raw.address, "never-matches", _of_table(look, clause, item))


def _of_table(look: Looking, clause: Clause, item: Table) -> Iterator[Said]:
    globs = clause.raw.fields.get("tools")
    test = (name_test if clause.grants else widened_name_test)(globs) if globs is not None else lambda _: True
    tools = [tool for tool in look.catalogue or () if test(tool.name)]
    if not tools or clause.raw.fields.get("missing") is not None:
        return
    for name, check in item.checks.items():
        reasons = [_reason(tool, name, check, grant=clause.grants) for tool in tools]
        if all(reason is not None for reason in reasons):
            calls = [call for tool in tools for call in _possible(look, tool, name)]
            yield from slip(
                clause.raw,
                clause.key,
                "never-matches",
                f"{quote(name)}: {reasons[0]} of {quoted([tool.name for tool in tools], 'and')}",
                _WHY,
                "name an argument that there is, and values that it can have",
                [look.first(calls, partial(_is_silent, look, clause))],
            )
            return


def _possible(look: Looking, tool: Described, name: str) -> Iterator[Call]:
    """Calls that the schema of the tool takes, with each value that it lists for the argument."""
    schema = _schema_of(tool, name)
    listed = _listed(schema) if schema is not None else None
    for value in listed or ():
        yield from look.prober.of_value(name, value, [tool.name])
    yield look.prober.make(tool.name, {})


def _is_silent(look: Looking, clause: Clause, call: Call) -> str | None:
    said = look.bench.alone(look.of(clause), call)
    wanted = ("pass", "ask") if clause.grants else ("pass",)
    return f"{quote(clause.raw.address)} alone says {said}" if said in wanted else None


def _schema_of(tool: Described, name: str) -> Mapping[str, Any] | None:
    """The schema of an argument at the top, `None` where that is not plain."""
    try:
        pointer = pointer_to(name)
    except BadPointer:
        return None
    if len(pointer) != 1 or pointer[0] is EACH:
        return None
    found = tool.properties.get(pointer[0])
    return found if isinstance(found, Mapping) else None


def _reason(tool: Described, name: str, check: Mapping[str, Any], *, grant: bool) -> str | None:
    """Why no call that fits the schema of the tool can meet the check, `None` where one may."""
    try:
        first = pointer_to(name)[:1] if name else ()
    except BadPointer:
        return None
    if first and first[0] not in tool.properties and tool.parameters.get("additionalProperties") is False:
        return "no such argument is in the schema"
    schema = _schema_of(tool, name)
    if schema is None or not check:
        return None
    own = texts(check) if len(check) == 1 else None
    if own is None:
        return None
    listed = _listed(schema)
    if listed is not None:
        wide = texts(check, wide=True)
        apart = all(isinstance(value, str) and not _may_hold(own, wide, value) for value in listed)
        return "none of the values in the schema meets it," if apart else None
    # A deny sees more spellings than the expression has, so that only a grant can be told apart from it.
    return _apart_from_pattern(own, schema) if grant else None


def _listed(schema: Mapping[str, Any]) -> Sequence[Any] | None:
    """The only values that the schema takes, where it lists them."""
    if "const" in schema:
        return [schema["const"]]
    values = schema.get("enum")
    return values if isinstance(values, list) else None


def _may_hold(own: Language, wide: Language | None, value: str) -> bool:
    return own.holds(value) or wide is None or wide.holds(fold(value).strip())


def _apart_from_pattern(own: Language, schema: Mapping[str, Any]) -> str | None:
    """Whether the `pattern` of the schema, which is searched for, and the check have no text in common."""
    pattern = schema.get("pattern")
    if not isinstance(pattern, str) or schema.get("type") != "string" or "|" in pattern:
        return None
    whole = re.fullmatch(r"(\^?)(.*?)((?<!\\)\$)?", pattern, re.DOTALL)
    if whole is None:
        return None
    try:
        inner = regex_pieces(whole[2])
    except Unread:
        return None
    parts = (*(() if whole[1] else (ANYTHING,)), inner, *(() if whole[3] else (ANYTHING,)))
    return None if share(own, Machine(Joined(parts))) is not None else "the `pattern` in the schema rules it out,"
