"""What a server asks of its client: to sample the model, to ask the person, to list the roots.

Each is a call of `request:SERVER/METHOD` with the params as its arguments, and what it says reaches a model or a
person, so that the output rules about the server shape it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from ...errors import ToolFailed
from ...kernel.content import ToolExecutionResult
from ...kernel.json_values import thaw
from ...served import REQUEST
from .gate import Identity
from .line import Line
from .methods import ASKED_BY_SERVERS, only
from .texts import Withheld

WITHHELD = "its text could not be made fit to show"


class Refused(Exception):
    """The rules refuse what a server asks of its client."""


Act = Callable[[Mapping[str, Any]], Awaitable[None]]


async def judged(line: Line, method: str, params: Mapping[str, Any], act: Act | None = None) -> dict[str, Any]:
    """The params as they may reach the client; *act* passes them on, while limits hold what they hold.

    Raises:
        Refused: The rules say no, or what would be asked about has nobody to ask.
    """
    identity = Identity(REQUEST, method)
    passed: dict[str, Any] | None = None

    async def forward(arguments: Mapping[str, Any]) -> ToolExecutionResult:
        nonlocal passed
        try:
            shaped = await line.texts.shaped(arguments, identity) if arguments else {}
        except Withheld:
            raise ToolFailed(WITHHELD, "WITHHELD") from None
        if act is not None:
            await act(shaped)
        passed = shaped
        return ToolExecutionResult("", "passed")

    name = line.gate.know(identity, None)
    result = await line.gate.run(name, only(params, ASKED_BY_SERVERS[method]), forward, None)
    if passed is None:
        raise Refused(result.text.removeprefix("Error: "))
    return dict(thaw(passed))
