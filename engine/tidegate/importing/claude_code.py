"""The permissions in the settings of Claude Code: `allow`, `ask` and `deny`, of which the strictest counts.

Source: Claude Code's reference of permissions, as of November 2026.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from ..decision import Verdict
from ..errors import Finding
from ..lang.document import Span
from .carried import Said, Source, left_out, made_stricter
from .commandtext import Pattern, plain_words, wildcard
from .jsontext import Node, read_json
from .pathtext import gitignored
from .written import without_pattern

TOOL = "Bash"
_RULE = re.compile(r"([A-Za-z_*][A-Za-z0-9_*.-]*)(?:\((.*)\))?", re.DOTALL)
_MCP = re.compile(r"mcp__([A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*)(?:__(\*|[A-Za-z0-9_-]+))?")
_HOST = re.compile(r"(?:\*\.)?[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*")
_LISTS: tuple[Verdict, ...] = ("allow", "ask", "deny")

READING = ("Read", "Grep", "Glob", "LS", "NotebookRead")
EDITING = ("Edit", "Write", "MultiEdit", "NotebookEdit")
_HARMLESS = frozenset({"additionalDirectories", "disableBypassPermissionsMode", "defaultMode", *_LISTS})
MEND = "write it by hand, as `tidegate new rule` and the pages of the kinds show"


class Line(NamedTuple):
    """One entry of a list."""

    effect: Verdict
    tool: str
    about: str | None
    span: Span
    text: str

    def said(self, kind: str, items: tuple[str, ...], whole: tuple[str, ...], note: str = "", **fields: object) -> Said:
        """The line as a rule."""
        return Said(self.effect, kind, items, self.span, self.text, whole, fields, note)  # type: ignore[arg-type]


def read(text: str, file: str) -> Source:
    """What the settings say.

    Raises:
        Unreadable: They are no JSON, or no entry of a list is a text.
    """
    permissions = read_json(text, file).items().get("permissions", Node({}, Span(file, 1, 1)))
    said: list[Said] = []
    findings = list(_around(permissions))
    for effect in _LISTS:
        for node in permissions.items().get(effect, Node((), permissions.span)).each():
            one, more = _entry(effect, node)
            said += one
            findings += more
    mode = permissions.items().get("defaultMode")
    default: Verdict = "deny" if mode is not None and mode.value == "dontAsk" else "ask"
    notes = ("What Claude Code allows by itself, such as reading in the project, is asked about here.",)
    return Source(default, tuple(said), tuple(findings), notes)


def _around(permissions: Node) -> Iterator[Finding]:
    for key, node in permissions.items().items():
        if key not in _HARMLESS:
            yield left_out(node.span, key, "nobody here knows what it says", "look it up and write a rule by hand")
        if key in _LISTS and not isinstance(node.value, tuple):
            yield left_out(node.span, key, "it is no array", "write an array of texts")
    folders = permissions.items().get("additionalDirectories")
    if folders is not None and folders.each():
        why = "our rules are about what they name, and a folder that is added allows nothing by itself"
        yield left_out(folders.span, "additionalDirectories", why, "add the folders to rules", severity="warning")
    mode = permissions.items().get("defaultMode")
    if mode is not None and mode.value not in ("default", "dontAsk"):
        why = "what no rule names is asked about here, whatever the mode"
        yield made_stricter(mode.span, f"defaultMode: {mode.value}", why, 'write `default = "deny"` where need be')


def _entry(effect: Verdict, node: Node) -> tuple[list[Said], list[Finding]]:
    text = node.value if isinstance(node.value, str) else str(node.plain())
    found = _RULE.fullmatch(text) if isinstance(node.value, str) else None
    if found is None:
        everything = Line(effect, "*", None, node.span, text)
        return _without(everything, "it is no rule of a tool")
    line = Line(effect, found[1], found[2], node.span, text)
    how = _BY_TOOL.get(line.tool, _tool)
    return how(line)


def _without(line: Line, why: str) -> tuple[list[Said], list[Finding]]:
    whole = _WHOLE.get(line.tool, (line.tool,))
    one, findings = without_pattern(line.said("tools", whole, whole), why)
    return [] if one is None else [one], findings


def _tool(line: Line) -> tuple[list[Said], list[Finding]]:
    """A tool by its name, or what an MCP server offers."""
    if line.tool.startswith("mcp__"):
        return _mcp(line)
    if line.about is not None and line.about != "*":
        return _without(line, "what stands in its parentheses has no meaning here")
    if line.effect == "allow" and "*" in line.tool:
        return _without(line, "a grant for tools that nobody has named is none")
    tools = (line.tool,) if line.effect == "allow" else _WHOLE.get(line.tool, (line.tool,))
    return [line.said("tools", tools, tools)], []


def _mcp(line: Line) -> tuple[list[Said], list[Finding]]:
    found = _MCP.fullmatch(line.tool)
    if found is None or line.about is not None:
        return _without(line, "which server it names is not certain")
    server, name = found[1], found[2] or "*"
    if line.effect == "allow":
        note = "the server counts as the harness attests it, and not by the joined name"
        return [line.said("mcp", (f"{server}/{name}",), (f"{line.tool}*",), note)], []
    # The joined name has lost how the server is really called, and it is what the source goes by.
    joined = f"mcp__{server}__{name}"
    return [line.said("mcp", (f"{server}/{name}",), (joined,)), line.said("tools", (joined,), (joined,))], []


def _bash(line: Line) -> tuple[list[Said], list[Finding]]:
    about = (line.about or "*").strip()
    if about in ("*", ":*"):
        fields = {"commands": "any"} if line.effect == "allow" else {}
        return [line.said("tools", (TOOL,), (TOOL,), **fields)], []
    pattern = wildcard(f"{about[:-2]} *" if about.endswith(":*") else about, grant=line.effect == "allow")
    if pattern.text is None:
        return _without(line, "no pattern of ours is certain to say the same of its text")
    said = line.said("command", (pattern.text,), (TOOL,), _note(line, about, pattern), **_only_in(line))
    return [said], _widened(line, pattern)


def _only_in(line: Line) -> dict[str, list[str]]:
    """A grant is for the shell alone; a refusal holds wherever a command runs."""
    return {"tools": [TOOL]} if line.effect == "allow" else {}


def _widened(line: Line, pattern: Pattern) -> list[Finding]:
    """What is said of a refusal that names less of a command than its source, and so refuses more."""
    if line.effect == "allow" or not pattern.stricter:
        return []
    why = f"a part of a word is no word of a command, so that all of `{pattern.text}` is meant"
    return [made_stricter(line.span, line.text, why, "name the words as a whole")]


def _note(line: Line, about: str, pattern: Pattern) -> str:
    if pattern.stricter:
        return "stricter: a part of a word is no word of a command"
    if line.effect != "allow":
        return "stricter: it is refused also behind `sudo`, in `sh -c` and in other spellings"
    if plain_words(about) is None:
        return "stricter: options that write, run or connect need a grant of their own"
    return ""


def _reading(line: Line) -> tuple[list[Said], list[Finding]]:
    return _paths(line, READING, ("read", "list"))


def _editing(line: Line) -> tuple[list[Said], list[Finding]]:
    return _paths(line, EDITING, ("write", "delete"))


def _paths(line: Line, tools: tuple[str, ...], access: tuple[str, ...]) -> tuple[list[Said], list[Finding]]:
    grant = line.effect == "allow"
    if line.about is None or line.about == "*":
        named = (line.tool,) if grant else tools
        return [line.said("tools", named, tools)], []
    globs = gitignored(line.about, grant=grant)
    if globs is None:
        return _without(line, "its pattern of paths has no equal here")
    if grant:
        return [line.said("path", globs, tools, tools=list(tools), access=list(access))], []
    return [line.said("path", globs, tools, "stricter: it holds for commands as well", access=list(access))], []


def _written(line: Line) -> tuple[list[Said], list[Finding]]:
    """`Write(…)`: of paths, only `Read` and `Edit` are looked at; what was meant by a refusal is refused here."""
    if line.effect == "allow" and line.about is not None:
        return _without(line, "Claude Code looks at paths of `Read` and `Edit` only, and this allows nothing there")
    return _paths(line, EDITING, ("write", "delete"))


def _fetching(line: Line) -> tuple[list[Said], list[Finding]]:
    if line.about is None or line.about == "*":
        return [line.said("tools", (line.tool,), (line.tool,))], []
    domain = line.about.removeprefix("domain:")
    if domain == line.about or not _HOST.fullmatch(domain):
        return _without(line, "it names no domain")
    if line.effect == "allow":
        return [line.said("url", (f"https://{domain}",), (line.tool,), "over https", tools=[line.tool])], []
    hosts = (domain,) if domain.startswith("*.") else (domain, f"*.{domain}")
    return [line.said("url", hosts, (line.tool,), "stricter: it holds for commands and subdomains as well")], []


How = Callable[[Line], tuple[list[Said], list[Finding]]]
_BY_TOOL: Mapping[str, How] = {
    "Bash": _bash,
    "Read": _reading,
    "Edit": _editing,
    "Write": _written,
    "WebFetch": _fetching,
}
_WHOLE: Mapping[str, tuple[str, ...]] = {
    "Read": READING,
    "Edit": EDITING,
    "Write": EDITING,
    **dict.fromkeys(("Agent", "Task"), ("Agent", "Task")),  # two names of one tool
}
