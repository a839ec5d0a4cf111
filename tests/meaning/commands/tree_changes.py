"""Commands over whole trees that really run in a scratch folder, beside what was said before that they would change."""

from __future__ import annotations

import os
import re
import shutil
import signal
import stat
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from hypothesis import strategies as st

from tidegate.facts.files import LocalFiles
from tidegate.meaning.changes import read_settled
from tidegate.meaning.commands.code import read_code
from tidegate.meaning.commands.interpret import interpret
from tidegate.meaning.commands.table import Table
from tidegate.meaning.comparing import denies_path
from tidegate.meaning.effects import Effect, PathTarget
from tidegate.meaning.pathpatterns import PathPattern
from tidegate.meaning.paths import resolve
from tidegate.meaning.places import Places
from tidegate.meaning.scene import Scene
from tidegate.meaning.shell.walk import walk
from tidegate.meaning.urls import read_host

TABLE = Table.builtin()
DEEP = "1/2/3/4/5"  # so that a command that climbs stays inside
SECONDS = 10
NOBODY = 65_534
_SPECIAL = re.compile(r"[\\*?\[\]{}]")
_NO_TEXT = re.compile("[\ud800-\udfff]")

# Names that a list of names gives away: they split into words, look like options, or lead elsewhere.
PLAIN = ("a", "b.txt", "c.sh", "d.gz", "keep.txt", "in.tgz")
ODD = (
    "-r", "-rf", "-delete", "--help", "sp ace", "a b.txt", "x ..", ". ", "..x", "...", "new\nline.txt", "q'uote",
    'q"uote', "back\\slash", "*", "[ab]", "$(touch made)", "`touch made`", ";", "#", "~", "a;b", "é", "\udcff",
    "tab\there",
    "b.txt -r", "-f b.txt", "{}", "a=b", "-", "--",
)  # fmt: skip

names = st.sampled_from(PLAIN) | st.sampled_from(ODD)
plain_names = st.sampled_from(PLAIN)
links = st.sampled_from(["../out", "../out/kept", "..", ".", "dir", "b.txt", "../../5"])


class Run(NamedTuple):
    """A command, the files of its tree, and which of the paths that changed nothing that was said explains."""

    text: str
    unseen: frozenset[str]
    denied_no: frozenset[str]
    changed: frozenset[str]
    settled: bool


@st.composite
def trees(draw) -> dict[str, str | None]:
    """A small tree: what stands at each path beneath `work`, a text or, where it is `->` and a path, a link."""
    drawn = draw(st.sampled_from([plain_names, names]))
    tree: dict[str, str | None] = {}
    for folder in ("", "dir/", *(f"{name}/" for name in draw(st.lists(drawn, max_size=2, unique=True)))):
        for name in draw(st.lists(drawn, max_size=4, unique=True)):
            tree[f"{folder}{name}"] = "1\n2\n"
        if draw(st.integers(0, 2)) == 0:
            tree[f"{folder}ln"] = "->" + draw(links)
    return tree


def furnish(base: Path, tree: dict[str, str | None]) -> Path:
    """Make the tree, beside a folder that no command means; the working directory."""
    work = base / DEEP / "work"
    (work / "dir").mkdir(parents=True)
    (work.parent / "out").mkdir()
    (work.parent / "out" / "kept").write_text("kept\n")
    for name, text in sorted(tree.items()):
        path = work / name
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            if text is not None and text.startswith("->"):
                path.symlink_to(text[2:])
            elif not path.exists():
                path.write_text(text or "")
    return work


def effects_of(text: str, work: Path) -> tuple[list[Effect], Scene]:
    """What is said of *text*, with the files that are there."""
    scene = Scene(cwd=str(work), home=str(work.parent / "home"), files=LocalFiles())

    def read(scene: Scene) -> list[Effect]:
        return walk(
            text,
            scene,
            lambda command: interpret(command, scene, TABLE),
            resolve=resolve,
            read_host=read_host,
            read_code=lambda language, code, command: read_code(language, code, command, scene),
        )

    return read_settled(scene, read), scene


