"""`parallel` quotes what it puts into a command: a name is a word there and no code, unless quotes undo that."""

from __future__ import annotations

import pytest

from tests.meaning.commands.small_machine import ENVIRONMENT, HOME, ROOT, SmallMachine
from tests.meaning.commands.tree_changes import TABLE
from tidegate.meaning.commands.code import read_code
from tidegate.meaning.commands.interpret import interpret
from tidegate.meaning.effects import Effect, Invocation, PathTarget
from tidegate.meaning.paths import resolve
from tidegate.meaning.scene import Scene
from tidegate.meaning.shell.walk import walk
from tidegate.meaning.urls import read_host
from tidegate.meaning.values import shown


def effects_of(text: str) -> list[Effect]:
    scene = Scene(ROOT, HOME, SmallMachine(), ENVIRONMENT, complete_environment=True)
    return walk(
        text,
        scene,
        lambda command: interpret(command, scene, TABLE),
        resolve=resolve,
        read_host=read_host,
        read_code=lambda language, code, command: read_code(language, code, command, scene),
    )


def doubts(text: str) -> list[str]:
    return [str(effect.target) for effect in effects_of(text) if effect.kind == "unknown"]


def deleted(text: str) -> list[str]:
    found = [effect.target for effect in effects_of(text) if effect.kind == "delete"]
    return [shown(target.text) for target in found if isinstance(target, PathTarget)]


@pytest.mark.parametrize(
    "text",
    [
        "cat f | parallel rm", "cat f | parallel rm {}", "cat f | parallel -j4 mv {} /tmp/{/}",
        "cat f | parallel gzip '<' {}",
        "find . -type f | parallel -X ls -l", "cat f | parallel 'cp {} {.}.bak; rm {}'",
        "cat f | parallel --pipe wc -l",
        "parallel rm :::: f", "cat f | parallel java -jar x.jar {}",
    ],
)  # fmt: skip
def test_command_is_known_where_its_arguments_are_quoted(text):
    """Whatever the lines hold, the program is the one that is named."""
    assert doubts(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "cat f | parallel", "cat f | parallel {}", "cat f | parallel eval {}", "cat f | parallel sh -c {}",
        "cat f | parallel \"rm '{}'\"", "cat f | parallel 'rm \"{}\"'", "cat f | parallel 'set -- x; rm {}'",
        "cat f | parallel 'shift; rm {}'", "cat f | parallel 'cat << {}'", "cat f | parallel 'x=$1; rm {} $x'",
        "cat f | parallel --pipe sh", "parallel -a f", "parallel -a f eval", "cat f | parallel -I @ 'rm @'",
        "cat f | parallel --colsep , rm {1}", "cat f | parallel 'echo `{}`'", "cat f | parallel ssh h {}",
        "parallel :::: f", "cat f | parallel . {}", "cat f | parallel -q eval {}",
    ],
)  # fmt: skip
def test_text_that_the_lines_may_change_is_not_known(text):
    """Without a command each line is one; in quotes, and behind what evaluates its words, a name is code."""
    found = effects_of(text)

    assert doubts(text) or any(effect.kind == "code" for effect in found)


def test_what_is_put_in_place_of_a_mark_has_the_shape_of_the_name():
    """`{.}` is the name without its suffix, `{/}` without its folder."""
    assert deleted("find src -name '*.c' | parallel rm {.}.o") == ["src/⟨…⟩.o"]
    assert deleted("find src -name '*.c' | parallel rm /tmp/{/}") == ["/tmp/⟨…⟩.c"]
    assert deleted("echo a.c | parallel rm") == ["a.c"]
    assert deleted("parallel rm ::: a b") == ["a", "b"]


def test_lines_that_are_known_are_commands():
    """`echo 'rm x' | parallel` deletes."""
    assert deleted("echo 'rm x' | parallel") == ["x"]
    assert deleted("echo 'rm x' | parallel --pipe sh") == ["x"]
    programs = [each.target.program for each in effects_of("true | parallel") if isinstance(each.target, Invocation)]
    assert programs == ["true", "parallel"]
