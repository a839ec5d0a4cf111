"""The hooks of the five agent CLIs, each with a stand-in of its CLI that takes answers as the documented contract does.

Sources are those of `tidegate.adapters`: the CLIs' own references of hooks, and what was read in their programs.
"""

import json

from tests.conformance.agent_cli import LATE, AgentCli, Before
from tidegate.assurance.conformance.scene import AGENT

BLOCKS = 2
NO_QUESTION = dict.fromkeys(
    ("approved-call-runs", "approver-may-be-async", "vetoed-call-gives-back"),
    "the call is refused where a rule asks, since the hook may not ask",
)
AT_ONCE = "the hook does not hear what the person says, and takes from limits when it asks"


class ClaudeCode(AgentCli):
    """Claude Code: what fails or is not understood lets the tool run."""

    name = "claude-code"
    before, after = "PreToolUse", "PostToolUse"
    cannot = {
        "failure-is-shaped": "no hook could change the text of a call that has failed",
        "vetoed-call-gives-back": AT_ONCE,
        "late-result-is-withheld": LATE,
    }

    def event(self, scene, tool, arguments, call_id):
        """An event of a call in a sub-agent."""
        more = {"agent_id": AGENT, "transcript_path": "/tmp/t.jsonl", "permission_mode": "default"}
        return {**super().event(scene, tool, arguments, call_id), **more}

    def judged(self, ended):
        """New arguments are taken beside `allow` and `ask`."""
        if ended.code == BLOCKS:
            return Before("deny", ended.stderr)
        if ended.code or ended.object is None:
            return Before("run")
        said = ended.object.get("hookSpecificOutput", {})
        word = said.get("permissionDecision")
        reason, arguments = said.get("permissionDecisionReason", ""), said.get("updatedInput")
        if word == "deny":
            return Before("deny", reason)
        return Before("ask" if word == "ask" else "run", reason, arguments if word in ("allow", "ask") else None)

    def result(self, value):
        """As `Bash` gives it, or an object of the tool's own."""
        return {"stdout": value, "stderr": "", "interrupted": False} if isinstance(value, str) else value

    def read(self, result, ended):
        """A new result is taken where it has the keys of the old one; a `block` adds its reason and takes nothing."""
        said = {} if ended.code or ended.object is None else ended.object
        new = said.get("hookSpecificOutput", {}).get("updatedToolOutput")
        shown = new if isinstance(new, dict) and new.keys() == result.keys() else result
        return {"response": json.dumps(shown, ensure_ascii=False), "reason": said.get("reason", "")}


class Gemini(AgentCli):
    """Gemini CLI: goes on where a hook fails; blocks a result, and shows the reason in its place."""

    name = "gemini"
    before, after = "BeforeTool", "AfterTool"
    after_failure = True
    cannot = {
        **NO_QUESTION,
        "late-result-is-withheld": LATE,
        "agent-is-told": "its events do not say which agent calls",
    }

    def event(self, scene, tool, arguments, call_id):
        """An event without an id of the call."""
        told = super().event(scene, tool, arguments, call_id)
        del told["tool_use_id"]
        return {**told, "timestamp": "2026-11-01T00:00:00Z", "transcript_path": ""}

    def judged(self, ended):
        """New arguments replace the old ones as a whole."""
        if ended.code == BLOCKS:
            return Before("deny", ended.stderr)
        if ended.code or ended.object is None:
            return Before("run")
        word = ended.object.get("decision")
        if word in ("deny", "block"):
            return Before("deny", ended.object.get("reason", ""))
        arguments = ended.object.get("hookSpecificOutput", {}).get("tool_input")
        return Before("ask" if word == "ask" else "run", "", arguments)

    def result(self, value):
        """For the model and for the person."""
        text = value if isinstance(value, str) else json.dumps(value)
        return {"llmContent": [{"text": text}], "returnDisplay": text}

    def failure(self, text):
        """The same with the error."""
        return {"llmContent": text, "returnDisplay": text, "error": {"message": text, "type": "unhandled_exception"}}

    def read(self, result, ended):
        """What is blocked is gone for the model and for the person."""
        said = {} if ended.code or ended.object is None else ended.object
        if said.get("decision") in ("deny", "block"):
            return {"llmContent": f"Tool result blocked: {said.get('reason')}"}
        return {key: json.dumps(value, ensure_ascii=False) for key, value in result.items()}


