"""One tool call, before it runs and after."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from attrs import evolve, field, frozen

from ..errors import CallError
from .content import Block, ToolError, ToolExecutionResult, as_blocks, render
from .json_values import exact_text, snapshot


class Signal(Protocol):
    """What tells a call that it is no longer wanted: an anyio `CancelScope`, or anything with this property."""

    @property
    def cancel_called(self) -> bool:
        """Whether the call is to end."""


def _identifier(value: object) -> str:
    if type(value) is str and value.isascii():
        return value
    if not isinstance(value, str):
        raise CallError(f"a call's id and name are text, not {type(value).__name__}")
    return exact_text(value)


def _arguments(value: object) -> Any:
    if type(value) is not dict and not isinstance(value, Mapping):
        raise CallError('"arguments" must be an object')
    try:
        return snapshot(value)
    except CallError as error:
        raise CallError(f'"arguments" {error}') from error.__cause__


@frozen(eq=False)
class ToolExecution:
    """One pending call of a tool. It never changes: a rewrite is `with_arguments` or `attrs.evolve`.

    `arguments` become an immutable JSON snapshot; what was handed in is read once, and neither changed nor
    frozen. Fields that are `None` are not attested. Two calls are equal only if they are the same one.

    Attributes:
        interactive: Whether a person can be asked.
        signal: Set by the host to end the call; bodies look at it, or enter it where it is a cancel scope.
        context: Notes of the host and of listeners about this call. Rewrites share it; nobody judges it.

    Raises:
        CallError: It is no call: the arguments are no JSON object, or a field has the wrong type.
    """

    call_id: str = field(converter=_identifier)
    name: str = field(converter=_identifier)
    arguments: dict[str, Any] = field(converter=_arguments)
    agent: str | None = None
    session: str | None = None
    cwd: str | None = None
    root: str | None = None
    home: str | None = None
    mode: str | None = None
    interactive: bool | None = None
    signal: Signal | None = field(default=None, repr=False)
    context: dict[str, Any] = field(factory=dict, repr=False)

    def __attrs_post_init__(self) -> None:
        places = (self.agent, self.session, self.cwd, self.root, self.home, self.mode)
        for text in places if places != _NOWHERE else ():
            if text is not None and not isinstance(text, str):
                raise CallError(f"where a call happens is told as text, not as {type(text).__name__}")

    @property
    def args(self) -> dict[str, Any]:
        """`arguments`, by the short name."""
        return self.arguments

    def with_arguments(self, /, **changes: object) -> ToolExecution:
        """The same call with some arguments changed or added."""
        return evolve(self, arguments={**self.arguments, **changes})


_NOWHERE = (None,) * 6


@frozen(eq=False)
class ToolOutcome:
    """What became of one call: what post-execute listeners shape and observers see.

    Every `with_…` replaces all channels of the result, so that none keeps what another has lost.
    An outcome knows of which it was made: a listener that answers with something that was not made of what
    `next` gave it would undo what others redacted.

    Attributes:
        call: The call as it was judged last.
        result: What the host will get.
        entered: Whether the tool's body was entered.
    """

    call: ToolExecution
    result: ToolExecutionResult
    entered: bool
    cause: Exception | None = field(default=None, repr=False)
    mark: object = field(factory=object, repr=False)
    made_from: tuple[object, ...] = field(default=(), repr=False)

    @property
    def name(self) -> str:
        """The tool's name."""
        return self.call.name

    @property
    def args(self) -> dict[str, Any]:
        """The call's arguments."""
        return self.call.arguments

    @property
    def value(self) -> Any:
        """What the tool returned, `None` for a failure."""
        return self.result.value

    @property
    def is_error(self) -> bool:
        """Whether the call was refused or failed."""
        return self.result.is_error

    def with_value(self, value: object) -> ToolOutcome:
        """Return *value* instead. A failure stays one; its text becomes that of *value*."""
        result = render(self.call.call_id, value)
        return self._with(result.content, result.structured, result.value)

    def with_content(self, content: str | Iterable[Block], structured: object = None) -> ToolOutcome:
        """Return *content* instead, and *structured* beside it. A failure stays one."""
        blocks = as_blocks(content)
        made = ToolExecutionResult(self.call.call_id, blocks, structured=structured)
        return self._with(blocks, made.structured, made.value)

    def with_error(self, message: str, *, name: str = "Veto", code: str = "WITHHELD") -> ToolOutcome:
        """Fail instead, with `Error: ` and *message*; nothing of the result is left."""
        error = ToolError(name, code)
        result = ToolExecutionResult(self.call.call_id, f"Error: {message}", is_error=True, error=error)
        return self._made(result)

    def made_of(self, other: ToolOutcome) -> bool:
        """Whether this is *other*, or was made of it."""
        return other.mark is self.mark or other.mark in self.made_from

    def _with(self, content: tuple[Block, ...], structured: object, value: object) -> ToolOutcome:
        call_id = self.call.call_id
        if self.result.is_error:
            return self._made(ToolExecutionResult(call_id, content, is_error=True, error=self.result.error))
        return self._made(ToolExecutionResult(call_id, content, structured=structured, value=value))

    def _made(self, result: ToolExecutionResult) -> ToolOutcome:
        return ToolOutcome(self.call, result, self.entered, made_from=(*self.made_from, self.mark))
