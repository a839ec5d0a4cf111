"""Where names are made out of names that were listed: in the folders in which those stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .beneath import beneath
from .commands.finding import last_names, tested_name
from .effects import LOCAL, Effect, Invocation, PathTarget
from .gaps import shape
from .scene import Scene
from .values import Hole, Partial, Possible, Value, Within, concat, possible

MOST_LISTED = 5_000
MOST_FOLDERS = 300
_FOLLOWING = frozenset({"-L", "-follow", "-R", "--dereference-recursive", "-S"})
_LISTERS = frozenset({
    "bzip2", "compress", "egrep", "fgrep", "find", "grep", "gunzip", "gzip", "pigz", "unpigz", "unzstd", "xz", "zstd",
})  # fmt: skip
"""Programs that print what stands beneath a folder, or go through it themselves; `grep` prints any name."""

_MAKING_NOTHING = frozenset({"chgrp", "chmod", "chown"})


def with_made_names(effects: Sequence[Effect], scene: Scene) -> list[Effect]:
    """The *effects*, where what is written to names made of listed ones also has each name that it can have.

    `find . -name '*.c' -exec cp {} {}.bak ';'` makes names that no list holds, beside those that `find` finds.
    Folders that cannot be told, or are too many, may be any.
    """
    if not any(map(_is_made, effects)):
        return list(effects)
    folders = _folders(effects, scene)
    return [each for effect in effects for each in (_placed(effect, folders) if _is_made(effect) else (effect,))]


def _is_made(effect: Effect) -> bool:
    """Whether an effect may make a name out of one that was listed."""
    target, by = effect.target, effect.by
    if effect.kind != "write" or effect.place != LOCAL or not isinstance(target, PathTarget):
        return False
    if isinstance(target.text, Within) or (by is not None and by.program in _MAKING_NOTHING):
        return False
    return any(_is_listed(name) for name in target.names)


def _is_listed(name: Value) -> bool:
    return isinstance(name, Partial) and not isinstance(name, Within) and Hole.FOLDERS in name.parts


def _placed(effect: Effect, folders: Sequence[str] | None) -> Iterator[Effect]:
    target = effect.target
    assert isinstance(target, PathTarget)  # noqa: S101 whoever calls has looked
    made = tuple(name for each in target.names if _is_listed(each) for name in _made(each, folders))
    if effect.recursive:  # nothing stands beneath a name that is new
        yield effect
        yield effect._replace(target=target._replace(names=made), recursive=False)
    else:
        yield effect._replace(target=target._replace(names=tuple(dict.fromkeys((*target.names, *made)))))


def _made(name: Value, folders: Sequence[str] | None) -> Iterator[Value]:
    """What a name can be whose folders are one of *folders*, or with `None` nobody knows which."""
    assert isinstance(name, Partial)  # noqa: S101 whoever calls has looked
    at = name.parts.index(Hole.FOLDERS)
    before, after = name.parts[:at], name.parts[at + 1 :]
    if folders is None or Hole.FOLDERS in after:
        yield Possible((*before, Hole.ANY, *after), name.reason)
        return
    for folder in folders:
        made = concat([Partial(before, name.reason), folder, Partial(after, name.reason)])
        yield possible(made, f"`{folder or '.'}` may be meant: {name.reason}")


def _folders(effects: Sequence[Effect], scene: Scene) -> list[str] | None:
    """The folders in which listed names stand, and those around them, each with a slash behind it.

    They are counted from where the list begins; `None` where they cannot be told.
    """
    found: dict[str, None] = {}
    for effect in effects:
        by, target = effect.by, effect.target
        if not effect.recursive or by is None or by.program not in _LISTERS or not isinstance(target, PathTarget):
            continue
        for root in target.names:
            if not isinstance(root, str) or effect.place != LOCAL or not _is_whole(by):
                return None
            if not _note(found, root, by, scene):
                return None
    return list(found) or None


def _is_whole(by: Invocation) -> bool:
    """Whether it is known what a command lists, and that it follows no links."""
    return by.complete and not any(option.name in _FOLLOWING for option in by.options)


def _note(found: dict[str, None], root: str, by: Invocation, scene: Scene) -> bool:
    """Note the folders of what *by* lists beneath *root*; false where they cannot be told."""
    found[""] = None
    last = last_names(tested_name(by)) if by.program == "find" else (Hole.ENTRY,)
    fits = shape(last).accepts
    start = len(root.rstrip("/")) + 1
    for name in beneath(PathTarget(root, (root,)), scene, MOST_LISTED):
        if not isinstance(name, str) or len(found) > MOST_FOLDERS:
            return False
        folder, slash, own = name[start:].rpartition("/")
        if not fits(own):
            continue
        while folder + slash not in found:
            found[folder + slash] = None
            folder, slash, _ = folder.rpartition("/")
    return True
