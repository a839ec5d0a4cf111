"""Entries of `include`: the files that they name, or the finding that says why they name none."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from attrs import frozen

from ..errors import Finding
from ..shown import quote
from . import globs
from .document import Document
from .nearest import nearest
from .ruleset import Globbing
from .words import quoted

_WHY_MISSING = "rules that are meant to be there and are not would leave calls unguarded"


@frozen
class Asked:
    """One entry of `include`: its text and where it stands."""

    document: Document
    index: int
    text: str

    def finding(self, code: str, what: str, why: str, mend: str) -> Finding:
        """A finding that points at the entry."""
        return self.document.finding(("include", self.index), code, what, why=why, mend=mend)


@frozen
class Named:
    """What an entry names: paths in load order, the pack they belong to, and the glob that named them, if one did."""

    paths: tuple[str, ...]
    pack: str = ""
    globbing: Globbing | None = None


def resolve(asked: Asked, here: str, pack: str, packs: Mapping[str, str], home: str | None) -> Named | Finding:
    """The files that an entry names.

    *here* is the folder of the file that holds the entry, *pack* the pack of that file: plain files that a pack
    includes belong to it. Whether a path without wildcards is there shows when it is read.
    """
    text = asked.text
    if text.startswith("pack:"):
        name = text.removeprefix("pack:")
        return Named((packs[name],), name) if name in packs else _unknown_pack(asked, name, packs)
    if not text.strip("./ ") or "\\" in text or "\0" in text or (text[0] == "~" and not (home and text[:2] == "~/")):
        return _bad(asked)
    folder, pattern = _anchored(text, here, home or "")
    if not globs.is_glob(pattern):
        return Named((f"{folder}/{pattern}",), pack)
    try:
        paths = globs.matches(folder, pattern)
    except globs.TooWide:
        return _too_wide(asked)
    except (OSError, ValueError) as error:
        return unreadable(asked, text, reason(error))
    return Named(tuple(paths), pack, Globbing(folder, pattern, tuple(paths))) if paths else _no_match(asked)


def reason(error: OSError | ValueError) -> str:
    """Why the operating system, or Python on its way there, refuses a path."""
    return (getattr(error, "strerror", None) or "no file can have this name").lower()


def missing(asked: Asked, packs: Iterable[str]) -> Finding:
    """The finding for a path that is not there; perhaps one of the *packs* was meant."""
    meant = None if "/" in asked.text else nearest(asked.text.removesuffix(".toml"), packs)
    return asked.finding(
        "include-missing",
        f"there is no file {quote(asked.text)}",
        _WHY_MISSING,
        f'write `"pack:{meant}"`'
        if meant
        else "correct the path, which begins at the folder of this file, or remove it",
    )


def cycle(asked: Asked, chain: tuple[str, ...]) -> Finding:
    """The finding for an include that leads back to a file in the middle of its own includes."""
    shown = " → ".join(quote(name, None) for name in chain)
    return asked.finding(
        "include-cycle",
        f"{quote(asked.text)} includes itself: {shown}",
        "included files come before the file that includes them, and here none could come first",
        "remove one of these includes; a glob that matches its own file wants a folder of its own",
    )


def not_a_file(asked: Asked) -> Finding:
    """The finding for a path at which a folder, pipe or device stands."""
    return asked.finding(
        "not-a-file",
        f"{quote(asked.text)} is no file",
        _WHY_MISSING,
        "name a file, or all files of a folder with a glob like `policies/*.toml`",
    )


def unreadable(asked: Asked, name: str, refusal: str) -> Finding:
    """The finding for a file or folder that the operating system does not let be read."""
    return asked.finding(
        "unreadable-file",
        f"{quote(name)} cannot be read: {refusal}",
        _WHY_MISSING,
        "let the user that runs tidegate read it",
    )


def too_deep(asked: Asked, most: int) -> Finding:
    """The finding for includes that are nested too deep."""
    return asked.finding(
        "include-too-deep",
        f"{quote(asked.text)} is included through more than {most} files",
        "nobody could follow such a chain, and what reads it could run out of stack",
        "include it from a file nearer to the top",
    )


def _anchored(text: str, here: str, home: str) -> tuple[str, str]:
    """The folder at which a path begins, and the rest of it."""
    drive, rest = os.path.splitdrive(text)
    folder = here
    if text.startswith("~/"):
        folder, rest = home, text[1:]
    elif rest.startswith("/"):
        folder = drive
    return folder.rstrip("/"), "/".join(name for name in rest.split("/") if name not in {"", "."})


def _unknown_pack(asked: Asked, name: str, packs: Mapping[str, str]) -> Finding:
    meant = nearest(name, packs)
    known = f"the packs are {quoted(packs)}" if packs else "there are no packs here"
    return asked.finding(
        "unknown-pack",
        f"there is no pack {quote(name)}",
        _WHY_MISSING,
        f'write `"pack:{meant}"`; {known}' if meant else f"remove it; {known}",
    )


def _bad(asked: Asked) -> Finding:
    return asked.finding(
        "bad-include",
        f"{quote(asked.text)} is no path, glob or pack",
        "an include must name the same files on every machine",
        'write `"pack:NAME"`, or a path with `/` that begins at the folder of this file, at `/` or at `~/`',
    )


def _no_match(asked: Asked) -> Finding:
    return asked.finding(
        "include-missing",
        f"{quote(asked.text)} matches no file",
        _WHY_MISSING,
        "correct the glob, which begins at the folder of this file, or remove it",
    )


def _too_wide(asked: Asked) -> Finding:
    return asked.finding(
        "include-too-wide",
        f"{quote(asked.text)} would look at more than {globs.MAX_ENTRIES} files and folders",
        "that would hold up every start",
        "name the folder that holds the rule files",
    )
