"""What recursive effects reach: the names that really stand beneath a directory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from .effects import PathTarget
from .gaps import Tree, split_known
from .pathpatterns import PathPattern
from .places import Places
from .scene import Scene
from .tri import Tri, Unknown, all_of, any_of
from .values import Hole, Partial, Possible, Value, Within, concat, possible, settled

_BENEATH = Partial(("/", Hole.FOLDERS, Hole.ENTRY), "what stands beneath is not known")


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
    patterns: Sequence[PathPattern],
    target: PathTarget,
    places: Places,
    *,
    widen: bool,
    every: bool,
    present: bool = False,
) -> Tri:
    """Whether a list of patterns names what is beneath the target: some of it, or with *every* all of it.

    What can be told from the patterns alone is; else the names really there decide, within the budget of
    *places*. The target itself is not asked. With *present* only what is there is meant.
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

    if every:
        return all_of(map(answer, beneath(target, places.scene, places.budget, leads_on)))
    trees: list[Value] = []
    known: list[Value] = []
    doubtful: list[Value] = []
    for name in target.names:
        if _is_listed(name, present=present):
            tree = concat([name, _BENEATH])
            trees.append(possible(tree, name.reason) if isinstance(name, Possible) else tree)
        else:
            (known if settled(name) is name else doubtful).append(settled(name))

    def found(names: Sequence[Value]) -> Tri:
        there = PathTarget(target.text, tuple(names))
        return any_of(map(answer, beneath(there, places.scene, places.budget, leads_on)))

    answers = [match_there(patterns, PathTarget(target.text, tuple(trees)), places, widen=widen), found(known)]
    if doubtful:
        may_be = found(doubtful)
        answers.append(Unknown("what stands beneath may be meant") if may_be is True else may_be)
    return any_of(answers)


def match_there(
    patterns: Sequence[PathPattern], target: PathTarget, places: Places, *, widen: bool, present: bool = False
) -> Tri:
    """Whether a list of patterns names the target, for a deny.

    Where names of a whole tree are meant (`find`), or with *present* names of what is there (`rm *.o`), and the
    patterns alone cannot tell, the names that are really there decide, within the budget of *places*: yes is not said
    for them, since not all of them may be meant.
    """
    return any_of(_there(patterns, name, places, widen=widen, present=present) for name in target.names)


def _there(patterns: Sequence[PathPattern], name: Value, places: Places, *, widen: bool, present: bool) -> Tri:
    def matches(each: Value) -> Tri:
        return any_of(pattern.match_name(each, places, widen=widen) for pattern in patterns)

    said = matches(name)
    files = places.scene.files
    if files is None or not isinstance(said, Unknown) or not isinstance(name, Partial):
        return said
    if not _is_listed(name, present=present):
        return said
    for step in Tree(files, places.budget).steps(*split_known(name)):
        if isinstance(step, Partial):
            return Unknown(step.reason)
        path, after, _ = step
        if not after and matches(path) is not False:
            return Unknown(f"`{path}` may be meant: {said.reason}")
    return False


def _is_listed(name: Value, *, present: bool) -> bool:
    """Whether a name stands for what `find` finds in a whole tree, or for some names of what is *present*."""
    if not isinstance(name, Partial):
        return False
    if isinstance(name, Within):
        return present
    if isinstance(settled(name), str):
        return False
    return Hole.FOLDERS in name.parts or (present and name.prefix[:1] == "/" and Hole.ANY not in name.parts)
