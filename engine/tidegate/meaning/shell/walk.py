"""Shell text becomes effects: the one door of the shell reader."""

from __future__ import annotations

from operator import itemgetter

from ..effects import CodeTarget, Effect, PathTarget
from ..scene import Scene
from ..values import Value, unknown
from .command import Limits
from .plain import PlainReader
from .plain_text import LONGEST
from .running.machine import Exhausted
from .running.names import BASH, POSIX
from .running.state import State
from .running.texts import Walker
from .seams import Interpret, ReadCode, ReadHost, Resolve, Seams

_NO_LIMITS = Limits()
_PLAIN = BASH | POSIX
_RIGHTS = frozenset({"chgrp", "chmod", "chown"})
_kind = itemgetter(0)


def walk(  # noqa: PLR0913 the readers and the facts of the place are given by name
    text: Value,
    scene: Scene,
    interpret: Interpret,
    *,
    resolve: Resolve,
    read_host: ReadHost,
    read_code: ReadCode,
    shell: str = "bash",
    persistent: bool = False,
    limits: Limits = _NO_LIMITS,
    source: str = "",
) -> list[Effect]:
    """Say everything that running *text* in *shell* could do, in the order in which it is written.

    *interpret* is called for every simple command that could run, with its words after expansion:
    a `Word` with `many` and without `glob` holds the text before it is split (`rm /tmp/$x` has the value
    `/tmp/⟨…⟩`, and its first word begins so), one with `glob` the shape of each name.
    A word made by `<(…)` has the value `/dev/fd/⟨digits⟩`.
    Where the first word may vanish (`$x rm`), *interpret* is called for what follows as well.
    Where a variable has a few possible values, *interpret* is called once for each.

    The walker follows `Reading.nested`, except for the builtins in `builtins.table.STATEFUL` (`cd`, `eval`,
    `command`, `exec`, `trap`, …): it reads these itself and wants only their `exec` effect. It stamps `source` on
    every effect, and `place` on those of code; spans are those of *text*, for nested text those of the word that
    holds it.

    Redirections, lasting state of a *persistent* shell, command names that are not constant, and whatever
    is not modelled become effects here; the last two as `unknown` with the reason. Nothing is raised for any
    text; past one of the *limits* the answer ends in an `unknown` effect that says which.
    """
    seams = Seams(interpret, resolve, read_host, read_code)
    try:
        if isinstance(text, str) and len(text) <= LONGEST and len(text) <= limits.size and shell in _PLAIN:
            short = PlainReader(scene, seams, limits, source, persistent=persistent)
            if short.read(text, sh=shell in POSIX):
                return fresh_code(short.effects)
    except (Exhausted, RecursionError):
        pass  # the long way says where it ends
    span = (0, len(text) if isinstance(text, str) else 0)
    machine = Walker(scene, seams, limits, source, persistent=persistent)
    try:
        machine.shell(text, shell, _start(scene, persistent=persistent), span)
    except Exhausted as end:
        machine.doubt(end.reason, span)
    except RecursionError:
        machine.doubt("constructs are nested too deeply to be read", span)
    return fresh_code(machine.effects)


def _start(scene: Scene, *, persistent: bool) -> State:
    """The state of the shell that runs the text; its arguments and its input are whatever it was started with."""
    state = State((scene.cwd if scene.cwd is not None else unknown("the working directory is not known"),))
    if persistent or not scene.complete_environment:
        state.arguments = None
    else:
        state.stdin = ""
    return state


def fresh_code(effects: list[Effect]) -> list[Effect]:
    """Mark code that runs from a file which the same text may have written."""
    kinds = set(map(_kind, effects))
    if "write" not in kinds or "code" not in kinds:
        return effects
    written = [
        (name, effect)
        for effect in effects
        if effect.kind == "write" and isinstance(effect.target, PathTarget) and not _leaves_content(effect)
        for name in effect.target.names
    ]
    return [
        effect._replace(fresh=True) if effect.kind == "code" and _runs_one_of(written, effect) else effect
        for effect in effects
    ]


def _leaves_content(effect: Effect) -> bool:
    """Whether what is written are the rights of a file alone."""
    return effect.by is not None and effect.by.program in _RIGHTS


def _runs_one_of(written: list[tuple[Value, Effect]], effect: Effect) -> bool:
    if not isinstance(effect.target, CodeTarget):
        return False
    names = [name for path in effect.target.paths for name in path.names]
    return any(
        _may_be(one, name, beneath=writing.recursive)
        for one, writing in written
        if not (_keeps_books(writing, effect) or _mounts(writing, effect))
        for name in names
    )


def _keeps_books(writing: Effect, code: Effect) -> bool:
    """Whether one command does both by its very nature: `npm install` writes the file that holds its scripts."""
    kept = isinstance(code.target, CodeTarget) and code.target.kept
    return kept and code.inherent and writing.inherent and code.by is not None and writing.by is code.by


def _mounts(writing: Effect, code: Effect) -> bool:
    """Whether the writing is the mount of a folder into the very container in which the code runs.

    A mount writes nothing before what runs inside does. Where both commands have the same span, nobody can tell
    one container from another.
    """
    if code.place.kind != "container" or writing.by is None or code.by is None or not writing.recursive:
        return False
    outer, inner = writing.by.span, code.by.span
    return writing.place != code.place and outer != inner and outer[0] <= inner[0] and inner[1] <= outer[1]


def _may_be(written: Value, name: Value, *, beneath: bool) -> bool:
    """Whether two names may be the same, or the second lie *beneath* the first."""
    if isinstance(written, str) and isinstance(name, str):
        return written == name or (beneath and name.startswith(written.rstrip("/") + "/"))
    one, other = _ends(written), _ends(name)
    heads = one[0].startswith(other[0]) or other[0].startswith(one[0])
    return heads and (beneath or one[1].endswith(other[1]) or other[1].endswith(one[1]))


def _ends(value: Value) -> tuple[str, str]:
    return (value, value) if isinstance(value, str) else (value.prefix, value.suffix)
