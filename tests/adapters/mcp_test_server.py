"""An MCP server over stdio, for tests; run as a program."""

from __future__ import annotations

import os
from pathlib import Path

import anyio
from mcp.server.mcpserver import Context, Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError

server = MCPServer("test")


@server.tool(description=os.environ.get("ECHO_SAYS", "Say it again."))
def echo(text: str) -> str:
    """Say it again."""
    return text


@server.tool()
def add(a: int, b: int) -> dict[str, int]:
    """Add two numbers."""
    return {"sum": a + b}


@server.tool()
def fail(why: str) -> str:
    """Fail."""
    raise ToolError(why)


@server.tool()
def picture() -> Image:
    """A picture."""
    return Image(data=b"hi", format="png")


@server.tool()
async def sleep() -> str:
    """Never answer."""
    await anyio.sleep_forever()
    return "never"


@server.tool()
def identify() -> str:
    """Which process, and what it knows of its surroundings."""
    return f"{os.getpid()} {os.environ.get('GIVEN')} {os.environ.get('SECRET')} {Path.cwd().name}"


@server.tool()
def die() -> str:
    """End at once, without an answer."""
    os._exit(3)


@server.tool()
async def learn(name: str, ctx: Context) -> str:
    """Offer one more tool."""
    server.add_tool(lambda: name, name=name, description="learnt")
    await ctx.notify_tools_changed()
    return "learnt"


@server.tool()
async def forget(name: str, ctx: Context) -> str:
    """Offer a tool no more."""
    server.remove_tool(name)
    await ctx.notify_tools_changed()
    return "forgotten"


@server.tool()
async def redescribe(says: str, ctx: Context) -> str:
    """Say something else of `echo` from now on."""
    server.remove_tool("echo")
    server.add_tool(echo, name="echo", description=says)
    await ctx.notify_tools_changed()
    return "redescribed"


if __name__ == "__main__":
    server.run()
