"""What needs no framework: the bare registry, and a guarded function."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor

from tidegate import Context, ToolExecution, ToolRegistry, tool
from tidegate.assurance.conformance import REPORT, SAY, Seen
from tidegate.assurance.conformance.scene import AGENT, SESSION
from tidegate.kernel import thaw

SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}}


class Registry:
    """`engine.attach(tools)`."""

    name = "registry"
    version = ""
    ways = ("sync", "async")
    cannot = {}

    def play(self, scene):
        """Execute the turns; the calls of one turn come together."""
        stage = scene.stage
        tools = ToolRegistry(Context())
        later = scene.way == "async"

        async def say(args):
            return await stage.asay(args["text"])

        tools.register(tool(SAY, "Say.", SCHEMA, say if later else lambda args: stage.say(args["text"])))
        tools.register(tool(REPORT, "Report.", SCHEMA, lambda args: stage.report(args["text"])))
        scene.engine.attach(tools, approver=scene.approver)

        def call(ask):
            return ToolExecution("c", ask.tool, {"text": ask.text}, agent=AGENT, session=SESSION)

        async def turns():
            return [
                one for turn in scene.turns for one in await asyncio.gather(*(tools.execute(call(ask)) for ask in turn))
            ]

        if later:
            results = asyncio.run(turns())
        else:
            with ThreadPoolExecutor(8) as pool:
                results = [one for turn in scene.turns for one in pool.map(lambda a: tools.execute_sync(call(a)), turn)]
        return [
            Seen(
                {
                    "text": one.text,
                    "structured": json.dumps(thaw(one.structured), ensure_ascii=False),
                    "value": str(one.value),
                }
            )
            for one in results
        ]


class Guard:
    """`@engine.guard`."""

    name = "guard"
    version = ""
    ways = ("sync", "async")
    cannot = {
        "agent-is-told": "a function is not told who calls it",
        "session-is-told": "a function is not told in which session it is called",
        "unknown-tool-runs-nothing": "there is no tool but the function",
    }

    def play(self, scene):
        """Call the guarded functions."""
        stage, later = scene.stage, scene.way == "async"

        def say(text: str):
            return stage.say(text)

        async def asay(text: str):
            return await stage.asay(text)

        def report(text: str):
            return stage.report(text)

        async def areport(text: str):
            return stage.report(text)

        asay.__name__, areport.__name__ = SAY, REPORT
        found = [asay, areport] if later else [say, report]
        guarded = {one.__name__: scene.engine.guard(approver=scene.approver)(one) for one in found}
        if any(ask.tool not in guarded for ask in scene.asks):
            return []

        async def turns():
            return [
                one
                for turn in scene.turns
                for one in await asyncio.gather(*(guarded[ask.tool](ask.text) for ask in turn), return_exceptions=True)
            ]

        def told(ask):
            try:
                return guarded[ask.tool](ask.text)
            except Exception as error:
                return error

        if later:
            results = asyncio.run(turns())
        else:
            with ThreadPoolExecutor(8) as pool:
                results = [one for turn in scene.turns for one in pool.map(told, turn)]
        return [Seen({"value": str(one)}) for one in results]
