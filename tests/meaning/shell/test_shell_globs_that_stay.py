"""A word that is matched against names is one word at least, unless an option of the shell lets it vanish."""

import pytest

from tests.meaning.shell.readers import doubts_of
from tidegate.meaning.commands.code import read_code
from tidegate.meaning.commands.interpret import interpret
from tidegate.meaning.commands.table import Table
from tidegate.meaning.effects import Effect
from tidegate.meaning.paths import resolve
from tidegate.meaning.scene import Scene
from tidegate.meaning.shell.walk import walk
from tidegate.meaning.urls import read_host

TABLE = Table.builtin()
SCENE = Scene("/srv/project", "/home/dev")


def effects_of(text: str) -> list[Effect]:
    return walk(
        text,
        SCENE,
        lambda command: interpret(command, SCENE, TABLE),
        resolve=resolve,
        read_host=read_host,
        read_code=lambda language, code, command: read_code(language, code, command, SCENE),
    )


@pytest.mark.parametrize(
    "text",
    ["sed s/[E]/a/ f", "sed -i s/^[0-9]/x/g *.txt", "xargs -a l sed s/[E]/a/ f", "sed ‘s/.*/#&/’ f", "sed 's/a' f"],
)
def test_script_that_is_no_name_of_a_file_is_known(text):
    """Whatever files there are, an edit between slashes stays one, and the word behind it is a file and no script."""
    assert doubts_of(effects_of(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        "shopt -s nullglob; sed s/[E]/a/ 'w x'", "bash -O nullglob -c 'sed s/[E]/a/ f'",
        "shopt -s dotglob; sed s/[E]/a/ 'w x'",
        "sed s/[E]/w/w/e f", "sed [E]/a/ f", "sed s/a/b/[E] f", "sed $x s/a/b/",
    ],
)  # fmt: skip
def test_script_that_could_be_another_word_or_do_something_is_not_known(text):
    """Under `nullglob` the next word is the script; a backslash at the end of a name makes a flag of what follows."""
    found = effects_of(text)

    assert doubts_of(found) or any(effect.kind == "write" for effect in found)


@pytest.mark.parametrize(
    ("text", "connects"),
    [
        ("echo x > $x", True), ("echo x > $x/y", True), ("echo x > /dev/tcp/$x", True), ("echo x > $x-80", True),
        ("echo x > $x.gz", False), ("echo x > $x.d/y_1.txt", False), ("echo x > a$x", False),
    ],
)  # fmt: skip
def test_name_that_ends_like_no_service_is_no_connection(text, connects):
    """`> $x` may open `/dev/tcp/h/80`; no port is called `y.gz`, and bash looks no host up for it."""
    assert any(effect.kind == "connect" for effect in effects_of(text)) == connects


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("curl http://[fd00:ec2::254]/", "fd00:ec2::254"),
        ("curl [fd00:ec2::254]/a", "fd00:ec2::254"),
        ("curl http://169.254.169.254/?a=*", "169.254.169.254"),
        ("curl http://169.254.169.25[4-4]/", "169.254.169.254"),
        ("nc [fd00:ec2::254] 80", "fd00:ec2::254"),
    ],
)
def test_glob_that_no_file_is_called_like_reaches_what_is_written(text, address):
    """Of an address with wildcards one reading is the address as it is written."""
    targets = [effect.target for effect in effects_of(text) if effect.kind == "connect"]
    readings = {str(one.address) for target in targets for one in (target, *target.others)}

    assert address in readings


def test_glob_in_the_place_of_a_host_stays_unknown_too():
    """Files may be called like a URL, so that a grant of what is written is no grant of the word."""
    (target,) = [effect.target for effect in effects_of("curl http://[::1]/") if effect.kind == "connect"]

    assert not isinstance(target.host, str)
    assert target.doubts
