"""The policies of Gemini CLI: rules in TOML, of which the one of the highest priority counts.

Here the strictest counts, which is never looser than that; what a stronger rule allows of a weaker refusal becomes an
exception where it is a command, and a finding elsewhere.

Source: Gemini CLI's documentation of its policy engine, as of November 2026.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..decision import Verdict
from ..errors import Finding
from ..lang.document import Document, Span
from ..lang.parse import parse
from .carried import Said, Source, Unreadable, left_out, made_stricter, unreadable
from .commandtext import granted, plain_words, refused
from .strength import excepted
from .written import without_pattern

TOOL = "run_shell_command"
_DECISIONS: Mapping[str, Verdict] = {"allow": "allow", "ask_user": "ask", "deny": "deny"}
_KEYS = frozenset({
    "toolName", "subagent", "mcpName", "toolAnnotations", "argsPattern", "commandPrefix", "commandRegex", "decision",
    "priority", "modes", "interactive", "allowRedirection", "denyMessage",
})  # fmt: skip
_NARROWING = ("subagent", "toolAnnotations", "interactive")
_BY_TEXT = ("argsPattern", "commandRegex")
_NAME = re.compile(r"[A-Za-z0-9_.*-]+")
_SERVER = re.compile(r"[A-Za-z0-9_.-]+|\*")


class _Line(NamedTuple):
    """One rule of the source."""

    effect: Verdict
    values: Mapping[str, Any]
    span: Span
    text: str
    order: float

    @property
    def grant(self) -> bool:
        return self.effect == "allow"

    def names(self, key: str) -> tuple[str, ...]:
        """A text or texts, as a tuple; none where the key is absent."""
        found = self.values.get(key)
        return () if found is None else (found,) if isinstance(found, str) else tuple(found)


def read(text: str, file: str) -> Source:
    """What the policies say.

    Raises:
        Unreadable: They are no TOML, or a rule is none.
    """
    found: list[Finding] = []
    document = parse(text.encode(), file, found)
    if document is None or found:
        raise Unreadable(found[0])
    rules = document.values.get("rule", [])
    if not isinstance(rules, list) or not all(isinstance(rule, dict) for rule in rules):
        raise unreadable(document.span(("rule",)), "`rule` is no array of tables", "write `[[rule]]`")
    lines = sorted((_line(document, index, rule) for index, rule in enumerate(rules)), key=lambda line: line.order)
    findings = [
        left_out(document.span((key,)), key, "only rules are carried over", "write it by hand")
        for key in document.values
        if key != "rule"
    ]
    default, lines = _default(lines)
    said: list[Said] = []
    for line in lines:
        one, more = _carried(line)
        said += one
        findings += more
    said, more = excepted(said)
    notes = ("What no rule is about is asked about, as Gemini CLI does in its default mode.",)
    return Source(default, tuple(said), (*findings, *more), notes if default == "ask" else ())


def _line(document: Document, index: int, rule: Mapping[str, Any]) -> _Line:
    span = document.span(("rule", index))
    for key in rule:
        if key not in _KEYS:
            raise unreadable(document.span(("rule", index, key)), f"`{key}` is no key of a rule", "look it up")
    effect = _DECISIONS.get(rule.get("decision", ""))
    if effect is None:
        raise unreadable(span, "its `decision` is no word of a rule", "write `allow`, `ask_user` or `deny`")
    for key in ("toolName", "commandPrefix", "modes"):
        if not _texts(rule.get(key, [])):
            raise unreadable(document.span(("rule", index, key)), f"`{key}` is no text or array of texts", "mend it")
    for key in ("mcpName", "denyMessage"):
        if not isinstance(rule.get(key, ""), str):
            raise unreadable(document.span(("rule", index, key)), f"`{key}` is no text", "mend it")
    order = rule.get("priority", 0)
    if not isinstance(order, int | float):
        raise unreadable(document.span(("rule", index, "priority")), "`priority` is no number", "mend it")
    text = ", ".join(f"{key}={rule[key]}" for key in rule if key not in ("priority", "denyMessage"))
    return _Line(effect, rule, span, text, float(order))


def _texts(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(one, str) for one in value))


def _default(lines: Sequence[_Line]) -> tuple[Verdict, list[_Line]]:
    """What becomes of a call that no other rule is about: what the weakest rule says, where it is about everything."""
    weakest = lines[0] if lines else None
    rest = [line for line in lines if line is not weakest]
    about = () if weakest is None else weakest.names("toolName")
    conditions = set() if weakest is None else set(weakest.values) - {"toolName", "decision", "priority", "denyMessage"}
    alone = weakest is not None and all(line.order > weakest.order for line in rest)
    if weakest is None or weakest.grant or conditions or about not in ((), ("*",)) or not alone:
        return "ask", list(lines)
    return weakest.effect, rest


def _carried(line: _Line) -> tuple[list[Said], list[Finding]]:
    narrowing = [key for key in _NARROWING if key in line.values]
    if narrowing and line.grant:
        return [], [_left(line, f"`{narrowing[0]}` is nothing that our rules could look at")]
    by_text = [key for key in _BY_TEXT if key in line.values]
    if by_text:
        return _without(line, f"`{by_text[0]}` is about the text of arguments, and not about what they do")
    fields: dict[str, Any] = {}
    if line.grant and line.names("modes"):
        fields["when"] = {"mode": list(line.names("modes"))}
    if line.values.get("denyMessage") and not line.grant:
        fields["message"] = line.values["denyMessage"]
    note = f"stricter: whatever its `{narrowing[0]}`" if narrowing else ""
    if line.names("modes") and not line.grant:
        note = "stricter: in every mode"
    if "commandPrefix" in line.values:
        return _commands(line, fields, note)
    return _tools(line, fields, note)


def _commands(line: _Line, fields: dict[str, Any], note: str) -> tuple[list[Said], list[Finding]]:
    if line.names("toolName") not in ((), (TOOL,)) or "mcpName" in line.values:
        return _without(line, "`commandPrefix` is about another tool than the shell")
    words = [plain_words(prefix) for prefix in line.names("commandPrefix")]
    items = [granted(one, rest=True) if line.grant else refused(one) for one in words]
    if not items or not all(item.text for item in items):
        return _without(line, "its prefix means something else in our patterns")
    if line.grant:
        fields = {"tools": [TOOL], **fields}
    return [_said(line, "command", tuple(item.text or "" for item in items), (TOOL,), fields, note)], []


def _tools(line: _Line, fields: dict[str, Any], note: str) -> tuple[list[Said], list[Finding]]:
    names = line.names("toolName") or ("*",)
    if not all(_NAME.fullmatch(name) for name in names):
        return _without(line, "it names a tool in a way that is not known here")
    if "mcpName" in line.values:
        server = line.values["mcpName"]
        if not _SERVER.fullmatch(server):
            return _without(line, "it names a server in a way that is not known here")
        return [_said(line, "mcp", tuple(f"{server}/{name}" for name in names), ("*",), fields, note)], []
    shell = TOOL in names or any("*" in name for name in names)
    if line.grant and shell and line.values.get("allowRedirection") is True:
        fields = {"commands": "any", **fields}
    elif line.grant and shell:
        why = "commands with a redirection are asked about there, so that no grant of ours covers commands as a whole"
        found = made_stricter(line.span, line.text, why, "grant commands with `commandPrefix`, or allow redirections")
        return [_said(line, "tools", names, names, fields, note)], [found]
    return [_said(line, "tools", names, names, fields, note)], []


def _said(
    line: _Line, kind: Any, items: tuple[str, ...], whole: tuple[str, ...], fields: Mapping[str, Any], note: str
) -> Said:
    return Said(line.effect, kind, items, line.span, line.text, whole, fields, note, order=line.order)


def _left(line: _Line, why: str) -> Finding:
    return left_out(line.span, line.text, f"{why}; what it allowed is asked about", "write it by hand")


def _without(line: _Line, why: str) -> tuple[list[Said], list[Finding]]:
    names = line.names("toolName") or ((TOOL,) if {"commandPrefix", "commandRegex"} & line.values.keys() else ("*",))
    whole = names if "mcpName" not in line.values else ("*",)
    one, findings = without_pattern(_said(line, "tools", whole, whole, {}, ""), why)
    return [] if one is None else [one], findings
