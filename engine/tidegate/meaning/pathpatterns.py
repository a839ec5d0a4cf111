"""Patterns of paths: globs whose places (`{root}`, `~`, the working directory) are those of the call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from attrs import frozen

from .effects import PathTarget
from .globs import Glob, names_of
from .globsyntax import DEEP, Branch, Segment, Star, parse
from .places import Places
from .tri import Tri, Unknown, all_of, any_of
from .values import Hole, Partial, Value
from .widen import short_names, widen_glob

# Where accounts have their homes unless somebody moved them; a deny of `~/x` counts there as well.
_HOMES: tuple[tuple[Segment, ...], ...] = (
    (("home",), (Star(),)),
    (("Users",), (Star(),)),
    (("root",),),
    (("var",), ("root",)),
)
