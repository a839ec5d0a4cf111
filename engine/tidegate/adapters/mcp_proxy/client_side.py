"""What comes from the client: requests that are served, answers that somebody waits for, and what is neither.

Messages are handled in the order in which they come; requests then go on side by side, each in a task of its own. What
is no message, or no method that is known, ends here.
"""

from __future__ import annotations

from typing import Any

from anyio.abc import TaskGroup

from ...shown import quote
from .asked import FAILURES, discover, initialize, listed, listen, passed, task
from .exchange import Exchange
from .line import MOST_HELD, MOST_REQUESTS, Job, Line, Reply, failed
from .methods import (
    CALLS,
    FROM_CLIENTS,
    LISTEN,
    LISTS,
    PASSED,
    PROGRESS,
    STARTS,
    STATELESS_VERSIONS,
    TASKS,
    VERSION,
    meta_of,
    only,
    stateless,
)
from .peer import Send, Unanswered
from .subjects import BadParams, subject_of
from .wire import (
    BUSY,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    MOST_BYTES,
    PARSE_ERROR,
    UNANSWERED,
    UNSUPPORTED_VERSION,
    Bad,
    Notification,
    Request,
    Response,
    error,
    is_id,
    read,
)

BROKEN = "tidegate failed on this request, and passed nothing on"
KNOWN = PASSED | STARTS | LISTS.keys() | CALLS.keys() | TASKS | {LISTEN}
"""Every method that a client may use."""


