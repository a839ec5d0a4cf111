"""The doors of the client: a question becomes a decision, and whatever else comes a deny that says why."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from http.client import HTTPException
from ipaddress import ip_address
from secrets import token_hex
from ssl import SSLContext, create_default_context
from time import monotonic
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

from ..calls import parse
from ..decision import STRICTNESS, Decision
from ..errors import CallError
from .wire import NoAnswer, Wire

_WORDS = frozenset({"effect", "rule", "reason", "arguments", "call_id"})

Tool = str | Mapping[str, Any]
_Place = Mapping[str, Any]
_Ask = Callable[..., Decision]


class Client:
    """Asks a decision service; threads may share it.

    What it gives is a `Decision`, without a trace: the service keeps that. Run a call only where `allowed` is true, and
    with the decision's `arguments`, which rules may have rewritten.
    """

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        timeout: float = 5.0,
        context: SSLContext | None = None,
        plain: bool = False,
    ) -> None:
        """Connect to nothing yet.

        Args:
            url: Where the service is: `https://HOST:PORT`, or `http` on the loopback.
            token: What the client shows.
            timeout: Seconds for a whole question with its answer, connecting included; looking up the name of the
                host may take longer.
            context: What TLS trusts, and the certificate that the client shows; by default what the system trusts.
            plain: Send a token over `http` to another machine as well.

        Raises:
            ValueError: The URL is none of that, or the token would be readable on its way.
        """
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError(f"{url!r} is no address of a service, such as https://decisions.example:8470")
        if token is not None and parts.scheme == "http" and not plain and not _is_local(parts.hostname):
            raise ValueError("a token is sent to another machine over https only, unless `plain` is true")
        headers = {"content-type": "application/json", **({"authorization": f"Bearer {token}"} if token else {})}
        secured = (context or create_default_context()) if parts.scheme == "https" else None
        self._wire = Wire(parts.hostname, parts.port, parts.path.rstrip("/"), headers, secured)
        self.timeout = timeout

    def decide(self, tool: Tool, arguments: Mapping[str, Any], **place: Any) -> Decision:
        """Decide one call; what it takes from limits is taken at once.

        Args:
            tool: The tool's name, or the table of one that an MCP server offers.
            arguments: Its arguments, a JSON object.
            place: What is known of the call: `call_id`, `cwd`, `root`, `home`, `agent`, `session`, `mode`,
                `interactive`; the service believes what its operator says that it may.

        Returns:
            The decision; a deny with a reason where the service did not give one. It raises nothing.
        """
        return self._one("/v1/decide", tool, arguments, place)

    def peek(self, tool: Tool, arguments: Mapping[str, Any], **place: Any) -> Decision:
        """The same, taking nothing from limits and leaving no record."""
        return self._one("/v1/peek", tool, arguments, place)

    def decide_each(self, calls: Iterable[Mapping[str, Any]]) -> list[Decision]:
        """Decide several calls, each as a line of `tidegate decide` has it, in their order."""
        asked = list(calls)
        own = [_call_id(call) for call in asked]
        try:
            return self._each(asked, own)
        except NoAnswer as error:
            return [_denied(error, call_id) for call_id in own]

    def _each(self, asked: Sequence[Mapping[str, Any]], own: Sequence[str]) -> list[Decision]:
        if not all(isinstance(call, Mapping) for call in asked):
            raise NoAnswer("what it was to be asked is no call")
        sent = [{**call, "call_id": token_hex(8)} for call in asked]
        value = self._ask("/v1/decide/batch", {"calls": sent})
        answers = value.get("decisions") if isinstance(value, Mapping) else None
        if not isinstance(answers, Sequence) or len(answers) != len(sent):
            raise NoAnswer("it did not answer each call")
        return [_decision(*three) for three in zip(answers, sent, own, strict=True)]

    def close(self) -> None:
        """Close what is open; a later question opens it again."""
        self._wire.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _one(self, path: str, tool: Tool, arguments: Mapping[str, Any], place: Mapping[str, Any]) -> Decision:
        own = _call_id(place)
        sent = {**place, "tool": tool, "args": arguments, "call_id": token_hex(8)}
        try:
            return _decision(self._ask(path, sent), sent, own)
        except NoAnswer as error:
            return _denied(error, own)

    def _ask(self, path: str, question: Any) -> Any:
        """The answer to a question, as JSON.

        Raises:
            NoAnswer: There is none that can be used.
        """
        try:
            body = json.dumps(question, allow_nan=False).encode("ascii")
            return parse(self._wire.exchange(path, body, monotonic() + self.timeout))
        except NoAnswer:
            raise
        except TimeoutError:
            raise NoAnswer(f"it did not answer within {self.timeout:g} seconds") from None
        except CallError as error:
            raise NoAnswer(f"its answer cannot be read: {error}") from None
        except (OSError, HTTPException) as error:
            raise NoAnswer(f"it cannot be reached: {type(error).__name__}: {error}") from None
        except Exception as error:  # whatever it was, there is no answer
            raise NoAnswer(f"it could not be asked: {type(error).__name__}: {error}") from error


class AsyncClient:
    """The same for a host with an event loop, under asyncio and trio: questions wait in worker threads."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def decide(self, tool: Tool, arguments: Mapping[str, Any], **place: Any) -> Decision:
        """Decide one call; see `Client.decide`."""
        return await self._in_thread(self._client.decide, tool, arguments, place)

    async def peek(self, tool: Tool, arguments: Mapping[str, Any], **place: Any) -> Decision:
        """The same, taking nothing from limits and leaving no record."""
        return await self._in_thread(self._client.peek, tool, arguments, place)

    async def _in_thread(
        self, ask: Any, tool: Tool, arguments: Mapping[str, Any], place: Mapping[str, Any]
    ) -> Decision:
        from anyio import move_on_after, to_thread

        with move_on_after(self._client.timeout * 1.5):
            return await to_thread.run_sync(lambda: ask(tool, arguments, **place), abandon_on_cancel=True)
        return _denied(NoAnswer("it did not answer in time"), _call_id(place))

    def close(self) -> None:
        """Close what is open."""
        self._client.close()


def _decision(value: Any, sent: Mapping[str, Any], own: str) -> Decision:
    """The decision that an answer is.

    Raises:
        NoAnswer: It is none, or is about another call.
    """
    if not isinstance(value, Mapping) or not value.keys() >= _WORDS:
        raise NoAnswer("its answer is no decision")
    effect, rule, reason, arguments = (value[key] for key in ("effect", "rule", "reason", "arguments"))
    if value["call_id"] != sent["call_id"]:
        raise NoAnswer("it answered another call")
    if effect not in STRICTNESS or not isinstance(rule, str | None) or not isinstance(reason, str):
        raise NoAnswer("it answered in words that are not known")
    if not isinstance(arguments, Mapping) and (effect != "deny" or arguments is not None):
        raise NoAnswer("it did not say with which arguments the call may run")
    would = value.get("would")
    return Decision(effect, rule, reason, arguments, own, would if would in STRICTNESS else None)


def _call_id(call: Any) -> str:
    found = call.get("call_id") if isinstance(call, Mapping) else None
    return found if isinstance(found, str) else ""


def _denied(error: NoAnswer, call_id: str) -> Decision:
    return Decision("deny", None, f"the decision service gave no answer: {error}", None, call_id)


def _is_local(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
