"""The methods of MCP that the proxy knows, what may stand in them, and what it lets the two sides tell each other.

Everything else is refused: a method that nobody has looked at could carry anything.

Source: the schemas of MCP 2024-11-05 to 2025-11-25, and 2026-07-28.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import Any

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS_VERSIONS = ("2026-07-28",)

VERSION = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
PROGRESS = "progressToken"

PASSED = frozenset({"ping", "logging/setLevel", "resources/unsubscribe"})
"""What a client may ask without being judged: it does nothing."""
STARTS = frozenset({"initialize", "server/discover"})
LISTS: Mapping[str, str] = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}
"""The key of the entries in what each list returns."""
CALLS: Mapping[str, frozenset[str]] = {
    "tools/call": frozenset({"name", "arguments", "task"}),
    "resources/read": frozenset({"uri"}),
    "resources/subscribe": frozenset({"uri"}),
    "prompts/get": frozenset({"name", "arguments"}),
    "completion/complete": frozenset({"ref", "argument", "context"}),
}
"""What is a call with effects, and the keys of its params."""
TASKS = frozenset({"tasks/get", "tasks/result", "tasks/cancel", "tasks/list"})
LISTEN = "subscriptions/listen"
ROUNDS = frozenset({"tools/call", "resources/read", "prompts/get"})
"""What may be answered by `input_required`."""

PARAMS: Mapping[str, frozenset[str]] = {
    "ping": frozenset(),
    "logging/setLevel": frozenset({"level"}),
    "resources/unsubscribe": frozenset({"uri"}),
    "tasks/list": frozenset({"cursor"}),
    **dict.fromkeys(LISTS, frozenset({"cursor"})),
    **dict.fromkeys(("tasks/get", "tasks/result", "tasks/cancel"), frozenset({"taskId"})),
}
"""The keys of the params of what is not judged."""

ASKED_BY_SERVERS: Mapping[str, frozenset[str]] = {
    "roots/list": frozenset(),
    "elicitation/create": frozenset({"mode", "message", "requestedSchema", "url", "elicitationId"}),
    "sampling/createMessage": frozenset(
        {
            "includeContext",
            "maxTokens",
            "messages",
            "metadata",
            "modelPreferences",
            "stopSequences",
            "systemPrompt",
            "temperature",
            "toolChoice",
            "tools",
        }
    ),
}
"""What a server may ask of its client, and the keys of the params; each is judged as `request:SERVER/METHOD`."""

FROM_CLIENTS: Mapping[str, frozenset[str]] = {
    "notifications/initialized": frozenset(),
    "notifications/roots/list_changed": frozenset(),
    "notifications/cancelled": frozenset({"requestId", "reason"}),
    "notifications/progress": frozenset({PROGRESS, "progress", "total", "message"}),
}
FROM_SERVERS: Mapping[str, frozenset[str]] = {
    "notifications/cancelled": frozenset({"requestId", "reason"}),
    "notifications/progress": frozenset({PROGRESS, "progress", "total", "message"}),
    "notifications/message": frozenset({"level", "logger", "data"}),
    "notifications/tools/list_changed": frozenset(),
    "notifications/prompts/list_changed": frozenset(),
    "notifications/resources/list_changed": frozenset(),
    "notifications/resources/updated": frozenset({"uri"}),
    "notifications/elicitation/complete": frozenset({"elicitationId"}),
    "notifications/subscriptions/acknowledged": frozenset({"notifications"}),
    "notifications/tasks/status": frozenset(
        {"taskId", "status", "statusMessage", "createdAt", "lastUpdatedAt", "ttl", "pollInterval"}
    ),
}
"""The notifications that pass, and the keys of their params; others are dropped."""

LEVELS = frozenset({"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"})

_META = frozenset(
    {
        PROGRESS,
        VERSION,
        CAPABILITIES,
        "io.modelcontextprotocol/clientInfo",
        "io.modelcontextprotocol/logLevel",
        "io.modelcontextprotocol/related-task",
        "traceparent",
        "tracestate",
        "baggage",
    }
)
_OF_CLIENTS = frozenset({"elicitation", "roots", "sampling"})
_OF_SERVERS = frozenset({"completions", "logging", "prompts", "resources", "tasks", "tools"})


def only(params: Mapping[str, Any], keys: Iterable[str]) -> dict[str, Any]:
    """*params* with these keys alone."""
    return {key: params[key] for key in keys if key in params}


def meta_of(params: Mapping[str, Any]) -> dict[str, Any]:
    """What is passed on of the `_meta` of a request."""
    found = params.get("_meta")
    if not isinstance(found, dict):
        return {}
    meta = {key: found[key] for key in found if key in _META}
    if CAPABILITIES in meta:
        meta[CAPABILITIES] = of_client(meta[CAPABILITIES])
    return meta


def stateless(params: Mapping[str, Any]) -> bool:
    """Whether a request says itself which version of MCP it is in, as from 2026 on."""
    found = params.get("_meta")
    return isinstance(found, dict) and VERSION in found


def of_client(capabilities: Any) -> dict[str, Any]:
    """The capabilities of a client that the proxy can pass on; tasks of clients and extensions it cannot."""
    return only(capabilities, _OF_CLIENTS & capabilities.keys()) if isinstance(capabilities, dict) else {}


def of_server(capabilities: Any) -> dict[str, Any]:
    """The same of a server."""
    return only(capabilities, _OF_SERVERS & capabilities.keys()) if isinstance(capabilities, dict) else {}


def is_among(value: object, names: Container[str]) -> bool:
    """Whether *value* is one of *names*; what is no text, as an array that cannot be a key, never is."""
    return isinstance(value, str) and value in names


def can_elicit(capabilities: Mapping[str, Any]) -> bool:
    """Whether a client with these capabilities can show a form to a person."""
    found = capabilities.get("elicitation")
    return isinstance(found, dict) and (not found or isinstance(found.get("form"), dict))
