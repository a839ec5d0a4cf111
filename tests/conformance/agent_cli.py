"""A stand-in of an agent CLI: it asks its hook before and after each tool, and does what the hook lets it do.

Where the contract of the CLI runs a tool although its hook has failed, so does the stand-in: a hook that fails is seen
as a body that was entered.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from tests.conformance.hook_processes import run_hook
from tests.conformance.person import says_yes
from tidegate.assurance.conformance import REPORT, SAY, Seen

LATE = "hooks do not see how long a tool takes"


class Before(NamedTuple):
    """What a CLI makes of the answer before a call: `run`, `ask` or `deny`, and new arguments where there are some."""

    word: str
    reason: str = ""
    arguments: dict | None = None


class AgentCli:
    """What the five have in common; each says what its events and answers are."""

    version = ""
    ways = ("sync",)
    after_failure = False

    def play(self, scene):
        """Run the tools of each turn side by side."""
        with ThreadPoolExecutor(8) as pool:
            return [
                one
                for turn in scene.turns
                for one in pool.map(lambda numbered: self.called(scene, *numbered), enumerate(turn))
            ]

    def called(self, scene, number, ask):
        """One call: the hook, perhaps the person, the tool, the hook."""
        event = self.event(scene, ask.tool, {"text": ask.text}, f"call-{number}")
        before = self.judged(run_hook(self.name, self.before, {**event, **self.at(self.before)}, scene))
        arguments = {"text": ask.text} if before.arguments is None else before.arguments
        if before.word == "ask" and not says_yes(scene.approver, ask.tool, arguments, before.reason):
            return Seen({"reason": before.reason})
        if before.word == "deny":
            return Seen({"reason": before.reason})
        body = {SAY: scene.stage.say, REPORT: scene.stage.report}.get(ask.tool)
        if body is None:
            return Seen({"error": "no such tool"})
        try:
            result, failed = self.result(body(**arguments)), False
        except RuntimeError as error:
            result, failed = self.failure(str(error)), True
        if failed and not self.after_failure:
            return Seen({"error": str(result)})
        event = self.event(scene, ask.tool, arguments, f"call-{number}")
        ended = run_hook(self.name, self.after, {**event, **self.at(self.after), **self.told(result)}, scene)
        return Seen(self.read(result, ended))

    def at(self, name):
        """How an event says which one it is."""
        return {"hook_event_name": name}

    def event(self, scene, tool, arguments, call_id):
        """An event of a call, as most of them write it."""
        return {
            "session_id": "s1",
            "cwd": str(scene.rules.parent),
            "tool_name": tool,
            "tool_input": arguments,
            "tool_use_id": call_id,
        }

    def result(self, value):
        """What the tool gives, in the CLI's own shape."""
        return value

    def failure(self, text):
        """The same of a tool that failed."""
        return text

    def told(self, result):
        """What the event after the call says of it."""
        return {"tool_response": result}
