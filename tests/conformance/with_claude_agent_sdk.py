"""The Claude Agent SDK: its hooks, called as its documented contract says; the CLI behind it is the stub."""

import asyncio
import json
from importlib.metadata import version

from claude_agent_sdk import ClaudeAgentOptions

from tidegate.adapters.claude_agent_sdk import hooks
from tidegate.assurance.conformance import REPORT, SAY, Seen
from tidegate.assurance.conformance.scene import AGENT, SESSION

NO_APPROVER = "the SDK asks `can_use_tool` and no approver of ours; without it, asking is refusing"


class ClaudeAgentSdk:
    """`PreToolUse` and `PostToolUse`."""

    name = "claude-agent-sdk"
    version = version("claude-agent-sdk")
    ways = ("async",)
    cannot = {
        "approved-call-runs": NO_APPROVER,
        "approver-may-be-async": NO_APPROVER,
        "vetoed-call-gives-back": NO_APPROVER,
        "failure-is-shaped": "the SDK has no hook that could replace the text of a failure",
        "late-result-is-withheld": "hooks do not see how long a tool takes",
    }

    def play(self, scene):
        """Do what the CLI does around each tool."""
        options = ClaudeAgentOptions(hooks=hooks(scene.engine))

        async def run():
            return [
                one
                for turn in scene.turns
                for one in await asyncio.gather(*(called(scene, options.hooks, ask, n) for n, ask in enumerate(turn)))
            ]

        return asyncio.run(run())


async def called(scene, found, ask, number):
    """One call: before, the tool, after."""
    event = {
        "session_id": SESSION,
        "agent_id": AGENT,
        "transcript_path": "/tmp/t.jsonl",
        "cwd": "/",
        "tool_name": ask.tool,
        "tool_input": {"text": ask.text},
        "tool_use_id": f"toolu_{number}",
    }
    before = await answered(found, {**event, "hook_event_name": "PreToolUse"})
    if before.get("permissionDecision", "allow") != "allow":
        return Seen({"reason": before["permissionDecisionReason"]})
    arguments = before.get("updatedInput", event["tool_input"])
    body = {SAY: scene.stage.asay, REPORT: scene.stage.report}.get(ask.tool)
    if body is None:
        return Seen({"error": "no such tool"})
    try:
        result = body(**arguments)
        result = await result if ask.tool == SAY else result
    except RuntimeError as error:
        return Seen({"error": str(error)})
    blocks = [{"type": "text", "text": result if isinstance(result, str) else json.dumps(result)}]
    after = await answered(
        found, {**event, "hook_event_name": "PostToolUse", "tool_input": arguments, "tool_response": blocks}
    )
    return Seen({"result": str(after.get("updatedToolOutput", blocks))})


async def answered(found, event):
    """What the hooks say, as the CLI takes it: one that raises blocks, since it says `on_failure="block"`."""
    (matcher,) = found[event["hook_event_name"]]
    assert matcher.on_failure == "block"

    (hook,) = matcher.hooks
    try:
        return (await hook(event, event["tool_use_id"], {"signal": None})).get("hookSpecificOutput", {})
    except Exception as error:
        return {"permissionDecision": "deny", "permissionDecisionReason": str(error)}
