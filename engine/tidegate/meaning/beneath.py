"""What recursive effects reach: the names that really stand beneath a directory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from .effects import PathTarget
from .pathpatterns import PathPattern
from .places import Places
from .scene import Scene
from .tri import Tri, Unknown, all_of, any_of


def beneath(
    target: PathTarget, scene: Scene, budget: int, enter: Callable[[str], bool] | None = None
) -> Iterator[str | Unknown]:
    """The names of what stands beneath *target*, links not followed.

    Ends with an `Unknown` where a name or a directory cannot be looked at or *budget* names were. Directories
    for which *enter* is false are named and not entered.
    """
    files = scene.files
    if files is None:
        yield Unknown("what stands beneath cannot be seen here")
        return
    for name in target.names:
        if not isinstance(name, str):
            yield Unknown(name.reason)
    todo = [name for name in target.names if isinstance(name, str) and files.kind(name) in ("dir", "unknown")]
    while todo:
        directory = todo.pop()
        found = files.names(directory)
        if found is None:
            yield Unknown(f"`{directory}` cannot be listed")
            continue
        for entry in found:
            budget -= 1
            if budget < 0:
                yield Unknown(f"there is too much beneath `{target.names[0]}` to look at")
                return
            name = f"{directory.rstrip('/')}/{entry}"
            yield name
            if (enter is None or enter(name)) and files.kind(name) in ("dir", "unknown"):
                todo.append(name)


def match_beneath(
    patterns: Sequence[PathPattern], target: PathTarget, places: Places, *, widen: bool, every: bool
) -> Tri:
    """Whether a list of patterns names what is beneath the target: some of it, or with *every* all of it.

    What can be told from the patterns alone is; else the names really there decide, within the budget of
    *places*. The target itself is not asked.
    """
    if every and any(pattern.covers_beneath(target, places) is True for pattern in patterns):
        return True
    if not every and all(pattern.may_match_beneath(target, places, widen=widen) is False for pattern in patterns):
        return False

    def leads_on(name: str) -> bool:
        return every or any(pattern.may_match_beneath_name(name, places, widen=widen) for pattern in patterns)

    def answer(name: str | Unknown) -> Tri:
        if isinstance(name, Unknown):
            return name
        return any_of(pattern.match_name(name, places, widen=widen) for pattern in patterns)

    names = beneath(target, places.scene, places.budget, leads_on)
    return (all_of if every else any_of)(map(answer, names))
