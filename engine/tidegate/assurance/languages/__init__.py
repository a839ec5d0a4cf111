"""Sets of texts, decided and not sampled: what patterns name, whether one holds another, and what tells them apart."""

from __future__ import annotations

from .algebra import Language, NotDecided, example, is_within, is_within_all, share
from .regexes import Unread, regex_pieces
from .spoken import glob_language, name_language, text_language

__all__ = [
    "Language",
    "NotDecided",
    "Unread",
    "example",
    "glob_language",
    "is_within",
    "is_within_all",
    "name_language",
    "regex_pieces",
    "share",
    "text_language",
]
