"""Names that a whole tree brings with it: what `cp -r` writes is what stood in its source."""

import shutil

import pytest

from tests.meaning.commands.tree_changes import effects_of, furnish, run
from tidegate.meaning.comparing import denies_path
from tidegate.meaning.pathpatterns import PathPattern
from tidegate.meaning.places import Places

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="no bash is installed")

TREE = {
    "evil/.bashrc": "x",
    "evil/sub/a.txt": "x",
    "evil/sub/ln": "->../../dir",
    "evil.d/.bashrc": "y",
    "dir/b.txt": "y",
    "dir/evil/sub/old": "z",
    "in": "->evil",
    "file": "z",
}
COMMANDS = (
    "cp -r evil dir", "cp -r evil/ dir", "cp -r evil/. dir", "cp -r evil new", "cp -r evil/. new", "cp -a evil ./dir/",
    "cp -rT evil dir", "cp -rt dir evil evil.d", "cp -r evil evil.d dir", "cp -r evil* dir", "cp -r ./* dir",
    "cp -r in dir", "cp -r in/ dir", "cp -rL evil dir", "cp -rH in dir", "cp -r --parents dir/evil evil.d",
    "cp -r --parents evil/sub/ dir", "cp -r evil file dir", "cp -rb evil dir; cp -rb evil dir", "mv evil dir/new",
    "mv evil dir", "mv evil/sub evil.d dir", "mv -T evil dir/x", "mv -t dir evil", "cp -r . new", "cp -r evil/.. new",
    "cd evil && cp -r . ../dir", "mkdir made && echo x > made/.rc && cp -r made/. dir", "x=evil; cp -r $x dir",
    "echo x > evil/late; cp -r evil dir", "mv dir/b.txt evil/moved; cp -r evil new", "cp -r evil dir && cp -r dir new",
    "ln -s ../file evil/l; cp -rL evil new", "mkdir -p n/d; mv evil n/d; cp -r n new", "cp -r evil/s* new",
    "cp -r e*/. dir", "find . -name 'ev*' -exec cp -r {} dir \\;", "echo evil | xargs -I{} cp -r {} dir",
    "for d in evil evil.d; do cp -r $d dir; done", "sh -c 'cp -r $0 dir' evil", "cp -r evil dir/evil",
    "tar cf - evil | tar xf - -C dir", 'cp -r "$(echo evil)" dir', "(cd evil; tar cf - .) | (cd dir; tar xf -)",
    "rsync -a evil dir", "rsync -a evil/ dir", "rsync -aR evil/sub dir", "rsync -a evil new", "rsync -aL evil new",
    "install -D file new/x/y", "mkdir -p a/../b", "mkdir -p a/b/../../c/d", "install -d p/q/r", "mkdir -p dir/n/m",
    "install -D -t t/u file", "mkdir -p 'a b'/../c d/e",
)  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_file_that_a_tree_brings_is_not_denied_without_a_word(command, tmp_path):
    """Of each file that really changed, a deny of just that file says yes or that it is not known."""
    found = run(command, tmp_path / "t", TREE)

    assert found.unseen | found.denied_no == frozenset()


def answer(command, base, glob):
    """What a deny of changing *glob* says of the command."""
    work = furnish(base, TREE)
    effects, scene = effects_of(command, work)
    pattern = PathPattern.compile(glob)
    places = Places(scene, str(work))
    said = [denies_path((pattern,), effect, places) for effect in effects if effect.kind in ("write", "delete")]
    return "yes" if True in said else "no" if all(one is False for one in said) else "unknown"


@pytest.mark.parametrize(
    ("command", "glob", "expected"),
    [
        ("cp -r evil/. dir", "{root}/dir/.bashrc", "yes"),
        ("cp -r evil dir", "{root}/dir/evil/.bashrc", "yes"),
        ("cp -r evil dir", "{root}/dir/.bashrc", "no"),
        ("cp -r evil new", "{root}/new/sub/a.txt", "yes"),
        ("cp -r evil dir", "{root}/dir/b.txt", "no"),
        ("cp -r evil* dir", "{root}/dir/evil.d/.bashrc", "yes"),
        ("cp -r $x dir", "{root}/dir/.bashrc", "unknown"),
        ("cp -r evil/su[b] dir", "{root}/dir/.bashrc", "no"),
        ("mkdir made; touch made/.rc; cp -r made/. dir", "{root}/dir/.rc", "unknown"),
        ("mv evil dir", "{root}/dir/evil/sub/a.txt", "yes"),
        ("rsync -a evil h:dir", "**/.bashrc", "yes"),
        ("rsync -a evil/ h:dir", "**/evil/.bashrc", "yes"),
        ("rsync -a evil h:dir", "**/dir/b.txt", "no"),
        ("rsync -a evil h:dir", "**/dir/sub/a.txt", "yes"),
        ("rsync -a --delete evil h:dir", "**/dir/b.txt", "unknown"),
        ("rsync -a h:evil dir", "**/.bashrc", "unknown"),
        ("rsync -a h:evil g:dir", "**/.bashrc", "unknown"),
        ("rsync -a $x h:dir", "**/.bashrc", "unknown"),
        ("rsync -ab evil h:dir", "**/.bashrc~", "unknown"),
        ("rsync -a --files-from=f . h:dir", "**/.netrc", "unknown"),
        ("rsync -aL evil h:dir", "**/sub/ln/x", "unknown"),
        ("rsync -aR ./evil/./sub h:/x", "/x/evil/sub/a.txt", "no"),
        ("rsync -aR ./evil/./sub h:/x", "/x/sub/a.txt", "yes"),
        ("rsync -R evil/.bashrc h:/x", "/x/evil/.bashrc", "yes"),
        ("rsync -a evil/.bashrc h:/x", "/x/.bashrc", "yes"),
        ("scp evil/.bashrc h:", "~/.bashrc", "yes"),
        ("scp file h:.ssh/authorized_keys", "~/.ssh/**", "yes"),
        ("scp -r evil h:", "~/evil/.bashrc", "yes"),
        ("scp -r evil h:", "~/dir/**", "no"),
        ("mkdir made; touch made/.rc; scp -r made h:", "~/made/.rc", "unknown"),
        ("rsync -a evil/ dir", "{root}/dir/b.txt", "no"),
        ("rsync -a evil dir", "{root}/dir/evil/.bashrc", "yes"),
        ("rsync -aK evil dir", "{root}/dir/x", "unknown"),
    ],
)
def test_deny_of_a_name_beneath_a_destination_hears_of_what_is_brought(command, glob, expected, tmp_path):
    """What stands in the source decides, and not what stood in the destination before."""
    assert answer(command, tmp_path / "t", glob) == expected
