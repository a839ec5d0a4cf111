"""Command patterns: `git push --force`, `rm -r -f /srv/**`, `npm test ...`, compared with what was read."""

from __future__ import annotations

from collections.abc import Sequence

from ..effects import Effect, Invocation
from ..tri import Tri, any_of
from .matching import Shape
from .names import deny_names, fold_program
from .pattern_parts import Compare
from .pattern_shapes import read_shape
from .pattern_text import PatternError, read_words
from .table import Table

__all__ = ["CommandPattern", "Compare", "PatternError", "deny_names", "fold_program", "parse_pattern"]


class CommandPattern:
    """A compiled pattern for simple commands.

    Attributes:
        text: The pattern as written.
        programs: The exact program names that it can match, for an index; `None` where it is a glob. A deny
            is looked up by each of `deny_names` of a program's name, a grant by the name itself.
        shapes: One for each simple command of the pattern: wrappers, and the command within last.
    """

    __slots__ = ("_covered", "_inner", "_outer", "programs", "shapes", "text")

    def __init__(self, text: str, shapes: Sequence[Shape]) -> None:
        self.text = text
        self.shapes = tuple(shapes)
        self._inner = shapes[-1]
        self._outer = tuple(shapes[:-1])
        names = [shape.program for shape in shapes]
        known = frozenset(name for name in names if name is not None)
        self.programs = known if len(known) == len(set(names)) and None not in names else None
        self._covered = frozenset(name for shape in shapes for name in shape.covered())

    def match_deny(self, invocation: Invocation, compare: Compare) -> Tri:
        """Whether *invocation* does at least what the pattern names.

        Unknown where words that are not known could make it so; no only where it certainly does not.
        """
        if any(shape.program not in invocation.wrappers for shape in self._outer):
            return False
        return self._inner.denies(invocation, compare)

    def match_grant(self, invocation: Invocation, compare: Compare) -> Tri:
        """Whether *invocation* is exactly what the pattern names, locally, by a bare trusted name.

        Of a pattern with a wrapper (`xargs grep ...`) both commands are meant, the inner one behind that wrapper.
        """
        answers = [shape.grants(invocation, compare) for shape in self._outer]
        wrappers = tuple(shape.program for shape in self._outer)
        if not wrappers or invocation.wrappers[-len(wrappers) :] == wrappers:
            answers.append(self._inner.grants(invocation, compare))
        return any_of(answers)

    def covers(self, effect: Effect) -> bool:
        """Whether a grant by this pattern covers *effect*, whose `by` it has matched.

        True for the `exec`, for what is inherent, and for what comes of an option, variable or word that the
        pattern names.
        """
        return effect.kind == "exec" or effect.inherent or effect.option in self._covered


def parse_pattern(text: str, table: Table, *, grant: bool = False) -> CommandPattern:
    """Compile a command pattern.

    Args:
        text: The pattern.
        table: What options and operands mean.
        grant: Whether it stands in a list that grants, where the program must be named exactly.

    Raises:
        PatternError: The text is empty, has an unquoted shell operator, names an option that the program's
            entry does not know, or grants a program by a glob or a relative path.
    """
    words = read_words(text)
    if not words:
        raise PatternError(
            0, "the pattern is empty", "it would name no command", "write a command, as in `git status ...`"
        )
    shapes: list[Shape] = []
    while words:
        shape, words = read_shape(words, table, grant=grant)
        shapes.append(shape)
    return CommandPattern(text, shapes)
