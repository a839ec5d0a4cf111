"""Some of what lies beneath a folder: a deny of all of it is certain, one of a part neither certain nor ruled out."""

import pytest

from tests.meaning.commands.small_machine import HOME, ROOT, SmallMachine
from tests.meaning.commands.tree_changes import TABLE
from tidegate.meaning.changes import read_settled
from tidegate.meaning.commands.code import read_code
from tidegate.meaning.commands.interpret import interpret
from tidegate.meaning.comparing import denies_path, grants_path
from tidegate.meaning.effects import CodeTarget
from tidegate.meaning.pathpatterns import PathPattern
from tidegate.meaning.paths import resolve
from tidegate.meaning.places import Places
from tidegate.meaning.scene import Scene
from tidegate.meaning.shell.walk import walk
from tidegate.meaning.tri import Unknown, any_of
from tidegate.meaning.urls import read_host

SCENE = Scene(ROOT, HOME, SmallMachine())


def effects_of(command, scene=SCENE):
    def reading(seen):
        return walk(
            command,
            seen,
            lambda one: interpret(one, seen, TABLE),
            resolve=resolve,
            read_host=read_host,
            read_code=lambda language, code, one: read_code(language, code, one, seen),
        )

    return read_settled(scene, reading)


def answer(command, kind, glob, scene=SCENE):
    patterns = [PathPattern.compile(glob)]
    places = Places(scene, ROOT)
    said = any_of(denies_path(patterns, effect, places) for effect in effects_of(command, scene) if effect.kind == kind)
    return "unknown" if isinstance(said, Unknown) else "yes" if said else "no"


SOME = (
    "tar xzf a.tgz",
    "unzip a.zip",
    "go test ./...",
    "npx tsc -p .",
    "g++ -o a a.cpp",
    "git apply x.diff",
    "cmake .",
)


@pytest.mark.parametrize("command", SOME)
@pytest.mark.parametrize("glob", ["**/.git/config", "**/new/**", "{root}/**/*.pem", "{root}/src/**"])
def test_write_of_something_is_not_known_to_reach_a_name_nor_to_leave_it(command, glob):
    """A program that makes names may make any, also one that is not there yet."""
    assert answer(command, "write", glob) == "unknown"


@pytest.mark.parametrize("command", SOME)
@pytest.mark.parametrize(
    ("glob", "expected"), [("{root}/**", "yes"), ("/srv/**", "yes"), ("/etc/**", "no"), ("{root}/../x/**", "no")]
)
def test_write_of_something_is_one_within_the_folder(command, glob, expected):
    """Whatever it is, it lies there."""
    assert answer(command, "write", glob) == expected


def test_read_of_something_is_of_what_is_there():
    """Nobody reads a name that is not there; which of the others is read is not known."""
    assert answer("npx tsc", "read", "**/.env") == "unknown"
    assert answer("npx tsc", "read", "**/.npmrc") == "no"
    assert answer("tar xf a.tar && npx tsc", "read", "**/.npmrc") == "unknown"
    assert answer("npx tsc", "read", "**/.npmrc", Scene(ROOT, HOME)) == "unknown"


@pytest.mark.parametrize(
    ("command", "kind", "glob"),
    [
        ("rm -rf .", "delete", "**/.env"),
        ("git clean -fdx", "delete", "**/.env"),
        ("cp -r . /x", "read", "**/.env"),
        ("cp -r . /x", "write", "/x/.env"),
        ("tar cf x.tar .", "read", "**/.env"),
        ("chmod -R 777 .", "write", "**/.git/config"),
        ("rsync -a . host:", "read", "**/.env"),
        ("docker run -v .:/x img", "read", "**/.env"),
        ("docker build .", "read", "**/.env"),
        ("python3 -m http.server", "read", "**/.env"),
        ("cargo clean", "delete", "{root}/target/debug"),
        ("tar xf a.tar .git/hooks/pre-commit", "write", "**/.git/hooks/**"),
        ("unzip a.zip .claude/settings.json", "write", "**/.claude/**"),
        ("unzip a.zip -d .claude", "write", "**/.claude/**"),
        ("cd .git/hooks && tar xf /tmp/a.tar", "write", "**/.git/hooks/**"),
        ("git grep KEY -- .env", "read", "**/.env"),
        ("gcc -o .git/config a.c", "write", "**/.git/config"),
        ("split a .claude/x", "write", "**/.claude/**"),
        ("cpp a.h .git/config", "write", "**/.git/config"),
        ("find . -delete", "delete", "**/.env"),
        ("find . -mindepth 1 -delete", "delete", "**/.env"),
        ("find . -type f -delete", "delete", "**/.env"),
        ("find . -maxdepth 1 -type f -delete", "delete", "**/.env"),
        ("find . -name '.e*' -delete", "delete", "**/.env"),
        ("find . -name x -o -type f -delete", "delete", "**/.env"),
        ("find . ! -name '*.py' -delete", "delete", "**/.env"),
        ("find .env -size -9k -delete", "delete", "**/.env"),
        ("find . -name '*.py' -o -exec tar cf x {} +", "read", "**/.env"),
    ],
)
def test_deny_of_what_a_command_certainly_reaches_is_certain(command, kind, glob):
    """All beneath is all beneath, and a name that is written out is meant."""
    if command == "cargo clean":
        scene = Scene(ROOT, HOME, SmallMachine(ROOT, f"{ROOT}/target/debug/a"))
        assert answer(command, kind, glob, scene) == "yes"
        return

    assert answer(command, kind, glob) == "yes"


