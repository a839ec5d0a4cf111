"""What commands really do to files in a scratch directory is among the effects that are read."""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.meaning.commands.reading import TABLE
from tidegate.facts.files import LocalFiles
from tidegate.meaning.commands.code import read_code
from tidegate.meaning.commands.interpret import interpret
from tidegate.meaning.effects import Effect, PathTarget
from tidegate.meaning.paths import resolve
from tidegate.meaning.scene import Scene
from tidegate.meaning.shell.walk import walk
from tidegate.meaning.urls import read_host

CHANGING = """
cp a b
cp a dir
cp -r dir new
cp -t dir a c
cp --parents dir/in new2 || true
cp -s /etc/hostname link
cp -al dir copy
mv a z
mv a c dir
mv -t dir a
mv dir moved
rm a
rm -rf dir
rm -r dir a
rmdir empty
mkdir x y
mkdir -p deep/er/est
touch fresh
touch -r a fresh2
ln a hard
ln -s a soft
ln -s ../a dir/soft
ln -st dir a
link a hard2
unlink a
truncate -s 0 a
dd if=a of=out.img bs=1 count=1
tee one two < a
split -l 1 lines
split -l 1 lines part-
csplit -s lines 2
sort -o sorted lines
sort -r --output=lines lines
sed -i s/1/x/ lines
sed -i.bak s/1/x/ lines
sed -n 'w written' lines
sed --in-place=.old -e 1d lines c
awk '{print > "by-awk"}' lines
awk '{print | "cat > through-a-pipe"}' lines
awk 'BEGIN { system("touch from-awk") }'
gzip a
gzip -k a
gzip -c a > a.z
gunzip zipped.gz
gzip -d zipped.gz
bzip2 a
xz a
tar cf t.tar dir
tar czf t.tgz -C dir in
tar xf arch.tar
tar xf arch.tar -C empty
tar --remove-files -cf t.tar dir
find . -name in -delete
find dir -type f -exec rm {} ;
find dir -name in -execdir mv {} moved-in ;
find dir -fprint listing
find lines c -exec cp {} {}.copy ;
xargs -a names rm
xargs -I{} cp {} {}.x < names
chmod 600 a
chmod -R go-r dir
install -m 644 a installed
install -d made
install -t dir a c
shred -u a
mktemp -p . tmp.XXXX
mkfifo pipe
patch -i change.diff
patch lines change.diff
uniq lines unique
shuf -o shuffled lines
python3 -c 'open("by-python", "w").write("x")'
python3 -c 'import shutil; shutil.rmtree("dir")'
python3 -c 'import os; os.rename("a", "renamed")'
python3 -c 'from pathlib import Path; Path("p").mkdir(); Path("p/q").write_text("x")'
python3 -c 'import subprocess; subprocess.run(["touch", "by-subprocess"])'
python3 -c 'import os; [os.remove(n) for n in os.listdir(".") if n.startswith("c")]'
python3 -c 'import shutil; shutil.copy("a", "dir"); shutil.move("c", "dir")'
perl -pi -e 's/1/2/' lines
env -C dir touch there
timeout 5 touch in-time
nice -n 5 touch nicely
flock lock touch locked
sh -c 'touch $0 $1' one two
bash -c 'rm -r dir'
git init -q repo
git -C . init -q .
curl -s -o fetched file:///etc/hostname
sqlite3 base.db 'create table t (a)'
unzip -q z.zip
unzip -q z.zip -d empty
zip -q new.zip a
openssl rand -out random 8
gcc -c -o none.o none.c || true
vim -es -u NONE -c 'wq copy.txt' a
ed -s a <<< w
objcopy a || true
dos2unix lines || true
""".strip().splitlines()
NEEDS = {
    "sqlite3",
    "unzip",
    "zip",
    "openssl",
    "gcc",
    "vim",
    "ed",
    "objcopy",
    "dos2unix",
    "git",
    "curl",
    "perl",
    "bzip2",
    "xz",
    "patch",
}


