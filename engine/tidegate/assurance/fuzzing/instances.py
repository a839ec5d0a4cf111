"""Texts that the patterns of rules name: one or a few for each glob, command pattern and URL glob."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ...compile.stage import HOME, ROOT
from ...meaning.globsyntax import Branch, parse
from ...meaning.globtokens import DEEP, Segment, Set, Star
from ...meaning.regexes import BadPattern

FILLINGS: tuple[tuple[str, ...], ...] = (("x",), (), ("x", "y.txt"))
"""What stands for `**`: names, one after the other."""

_PLACES: Mapping[str, str] = {"/": "", "{root}": ROOT, "{cwd}": ROOT, "~": HOME, "": ROOT}
_ENDS = re.compile(r"(?:^|\s)\.\.\.$")
_BRACES = re.compile(r"\{([^{},]+),[^{}]*\}")


def paths_of(glob: str) -> list[str]:
    """Absolute paths that a path glob names, the plainest first; none where the glob is broken."""
    try:
        branches = parse(glob)
    except BadPattern:
        return []
    return list(dict.fromkeys(path for branch in branches[:8] for path in _of_branch(branch)))


def _of_branch(branch: Branch) -> Iterator[str]:
    place = _PLACES.get(branch.place, f"/home/{branch.place.lstrip('~')}")
    for _ in range(branch.up):
        place = place.rpartition("/")[0]
    for filling in FILLINGS:
        names: list[str] = []
        for segment in branch.segments:
            names += filling if segment == DEEP else [_name(segment)]
        yield f"{place}/{'/'.join(names)}".rstrip("/") or "/"


def _name(segment: Segment) -> str:
    """A name that one segment of a glob matches."""
    parts = []
    for atom in segment:
        if isinstance(atom, Star):
            parts.append("x" if len(segment) == 1 else "")
        elif isinstance(atom, Set):
            parts.append(_member(atom))
        else:
            parts.append(atom)
    return "".join(parts) or "x"


def _member(chosen: Set) -> str:
    """A character of a set, a letter where it has one."""
    letters = (letter for letter in "xa0_" if any(low <= ord(letter) <= high for low, high in chosen.chars))
    return next(letters, chr(chosen.chars[0][0]))


def commands_of(pattern: str) -> list[str]:
    """Commands that a command pattern names: exactly what it says, and with something more where it admits that."""
    bare = _ENDS.sub("", pattern.strip())
    bare = bare.replace("{root}", ROOT).replace("{cwd}", ROOT)
    bare = _BRACES.sub(r"\1", bare)
    plain = " ".join(_word(word) for word in bare.split())
    found = [plain, f"{plain} x"] if plain else []
    return found if _ENDS.search(pattern) else found[:1]


def _word(word: str) -> str:
    if word in ("*", "**"):
        return "x"
    return word.replace("/**", "/x").replace("**", "x").replace("*", "x" if word.endswith(("=*", "/*")) else "")


def urls_of(glob: str) -> list[str]:
    """URLs that a URL glob names."""
    text = glob if "://" in glob else f"https://{glob}"
    scheme, _, rest = text.partition("://")
    scheme = "https" if "*" in scheme or "{" in scheme else scheme
    rest = _BRACES.sub(r"\1", rest)
    host, slash, path = rest.partition("/")
    host = host.replace("*.", "a.", 1).replace("*", "x") or "x.test"
    host = re.sub(r":x$", ":8443", host)
    return [f"{scheme}://{host}{slash or '/'}{path.replace('**', 'x').replace('*', 'x')}"]


def names_of(glob: str, known: tuple[str, ...]) -> list[str]:
    """Names of tools that a glob of names matches: those that are known, or one made up."""
    if not any(letter in glob for letter in "*?["):
        return [glob]
    shape = re.compile("".join(".*" if char == "*" else "." if char == "?" else re.escape(char) for char in glob))
    return [name for name in known if shape.fullmatch(name)] or [glob.replace("*", "x").replace("?", "x")]


def texts_of(glob: str) -> list[str]:
    """Texts that a glob of texts matches, or the text itself."""
    if "*" not in glob:
        return [glob]
    return [glob.replace("*", ""), glob.replace("*", "x")]
