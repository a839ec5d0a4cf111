"""A plain Python function as a guarded tool."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from inspect import BoundArguments, Signature, iscoroutinefunction, signature
from typing import TYPE_CHECKING, Any

from ..kernel import Context, ToolRegistry, thaw, tool

if TYPE_CHECKING:
    from ..engine import Engine
    from ..plan.approval import Approver


def guard(engine: Engine, function: Callable[..., Any], approver: Approver | None) -> Callable[..., Any]:
    """Wrap *function* so that every call of it passes the rules first, as a tool of the function's own name.

    The wrapper takes the same arguments and returns what the function returns, after the output rules. Arguments
    must be JSON values; the function gets them as plain lists and dicts, as rewritten.

    Raises:
        TypeError: It is a method that is not bound to an object.

    Raises (when called):
        Veto: The call is refused; the text says what would be allowed.
        CallError: An argument is no JSON value.
    """
    shape = signature(function)
    name = function.__name__
    if next(iter(shape.parameters), None) in ("self", "cls"):
        raise TypeError(f"guard the method `{name}` where it is bound: `engine.guard(object.{name})`")
    registry = ToolRegistry(Context())
    registry.register(tool(name, function.__doc__ or "", {"type": "object"}, _body(function, shape)))
    engine.attach(registry, approver=approver)

    if iscoroutinefunction(function):

        @wraps(function)
        async def guarded_async(*args: Any, **kwargs: Any) -> Any:
            return await registry.call(name, _named(shape, args, kwargs))

        return guarded_async

    @wraps(function)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        return registry.call_sync(name, _named(shape, args, kwargs))

    return guarded


def _named(shape: Signature, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """All arguments by name, defaults included, so that a rule sees what the function will see."""
    bound = shape.bind(*args, **kwargs)
    bound.apply_defaults()
    return dict(bound.arguments)


def _body(function: Callable[..., Any], shape: Signature) -> Callable[[Mapping[str, Any]], Any]:
    def body(arguments: Mapping[str, Any]) -> Any:
        named = {name: thaw(arguments[name]) for name in shape.parameters if name in arguments}
        bound = BoundArguments(shape, named)
        return function(*bound.args, **bound.kwargs)

    return body
