"""The permissions of opencode: of the lines that are about a call, the last one counts.

Both forms are read: the object `permission`, under which what no line is about is allowed, and the array `permissions`,
under which it is asked about. For each action, what stands before a line about everything is overridden by it.

Source: opencode's documentation of permissions, versions 1 and 2, as of November 2026.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from attrs import evolve

from ..decision import Verdict
from ..errors import Finding
from ..lang.document import Span
from .carried import Said, Source, left_out, unreadable
from .commandtext import wildcard
from .jsontext import Node, read_json
from .pathtext import crossing
from .strength import excepted
from .written import without_pattern

TOOL = "bash"
_EFFECTS: tuple[Verdict, ...] = ("allow", "ask", "deny")
_SHELL = ("bash", "shell")
_TOOLS: Mapping[str, tuple[str, ...]] = {
    "bash": _SHELL,
    "edit": ("edit", "write", "patch", "multiedit", "apply_patch"),
    **{name: (name,) for name in ("read", "list", "glob", "grep", "task", "webfetch", "websearch", "codesearch")},
    **{name: (name,) for name in ("todowrite", "todoread", "lsp", "skill", "question")},
}
_ACCESS: Mapping[str, tuple[str, ...]] = {"read": ("read", "list"), "list": ("list",), "edit": ("write", "delete")}
_SWITCHES: Mapping[str, str] = {"shell": "bash", **dict.fromkeys(("write", "patch", "multiedit"), "edit")}
"""What the switch of a tool is a permission of."""
_NO_TOOLS = ("external_directory", "doom_loop")
_PAGE = re.compile(r"(https?)://([A-Za-z0-9.-]+)/\*")
_NAME = re.compile(r"[A-Za-z0-9_*.-]+")
_V1_ENV: tuple[tuple[str, Verdict], ...] = (("*.env", "ask"), ("*.env.*", "ask"), ("*.env.example", "allow"))


class _Line(NamedTuple):
    """One line: for an action and a resource, what becomes of it."""

    action: str
    resource: str
    effect: Verdict
    span: Span
    order: int

    @property
    def text(self) -> str:
        return f"{self.action}: {self.resource} = {self.effect}"


def read(text: str, file: str) -> Source:
    """What the configuration says.

    Raises:
        Unreadable: It is no JSON, or a line is none.
    """
    root = read_json(text, file, comments=True)
    members = root.items()
    findings = list(_agents(members))
    start = Span(file, 1, 1)
    if "permissions" in members:
        first = [_Line("*", "*", "ask", start, 0)]
        lines = [*first, *_listed(members["permissions"])]
    else:
        lines = [*_defaults(start), *_mapped(members.get("permission", Node({}, start)))]
        lines += _switched(members.get("tools", Node({}, start)), len(lines))
    said: list[Said] = []
    actions = dict.fromkeys([*(line.action for line in lines), *_TOOLS])
    for action in actions:
        one, more = _action(action, lines)
        said += one
        findings += more
    said, more = excepted([*_merged(said), *_others(lines)])
    notes = ("A tool that opencode does not come with is asked about where its configuration allows `*`.",)
    return Source("ask", tuple(said), (*findings, *more), notes)


def _agents(members: Mapping[str, Node]) -> Iterator[Finding]:
    for key in ("agent", "agents", "mode"):
        for name, node in members.get(key, Node({}, Span("", 0, 0))).items().items():
            if {"permission", "permissions", "tools"} & node.items().keys():
                why = "permissions of one agent are not told apart here, and may be stricter than those of all"
                yield left_out(node.span, f"{key}.{name}", why, "write a rule with `when = { agent = … }` by hand")


def _defaults(span: Span) -> Iterator[_Line]:
    """What the object form says before anything is written; it is weaker than all that is."""
    said: list[tuple[str, str, Verdict]] = [("*", "*", "allow"), *((action, "*", "ask") for action in _NO_TOOLS)]
    said += [("read", resource, effect) for resource, effect in _V1_ENV]
    for order, (action, resource, effect) in enumerate(said, -len(said)):
        yield _Line(action, resource, effect, span, order)


def _mapped(node: Node) -> list[_Line]:
    if isinstance(node.value, str):
        return [_line("*", "*", node, 1)]
    found: list[_Line] = []
    for action, inner in node.items().items():
        pairs = {"*": inner} if isinstance(inner.value, str) else inner.items()
        found += [
            _line(action, resource, one, len(found) + index + 1) for index, (resource, one) in enumerate(pairs.items())
        ]
    return found


def _listed(node: Node) -> list[_Line]:
    found: list[_Line] = []
    for index, item in enumerate(node.each(), 1):
        keys = item.items()
        if set(keys) != {"action", "resource", "effect"} or not all(
            isinstance(one.value, str) for one in keys.values()
        ):
            raise unreadable(item.span, "this is no rule", "write `action`, `resource` and `effect`, each a text")
        found.append(
            _line(keys["action"].value, keys["resource"].value, keys["effect"], index)._replace(span=item.span)
        )
    return found


def _switched(node: Node, order: int) -> list[_Line]:
    """The older form: tools that are switched off, or on."""
    found = []
    for index, (tool, one) in enumerate(node.items().items(), order + 1):
        if not isinstance(one.value, bool):
            raise unreadable(one.span, "this is no switch of a tool", "write `true` or `false`")
        if not one.value:
            found.append(_Line(_SWITCHES.get(tool, tool), "*", "deny", one.span, index))
    return found


def _line(action: str, resource: str, node: Node, order: int) -> _Line:
    if node.value not in _EFFECTS or not _NAME.fullmatch(action):
        raise unreadable(node.span, f"`{action}` is no permission that is known", "write `allow`, `ask` or `deny`")
    return _Line("bash" if action == "shell" else action, resource, node.value, node.span, order)


def _action(action: str, lines: Sequence[_Line]) -> tuple[list[Said], list[Finding]]:
    """What counts for one action: the last line about everything, and what comes after it."""
    if action == "*":
        return [], []
    own = [line for line in lines if _is_about(line, action)]
    everything = [index for index, line in enumerate(own) if line.resource == "*"]
    base, rest = (own[everything[-1]], own[everything[-1] + 1 :]) if everything else (None, own)
    if action in _NO_TOOLS:
        return _places(action, base, rest)
    tools = _TOOLS.get(action, (action,))
    if base is not None and base.effect == "deny" and any(line.effect == "allow" for line in rest):
        return _allow_list(action, tools, base, rest)
    said: list[Said] = []
    findings: list[Finding] = []
    first = [] if base is None else list(_base(tools, base, known=action in _TOOLS))
    said += first
    for line in rest:
        one, more = _resource(action, tools, line)
        said += one
        findings += more
    return said, findings


def _is_about(line: _Line, action: str) -> bool:
    """Whether a line is about an action, perhaps by a pattern; refusals know both names of the shell."""
    if line.action in (action, "*") or "*" in action:
        return line.action in (action, "*")
    names = _SHELL if action == "bash" and line.effect != "allow" else (action,)
    return any(fnmatchcase(name, line.action) for name in names)


def _others(lines: Sequence[_Line]) -> list[Said]:
    """What refuses the tools that opencode does not come with where `*` does, unless a line names them."""
    stars = [line for line in lines if line.action == "*"]
    everything = max((index for index, line in enumerate(stars) if line.resource == "*"), default=0)
    refusing = [line for line in stars[everything:] if line.effect == "deny"]
    if not refusing:
        return []
    known = [name for names in _TOOLS.values() for name in names]
    named = [line.action for line in lines if line.action not in (*_TOOLS, *_NO_TOOLS, "*")]
    one = refusing[-1]
    tools = tuple(dict.fromkeys([*known, *named]))
    return [Said("deny", "tools", tools, one.span, one.text, ("*",), {"list": "only"}, "other tools", order=1e9)]


def _merged(said: Sequence[Said]) -> list[Said]:
    """Grants of tools that come of one line, as one rule."""
    alike: dict[tuple[Span, bool], list[Said]] = {}
    found: list[Said] = []
    for one in said:
        if one.effect != "allow" or one.kind != "tools":
            found.append(one)
        else:
            alike.setdefault((one.span, bool(one.fields)), []).append(one)
    for several in alike.values():
        names = tuple(name for one in several for name in one.items)
        found.append(evolve(several[0], items=names, whole=names))
    return found


def _base(tools: tuple[str, ...], line: _Line, *, known: bool) -> Iterator[Said]:
    if line.effect == "ask" or (line.effect == "allow" and not known):
        return  # what no rule grants is asked about
    fields = {"commands": "any"} if line.effect == "allow" and tools == _SHELL else {}
    yield Said(line.effect, "tools", tools, line.span, line.text, tools, fields, order=line.order)


def _resource(action: str, tools: tuple[str, ...], line: _Line) -> tuple[list[Said], list[Finding]]:
    grant = line.effect == "allow"
    if tools == _SHELL:
        pattern = wildcard(line.resource, grant=grant).text
        fields: dict[str, Any] = {"tools": list(tools)} if grant else {}
        said = _said(line, "command", (pattern,), tools, fields) if pattern and "?" not in line.resource else None
    elif action in _ACCESS:
        globs = crossing(line.resource, grant=grant)
        fields = {"access": list(_ACCESS[action]), **({"tools": list(tools)} if grant else {})}
        said = _said(line, "path", globs, tools, fields) if globs else None
    elif action == "webfetch" and _PAGE.fullmatch(line.resource):
        scheme, host = _PAGE.fullmatch(line.resource).groups()  # type: ignore[union-attr]
        fields = {"tools": list(tools)} if grant else {}
        said = _said(line, "url", (f"{scheme}://{host}" if grant else host,), tools, fields)
    else:
        said = None
    if said is not None:
        return [said], []
    one, findings = without_pattern(_said(line, "tools", tools, tools, {}), "its resource has no equal here")
    return [] if one is None else [one], findings


def _said(line: _Line, kind: Any, items: Iterable[str], tools: tuple[str, ...], fields: Mapping[str, Any]) -> Said:
    return Said(line.effect, kind, tuple(items), line.span, line.text, tools, fields, order=line.order)


def _allow_list(
    action: str, tools: tuple[str, ...], base: _Line, rest: Sequence[_Line]
) -> tuple[list[Said], list[Finding]]:
    """A deny of everything with what is allowed after it: one rule that grants these and refuses the others."""
    said: list[Said] = []
    findings: list[Finding] = []
    for line in rest:
        one, more = _resource(action, tools, line)
        said += one
        findings += more
    grants = [one for one in said if one.effect == "allow"]
    others = [one for one in said if one.effect != "allow"]
    if not grants:
        return [*others, Said("deny", "tools", tools, base.span, base.text, tools, order=base.order)], findings
    items = tuple(item for one in grants for item in one.items)
    fields = {**grants[0].fields, "tools": list(tools), "otherwise": "deny"}
    text = "; ".join([base.text, *(one.text for one in grants)])
    return [
        *others,
        Said("allow", grants[0].kind, items, base.span, text, tools, fields, order=grants[-1].order),
    ], findings


def _places(action: str, base: _Line | None, rest: Sequence[_Line]) -> tuple[list[Said], list[Finding]]:
    """Where tools may reach beside the folder of the call; and loops, which are another kind of rule."""
    if base is None or base.effect == "allow":
        refusing = [line for line in rest if line.effect != "allow"]
        mend = "write a rule of the kind `path`"
        return [], [left_out(line.span, line.text, "a place is not refused by itself", mend) for line in refusing]
    if action == "doom_loop":
        why = "asking about calls that repeat is a rule of the kind `repeat`"
        return [], [left_out(base.span, base.text, why, "write one: `tidegate new rule repeat`", severity="warning")]
    globs = [glob for line in rest if line.effect == "allow" for glob in crossing(line.resource, grant=True) or ()]
    fields = {"list": "only", "otherwise": base.effect}
    text = f"{base.text}, and what is allowed beside it"
    return [Said("deny", "path", ("{cwd}/**", *globs), base.span, text, ("*",), fields, order=1e9)], []
