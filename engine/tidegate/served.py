"""The identity of what an MCP server offers (tools, resources, prompts), and of what it asks of its client."""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

from .call import Tool
from .errors import CallError
from .kernel.told import SAID, Told
from .lang.nearest import nearest
from .shown import quote

TOOL: Final = "mcp"
RESOURCE: Final = "mcp-resource"
PROMPT: Final = "mcp-prompt"
REQUEST: Final = "mcp-request"
"""What a server asks of its client, by method: to sample its model, to ask the person, to list the roots."""

_MAX_NAME = 64
_UNFIT = re.compile(r"[^A-Za-z0-9_-]")
_NAMED = {"name": TOOL, "resource": RESOURCE, "prompt": PROMPT, "request": REQUEST}
_TYPES: Mapping[str, type] = {"description": str, "title": str}


def public_name(server: str, tool: str) -> str:
    """The name under which a server's tool is registered: at most 64 letters, digits, `_` and `-`.

    A name that does not fit is changed and ends in a digest of what it was, so that two never become one.
    """
    joined = f"mcp__{server}__{tool}"
    fit = _UNFIT.sub("_", joined)
    if fit == joined and len(fit) <= _MAX_NAME:
        return fit
    digest = sha256(f"{server}\0{tool}".encode(errors="surrogatepass")).hexdigest()[:12]
    return f"{fit[: _MAX_NAME - 13]}_{digest}"


def served(table: Mapping[str, Any]) -> Tool:
    """The tool of a server that a call on a line names by a table.

    It has `server` and one of `name`, `resource` (a URI), `prompt` and `request` (a method of MCP that the server asks
    of its client); beside `name` may stand what the server says of the tool, as in its entry of `tools/list`.

    Raises:
        CallError: A key is unknown, missing or of the wrong type.
    """
    known = ("server", *_NAMED, *SAID)
    for key in table:
        if key not in known:
            close = nearest(key, known)
            raise CallError(f"unknown key {quote(key)} in `tool`" + (f"; write `{close}`" if close else ""))
    kinds = [key for key in _NAMED if key in table]
    if len(kinds) != 1:
        raise CallError("`tool` must have one of `name`, `resource`, `prompt` and `request`")
    server, name = _text(table, "server"), _text(table, kinds[0])
    said = {key: value for key, value in table.items() if key in SAID}
    for key, value in said.items():
        if not isinstance(value, _TYPES.get(key, Mapping)):
            raise CallError(f"`{key}` in `tool` is of the wrong type")
    if kinds[0] != "name":
        if said:
            raise CallError(f"`{next(iter(said))}` is said of tools alone")
        return Tool(f"{kinds[0]}:{server}/{name}", _NAMED[kinds[0]], server, name)
    return Tool(public_name(server, name), TOOL, server, name, Told.of(said) if said else None)


def _text(table: Mapping[str, Any], key: str) -> str:
    found = table.get(key)
    if not isinstance(found, str) or not found:
        raise CallError(f"`{key}` in `tool` must be a text")
    return found
