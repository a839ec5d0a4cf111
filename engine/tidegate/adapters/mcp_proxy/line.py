"""What belongs to one connection between a client and a server: both sides, what is under way, what was agreed on."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from anyio import CancelScope, Lock

from ...served import TOOL
from .gate import Gate, Identity
from .methods import CAPABILITIES, can_elicit, meta_of, of_client, stateless
from .offer import BadList, Offer
from .peer import Peer, Unanswered
from .texts import Texts
from .wire import Id, Request, Response, error

if TYPE_CHECKING:
    from .exchange import Exchange

MOST_REQUESTS = 256
"""How many requests of the client may be under way at a time, and how many to the server."""
MOST_ASKED = 64
"""How many requests of the server may be under way at a time."""
MOST_HELD = 8
"""How many messages of the greatest length the requests under way may be long together."""
MOST_TASKS = 1_024
"""How many tasks of the server are remembered."""

Reply = Callable[[Any], Awaitable[None]]
"""Sends the answer to a request; `None` where there is none, as for one that was cancelled."""
Say = Callable[[str], None]
"""Tells the operator something, which is escaped."""


class Held:
    """How many bytes of requests are under way, on all lines that share it."""

    __slots__ = ("bytes",)

    def __init__(self) -> None:
        self.bytes = 0


class Job:
    """One request of the client that is under way; `id` and `reply` are those of its present round.

    `size` is how many bytes of the client's message it holds.
    """

    __slots__ = ("id", "reply", "scope", "size")

    def __init__(self, identifier: Id | None, reply: Reply, size: int) -> None:
        self.id = identifier
        self.reply = reply
        self.size = size
        self.scope = CancelScope()


class Line:
    """One connection.

    Attributes:
        client: The client, as far as it is asked something.
        server: The server.
        gate: The rules.
        offer: What the server says of its tools.
        texts: The output rules for texts outside of results.
        say: Tells the operator what was dropped, and why.
        person: Whose client it is, where that is known; for rules that say who may approve.
        held: How much of the client's messages is under way.
        jobs: The requests of the client that are under way, by its ids.
        parked: The exchanges that wait for the client to come again, by the state that it will bring.
        tasks: The tasks that the server has begun, with what they came from.
        progress: What the progress tokens of the client belong to.
        asked_tokens: The progress tokens of what the server asks now.
        subscriptions: The ids that the client knows for the subscriptions that the server knows by ours.
    """

    def __init__(self, client: Peer, server: Peer, gate: Gate, offer: Offer, say: Say, person: str = "") -> None:
        self.client, self.server = client, server
        self.gate, self.offer, self.say, self.person = gate, offer, say, person
        self.held = Held()
        self.texts = Texts(gate)
        self.jobs: dict[Id, Job] = {}
        self.parked: dict[str, Exchange] = {}
        self.tasks: OrderedDict[str, Identity] = OrderedDict()
        self.progress: dict[Id, Identity | None] = {}
        self.asked_tokens: set[Id] = set()
        self.subscriptions: dict[Id, Id] = {}
        self.capabilities: dict[str, Any] | None = None
        self._listing = Lock()

    def can_elicit(self, params: Mapping[str, Any]) -> bool:
        """Whether the client can ask a person, as it said in this request, or when the session began."""
        if stateless(params):
            return can_elicit(of_client(meta_of(params).get(CAPABILITIES)))
        return can_elicit(self.capabilities or {})

    async def know(self, identity: Identity, params: Mapping[str, Any]) -> str:
        """The registered name of what is used; what the server says of a tool is asked for where it is not known."""
        if identity.origin != TOOL:
            return self.gate.know(identity, None)
        if not self.offer.complete and (self.capabilities is not None or stateless(params)):
            async with self._listing:
                if not self.offer.complete:
                    await self._list(params)
        return self.gate.know(identity, self.offer.told(identity.raw))

    async def _list(self, params: Mapping[str, Any]) -> None:
        meta = {key: value for key, value in meta_of(params).items() if key.startswith("io.modelcontextprotocol/")}

        async def ask(page: dict[str, Any]) -> Response:
            return await self.server.ask("tools/list", {**page, **({"_meta": meta} if meta else {})})

        try:
            await self.offer.refresh(ask)
        except (Unanswered, BadList) as why:
            self.offer.lost()
            self.say(f"what the server says of its tools is not known: {why}")

    def remember_task(self, task: object, identity: Identity) -> None:
        """Note what a task came from, so that its result is shaped by the same rules."""
        if isinstance(task, dict) and isinstance(task.get("taskId"), str):
            self.tasks[task["taskId"]] = identity
            if len(self.tasks) > MOST_TASKS:
                self.tasks.popitem(last=False)

    def began(self, task: object) -> Identity | None:
        """What a task came from; `None` for one that no call through this proxy began."""
        return self.tasks.get(task) if isinstance(task, str) else None

    def resume(self, job: Job, request: Request, reply: Reply) -> None:
        """Go on with a job in another request."""
        job.id, job.reply = request.id, reply
        self.jobs[request.id] = job

    async def end(self, job: Job, answer: Mapping[str, Any] | None) -> None:
        """Answer the present round of a job, unless the answer is `None`."""
        if job.id is None:
            return
        self.jobs.pop(job.id, None)
        await job.reply(None if answer is None else {"jsonrpc": "2.0", "id": job.id, **answer})
        job.id = None


def failed(code: int, message: str, data: Any = None) -> dict[str, Any]:
    """An error, as handlers return it."""
    return {"error": error(None, code, message, data)["error"]}
