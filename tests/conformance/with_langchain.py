"""LangChain: `create_agent` with the middleware, and a stub model."""

import asyncio
import json
from importlib.metadata import version

from langchain.agents import create_agent
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool

from tidegate.adapters.langchain import TidegateMiddleware
from tidegate.assurance.conformance import Seen
from tidegate.assurance.conformance.scene import AGENT, SESSION


class Stub(BaseChatModel):
    """A model that asks for the turns it was given, then says `done`."""

    turns: list

    @property
    def _llm_type(self):
        return "stub"

    def bind_tools(self, tools, **_):
        return self

    def _generate(self, messages, stop=None, run_manager=None, **_):
        turn = sum(isinstance(one, AIMessage) for one in messages)
        calls = [
            {"name": name, "args": args, "id": f"call-{turn}-{number}"}
            for number, (name, args) in enumerate(self.turns[turn] if turn < len(self.turns) else [])
        ]
        message = AIMessage("" if calls else "done", tool_calls=calls)
        return ChatResult(generations=[ChatGeneration(message=message)])


class LangChain:
    """Every way that LangGraph runs tools."""

    name = "langchain"
    version = version("langchain")
    ways = ("sync", "async", "stream", "subagent")
    cannot = {}

    def play(self, scene):
        """Run an agent to its end and look at the messages of its tools."""
        stage = scene.stage
        later = scene.way == "async"

        @tool
        def say(text: str) -> str:
            """Say."""
            return stage.say(text)

        @tool("say")
        async def asay(text: str) -> str:
            """Say."""
            return await stage.asay(text)

        @tool(response_format="content_and_artifact")
        def report(text: str):
            """Report."""
            said = stage.report(text)
            return json.dumps(said), said

        turns = [[(ask.tool, {"text": ask.text}) for ask in turn] for turn in scene.turns]
        found, failed = [], []
        agent = create_agent(
            Stub(turns=turns),
            [asay if later else say, report],
            middleware=[TidegateMiddleware(scene.engine, approver=scene.approver)],
            name=AGENT,
        )
        config = {"configurable": {"thread_id": SESSION}}
        state = {"messages": [("user", "go")]}
        try:
            if scene.way == "async":
                found = asyncio.run(agent.ainvoke(state, config))["messages"]
            elif scene.way == "sync":
                found = agent.invoke(state, config)["messages"]
            elif scene.way == "stream":
                for chunk in agent.stream(state, config, stream_mode="updates"):
                    found += [one for update in chunk.values() for one in update["messages"]]
            else:

                @tool
                def delegate(task: str) -> str:
                    """Let the helper do it."""
                    found.extend(agent.invoke(state, config)["messages"])
                    return "done"

                create_agent(Stub(turns=[[("delegate", {"task": "go"})]]), [delegate]).invoke(state)
        except Exception as error:
            failed = [Seen({"exception": str(error)}) for _ in scene.asks]
        return failed or [
            Seen({"content": str(one.content), "artifact": json.dumps(one.artifact)})
            for one in found
            if isinstance(one, ToolMessage)
        ]
