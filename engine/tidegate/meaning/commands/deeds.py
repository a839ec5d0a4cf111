"""What a program does whatever its operands are."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from ..effects import CodeTarget, Effect, Invocation, PathTarget, UrlTarget
from ..urls import read_url
from ..values import Hole, Partial, Value, Within, unknown
from .entry import Deed
from .text import joined

# The constructor of a named tuple costs four times as much as the tuple itself.
_new = tuple.__new__
_BENEATH = Partial(("/", Hole.FOLDERS, Hole.ENTRY), "")
Resolve = Callable[[Value], PathTarget]


def deed_effect(  # noqa: PLR0913 all of it is given by name
    deed: Deed,
    name: str,
    by: Invocation,
    resolve: Resolve,
    *,
    option: str | None = None,
    inherent: bool = True,
    marks: tuple[bool, bool] = (False, False),
    source: str = "",
) -> Effect:
    """The effect of one deed of the entry *name*; *marks* are those of the whole command."""
    kind, targets, recursive, within, force = deed
    target: PathTarget | UrlTarget | CodeTarget
    if kind == "connect":
        target, marks = _reached(name, targets[0]), (False, False)
    elif kind == "code":
        target, marks = (
            CodeTarget(_code_text(name, targets), tuple([resolve(path) for path in targets]), kept=True),
            (False, False),
        )
    elif targets[0] == "state":
        target, marks = _state(by.program if isinstance(by.program, str) else name), (False, False)
    else:
        target = resolve(_named(name, targets[0]))
        marks = (marks[0] or recursive, marks[1] or force)
        if within:
            target, marks = _something_in(target, name, kind), (False, marks[1])
    return _new(Effect, (kind, target, source, by.span, *marks, by, option, inherent, False, by.place, True))


def _something_in(folder: PathTarget, name: str, kind: str) -> PathTarget:
    """A folder and something beneath it; links in there are not looked at, as where all that is beneath is meant."""
    reason = f"what the program `{name}` {kind}s in there is not known"

    def within(one: Value) -> Within:
        name = joined("" if one == "/" else one, _BENEATH)
        return Within((name,) if isinstance(name, str) else name.parts, reason)

    return PathTarget(within(folder.text), (*folder.names, *map(within, folder.names)))


# Pure functions of the table: remembering changes nothing but the cost.
@lru_cache(maxsize=1024)
def _state(program: str) -> PathTarget:
    return PathTarget(f"the state of `{program}`", ())


@lru_cache(maxsize=1024)
def _reached(name: str, target: str) -> UrlTarget:
    """A URL; where it ends in `?`, what the program reaches, or what it reaches by that scheme (`https://?`)."""
    return read_url(joined(target.removesuffix("?"), _unknown(name)) if target.endswith("?") else target)


@lru_cache(maxsize=1024)
def _code_text(name: str, targets: tuple[str, ...]) -> str:
    places = f" from {', '.join(f'`{target}`' for target in targets)}" if targets else ""
    return f"what `{name}` runs{places}"


@lru_cache(maxsize=1024)
def _named(name: str, target: str) -> Value:
    """A path; where it ends in `?`, one of the names that begin so, and for `?` alone any path."""
    if not target.endswith("?"):
        return target
    return joined(target[:-1], Hole.NAME, reason=f"`{name}` makes the name up") if target != "?" else _unknown(name)


def _unknown(name: str) -> Value:
    return unknown(f"what `{name}` reaches stands in its configuration")