class ClientSide:
    """Takes what the client of a line sends, and does with it what is to be done."""

    def __init__(self, line: Line, send: Send, group: TaskGroup, most: int = MOST_BYTES) -> None:
        """Write to the client with *send*, and serve its requests in *group*."""
        self._line = line
        self._send = send
        self._group = group
        self._most = most

    async def take(self, data: bytes | None, reply: Reply | None = None) -> None:
        """Take a line of the client; `None` stands for one that was too long. *reply* takes what is answered to it."""
        reply = self._reply if reply is None else reply
        if data is None:
            await reply(error(None, PARSE_ERROR, f"a message is at most {self._most} bytes long"))
            return
        frame = read(data, self._most)
        if frame.batch:
            wanted = sum(isinstance(message, Request | Bad) for message in frame.messages)
            reply = _Batch(reply, wanted).reply
        size = len(data) // len(frame.messages)
        for message in frame.messages:
            await self._one(message, reply, size, batch=frame.batch)

    async def _reply(self, message: Any) -> None:
        if message is not None:
            await self._send(message)

    async def _one(self, message: Any, reply: Reply, size: int, *, batch: bool) -> None:
        match message:
            case Request():
                await self._begin(message, Job(message.id, reply, size), batch=batch)
            case Notification():
                await self._told(message)
            case Response():
                if not self._line.client.answered(message):
                    self._line.say(f"dropped an answer of the client to {quote(str(message.id))}, which nobody asked")
            case Bad():
                await reply(error(message.id, message.code, message.reason))

    async def _begin(self, request: Request, job: Job, *, batch: bool) -> None:
        """Begin to serve a request, unless it cannot be."""
        line = self._line
        refusal = self._unfit(request, job.size, batch=batch)
        if refusal is not None:
            # Another request of that id is under way: its answer must not be taken for this one's.
            await job.reply({"jsonrpc": "2.0", "id": None if request.id in line.jobs else request.id, **refusal})
            return
        state = request.params.get("requestState")
        if state is not None or "inputResponses" in request.params:
            await self._resume(request, job.reply, state)
            return
        line.jobs[request.id] = job
        line.held.bytes += job.size
        self._group.start_soon(self._serve, request, job)

    def _unfit(self, request: Request, size: int, *, batch: bool) -> dict[str, Any] | None:
        jobs, method = self._line.jobs, request.method
        if request.id in jobs:
            return failed(INVALID_REQUEST, f"a request with the id {quote(str(request.id))} is under way")
        if method not in KNOWN:
            return failed(METHOD_NOT_FOUND, f"the proxy does not know the method {quote(method)}")
        if method in STARTS and batch:
            return failed(INVALID_REQUEST, f"`{method}` is not part of a batch")
        if self._line.held.bytes + size > MOST_HELD * self._most:
            return failed(BUSY, "the requests under way are too long together; try again later")
        if len(jobs) + len(self._line.parked) >= MOST_REQUESTS:
            return failed(BUSY, f"more than {MOST_REQUESTS} requests are under way; try again later")
        version = meta_of(request.params).get(VERSION)
        if stateless(request.params) and version not in STATELESS_VERSIONS:
            data = {"supported": list(STATELESS_VERSIONS), "requested": version if isinstance(version, str) else ""}
            return failed(UNSUPPORTED_VERSION, "the proxy does not know this version of MCP", data)
        return None

    async def _resume(self, request: Request, reply: Reply, state: object) -> None:
        exchange = self._line.parked.pop(state, None) if isinstance(state, str) else None
        why = "nobody waits for this `requestState`; call again without it"
        if exchange is not None:
            try:
                if exchange.resume(request, subject_of(request.method, request.params), reply):
                    return
                why = "the call is another one than the one that wanted input; call again"
            except BadParams as bad:
                why = str(bad)
            exchange.give_up()
        await reply(error(request.id, INVALID_PARAMS, why))

    async def _serve(self, request: Request, job: Job) -> None:
        answer: dict[str, Any] | None = None
        try:
            with job.scope:
                answer = await self._guarded(request, job)
            await self._line.end(job, answer)
        finally:
            self._line.held.bytes -= job.size

    async def _guarded(self, request: Request, job: Job) -> dict[str, Any]:
        """The answer to a request; whatever goes wrong is one as well."""
        try:
            return await self._handled(request, job)
        except BadParams as bad:
            return failed(INVALID_PARAMS, str(bad))
        except Unanswered as why:
            return failed(why.rpc_code, str(why))
        except FAILURES:
            return failed(UNANSWERED, "what the server answered could not be made fit to show")
        except Exception as broken:  # noqa: BLE001 - not silent, and nothing was let through
            self._line.say(f"internal error in `{request.method}`, please report it: {type(broken).__name__}: {broken}")
            return failed(INTERNAL_ERROR, BROKEN)

    async def _handled(self, request: Request, job: Job) -> dict[str, Any]:
        line, method = self._line, request.method
        if method in CALLS:
            return await Exchange(line, job, request, subject_of(method, request.params)).run()
        if method in LISTS:
            return await listed(line, request)
        if method in TASKS:
            return await task(line, request)
        if method == LISTEN:
            return await listen(line, request, job)
        if method in STARTS:
            return await (initialize if method == "initialize" else discover)(line, request)
        return await passed(line, request)

    async def _told(self, message: Notification) -> None:
        line, known = self._line, FROM_CLIENTS.get(message.method)
        if known is None:
            line.say(f"dropped the notification {quote(message.method)} of the client, which the proxy does not know")
            return
        params = only(message.params, known)
        if message.method == "notifications/cancelled":
            job = line.jobs.get(params["requestId"]) if is_id(params.get("requestId")) else None
            if job is not None:
                job.scope.cancel()
            return
        token = params.get(PROGRESS)
        if message.method == "notifications/progress" and not (is_id(token) and token in line.asked_tokens):
            return
        await line.server.tell(message.method, params)


class _Batch:
    """Gathers the answers to a batch, and gives them together."""

    def __init__(self, reply: Reply, wanted: int) -> None:
        self._together = reply
        self._left = wanted
        self._answers: list[dict[str, Any]] = []

    async def reply(self, message: dict[str, Any] | None) -> None:
        """Take one answer; `None` is that of a request that was cancelled."""
        self._left -= 1
        if message is not None:
            self._answers.append(message)
        if self._left == 0:
            await self._together(self._answers or None)
