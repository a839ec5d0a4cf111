"""Scripts that really run in a scratch folder, and what changed there beside the effects that were computed before."""

import os
import re
import signal
import stat
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from tidegate.facts.files import LocalFiles
from tidegate.meaning.commands.code import read_code
from tidegate.meaning.commands.interpret import interpret
from tidegate.meaning.commands.table import Table
from tidegate.meaning.effects import PathTarget
from tidegate.meaning.paths import resolve
from tidegate.meaning.scene import Scene
from tidegate.meaning.shell.walk import walk
from tidegate.meaning.urls import read_host
from tidegate.meaning.values import shown

TABLE = Table.builtin()
DEEP = "1/2/3/4/5/6/7/8/9"  # so that a script that climbs stays inside
SHAPES = {
    "NAME": "[^/]*",
    "VISIBLE": "(?![./])[^/]*",
    "DIGITS": "[0-9]+",
    "FOLDERS": "(?:(?!\\.\\.?/)[^/]+/)*",
    "ENTRY": "(?!\\.\\.?(?:/|$))[^/]+",
    "ANY": "[\\s\\S]*",
}
SECONDS = 10


class Seen(NamedTuple):
    """A script, what changed when it ran, and its effects; `late` tells that it did not end in time."""

    script: str
    changed: frozenset[str]
    effects: list
    late: bool


def furnish(folder):
    """Make the files that generated scripts know of; the working directory and the home."""
    work, home = folder / DEEP / "work", folder / DEEP / "home"
    for place in (work / "dir" / "sub", work / "empty", home / "docs"):
        place.mkdir(parents=True)
    for name, text in {
        "a.txt": "1\n2\n",
        "b.txt": "2\n1\n",
        "c": "1\n",
        "dir/in": "1\n",
        "dir/sub/deep": "x\n",
    }.items():
        (work / name).write_text(text)
    (work / "sp ace").write_text("1\n")
    (work / ".hidden").write_text("1\n")
    (work.parent / "c").write_text("above\n")
    (home / "docs" / "old").write_text("old\n")
    (work / "link").symlink_to("dir")
    (work / "alias").symlink_to("a.txt")
    (work / "dangling").symlink_to("made")
    (work / "packed").write_text("packed\n")
    subprocess.run(["tar", "cf", "arch.tar", "packed"], cwd=work, check=True)
    (work / "packed").unlink()
    return work, home


def state(folder):
    """Every path beneath *folder* with its kind, mode, and for all but folders its content and time."""
    found = {}
    for place, folders, names in os.walk(folder):
        for name in folders + names:
            path = f"{place}/{name}"
            status = os.lstat(path)
            found[path] = (status.st_mode, status.st_ino)
            if not stat.S_ISDIR(status.st_mode):
                found[path] += (status.st_mtime_ns, status.st_size)
    return found


def effects_in(script, work, home, shell="bash"):
    """What the engine itself says about *script*, with its own table of commands."""
    scene = Scene(cwd=str(work), home=str(home), files=LocalFiles())
    return walk(
        script,
        scene,
        lambda command: interpret(command, scene, TABLE),
        resolve=resolve,
        read_host=read_host,
        read_code=lambda language, code, command: read_code(language, code, command, scene),
        shell=Path(shell).name.replace("dash", "sh"),
    )


def run(script, folder, shell="bash"):
    """Read *script*, then run it, in *folder*, which is made."""
    work, home = furnish(folder)
    effects = effects_in(script, work, home, shell)
    before = state(folder)
    late = _execute(script, work, home, shell)
    after = state(folder)
    changed = frozenset(path for path in {*before, *after} if before.get(path) != after.get(path))
    return Seen(script, changed, effects, late)


def _execute(script, work, home, shell):
    """Run *script* with the programs of this machine; whether it had to be killed."""
    process = subprocess.Popen(
        [shell, "-c", script],
        cwd=work,
        env={"PATH": os.environ["PATH"], "HOME": str(home), "LC_ALL": "C.UTF-8", "TMPDIR": str(home)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        process.wait(SECONDS)
    except subprocess.TimeoutExpired:
        return True
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return False


def unseen(seen):
    """The changes that no effect says and that nothing unknown can explain."""
    if is_open(seen):
        return set()
    return {path for path in seen.changed if not any(covers(effect, path) for effect in seen.effects)}


def is_open(seen):
    """Whether something is said not to be known, or to be code that nobody reads."""
    return any(effect.kind in ("unknown", "code") for effect in seen.effects)


def is_exact(seen):
    """Whether every change is one that an effect names in full."""
    return not is_open(seen) and all(
        any(covers(effect, path, exactly=True) for effect in seen.effects) for path in seen.changed
    )


def covers(effect, path, *, exactly=False):
    """Whether *effect* says that *path* changes, or may: by name, by shape, as part of a folder or on the way to it."""
    if effect.kind not in ("write", "delete") or not isinstance(effect.target, PathTarget):
        return False
    return any(_is(name, path, effect, exactly) for name in effect.target.names)


def _is(name, path, effect, exactly):
    if isinstance(name, str):
        beneath = effect.recursive and path.startswith(f"{name.rstrip('/')}/")
        return path == name or beneath or (effect.kind == "write" and name.startswith(f"{path}/"))
    if exactly:
        return False
    if effect.kind == "write" and name.prefix.startswith(f"{path}/"):
        return True
    shape = "".join(re.escape(part) if isinstance(part, str) else SHAPES[part.name] for part in name.parts)
    return re.fullmatch(shape + ("(/[\\s\\S]*)?" if effect.recursive else ""), path) is not None


def told(seen):
    """A failure in a form that can be read."""
    effects = [
        f"{effect.kind}{' recursive' * effect.recursive} {' | '.join(map(shown, effect.target.names))}"
        for effect in seen.effects
        if isinstance(effect.target, PathTarget) and effect.kind in ("write", "delete")
    ]
    return "\n".join([seen.script, *sorted(unseen(seen)), *effects])
