"""The names that trees bring with them where they are copied or moved to."""

from __future__ import annotations

from collections.abc import Iterator

from ..beneath import beneath
from ..effects import Operand, PathTarget
from ..gaps import Tree, split_known
from ..values import Hole, Partial, Value
from .run import Item, Run
from .text import joined, known_end

MOST_BROUGHT = 1_000
_FOLLOWING = ("-H", "--dereference", "--copy-links", "--copy-unsafe-links", "--copy-dirlinks")
_WITH_PARENTS = ("--parents", "--relative")
_BROUGHT = "what the source brings is not known"


def brought(run: Run, sources: list[Operand], item: Item) -> tuple[Value, ...] | None:
    """The names beneath a destination that whole trees write, or `None` where they are not all known.

    They are those that stand in the sources now. A source comes to stand in the destination under its own name where
    that is a folder; else, or where only what is in it is copied (`a/.`), it becomes the destination.
    """
    assert item.path is not None  # noqa: S101 whoever calls has looked
    if run.scene.files is None or run.command.place.kind != "local" or _holds_the_shell(run, sources):
        return None
    rests: dict[str | Hole, None] = {}
    for source in sources:
        rests.update(dict.fromkeys(_rests(run, source, item.path)))
        if Hole.ANY in rests:
            return None
    bases = ["" if name == "/" else name for name in item.path.names]
    return tuple(joined(base, "/", rest) for base in bases for rest in rests)


def _holds_the_shell(run: Run, sources: list[Operand]) -> bool:
    """Whether a shell may stand in one of the sources: moved with it, it goes on writing beneath the destination."""
    folders = [*run.command.cwds, *run.cwds, run.scene.cwd]
    for source in sources:
        for name in source.path.names if source.path is not None else ():
            if not isinstance(name, str):
                continue  # what stands beneath such a name is looked at anyway
            above = f"{name.rstrip('/')}/"
            if any(not isinstance(cwd, str) or f"{cwd}/".startswith(above) for cwd in folders):
                return True
    return False


def anything_beneath(path: PathTarget) -> PathTarget:
    """A path as a name of its own and of everything beneath it, whether it is there or not."""
    more = tuple(joined("" if name == "/" else name, "/", Hole.ANY, reason=_BROUGHT) for name in path.names)
    return path._replace(names=(*path.names, *more))


def _rests(run: Run, source: Operand, target: PathTarget) -> Iterator[str | Hole]:
    """What follows the destination in the names that *source* writes; `Hole.ANY` where that cannot be told."""
    files, path, value = run.scene.files, source.path, source.value
    assert files is not None  # noqa: S101 whoever calls has looked
    parents = any(run.found(name) is not None for name in _WITH_PARENTS)
    becomes = run.found("--no-target-directory") is not None
    if path is None or (parents and not isinstance(value, str)):
        yield Hole.ANY
        return
    whole = known_end(value).endswith(("/", "/.", "/..")) or value in (".", "..")
    inside = not (becomes or known_end(value).endswith("/.") or value in (".", ".."))
    itself = becomes or whole or any(not isinstance(name, str) or files.kind(name) != "dir" for name in target.names)
    left = MOST_BROUGHT
    for root in _roots(run, path):
        own = str(root).rpartition("/")[2]
        if isinstance(value, str):
            own = value.strip("/") if parents else value.rstrip("/").rpartition("/")[2]
        for name in [root] if isinstance(root, Hole) else beneath(PathTarget(root, (root,)), run.scene, left):
            if not isinstance(name, str) or (files.readlink(name) is not None and _follows(run)):
                yield Hole.ANY
                return
            left -= 1
            rest = name[len(str(root).rstrip("/")) + 1 :]
            if inside:
                yield f"{own}/{rest}"
            if itself:
                yield rest


def _follows(run: Run) -> bool:
    """Whether what links in a source lead to is copied in their place."""
    return any(run.found(name) is not None for name in _FOLLOWING)


def _roots(run: Run, path: PathTarget) -> Iterator[str | Hole]:
    """The folders that a source could be; `Hole.ANY` where one cannot be told."""
    files = run.scene.files
    assert files is not None  # noqa: S101 whoever calls has looked
    for name in path.names:
        if isinstance(name, str):
            yield name
            continue
        if not name.prefix.startswith("/") or Hole.ANY in name.parts:
            yield Hole.ANY
            return
        for step in Tree(files, MOST_BROUGHT).steps(*split_known(name)):
            if isinstance(step, Partial):
                yield Hole.ANY
                return
            if not step[1]:
                yield Hole.ANY if step[2] else step[0]
