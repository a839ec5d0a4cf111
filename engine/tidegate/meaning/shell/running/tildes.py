"""Tildes: home directories and the directories of the shell."""

from __future__ import annotations

import re

from ...values import Value, unknown
from .held import Absence
from .operations import Operations
from .state import State

_TILDE = re.compile(r"~([^/:]*+)")
_LIST_TILDE = re.compile(r"((?:\A|(?<=:))~[^/:]*+)")
_ASSIGNED_TILDE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*+\+?=")


class Tildes(Operations):
    """Expands tildes."""

    __slots__ = ()

    def tildes(self, text: str, state: State, *, alone: bool) -> list[tuple[Value, bool]]:
        """*text* with its leading tilde expanded, as pieces with whether they are still text as written."""
        found = _TILDE.match(text)
        if found is not None and (alone or found.end() < len(text)) and not text.startswith(":", found.end()):
            return [(self.home(found[1], state), False), (text[found.end() :], True)]
        assigned = _ASSIGNED_TILDE.match(text)
        if assigned is None or self.posix:
            return [(text, True)]
        self.bashism = True
        values = self.assigned_tildes(text[assigned.end() :], state, first=True, last=alone)
        return [(assigned[0], True), *((value, False) for value in values)]

    def assigned_tildes(self, text: str, state: State, *, first: bool, last: bool) -> list[Value]:
        """*text* in an assignment, where a tilde may also stand behind a colon."""
        pieces = _LIST_TILDE.split(text)
        values: list[Value] = []
        for place, piece in enumerate(pieces):
            whole = last or place < len(pieces) - 2 or pieces[-1] != ""
            if place % 2 and whole and (first or place > 1 or pieces[0]):
                values.append(self.home(piece[1:], state))
            else:
                values.append(piece)
        return values

    def home(self, user: str, state: State) -> Value:
        """What `~user` stands for."""
        if user == "":
            value = self.value("HOME", state)
            return unknown("the home directory is not known") if isinstance(value, Absence) else value
        if user == "+":
            value = self.value("PWD", state)
            return _text(value)
        if user == "-":
            value = self.value("OLDPWD", state)
            return unknown("the previous directory is not known") if isinstance(value, Absence) else value
        known = self.scene.homes.get(user)
        return known if known is not None else unknown("the home directory of another account is not known")

    def unset(self, name: str) -> Value:
        """The value of a variable that the text did not set."""
        return unknown(f"the value of `${name}` is set by the environment")


def _text(value: Value | Absence) -> Value:
    return "" if isinstance(value, Absence) else value