def furnish(folder: Path) -> None:
    (folder / "dir").mkdir()
    (folder / "empty").mkdir()
    for name, text in {
        "a": "one\n",
        "c": "two\n",
        "dir/in": "in\n",
        "lines": "1\n2\n3\n",
        "names": "a\nc\n",
        "zipped": "z\n",
    }.items():
        (folder / name).write_text(text)
    (folder / "change.diff").write_text("--- lines\n+++ lines\n@@ -1,3 +1,3 @@\n-1\n+one\n 2\n 3\n")
    (folder / "packed").write_text("packed\n")
    subprocess.run(["tar", "cf", "arch.tar", "packed"], cwd=folder, check=True)
    subprocess.run(["gzip", "zipped"], cwd=folder, check=True)
    if shutil.which("zip"):
        subprocess.run(["zip", "-q", "z.zip", "packed"], cwd=folder, check=True)
    (folder / "packed").unlink()


def state(folder: Path) -> dict[str, str]:
    """Every path beneath *folder* with its kind, mode and content."""
    found: dict[str, str] = {}
    for place, folders, names in os.walk(folder):
        for name in folders + names:
            path = Path(place, name)
            content = "" if path.is_symlink() or not path.is_file() else hashlib.sha256(path.read_bytes()).hexdigest()
            found[str(path)] = f"{path.lstat().st_mode} {path.lstat().st_ino} {content}"
    return found


def changed(before: dict[str, str], after: dict[str, str]) -> set[str]:
    """Paths made, changed or removed; a directory whose entries changed is not one of them."""
    return {path for path in {*before, *after} if before.get(path) != after.get(path)}


def effects_of(text: str, folder: Path) -> list[Effect]:
    scene = Scene(cwd=str(folder), home="/home/dev", files=LocalFiles())
    return walk(
        text,
        scene,
        lambda command: interpret(command, scene, TABLE),
        resolve=resolve,
        read_host=read_host,
        read_code=lambda language, code, command: read_code(language, code, command, scene),
    )


def covers(effect: Effect, path: str) -> bool:
    """Whether a change of *path* is one that the effect says, or that it cannot rule out."""
    if effect.kind == "unknown":
        return True
    if effect.kind not in ("write", "delete") or not isinstance(effect.target, PathTarget):
        return False
    names = [name if isinstance(name, str) else None for name in effect.target.names]
    return any(
        name is None or path == name or (effect.recursive and path.startswith(f"{name}/")) for name in names
    ) or any(name is not None and name.startswith(f"{path}/") for name in names if effect.kind == "write")


@pytest.mark.parametrize("line", CHANGING)
def test_files_that_really_change_are_among_the_effects(line, tmp_path):
    """Bash runs the line in a scratch directory; whatever changed there is written or deleted by an effect."""
    if missing := {
        word for word in shlex.split(line.partition("<<<")[0]) if word in NEEDS and shutil.which(word) is None
    }:
        pytest.skip(f"{', '.join(missing)} not installed")
    furnish(tmp_path)
    effects = effects_of(line, tmp_path)
    before = state(tmp_path)
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "nowhere"), "TERM": "dumb"}
    subprocess.run(
        ["bash", "-c", line.replace(" ;", " \\;")],
        cwd=tmp_path,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=30,
        check=False,
    )
    changes = changed(before, state(tmp_path))
    unseen = {path for path in changes if not any(covers(effect, path) for effect in effects)}

    assert (
        changes or "||" in line or line.startswith(("python3 -c 'import os; [os", "git", "dos", "vim", "ed", "patch"))
    ), "the line did nothing"
    assert unseen == set()


@pytest.mark.parametrize(
    "line",
    [
        "cp a b",
        "rm -rf dir",
        "sort -o x lines",
        "sed -i s/1/2/ lines",
        "tar xf arch.tar",
        "ln -s a s",
        "gzip a",
        "tee x",
    ],
)
def test_plain_commands_leave_nothing_unknown(line, tmp_path):
    """What such a command does is known exactly, so that no rule needs to ask."""
    furnish(tmp_path)

    assert [effect.target for effect in effects_of(line, tmp_path) if effect.kind == "unknown"] == []
