"""Recorded decisions, with the calls that they are about: audit records, and what `decide` printed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ..call import Call, Tool
from ..calls import Line, parse
from ..decision import Verdict
from ..errors import CallError
from ..served import PROMPT, REQUEST, RESOURCE, TOOL

VERDICTS: tuple[Verdict, ...] = ("allow", "ask", "deny")


class Recorded(NamedTuple):
    """One recorded decision: its line from 1, the call as it came, the verdict, the rule and the reason.

    Where the line is none, `call` is `None` and `reason` says why.
    """

    line: int
    call: Call | None
    effect: str
    rule: str | None
    reason: str


def read_records(lines: Iterable[bytes], calls: Iterable[Line] | None = None) -> Iterator[Recorded]:
    """The decisions of *lines*: records of the audit, or what `decide` printed about *calls*, one after the other.

    Raises:
        CallError: The lines are decisions without calls, and *calls* are not what they are about.
    """
    decided = None if calls is None else iter(calls)
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            value = parse(line)
            said = said_of(value)
        except CallError as error:
            yield Recorded(number, None, "", None, f"line {number} is no recorded decision: {error}")
            continue
        yield _recorded(number, said, call_of_record(value) if "tool" in value else _next(number, said, decided))
    if decided is not None and next(decided, None) is not None:
        raise CallError("there are more calls than decisions; these are not the decisions about these calls")


class Said(NamedTuple):
    """What a recorded decision says; the call that it is about has this id."""

    effect: Verdict
    rule: str | None
    reason: str
    call_id: str


def said_of(value: Any) -> Said:
    """What the decision is, in either form.

    Raises:
        CallError: It is none.
    """
    if not isinstance(value, Mapping) or value.get("effect") not in VERDICTS:
        raise CallError("it has no `effect` that is allow, ask or deny")
    rule, reason = value.get("rule"), value.get("reason")
    if not isinstance(rule, str | None) or not isinstance(reason, str):
        raise CallError("`rule` and `reason` must be texts")
    return Said(value["effect"], rule, reason, str(value.get("call_id") or ""))


def _recorded(number: int, said: Said, found: Call | str) -> Recorded:
    if isinstance(found, str):
        return Recorded(number, None, said.effect, said.rule, f"line {number} is about no call: {found}")
    return Recorded(number, found, said.effect, said.rule, said.reason)


def _next(number: int, said: Said, decided: Iterator[Line] | None) -> Call | str:
    """The call that a decision without one is about: the next of those that were decided."""
    if decided is None:
        raise CallError(f"line {number} is a decision without its call; give the calls with `--calls`")
    line = next(decided, None)
    if line is None or (line.call is not None and line.call.call_id != said.call_id):
        raise CallError(f"line {number} is not about the call that comes next; these are other calls")
    return line.call if line.call is not None else line.error


def call_of_record(value: Mapping[str, Any]) -> Call | str:
    """The call of an audit record as it came, or why there is none."""
    arguments = value.get("original") if value.get("original") is not None else value.get("arguments")
    name, server = value.get("tool"), value.get("server") or ""
    if not isinstance(arguments, Mapping) or not isinstance(name, str) or not isinstance(server, str):
        return "its tool or its arguments are not written down"
    at = value.get("at")
    place: dict[str, Any] = {key: value.get(key) for key in ("agent", "session", "cwd", "root", "home", "mode")}
    if type(at) not in (int, float) or not all(isinstance(text, str | None) for text in place.values()):
        return "when and where it was is not written down"
    call_id, interactive = str(value.get("call_id") or ""), value.get("interactive") is not False
    return Call(_tool(name, server), arguments, call_id=call_id, at=at, interactive=interactive, **place)


def _tool(name: str, server: str) -> Tool:
    """The tool of a record, which tells the name and the server; a name that was changed to fit stays as it is."""
    if not server:
        return Tool(name)
    prefixes = {
        TOOL: f"mcp__{server}__",
        RESOURCE: f"resource:{server}/",
        PROMPT: f"prompt:{server}/",
        REQUEST: f"request:{server}/",
    }
    for origin, prefix in prefixes.items():
        if name.startswith(prefix):
            return Tool(name, origin, server, name.removeprefix(prefix))
    return Tool(name, TOOL, server, name)
