"""The bodies of a framework's tools behind the rules: what the adapters of Python frameworks share.

A framework that lets us stand around a tool gives a body to enter. Each call then takes the way of a call of any
registered tool: rewrites, guards, limits as leases, approvals, the guard slot, timeouts, output rules, the record.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Mapping
from inspect import isawaitable
from itertools import count
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from attrs import evolve, frozen

from ..engine import PATIENCE
from ..errors import CallError
from ..kernel import (
    Block,
    Context,
    DataBlock,
    TextBlock,
    ToolDefinition,
    ToolExecution,
    ToolExecutionResult,
    ToolRegistry,
    snapshot,
    thaw,
)
from ..kernel.content import failure, render
from ..served import TOOL, public_name

if TYPE_CHECKING:
    from ..engine import Engine
    from ..plan.approval import Approver

R = TypeVar("R")

MOST_KNOWN = 4_096
"""How many names of tools are kept registered; a model may make names up, and there are many."""
_ENTRY = "tidegate/entry"


@frozen
class Body(Generic[R]):
    """How a framework's tool is entered, and how its results are read and written.

    Attributes:
        enter: Runs the tool with the arguments as judged, sync or async. They are its own, to keep and change.
        seen: The result as output rules see it, in all its channels: what `kernel.content.render` takes.
        shown: Makes the framework's form of a result that rules have changed, of a refusal, or of a failure. It gets
            the result that the tool gave, `None` where there is none, and must keep nothing of it that a model reads.
    """

    enter: Callable[[dict[str, Any]], R | Awaitable[R]]
    seen: Callable[[R], object]
    shown: Callable[[R | None, ToolExecutionResult], R]


class Bodies:
    """Runs the bodies of one host behind the rules of one engine; threads and tasks may share it."""

    def __init__(
        self,
        engine: Engine,
        *,
        approver: Approver | None = None,
        patience: float = PATIENCE,
        server: str = "",
        place: Mapping[str, Any] | None = None,
    ) -> None:
        """Judge by *engine*, and ask *approver* where a rule asks; without one, asking is refusing.

        Args:
            engine: The engine.
            approver: As for `Engine.attach`.
            patience: Seconds in which the approver must have answered.
            server: Where the tools are those of one MCP server, its name; rules know them by both names then.
            place: What the host attests of every call (`cwd`, `root`, `home`, `agent`, `session`, `mode`,
                `interactive`); it stands over what the framework tells.

        Raises:
            TypeError: *place* has something that no call has.
            CallError: Something in *place* is no text.
        """
        self._place = dict(place or {})
        ToolExecution("", "", {}, **self._place)
        self._server = server
        self._tools = ToolRegistry(Context())
        engine.attach(self._tools, approver=approver, patience=patience)
        self._numbers = count(1)
        self._known: OrderedDict[str, Callable[[], None]] = OrderedDict()
        self._knowing = Lock()

    async def arun(self, name: str, arguments: object, body: Body[R], **told: Any) -> R:
        """Take one call through the rules and give what the tool gave, or what the rules made of it.

        *told* is what the framework knows of the call: `call_id`, `agent`, `session`, `mode`.

        Raises:
            Exception: What the tool raised, unless the rules changed what it says; and what `shown` raises.
        """
        entry = _Entry(body)
        try:
            execution = self._execution(name, arguments, entry, told)
        except CallError as error:
            return body.shown(None, failure("", error))
        return entry.outcome(await self._tools.execute(execution))

    def run(self, name: str, arguments: object, body: Body[R], **told: Any) -> R:
        """The same for a host that cannot wait; its body is sync, or gets an event loop of its own."""
        entry = _Entry(body)
        try:
            execution = self._execution(name, arguments, entry, told)
        except CallError as error:
            return body.shown(None, failure("", error))
        return entry.outcome(self._tools.execute_sync(execution))

    def _execution(self, name: str, arguments: object, entry: _Entry[R], told: Mapping[str, Any]) -> ToolExecution:
        if not name:
            raise CallError("the call names no tool")
        known = {key: value for key, value in told.items() if value is not None}
        known = {"call_id": f"call-{next(self._numbers)}", **known, **self._place}
        public = public_name(self._server, name) if self._server else name
        execution = ToolExecution(
            name=public, arguments=cast("dict[str, Any]", arguments), context={_ENTRY: entry}, **known
        )
        self._know(public, name)
        return execution

    def _know(self, public: str, raw: str) -> None:
        with self._knowing:
            if public in self._known:
                self._known.move_to_end(public)
                return
            known = ToolDefinition(public, "", {}, _enter)
            if self._server:
                known = evolve(known, origin=TOOL, server=self._server, raw_name=raw)
            self._known[public] = self._tools.register(known)
            if len(self._known) > MOST_KNOWN:
                _, forget = self._known.popitem(last=False)
                forget()


class _Entry(Generic[R]):
    """What became of one body: the framework's result, and the same as it was handed to the rules."""

    __slots__ = ("_body", "_error", "_given", "_raw")

    def __init__(self, body: Body[R]) -> None:
        self._body = body
        self._raw: R | None = None
        self._given: ToolExecutionResult | None = None
        self._error: Exception | None = None

    def enter(self, call: ToolExecution) -> ToolExecutionResult | Awaitable[ToolExecutionResult]:
        """Enter the body, and keep what comes of it."""
        try:
            found = self._body.enter(thaw(call.arguments))
        except Exception as error:
            self._error = error
            raise
        if isawaitable(found):
            return self._enter_later(found, call.call_id)
        return self._took(found, call.call_id)

    async def _enter_later(self, found: Awaitable[R], call_id: str) -> ToolExecutionResult:
        try:
            raw = await found
        except Exception as error:
            self._error = error
            raise
        return self._took(raw, call_id)

    def _took(self, raw: R, call_id: str) -> ToolExecutionResult:
        self._raw, self._given = raw, render(call_id, self._body.seen(raw))
        return self._given

    def outcome(self, result: ToolExecutionResult) -> R:
        """The framework's own result or exception where the rules left it as it was, else their form of it."""
        error = self._error
        if error is not None and result == failure(result.call_id, error):
            raise error
        if self._given is not None and result is self._given:
            return self._raw  # type: ignore[return-value]
        return self._body.shown(self._raw, result)


