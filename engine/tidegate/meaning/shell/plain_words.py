"""Words of plain text whose expansion needs no shell."""

from __future__ import annotations

import re

from ..scene import Scene
from ..values import Hole, Matched, unknown
from .command import Word
from .plain_text import LETTERS
from .running.fields import NOT_A_NAME

_GLOB = re.compile(r"[A-Za-z0-9_./:@%+,-]*+[*?][A-Za-z0-9_./:@%+,*?-]*+")
_STARS = re.compile(r"[*?]++|[^*?]++")
_HOME = re.compile(rf"~(/{LETTERS}*+)?")
_DOUBLE = re.compile(r'"((?:[^"$`\\]|\\[^\n])*+)"')
_ESCAPE = re.compile(r'\\(["$`\\])')
_VARIABLE = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*+)|\"\$([A-Za-z_][A-Za-z0-9_]*+)\"")
# The constructor of a named tuple costs four times as much as the tuple itself.
_new = tuple.__new__


def simple_word(text: str, span: tuple[int, int], scene: Scene) -> Word | None:
    """A glob, text in double quotes, what is at home, or a variable of the environment alone; else `None`."""
    if _GLOB.fullmatch(text):
        parts = tuple([piece if piece[0] not in "*?" else Hole.NAME for piece in _STARS.findall(text)])
        return Word(Matched(parts, NOT_A_NAME, text), span, many=True, glob=True)
    quoted = _DOUBLE.fullmatch(text)
    if quoted is not None:
        return _new(Word, (_ESCAPE.sub(r"\1", quoted[1]), span, False, False))
    home = scene.home
    if home is not None and _HOME.fullmatch(text):
        return _new(Word, (home + text[1:], span, False, False))
    found = _VARIABLE.fullmatch(text)
    name = found[1] or found[2] if found else ""
    if not name or name.isupper() or name in scene.environment or scene.complete_environment:
        return None
    return Word(unknown(f"the value of `${name}` is set by the environment"), span, many=text[0] == "$")
