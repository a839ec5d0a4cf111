"""Google's ADK: an agent under a runner with the plugin, and a stub model."""

import asyncio
from importlib.metadata import version

from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.tools.agent_tool import AgentTool
from google.genai import types

from tidegate.adapters.google_adk import TidegatePlugin
from tidegate.assurance.conformance import Seen
from tidegate.assurance.conformance.scene import AGENT, SESSION


class Stub(BaseLlm):
    """A model that asks for the turns, then says `done`."""

    model: str = "stub"
    turns: list
    seen: list = []

    async def generate_content_async(self, llm_request, stream=False):
        answers = [c for c in llm_request.contents if c.role == "model"]
        turn = len(answers)
        for part in llm_request.contents[-1].parts:
            if part.function_response:
                self.seen.append(part.function_response.response)
        calls = self.turns[turn] if turn < len(self.turns) else []
        parts = [types.Part(function_call=types.FunctionCall(name=name, args=args)) for name, args in calls]
        yield LlmResponse(content=types.Content(role="model", parts=parts or [types.Part(text="done")]))


class GoogleAdk:
    """The runner with and without streaming, and an agent as a tool."""

    name = "google-adk"
    version = version("google-adk")
    ways = ("sync", "async", "subagent")
    cannot = {
        "session-is-told/subagent": "an agent in an `AgentTool` has a session of its own; say `session` to the plugin",
    }

    def play(self, scene):
        """Run an agent to its end and look at the responses of its tools."""
        stage = scene.stage

        async def asay(text: str) -> str:
            return await stage.asay(text)

        def say(text: str) -> str:
            return stage.say(text)

        def report(text: str) -> dict:
            return stage.report(text)

        asay.__name__ = "say"
        turns = [[(ask.tool, {"text": ask.text}) for ask in turn] for turn in scene.turns]
        model = Stub(turns=turns, seen=[])
        agent = LlmAgent(name=AGENT, model=model, tools=[asay if scene.way == "async" else say, report])
        main = Stub(turns=[[(AGENT, {"request": "go"})]], seen=[])
        if scene.way == "subagent":
            agent = LlmAgent(name="main", model=main, tools=[AgentTool(agent)])
        try:
            asyncio.run(ran(agent, TidegatePlugin(scene.engine, approver=scene.approver)))
        except Exception as error:
            return [Seen({"exception": str(error)}) for _ in scene.asks]
        told = model.seen or main.seen  # what was refused to the agent that asks was never asked of the helper
        return [Seen({"response": str(one)}) for one in told]


async def ran(agent, plugin):
    """Run the agent to its end."""
    runner = InMemoryRunner(agent, app_name="stage", plugins=[plugin])
    await runner.session_service.create_session(app_name="stage", user_id="u", session_id=SESSION)
    message = types.Content(role="user", parts=[types.Part(text="go")])
    async for _ in runner.run_async(user_id="u", session_id=SESSION, new_message=message):
        pass
