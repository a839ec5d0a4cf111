"""Pydantic AI: an agent with the capability, and a function for a model."""

import asyncio
from importlib.metadata import version

from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, RetryPromptPart, TextPart, ToolCallPart, ToolReturn, ToolReturnPart
from pydantic_ai.models.function import DeltaToolCall, FunctionModel

from tidegate.adapters.pydantic_ai import Tidegate
from tidegate.assurance.conformance import Seen
from tidegate.assurance.conformance.scene import AGENT, SESSION


def stub(turns):
    """A model that asks for the turns, then says `done`."""

    def turn_of(messages):
        done = sum(isinstance(one, ModelResponse) for one in messages)
        return [] if done >= len(turns) else [(f"call-{done}-{n}", *call) for n, call in enumerate(turns[done])]

    def answer(messages, _):
        parts = [ToolCallPart(name, args, tool_call_id=key) for key, name, args in turn_of(messages)]
        return ModelResponse(parts=parts or [TextPart("done")])

    async def stream(messages, _):
        calls = turn_of(messages)
        for number, (key, name, args) in enumerate(calls):
            import json

            yield {number: DeltaToolCall(name=name, json_args=json.dumps(args), tool_call_id=key)}
        if not calls:
            yield "done"

    return FunctionModel(answer, stream_function=stream)


class PydanticAI:
    """Every way that Pydantic AI runs tools."""

    name = "pydantic-ai"
    version = version("pydantic-ai-slim")
    ways = ("sync", "async", "stream", "subagent")
    cannot = {}

    def play(self, scene):
        """Run an agent to its end and look at what it was told of its tools."""
        stage = scene.stage

        async def asay(text: str) -> str:
            return await stage.asay(text)

        def say(text: str) -> str:
            return stage.say(text)

        def report(text: str) -> ToolReturn:
            said = stage.report(text)
            return ToolReturn(said, content=f"about {said['said']}", metadata=said)

        asay.__name__ = "say"
        turns = [[(ask.tool, {"text": ask.text}) for ask in turn] for turn in scene.turns]
        capability = Tidegate(scene.engine, approver=scene.approver)
        tools = [asay if scene.way == "async" else say, report]
        agent = Agent(stub(turns), tools=tools, capabilities=[capability], name=AGENT)
        found = []
        try:
            if scene.way == "sync":
                found = agent.run_sync("go", conversation_id=SESSION).all_messages()
            elif scene.way == "async":
                found = asyncio.run(agent.run("go", conversation_id=SESSION)).all_messages()
            elif scene.way == "stream":
                found = asyncio.run(streamed(agent))
            else:

                async def delegate() -> str:
                    found.extend((await agent.run("go", conversation_id=SESSION)).all_messages())
                    return "done"

                Agent(stub([[("delegate", {})]]), tools=[delegate], name="main").run_sync("go")
        except Exception as error:
            return [Seen({"exception": str(error)}) for _ in scene.asks]
        parts = [part for message in found for part in message.parts]
        more = [part.content for part in parts if part.part_kind == "user-prompt" and part.content != "go"]
        return [
            Seen({"content": str(one.content), "metadata": str(getattr(one, "metadata", "")), "more": str(more)})
            for one in parts
            if isinstance(one, (ToolReturnPart, RetryPromptPart))
        ]


async def streamed(agent):
    """The messages of a streamed run."""
    async with agent.run_stream("go", conversation_id=SESSION) as run:
        await run.get_output()
        return run.all_messages()