class Codex(AgentCli):
    """Codex: an answer with anything that it does not know is a hook that has failed, and the tool runs."""

    name = "codex"
    before, after = "PreToolUse", "PostToolUse"
    after_failure = True
    cannot = {
        **NO_QUESTION,
        "late-result-is-withheld": LATE,
    }

    def event(self, scene, tool, arguments, call_id):
        """An event of a call in a sub-agent."""
        more = {"agent_id": AGENT, "turn_id": "t1", "model": "stub", "permission_mode": "default"}
        return {**super().event(scene, tool, arguments, call_id), **more, "transcript_path": None}

    def judged(self, ended):
        """A deny needs its reason, new arguments their `allow`, and no other key may be there."""
        if ended.code == BLOCKS and ended.stderr.strip():
            return Before("deny", ended.stderr)
        if ended.code or ended.object is None or not ended.object.keys() <= {"hookSpecificOutput"}:
            return Before("run")
        said = dict(ended.object.get("hookSpecificOutput", {}))
        if said.pop("hookEventName", self.before) != self.before:
            return Before("run")
        said.pop("additionalContext", None)
        if said.keys() == {"permissionDecision", "permissionDecisionReason"} and said["permissionDecision"] == "deny":
            return Before("deny" if said["permissionDecisionReason"] else "run", said["permissionDecisionReason"])
        if said.keys() == {"permissionDecision", "updatedInput"} and said["permissionDecision"] == "allow":
            return Before("run", "", said["updatedInput"])
        return Before("run")

    def result(self, value):
        """The text that the model reads."""
        return value if isinstance(value, str) else json.dumps(value)

    def read(self, result, ended):
        """A block puts its reason in the place of the result."""
        said = {} if ended.code or ended.object is None else ended.object
        blocked = said.keys() == {"decision", "reason"} and said["decision"] == "block" and said["reason"]
        return {"response": said["reason"] if blocked else result}


class Copilot(AgentCli):
    """Copilot CLI: any exit code but 0 refuses; of answers after a call it takes another result."""

    name = "copilot"
    before, after = "preToolUse", "postToolUse"
    cannot = {
        "failure-is-shaped": "no hook could change the text of a call that has failed",
        "vetoed-call-gives-back": AT_ONCE,
        "late-result-is-withheld": LATE,
    }

    def at(self, name):
        """Events in camel case do not say which one they are."""
        return {}

    def event(self, scene, tool, arguments, call_id):
        """An event in camel case."""
        told = {"sessionId": "s1", "timestamp": 1, "cwd": str(scene.rules.parent), "toolName": tool}
        return {**told, "toolArgs": arguments, "toolCallId": call_id, "agentId": AGENT}

    def judged(self, ended):
        """What is no object is no answer, and the tool runs."""
        if ended.code:
            return Before("deny", ended.stderr)
        said = ended.object or {}
        word = said.get("permissionDecision")
        arguments = said.get("modifiedArgs")
        return Before(word if word in ("deny", "ask") else "run", said.get("permissionDecisionReason", ""), arguments)

    def result(self, value):
        """The text that the model reads."""
        text = value if isinstance(value, str) else json.dumps(value)
        return {"resultType": "success", "textResultForLlm": text}

    def told(self, result):
        """The result of the tool."""
        return {"toolResult": result}

    def read(self, result, ended):
        """Another result is taken as it is."""
        said = {} if ended.code or ended.object is None else ended.object
        return {"text": said.get("modifiedResult", result)["textResultForLlm"]}


class Cursor(AgentCli):
    """Cursor, with a hook that is installed as `failClosed`: what fails refuses, but no result is taken back."""

    name = "cursor"
    before, after = "preToolUse", "postToolUse"
    cannot = {
        **NO_QUESTION,
        **dict.fromkeys(("text-is-shaped", "every-channel-is-shaped"), "only results of MCP tools can be replaced"),
        "failure-is-shaped": "no hook is run after a call that has failed",
        "late-result-is-withheld": LATE,
        "agent-is-told": "its events do not say which agent calls",
    }

    def event(self, scene, tool, arguments, call_id):
        """An event with its conversation and its folders."""
        more = {"conversation_id": "c1", "generation_id": "g1", "workspace_roots": [str(scene.rules.parent)]}
        return {**super().event(scene, tool, arguments, call_id), **more, "model": "stub", "cursor_version": "3"}

    def judged(self, ended):
        """Without a permission that it knows it refuses; it takes `ask` here, and asks nobody."""
        said = ended.object or {}
        word = said.get("permission")
        if ended.code or word not in ("allow", "ask"):
            return Before("deny", said.get("agent_message", ended.stderr))
        return Before("run", "", said.get("updated_input"))

    def told(self, result):
        """The result as JSON in a text."""
        return {"tool_output": json.dumps({"output": result}), "duration": 1}

    def read(self, result, ended):
        """The result of a tool that no MCP server has stays, and a warning is put below it."""
        said = {} if ended.code or ended.object is None else ended.object
        return {"output": json.dumps(result), "context": said.get("additional_context", "")}
