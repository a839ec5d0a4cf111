"""The names that trees bring with them where they are copied or moved to."""

from __future__ import annotations

from collections.abc import Iterator

from ..beneath import beneath
from ..effects import Operand, PathTarget
from ..gaps import Tree, split_known
from ..values import Hole, Matched, Partial, Value, possible, settled
from .run import Run
from .text import as_found, joined, known_end, known_start, last_component

MOST_BROUGHT = 1_000
_FOLLOWING = ("-H", "--dereference", "--copy-links", "--copy-unsafe-links", "--copy-dirlinks")
_WITH_PARENTS = ("--parents", "--relative")
_MOVING = frozenset({"mv", "gmv"})
_OTHERWISE = (
    "--files-from", "--keep-dirlinks", "--inplace", "--append", "--append-verify", "-b",
    "--backup", "--suffix",
)  # fmt: skip
"""Options of `rsync` with which other names are written than those that its sources hold."""
_BROUGHT = "what the source brings is not known"


def brought(run: Run, sources: list[Operand], path: PathTarget, *, away: bool = False) -> tuple[Value, ...] | None:
    """The names beneath a destination that whole trees write, or `None` where they are not all known.

    They are those that stand in the sources now. A source comes to stand in the destination under its own name where
    that is a folder; else, or where only what is in it is copied (`a/.`), it becomes the destination. Of a
    destination that is *away*, on another host, nobody knows what it is.
    """
    if run.scene.files is None or run.command.place.kind != "local":
        return None
    if run.program in _MOVING and _holds_the_shell(run, sources):
        return None
    if run.entry.name == "rsync" and any(run.found(name) is not None for name in _OTHERWISE):
        return None
    rests: dict[str | Hole, bool] = {}
    for source in sources:
        sure = _is_meant(source)
        for rest in _rests(run, source, None if away else path):
            rests[rest] = sure or rests.get(rest, False)
        if Hole.ANY in rests:
            return None
    bases = ["" if name == "/" else name for name in path.names]
    names = ((joined(base, "/", rest), sure) for base in bases for rest, sure in rests.items())
    return tuple(name if sure else possible(name, _BROUGHT) for name, sure in names)


def _is_meant(source: Operand) -> bool:
    """Whether all that a source stands for is certainly meant, and not some of it (`find -exec cp -r {} d ';'`)."""
    names = () if source.path is None else source.path.names
    return type(source.value) is Matched or all(isinstance(name, str) for name in names)


def local_sources(run: Run, destination: int | None) -> list[Operand]:
    """All operands but the one at *destination*, with the paths of those that lie on this machine (`rsync a h:b c`)."""
    return [
        _on_this_machine(run, operand) if operand.path is None else operand
        for index, operand in enumerate(run.operands)
        if index != destination
    ]


def _on_this_machine(run: Run, operand: Operand) -> Operand:
    start = known_start(operand.value)
    settled = isinstance(operand.value, str) or "/" in start
    if not operand.role.startswith("transfer") or not settled or ":" in start.partition("/")[0]:
        return operand
    return operand._replace(path=run.resolve(operand.value, glob=type(operand.value) is Matched))


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


def _rests(run: Run, source: Operand, target: PathTarget | None) -> Iterator[str | Hole]:
    """What follows the destination in the names that *source* writes; `Hole.ANY` where that cannot be told.

    Without a *target* nobody knows whether the destination is a folder.
    """
    files, path, value = run.scene.files, source.path, settled(source.value)
    assert files is not None  # noqa: S101 whoever calls has looked
    parents = any(run.found(name) is not None for name in _WITH_PARENTS)
    becomes = run.found("--no-target-directory") is not None
    if path is None or (parents and not isinstance(value, str)):
        yield Hole.ANY
        return
    whole = known_end(value).endswith(("/", "/.", "/..")) or value in (".", "..")
    inside = not (becomes or known_end(value).endswith("/.") or value in (".", ".."))
    there = target is not None and all(isinstance(name, str) and files.kind(name) == "dir" for name in target.names)
    itself = becomes or whole or not there
    left = MOST_BROUGHT
    for root in _roots(run, path):
        own = str(root).rpartition("/")[2]
        if isinstance(value, str):
            own = str(own_name(run, value))
        if inside and own:
            yield own
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


def own_name(run: Run, value: Value) -> Value:
    """The name under which a source comes to stand in a folder: its last one, or with the folders that lead to it.

    Of these `rsync` keeps those behind `/./`.
    """
    if not any(run.found(name) is not None for name in _WITH_PARENTS):
        return last_component(as_found(value))
    if not isinstance(value, str):
        return value
    head, mark, tail = value.partition("/./")
    return (tail if mark and run.entry.name == "rsync" else head + mark + tail).strip("/")


def possible_names(run: Run, source: Operand, folder: Value) -> tuple[Value, ...] | None:
    """What *source* may come to stand under in *folder*, by the names that are there now.

    `None` where these are not all known, or where the shape of the source says as much.
    """
    path, name = source.path, last_component(source.value)
    if path is None or isinstance(source.value, str) or isinstance(name, str) or name.parts != (Hole.ENTRY,):
        return None
    if run.scene.files is None or run.command.place.kind != "local":
        return None
    own: dict[str, None] = {}
    for root in _roots(run, path):
        if isinstance(root, Hole) or len(own) > MOST_BROUGHT:
            return None
        own[root.rpartition("/")[2]] = None
    found = [name for each in own for name in run.resolve(joined(folder, "/", each)).names]
    reason = source.value.reason
    return tuple(possible(name, reason) for name in found)


def _follows(run: Run) -> bool:
    """Whether what links in a source lead to is copied in their place."""
    return any(run.found(name) is not None for name in _FOLLOWING)


def _roots(run: Run, path: PathTarget) -> Iterator[str | Hole]:
    """The folders that a source could be; `Hole.ANY` where one cannot be told."""
    files = run.scene.files
    assert files is not None  # noqa: S101 whoever calls has looked
    for name in map(settled, path.names):
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