def blocks_of(content: object) -> tuple[Block, ...]:
    """Content as frameworks write it, a text or a list of texts and of dicts with a `type`, as blocks.

    Raises:
        TypeError: It is something else.
        CallError: Something in it is no JSON.
    """
    if isinstance(content, str):
        return (TextBlock(content),)
    if not isinstance(content, list | tuple):
        raise TypeError(f"content of type `{type(content).__name__}` cannot be read")
    return tuple(_block_of(one) for one in content)


def _block_of(one: object) -> Block:
    if isinstance(one, str):
        return TextBlock(one)
    if not isinstance(one, Mapping) or not isinstance(one.get("type"), str):
        raise TypeError("a block of content is neither a text nor an object with a `type`")
    if one.keys() == {"type", "text"} and one["type"] == "text" and isinstance(one["text"], str):
        return TextBlock(one["text"])
    return DataBlock(one["type"], snapshot({key: value for key, value in one.items() if key != "type"}))


def dicts_of(blocks: Iterable[Block]) -> list[dict[str, Any]]:
    """Blocks as dicts with a `type`; the way back from `blocks_of`."""
    return [
        {"type": "text", "text": block.text}
        if isinstance(block, TextBlock)
        else {**cast("dict[str, Any]", thaw(block.data)), "type": block.type}
        for block in blocks
    ]


def json_or_none(value: object) -> Any:
    """*value* as immutable JSON, `None` where it is none."""
    try:
        return snapshot(value)
    except CallError:
        return None


def _enter(arguments: dict[str, Any], exec: ToolExecution) -> Any:  # noqa: A002, ARG001 - the kernel's words
    entry: _Entry[Any] = exec.context[_ENTRY]
    return entry.enter(exec)
