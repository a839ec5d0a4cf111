"""Which commands of a text must have succeeded where the whole text ended with status 0."""

from __future__ import annotations

from typing import NamedTuple

from .command import Word
from .parsing.parser import Parser
from .parsing.scanner import Grammar
from .parsing.syntax import AndOr, Node, RawWord, Simple

BUILTINS = frozenset(
    ". : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo "  # noqa: SIM905 one a word
    "enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf "
    "pushd pwd read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit "
    "umask unalias unset wait".split()
)
"""The builtins of bash; any of them may end the shell, or change what what follows means, unless it is harmless."""

HARMLESS = frozenset({":", "[", "cd", "echo", "printf", "pushd", "pwd", "test", "true"})
"""Those that can do neither."""

LONGEST = 10_000


class Proven(NamedTuple):
    """A simple command that must have succeeded: where it stands, and its words as the program sees them."""

    span: tuple[int, int]
    words: tuple[str, ...]


def must_have_succeeded(text: str) -> tuple[Proven, ...]:
    """The commands of *text* that have all run and succeeded if bash ended it with status 0.

    That is so for a command that stands alone, and for each one of a chain of nothing but `&&`. Behind `||`, `;`, `&`,
    `|` or `!`, in a compound command, on several lines, and where a builtin could end the shell or change what names
    mean, the status says nothing: then there are none. A command is left out where one of its words is not constant.

    Source: POSIX.1-2024, Shell Command Language, 2.9.3 (lists) and 2.8.2 (exit status).
    """
    if len(text) > LONGEST:
        return ()
    items = Parser(text, Grammar()).script().items
    if len(items) != 1 or items[0][1]:
        return ()
    chain = _chain(items[0][0])
    found = ((command, _words(command)) for command in chain)
    return tuple(Proven((one.start, one.end), words) for one, words in found if words is not None)


def _chain(node: Node) -> list[Simple]:
    """The commands of a chain of nothing but `&&` that all run in their turn; none where one may not."""
    nodes = [node]
    if isinstance(node, AndOr):
        if any(operator != "&&" for operator, _ in node.rest):
            return []
        nodes = [node.first, *(one for _, one in node.rest)]
    chain = [one for one in nodes if isinstance(one, Simple) and _passes_on(one)]
    return chain if len(chain) == len(nodes) else []


def _passes_on(command: Simple) -> bool:
    """Whether a command runs to its end in its turn, and leaves the shell and its names as they are."""
    name = _constant(command.words[0]) if command.words else None
    return name is not None and (name not in BUILTINS or name in HARMLESS)


def _words(command: Simple) -> tuple[str, ...] | None:
    words = [word for one in command.words if (word := _constant(one)) is not None]
    return tuple(words) if len(words) == len(command.words) else None


def _constant(word: object) -> str | None:
    """The text of a word that needs no expansion."""
    if isinstance(word, RawWord):
        return word.text
    return word.value if isinstance(word, Word) and isinstance(word.value, str) and not word.many else None
