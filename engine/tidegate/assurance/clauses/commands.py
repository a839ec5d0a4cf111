"""Command patterns compared with each other: which one asks for at least what another asks for."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import field, frozen

from ...meaning.commands.matching import Shape
from ...meaning.commands.pattern_parts import MANY, OperandPattern, OptionPattern, TextPattern, text_steps
from ...meaning.commands.pattern_shapes import read_shape
from ...meaning.commands.pattern_text import read_words
from ...meaning.commands.table import Table
from ..languages import is_within
from ..languages.algebra import Machine
from ..languages.pieces import of_steps
from .items import Item


@frozen
class Command(Item):
    """A command pattern."""

    text: str
    shapes: tuple[Shape, ...] = field(eq=False, repr=False)

    @classmethod
    def read(cls, text: str, table: Table, *, grant: bool) -> Command:
        """Read a pattern that compiles."""
        words, shapes = read_words(text), []
        while words:
            shape, words = read_shape(words, table, grant=grant)
            shapes.append(shape)
        return cls(" ".join(text.split()), tuple(shapes))

    def within(self, others: Sequence[Item], *, grant: bool) -> bool:
        """By program, subcommand, options, operands and variables."""
        if self in others:
            return True
        test = _grants_less if grant else _asks_for_more
        return len(self.shapes) == 1 and any(
            isinstance(other, Command) and len(other.shapes) == 1 and test(self.shapes[0], other.shapes[0])
            for other in others
        )

    @property
    def program(self) -> str | None:
        """The only program that it names, where that is known by its name."""
        return self.shapes[0].program if len(self.shapes) == 1 else None


def _asks_for_more(one: Shape, other: Shape) -> bool:
    """Whether a command that does at least what *one* names does at least what *other* names."""
    if one.program is None or other.program is None:
        programs = other.program is None and _is_text_within(one.names, other.names)
    else:
        programs = one.program == other.program
    return (
        programs
        and one.subcommand[: len(other.subcommand)] == other.subcommand
        and (one.subcommand == other.subcommand or not other.operands)
        and all(any(_is_option_within(mine, theirs) for mine in one.options) for theirs in other.options)
        and _is_subsequence(other.operands, one.operands)
        and (other.dashes is None or one.dashes == other.dashes)
        and set(other.variables) <= set(one.variables)
    )


def _grants_less(one: Shape, other: Shape) -> bool:
    """Whether *other* grants, and covers, all that *one* does."""
    return (
        one.program is not None
        and one.program == other.program
        and one.path == other.path
        and one.subcommand == other.subcommand
        and not one.ordered
        and _are_options_within(one.options, other.options)
        and _are_operands_within(one, other)
        and one.dashes == other.dashes
        and one.variables == other.variables
        and set(one.covered()) <= set(other.covered())
    )


def _are_operands_within(one: Shape, other: Shape) -> bool:
    """Whether the one admits no operand that the other does not."""
    if not other.open:
        return not one.open and one.operands == other.operands
    # Behind a program with subcommands, what goes on may be one of these.
    plain = bool(other.operands) or one.entry is None or one.entry.commands is None
    return one.operands[: len(other.operands)] == other.operands and (plain or one.operands == other.operands)


def _are_options_within(some: Sequence[OptionPattern], others: Sequence[OptionPattern]) -> bool:
    """Whether both name the same options, and the ones no value that the others do not."""
    return len(some) == len(others) and all(
        mine.name == theirs.name and _is_option_within(mine, theirs)
        for mine, theirs in zip(_by_name(some), _by_name(others), strict=True)
    )


def _by_name(options: Sequence[OptionPattern]) -> list[OptionPattern]:
    return sorted(options, key=lambda option: (option.name, option.value.glob if option.value else ""))


def _is_option_within(one: OptionPattern, other: OptionPattern) -> bool:
    if one.name != other.name:
        return False
    return other.value is None or other.value.glob == "*" or one.value == other.value


def _is_subsequence(less: Sequence[OperandPattern], more: Sequence[OperandPattern]) -> bool:
    """Whether each pattern of *less* stands, in this order, in *more*, or something within it does."""
    if any(pattern.many for pattern in (*less, *more)):
        return tuple(less) == tuple(more)
    at = 0
    for pattern in less:
        while at < len(more) and not _is_operand_within(more[at], pattern):
            at += 1
        at += 1
    return at <= len(more)


def _is_operand_within(one: OperandPattern, other: OperandPattern) -> bool:
    return other.text.glob == "*" or (one.text.glob == other.text.glob != MANY)


def _is_text_within(one: TextPattern, other: TextPattern) -> bool:
    mine, theirs = (Machine(of_steps([text_steps(each.glob)])) for each in (one, other))
    return is_within(mine, theirs)
