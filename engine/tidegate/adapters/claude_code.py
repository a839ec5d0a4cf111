"""Claude Code: what its hooks hand over becomes a call, and the decision becomes an answer.

What the harness does with an answer is out of our hands: it runs several hooks side by side on the original call,
and of several rewrites the last one wins. So there should be one hook, and all rules in it. A hook that ends with an
exit code other than 0 and 2, or takes longer than the harness waits, lets the tool run; `cli/hook.py` sees to that.

Source: Claude Code's reference of hooks, as of November 2026.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from ..call import Call, Tool
from ..calls import parse
from ..decision import Decision
from ..errors import CallError
from ..kernel.call import ToolExecution, ToolOutcome
from ..kernel.content import Block, DataBlock, TextBlock, ToolExecutionResult
from ..plan.approval import Question
from ..plan.shaping import shape
from ..plan.sitting import Sitting
from .claude_answers import (
    AFTER,
    BEFORE,
    PERMISSION,
    Answer,
    asked,
    denied,
    is_mark,
    no_opinion,
    reminded,
    rewritten,
    shaped,
    without_copy,
)

if TYPE_CHECKING:
    from ..engine import Engine

HANDLED = frozenset({BEFORE, AFTER, PERMISSION})
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_-]")
LONGEST_REASON = 4_000


def read_event(data: bytes) -> Mapping[str, Any]:
    """The event that Claude Code wrote to the hook.

    Raises:
        CallError: It is no JSON object, or does not say which event it is.
    """
    event = parse(data)
    if not isinstance(event, Mapping) or not isinstance(event.get("hook_event_name"), str):
        raise CallError("it is no event of Claude Code: there is no `hook_event_name`")
    return event


def call_of(event: Mapping[str, Any], environ: Mapping[str, str]) -> Call:
    """The call that an event is about.

    `{root}` is the folder that Claude Code gives to its hooks as `CLAUDE_PROJECT_DIR`.

    Raises:
        CallError: Something that a call needs is missing or has the wrong type.
    """
    arguments = event.get("tool_input")
    if not isinstance(arguments, Mapping):
        raise CallError("the event has no `tool_input` that is an object")
    cwd, name = _text(event, "cwd"), _text(event, "tool_name")
    if not name or cwd is None or not PurePath(cwd).is_absolute():
        raise CallError("the event has no `tool_name`, or no `cwd` that is an absolute path")
    project = environ.get("CLAUDE_PROJECT_DIR", "")
    return Call(
        _tool(name, event.get("mcp_server")),
        arguments,
        call_id=_text(event, "tool_use_id") or "",
        cwd=cwd,
        root=project if PurePath(project).is_absolute() else None,
        agent=_text(event, "agent_id"),
        session=_text(event, "session_id"),
        mode=_text(event, "permission_mode"),
    )


def _text(event: Mapping[str, Any], key: str) -> str | None:
    value = event.get(key)
    if value is not None and not isinstance(value, str):
        raise CallError(f"the key `{key}` of the event must be a text")
    return value


def _tool(name: str, server: Any) -> Tool:
    """The tool as Claude Code names it, with the server that it says it comes from."""
    if isinstance(server, Mapping):
        server = server.get("name")
    if not isinstance(server, str) or not server:
        return Tool(name)
    prefix = f"mcp__{_NOT_IN_A_NAME.sub('_', server)}__"
    return Tool(name, "mcp", server, name.removeprefix(prefix) if name.startswith(prefix) else "")


def answer(engine: Engine, event: Mapping[str, Any], environ: Mapping[str, str]) -> Answer | None:
    """The answer to an event, `None` for one that the rules have nothing to do with.

    Raises:
        CallError: The event is about no call.
    """
    name = event["hook_event_name"]
    if name not in HANDLED:
        return None
    call = call_of(event, environ)
    if name == BEFORE:
        return before(call, engine.judge(call))
    if name == PERMISSION:
        return at_permission(engine, call)
    return after(engine, call, event.get("tool_response"))


def before(call: Call, decision: Decision) -> Answer:
    """The answer before a call runs."""
    arguments = decision.arguments if decision.arguments is not call.arguments else None
    if decision.effect == "deny":
        return denied(BEFORE, decision.reason[:LONGEST_REASON])
    if decision.effect == "ask":
        return asked(_question(call, decision), arguments)
    said = no_opinion() if arguments is None else rewritten(arguments)
    return reminded(said, decision.reason[:LONGEST_REASON]) if decision.reason else said


def _question(call: Call, decision: Decision) -> str:
    """What the person is shown: every reason, and what the call would do."""
    question = Question.of(call, decision)
    lines = [*question.reasons, *(f"it does: {effect}" for effect in question.effects)]
    return "\n".join(lines)[:LONGEST_REASON]


def at_permission(engine: Engine, call: Call) -> Answer:
    """The answer where Claude Code is about to ask the person: a denial, or nothing, so that the person is asked.

    The call was judged before, and what it takes from limits was taken then. Arguments that a rule would still
    change are not those that were judged, and here they could only be changed by answering for the person.
    """
    sitting = Sitting(engine.plan, call, engine.facts)
    sitting.take_all()
    decision = sitting.settle()
    limits = any(said.field == "limit" and said.rule == decision.rule for said in decision.trace)
    if decision.effect == "deny" and not limits:
        return denied(PERMISSION, decision.reason[:LONGEST_REASON])
    if decision.arguments is not call.arguments:
        return denied(PERMISSION, "a rule rewrites this call, and the hook for `PreToolUse` did not do it; install it")
    return no_opinion()


def after(engine: Engine, call: Call, response: Any) -> Answer:
    """The answer after a call: its result as output rules shape it, in the shape that the tool gave it.

    Every text in it is shaped, wherever it stands; the content blocks of an MCP tool are shaped as a whole. Claude
    Code drops a result that has another shape, so nothing is added to it and no key is taken out.
    """
    sitting = Sitting(engine.plan, call, engine.facts)
    sitting.read()
    if not sitting.rules.shapes or response is None:
        return no_opinion()
    new = _Shaper(sitting).any(response)
    if new == response:
        return no_opinion()
    return shaped(without_copy(new) if isinstance(new, dict) else new)


class _Shaper:
    """Puts texts and content blocks through the output rules of one call."""

    def __init__(self, sitting: Sitting) -> None:
        self._sitting = sitting
        call = sitting.original
        self._execution = ToolExecution(call.call_id, call.tool.name, dict(call.arguments), cwd=call.cwd)

    def any(self, value: Any, key: str = "") -> Any:
        """A value of any shape with all its texts shaped."""
        if isinstance(value, str):
            return value if is_mark(key) or not value else self._text(value)
        if isinstance(value, Mapping):
            return {name: self.any(item, name) for name, item in value.items()}
        if isinstance(value, list):
            return self._blocks(value) if _are_blocks(value) else [self.any(item, key) for item in value]
        return value

    def _text(self, text: str) -> str:
        return self._through(ToolExecutionResult(self._execution.call_id, text)).text

    def _blocks(self, values: list[Any]) -> list[Any]:
        blocks = [_block(value) for value in values]
        result = self._through(ToolExecutionResult(self._execution.call_id, blocks))
        if result.content == tuple(blocks):
            return values
        return [_as_json(block) for block in result.content]

    def _through(self, result: ToolExecutionResult) -> ToolExecutionResult:
        outcome = ToolOutcome(self._execution, result, entered=True)
        return shape(self._sitting.rules.shapes, outcome, self._sitting.cases)[0].result


def _are_blocks(values: list[Any]) -> bool:
    """Whether these are content blocks as MCP defines them, at least one of them text."""
    kinds = [value.get("type") if isinstance(value, Mapping) else None for value in values]
    return "text" in kinds and all(isinstance(kind, str) for kind in kinds)


def _block(value: Mapping[str, Any]) -> Block:
    if value["type"] == "text" and isinstance(value.get("text"), str):
        return TextBlock(value["text"])
    return DataBlock(value["type"], {key: item for key, item in value.items() if key != "type"})


def _as_json(block: Block) -> dict[str, Any]:
    if isinstance(block, TextBlock):
        return {"type": "text", "text": block.text}
    return {"type": block.type, **block.data}


def installed_hooks(cwd: str, home: str | None, environ: Mapping[str, str]) -> tuple[str, ...]:
    """The settings files in which Claude Code's hooks are installed; no judged call may change them."""
    folders = {cwd, environ.get("CLAUDE_PROJECT_DIR") or cwd, *([home] if home else [])}
    plain = sorted({re.sub("/+", "/", PurePath(folder).as_posix()).rstrip("/") for folder in folders})
    return tuple(f"{folder}/.claude/{name}" for folder in plain for name in ("settings.json", "settings.local.json"))
