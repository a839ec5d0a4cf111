"""Paths as other tools write them, as globs of ours."""

from __future__ import annotations

import re

_GLOB = re.compile(r"[A-Za-z0-9_./@*+,=~% -]+")


def gitignored(text: str, *, grant: bool) -> tuple[str, ...] | None:
    """The globs for a pattern in the manner of `.gitignore`, where `//` begins a path of the machine.

    `/x` stands beneath the project, `~/x` in the home, and anything else in the folder of the call, at any depth where
    it names no folder. A refusal is about everything beneath as well; a grant is not, unless the pattern says so.
    """
    if not _GLOB.fullmatch(text) or text != text.strip() or "***" in text or "/./" in text or ".." in text:
        return None
    folder = text.endswith("/")
    body = text.rstrip("/")
    if not body.strip("/") or ("**" in body and not _whole_stars(body)):
        return None
    if body.startswith("//"):
        glob = body[1:]
    elif body.startswith("/"):
        glob = f"{{root}}{body}"
    elif body.startswith("~"):
        if not body.startswith("~/"):
            return None
        glob = body
    else:
        body = body.removeprefix("./") if "/" in body.removeprefix("./") else body
        glob = body if "/" in body else f"**/{body}"
    if glob.endswith("/**"):
        return (glob,)
    if grant:
        return (f"{glob}/**",) if folder else (glob,)
    return (f"{glob}/**",)


def crossing(text: str, *, grant: bool) -> tuple[str, ...] | None:
    """The globs for a pattern whose `*` stands for any characters, also for `/`; only its last name may have one."""
    if not _GLOB.fullmatch(text) or text != text.strip() or ".." in text or "**" in text.replace("/**", ""):
        return None
    folder, slash, last = text.replace("**", "*").rpartition("/")
    if "*" in folder or (text.startswith("~") and not text.startswith("~/")):
        return None
    if last == "*":
        return (f"{folder}/**" if slash else "**",)
    if "*" not in last:
        return (text,) if grant else (f"{text}/**",)
    if grant:
        return (f"{folder}/**/{last}" if slash else f"**/{last}",)
    return (f"{folder}/**/{last}/**" if slash else f"/**/{last}/**",)


def _whole_stars(text: str) -> bool:
    """Whether `**` stands for whole names only."""
    return all(part == "**" or "**" not in part for part in text.split("/"))
