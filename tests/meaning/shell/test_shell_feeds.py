"""What a command prints is made where somebody asks for it, and no sooner."""

from __future__ import annotations

from tests.meaning.commands.reading import read
from tidegate.meaning.effects import LOCAL
from tidegate.meaning.shell.command import Fed, Feed, Heard, Word
from tidegate.meaning.values import unknown


def fed(stdin):
    """A command that reads *stdin*."""
    return tuple.__new__(Fed, ((Word("sh", (0, 2)),), (), (), (0, 2), stdin, True, LOCAL, (), False, ""))


def test_feed_is_made_at_the_first_question_and_once():
    """Two questions have one answer, and no question costs nothing."""
    asked = []
    feed = Feed(lambda *about: asked.append(about) or "text", "a", 1)
    command, reading = fed(feed), tuple.__new__(Heard, (None, (), (), feed))
    before = list(asked)
    answers = [command.stdin, reading.stdout, command.stdin]

    assert (before, asked, answers) == ([], [("a", 1)], ["text"] * 3)


def test_input_of_which_nothing_is_known_is_none():
    """A reader of commands need not tell a text that may be anything from none that is known."""
    assert fed(Feed(lambda: unknown("r"))).stdin is None
    assert fed(Feed(lambda: None)).stdin is None
    assert fed("text").stdin == "text"


def test_command_that_nobody_hears_says_nothing():
    """What is printed has no effect of its own."""
    assert read("echo a", heard=False).stdout is None
    assert read("echo a", heard=True).stdout == "a\n"
