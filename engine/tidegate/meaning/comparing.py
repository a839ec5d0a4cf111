"""Operands of command patterns compared by meaning, under the places of one call."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from .beneath import match_beneath, match_there
from .effects import Effect, PathTarget, UrlTarget
from .pathpatterns import PathPattern, match_any
from .places import Places
from .regexes import BadPattern
from .tri import Tri, Unknown, any_of
from .urlpatterns import UrlPattern
from .values import Within


# Compiling is pure, so remembering it changes nothing but the cost; patterns come from rules, not from calls.
@lru_cache(maxsize=4096)
def path_pattern(text: str) -> PathPattern | None:
    """The operand of a pattern as a path glob; `None` where no path is spelled like that (`*://*`)."""
    try:
        return PathPattern.compile(text)
    except BadPattern:
        return None


@lru_cache(maxsize=4096)
def url_pattern(text: str) -> UrlPattern | None:
    """The operand of a pattern as a URL pattern; `None` where no URL is spelled like that."""
    try:
        return UrlPattern.compile(text)
    except BadPattern:
        return None


_MAKING_NOTHING = frozenset({"chgrp", "chmod", "chown"})
"""Programs that write to what is there and make nothing."""

_TAKING = frozenset(
    [
        "bunzip2",
        "bzip2",
        "cat",
        "cp",
        "cut",
        "diff",
        "du",
        "egrep",
        "fgrep",
        "file",
        "find",
        "grep",
        "gunzip",
        "gzip",
        "head",
        "ls",
        "md5sum",
        "mv",
        "od",
        "prename",
        "rename",
        "rm",
        "rmdir",
        "rsync",
        "sed",
        "sha1sum",
        "sha256sum",
        "shred",
        "sort",
        "stat",
        "tail",
        "tar",
        "unlink",
        "unxz",
        "wc",
        "xz",
        "zcat",
        "zgrep",
    ]
)
"""Programs that read and delete what is there; a link may lead to what is made later."""


class Comparison:
    """Compares paths and URLs of one call with the operands of command patterns."""

    __slots__ = ("_places",)

    def __init__(self, places: Places) -> None:
        self._places = places

    def path(self, pattern: str, target: PathTarget, *, grant: bool) -> Tri:
        """Whether the path glob *pattern* names *target*; a grant needs every name of it, a deny one."""
        compiled = path_pattern(pattern)
        return compiled is not None and compiled.match(target, self._places, widen=not grant, every=grant)

    def url(self, pattern: str, target: UrlTarget, *, grant: bool) -> Tri:
        """Whether the URL glob *pattern* names *target*; a grant admits no doubts."""
        compiled = url_pattern(pattern)
        return compiled is not None and compiled.match(target, widen=not grant, every=grant)


def grants_path(patterns: Sequence[PathPattern], effect: Effect, places: Places) -> Tri:
    """Whether *patterns* name the path of *effect* under every name, and all beneath it where it is recursive."""
    target = effect.target
    if not isinstance(target, PathTarget):
        return False
    named = match_any(patterns, target, places, widen=False, every=True)
    if named is True and effect.recursive:
        return any_of(pattern.covers_beneath(target, places) for pattern in patterns)
    return named


def denies_path(patterns: Sequence[PathPattern], effect: Effect, places: Places) -> Tri:
    """Whether one of *patterns* names the path of *effect*, or something beneath it where it is recursive."""
    target = effect.target
    if not isinstance(target, PathTarget):
        return False
    if effect.place.kind != "local":
        return any_of(
            [match_any(patterns, target, places, widen=True, every=False), _elsewhere(patterns, effect, places)]
        )
    present = _is_about_what_is_there(effect)
    named = match_there(patterns, target, places, widen=True, present=present)
    if named is True or not effect.recursive:
        return named
    beneath = match_beneath(patterns, target, places, widen=True, every=False, present=present)
    return any_of([named, beneath])


def _is_about_what_is_there(effect: Effect) -> bool:
    """Whether an effect makes no name, so that what is not there is not meant."""
    program = effect.by.program if effect.by is not None else None
    if effect.kind == "write":
        return program in _MAKING_NOTHING
    return program in _TAKING or (isinstance(effect.target, PathTarget) and isinstance(effect.target.text, Within))


def _elsewhere(patterns: Sequence[PathPattern], effect: Effect, places: Places) -> Tri:
    """Whether something is named beneath a path of another system, where nobody can look."""
    target = effect.target
    if not effect.recursive or not isinstance(target, PathTarget):
        return False
    possible = any_of(pattern.may_match_beneath(target, places, widen=True) for pattern in patterns)
    return Unknown("what stands beneath cannot be seen from here") if possible is True else possible


def grants_url(patterns: Sequence[UrlPattern], target: UrlTarget) -> Tri:
    """Whether one of *patterns* names every reading of *target*."""
    return any_of(pattern.match(target, widen=False, every=True) for pattern in patterns)


def denies_url(patterns: Sequence[UrlPattern], target: UrlTarget) -> Tri:
    """Whether one of *patterns* names one reading of *target*."""
    return any_of(pattern.match(target, widen=True, every=False) for pattern in patterns)
