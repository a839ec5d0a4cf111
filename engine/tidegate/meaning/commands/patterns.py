"""Command patterns: `git push --force`, `rm -r -f /srv/**`, `npm test ...`, compared with what was read."""

from __future__ import annotations

from typing import Protocol

from ..effects import Effect, Invocation, PathTarget, UrlTarget
from ..tri import Tri
from .table import Table


class PatternError(Exception):
    """A command pattern is none.

    Attributes:
        offset: Where in the text, in code points from 0.
        what: The fact, lower case, without a full stop.
        why: Why it is refused.
        mend: What to write instead.
    """

    def __init__(self, offset: int, what: str, why: str, mend: str) -> None:
        super().__init__(f"{what}: {mend}")
        self.offset = offset
        self.what = what
        self.why = why
        self.mend = mend


class Compare(Protocol):
    """Compares operands by meaning; given by whoever knows the places of the call (`{root}`, `~`, cwd)."""

    def path(self, pattern: str, target: PathTarget, *, grant: bool) -> Tri:
        """Whether the path glob *pattern* names *target*; a grant needs every name of it, a deny one."""

    def url(self, pattern: str, target: UrlTarget, *, grant: bool) -> Tri:
        """Whether the URL glob *pattern* names *target*; a grant admits no doubts."""


class CommandPattern:
    """A compiled pattern for simple commands.

    Attributes:
        text: The pattern as written.
        programs: The exact program names that it can match, for an index; `None` where it is a glob. A deny
            is looked up by `fold_program` of a program's name, a grant by the name itself.
    """

    text: str
    programs: frozenset[str] | None

    def match_deny(self, invocation: Invocation, compare: Compare) -> Tri:
        """Whether *invocation* does at least what the pattern names.

        Unknown where words that are not known could make it so; no only where it certainly does not.
        """
        raise NotImplementedError

    def match_grant(self, invocation: Invocation, compare: Compare) -> Tri:
        """Whether *invocation* is exactly what the pattern names, locally, by a bare trusted name."""
        raise NotImplementedError

    def covers(self, effect: Effect) -> bool:
        """Whether a grant by this pattern covers *effect*, whose `by` it has matched.

        True for the `exec`, for what is inherent, and for what comes of an option or variable that the
        pattern names.
        """
        raise NotImplementedError


def parse_pattern(text: str, table: Table) -> CommandPattern:
    """Compile a command pattern.

    Raises:
        PatternError: The text is empty, has an unquoted shell operator, or names an option that the program's
            entry does not know.
    """
    raise NotImplementedError


def fold_program(name: str) -> str:
    """The name under which denies look a program up: case, `.exe`, trailing dots and look-alikes folded."""
    raise NotImplementedError
