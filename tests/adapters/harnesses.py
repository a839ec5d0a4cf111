"""Events of each harness as it writes them, its answers as JSON Schemas, and a hook in this process."""

import json
import os
from contextlib import nullcontext
from pathlib import Path

from jsonschema import Draft202012Validator

from tidegate.adapters.hook_answers import Wanted
from tidegate.adapters.hook_reply import respond
from tidegate.cli.hook_engines import fresh

CASES = Path(__file__).resolve().parents[1] / "cases/harness"
SCHEMAS = {path.stem: json.loads(path.read_text(encoding="utf-8"))["events"] for path in sorted(CASES.glob("*.json"))}

BEFORE = {
    "claude-code": "PreToolUse",
    "gemini": "BeforeTool",
    "codex": "PreToolUse",
    "copilot": "preToolUse",
    "cursor": "preToolUse",
}
AFTER = {
    "claude-code": "PostToolUse",
    "gemini": "AfterTool",
    "codex": "PostToolUse",
    "copilot": "postToolUse",
    "cursor": "postToolUse",
}
SHELL = {
    "claude-code": "Bash",
    "gemini": "run_shell_command",
    "codex": "Bash",
    "copilot": "bash",
    "cursor": "Shell",
}
RESULT = {
    "claude-code": lambda text: {"tool_response": {"stdout": text, "stderr": ""}},
    "gemini": lambda text: {"tool_response": {"llmContent": text, "returnDisplay": text}},
    "codex": lambda text: {"tool_response": text},
    "copilot": lambda text: {"toolResult": {"resultType": "success", "textResultForLlm": text}},
    "cursor": lambda text: {"tool_output": json.dumps({"output": text})},
}


def event(harness, name, tool, arguments, cwd, **more):
    """An event of one call, in the session `s1`."""
    if harness == "copilot" and name[0].islower():
        told = {"sessionId": "s1", "timestamp": 1, "cwd": str(cwd), "toolName": tool, "toolArgs": arguments}
        return told | more
    told = {"hook_event_name": name, "session_id": "s1", "cwd": str(cwd), "tool_name": tool, "tool_input": arguments}
    if harness == "cursor":
        told |= {"conversation_id": "c1", "workspace_roots": [str(cwd)], "tool_use_id": "u1"}
    return told | more


def checked(harness, name, data):
    """The answer in *data*: one JSON object that is valid at the event."""
    answered = json.loads(data)
    broken = [error.message for error in Draft202012Validator(SCHEMAS[harness][name]).iter_errors(answered)]

    assert broken == [], answered
    return answered


class Hook:
    """The hook of one harness, with an engine or with a rule file."""

    def __init__(self, harness, engine=None, rules=None):
        self.harness = harness
        self.rules = rules
        self.engines = fresh if engine is None else (lambda *_: nullcontext(engine))

    def reply(self, data, name=None, environ=os.environ):
        wanted = Wanted(self.harness, name, rules=None if self.rules is None else str(self.rules))
        return respond(wanted, data, environ, self.engines)

    def __call__(self, told, name=None, environ=os.environ):
        """The answer to an event, which is valid there."""
        name = name or told.get("hook_event_name")
        reply = self.reply(json.dumps(told).encode(), name, environ)

        assert reply.code == 0
        return checked(self.harness, name, reply.stdout)


def verdict(answered):
    """What an answer before a call comes to: deny, ask, rewrite, or nothing."""
    inner = answered.get("hookSpecificOutput", answered)
    word = inner.get("permissionDecision") or inner.get("permission") or inner.get("decision")
    if word in ("deny", "ask"):
        return word
    new = {"updatedInput", "tool_input", "modifiedArgs", "updated_input"} & inner.keys()
    return "rewrite" if new else "nothing"


def rewritten(answered):
    """The new arguments in an answer."""
    inner = answered.get("hookSpecificOutput", answered)
    return next(inner[key] for key in ("updatedInput", "tool_input", "modifiedArgs", "updated_input") if key in inner)


def reason(answered):
    """What the model or the person reads of an answer."""
    inner = answered.get("hookSpecificOutput", answered)
    return inner.get("permissionDecisionReason") or inner.get("reason") or inner.get("agent_message")
