"""The rules around what passes: everything that is governed runs through a registry with the engine attached.

So a request of MCP takes the same way as a call of any tool: rewrites, guards, limits as leases, approvals, timeouts,
output rules, the record. Its body is what passes it on.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from ...call import Tool
from ...kernel import Context, ToolDefinition, ToolExecution, ToolExecutionResult, ToolRegistry
from ...served import PROMPT, RESOURCE, TOOL, public_name

if TYPE_CHECKING:
    from ...engine import Engine
    from ...kernel.told import Told
    from ...plan.approval import Approver

Forward = Callable[[Mapping[str, Any]], Awaitable[ToolExecutionResult]]
"""Passes a call on, with the arguments that were judged."""

MOST_KNOWN = 4_096
"""How many identities are kept registered; URIs and names come from outside, and there are many."""

_FORWARD = "tidegate/mcp-forward"
_PREFIXES: Mapping[str, str] = {RESOURCE: "resource", PROMPT: "prompt"}


class Identity(NamedTuple):
    """What is used: its origin (`served.TOOL` and so on) and its own name at the server."""

    origin: str
    raw: str

    def name(self, server: str) -> str:
        """The name by which rules know it."""
        if self.origin == TOOL:
            return public_name(server, self.raw)
        return f"{_PREFIXES.get(self.origin, 'request')}:{server}/{self.raw}"


class Place(NamedTuple):
    """What the proxy attests of every call: who uses it, in which run, and where.

    `session` is the run of the proxy and no session of MCP, which a client can have as many of as it likes.
    """

    session: str
    agent: str | None = None
    cwd: str | None = None


class Gate:
    """Runs governed calls of one server; several connections may share it."""

    def __init__(self, engine: Engine, server: str, place: Place, suspended: Callable[[Identity], str | None]) -> None:
        """Judge by *engine*; what *suspended* gives a reason for is refused right before its body."""
        self.engine = engine
        self.server = server
        self._place = place
        self._numbers = count(1)
        self._askers: dict[str, Approver] = {}
        self._known: OrderedDict[Identity, tuple[Tool, Callable[[], None]]] = OrderedDict()
        self._by_name: dict[str, Identity] = {}
        self._suspended = suspended
        self._asking, self._silent = self._registry(self._ask), self._registry(None)

    def _registry(self, approver: Approver | None) -> ToolRegistry:
        tools = ToolRegistry(Context())
        self.engine.attach(tools, approver=approver)
        tools.guard(self._hold)
        return tools

    def tool_of(self, identity: Identity, told: Told | None = None) -> Tool:
        """The tool as rules see it."""
        return Tool(identity.name(self.server), identity.origin, self.server, identity.raw, told)

    @property
    def tools(self) -> list[Tool]:
        """Everything of the server that is known here, oldest first."""
        return [tool for tool, _ in self._known.values()]

    def know(self, identity: Identity, told: Told | None) -> str:
        """Register what is used, with what the server says of it now; gives its name.

        A call that is being judged while the server says something else is refused.
        """
        found = self._known.get(identity)
        if found is not None and _digest(found[0].told) == _digest(told):
            self._known.move_to_end(identity)
            return found[0].name
        if found is not None:
            found[1]()
        tool = self.tool_of(identity, told)
        definition = ToolDefinition(
            tool.name, "", {}, _pass_on, origin=tool.origin, server=tool.server, raw_name=tool.raw, told=told
        )
        disposers = [registry.register(definition) for registry in (self._asking, self._silent)]

        def forget() -> None:
            del self._by_name[tool.name]
            for dispose in disposers:
                dispose()

        self._by_name[tool.name] = identity
        self._known[identity] = (tool, forget)
        if len(self._known) > MOST_KNOWN:
            _, (_, forget_oldest) = self._known.popitem(last=False)
            forget_oldest()
        return tool.name

    async def run(
        self, name: str, arguments: Mapping[str, Any], forward: Forward, asker: Approver | None
    ) -> ToolExecutionResult:
        """Take one call through the rules; *asker* puts questions to the person, without one they are refusals."""
        call_id = f"mcp-{next(self._numbers)}"
        place = self._place
        execution = ToolExecution(
            call_id,
            name,
            dict(arguments),
            agent=place.agent,
            session=place.session,
            cwd=place.cwd,
            context={_FORWARD: forward},
        )
        if asker is None:
            return await self._silent.execute(execution)
        self._askers[call_id] = asker
        try:
            return await self._asking.execute(execution)
        finally:
            del self._askers[call_id]

    def _ask(self, question: Any) -> Any:
        return self._askers[question.call.call_id](question)

    def _hold(self, execution: ToolExecution) -> str | None:
        identity = self._by_name.get(execution.name)
        return None if identity is None else self._suspended(identity)


async def _pass_on(args: dict[str, Any], exec: ToolExecution) -> ToolExecutionResult:  # noqa: A002 - the kernel's word
    forward: Forward = exec.context[_FORWARD]
    return await forward(args)


def _digest(told: Told | None) -> str:
    return "" if told is None else told.digest
