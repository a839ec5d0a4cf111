"""The permissions that Copilot CLI is started with: `--allow-tool`, `--deny-tool`, `--allow-url` and `--deny-url`.

The file holds the words of the command line, as a script that starts it does; a deny counts more than any allow.

Source: `copilot help permissions`, as of November 2026.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import NamedTuple

from ..decision import Verdict
from ..errors import Finding
from ..lang.document import Span
from .carried import Said, Source, left_out, unreadable
from .commandtext import granted, plain_words, refused
from .written import without_pattern

TOOL = "bash"
SHELLS = ("bash", "powershell")
WRITING = ("create", "edit", "str_replace_editor", "apply_patch", "write_file")
_FLAG = re.compile(r"--(allow|deny)-(tool|url)(?:=(.*))?", re.DOTALL)
_EVERYTHING = ("--allow-all", "--allow-all-tools", "--yolo", "--allow-all-urls", "--allow-all-paths")
_ABOUT = re.compile(r"([A-Za-z0-9_. -]+?)(?:\((.*)\))?", re.DOTALL)
_HOST = re.compile(r"(?:(https?)://)?((?:\*\.)?[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*)(?:/\**)?")
_SERVER = re.compile(r"[A-Za-z0-9_.-]+")


class _Word(NamedTuple):
    text: str
    span: Span


def read(text: str, file: str) -> Source:
    """What the words say.

    Raises:
        Unreadable: They are no words of a shell.
    """
    said: list[Said] = []
    findings: list[Finding] = []
    words = list(_words(text, file))
    while words:
        word = words.pop(0)
        flag = _FLAG.fullmatch(word.text)
        if word.text in _EVERYTHING:
            why = "it allows what nobody has named"
            findings.append(left_out(word.span, word.text, why, "name what should be allowed"))
        if flag is None:
            continue
        value = flag[3]
        if value is None:
            if not words:
                raise unreadable(word.span, f"`{word.text}` has no value", "write what it is about")
            value = words.pop(0).text
        for about in value.split(",") if "(" not in value else [value]:
            one, more = _about("allow" if flag[1] == "allow" else "deny", flag[2], about.strip(), word.span)
            said += one
            findings += more
    notes = ("What Copilot CLI allows by itself, such as reading in the folder, is asked about here.",)
    return Source("ask", tuple(said), tuple(findings), notes)


def _words(text: str, file: str) -> Iterator[_Word]:
    for number, line in enumerate(text.replace("\\\n", " \n").split("\n"), 1):
        try:
            for word in shlex.split(line, comments=True):
                at = line.find(word) + 1
                yield _Word(word, Span(file, number, max(at, 1)))
        except ValueError:
            raise unreadable(Span(file, number, 1), "a quote is not closed", "close it on its line") from None


def _about(effect: Verdict, what: str, text: str, span: Span) -> tuple[list[Said], list[Finding]]:
    found = _ABOUT.fullmatch(text) if what == "tool" else None
    name, inner = ("url", text) if what == "url" else (found[1], found[2]) if found is not None else ("", None)
    shown = f"--{effect}-{what} {text}"
    if name == "shell":
        return _shell(effect, inner, span, shown)
    if name == "url":
        return _url(effect, inner or "", span, shown)
    if name in ("write", "read") and inner is None:
        tools = WRITING if name == "write" else ("view", "glob", "grep")
        return [Said(effect, "tools", tools, span, shown, tools)], []
    if not name or not _SERVER.fullmatch(name) or (inner is not None and not _SERVER.fullmatch(inner)):
        return _without(Said(effect, "tools", ("*",), span, shown, ("*",)))
    return [Said(effect, "mcp", (f"{name}/{inner or '*'}",), span, shown, ("*",))], []


def _shell(effect: Verdict, inner: str | None, span: Span, shown: str) -> tuple[list[Said], list[Finding]]:
    grant = effect == "allow"
    if inner is None:
        fields = {"commands": "any"} if grant else {}
        return [Said(effect, "tools", SHELLS, span, shown, SHELLS, fields)], []
    words = plain_words(inner.removesuffix(":*"))
    pattern = granted(words, rest=inner.endswith(":*")) if grant else refused(words)
    one = Said(effect, "command", (pattern.text or "",), span, shown, SHELLS, {"tools": list(SHELLS)} if grant else {})
    return ([one], []) if pattern.text else _without(one)


def _url(effect: Verdict, text: str, span: Span, shown: str) -> tuple[list[Said], list[Finding]]:
    found = _HOST.fullmatch(text)
    tools = ("web_fetch", "fetch")
    if found is None:
        return _without(Said(effect, "tools", tools, span, shown, ("*",)))
    if effect == "allow":
        item = f"{found[1] or 'https'}://{found[2]}"
        return [Said(effect, "url", (item,), span, shown, tools, {"tools": list(tools)})], []
    return [Said(effect, "url", (found[2], f"*.{found[2].removeprefix('*.')}"), span, shown, ("*",))], []


def _without(one: Said) -> tuple[list[Said], list[Finding]]:
    kept, findings = without_pattern(one, "it has no equal here")
    return ([] if kept is None else [kept]), findings
