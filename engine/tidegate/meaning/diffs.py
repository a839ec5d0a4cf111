"""Unified diffs, with and without the headers of git."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from .touches import NotAPatch, Touch

_HUNK = re.compile(r"@@ -[0-9]+(?:,([0-9]+))? \+[0-9]+(?:,([0-9]+))? @@", re.ASCII)
_FOREIGN = re.compile(
    r"\*\*\* .*|\*{15}.*|[0-9]+(?:,[0-9]+)?[acd][0-9]*(?:,[0-9]+)?|@@@.*|diff --(?:cc|combined) .*", re.ASCII
)
_GIT_FACT = re.compile(
    r"(old mode|new mode|deleted file mode|new file mode|copy from|copy to|rename from|rename to|index"
    r"|similarity index|dissimilarity index)(?: (.*))?"
)
_DATE = re.compile(r"[ \t]+(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|[A-Z][a-z]{2} [A-Z][a-z]{2} )", re.ASCII)
_PAIR = re.compile(r'("(?:[^"\\]|\\.)*"|[^"\s]\S*) ("(?:[^"\\]|\\.)*"|[^"\s]\S*)', re.DOTALL)
_PIECE = re.compile(r"\\(?:([0-7]{1,3})|(.))|([^\\]+)", re.DOTALL)
_LETTERS = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_NOWHERE = "/dev/null"


class _File(NamedTuple):
    """One file of a diff: its names before and after, and the facts that git states about it."""

    old: tuple[str, ...]
    new: tuple[str, ...]
    facts: dict[str, str]
    gone: bool = False
    made: bool = False


def diff_touches(lines: list[str]) -> list[Touch]:
    """The files that a unified diff touches, each name with and without its first directory (`-p0` and `-p1`).

    Text around the files is passed over, as `patch` and `git apply` do.

    Raises:
        NotAPatch: No file is named, a hunk is cut off, or the text is a diff of another form (context, `ed`).
    """
    found = dict.fromkeys(touch for file in _files(lines) for touch in _touches(file))
    if not found:
        raise NotAPatch("no file is named")
    return list(found)


def _files(lines: list[str]) -> Iterator[_File]:
    at = 0
    while at < len(lines):
        line = lines[at]
        if line.startswith("diff --git "):
            file, at = _git_file(lines, at)
            yield file
        elif _is_head(lines, at):
            yield _named(lines[at], lines[at + 1], {})
            at = _after_hunks(lines, at + 2)
        elif line.startswith("Index: "):
            yield _File((line[7:].strip(),), (line[7:].strip(),), {})
            at += 1
        elif _FOREIGN.fullmatch(line):
            raise NotAPatch(f"line {at + 1} belongs to a diff of another form")
        elif _HUNK.match(line):
            raise NotAPatch(f"the hunk at line {at + 1} belongs to no file")
        else:
            at += 1


def _is_head(lines: list[str], at: int) -> bool:
    return lines[at].startswith("--- ") and lines[at + 1 : at + 2] != [] and lines[at + 1].startswith("+++ ")


def _git_file(lines: list[str], at: int) -> tuple[_File, int]:
    """One file of git's form: `diff --git`, facts, and hunks where it has any."""
    header = lines[at]
    facts: dict[str, str] = {}
    at += 1
    while at < len(lines) and (fact := _GIT_FACT.fullmatch(lines[at])):
        facts[fact[1]] = fact[2] or ""
        at += 1
    if at < len(lines) and _is_head(lines, at):
        return _named(lines[at], lines[at + 1], facts), _after_hunks(lines, at + 2)
    if "rename from" in facts or "copy from" in facts:
        return _File((), (), facts), at
    name = _git_name(header)
    return _File(name, name, facts, gone="deleted file mode" in facts, made="new file mode" in facts), at


def _named(old_line: str, new_line: str, facts: dict[str, str]) -> _File:
    old, new = _names(old_line[4:]), _names(new_line[4:])
    gone = new == (_NOWHERE,) or "deleted file mode" in facts
    made = old == (_NOWHERE,) or "new file mode" in facts
    return _File(old, new, facts, gone=gone, made=made)


def _names(text: str) -> tuple[str, ...]:
    """What the name in a header can be: up to a tab, and up to what looks like a date."""
    if text.startswith('"'):
        return (_unquoted(text),)
    name = text.partition("\t")[0]
    date = _DATE.search(name)
    return (name.rstrip(),) if date is None else (name[: date.start()], name.rstrip())


def _git_name(header: str) -> tuple[str, ...]:
    """The names in `diff --git a/NAME b/NAME`, which are not quoted where they only have blanks."""
    rest = header[len("diff --git ") :]
    pair = _PAIR.fullmatch(rest)
    if pair is not None:
        return tuple(_unquoted(name) if name.startswith('"') else name for name in pair.groups())
    half = len(rest) // 2
    if rest[half : half + 1] != " " or rest[:half].partition("/")[2] != rest[half + 1 :].partition("/")[2]:
        raise NotAPatch(f"the names in {header!r} cannot be told apart")
    return (rest[:half], rest[half + 1 :])


def _unquoted(text: str) -> str:
    body = re.match(r'"((?:[^"\\]|\\.)*)"', text, re.DOTALL)
    if body is None:
        raise NotAPatch("a quoted name does not end")
    return b"".join(map(_bytes, _PIECE.finditer(body[1]))).decode("utf-8", "surrogateescape")


def _bytes(match: re.Match[str]) -> bytes:
    octal, letter, plain = match.groups()
    if octal is not None:
        return bytes([int(octal, 8) & 0xFF])
    return (plain or _LETTERS.get(letter, letter)).encode("utf-8", "surrogateescape")


def _after_hunks(lines: list[str], at: int) -> int:
    """Where the hunks that begin at *at* end; their lines are content, whatever they look like."""
    while at < len(lines) and (hunk := _HUNK.match(lines[at])):
        old, new = (1 if count is None else int(count) for count in hunk.groups())
        at += 1
        while old > 0 or new > 0:
            mark = lines[at][:1] if at < len(lines) else "end"
            if mark not in ("", " ", "-", "+", "\\"):
                raise NotAPatch(f"a hunk ends before line {at + 1}")
            old -= mark in ("", " ", "-")
            new -= mark in ("", " ", "+")
            at += 1
        if old < 0 or new < 0:
            raise NotAPatch(f"the hunk before line {at + 1} is longer than it says")
    return at


def _touches(file: _File) -> Iterator[Touch]:
    for word in ("rename", "copy"):
        if f"{word} from" in file.facts:
            origin = _names(file.facts[f"{word} from"])[0]
            target = _names(file.facts.get(f"{word} to", ""))[0]
            if not origin or not target:
                raise NotAPatch(f"a {word} does not say from where to where")
            yield Touch("read", origin)
            if word == "rename":
                yield Touch("delete", origin)
            yield Touch("write", target)
    for name in (*file.old, *file.new):
        for reading in _stripped(name):
            if not file.made:
                yield Touch("read", reading)
            yield Touch("delete" if file.gone else "write", reading)


def _stripped(name: str) -> list[str]:
    """The name as it is, and without its first directory."""
    if name == _NOWHERE or not name:
        return []
    rest = name.lstrip("/").partition("/")[2] if not name.startswith("/") else name.lstrip("/")
    return [name, rest] if rest else [name]
