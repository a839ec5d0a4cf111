"""What it takes to spell one word of a command otherwise."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from random import Random

from attrs import evolve

from .scripts import Operator, Script, apart, as_words

Spelling = tuple[str, str]
"""Lines to stand before the command, and the word."""

Speller = Callable[[str, Random], Spelling | None]

quote = shlex.quote
NOTHING = ["''", '""', "$(:)", '"$(:)"', "`:`", "${VNONE}", '"${VNONE-}"']
ROT13 = str.maketrans(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", "NOPQRSTUVWXYZABCDEFGHIJKLMnopqrstuvwxyzabcdefghijklm"
)


def respelled(spell: Speller, *, posix: bool, several: bool = False) -> Callable[[Script, Random], Script | None]:
    """Re-spell one word of a script, one that is still plain if there is any; *several* words may come of it."""

    def apply(script: Script, random: Random) -> Script | None:
        script = as_words(script, random)
        places = [place for place, word in enumerate(script.words) if not isinstance(word, Operator)]
        if several:
            places = apart(script)
        plain = [place for place in places if script.spelled[place] == quote(script.words[place])]
        place = random.choice(plain or places)
        spelling = spell(script.words[place], random)
        if spelling is None:
            return None
        before, word = spelling
        spelled = (*script.spelled[:place], word, *script.spelled[place + 1 :])
        return evolve(script, spelled=spelled, before=script.before + before, posix=script.posix and posix)

    return apply


def cut(value: str, random: Random) -> tuple[str, str]:
    """The value in two parts."""
    place = random.randint(0, len(value))
    return value[:place], value[place:]


def one_line(value: str) -> bool:
    """Whether programs that read lines give the value back."""
    return "\n" not in value and value.isprintable()


def escapes(value: str, form: str) -> str:
    """Every byte as an escape of `$'…'` or `printf`."""
    return "".join(form.format(byte) for byte in value.encode())


def hexadecimal(value: str) -> str:
    return escapes(value, "\\x{:02x}")


def octal(value: str) -> str:
    return escapes(value, "\\{:03o}")
