"""Messages of OpenAI's API: `tool_calls` of chat messages, and items of the Responses API.

The arguments are a text that holds JSON. What a model asks the provider's own tools to do (`web_search_call`) has no
arguments that rules could judge, and is told as no call.

Source: the reference of Chat Completions and of Responses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...errors import CallError
from .found import Around, Found, Given, call_from, holds_many, messages_in, moment


def recognizes(value: Any) -> bool:
    """Whether a message or an item in it is a tool call of this API."""
    try:
        return any(_looks_alike(item) for item in _items(value))
    except CallError:
        return False


def found(value: Any, given: Given) -> Iterator[Found]:
    """The calls of a message, an item, a response, or a conversation.

    A line with a conversation is a session of its own; messages and items on lines are one together.

    Raises:
        CallError: It is none of them.
    """
    around = _around(value, given)
    for item in _items(value):
        yield from _calls_of_message(item, around)
        yield from _call_of_item(item, around)


def _around(value: Any, given: Given) -> Around:
    whole = holds_many(value) or (isinstance(value, Mapping) and ("choices" in value or "output" in value))
    if not whole:
        return Around(session=given.source)
    if not isinstance(value, Mapping):
        return Around(session=given.conversation)
    named = value.get("conversation")
    named = named.get("id") if isinstance(named, Mapping) else named
    at = moment(value.get("created_at", value.get("created")))
    return Around(session=named if isinstance(named, str) else given.conversation, at=at)


def _items(value: Any) -> Iterator[Mapping[str, Any]]:
    """Messages and items, wherever they stand."""
    if isinstance(value, Mapping) and isinstance(value.get("choices"), list):
        for choice in value["choices"]:
            if isinstance(choice, Mapping):
                yield from messages_in(choice.get("message"))
    elif isinstance(value, Mapping) and isinstance(value.get("output"), list) and "type" not in value:
        yield from messages_in(value["output"])
    else:
        yield from messages_in(value)


def _looks_alike(item: Mapping[str, Any]) -> bool:
    kind = item.get("type")
    has_calls = isinstance(item.get("tool_calls"), list) or isinstance(item.get("function_call"), Mapping)
    return has_calls or (kind == "function_call" and "arguments" in item) or kind == "mcp_call"


def _calls_of_message(message: Mapping[str, Any], around: Around) -> Iterator[Found]:
    """The calls of a chat message; `function_call` is how one was said before there were several."""
    calls = message.get("tool_calls")
    if calls is not None and not isinstance(calls, list):
        raise CallError("the `tool_calls` of a message must be an array")
    for call in calls or ():
        if not isinstance(call, Mapping):
            yield "it is no object"
        elif isinstance(call.get("function"), Mapping):
            function = call["function"]
            yield call_from(function.get("name"), _text(function.get("arguments")), call.get("id"), around)
        else:
            yield f"a call of type `{call.get('type')}` has no arguments that rules could judge"
    single = message.get("function_call")
    if isinstance(single, Mapping):
        yield call_from(single.get("name"), _text(single.get("arguments")), None, around)


def _call_of_item(item: Mapping[str, Any], around: Around) -> Iterator[Found]:
    """The call that an item of a response is."""
    kind = item.get("type")
    if kind == "function_call":
        yield call_from(item.get("name"), _text(item.get("arguments")), item.get("call_id"), around)
    elif kind == "mcp_call":
        server = item.get("server_label", "")
        yield call_from(item.get("name"), _text(item.get("arguments")), item.get("id"), around, server=server)
    elif isinstance(kind, str) and kind.endswith("_call"):
        yield f"a call of type `{kind}` has no arguments that rules could judge"


def _text(arguments: Any) -> Any:
    """The arguments; for a tool without any, models write nothing at all."""
    return "{}" if arguments == "" else arguments
