"""CrewAI: a crew of one agent with guarded tools, and a stub model."""

import asyncio
import json
import os
from importlib.metadata import version

os.environ.update(CREWAI_DISABLE_TELEMETRY="true", CREWAI_TRACING_ENABLED="false", OTEL_SDK_DISABLED="true")

from crewai import Agent, Crew, Task
from crewai.llms.base_llm import BaseLLM
from crewai.tools import tool

from tidegate.adapters.crewai import guarded_tools
from tidegate.assurance.conformance import Seen
from tidegate.assurance.conformance.scene import AGENT, SESSION


class Stub(BaseLLM):
    """A model that asks for the turns, then says `done`."""

    turns: list = []
    turn: int = 0
    seen: dict = {}

    def call(self, messages, *_, **__):
        for message in messages if isinstance(messages, list) else []:
            if message.get("role") == "tool":
                self.seen[message["tool_call_id"]] = message["content"]
        asked = self.turns[self.turn] if self.turn < len(self.turns) else []
        self.turn += 1
        if not asked:
            return "Thought: done\nFinal Answer: done"
        return [
            {
                "id": f"call_{self.turn}_{number}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(args)},
            }
            for number, (name, args) in enumerate(asked)
        ]

    async def acall(self, messages, *_, **__):
        return self.call(messages)

    def supports_function_calling(self):
        return True


class CrewAI:
    """The crew, started sync and async."""

    name = "crewai"
    version = version("crewai")
    ways = ("sync", "async")
    cannot = {}

    def play(self, scene):
        """Run a crew to its end and look at the messages of its tools."""
        stage = scene.stage

        @tool("say")
        def say(text: str) -> str:
            """Say."""
            return stage.say(text)

        @tool("report")
        def report(text: str) -> dict:
            """Report."""
            return stage.report(text)

        tools = guarded_tools(scene.engine, [say, report], approver=scene.approver, agent=AGENT, session=SESSION)
        turns = [[(ask.tool, {"text": ask.text}) for ask in turn] for turn in scene.turns]
        model = Stub(model="stub", turns=turns, seen={})
        agent = Agent(role=AGENT, goal="go", backstory="none", tools=tools, llm=model, max_iter=9, verbose=False)
        task = Task(description="go", expected_output="done", agent=agent)
        crew = Crew(agents=[agent], tasks=[task], verbose=False)
        if scene.way == "async":
            asyncio.run(crew.akickoff())
        else:
            crew.kickoff()
        return [Seen({"message": str(content)}) for content in model.seen.values()]
