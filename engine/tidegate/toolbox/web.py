"""`http_get`: HTTP requests to the addresses that were judged; redirects are judged before they are followed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from http.client import HTTPException, HTTPResponse
from typing import Any, NamedTuple
from urllib.parse import quote as percent
from urllib.parse import urljoin, urlsplit

from attrs import evolve

from ..errors import ToolFailed, Veto
from ..kernel import ToolDefinition, ToolExecution, ToolRegistry, define_tool
from ..meaning.addresses import Address, Resolver
from ..meaning.effects import UrlTarget
from ..meaning.urls import read_url
from ..shown import quote
from .dialling import DialledConnection
from .judged import judged_resolver, unjudged

LONGEST = 30.0
"""Seconds within which the whole answer to one request must be there."""

MOST_KEPT = 1024 * 1024
"""How many bytes of a body are kept."""

MOST_REDIRECTS = 5
"""How many redirects are followed, one after the other."""

_SHOWN = ("content-type", "content-length", "location", "retry-after")
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_HOPS = "http_get/redirects"


class _Answer(NamedTuple):
    """What a server answered: as text, and where it redirects to, if it does."""

    text: str
    status: int
    location: str | None


def web_tool(
    longest: float = LONGEST, *, tools: ToolRegistry | None = None, resolver: Resolver | None = None
) -> ToolDefinition:
    """The tool `http_get`.

    It dials the host and port that rules have seen, and no proxy: a name at the addresses by which it was judged,
    without a second lookup. A redirect is a call of its own through *tools*, with rules, limits and records like any
    other, and followed if that call is; without a registry it is shown and not followed.

    Args:
        longest: Seconds for each request; what is asked of people about a redirect does not count.
        tools: The registry in which the tool is, under the name `http_get`.
        resolver: Looks names up where no engine with a resolver has judged the call; by default the system's.
    """

    async def http_get(args: Mapping[str, Any], exec: ToolExecution) -> str:  # noqa: A002 - the registry's name for it
        url = args["url"]
        answer = await _ask(url, judged_resolver(exec, resolver or _system), longest)
        if tools is None or answer.location is None:
            return answer.text
        return await _follow(tools, exec, answer, urljoin(url, answer.location))

    return define_tool(
        name="http_get",
        description="Fetch a URL over http or https.",
        parameters={"url": {"type": "string", "required": True}},
        execute=http_get,
        concurrency_safe=True,
    )


def _system(host: str) -> Sequence[Address]:
    from ..facts.resolver import look_up

    return look_up(host)


async def _ask(url: str, resolver: Resolver, longest: float) -> _Answer:
    """Send one request, in a worker thread, and wait for its answer.

    Raises:
        ToolFailed: There is none, or the URL is not one that is fetched.
    """
    from anyio import move_on_after, to_thread

    connection = _connection(read_url(url), resolver, longest)
    with move_on_after(longest):
        return await to_thread.run_sync(_fetch, connection, _request_target(url), abandon_on_cancel=True)
    connection.hang_up()
    raise _late(longest)


def _late(longest: float) -> ToolFailed:
    return ToolFailed(f"there was no answer within {longest:g} seconds", "TIMEOUT")


async def _follow(tools: ToolRegistry, execution: ToolExecution, answer: _Answer, url: str) -> str:
    """Have the redirect judged and followed as a call of its own.

    Raises:
        ToolFailed: It was refused, is one too many, or failed.
    """
    hops = execution.context.get(_HOPS, 0) + 1
    if hops > MOST_REDIRECTS:
        raise ToolFailed(f"there are more than {MOST_REDIRECTS} redirects in a row", "TOO_MANY_REDIRECTS")
    call = evolve(
        execution,
        call_id=f"{execution.call_id.partition('>')[0]}>{hops}",
        arguments={"url": url},
        context={**unjudged(execution.context), _HOPS: hops},
    )
    result = await tools.execute(call)
    if not result.is_error:
        return result.text
    said = result.text.removeprefix("Error: ")
    error = result.error
    if error is not None and error.name == Veto.__name__:
        said = f"the server answered {answer.status} and redirects to {quote(url, limit=200)}, which is refused: {said}"
        raise ToolFailed(said, "REDIRECT_REFUSED")
    raise ToolFailed(said, "TOOL_FAILED" if error is None else error.code)


def _connection(target: UrlTarget, resolver: Resolver, longest: float) -> DialledConnection:
    """A connection to exactly the host that *target* names.

    Raises:
        ToolFailed: The URL is not http, or two clients could read it differently.
    """
    if target.doubts or not isinstance(target.host, str) or not target.host:
        raise ToolFailed("the URL can be read in more than one way; write it plainly", "BAD_URL")
    if target.scheme not in ("http", "https"):
        raise ToolFailed("only http and https are fetched", "BAD_URL")
    host = target.host if target.address is None else str(target.address)
    find = _finder(target, target.host, resolver)
    return DialledConnection(host, target.port, find, tls=target.scheme == "https", longest=longest)


def _finder(target: UrlTarget, host: str, resolver: Resolver) -> Callable[[], Sequence[Address]]:
    address = target.address
    return (lambda: resolver(host)) if address is None else (lambda: (address,))


def _request_target(url: str) -> str:
    """Path and query as they are sent; what a URL cannot hold as it is is percent-encoded."""
    parts = urlsplit(url)
    path = percent(parts.path or "/", safe="/%:@!$&'()*+,;=~-._")
    return f"{path}?{percent(parts.query, safe='/?%:@!$&()*+,;=~-._')}" if parts.query else path


def _fetch(connection: DialledConnection, target: str) -> _Answer:
    try:
        connection.request("GET", target, headers={"Accept-Encoding": "identity", "User-Agent": "tidegate"})
        response = connection.getresponse()
        body = response.read(MOST_KEPT + 1)
    except TimeoutError as error:
        raise _late(connection.timeout or 0.0) from error
    except (OSError, HTTPException) as error:
        raise ToolFailed(f"the request failed: {str(error) or type(error).__name__}", "NO_ANSWER") from error
    finally:
        connection.close()
    location = response.headers.get("location") if response.status in _REDIRECTS else None
    return _Answer(_told(response, body), response.status, location)


def _told(response: HTTPResponse, body: bytes) -> str:
    lines = [f"HTTP {response.status} {response.reason}"]
    lines += [f"{name}: {value}" for name in _SHOWN if (value := response.headers.get(name)) is not None]
    text = body[:MOST_KEPT].decode(_charset(response), "replace")
    if len(body) > MOST_KEPT:
        text += f"\n[only the first {MOST_KEPT} bytes were kept]"
    return "\n".join([*lines, "", text])


def _charset(response: HTTPResponse) -> str:
    named = response.headers.get_content_charset() or "utf-8"
    try:
        b"".decode(named)
    except LookupError:
        return "utf-8"
    return named
