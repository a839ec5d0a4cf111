"""Other spellings of commands that keep what they do.

That they do keep it is shown in the laws, which have a real shell run every one of them.
"""

from __future__ import annotations

from .runners import RUNNERS
from .scripts import Respelling, Script, command, text
from .shapes import SHAPES
from .texts import TEXTS
from .words import WORDS

__all__ = ["RESPELLINGS", "Respelling", "Script", "command", "text"]

RESPELLINGS: tuple[Respelling, ...] = (*WORDS, *RUNNERS, *SHAPES, *TEXTS)
