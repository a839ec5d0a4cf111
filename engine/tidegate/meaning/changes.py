"""Names that a call makes itself, so that what its folders hold when it is judged is not what its parts will find."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import attrs

from .effects import Effect, Mention, PathTarget
from .gaps import split_known
from .listings import is_plain
from .made import with_made_names
from .scene import Files, Scene
from .values import Hole, Partial, Value, Within

_KEEPING = frozenset({"chgrp", "chmod", "chown", "sed"})
"""Programs that write to what is there."""

_BRINGING = frozenset({"cp", "gcp", "git", "gmv", "mv", "rsync", "scp"})
"""Programs that write beneath a destination what stands in their sources."""


class _Unlisted:
    """A file system whose folders cannot be listed."""

    def __init__(self, files: Files) -> None:
        self.readlink = files.readlink
        self._kind = files.kind

    def kind(self, path: str) -> Literal["file", "dir", "link", "other", "absent", "unknown"]:
        """What stands at *path*; what is not there yet may be made."""
        found = self._kind(path)
        return "unknown" if found == "absent" else found

    def names(self, _path: str) -> None:
        """Nothing that would hold when it is needed."""


def read_settled(scene: Scene, read: Callable[[Scene], list[Effect]]) -> list[Effect]:
    """The effects that *read* finds in a text, once more without lists of folders where the text itself adds to them.

    A name with a blank that the text makes becomes two words behind a pipe, and a link out of an archive leads
    elsewhere: whatever a list of names was taken from, the list is out of date then.
    """
    effects = read(scene)
    if scene.files is None:
        return effects
    if not _adds_to_lists(effects):
        return with_made_names(effects, scene)
    unlisted = attrs.evolve(scene, files=_Unlisted(scene.files))
    return [_unsettled(effect) for effect in with_made_names(read(unlisted), unlisted)]


def _unsettled(effect: Effect) -> Effect:
    """The effect as one of which it does not count what is there now."""
    target = effect.target
    if not (isinstance(target, PathTarget) and isinstance(target.text, Within)):
        return effect
    return effect._replace(target=PathTarget(Partial(target.text.parts, target.text.reason), target.names))


def _adds_to_lists(effects: Sequence[Effect]) -> bool:
    written = [effect for effect in effects if effect.kind == "write"]
    if any(
        _brings(other, name)
        for other in effects
        for one in written
        if _command(one) != _command(other)
        for name in _names(one)
    ):
        return True
    added = [effect for effect in written if not _keeps(effect)]
    if not added:
        return False
    lists = [(effect, folder) for effect in effects for folder in _listed(effect)]
    # What one command makes of whole trees is not what it found; yet odd names are found by it that it makes itself.
    return any(
        any(_may_lie(name, folder) for name in _names(one))
        for one in added
        for other, folder in lists
        if _command(one) != _command(other) or _is_odd(one)
    )


def _brings(effect: Effect, name: Value) -> bool:
    """Whether *effect* copies or moves a whole tree in which the written *name* may lie."""
    trees = effect.recursive and effect.kind == "read" and effect.by is not None and effect.by.program in _BRINGING
    return trees and any(_may_lie(name, tree if isinstance(tree, str) else "/") for tree in _names(effect))


def _command(effect: Effect) -> tuple[int, int] | None:
    """Where the command stands that has the effect; `find -exec` runs the same one for several names."""
    return effect.span if effect.by is None else effect.by.span


def _keeps(effect: Effect) -> bool:
    """Whether what is written is there already, or is one plain file of a plain name."""
    known = effect.by is not None and effect.by.program in _KEEPING
    return known or not (effect.recursive or _is_within(effect) or _is_odd(effect))


def _is_within(effect: Effect) -> bool:
    """Whether nobody knows which names in a folder are meant."""
    return isinstance(effect.target, PathTarget) and isinstance(effect.target.text, Within)


def _is_odd(effect: Effect) -> bool:
    """Whether a name with odd characters could come of what is written."""
    target = effect.target
    if not isinstance(target, PathTarget):
        return False
    parts = (target.text,) if isinstance(target.text, str) else target.text.parts
    if any(part is Hole.ANY or (isinstance(part, str) and not is_plain(part)) for part in parts):
        return True
    return any(isinstance(part, str) and (part.startswith("-") or "/-" in part) for part in parts)


def _names(effect: Effect) -> tuple[Value, ...]:
    target = effect.target.path if isinstance(effect.target, Mention) else effect.target
    return target.names if isinstance(target, PathTarget) else ()


def _listed(effect: Effect) -> list[str]:
    """The folders that names of *effect* were taken from; what makes any name was taken from none."""
    if effect.kind == "write" and _is_within(effect):
        return []
    return [split_known(name)[0] for name in _names(effect) if isinstance(name, Partial) and name.prefix]


def _may_lie(name: Value, folder: str) -> bool:
    """Whether *name* may lie in *folder* or beneath it, or have it beneath itself."""
    above = name if isinstance(name, str) else split_known(name)[0] if name.prefix else "/"
    one, other = f"{above.rstrip('/')}/", f"{folder.rstrip('/')}/"
    return one.startswith(other) or other.startswith(one)
