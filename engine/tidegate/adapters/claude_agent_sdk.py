"""The Claude Agent SDK: hooks in this process around every tool call, with the package `claude-agent-sdk`."""

from __future__ import annotations

import json
import os
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from claude_agent_sdk import HookMatcher

from ..plan.threads import off_thread
from .hook_answers import Wanted
from .hook_reply import respond

if TYPE_CHECKING:
    from ..engine import Engine

HARNESS = "claude-code"


def hooks(engine: Engine, *, asks: bool = False, timeout: float = 60.0) -> dict[Any, Any]:
    """Hooks through which every tool call passes the rules: `ClaudeAgentOptions(hooks=hooks(engine))`.

    They answer as `tidegate hook claude-code` does. A hook that fails blocks the call (`on_failure="block"`); the
    SDK's default is to let it run. Limits are counted when the call is judged, since the SDK does not say whether
    it ran; rules about time do nothing.

    Args:
        engine: The engine.
        asks: Whether a rule that asks is left to the SDK, which asks `can_use_tool`; else asking is refusing.
        timeout: Seconds that the SDK waits for a hook.
    """
    return {
        event: [HookMatcher(hooks=[_hook(engine, event, asks=asks)], timeout=timeout, on_failure="block")]
        for event in ("PreToolUse", "PostToolUse")
    }


def _hook(engine: Engine, event: str, *, asks: bool) -> Any:
    async def hook(said: Any, _: Any, __: Any) -> Any:
        data = json.dumps(said).encode()
        wanted = Wanted(HARNESS, event)
        reply = await off_thread(
            lambda: respond(wanted, data, os.environ, lambda _, __: nullcontext(engine)), blocking=True
        )
        answer = json.loads(reply.stdout)
        return answer if asks else _without_asking(answer)

    return hook


def _without_asking(answer: dict[str, Any]) -> dict[str, Any]:
    special = answer.get("hookSpecificOutput", {})
    if special.get("permissionDecision") != "ask":
        return answer
    kept = {"hookEventName": special["hookEventName"], "permissionDecision": "deny"}
    return {"hookSpecificOutput": {**kept, "permissionDecisionReason": special.get("permissionDecisionReason", "")}}
