"""Cutting and joining text of which parts may not be known."""

from __future__ import annotations

from ..values import Hole, Matched, Partial, Plain, Value, unknown

_ARCHIVES = frozenset({"taz", "tb2", "tbz", "tbz2", "tgz", "tlz", "txz", "tzst"})


def joined(*pieces: Value | Hole, reason: str = "part of the text is not known") -> Value:
    """The pieces one after the other; exact where all of them are."""
    merged: list[str | Hole] = []
    known = ""
    plain = True
    for piece in pieces:
        if isinstance(piece, str):
            known += piece
            continue
        plain = plain and isinstance(piece, Plain)
        parts: tuple[str | Hole, ...]
        parts, reason = (piece.parts, piece.reason) if isinstance(piece, Partial) else ((piece,), reason)
        for part in parts:
            if isinstance(part, str):
                known += part
                continue
            if known:
                merged.append(known)
                known = ""
            merged.append(part)
    if not merged:
        return known
    if known:
        merged.append(known)
    return Plain(tuple(merged), reason) if plain else Partial(tuple(merged), reason)


def _merged(parts: list[str | Hole]) -> tuple[str | Hole, ...]:
    """Neighbouring known stretches made one, empty ones left out."""
    merged: list[str | Hole] = []
    for part in parts:
        if isinstance(part, Hole):
            merged.append(part)
        elif merged and isinstance(merged[-1], str):
            merged[-1] += part
        elif part:
            merged.append(part)
    return tuple(merged)


def known_start(value: Value) -> str:
    """What the text is known to begin with."""
    return value if isinstance(value, str) else value.prefix


def known_end(value: Value) -> str:
    """What the text is known to end with."""
    return value if isinstance(value, str) else value.suffix


def without_start(value: Value, count: int) -> Value:
    """The text after its first *count* characters, which are known ones."""
    if isinstance(value, str):
        return value[count:]
    return Partial(_merged([value.prefix[count:], *value.parts[1:]]), value.reason)


def cut(value: Value, separator: str) -> tuple[str, Value] | None:
    """The text before and after the first *separator*, or `None` where none is known to come first."""
    head, found, tail = known_start(value).partition(separator)
    if not found:
        return None
    return head, tail if isinstance(value, str) else without_start(value, len(head) + len(separator))


def last_component(value: Value) -> Value:
    """The part of a path after its last slash, trailing slashes left out."""
    if isinstance(value, str):
        return value.rstrip("/").rpartition("/")[2]
    parts = list(value.parts)
    if isinstance(parts[-1], str):
        parts[-1] = parts[-1].rstrip("/") or Hole.ANY  # what stands before the slashes is not looked at
    last: list[str | Hole] = []
    for part in reversed(parts):
        _, slash, tail = part.rpartition("/") if isinstance(part, str) else ("", "", part)
        if part is Hole.ANY or (part is Hole.FOLDERS and not any(last)):
            return Partial(_merged([Hole.NAME, *last]), value.reason)
        if part is Hole.FOLDERS:
            break
        last.insert(0, tail)
        if slash:
            break
    if not any(last):
        return unknown(value.reason)
    name = joined(*last, reason=value.reason)
    return Plain(name.parts, name.reason) if isinstance(value, Plain) and isinstance(name, Partial) else name


def as_found(value: Value) -> Value:
    """A word that is matched against the names of files, in which a wildcard in front of a name matches no dot."""
    if type(value) is not Matched:
        return value
    parts = [
        Hole.VISIBLE if part is Hole.NAME and (at == 0 or str(value.parts[at - 1])[-1:] == "/") else part
        for at, part in enumerate(value.parts)
    ]
    return Partial((*([] if isinstance(parts[0], str) else ["./"]), *parts), value.reason)


def stem(value: Value) -> Value:
    """The text without its last suffix (`a.tar` for `a.tar.gz` and for `a.tgz`)."""
    head, dot, tail = known_end(value).rpartition(".")
    end = ".tar" if tail in _ARCHIVES else ""
    if isinstance(value, str):
        return head + end if dot and "/" not in tail and head else value
    if type(value) is Matched:
        return stem(as_found(value))
    if len(value.parts) == 1 and isinstance(value.parts[0], str):  # a name that may not be meant
        return type(value)((str(stem(value.parts[0])),), value.reason)
    if dot and "/" not in tail:
        *before, last = *value.parts[:-1], head + end
        whole = last == "" and before[-1] is Hole.NAME and (len(before) == 1 or _ends_name(before[-2]))
        # A file that is made is called neither `.` nor `..`.
        return joined(*before[:-1], Hole.ENTRY if whole else before[-1], last, reason=value.reason)
    if value.parts[-1] in (Hole.ENTRY, Hole.VISIBLE) or (value.parts[-1] is Hole.NAME and "." not in known_name(value)):
        return value
    return Partial(_merged([value.prefix, Hole.ANY]), value.reason)


def _ends_name(part: str | Hole) -> bool:
    return part is Hole.FOLDERS or (isinstance(part, str) and part.endswith("/"))


def known_name(value: Partial) -> str:
    """What is known of the last name of a path, its stretches one behind the other."""
    name = last_component(value)
    return name if isinstance(name, str) else "".join(part for part in name.parts if isinstance(part, str))


def blank_joined(values: list[Value]) -> Value:
    """The values with one blank between them, as `eval`, `ssh` and `watch` join their operands."""
    pieces: list[Value | Hole] = []
    for value in values:
        if pieces:
            pieces.append(" ")
        pieces.append(value)
    return joined(*pieces)
