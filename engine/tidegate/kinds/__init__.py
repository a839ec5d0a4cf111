"""The kinds that ship with tidegate, one file each, and the way to those of others.

A built-in kind is a module of this package; it is found by listing the package and imported when a rule names it.
A third-party kind is an entry point of the group `tidegate.kinds`; it is loaded only where the top layer names it.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points

from ..kind import Kind

GROUP = "tidegate.kinds"


# What ships in this package stays the same while a process runs, and every rule asks.
@cache
def builtin_names() -> tuple[str, ...]:
    """The names of the built-in kinds, sorted."""
    return tuple(sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__)))


def builtin(name: str) -> Kind:
    """The built-in kind of that name.

    Raises:
        KeyError: There is none.
    """
    if name not in builtin_names():
        raise KeyError(name)
    kind = import_module(f".{name.replace('-', '_')}", __name__).KIND
    assert isinstance(kind, Kind)  # noqa: S101 - a module here that has no kind is our own mistake
    return kind


def installed_names() -> list[str]:
    """The names under which installed packages offer kinds, sorted; none of them is loaded."""
    return sorted({point.name for point in entry_points(group=GROUP)})


def third_party(names: Iterable[str]) -> dict[str, Kind]:
    """Load the named kinds from their entry points.

    Raises:
        KeyError: No installed package offers a kind of that name.
        TypeError: What the entry point leads to is no kind of that name.
    """
    found = {}
    for name in names:
        points = entry_points(group=GROUP, name=name)
        if not points:
            raise KeyError(name)
        kind = next(iter(points)).load()
        if not isinstance(kind, Kind) or kind.name != name:
            raise TypeError(f"the entry point `{name}` of the group `{GROUP}` leads to no kind of that name")
        found[name] = kind
    return found