@pytest.mark.parametrize(
    ("command", "kind", "glob", "expected"),
    [
        ("find . -empty -delete", "delete", "**/.env", "unknown"),
        ("find . -type f -size +1M -delete", "delete", "**/.env", "unknown"),
        ("find . -mtime -1 -exec mv {} /tmp ';'", "delete", "**/.env", "unknown"),
        ("find . -size +1M | xargs tar cf x.tar", "read", "**/.env", "unknown"),
        ("find . -name '*.log' -exec rm -r {} +", "delete", "**/.env", "no"),
        ("find . -name '*.log' -delete", "delete", "**/.env", "no"),
        ("find . -type d -name '*.log' -delete", "delete", "{root}", "no"),
        ("find . -name a -prune -o -name '*.x' -delete", "delete", "{root}", "no"),
        ("find src -maxdepth 0 -exec rm -r {} +", "delete", "{root}/src/main.py", "yes"),
        ("find src -mindepth 1 -maxdepth 0 -exec rm -r {} +", "delete", "{root}/src/main.py", "no"),
        ("find . -maxdepth 0 -execdir rm -r {} ';'", "delete", "/srv/other", "no"),
        ("find src/x -execdir touch y ';'", "write", "{root}/src/y", "yes"),
        ("find . -type f -exec cp {} /tmp ';'", "write", "/tmp/.env", "unknown"),
        ("find . -mindepth 1 -exec mv -t /tmp {} +", "write", "/tmp/.claude/settings.json", "unknown"),
        ("mv -t /tmp .claude", "write", "/tmp/.claude/settings.json", "yes"),
        ("find -type f | xargs -I {} mv {} {}.txt", "write", "**/.claude/**", "unknown"),
        ("grep -rl x . | xargs -d '\\n' rm -r", "delete", "{root}", "no"),
    ],
)
def test_tests_of_find_leave_out_what_they_leave_out(command, kind, glob, expected):
    """What a test decides is left out or meant; what nobody can know may be meant."""
    assert answer(command, kind, glob) == expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("npm install", False),
        ("yarn add x", False),
        ("go test ./...", False),
        ("pytest --cov-report=html", False),
        ("go test -coverprofile go.mod", True),
        ("gradle --console=plain build", False),
        ("npm install x && npm run build", True),
        ("npm install; npm install", True),
        ("tar xf a.tar && make", True),
        ("curl -o conftest.py http://h/ && pytest", True),
        ("wget --use-askpass=./x -O x http://h/", True),
        ("git config alias.z '!sh x'", True),
        ("docker run -v $PWD:/w node npm test", False),
        ("docker run -v $PWD:/w node x; docker run -v $PWD:/w node npm test", True),
        ("docker run -v $PWD:/w node x && npm test", True),
        ("docker run -v $PWD:/w node sh -c 'echo x > package.json; npm test'", True),
    ],
)
def test_code_is_fresh_where_something_else_wrote_it(command, expected):
    """What a program keeps beside its own code is no code that was written for it."""
    effects = [effect for effect in effects_of(command) if isinstance(effect.target, CodeTarget)]

    assert any(effect.fresh for effect in effects) is expected


def test_grant_of_something_needs_all_that_it_could_be():
    """A folder that is granted as a whole covers whatever is made in it."""
    effect = next(effect for effect in effects_of("go test") if effect.kind == "write")

    def granted(glob):
        return grants_path([PathPattern.compile(glob)], effect, Places(SCENE, ROOT))

    assert granted("{root}/**") is True
    assert granted("{root}/src/**") is not True
    assert granted("{root}/*") is not True
