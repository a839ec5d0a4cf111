"""Tools as they are registered: name, description, parameters, and the body that does the work."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from typing import Any, Literal, TypeVar

from attrs import Factory, field, frozen

from ..errors import CallError, SchemaError
from .call import ToolExecution
from .json_values import exact_text, snapshot, thaw
from .schema import SchemaSpec, freeze_spec, schema_spec_to_json_schema
from .told import Told

ArgsT = TypeVar("ArgsT", bound=Mapping[str, Any])
Body = Callable[[ArgsT], object] | Callable[[ArgsT, ToolExecution], object]
"""What a tool does: `(args)` or `(args, exec)`, sync or async. For what it may return see `content.render`."""

SchemaForm = Literal["plain", "openai"]


def _name(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise TypeError("a tool's name is text, and not empty")
    return exact_text(value)


def _schema(value: object) -> Any:
    if not isinstance(value, Mapping):
        raise SchemaError("parameters must be a JSON Schema, which is an object")
    try:
        return snapshot(value)
    except CallError as error:
        raise SchemaError(f"parameters {error}") from error


def _takes_execution(definition: ToolDefinition) -> bool:
    """Whether the body has a second parameter for the call: one that is required, or named `exec`."""
    try:
        parameters = [*signature(definition.run).parameters.values()]
    except ValueError:  # a builtin that does not tell
        return False
    positional = [one for one in parameters if one.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)]
    required = sum(one.default is Parameter.empty for one in positional)
    keywords = [one for one in parameters if one.kind is Parameter.KEYWORD_ONLY and one.default is Parameter.empty]
    takes_any = any(one.kind is Parameter.VAR_POSITIONAL for one in parameters)
    if required > len(("args", "exec")) or keywords or not (positional or takes_any):
        raise TypeError(f'the body of tool "{definition.name}" must take (args) or (args, exec)')
    return len(positional) > 1 and (required > 1 or positional[1].name == "exec")


@frozen(eq=False)
class ToolDefinition:
    """A tool, ready to be registered.

    Attributes:
        name: The name that the model uses.
        description: How the model decides when to use it.
        parameters: JSON Schema of the arguments, immutable. It is shown to the model, not enforced.
        run: The body.
        strict: Told to the model's provider if given.
        concurrency_safe: Whether calls may overlap with others: `True`, or a function of the arguments that
            answers exactly `True`. Anything else, raising included, means they may not.
        validates: The declaration that arguments are checked against before the body; `None` checks nothing.
        origin: Where the tool comes from, `mcp` for a server's, empty for our own. With `server` and `raw_name`
            it is the identity that rules go by, never the joined `name`.
        server: The name of the server that offers it.
        raw_name: Its name there.
        told: What that server says of it.

    Raises:
        TypeError: The body cannot be called with (args) or (args, exec).
        SchemaError: The parameters are no JSON object.
    """

    name: str = field(converter=_name)
    description: str
    parameters: dict[str, Any] = field(converter=_schema, repr=False)
    run: Callable[..., object] = field(repr=False)
    strict: bool | None = None
    concurrency_safe: bool | Callable[[Any], object] = False
    validates: SchemaSpec | None = field(default=None, repr=False)
    origin: str = ""
    server: str = ""
    raw_name: str = ""
    told: Told | None = field(default=None, repr=False)
    takes_execution: bool = field(init=False, default=Factory(_takes_execution, takes_self=True), repr=False)

    def may_overlap(self, args: dict[str, Any]) -> bool:
        """Whether a call with *args* may run beside others."""
        if not callable(self.concurrency_safe):
            return self.concurrency_safe is True
        try:
            return self.concurrency_safe(args) is True
        except Exception:  # noqa: BLE001 - what cannot be classified runs alone
            return False

    def schema(self, form: SchemaForm = "plain") -> dict[str, Any]:
        """What the model is told, as a detached copy.

        `plain` is everything except the body (dsh-tools' readme), `openai` the function-call format (mini-dsh).
        """
        if form not in ("plain", "openai"):
            raise ValueError(f"no schema form `{form}`; there are `plain` and `openai`")
        told = {"name": self.name, "description": self.description, "parameters": thaw(self.parameters)}
        if self.strict is not None:
            told["strict"] = self.strict
        return told if form == "plain" else {"type": "function", "function": told}


def tool(name: str, description: str, parameters: Mapping[str, Any], run: Body[Any]) -> ToolDefinition:
    """Define a tool by its JSON Schema; its arguments are not validated.

    Source: `tool()` of mini-dsh.
    """
    return ToolDefinition(name, description, parameters, run)


def define_tool(
    *,
    name: str,
    description: str,
    parameters: SchemaSpec,
    execute: Body[ArgsT],
    strict: bool | None = None,
    concurrency_safe: bool | Callable[[ArgsT], object] = False,
) -> ToolDefinition:
    """Define a tool by a SchemaSpec, which model-made arguments must fit before *execute* runs.

    Annotate *execute*'s first parameter with a TypedDict to have typed arguments.

    Raises:
        SchemaError: *parameters* uses something that is not supported.
        TypeError: *execute* cannot be called with (args) or (args, exec).

    Source: `defineTool()` of dsh-tools' readme.
    """
    return ToolDefinition(
        name,
        description,
        schema_spec_to_json_schema(parameters),
        execute,
        strict=strict,
        concurrency_safe=concurrency_safe,
        validates=freeze_spec(parameters),
    )
