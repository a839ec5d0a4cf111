"""Shell texts with one effect, as values that can be re-spelled again."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from random import Random

from attrs import evolve, frozen

BUILTINS = {"eval", ".", "source", "command", "builtin", "exec", ":", "set", "compgen", "mapfile", "trap", "coproc"}
SAFE = re.compile(r"[\w./:@%+-]+", re.ASCII)
LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Operator(str):
    """A redirection operator among the words of a command; it is spelled as it is."""

    __slots__ = ()


@frozen
class Script:
    """A shell text with one effect.

    Attributes:
        words: What the words of its last command are, where that is a simple command which may be re-spelled word by
            word; otherwise none.
        spelled: How these words are spelled.
        before: Text before that command: whole lines, or everything where there are no words.
        posix: Whether any POSIX shell gives it the effect, or only bash.
        whole: Whether bash may read it at one go, as it does inside a compound command.
    """

    words: tuple[str, ...] = ()
    spelled: tuple[str, ...] = ()
    before: str = ""
    posix: bool = True
    whole: bool = True

    @property
    def text(self) -> str:
        """What a shell is given."""
        return self.before + " ".join(self.spelled)

    @property
    def head(self) -> int | None:
        """Where the name of the command stands."""
        return next((place for place, word in enumerate(self.words) if not isinstance(word, Operator)), None)


@frozen
class Respelling:
    """A way to say the same differently; `apply` gives nothing where the script has no place for it."""

    name: str
    apply: Callable[[Script, Random], Script | None]


def command(*words: str, before: str = "", posix: bool = True, whole: bool = True) -> Script:
    """A simple command in the plainest spelling."""
    spelled = tuple(word if isinstance(word, Operator) else shlex.quote(word) for word in words)
    return Script(words, spelled, before, posix, whole)


def text(script: str, *, posix: bool = True, whole: bool = True) -> Script:
    """A script whose words are not known one by one."""
    return Script(before=script, posix=posix, whole=whole)


def fresh(random: Random) -> str:
    """A name that nothing else has."""
    return "v" + "".join(random.choices(LETTERS, k=6))


def double_quoted(value: str) -> str:
    """*value* as one word in double quotes."""
    return '"' + re.sub(r'([\\"$`])', r"\\\1", value) + '"'


def enclosed(script: Script) -> str:
    """The text as it may stand inside a compound command, on lines of its own."""
    return script.text if script.whole else f"eval {shlex.quote(script.text)}"


def grouped(script: Script) -> str:
    """The text as one command."""
    return f"{{\n{enclosed(script)}\n}}"


def shell_for(script: Script, random: Random) -> str:
    """A shell that gives the script its effect."""
    return random.choice(["sh", "bash"]) if script.posix else "bash"


def apart(script: Script) -> list[int]:
    """The places of words that may become several; a file that is redirected to may not."""
    return [
        place
        for place, word in enumerate(script.words)
        if not isinstance(word, Operator) and not (place and isinstance(script.words[place - 1], Operator))
    ]


def as_words(script: Script, random: Random) -> Script:
    """The script as one simple command."""
    if script.words:
        return script
    if random.random() < 0.5:
        return command("eval", script.text, posix=script.posix)
    return command(shell_for(script, random), "-c", script.text)


def as_program(script: Script, random: Random) -> Script:
    """The script as one simple command that a program can run."""
    if script.head is not None and script.words[script.head] not in BUILTINS:
        return script
    return command(shell_for(script, random), "-c", script.text)


def as_arguments(script: Script, random: Random) -> Script:
    """The script as a program with its arguments, without redirections."""
    script = as_program(script, random)
    if not any(isinstance(word, Operator) for word in script.words):
        return script
    return command(shell_for(script, random), "-c", script.text)


def behind(script: Script, *words: str, at: int = 0) -> Script:
    """The same command with *words* in front of it."""
    front = command(*words)
    return evolve(
        script,
        words=(*script.words[:at], *front.words, *script.words[at:]),
        spelled=(*script.spelled[:at], *front.spelled, *script.spelled[at:]),
    )


def with_words(script: Script, places: dict[int, Sequence[str]]) -> Script:
    """The same command with other words at some places, which are spelled plainly."""
    words: list[str] = []
    spelled: list[str] = []
    for place, (word, spelling) in enumerate(zip(script.words, script.spelled, strict=True)):
        new = places.get(place)
        words += [word] if new is None else new
        spelled += [spelling] if new is None else map(shlex.quote, new)
    return evolve(script, words=tuple(words), spelled=tuple(spelled))
