"""The permissions that Copilot CLI is started with: `--allow-tool`, `--deny-tool`, `--allow-url` and `--deny-url`.

The file holds the words of the command line, as a script that starts it does; a deny counts more than any allow.

Source: `copilot help permissions`, as of November 2026.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
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
_FLAG = re.compile(
    r"--((?:allow|deny)-(?:tool|url)|excluded-tools|available-tools|disable-mcp-server)(?:=(.*))?", re.DOTALL
)
_EVERYTHING = ("--allow-all", "--allow-all-tools", "--yolo", "--allow-all-urls", "--allow-all-paths")
_HARMLESS = frozenset({
    "--add-dir", "--agent", "--allow-all-paths", "--banner", "--continue", "--log-dir", "--log-level", "--model",
    "--no-color", "--no-custom-instructions", "--output-format", "--prompt", "--resume", "--screen-reader", "--share",
    "--silent", "--stream",
})  # fmt: skip
"""Options that refuse nothing, and allow nothing that is allowed here."""
_ENDS = frozenset({"&&", "||", ";", "|", "&", "\n"})
"""What ends the values of an option, beside the next option: the end of the command."""
_ABOUT = re.compile(r"([A-Za-z0-9_. -]+?)(?:\((.*)\))?", re.DOTALL)
_HOST = re.compile(r"(?:(https?)://)?((?:\*\.)?[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*)(?:/\**)?")
_SERVER = re.compile(r"[A-Za-z0-9_.-]+")
_NAMED: Mapping[str, tuple[str, ...]] = {"shell": SHELLS, "write": WRITING, "read": ("view", "glob", "grep")}
_Carry = Callable[[Sequence[str], Span], tuple[list[Said], list[Finding]]]


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
        if flag is None:
            findings += _other(word)
            continue
        values = [flag[2]] if flag[2] is not None else _values(words)
        if not values:
            raise unreadable(word.span, f"`{word.text}` has no value", "write what it is about")
        abouts = [about.strip() for value in values for about in (value.split(",") if "(" not in value else [value])]
        one, more = _FLAGS[flag[1]](abouts, word.span)
        said += one
        findings += more
    notes = ("What Copilot CLI allows by itself, such as reading in the folder, is asked about here.",)
    return Source("ask", tuple(said), tuple(findings), notes)


def _words(text: str, file: str) -> Iterator[_Word]:
    for number, line in enumerate(text.split("\n"), 1):
        goes_on = line.endswith("\\")
        try:
            for word in shlex.split(line[:-1] if goes_on else line, comments=True):
                at = line.find(word) + 1
                yield _Word(word, Span(file, number, max(at, 1)))
            if not goes_on:
                yield _Word("\n", Span(file, number, len(line) + 1))
        except ValueError:
            raise unreadable(Span(file, number, 1), "a quote is not closed", "close it on its line") from None


def _values(words: list[_Word]) -> list[str]:
    """The values of an option, which takes all words up to the next one; the first may stand on a line of its own."""
    found: list[str] = []
    while words and not words[0].text.startswith("-"):
        if words[0].text in _ENDS and (found or words[0].text != "\n"):
            break
        word = words.pop(0).text
        found += [word] if word != "\n" else []
    return found


def _other(word: _Word) -> Iterator[Finding]:
    """What is said of an option that is none of those that are carried over."""
    name = word.text.partition("=")[0]
    if name in _EVERYTHING:
        yield left_out(word.span, word.text, "it allows what nobody has named", "name what should be allowed")
    elif name.startswith("--") and name not in _HARMLESS:
        why = "nobody here knows whether it refuses something"
        yield left_out(word.span, word.text, why, "look it up and write a rule by hand")


def _each(effect: Verdict, what: str) -> _Carry:
    def carried(abouts: Sequence[str], span: Span) -> tuple[list[Said], list[Finding]]:
        said: list[Said] = []
        findings: list[Finding] = []
        for about in abouts:
            one, more = _about(effect, what, about, span)
            said += one
            findings += more
        return said, findings

    return carried


def _excluded(abouts: Sequence[str], span: Span) -> tuple[list[Said], list[Finding]]:
    """Tools that the model is not even told of."""
    shown = f"--excluded-tools {' '.join(abouts)}"
    one = Said("deny", "tools", _tools(abouts), span, shown, ("*",))
    return ([one], []) if all(map(_SERVER.fullmatch, abouts)) else _without(one)


def _available(abouts: Sequence[str], span: Span) -> tuple[list[Said], list[Finding]]:
    """The only tools that the model is told of."""
    shown = f"--available-tools {' '.join(abouts)}"
    one = Said("deny", "tools", _tools(abouts), span, shown, ("*",), {"list": "only"})
    return ([one], []) if all(map(_SERVER.fullmatch, abouts)) else _without(one)


def _tools(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(tool for name in names for tool in _NAMED.get(name, (name,))))


def _disabled(abouts: Sequence[str], span: Span) -> tuple[list[Said], list[Finding]]:
    """A server that is not started."""
    one = Said("deny", "mcp", tuple(f"{name}/*" for name in abouts), span, f"--disable-mcp-server {abouts}", ("*",))
    return ([one], []) if all(map(_SERVER.fullmatch, abouts)) else _without(one)


def _about(effect: Verdict, what: str, text: str, span: Span) -> tuple[list[Said], list[Finding]]:
    found = _ABOUT.fullmatch(text) if what == "tool" else None
    name, inner = ("url", text) if what == "url" else (found[1], found[2]) if found is not None else ("", None)
    shown = f"--{effect}-{what} {text}"
    if name == "shell":
        return _shell(effect, inner, span, shown)
    if name == "url":
        return _url(effect, inner or "", span, shown)
    if name in ("write", "read") and inner is None:
        tools = _NAMED[name]
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


_FLAGS: Mapping[str, _Carry] = {
    "allow-tool": _each("allow", "tool"),
    "deny-tool": _each("deny", "tool"),
    "allow-url": _each("allow", "url"),
    "deny-url": _each("deny", "url"),
    "excluded-tools": _excluded,
    "available-tools": _available,
    "disable-mcp-server": _disabled,
}
