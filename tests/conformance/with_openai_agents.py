"""The OpenAI Agents SDK: an agent with guarded tools, and a stub model."""

import asyncio
import json
from importlib.metadata import version

from agents import Agent, ModelResponse, RunConfig, Runner, Usage, function_tool, set_tracing_disabled
from agents.models.interface import Model
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from tidegate.adapters.openai_agents import guarded_tools
from tidegate.assurance.conformance import Seen
from tidegate.assurance.conformance.scene import AGENT, SESSION


class Stub(Model):
    """A model that asks for the turns, then says `done`."""

    def __init__(self, turns):
        self.turns, self.turn = turns, 0

    def output(self):
        """The next answer."""
        calls = self.turns[self.turn] if self.turn < len(self.turns) else []
        self.turn += 1
        if not calls:
            text = ResponseOutputText(text="done", type="output_text", annotations=[])
            return [ResponseOutputMessage(id="m", role="assistant", status="completed", type="message", content=[text])]
        return [
            ResponseFunctionToolCall(
                type="function_call", name=name, arguments=json.dumps(args), call_id=f"call-{self.turn}-{number}"
            )
            for number, (name, args) in enumerate(calls)
        ]

    async def get_response(self, *_, **__):
        return ModelResponse(output=self.output(), usage=Usage(), response_id=None)

    async def stream_response(self, *_, **__):
        response = Response(
            id="r", created_at=0, model="stub", object="response", output=self.output(), parallel_tool_calls=True,
            tool_choice="auto", tools=[],
        )  # fmt: skip
        yield ResponseCompletedEvent(type="response.completed", response=response, sequence_number=0)


class OpenAIAgents:
    """Every way that the SDK runs function tools."""

    name = "openai-agents"
    version = version("openai-agents")
    ways = ("sync", "async", "stream", "subagent")
    cannot = {}

    def play(self, scene):
        """Run an agent to its end and look at the outputs of its tools."""
        set_tracing_disabled(True)
        stage = scene.stage

        @function_tool(name_override="say", failure_error_function=lambda _, error: f"it failed: {error}")
        def say(text: str) -> str:
            return stage.say(text)

        @function_tool(name_override="say", failure_error_function=lambda _, error: f"it failed: {error}")
        async def asay(text: str) -> str:
            return await stage.asay(text)

        @function_tool
        def report(text: str) -> dict:
            return stage.report(text)

        turns = [[(ask.tool, {"text": ask.text}) for ask in turn] for turn in scene.turns]
        tools = guarded_tools(scene.engine, [asay if scene.way == "async" else say, report], approver=scene.approver)
        agent = Agent(name=AGENT, model=Stub(turns), tools=tools)
        config = RunConfig(group_id=SESSION, tracing_disabled=True)
        try:
            if scene.way == "sync":
                items = Runner.run_sync(agent, "go", run_config=config).new_items
            elif scene.way == "async":
                items = asyncio.run(Runner.run(agent, "go", run_config=config)).new_items
            elif scene.way == "stream":
                items = asyncio.run(streamed(agent, config))
            else:
                items = delegated(agent, config)
        except Exception as error:
            return [Seen({"exception": str(error)}) for _ in scene.asks]
        return [
            Seen({"output": str(one.output), "item": str(one.raw_item["output"])})
            for one in items
            if one.type == "tool_call_output_item"
        ]


async def streamed(agent, config):
    """The items of a streamed run."""
    run = Runner.run_streamed(agent, "go", run_config=config)
    async for _ in run.stream_events():
        pass
    return run.new_items


def delegated(agent, config):
    """The items of an agent that another one uses as a tool."""
    found = []

    async def kept(result):
        found.extend(result.new_items)
        return "done"

    helper = agent.as_tool("helper", "Let it do it.", custom_output_extractor=kept, run_config=config)
    main = Agent(name="main", model=Stub([[("helper", {"input": "go"})]]), tools=[helper])
    outer = Runner.run_sync(main, "go", run_config=config).new_items
    return found or outer  # an agent that failed has said so to the one that asked
