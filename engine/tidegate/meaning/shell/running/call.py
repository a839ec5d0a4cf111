"""A simple command after expansion."""

from __future__ import annotations

from typing import Literal

from ...effects import Invocation
from ...values import Value
from ..command import Word
from ..parsing.syntax import Assignment
from .held import Held


class Call:
    """A simple command after expansion, on its way to whatever runs it.

    `arguments` holds the assignments behind a builtin that takes them (`declare`) by their place in `words`,
    `code` what the process substitution at a place prints. `rest` is what is left of `stdin`.
    `stdout` is false where standard output goes elsewhere, `lookup` where an assignment before the command
    changed what its name means. `among` says what the name may mean: also a function, at most a builtin, or a
    program only. `read_as` is what a program made of it, where one was asked.
    """

    __slots__ = (
        "among", "arguments", "code", "lookup", "read_as", "rest", "span", "stdin", "stdout", "variables", "words",
        "wrappers",
    )  # fmt: skip

    def __init__(
        self, words: tuple[Word, ...], variables: tuple[tuple[str, Value], ...], span: tuple[int, int]
    ) -> None:
        """A call of *words* with *variables* assigned before it."""
        self.words = words
        self.variables = variables
        self.span = span
        self.arguments: dict[int, tuple[Assignment, Held]] = {}
        self.code: dict[int, Value] = {}
        self.stdin: Value | None = None
        self.rest: Value | None = None
        self.stdout = True
        self.lookup = True
        self.among: Literal["functions", "builtins", "programs"] = "functions"
        self.wrappers: tuple[str, ...] = ()
        self.read_as: Invocation | None = None

    def without(self, count: int, *wrappers: str) -> Call:
        """The call of what stands behind the first *count* words, which are peeled as *wrappers*."""
        call = Call(self.words[count:], self.variables, self.span)
        call.arguments = {place - count: argument for place, argument in self.arguments.items()}
        call.code = {place - count: text for place, text in self.code.items()}
        call.stdin, call.rest, call.stdout, call.lookup = self.stdin, self.rest, self.stdout, self.lookup
        call.among = self.among
        call.wrappers = (*self.wrappers, *wrappers)
        return call
