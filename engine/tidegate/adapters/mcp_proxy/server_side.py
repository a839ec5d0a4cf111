"""What comes from the server: answers that somebody waits for, what it asks and tells the client, and what is neither.

Answers and notifications are handled in the order in which they come, so that progress never comes after its result.
What is no message, no method that is known, or no answer to a request of ours, ends here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from anyio import CancelScope
from anyio.abc import TaskGroup

from ...served import REQUEST
from ...shown import quote
from .client_side import BROKEN
from .gate import Identity
from .line import MOST_ASKED, Line, failed
from .methods import ASKED_BY_SERVERS, FROM_SERVERS, LEVELS, PROGRESS, SUBSCRIPTION, is_among, meta_of, only
from .peer import Send, Unanswered
from .requests import Refused, judged
from .texts import Withheld
from .wire import (
    BUSY,
    INTERNAL_ERROR,
    METHOD_NOT_FOUND,
    MOST_BYTES,
    REFUSED,
    Bad,
    Id,
    Notification,
    Request,
    Response,
    error,
    is_id,
    read,
)


class ServerSide:
    """Takes what the server of a line sends, and does with it what is to be done."""

    def __init__(self, line: Line, answer: Send, group: TaskGroup, most: int = MOST_BYTES) -> None:
        """Answer the server with *answer*, and serve its requests in *group*."""
        self._line = line
        self._answer = answer
        self._group = group
        self._most = most
        self._asked: dict[Id, CancelScope] = {}

    async def take(self, data: bytes | None) -> None:
        """Take a line of the server; `None` stands for one that was too long."""
        if data is None:
            self._line.say(f"the server sent a message of more than {self._most} bytes; what waits for it is refused")
            self._line.server.all_broken()
            return
        for message in read(data, self._most).messages:
            try:
                await self._one(message)
            except Withheld:
                self._line.say("dropped a notification of the server, which could not be made fit to show")
            except Exception as broken:  # noqa: BLE001 - not silent, and what it was about goes no further
                self._line.say(f"dropped what the server sent: internal error, please report it: {broken!r}")
                self._line.server.all_broken()

    async def _one(self, message: Any) -> None:
        line = self._line
        match message:
            case Response():
                if not line.server.answered(message):
                    line.say(f"dropped an answer of the server to {quote(str(message.id))}, which nobody waits for")
            case Request():
                await self._begin(message)
            case Notification():
                await self._told(message)
            case Bad(beyond=True):
                line.say(f"what waits for the server is refused, as it sent what cannot be read: {message.reason}")
                line.server.all_broken()
            case Bad():
                if message.id is None or not line.server.broken(message.id):
                    line.say(f"dropped what the server sent and is no message: {message.reason}")

    async def _begin(self, request: Request) -> None:
        if request.method not in ASKED_BY_SERVERS and request.method != "ping":
            why = f"the proxy does not know the method {quote(request.method)}"
            await self._answer(error(request.id, METHOD_NOT_FOUND, why))
        elif request.id in self._asked or len(self._asked) >= MOST_ASKED:
            await self._answer(error(None, BUSY, "the id is in use, or too many requests are under way"))
        else:
            self._asked[request.id] = scope = CancelScope()
            self._group.start_soon(self._serve, request, scope)

    async def _serve(self, request: Request, scope: CancelScope) -> None:
        answer: dict[str, Any] | None = None
        token = meta_of(request.params).get(PROGRESS)
        if is_id(token):
            self._line.asked_tokens.add(token)
        with scope:
            try:
                answer = await self._asked_of_client(request)
            except Unanswered as why:
                answer = failed(why.rpc_code, str(why))
            except Exception as broken:  # noqa: BLE001 - not silent, and nothing was let through
                self._line.say(f"internal error in `{request.method}`: {type(broken).__name__}: {broken}")
                answer = failed(INTERNAL_ERROR, BROKEN)
        self._asked.pop(request.id, None)
        if is_id(token):
            self._line.asked_tokens.discard(token)
        if answer is not None:
            await self._answer({"jsonrpc": "2.0", "id": request.id, **answer})

    async def _asked_of_client(self, request: Request) -> dict[str, Any]:
        line, method = self._line, request.method
        if method == "ping":
            return _as_answer(await line.client.ask("ping", {}))
        found: list[Response | Unanswered] = []
        meta = only(meta_of(request.params), (PROGRESS,))

        async def act(params: Mapping[str, Any]) -> None:
            try:
                found.append(await line.client.ask(method, {**params, **({"_meta": meta} if meta else {})}))
            except Unanswered as why:
                found.append(why)

        try:
            await judged(line, method, request.params, act)
        except Refused as refused:
            line.say(f"refused `{method}`, which the server asks of the client: {refused}")
            return failed(REFUSED, f"the client's rules do not allow `{method}`")
        if isinstance(found[0], Unanswered):
            raise found[0]
        return _as_answer(found[0])

    async def _told(self, message: Notification) -> None:
        line, method = self._line, message.method
        known = FROM_SERVERS.get(method)
        if known is None:
            line.say(f"dropped the notification {quote(method)} of the server, which the proxy does not know")
            return
        params = only(message.params, known)
        meta = message.params.get("_meta")
        ours = meta.get(SUBSCRIPTION) if isinstance(meta, dict) else None
        if ours is not None:
            if not is_id(ours) or ours not in line.subscriptions:
                return
            params["_meta"] = {SUBSCRIPTION: line.subscriptions[ours]}
        handler: Callable[[dict[str, Any]], Any] | None = {
            "notifications/cancelled": self._cancelled_by_server,
            "notifications/progress": self._progressed,
            "notifications/message": self._logged,
            "notifications/tasks/status": self._task_changed,
        }.get(method)
        if method == "notifications/tools/list_changed":
            line.offer.stale()
        fit = params if handler is None else await handler(params)
        if fit is not None:
            await line.client.tell(method, fit)

    async def _cancelled_by_server(self, params: dict[str, Any]) -> None:
        scope = self._asked.get(params["requestId"]) if is_id(params.get("requestId")) else None
        if scope is not None:
            scope.cancel()

    async def _progressed(self, params: dict[str, Any]) -> dict[str, Any] | None:
        line, token = self._line, params.get(PROGRESS)
        if not is_id(token) or token not in line.progress:
            return None
        numbers = {key: params[key] for key in ("progress", "total") if type(params.get(key)) in (int, float)}
        told = {PROGRESS: token, **numbers}
        if isinstance(params.get("message"), str):
            about = line.progress[token]
            among = None if about is None else ()
            identity = about or Identity(REQUEST, "notifications/progress")
            told["message"] = await line.texts.shaped(params["message"], identity, among)
        return told

    async def _logged(self, params: dict[str, Any]) -> dict[str, Any]:
        said = {key: params[key] for key in ("logger", "data") if key in params}
        shaped = await self._line.texts.shaped(said, Identity(REQUEST, "notifications/message")) if said else {}
        level = params.get("level")
        return {**only(params, ("_meta",)), "level": level if is_among(level, LEVELS) else "info", **shaped}

    async def _task_changed(self, params: dict[str, Any]) -> dict[str, Any] | None:
        identity = self._line.began(params.get("taskId"))
        return None if identity is None else await self._line.texts.shaped(params, identity, ())


def _as_answer(response: Response) -> dict[str, Any]:
    if response.result is not None:
        return {"result": response.result}
    found = response.error or {}
    return failed(found["code"], found["message"], found.get("data"))
