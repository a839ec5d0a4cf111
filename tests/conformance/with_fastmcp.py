"""FastMCP: a server and a proxy with the middleware, and FastMCP's own client."""

import asyncio
import json
from importlib.metadata import version

from fastmcp import Client, FastMCP
from fastmcp.server import create_proxy

from tidegate.adapters.fastmcp import TidegateMiddleware
from tidegate.assurance.conformance import Seen


class FastMcp:
    """A server with the tools."""

    name = "fastmcp"
    version = version("fastmcp")
    ways = ("sync", "async")
    cannot = {
        "agent-is-told": "MCP does not say which agent a client is; say `agent` to the middleware",
        "session-is-told": "the session of MCP is the server's own; say `session` to the middleware",
    }

    def play(self, scene):
        """Call the tools as a client."""
        server = self.served(scene)
        return asyncio.run(self.called(scene, server))

    def tools(self, scene):
        """A server with the tools of the scene."""
        stage = scene.stage
        server = FastMCP("stage")

        async def asay(text: str) -> str:
            return await stage.asay(text)

        def say(text: str) -> str:
            return stage.say(text)

        def report(text: str) -> dict:
            return stage.report(text)

        asay.__name__ = "say"
        for one in (asay if scene.way == "async" else say, report):
            server.tool(one)
        return server

    def served(self, scene):
        """The same with the rules before it."""
        server = self.tools(scene)
        server.add_middleware(TidegateMiddleware(scene.engine, approver=scene.approver))
        return server

    async def called(self, scene, server):
        """What the client gets."""
        async with Client(server) as client:

            async def call(ask):
                try:
                    found = await client.call_tool_mcp(ask.tool, {"text": ask.text})
                except Exception as error:
                    return Seen({"exception": str(error)})
                content = "\n".join(getattr(one, "text", str(one)) for one in found.content)
                return Seen(
                    {"content": content, "structured": json.dumps(found.structured_content, ensure_ascii=False)}
                )

            return [one for turn in scene.turns for one in await asyncio.gather(*map(call, turn))]


class FastMcpProxy(FastMcp):
    """A FastMCP proxy with the rules, in front of a server without."""

    name = "fastmcp proxy"
    ways = ("async",)

    def served(self, scene):
        """The proxy."""
        proxy = create_proxy(self.tools(scene))
        proxy.add_middleware(TidegateMiddleware(scene.engine, approver=scene.approver))
        return proxy
