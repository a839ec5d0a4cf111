"""One request to run a tool, as rules see it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from attrs import field, frozen

if TYPE_CHECKING:
    from .kernel.told import Told


@frozen
class Tool:
    """The identity of a tool as the adapter gives it, never split from a joined name.

    `name` is what the model calls it; `origin` is empty for a tool of the host itself, `mcp` for one of an MCP
    server, whose name is then in `server` and whose own name for the tool is in `raw`. A resource (`mcp-resource`) and
    a prompt (`mcp-prompt`) have their URI or name there, and what a server asks of its client (`mcp-request`) its
    method. `told` is what the server says of the tool, `None` where
    nobody attests it; it is no part of the identity.
    """

    name: str
    origin: str = ""
    server: str = ""
    raw: str = ""
    told: Told | None = field(default=None, eq=False, repr=False)


@frozen
class Call:
    """One call: a tool, its arguments, and what is known of where it comes from.

    `arguments` is an immutable JSON object. `cwd`, `root` and `home` are absolute directories, `None` where
    nobody attested them. `mode` is the harness's own word for its permission mode. `interactive` is false
    where nobody can answer a question. `at` is the time of the call in seconds since the epoch, for recorded
    calls; `None` means now.
    """

    tool: Tool
    arguments: Mapping[str, Any]
    call_id: str = ""
    cwd: str | None = None
    root: str | None = None
    home: str | None = None
    agent: str | None = None
    session: str | None = None
    mode: str | None = None
    interactive: bool = True
    at: float | None = None
    context: Mapping[str, Any] = field(factory=dict, eq=False)


class CommandText(NamedTuple):
    """An argument that a binding calls a command: a text for *shell*, or the words of one command (`argv`).

    `pointer` leads to it. `persistent` tells that one shell lives on between calls, and `sure` that the binding
    certainly holds of this call.
    """

    pointer: str
    value: object
    role: Literal["command", "argv"]
    shell: str
    persistent: bool
    sure: bool
