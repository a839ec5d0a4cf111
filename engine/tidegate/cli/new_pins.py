"""`tidegate new pins`: write down what the tools of MCP servers say of themselves now."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import click

from ..calls import parse
from ..errors import CallError
from ..kernel.told import Told
from ..pins import BadPins, Pins, read_pins, written
from .jsonlines import dump
from .loading import FILE
from .terminal import output, safe


@click.command("pins", short_help="Pin what the tools of MCP servers say of themselves.")
@click.option("--server", "servers", metavar="NAME=COMMAND", multiple=True, help="Start this server and ask it.")
@click.option("--from", "lists", metavar="NAME=FILE", multiple=True, help="Read its answer to `tools/list`.")
@click.option("--out", type=FILE, default=Path("pins.toml"), help="Where to write it; `-` prints it.")
@click.option("--update", is_flag=True, help="Take the pins of these servers in a file that is there for theirs now.")
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object.")
def pins(servers: tuple[str, ...], lists: tuple[str, ...], out: Path, *, update: bool, as_json: bool) -> int:
    """Write a file of pins for rules of the kind `mcp`: one for each tool of each server.

    Look at what the servers say before you pin it. NAME is the server's name in rules and in the harness. With
    `--update` the pins of other servers stay, and what has changed is told.
    """
    if not servers and not lists:
        raise click.UsageError("name a server with `--server NAME=COMMAND`, or its tools with `--from NAME=FILE`")
    printed = str(out) == "-"
    old: Pins = {}
    if not printed and out.exists():
        if not update:
            raise click.UsageError(f"`{out}` is there already; pin again with `--update`")
        old = _old(out)
    told = {
        **_asked(dict(_pair(text, "--server") for text in servers)),
        **_read(_pair(text, "--from") for text in lists),
    }
    fresh = {(server, tool): one.digest for server, tools in told.items() for tool, one in tools.items()}
    kept = {key: digest for key, digest in old.items() if key[0] not in told}
    text = written({**kept, **fresh})
    if not printed:
        out.write_text(text, encoding="utf-8", newline="\n")
    _tell({key: digest for key, digest in old.items() if key not in kept}, fresh, out, text, json=as_json)
    return 0


def _pair(text: str, option: str) -> tuple[str, str]:
    name, equals, rest = text.partition("=")
    if not name or not equals or not rest.strip():
        raise click.UsageError(f"`{option} {text}` must be NAME=…")
    return name, rest


def _old(path: Path) -> Pins:
    try:
        return read_pins(path.read_bytes())
    except BadPins as error:
        raise CallError(f"`{path}` is no file of pins: {error}") from None


def _asked(commands: Mapping[str, str]) -> dict[str, dict[str, Told]]:
    """What started servers say of their tools."""
    if not commands:
        return {}
    from anyio import run

    return {name: run(partial(_ask, name, shlex.split(line))) for name, line in commands.items()}


async def _ask(name: str, command: list[str]) -> dict[str, Told]:
    from anyio import CancelScope

    from ..adapters.mcp_client import McpServer
    from ..kernel import Context, ToolRegistry

    context = Context()
    tools = ToolRegistry(context)
    fiber = await context.mount(McpServer(name, command=command))
    try:
        offered = [tools.get(one) for one in tools.names()]
        return {one.raw_name: one.told for one in offered if one is not None and one.told is not None}
    finally:
        with CancelScope(shield=True):
            await fiber.unload()


def _read(files: Iterable[tuple[str, str]]) -> dict[str, dict[str, Told]]:
    """What files say that servers say of their tools."""
    return {name: dict(_entries(Path(file))) for name, file in files}


def _entries(path: Path) -> Iterable[tuple[str, Told]]:
    found: Any = parse(path.read_bytes())
    for key in ("result", "tools"):
        found = found.get(key, found) if isinstance(found, dict) else found
    if not isinstance(found, list) or not found:
        raise CallError(f"`{path}` is no answer to `tools/list`")
    for number, entry in enumerate(found, 1):
        name = entry.get("name") if isinstance(entry, dict) else None
        if not isinstance(name, str) or not name or "inputSchema" not in entry:
            raise CallError(f"`{path}`: entry {number} is no tool as MCP lists it, with `name` and `inputSchema`")
        yield name, Told.of(entry)


def _tell(old: Pins, fresh: Pins, out: Path, text: str, *, json: bool) -> None:
    """Say what was pinned, and what is other than it was."""
    changed = [
        f"{server}/{tool}" for server, tool in fresh if old.get((server, tool), "") not in ("", fresh[server, tool])
    ]
    gone = [f"{server}/{tool}" for server, tool in old if (server, tool) not in fresh]
    added = [f"{server}/{tool}" for server, tool in fresh if (server, tool) not in old]
    screen = output()
    printed = str(out) == "-"
    if json:
        wrote = None if printed else str(out)
        screen.line(dump({"wrote": wrote, "pinned": len(fresh), "changed": changed, "added": added, "gone": gone}))
        return
    if printed:
        screen.stream.write(text)
        return
    for word, names in (("changed", changed), ("gone", gone), ("new", added if old else [])):
        for name in names:
            screen.line(f"{word}: {safe(name)}")
    screen.line(f'pinned {len(fresh)} tools in {out}; name it in a rule of the kind `mcp`: pin = "{out.name}"')
