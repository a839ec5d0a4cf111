"""A first policy from the tools that an agent has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any

import tomli
from attrs import field, frozen

from ..compile.catalogue import Described
from ..compile.guessing import guessed, may_hold_text
from .drafts import Draft, DraftExample, DraftRule

Bindings = Mapping[str, Mapping[str, Any]]


@frozen
class Group:
    """Tools that one rule is about."""

    id: str
    comment: str
    tools: list[Described] = field(factory=list)


def draft_from_tools(tools: Sequence[Described], default: str) -> Draft:
    """Rules for groups of tools, by what their arguments mean.

    Well-known tools are bound already. For the others the names of arguments tell; what was guessed stands in the
    draft, to be looked at, and what could not be guessed stays unbound.
    """
    known: Mapping[str, Bindings] = tomli.loads(
        files("tidegate.plan").joinpath("known_tools.toml").read_text(encoding="utf-8")
    )["tools"]
    bindings = {tool.name: known.get(tool.name) or guessed(tool.name, tool.properties) for tool in tools}
    grouped: dict[str, list[Described]] = {}
    for tool in tools:
        grouped.setdefault(_group(bindings[tool.name]), []).append(tool)
    rules = [make(grouped[name], bindings, default) for name, make in _RULES.items() if name in grouped]
    return Draft(
        default,
        tuple(rules),
        bindings={name: bound for name, bound in bindings.items() if bound and name not in known},
        notes=tuple(_unbound(tools, bindings)),
    )


def _unbound(tools: Iterable[Described], bindings: Mapping[str, Bindings]) -> Iterator[str]:
    """What is said of the texts whose names do not tell what they mean."""
    left = [
        f"  {tool.name}: {', '.join(names)}"
        for tool in tools
        if bindings[tool.name] and (names := [name for name in tool.properties if _is_open(name, tool, bindings)])
    ]
    if left:
        yield "The names of these arguments do not tell what they mean. Denies take every text in them for a path and a"
        yield "URL, and such a call needs a grant by a rule of the kind `tools`; or say under [tools] what they are."
        yield from left


def _is_open(name: str, tool: Described, bindings: Mapping[str, Bindings]) -> bool:
    """Whether an argument can hold a text and no binding says what it means."""
    return may_hold_text(tool.properties.get(name)) and not any(_is_of(name, bound) for bound in bindings[tool.name])


def _is_of(name: str, bound: str) -> bool:
    return bound == name or bound.startswith(f"/{name.replace('~', '~0').replace('/', '~1')}/")


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
        examples = []
        for path, expect in (("src/a.py", inside), ("../elsewhere/a.py", outside)):
            found = _example(tools, bindings, {"path": path})
            if found is not None:
                examples.append(DraftExample(*found, expect))
        return DraftRule(ident, "path", comment, fields, tuple(examples))

    return make


def _example(
    tools: Iterable[Described], bindings: Mapping[str, Bindings], values: Mapping[str, str], *, bound: bool = True
) -> tuple[str, dict[str, Any]] | None:
    """A tool of the group and arguments for it, all of them *bound* or not; `None` where none can be made up."""
    for tool in tools:
        args = _arguments(tool, bindings[tool.name], values)
        if args is not None and not (bound and any(_is_open(name, tool, bindings) for name in args)):
            return tool.name, args
    return None


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
    found = _example(tools, bindings, {"command": "git status"})
    examples = () if found is None else (DraftExample(*found, inside),)
    return DraftRule(
        "commands",
        "command",
        "These commands may run; add those that the agent needs.",
        {"tools": [tool.name for tool in tools], key: ["git status ...", "git diff ...", "git log ...", "ls ..."]},
        examples,
        ("A final `...` admits further operands, and options that change nothing and run nothing.",),
    )


def _web(tools: list[Described], bindings: Mapping[str, Bindings], _: str) -> DraftRule:
    examples = []
    for url, expect in (("http://169.254.169.254/latest/meta-data", "deny"), ("https://example.com/", "pass")):
        found = _example(tools, bindings, {"url": url, "host": url.split("/")[2]}, bound=False)
        if found is not None:
            examples.append(DraftExample(*found, expect))
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
    made = [(tool.name, _arguments(tool, bindings[tool.name], {})) for tool in tools]
    return DraftRule(
        "other-tools",
        "tools",
        "What these tools do cannot be seen from their arguments, so a person is asked.\n"
        "Move a harmless one to a rule with `allow`.",
        {"deny": [tool.name for tool in tools], "effect": "ask"},
        tuple(DraftExample(name, args or {}, "ask") for name, args in made),
    )


_RULES = {
    "reading": _files("read-files", "Files of the project may be read."),
    "changing": _files("change-files", "Files of the project may be changed."),
    "commands": _commands,
    "web": _web,
    "others": _others,
}
