"""The tool runner of the Anthropic SDK, with a client whose transport is a stub."""

import asyncio
import json
from importlib.metadata import version

import anthropic
import httpx2
from anthropic import Anthropic, AsyncAnthropic, beta_async_tool, beta_tool

from tidegate.adapters.anthropic_tools import guarded_tools
from tidegate.assurance.conformance import Seen
from tidegate.assurance.conformance.scene import AGENT, SESSION


class Stub:
    """Answers requests with the turns, and keeps what comes back for them."""

    def __init__(self, turns):
        self.turns, self.turn, self.results = turns, 0, []

    def __call__(self, request):
        told = json.loads(request.content)
        for block in told["messages"][-1]["content"] if self.turn else []:
            if isinstance(block, dict) and block["type"] == "tool_result":
                self.results.append(block)
        asked = self.turns[self.turn] if self.turn < len(self.turns) else []
        self.turn += 1
        content = [
            {"type": "tool_use", "id": f"toolu_{self.turn}_{number}", "name": name, "input": args}
            for number, (name, args) in enumerate(asked)
        ]
        message = {
            "id": "msg",
            "type": "message",
            "role": "assistant",
            "model": "stub",
            "content": content or [{"type": "text", "text": "done"}],
            "stop_reason": "tool_use" if content else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
        return httpx2.Response(200, json=message)


class AnthropicTools:
    """The sync and the async runner."""

    name = "anthropic"
    version = version("anthropic")
    ways = ("sync", "async")
    cannot = {}

    def play(self, scene):
        """Run the runner to its end and look at the tool results that it sends."""
        stage = scene.stage

        @beta_tool(name="say")
        def say(text: str) -> str:
            """Say."""
            return stage.say(text)

        @beta_async_tool(name="say")
        async def asay(text: str) -> str:
            """Say."""
            return await stage.asay(text)

        @beta_tool
        def report(text: str):
            """Report."""
            return [{"type": "text", "text": json.dumps(stage.report(text))}]

        @beta_async_tool(name="report")
        async def areport(text: str):
            """Report."""
            return [{"type": "text", "text": json.dumps(stage.report(text))}]

        later = scene.way == "async"
        stub = Stub([[(ask.tool, {"text": ask.text}) for ask in turn] for turn in scene.turns])
        tools = guarded_tools(
            scene.engine, [asay, areport] if later else [say, report],
            approver=scene.approver, agent=AGENT, session=SESSION,
        )  # fmt: skip
        wanted = {"model": "stub", "max_tokens": 9, "messages": [{"role": "user", "content": "go"}], "tools": tools}
        transport = httpx2.MockTransport(stub)

        async def played():
            async with AsyncAnthropic(
                api_key="none", http_client=anthropic.DefaultAsyncHttpxClient(transport=transport), max_retries=0
            ) as client:
                async for _ in client.beta.messages.tool_runner(**wanted):
                    pass

        if later:
            asyncio.run(played())
        else:
            with Anthropic(
                api_key="none", http_client=anthropic.DefaultHttpxClient(transport=transport), max_retries=0
            ) as client:
                for _ in client.beta.messages.tool_runner(**wanted):
                    pass
        return [Seen({"content": str(one["content"])}) for one in stub.results]