def run(text: str, base: Path, tree: dict[str, str | None], *, execute: bool = True) -> Run:
    """Read *text*, then run it, in a fresh folder at *base*.

    `denied_no` are paths that changed, or are new, and of which a deny of just that path would have said no.
    """
    work = furnish(base, tree)
    effects, scene = effects_of(text, work)
    settled = not any(effect.kind in ("unknown", "code") for effect in effects)
    before = _state(base)
    places = Places(scene)
    answers = {path: _denied(path, effects, places) for path in before} if settled else {}
    if execute:
        _execute(text, work, base)
    after = _state(base)
    changed = frozenset(path for path in {*before, *after} if before.get(path) != after.get(path))
    doubtless = changed if settled else frozenset()
    unseen = frozenset(path for path in doubtless if not any(explains(effect, path) for effect in effects))
    shutil.rmtree(base)
    made = doubtless - before.keys()
    if made:  # what is there when the call is judged decides: the tree as it was
        furnish(base, tree)
        places = Places(scene)
        answers |= {path: _denied(path, effects, places) for path in made}
        shutil.rmtree(base)
    no = frozenset(path for path in doubtless if answers.get(path) is False)
    return Run(text, unseen, no, changed, settled)


def explains(effect: Effect, path: str) -> bool:
    """Whether *effect* says that *path* changes, or may: by name, by shape, beneath a folder or on the way to it."""
    if effect.kind not in ("write", "delete") or not isinstance(effect.target, PathTarget):
        return False
    for name in effect.target.names:
        if isinstance(name, str):
            beneath = effect.recursive and path.startswith(f"{name.rstrip('/')}/")
            if path == name or beneath or (effect.kind == "write" and name.startswith(f"{path}/")):
                return True
            continue
        if effect.kind == "write" and name.prefix.startswith(f"{path}/"):
            return True
        shape = "".join(re.escape(part) if isinstance(part, str) else _SHAPES[part.name] for part in name.parts)
        if re.fullmatch(shape + ("(/.*)?" if effect.recursive else ""), path, re.DOTALL):
            return True
    return False


_SHAPES = {
    "ANY": ".*",
    "NAME": "[^/]*",
    "VISIBLE": "(?![./])[^/]*",
    "DIGITS": "[0-9]+",
    "FOLDERS": "(?:(?!\\.\\.?/)[^/]+/)*",
    "ENTRY": "(?!\\.\\.?(?:/|$))[^/]+",
}


def _denied(path: str, effects: list[Effect], places: Places) -> bool:
    """Whether a deny of changing *path* would say anything but no."""
    pattern = PathPattern.compile(_NO_TEXT.sub("?", _SPECIAL.sub(lambda found: f"\\{found[0]}", path)))
    changes = (effect for effect in effects if effect.kind in ("write", "delete"))
    return any(denies_path((pattern,), effect, places) is not False or _takes_along(effect, path) for effect in changes)


def _takes_along(effect: Effect, path: str) -> bool:
    """Whether the effect makes the folders on the way to what it writes, or deletes the one around *path*."""
    names = effect.target.names if isinstance(effect.target, PathTarget) else ()
    return any(isinstance(name, str) and name.startswith(f"{path}/") for name in names)


def _state(base: Path) -> dict[str, tuple[object, ...]]:
    found: dict[str, tuple[object, ...]] = {}
    for place, folders, files in os.walk(base):
        for name in folders + files:
            path = f"{place}/{name}"
            status = os.lstat(path)
            found[path] = (status.st_mode, status.st_ino)
            if not stat.S_ISDIR(status.st_mode):
                found[path] += (status.st_mtime_ns, status.st_size)
    return found


