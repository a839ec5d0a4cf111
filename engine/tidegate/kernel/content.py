"""What a tool call returns: content blocks, structured content, a value; or an error."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

from attrs import Factory, evolve, field, frozen

from ..errors import CallError, Veto
from .json_values import compact, snapshot

DENIED = "denied by policy"
"""What is said of a refusal that gives no reason."""

# A code is a name for programs; anything longer would be text that no listener shapes.
_CODE = re.compile(r"[A-Za-z0-9_.:-]{1,64}")


class TextBlock(NamedTuple):
    """Text for the model to read."""

    text: str
    type: Literal["text"] = "text"


class DataBlock(NamedTuple):
    """Any other block: an image, sound, a resource, a link to one.

    `data` are its fields other than `type`, as JSON (for MCP: `{"data": "…base64…", "mimeType": "image/png"}`).
    """

    type: str
    data: dict[str, Any]


Block = TextBlock | DataBlock


class Denial(NamedTuple):
    """What a listener may return to refuse a call, as raising `Veto` does. Without a reason it refuses as well."""

    reason: str = ""


class ToolError(NamedTuple):
    """What kind of failure an error result stands for: the exception's name, and its stable code."""

    name: str
    code: str


def as_blocks(content: str | Iterable[Block]) -> tuple[Block, ...]:
    """*content* as immutable blocks; text becomes one block.

    Raises:
        TypeError: Something in it is no block.
    """
    if isinstance(content, str):
        return (TextBlock(content),)
    return tuple([_as_block(block) for block in content])


def _as_block(block: Block) -> Block:
    if type(block) is TextBlock and isinstance(block.text, str):
        return block
    if type(block) is DataBlock and isinstance(block.type, str):
        return DataBlock(block.type, snapshot(block.data))
    raise TypeError(f"content consists of blocks, not of {type(block).__name__}")


def _value_of(result: ToolExecutionResult) -> object:
    if result.is_error:
        return None
    if result.structured is not None:
        return result.structured
    blocks = result.content
    return blocks[0].text if len(blocks) == 1 and isinstance(blocks[0], TextBlock) else blocks


@frozen
class ToolExecutionResult:
    """The outcome of one call, as it goes back to the model and the host.

    Attributes:
        call_id: The call that it answers.
        content: What the model reads.
        is_error: Whether the call was refused or failed; the content says why.
        structured: The same as JSON, immutable; `None` where there is only content.
        value: What the tool's body returned, for programs; `None` for an error. JSON is immutable.
        error: What kind of failure it is, if that has a code.
    """

    call_id: str
    content: tuple[Block, ...] = field(converter=as_blocks)
    is_error: bool = False
    structured: Any = field(default=None, converter=snapshot)
    value: Any = Factory(_value_of, takes_self=True)
    error: ToolError | None = None

    @property
    def text(self) -> str:
        """All text blocks, one below the other."""
        return "\n".join(block.text for block in self.content if isinstance(block, TextBlock))


def render(call_id: str, value: object) -> ToolExecutionResult:
    """Make a result of what a tool's body returned.

    A result stays itself. Blocks are content as they are, text blocks also as the dicts `{"type": "text", "text": …}`
    of dsh-tools' readme; text is text; `None`, booleans, numbers, other dicts and lists become JSON, as text and
    structured. Anything else, and what is no JSON after all, is text by `str` and stays opaque as `value`.
    """
    if isinstance(value, str):
        return ToolExecutionResult(call_id, value, value=value)
    if type(value) is ToolExecutionResult:
        return value if value.call_id == call_id else evolve(value, call_id=call_id)
    if isinstance(value, TextBlock | DataBlock):
        value = (value,)
    if isinstance(value, list | tuple) and value and all(map(_is_block, value)):
        return ToolExecutionResult(call_id, [TextBlock(one["text"]) if isinstance(one, dict) else one for one in value])
    if value is None or isinstance(value, bool | int | float | dict | list):
        try:
            frozen_value = snapshot(value)
            return ToolExecutionResult(call_id, compact(frozen_value), structured=frozen_value, value=frozen_value)
        except CallError:  # not JSON after all: NaN, an object inside
            pass
    return ToolExecutionResult(call_id, str(value), value=value)


def _is_block(value: object) -> bool:
    """Whether it is a block, or a dict that says of itself that it is a text block and says nothing else."""
    if isinstance(value, dict):
        return value.keys() == {"type", "text"} and value["type"] == "text" and isinstance(value["text"], str)
    return isinstance(value, TextBlock | DataBlock)


def failure(call_id: str, error: Exception) -> ToolExecutionResult:
    """Make an error result of an exception: `Error: ` and its message."""
    code = getattr(error, "code", None)
    kind = ToolError(type(error).__name__, code) if isinstance(code, str) and _CODE.fullmatch(code) else None
    return ToolExecutionResult(call_id, f"Error: {message_of(error)}", is_error=True, error=kind)


def message_of(error: Exception) -> str:
    """What an exception says: its `message` if that is text, else itself as text, else its name."""
    if isinstance(error, Veto):
        return str(error.reason or "").strip() or DENIED
    message = getattr(error, "message", None)
    try:
        return message if isinstance(message, str) else str(error) or type(error).__name__
    except Exception:  # noqa: BLE001 - an exception that cannot speak still fails the call
        return type(error).__name__
