"""Files of pins: what the tools of MCP servers said of themselves when somebody looked at them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import tomli

from .shown import quote

Pins = Mapping[tuple[str, str], str]
"""The digest (`Told.digest`) of each pinned tool, by server and the tool's own name."""

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_HEAD = """\
# What the tools of MCP servers said of themselves when they were pinned: for each the SHA-256 of its description,
# title, annotations, input and output schema as canonical JSON. Made by `tidegate new pins`.

version = 1
"""


class BadPins(ValueError):
    """A file is no file of pins; the text says why."""


def read_pins(data: bytes) -> Pins:
    """The pins of a file.

    Raises:
        BadPins: It is none.
    """
    try:
        table = tomli.loads(data.decode("utf-8"))
    except ValueError as error:  # also where it is not UTF-8
        raise BadPins(f"it is not TOML: {error}") from None
    if table.pop("version", None) != 1:
        raise BadPins("it does not say `version = 1`")
    servers = table.pop("servers", {})
    if table:
        raise BadPins(f"unknown key {quote(next(iter(table)))}")
    return dict(_pins(servers))


def _pins(servers: Any) -> list[tuple[tuple[str, str], str]]:
    if not isinstance(servers, dict) or not all(isinstance(tools, dict) for tools in servers.values()):
        raise BadPins("`servers` holds something that is no table of tools")
    found = [((server, tool), digest) for server, tools in servers.items() for tool, digest in tools.items()]
    for (server, tool), digest in found:
        if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
            raise BadPins(f"the pin of {quote(f'{server}/{tool}')} is no `sha256:` with 64 digits")
    return found


def written(pins: Pins) -> str:
    """The text of a file of pins, the same for the same pins."""
    import tomli_w

    servers: dict[str, dict[str, str]] = {}
    for (server, tool), digest in sorted(pins.items()):
        servers.setdefault(server, {})[tool] = digest
    return f"{_HEAD}\n{tomli_w.dumps({'servers': servers})}"
