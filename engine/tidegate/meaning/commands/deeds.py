"""What a program does whatever its operands are."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from ..effects import CodeTarget, Effect, Invocation, PathTarget, UrlTarget
from ..urls import read_url
from ..values import Value, unknown
from .entry import Deed

# The constructor of a named tuple costs four times as much as the tuple itself.
_new = tuple.__new__
Resolve = Callable[[Value], PathTarget]


def deed_effect(
    deed: Deed,
    name: str,
    by: Invocation,
    resolve: Resolve,
    *,
    option: str | None = None,
    inherent: bool = True,
    marks: tuple[bool, bool] = (False, False),
) -> Effect:
    """The effect of one deed of the entry *name*; *marks* are those of the whole command."""
    kind, targets, recursive, force = deed
    target: PathTarget | UrlTarget | CodeTarget
    if kind == "connect":
        target, marks = _reached(name, targets[0]), (False, False)
    elif kind == "code":
        target, marks = (
            CodeTarget(_code_text(name, targets), tuple([resolve(path) for path in targets])),
            (False, False),
        )
    elif targets[0] == "state":
        target, marks = _state(by.program if isinstance(by.program, str) else name), (False, False)
    else:
        target = resolve(_unknown(name) if targets[0] == "?" else targets[0])
        marks = (marks[0] or recursive, marks[1] or force)
    return _new(Effect, (kind, target, "", by.span, *marks, by, option, inherent, False, by.place, True))


# Pure functions of the table: remembering changes nothing but the cost.
@lru_cache(maxsize=1024)
def _state(program: str) -> PathTarget:
    return PathTarget(f"the state of `{program}`", ())


@lru_cache(maxsize=1024)
def _reached(name: str, target: str) -> UrlTarget:
    return read_url(_unknown(name) if target == "?" else target)


@lru_cache(maxsize=1024)
def _code_text(name: str, targets: tuple[str, ...]) -> str:
    places = f" from {', '.join(f'`{target}`' for target in targets)}" if targets else ""
    return f"what `{name}` runs{places}"


def _unknown(name: str) -> Value:
    return unknown(f"what `{name}` reaches stands in its configuration")
