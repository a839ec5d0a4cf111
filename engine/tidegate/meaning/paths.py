"""From a path as spelled to every absolute name that stands for what it reaches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from .effects import PathTarget
from .gaps import follow_partial
from .links import NO_FILES, is_plain, passes_link, walk
from .scene import Files, Scene
from .simple_paths import simple_names
from .spellings import LONGEST, at_home, is_odd, readings
from .values import Hole, Partial, Possible, Value, concat, possible, settled, unknown
from .windows import is_windows, windows_name

MOST_PARTS = 64
NO_CWD = unknown("the working directory is not known")
# The constructor of a named tuple costs four times as much as the tuple itself.
_new = tuple.__new__


def resolve(
    value: Value,
    cwds: Sequence[Value],
    scene: Scene,
    *,
    follow: bool = True,
    tilde: bool = False,
    glob: bool = False,
) -> PathTarget:
    """Find all absolute names that stand for what *value* reaches.

    They are its spelling without `..`, the entry with its parents resolved, its spelling after each symbolic
    link on the way, and what stands at the end; all of that once for each of *cwds*. Nothing is folded before
    links are followed. What cannot be known is a partly known name with its reason.

    Args:
        value: The path as spelled.
        cwds: Every directory that it could be relative to; none means that the directory is not known.
        scene: Its `files` tell symbolic links; without them what a path reaches is an unknown name beside the
            spelling, so that a grant does not pass and a deny still sees the spelling.
        follow: Whether the last component is followed where it is a link (not by `rm`, `mv`, `ln -s`, `lstat`).
        tilde: Whether a leading `~` may stand for a home directory; both readings are then listed. A shell has
            already expanded it and passes false.
        glob: Whether holes of the shape `NAME` come from file name expansion, and so are never `.` or `..`.
    """
    if isinstance(value, Possible):
        return _possible(value, resolve(_meant(value), cwds, scene, follow=follow, tilde=tilde, glob=glob))
    if scene.files is None and not tilde:
        names = simple_names(value, cwds, scene.cwd, glob)
        if names is not None:
            return _new(PathTarget, (value, names))
        return _unseen(value, tuple(cwds), scene.cwd, follow, glob)
    return _resolved(value, cwds, scene, follow=follow, tilde=tilde, glob=glob)


def _meant(value: Possible) -> Value:
    """What may be meant, as if it certainly were."""
    text = settled(value)
    return Partial(value.parts, value.reason) if text is value else text


def _possible(value: Possible, target: PathTarget) -> PathTarget:
    """A path of which nobody knows whether it is meant, under all its names."""
    return PathTarget(value, tuple(possible(name, value.reason) for name in target.names))


# Pure, as no fact is asked for: remembering changes nothing but the cost. Where links are seen, nothing is remembered.
@lru_cache(maxsize=4_096)
def _unseen(value: Value, cwds: tuple[Value, ...], cwd: str | None, follow: bool, glob: bool) -> PathTarget:
    return _resolved(value, cwds, Scene(cwd), follow=follow, tilde=False, glob=glob)


def _resolved(
    value: Value, cwds: Sequence[Value], scene: Scene, *, follow: bool, tilde: bool, glob: bool
) -> PathTarget:
    path = _plain_path(value, cwds, scene) if isinstance(value, str) else None
    if path is not None and scene.files is None:
        return _new(PathTarget, (value, (path, NO_FILES)))
    if path is not None and scene.files is not None and _is_no_link(path, value, scene.files, follow=follow):
        return _new(PathTarget, (value, (path,)))
    return _new(PathTarget, (value, _names(value, cwds, scene, follow=follow, tilde=tilde, glob=glob)))


def _plain_path(text: str, cwds: Sequence[Value], scene: Scene) -> str | None:
    """The one absolute path that *text* means, where there is nothing to fold in it but a dot or slash at an end."""
    if is_odd(text) or is_windows(scene.cwd):
        return None
    path = text
    if text[0] != "/":
        cwd = cwds[0] if len(cwds) == 1 else None
        if not isinstance(cwd, str):
            return None
        path = f"{cwd}/{text[2:]}" if text[:2] == "./" else f"{cwd}/{text}"
    if path[-1] == "/":
        path = path[:-1]
    elif path[-2:] == "/.":
        path = path[:-2]
    return path if is_plain(path) else None


def _is_no_link(path: str, value: Value, files: Files, *, follow: bool) -> bool:
    """Whether nothing on the way along the plain *path* is a symbolic link; one that a slash follows is on the way."""
    through = follow or value == "." or str(value).endswith(("/", "/."))
    return not passes_link(path if through else path.rpartition("/")[0], files)


def _names(
    value: Value, cwds: Sequence[Value], scene: Scene, *, follow: bool, tilde: bool, glob: bool
) -> tuple[Value, ...]:
    meant = readings(value, scene, tilde=tilde) if isinstance(value, str) else _partial_readings(value, scene, tilde)
    names: dict[Value, None] = {}
    for reading in meant:
        for path in _absolute(reading, cwds or (NO_CWD,), scene):
            if isinstance(path, str):
                found = walk(path, scene.files, cwds, follow=follow).names
            else:
                found = follow_partial(path, cwds, scene, follow=follow, glob=glob)
            names.update(dict.fromkeys(found))
    return tuple(names)


def _partial_readings(value: Partial, scene: Scene, tilde: bool) -> list[Value]:
    """The paths that partly known text can mean."""
    prefix = value.prefix
    known = "".join(part for part in value.parts if isinstance(part, str))
    if len(known) > LONGEST or len(value.parts) > MOST_PARTS:
        return [unknown("the path is too long")]
    meant: list[Value] = [value]
    if tilde and prefix.startswith("~") and "/" in prefix:
        meant = [concat([home, Partial(value.parts[1:], value.reason)]) for home in at_home(prefix, scene)] + meant
    elif tilde and (not prefix or prefix.startswith("~")):
        meant.append(unknown("the path may begin with `~`"))
    if prefix[:5].lower() == "file:" or "\0" in known or "\\" in known:
        meant.append(unknown(value.reason))
    return meant


def _absolute(path: Value, cwds: Sequence[Value], scene: Scene) -> Iterator[Value]:
    """The path under each directory that it could be relative to."""
    if is_windows(scene.cwd):
        for cwd in cwds:
            yield windows_name(path, cwd) if isinstance(path, str) else unknown(path.reason)
        return
    start = path if isinstance(path, str) else path.prefix
    if start.startswith("/") or (not start and isinstance(path, Partial) and path.parts[0] is Hole.ANY):
        yield path
        return
    for cwd in cwds:
        rooted = cwd if not isinstance(cwd, str) or cwd.startswith("/") else NO_CWD
        yield concat([rooted, "/", path])
