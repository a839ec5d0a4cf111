"""What a client asks that is no governed call: how a session begins, lists, tasks, subscriptions, and small things."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from ...kernel.content import ToolExecutionResult
from ...plan.threads import off_thread
from ...served import PROMPT, RESOURCE, TOOL
from .gate import Identity
from .line import Job, Line, failed
from .lists import is_hopeless
from .methods import (
    HANDSHAKE_VERSIONS,
    LISTEN,
    LISTS,
    PARAMS,
    PROGRESS,
    STATELESS_VERSIONS,
    SUBSCRIPTION,
    meta_of,
    of_client,
    of_server,
    only,
    stateless,
)
from .offer import BadList
from .results import BadResult, as_error, given_back, kept_of, taken
from .texts import Withheld
from .wire import INVALID_PARAMS, REFUSED, UNANSWERED, Request, Response, is_id

MANY = 200
"""How many entries of a list an event loop does not wait for."""
MOST_SUBSCRIBED = 256
_OFFERED = frozenset({"promptsListChanged", "resourcesListChanged", "toolsListChanged"})
_ENTRY: Mapping[str, tuple[str, str | None]] = {
    "tools": ("name", TOOL),
    "prompts": ("name", PROMPT),
    "resources": ("uri", RESOURCE),
    "resourceTemplates": ("uriTemplate", None),
}
"""The key of the name of an entry in each list, and what it is the name of; a template names nothing yet."""


async def passed(line: Line, request: Request) -> dict[str, Any]:
    """Ask the server the same, and give its answer."""
    response = await _ask(line, request)
    if response.result is None:
        return await _error(line, response)
    return {"result": await _shaped(line, response.result)}


async def _ask(line: Line, request: Request) -> Response:
    params, meta = only(request.params, PARAMS[request.method]), meta_of(request.params)
    token = meta.get(PROGRESS)
    if is_id(token):
        line.progress.setdefault(token, None)
    try:
        return await line.server.ask(request.method, {**params, **({"_meta": meta} if meta else {})})
    finally:
        if is_id(token) and line.progress.get(token) is None:
            line.progress.pop(token, None)


async def _error(line: Line, response: Response) -> dict[str, Any]:
    """An error of the server, shaped."""
    shaped = await line.texts.result(taken("", response, "").result, Identity("", "error"))
    return failed(*as_error(shaped))


async def _shaped(line: Line, value: Mapping[str, Any]) -> Any:
    return await line.texts.shaped(value, Identity("", "result")) if value else value


# How a session begins.


async def initialize(line: Line, request: Request) -> dict[str, Any]:
    """Begin a session: each side hears only of what the proxy can pass on."""
    params = request.params
    wanted, capabilities = params.get("protocolVersion"), of_client(params.get("capabilities"))
    version = wanted if wanted in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]
    asked = {"protocolVersion": version, "capabilities": capabilities, **only(params, ("clientInfo",))}
    response = await line.server.ask("initialize", asked)
    if response.result is None:
        return await _error(line, response)
    result = response.result
    if result.get("protocolVersion") not in HANDSHAKE_VERSIONS:
        return failed(UNANSWERED, "the server speaks a version of MCP that the proxy does not know")
    line.capabilities = capabilities
    told = only(result, ("protocolVersion", "serverInfo", "instructions"))
    return {"result": {**told, "capabilities": of_server(result.get("capabilities"))}}


async def discover(line: Line, request: Request) -> dict[str, Any]:
    """Say what a stateless server can do, as far as the proxy can pass it on."""
    meta = meta_of(request.params)
    response = await line.server.ask("server/discover", {"_meta": meta} if meta else {})
    if response.result is None:
        return await _error(line, response)
    result = response.result
    versions = result.get("supportedVersions")
    known = (*HANDSHAKE_VERSIONS, *STATELESS_VERSIONS)
    spoken = [version for version in versions if version in known] if isinstance(versions, list) else []
    told = only(result, ("instructions", "_meta"))
    kept = kept_of(response, stateless=True)
    return {
        "result": {
            **told,
            "supportedVersions": spoken,
            "capabilities": of_server(result.get("capabilities")),
            **kept,
        }
    }


# Lists.


async def listed(line: Line, request: Request) -> dict[str, Any]:
    """A list without what no call could be allowed for."""
    response = await _ask(line, request)
    if response.result is None:
        return await _error(line, response)
    key, result = LISTS[request.method], response.result
    entries, after = result.get(key), result.get("nextCursor")
    if not isinstance(entries, list) or not isinstance(after, str | None):
        return failed(UNANSWERED, "the server answered with something that is no list")
    if key == "tools":
        try:
            entries = [
                entry for entry, _ in line.offer.learn(entries, whole=after is None and "cursor" not in request.params)
            ]
        except BadList as why:
            return failed(UNANSWERED, str(why))
    shown = await off_thread(lambda: _shown(line, key, entries), blocking=len(entries) > MANY)
    for entry in shown if key == "tools" else ():
        line.gate.know(Identity(TOOL, entry["name"]), line.offer.told(entry["name"]))
    kept = kept_of(response, stateless=stateless(request.params))
    if "cacheScope" in kept:
        kept["cacheScope"] = "private"  # it is what these rules leave
    return {"result": {key: shown, **({} if after is None else {"nextCursor": after}), **kept}}


def _shown(line: Line, key: str, entries: list[Any]) -> list[Any]:
    named, origin = _ENTRY[key]
    return [
        entry
        for entry in entries
        if isinstance(entry, dict) and isinstance(entry.get(named), str) and entry[named]
        if origin is None or not _is_hidden(line, Identity(origin, entry[named]))
    ]


def _is_hidden(line: Line, identity: Identity) -> bool:
    if line.offer.suspended(identity) is not None:
        return True
    told = line.offer.told(identity.raw) if identity.origin == TOOL else None
    return is_hopeless(line.gate.engine, line.gate.tool_of(identity, told))


# Tasks.


async def task(line: Line, request: Request) -> dict[str, Any]:
    """Ask about a task; what comes of it is shaped by the rules of the call that began it."""
    if request.method == "tasks/list":
        response = await _ask(line, request)
        tasks = (response.result or {}).get("tasks")
        if not isinstance(tasks, list):
            return await _error(line, response) if response.result is None else failed(UNANSWERED, "no list of tasks")
        known = [one for one in tasks if isinstance(one, dict) and line.began(one.get("taskId"))]
        return {"result": {**only(response.result or {}, ("nextCursor",)), "tasks": await _each(line, known)}}
    identity = line.began(request.params.get("taskId"))
    if identity is None:
        return failed(INVALID_PARAMS, "no call through this proxy began such a task")
    response = await _ask(line, request)
    if response.result is None or request.method != "tasks/result":
        if response.result is None:
            return await _error(line, response)
        return {"result": await line.texts.shaped(response.result, identity, ())}
    found = taken("tools/call", response, identity.raw)
    shaped = await line.texts.result(found.result, identity, ())
    return {"result": given_back("tools/call", shaped, found.shells, identity.raw)}


async def _each(line: Line, tasks: list[dict[str, Any]]) -> list[Any]:
    return [await line.texts.shaped(one, line.tasks[one["taskId"]], ()) for one in tasks]


# Subscriptions.


async def listen(line: Line, request: Request, job: Job) -> dict[str, Any]:
    """Open a stream of announcements; to follow a resource is a call like reading it."""
    found = request.params.get("notifications")
    wanted = found if isinstance(found, dict) else {}
    uris = wanted.get("resourceSubscriptions", [])
    if (
        not isinstance(uris, list)
        or len(uris) > MOST_SUBSCRIBED
        or not all(isinstance(uri, str) and uri for uri in uris)
    ):
        return failed(INVALID_PARAMS, f"`resourceSubscriptions` must be a list of at most {MOST_SUBSCRIBED} URIs")
    for uri in uris:
        why = await _may_follow(line, uri)
        if why is not None:
            return failed(REFUSED, why)
    asked = only(wanted, _OFFERED) | ({"resourceSubscriptions": uris} if uris else {})
    ours: list[Any] = []

    def sent(identifier: Any) -> None:
        ours.append(identifier)
        line.subscriptions[identifier] = job.id if job.id is not None else ""

    params = {"notifications": asked, "_meta": meta_of(request.params)}
    try:
        response = await line.server.ask(LISTEN, params, patience=math.inf, sent=sent)
    finally:
        for identifier in ours:
            line.subscriptions.pop(identifier, None)
    if response.result is None:
        return await _error(line, response)
    return {"result": {"resultType": "complete", "_meta": {SUBSCRIPTION: request.id}}}


async def _may_follow(line: Line, uri: str) -> str | None:
    """Why a resource may not be followed, `None` where it may."""

    async def forward(_: Mapping[str, Any]) -> ToolExecutionResult:
        return ToolExecutionResult("", "followed")

    name = line.gate.know(Identity(RESOURCE, uri), None)
    result = await line.gate.run(name, {"uri": uri}, forward, None)
    return result.text.removeprefix("Error: ") if result.is_error else None


Handler = Callable[[Line, Request], Any]
FAILURES = (BadResult, Withheld)
"""What a handler raises where nothing is left that could be answered with."""
