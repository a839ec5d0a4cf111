"""`tidegate mcp`: a proxy in front of an MCP server, under rules."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..audit.jsonl import JsonlSink
from ..errors import CallError
from ..pins import BadPins
from .asking import account
from .jsonlines import dump
from .loading import FILE, layer_options, load_engine
from .terminal import output

if TYPE_CHECKING:
    from ..adapters.mcp_proxy.gate import Gate
    from ..adapters.mcp_proxy.offer import Offer, PinFile


@click.command(
    "mcp",
    short_help="Stand between a client and an MCP server, under rules.",
    context_settings={"allow_interspersed_args": False},
)
@click.option("--rules", type=FILE, required=True, help="The rule file.")
@layer_options
@click.option("--name", help="The server's name in rules; by default that of its program or host.")
@click.option("--pins", type=FILE, help="A file of pins (`tidegate new pins`); a tool that says something else is off.")
@click.option("--session", help="The session for limits and sequences; by default each run is one.")
@click.option("--agent", help="The agent whose calls these are.")
@click.option("--audit", type=FILE, help="Append a record of each decision to this file, which only you may read.")
@click.option(
    "--timeout", type=click.FloatRange(min=0.1), default=600.0, show_default=True, help="Seconds to wait for an answer."
)
@click.option(
    "--max-message",
    type=click.IntRange(min=1_024),
    default=16 * 1024 * 1024,
    show_default=True,
    help="The longest message that is passed, in bytes.",
)
@click.option("--http", "url", metavar="URL", help="The server is there, and the proxy listens for clients.")
@click.option("--local", is_flag=True, help="The server at URL runs on this machine, and sees its files.")
@click.option("--listen", metavar="HOST:PORT", default="127.0.0.1:8765", show_default=True, help="Where it listens.")
@click.option("--host", "names", metavar="HOST:PORT", multiple=True, help="Another name by which clients reach it.")
@click.option(
    "--header", "headers", metavar="NAME=VARIABLE", multiple=True, help="Send the server the value of this variable."
)
@click.option("--token", metavar="VARIABLE", help="Clients must show the token that is in this variable.")
@click.option("--json", "as_json", is_flag=True, help="Say where it listens as one JSON object.")
@click.argument("server", nargs=-1, type=click.UNPROCESSED)
def command(*, rules: Path, managed: Path | None, user: Path | None, **given: Any) -> int:
    """Stand between an MCP client and an MCP server, with the rules between.

    With SERVER, a command behind `--`, the proxy starts that server and speaks over stdio with the client that started
    the proxy. With `--http` the server is reached over streamable HTTP, and the proxy listens for clients at `/mcp`;
    this needs the extra `tidegate[proxy]`. Every call of a tool, read of a resource and fetch of a prompt is judged;
    what is refused never reaches the server, and what comes back goes through the output rules. Questions of rules are
    put to the person by the client, where it can. Exit code 1 means that the server has ended by itself.
    """
    url, words = given["url"], given["server"]
    if bool(url) == bool(words):
        raise click.UsageError("name a server: its command behind `--`, or its address with `--http`")
    if given["as_json"] and not url:
        raise click.UsageError("over stdio the output is the protocol's; `--json` goes with `--http`")
    name = given["name"] or (_host_of(url) if url else Path(words[0]).stem)
    if not name or "/" in name:
        raise click.UsageError("the server's name must not be empty, and has no `/`")
    listen = _place(given["listen"], given["token"]) if url else None
    with ExitStack() as stack:
        audit, pins = given["audit"], given["pins"]
        recorders: list[Any] = [] if audit is None else [stack.enter_context(JsonlSink(audit))]
        own = [path for path in (audit, pins) if path is not None]
        engine = load_engine(
            rules, managed, user, recorders=recorders, own=own, elsewhere=url is not None and not given["local"]
        )
        from ..adapters.mcp_proxy.gate import Gate, Place
        from ..adapters.mcp_proxy.offer import Offer
        from ..facts.local import new_id

        offer = Offer(name, None if pins is None else _pins(pins))
        cwd = None if url else os.getcwd()  # noqa: PTH109 - as the server will see it
        place = Place(given["session"] or f"mcp-{new_id()}", given["agent"], cwd)
        gate = Gate(engine, name, place, offer.suspended)
        return _over_stdio(words, gate, offer, given) if listen is None else _over_http(listen, gate, offer, given)


def _over_stdio(words: tuple[str, ...], gate: Gate, offer: Offer, given: Mapping[str, Any]) -> int:
    from anyio import run

    from ..adapters.mcp_proxy.stdio import Stdio, serve

    settings = Stdio(words, gate, offer, account(), given["timeout"], given["max_message"])
    inlet, outlet = _streams()
    return run(partial(serve, settings, dict(os.environ), inlet, outlet, 2))


def _streams() -> tuple[int, int]:
    """Standard input and output for messages alone; whatever else is printed goes to standard error."""
    sys.stdout.flush()
    inlet, outlet = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return inlet, outlet


def _over_http(listen: tuple[str, int], gate: Gate, offer: Offer, given: Mapping[str, Any]) -> int:
    from anyio import run

    from ..adapters.mcp_proxy.http import Http, serve

    screen = output()

    def told(where: str) -> None:
        if given["as_json"]:
            screen.line(dump({"url": where}))

    settings = Http(
        url=given["url"],
        host=listen[0],
        port=listen[1],
        gate=gate,
        offer=offer,
        told=told,
        names=frozenset(given["names"]),
        headers=dict(_header(text) for text in given["headers"]),
        token=_variable(given["token"]) if given["token"] else "",
        person="" if given["token"] else account(),
        patience=given["timeout"],
        most=given["max_message"],
    )
    return run(partial(serve, settings, 2))


def _place(text: str, token: str | None) -> tuple[str, int]:
    """Where to listen; elsewhere than on the loopback, only with a token."""
    from ..adapters.mcp_proxy.places import is_loopback

    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not colon or not host or not (port.isascii() and port.isdigit()) or int(port) >= 1 << 16:
        raise click.UsageError(f"`--listen {text}` must be HOST:PORT")
    if not is_loopback(host) and not token:
        raise click.UsageError("elsewhere than on the loopback, clients must show a token: add `--token VARIABLE`")
    return host, int(port)


def _host_of(url: str) -> str:
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        host = ""
    if not host or parts.scheme not in ("http", "https") or parts.username is not None:
        raise click.UsageError(f"`--http {url}` must be an address such as `https://example.com/mcp`")
    return host


def _header(text: str) -> tuple[str, str]:
    name, equals, variable = text.partition("=")
    if not name or not equals or not variable:
        raise click.UsageError(f"`--header {text}` must be NAME=VARIABLE; the value is read from the variable")
    return name, _variable(variable)


def _variable(name: str) -> str:
    value = os.environ.get(name, "")
    if not value or not value.isascii() or not value.isprintable():
        raise click.UsageError(f"the variable `{name}` must hold printable ASCII, and not be empty")
    return value


def _pins(path: Path) -> PinFile:
    from ..adapters.mcp_proxy.offer import PinFile

    try:
        return PinFile(path)
    except BadPins as error:
        raise CallError(f"`{path}` is no file of pins: {error}") from None
