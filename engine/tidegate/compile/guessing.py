"""What the arguments of a tool probably mean, from their names: for whoever writes bindings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

Guess = dict[str, Any]
"""A binding as a table under `[tools.NAME]`."""

_WORDS = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
_PATHS = frozenset({"path", "paths", "file", "files", "filename", "filepath", "dir", "directory", "folder"})
_URLS = frozenset({"url", "urls", "uri", "uris", "link", "href", "webpage"})
_HOSTS = frozenset({"host", "hostname"})
_COMMANDS = frozenset({"command", "cmd", "script"})
_CONTENT = frozenset({"body", "comment", "content", "contents", "description", "prompt", "subject", "text", "title"})
_DOING: Mapping[str, tuple[str, ...]] = {
    "read": ("read", "get", "view", "show", "cat", "open", "load", "search", "grep", "stat"),
    "list": ("list", "ls", "glob", "find", "tree"),
    "write": ("write", "create", "save", "put", "append", "make", "mkdir", "touch", "upload", "download"),
    "delete": ("delete", "remove", "rm", "unlink"),
}


def guessed(tool: str, arguments: Mapping[str, Any]) -> dict[str, Guess]:
    """The bindings that a tool probably has, by argument or pointer; *arguments* holds the JSON Schema of each.

    An argument whose name does not tell is left out: denies go on to take every text in it for a path and a URL, and
    a role such as `text` would turn that off.
    """
    found = {}
    for name, schema in arguments.items():
        guess = guess_role(tool, name, schema)
        if guess is None:
            continue
        if isinstance(schema, dict) and schema.get("type") == "array" and guess["role"] != "text":
            found[f"/{name.replace('~', '~0').replace('/', '~1')}/*"] = guess
        else:
            found[name] = guess
    return found


def guess_role(tool: str, name: str, schema: Any) -> Guess | None:
    """What one argument probably means, `None` where neither its name nor its type tells."""
    # The last word tells: `file_path` is a path, `file_content` is not.
    words = {word.lower() for word in _WORDS.findall(name)[-1:]} | {name.lower().replace("_", "")}
    kind = schema.get("type") if isinstance(schema, dict) else None
    if kind not in (None, "string", "array"):
        return None
    if words & _COMMANDS:
        return {"role": "command", "shell": "bash"}
    if words & _URLS:
        return {"role": "url"}
    if words & _HOSTS:
        return {"role": "host"}
    if words & _PATHS:
        return {"role": "path", "access": _access(tool)}
    if "sql" in words:
        return {"role": "sql"}
    return {"role": "text"} if words & _CONTENT else None


def may_hold_text(schema: Any) -> bool:
    """Whether an argument with this JSON Schema can hold a text."""
    kind = schema.get("type") if isinstance(schema, dict) else None
    return kind not in ("integer", "number", "boolean", "null")


def _access(tool: str) -> str | Sequence[str]:
    words = {word.lower() for word in _WORDS.findall(tool)}
    doing = [access for access, verbs in _DOING.items() if words & set(verbs)]
    return doing[0] if len(doing) == 1 else doing or ["read", "write", "delete"]
