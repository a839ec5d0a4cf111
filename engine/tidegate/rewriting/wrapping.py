"""Commands that run under another one: `timeout 60 bash -c '<text>'`."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

from ..errors import Veto
from ..kind import CommandText, Setting
from ..meaning.commands.pattern_text import PatternError, read_words
from ..meaning.commands.spelled import read_spelling
from ..meaning.commands.table import Table
from ..meaning.scene import Scene
from ..shown import quote

SHELLS = frozenset({"bash", "sh", "dash", "zsh", "ksh"})
"""The shells that take a text behind `-c`, and read single quotes alike."""

ROOT = "{root}"
_PROBE = "tidegate-probe"


class Wrapper:
    """A command line that runs what stands behind it; `{root}` in its words is the root of the call."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = tuple(words)

    def around(self, text: CommandText, root: str | None) -> Any:
        """The argument with the wrapper around it, or the very same where it stands there already.

        Raises:
            Veto: It is no command of a shell that takes a quoted text, or the root is not known.
        """
        words = self._placed(root)
        if text.role == "argv":
            return _before(words, text)
        if text.shell not in SHELLS:
            raise Veto(f"commands of {quote(text.shell)} cannot be wrapped")
        if not isinstance(text.value, str):
            raise Veto(f"the argument {quote(text.pointer[1:])} must be a text")
        before = f"{shlex.join(words)} {text.shell} -c "
        if text.value.startswith(before) and _is_quoted(text.value[len(before) :]):
            return text.value
        return before + shlex.quote(text.value)

    def _placed(self, root: str | None) -> list[str]:
        if root is None and any(ROOT in word for word in self._words):
            raise Veto("the root of the project is not known, and commands run only within it")
        return [word.replace(ROOT, root or "") for word in self._words]


def _before(words: list[str], argv: CommandText) -> Any:
    value = argv.value
    if not isinstance(value, list) or not value or not all(isinstance(item, str) for item in value):
        raise Veto(f"the argument {quote(argv.pointer[1:])} must be a list of texts")
    return value if value[: len(words)] == words and len(value) > len(words) else [*words, *value]


def _is_quoted(text: str) -> bool:
    """Whether *text* is what quoting makes of something."""
    try:
        words = shlex.split(text)
    except ValueError:
        return False
    return len(words) == 1 and shlex.quote(words[0]) == text


def compile_wrapper(text: str, setting: Setting) -> Wrapper | None:
    """Read the words of a wrapper; what it runs must be read through it, or rules would not see the command."""
    try:
        words = read_words(text)
    except PatternError as bad:
        setting.problem(("wrap",), "bad-pattern", bad.what, bad.why, bad.mend)
        return None
    plain = [word.plain for word in words if word.plain is not None and not word.plain.startswith("~")]
    if not words or len(plain) < len(words):
        what = "the wrapper has words that a shell would expand" if words else "the wrapper is empty"
        setting.problem(("wrap",), "bad-value", what, "each of its words is passed on as it stands", _AS_THEY_ARE)
        return None
    if not _is_seen_through(plain, setting.table):
        what = f"what runs under {quote(text)} cannot be read"
        setting.problem(("wrap",), "bad-value", what, "no rule would see the command any more", _ENTRY)
        return None
    return Wrapper(plain)


def _is_seen_through(words: list[str], table: Table) -> bool:
    """Whether a command is still read behind these words."""
    probe = f"{shlex.join([word.replace(ROOT, '/root') for word in words])} bash -c {_PROBE}"
    spelling = read_spelling(probe, "bash", Scene(cwd="/"), table)
    return not spelling.unread and any(one.invocation.words == (_PROBE,) for one in spelling.commands)


_AS_THEY_ARE = "write plain words, such as `timeout 60`; `{root}` is the root of the call"
_ENTRY = "write a wrapper that the table of commands knows, or give it an entry under `[commands]`"
