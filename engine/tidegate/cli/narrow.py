"""Patterns for grants, made from what one call did: as narrow as a person would still write them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath
from posixpath import normpath

from ..kind import Case
from ..meaning.commands.patterns import PatternError, parse_pattern
from ..meaning.commands.table import Table
from ..meaning.comparing import Comparison
from ..meaning.effects import Effect, Invocation, PathTarget, UrlTarget

_PLAIN = re.compile(r"[A-Za-z0-9_./:=@%+-]+")
_GLOB = re.compile(r"([\\*?\[\]{}])")


def path_pattern(name: str, root: str, effect: Effect) -> str:
    """The folder of a path beneath the root; the path itself where it lies elsewhere."""
    path, base = PurePosixPath(name), PurePosixPath(root)
    if not path.is_relative_to(base):
        return _literal(name)
    inner = path.relative_to(base)
    if effect.kind == "list" or effect.recursive:
        here = f"{{root}}/{_literal(inner.as_posix())}" if inner.parts else "{root}"
        return f"{here}/**" if effect.recursive else here
    if len(inner.parts) <= 1:
        return "{root}/*" if inner.parts else "{root}"
    return f"{{root}}/{_literal(inner.parent.as_posix())}/**"


def needed(patterns: Iterable[str]) -> list[str]:
    """The patterns without those that lie beneath another one."""
    trees = [pattern.removesuffix("**") for pattern in patterns if pattern.endswith("/**")]
    return sorted(
        pattern
        for pattern in patterns
        if not any(pattern.startswith(tree) and pattern != f"{tree}**" for tree in trees)
    )


def _literal(path: str) -> str:
    return _GLOB.sub(r"\\\1", path)


def command_pattern(command: Invocation, case: Case, table: Table) -> str | None:
    """A pattern that grants the command, `None` where none does.

    It is the program with its subcommand and any operands where the command only looks, at nothing outside of the
    root, and runs no code and no other command, whatever its operands are. Else, and where it has an option that must
    be named, it is the command word by word.
    """
    words = [word for word in command.words if isinstance(word, str)]
    if not words or len(words) < len(command.words):
        return None
    candidates = [" ".join(map(_quoted, words))]
    if _only_looks(command, table) and all(_is_look(effect, case) for effect in case.effects if effect.by is command):
        candidates.insert(0, " ".join([*map(_quoted, (words[0], *command.subcommand)), "..."]))
    return next((text for text in candidates if _grants(text, command, case, table)), None)


def exact_command(command: Invocation, case: Case, table: Table) -> str | None:
    """A pattern for just this command, `None` where none is; paths in it are made absolute, so that it means them."""
    words = [word for word in command.words if isinstance(word, str)]
    texts = list(map(_quoted, words))
    if not words or len(words) < len(command.words) or not _grants(" ".join(texts), command, case, table):
        return None
    for at, word in enumerate(words[1:], 1):
        placed = _placed(word, case)
        tried = [*texts[:at], placed or "", *texts[at + 1 :]]
        if placed is not None and _grants(" ".join(tried), command, case, table):
            texts = tried
    return " ".join(texts)


def _placed(word: str, case: Case) -> str | None:
    """The word as a path, absolute or beneath the root; `None` where it cannot be one or is absolute already."""
    cwd, root = case.places.scene.cwd, case.places.root
    if cwd is None or root is None or word.startswith(("-", "/", "~")) or not _PLAIN.fullmatch(word):
        return None
    whole = PurePosixPath(normpath(f"{cwd}/{word}"))
    if not whole.is_relative_to(root):
        return str(whole) if _PLAIN.fullmatch(str(whole)) else None
    inner = whole.relative_to(root)
    return f"{{root}}/{inner.as_posix()}" if inner.parts else "{root}"


_LOOKING = frozenset({"read", "list", "text", "pattern", "place", "directory", "revision", "blamed"})
"""Roles of operands that are looked at, and no more."""


def _only_looks(command: Invocation, table: Table) -> bool:
    """Whether the program with this subcommand looks at its operands and no more, whichever they are."""
    entry = table.entry(command.program) if isinstance(command.program, str) else None
    for name in command.subcommand:
        found = entry.commands.find(name, entry) if entry is not None and entry.commands is not None else None
        entry = found[1] if found is not None else None
    if entry is None:
        return False
    layout = entry.layout
    roles = [*layout.first, *layout.last, *(role for role in (layout.rest, layout.tail, entry.stdin) if role)]
    return not entry.wrapper and all(part.kind in _LOOKING for role in roles for part in role.parts)


def _is_look(effect: Effect, case: Case) -> bool:
    """Whether the effect is the command itself, or looks at something beneath the root."""
    if effect.kind == "exec" or not effect.inherent:
        return True
    if effect.kind not in ("read", "list") or not isinstance(effect.target, PathTarget):
        return False
    root = case.places.root
    names = effect.target.names
    return root is not None and all(
        isinstance(name, str) and PurePosixPath(name).is_relative_to(root) for name in names
    )


def _grants(text: str, command: Invocation, case: Case, table: Table) -> bool:
    """Whether the pattern grants the command and covers what it does."""
    try:
        pattern = parse_pattern(text, table, grant=True)
    except PatternError:
        return False
    own = (effect for effect in case.effects if effect.by is command)
    return pattern.match_grant(command, Comparison(case.places)) is True and any(map(pattern.covers, own))


def _quoted(word: str) -> str:
    """The word as a pattern that means just this text."""
    if _PLAIN.fullmatch(word):
        return word
    return f"'{word}'" if "'" not in word else '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'


def url_pattern(target: UrlTarget) -> str | None:
    """Scheme, host and port; `None` where they are not known for certain."""
    if not isinstance(target.host, str) or not isinstance(target.scheme, str) or target.doubts:
        return None
    host = f"[{target.host}]" if ":" in target.host else target.host
    standard = {"http": 80, "https": 443}.get(target.scheme)
    port = f":{target.port}" if target.port is not None and target.port != standard else ""
    return f"{target.scheme}://{host}{port}"