def _execute(text: str, work: Path, base: Path) -> None:
    """Run *text* with the programs of this machine, as nobody where this process is root."""
    lowered: dict[str, object] = {}
    if os.geteuid() == 0:
        lowered = {"user": NOBODY, "group": NOBODY, "extra_groups": ()}
        for path in _all(base):
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
    process = subprocess.Popen(
        ["bash", "-c", text],
        cwd=work,
        env={"PATH": "/usr/bin:/bin", "HOME": str(work.parent / "home"), "LC_ALL": "C.UTF-8", "TMPDIR": str(work)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        **lowered,  # type: ignore[call-overload]
    )
    with suppress(subprocess.TimeoutExpired):
        process.wait(SECONDS)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _all(base: Path) -> Iterator[str]:
    yield str(base)
    for place, folders, files in os.walk(base):
        for name in folders + files:
            yield f"{place}/{name}"


STARTS = ("", ".", "dir", "./dir", "ln", "ln/", "*", "dir ln", "-L .", "-H ln", "a", "./*", "dir/..", '"$PWD"')
TESTS = (
    "", "-type f", "-name '*.txt'", "-name b.txt", "-name '*'", "-name '.*'", "-name '?'", "-name '*[.a-z]*'",
    "! -name a",
    "-mindepth 1", "-maxdepth 1 -name 'b*'", r"\( -name a -o -name b.txt \)", "-name *.txt", "-type l", "-name '-*'",
    "-follow", "-depth", "-path '*/dir/*'",
)  # fmt: skip
DEEDS = (
    "rm", "rm -f", "rm -r", "rm --", "touch", "chmod 600", "chmod -R go-r", "sed -i s/1/x/", "truncate -s 0", "gzip",
    "gunzip", "cp -t ../out", "mv -t dir", "mkdir -p", "ln -st dir", "tee -a", "rmdir", "unlink", "touch -h",
)  # fmt: skip
EACH = (
    "rm {}", "cp {} {}.bak", "mv {} dir/", "touch {}.x", "sh -c 'rm \"$1\"' _ {}", "sh -c 'touch {}'",
    "sh -c 'rm \"{}\"'", "touch {}/../n",
    "sh -c 'rm {}'", "sh -c 'touch \"{}\".x'", "sh -c 'mv {} $(basename {}).y'", "sh -c 'cd dir; touch {}'",
    "sh -c 'd=$(dirname {}); touch $d/n'", "sh -c 'f={}; touch ${f%.*}.y'",
    "sh -c 'echo x > {}'", "mkdir {}.d", "cp {} ../out/{}", "sed -i.o s/1/x/ {}", "sh -c 'for f; do rm $f; done' _ {}",
)  # fmt: skip
FILTERS = (
    "", "| sort", "| grep -v zzz", "| head -3", "| tail -n 2", "| sort -u | uniq", "| tac", "| grep a",
    "| sed 's/^/x/'",
    "| sort -r", "| cat", "| tr a b", "| egrep 'a|b'",
)  # fmt: skip
SPLITS = ("", "-n 1 ", "-r ", r"-d '\n' ")
PRINTED = (
    r"'%P\n'", r"'%f\n'", r"'%p\n'", r"'%P\0'", r"'%f\0'", r"'./%f\n'", r"'dir/%P\n'", r"'%p %f\n'",
    r"'%f.x\n'", r"'%h\n'",
    r"'%p\n' -print", r"'%f\n' -print0", "'%f'", r"'%P\n%f\n'", r"'..%f\0'", r"'%%p\n'",
)  # fmt: skip
LISTED = (
    "", "-1", "-t", "-r", "*", "dir", "*.txt", "-A", "-a dir", "-p", "-p dir", "-d *", "-C", "-C1", "-1C",
    "-x *", "dir a",
    "dir/*", "-tp *", "-- *", '"$PWD"', "dir .", "-d dir/", "-ad .*",
)  # fmt: skip
LOOPS = (
    'while read f; do {} "$f"; done', 'while IFS= read -r f; do {} "$f"; done', "while read f; do {} $f; done",
    'while read -r a b; do {} "$a"; done', 'while read f; do {} "$f"; cat; done',
    'while read -d "" f; do {} "$f"; done',
    'while read f; do {} "${{f%.*}}.new"; done', 'while read -r f; do {} "${{f#./}}" "${{f%a}}"; done',
    'while read f; do {} "${{f##*/}}"; done', 'while read f; do {} "${{f%/*}}/n"; done',
    'while read f; do {} "${{f%.txt}}.new"; done', 'while read f; do {} "$(basename "$f")"; done',
)  # fmt: skip
BEFORE = (
    "",
    "",
    "",
    "mkdir 'x y'; ",
    "touch -- 'p q' && ",
    "ln -s ../out/kept ./zz; ",
    "cp -r dir copy; ",
    "mkdir -p '.. /out'; ",
)


@st.composite
def commands(draw) -> str:
    """A command that does something to the names that another one lists."""
    pick = lambda choices: draw(st.sampled_from(choices))  # noqa: E731 so short that a name says less
    find = f"find {pick(STARTS)} {pick(TESTS)}"
    deed, before = pick(DEEDS), pick(BEFORE)
    form = draw(st.integers(0, 14))
    if form > 10:
        return _more_commands(pick, f"{before}{find}", deed, form)
    if form == 0:
        ends = pick([r"{} \;", "{} +"])
        return f"{before}{find} {pick(['-exec', '-execdir'])} {deed} {ends}"
    if form == 1:
        return rf"{before}{find} {pick(['-exec', '-execdir'])} {pick(EACH)} \;"
    if form == 2:
        return f"{before}{find} -print0 | xargs -0 {pick(['', '-n 1 ', '-r '])}{deed}"
    if form == 3:
        return f"{before}{find} {pick(FILTERS)} | xargs {pick(SPLITS)}{deed}"
    if form == 4:
        return f"{before}{find} {pick(FILTERS)} | xargs -I{{}} {pick(EACH)}"
    if form == 5:
        return f"{before}{find} {pick(FILTERS)} | {pick(LOOPS).format(deed)}"
    if form == 6:
        return f"{before}for f in $({find}); do {deed} {pick(['$f', chr(34) + '$f' + chr(34)])}; done"
    if form == 7:
        return f"{before}{deed} {pick(['$(' + find + ')', '*', './*', '*.txt', 'dir/*', '*/*', '-- *', '?*'])}"
    if form == 8:
        return f"{before}ls {pick(LISTED)} {pick(FILTERS)} | xargs {pick(['', '-n 1 ', '-0 '])}{deed}"
    if form == 9:
        return f"{before}grep -rl 1 {pick(['.', 'dir', '', '*'])} {pick(FILTERS)} | xargs {deed}"
    return f"{before}{find} {pick(FILTERS)} | xargs grep -l 1 | xargs {deed}"


def _more_commands(pick: Callable[[Sequence[str]], str], find: str, deed: str, form: int) -> str:
    """Names that are printed in other ways, and read in ways that do not fit."""
    if form == 11:
        return f"{find} -print0 | xargs {pick(['', '-n 1 ', '-I{} '])}{deed} {pick(['', '{}'])}"
    if form == 12:
        return f"{find} | sort > /dev/null; ls {pick(LISTED)} | {pick(LOOPS).format(deed)}"
    if form == 13:
        how = pick(["", "-0 ", "-n 1 ", "-I{} "])
        return f"{find} -printf {pick(PRINTED)} | xargs {how}{deed} {pick(['', '{}'])}"
    told = pick(["grep -l 1 {}", "echo {}", "ls -d {}"])
    return f"{find} -exec {told} {pick([';', '+'])!r} | xargs {deed}"
