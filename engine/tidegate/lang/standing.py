"""Whether rule files stand as they stood when they were read, so that what was made of them still holds."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping

from . import globs, sources
from .ruleset import RuleSet


def stands(rule_sets: Iterable[RuleSet], beside: Mapping[str, str]) -> bool:
    """Whether everything that was asked of the disk for *rule_sets* would be answered the same once more.

    Contents are compared, never times alone. *beside* are the files that rules read for themselves, by path with the
    SHA-256 of their bytes in hex. Packs and kinds that were installed since are not looked for: they come with
    another tidegate.
    """
    try:
        return all(map(_same, rule_sets)) and all(_digest(path) == digest for path, digest in beside.items())
    except (OSError, ValueError, sources.NoFile, globs.TooWide):
        return False


def _same(rule_set: RuleSet) -> bool:
    top = rule_set.readings[0].path if rule_set.readings else ""
    return (
        os.path.realpath(top.rpartition("/")[0] or "/") == rule_set.folder
        and all(sources.reading(one.path, sources.read(one.path)) == one for one in rule_set.readings)
        and all(tuple(globs.matches(one.folder, one.pattern)) == one.paths for one in rule_set.globbings)
        and rule_set.folders == _folders(rule_set)
    )


def _folders(rule_set: RuleSet) -> tuple[str, ...]:
    """The folders that globs look into, as named and as resolved now."""
    named = [globs.fixed(one.folder, one.pattern) for one in rule_set.globbings]
    return tuple(dict.fromkeys(folder for name in named for folder in (name, os.path.realpath(name))))


def _digest(path: str) -> str:
    return hashlib.sha256(sources.read(path).data).hexdigest()
