"""Many command patterns, of which a simple command finds those that could name it.

Patterns stand under the program that they name. Those of one program stand under the text of one of their operands,
which the command must have in some form, or else under their subcommand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..commands.behind import MOST_WORDS
from ..commands.matching import Shape
from ..commands.names import deny_names, program_name
from ..commands.pattern_parts import OperandPattern
from ..commands.patterns import CommandPattern
from ..commands.table import Table
from ..comparing import path_pattern, url_pattern
from ..effects import Invocation, Operand
from ..pathpatterns import PathPattern
from ..places import Places
from ..urlpatterns import UrlPattern
from ..values import Partial
from .paths import PathIndex
from .urls import UrlIndex

_FEW = 4
_MOST_NAMES = 4_096


class CommandIndex:
    """Command patterns by program, each with the number of what it belongs to."""

    __slots__ = ("_any", "_by_program", "_found", "_table", "everything")

    def __init__(self, patterns: Sequence[tuple[CommandPattern, int]], table: Table) -> None:
        """Take *patterns* with their numbers; programs are named as *table* says."""
        self.everything = frozenset(number for _, number in patterns)
        self._table = table
        self._any = _Group()
        self._by_program: dict[str, _Group] = {}
        self._found: dict[str, tuple[_Group, ...]] = {}
        for pattern, number in patterns:
            for shape in pattern.shapes:
                group = self._any
                if shape.program is not None:
                    group = self._by_program.setdefault(shape.program, _Group())
                group.add(shape, number)

    def prepare(self) -> None:
        """Make what is else made when it is first needed."""
        for group in self._by_program.values():
            group.prepare()

    def possible(self, command: Invocation, places: Places) -> Iterable[int]:
        """The numbers of all patterns that could name *command*, or what an unknown program may run."""
        if isinstance(command.program, Partial):
            return self.everything
        found: set[int] = set()
        for group in self._groups(command.program):
            group.find(command, places, found)
        if not command.modelled:
            for word in command.words[1:MOST_WORDS]:
                name = program_name(word)
                if isinstance(name, str):
                    for group in self._groups(name):
                        found |= group.numbers
        return found

    def _groups(self, program: str) -> tuple[_Group, ...]:
        """The patterns about a program; names come from calls, and a hostile caller has many."""
        groups = self._found.get(program)
        if groups is None:
            names = dict.fromkeys((program, *deny_names(program, self._table)))
            known = (self._by_program.get(name) for name in names)
            groups = tuple(group for group in (self._any, *known) if group is not None and group.numbers)
            if len(self._found) >= _MOST_NAMES:
                self._found.clear()
            self._found[program] = groups
        return groups


class _Group:
    """The patterns about one program."""

    __slots__ = ("_bare", "_globs", "_paths", "_subcommands", "_texts", "_urls", "_wanted", "numbers")

    def __init__(self) -> None:
        self.numbers: set[int] = set()
        self._bare: set[int] = set()
        self._subcommands: dict[str, set[int]] = {}
        self._texts: dict[str, set[int]] = {}
        self._globs: list[tuple[OperandPattern, int]] = []
        self._wanted: list[tuple[OperandPattern, int]] = []
        self._paths: PathIndex | None = None
        self._urls: UrlIndex | None = None

    def add(self, shape: Shape, number: int) -> None:
        """Add a command of a pattern under what it needs most plainly."""
        self.numbers.add(number)
        wanted = [operand for operand in shape.operands if not operand.many and operand.text.glob != "*"]
        if wanted:
            operand = next((one for one in reversed(wanted) if one.text.plain is not None), wanted[-1])
            self._wanted.append((operand, number))
            if operand.text.plain is None:
                self._globs.append((operand, number))
            else:
                self._texts.setdefault(operand.text.plain, set()).add(number)
        elif shape.subcommand:
            self._subcommands.setdefault(shape.subcommand[0], set()).add(number)
        else:
            self._bare.add(number)

    def prepare(self) -> None:
        if len(self.numbers) > _FEW:
            self._by_path().prepare()
            self._by_url()

    def find(self, command: Invocation, places: Places, found: set[int]) -> None:
        """Add the numbers of what could name *command*."""
        if len(self.numbers) <= _FEW or not command.complete or any(map(_is_vague, command.operands)):
            found |= self.numbers
            return
        found |= self._bare
        for name in command.subcommand:
            found |= self._texts.get(name, _NOTHING)
            found |= self._subcommands.get(name, _NOTHING)
        for operand in command.operands:
            found |= self._texts.get(str(operand.value), _NOTHING)
            if operand.path is not None:
                found.update(self._by_path().possible(operand.path.names, places))
            if operand.url is not None:
                some = self._by_url().possible(operand.url)
                found.update(self.numbers if some is None else some)
        words = (*command.subcommand, *(operand.value for operand in command.operands))
        found.update(n for own, n in self._globs if any(own.text.match(word) is not False for word in words))

    def _by_path(self) -> PathIndex:
        if self._paths is None:
            self._paths = PathIndex(list(_compiled_paths(self._wanted)))
        return self._paths

    def _by_url(self) -> UrlIndex:
        if self._urls is None:
            self._urls = UrlIndex(list(_compiled_urls(self._wanted)))
        return self._urls


_NOTHING: frozenset[int] = frozenset()


def _is_vague(operand: Operand) -> bool:
    """Whether nobody can tell what an operand is, or how many."""
    nowhere = operand.path is not None and not operand.path.names
    return operand.many or isinstance(operand.value, Partial) or nowhere


def _compiled_paths(wanted: Iterable[tuple[OperandPattern, int]]) -> Iterator[tuple[PathPattern, int]]:
    for operand, number in wanted:
        pattern = path_pattern(operand.text.glob)
        if pattern is not None:
            yield pattern, number


def _compiled_urls(wanted: Iterable[tuple[OperandPattern, int]]) -> Iterator[tuple[UrlPattern, int]]:
    for operand, number in wanted:
        pattern = url_pattern(operand.text.glob)
        if pattern is not None:
            yield pattern, number
