"""Spans of OpenTelemetry: a tool call is a span of the operation `execute_tool`.

Reads OTLP as JSON, a whole export or one on each line, and spans on lines, as exporters to a console write them. That
arguments are recorded is an option of whoever instruments; a span without them is told as no call.

Source: semantic conventions for generative AI, spans of tool execution; OTLP, JSON encoding.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...errors import CallError
from .found import Around, Found, Given, call_from, moment

_OPERATION = "execute_tool"
_NANO = 1_000_000_000


def recognizes(value: Any) -> bool:
    """Whether it is an export of spans, or the span of a tool call."""
    if not isinstance(value, Mapping):
        return False
    try:
        return "resourceSpans" in value or ("name" in value and _is_tool(value, _attributes(value)))
    except CallError:
        return False


def found(value: Any, _: Given) -> Iterator[Found]:
    """The calls among the spans of an export, or that of one span; other spans have none."""
    for span in _spans(value):
        try:
            attributes = _attributes(span)
            if _is_tool(span, attributes):
                yield _call_of(span, attributes)
        except CallError as error:
            yield str(error)


def _call_of(span: Mapping[str, Any], attributes: Mapping[str, Any]) -> Found:
    arguments = attributes.get("gen_ai.tool.call.arguments")
    if arguments is None:
        return "its arguments were not recorded; `gen_ai.tool.call.arguments` has to be switched on"
    name = attributes.get("gen_ai.tool.name") or str(span.get("name")).removeprefix(f"{_OPERATION} ")
    around = Around(
        session=_text(attributes, "gen_ai.conversation.id", "session.id"),
        at=_start(span),
        agent=_text(attributes, "gen_ai.agent.id", "gen_ai.agent.name"),
    )
    return call_from(name, arguments, attributes.get("gen_ai.tool.call.id"), around)


def _is_tool(span: Mapping[str, Any], attributes: Mapping[str, Any]) -> bool:
    operation = attributes.get("gen_ai.operation.name")
    return operation == _OPERATION or (operation is None and str(span.get("name")).startswith(f"{_OPERATION} "))


def _text(attributes: Mapping[str, Any], *keys: str) -> str | None:
    return next((attributes[key] for key in keys if isinstance(attributes.get(key), str)), None)


def _start(span: Mapping[str, Any]) -> float | None:
    """When the span began: nanoseconds as a text or a number in OTLP, ISO 8601 from a console."""
    nano = span.get("startTimeUnixNano", span.get("start_time_unix_nano"))
    if nano is None:
        return moment(span.get("start_time"))
    try:
        return int(nano) / _NANO
    except (TypeError, ValueError, OverflowError):
        raise CallError("when the span began is no number of nanoseconds") from None


def _spans(value: Any) -> Iterator[Mapping[str, Any]]:
    """All spans of an export, wherever they come from."""
    if not isinstance(value, Mapping):
        raise CallError("it is no span and no export of spans")
    if "resourceSpans" not in value:
        yield value
        return
    for resource in _objects(value, "resourceSpans"):
        for scope in _objects(resource, "scopeSpans"):
            yield from _objects(scope, "spans")


def _objects(value: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    items = value.get(key, [])
    if not isinstance(items, list) or not all(isinstance(item, Mapping) for item in items):
        raise CallError(f"`{key}` must be an array of objects")
    return items


def _attributes(span: Mapping[str, Any]) -> Mapping[str, Any]:
    """The attributes by name, from either form."""
    attributes = span.get("attributes", {})
    return attributes if isinstance(attributes, Mapping) else _pairs(attributes)


def _pairs(items: Any) -> dict[str, Any]:
    if not isinstance(items, list):
        raise CallError("the attributes of the span are neither an array nor an object")
    found: dict[str, Any] = {}
    for item in items:
        if not isinstance(item, Mapping) or not isinstance(item.get("key"), str):
            raise CallError("an attribute of the span has no key")
        found[item["key"]] = _any_value(item.get("value"))
    return found


def _any_value(value: Any) -> Any:
    """The JSON that a value of OTLP stands for; whole numbers are texts there, and nothing is null."""
    if not isinstance(value, Mapping) or len(value) > 1:
        raise CallError("the value of an attribute of the span is none of OTLP's")
    kind, inner = next(iter(value.items()), ("", None))
    if kind in ("", "stringValue", "boolValue", "doubleValue", "bytesValue"):
        return inner
    if kind == "intValue":
        try:
            return int(inner)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            raise CallError("an `intValue` of the span is no whole number") from None
    if kind == "kvlistValue" and isinstance(inner, Mapping):
        return _pairs(inner.get("values", []))
    if kind == "arrayValue" and isinstance(inner, Mapping) and isinstance(inner.get("values", []), list):
        return [_any_value(item) for item in inner.get("values", [])]
    raise CallError("the value of an attribute of the span is none of OTLP's")
