"""A first policy from the tools that an agent has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Any

import tomli
from attrs import field, frozen

from ..compile.catalogue import Described
from .drafts import Draft, DraftExample, DraftRule

Bindings = Mapping[str, Mapping[str, Any]]

_WORDS = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
_PATHS = frozenset({"path", "paths", "file", "files", "filename", "filepath", "dir", "directory", "folder"})
_URLS = frozenset({"url", "urls", "uri", "link", "href", "webpage"})
_HOSTS = frozenset({"host", "hostname"})
_COMMANDS = frozenset({"command", "cmd", "script"})
_DOING: Mapping[str, tuple[str, ...]] = {
    "read": ("read", "get", "view", "show", "cat", "open", "load", "search", "grep", "stat"),
    "list": ("list", "ls", "glob", "find", "tree"),
    "write": ("write", "create", "save", "put", "append", "make", "mkdir", "touch", "upload"),
    "delete": ("delete", "remove", "rm", "unlink"),
}


@frozen
class Group:
    """Tools that one rule is about."""

    id: str
    comment: str
    tools: list[Described] = field(factory=list)


def draft_from_tools(tools: Sequence[Described], default: str) -> Draft:
    """Rules for groups of tools, by what their arguments mean.

    Well-known tools are bound already. For the others the names of arguments tell; what was guessed stands in the
    draft, to be looked at.
    """
    known: Mapping[str, Bindings] = tomli.loads(
        files("tidegate.plan").joinpath("known_tools.toml").read_text(encoding="utf-8")
    )["tools"]
    bindings = {tool.name: known.get(tool.name) or guessed(tool) for tool in tools}
    grouped: dict[str, list[Described]] = {}
    for tool in tools:
        grouped.setdefault(_group(bindings[tool.name]), []).append(tool)
    rules = [make(grouped[name], bindings, default) for name, make in _RULES.items() if name in grouped]
    return Draft(
        default,
        tuple(rules),
        bindings={name: bound for name, bound in bindings.items() if bound and name not in known},
    )


def guessed(tool: Described) -> dict[str, dict[str, Any]]:
    """What the arguments of a tool probably mean; nothing at all where no name tells."""
    roles = {name: _role(name, schema, tool.name) for name, schema in tool.properties.items()}
    if not any(role["role"] != "text" for role in roles.values()):
        return {}
    found = {}
    for name, role in roles.items():
        schema = tool.properties[name]
        if isinstance(schema, dict) and schema.get("type") == "array" and role["role"] != "text":
            found["/" + name.replace("~", "~0").replace("/", "~1") + "/*"] = role
        else:
            found[name] = role
    return found


def _role(name: str, schema: Any, tool: str) -> dict[str, Any]:
    # The last word tells: `file_path` is a path, `file_content` is not.
    words = {word.lower() for word in _WORDS.findall(name)[-1:]} | {name.lower().replace("_", "")}
    kind = schema.get("type") if isinstance(schema, dict) else None
    if kind not in (None, "string", "array"):
        return {"role": "text"}
    if words & _COMMANDS:
        return {"role": "command", "shell": "bash"}
    if words & _URLS:
        return {"role": "url"}
    if words & _HOSTS:
        return {"role": "host"}
    if words & _PATHS:
        return {"role": "path", "access": _access(tool)}
    return {"role": "text"}


def _access(tool: str) -> Any:
    words = {word.lower() for word in _WORDS.findall(tool)}
    doing = [access for access, verbs in _DOING.items() if words & set(verbs)]
    return doing[0] if len(doing) == 1 else doing or ["read", "write", "delete"]


def _group(bindings: Bindings) -> str:
    roles = {str(table["role"]) for table in bindings.values()}
    if roles & {"command", "argv"}:
        return "commands"
    if roles & {"url", "host"}:
        return "web"
    if roles & {"path", "patch"}:
        accesses = {access for table in bindings.values() for access in _many(table.get("access", ()))}
        return "reading" if accesses <= {"read", "list"} and "patch" not in roles else "changing"
    return "others"


def _many(access: Any) -> Iterable[str]:
    return (access,) if isinstance(access, str) else access


def _names(default: str) -> tuple[str, str, str]:
    """The list that a rule names things in, and what it answers for what is in it and what is not."""
    return ("only", "pass", "deny") if default == "allow" else ("allow", "allow", "pass")


def _files(ident: str, comment: str) -> Any:
    def make(tools: list[Described], bindings: Mapping[str, Bindings], default: str) -> DraftRule:
        key, inside, outside = _names(default)
        fields = {"tools": [tool.name for tool in tools], key: ["{root}/**"]}
        first = tools[0]
        examples = []
        for path, expect in (("src/a.py", inside), ("../elsewhere/a.py", outside)):
            args = _arguments(first, bindings[first.name], {"path": path})
            if args is not None:
                examples.append(DraftExample(first.name, args, expect))
        return DraftRule(ident, "path", comment, fields, tuple(examples))

    return make


def _arguments(tool: Described, bindings: Bindings, values: Mapping[str, str]) -> dict[str, Any] | None:
    """Arguments for an example, `None` where they cannot be made up."""
    args: dict[str, Any] = {}
    for name, table in bindings.items():
        role = str(table["role"])
        if role in values and "*" not in name:
            args[name] = values[role]
        elif role not in ("text", "cwd"):
            return None
    needed = tool.parameters.get("required", ())
    for name in needed if isinstance(needed, list) else ():
        if name not in args:
            if not isinstance(name, str) or not isinstance(tool.properties.get(name), dict):
                return None
            args[name] = _made_up(tool.properties[name].get("type"))
    return args


def _made_up(kind: Any) -> Any:
    return {"integer": 1, "number": 1, "boolean": True, "array": [], "object": {}}.get(kind, "x")


def _commands(tools: list[Described], bindings: Mapping[str, Bindings], default: str) -> DraftRule:
    key, inside, _ = _names(default)
    first = tools[0]
    args = _arguments(first, bindings[first.name], {"command": "git status"})
    examples = () if args is None else (DraftExample(first.name, args, inside),)
    return DraftRule(
        "commands",
        "command",
        "These commands may run; add those that the agent needs.",
        {"tools": [tool.name for tool in tools], key: ["git status ...", "git diff ...", "git log ...", "ls ..."]},
        examples,
        ("A final `...` admits further operands, and options that change nothing and run nothing.",),
    )


def _web(tools: list[Described], bindings: Mapping[str, Bindings], _: str) -> DraftRule:
    first = tools[0]
    examples = []
    for url, expect in (("http://169.254.169.254/latest/meta-data", "deny"), ("https://example.com/", "pass")):
        args = _arguments(first, bindings[first.name], {"url": url, "host": url.split("/")[2]})
        if args is not None:
            examples.append(DraftExample(first.name, args, expect))
    return DraftRule(
        "web",
        "url",
        "Nothing inside the network is reached; name what may be reached in `allow`.",
        {
            "tools": [tool.name for tool in tools],
            "deny_ranges": ["loopback", "link-local", "private", "metadata"],
        },
        tuple(examples),
        ('allow = ["https://example.com", "https://*.example.com"]',),
    )


def _others(tools: list[Described], bindings: Mapping[str, Bindings], _: str) -> DraftRule:
    first = tools[0]
    args = _arguments(first, bindings[first.name], {})
    examples = () if args is None else (DraftExample(first.name, args, "ask"),)
    return DraftRule(
        "other-tools",
        "tools",
        "What these tools do cannot be seen from their arguments, so a person is asked.\n"
        "Move a harmless one to a rule with `allow`.",
        {"deny": [tool.name for tool in tools], "effect": "ask"},
        examples,
    )


_RULES = {
    "reading": _files("read-files", "Files of the project may be read."),
    "changing": _files("change-files", "Files of the project may be changed."),
    "commands": _commands,
    "web": _web,
    "others": _others,
}
