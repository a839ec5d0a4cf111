"""The syntax tree of shell text: plain values, one class per construct of the grammar.

Spans count code points in the text that was handed to the parser.
"""

from __future__ import annotations

from typing import NamedTuple

from ...values import Value
from ..command import Word


class Literal(NamedTuple):
    """Unquoted text, in which blanks cannot stand but `*`, `{`, `~` may be active."""

    text: str


class Quoted(NamedTuple):
    """Text that stands for itself."""

    text: str


class Missing(NamedTuple):
    """A stretch of the text itself that nobody knows; `value` says what is known of one that is part of a word."""

    quoted: bool
    value: Value | None = None


class Variable(NamedTuple):
    """`$name`, `${name}` (then it is `braced`) or a special parameter."""

    name: str
    quoted: bool
    braced: bool = False


class Parameter(NamedTuple):
    """`${…}` with anything besides a name.

    `operator` is the operator as spelled, `length` for `${#x}`, `names` for `${!x*}`, or empty.
    `second` is the length of `${x:1:2}` and the replacement of `${x/a/b}`.
    """

    name: str
    quoted: bool
    operator: str = ""
    argument: RawWord | None = None
    second: RawWord | None = None
    subscript: RawWord | None = None
    indirect: bool = False


class Substitution(NamedTuple):
    """`$(…)` or backticks."""

    body: Sequence
    quoted: bool


class Process(NamedTuple):
    """`<(…)` or `>(…)`."""

    direction: str
    body: Sequence


class Arithmetic(NamedTuple):
    """`$((…))` or `$[…]`."""

    expression: RawWord
    quoted: bool


class Extglob(NamedTuple):
    """`@(…|…)` and its kin; `parts` are those between the parentheses."""

    operator: str
    parts: tuple[Part, ...]


class Unread(NamedTuple):
    """A stretch whose expansions cannot be read; bash would find that out only when it runs the command."""

    reason: str


Part = Literal | Quoted | Missing | Unread | Variable | Parameter | Substitution | Process | Arithmetic | Extglob


class RawWord(NamedTuple):
    """A word as it is written.

    `text` is its value where nothing in it needs to be expanded. `parts` is empty for plain unquoted text.
    """

    text: str | None
    parts: tuple[Part, ...]
    start: int
    end: int

    @property
    def unquoted(self) -> str | None:
        """The text of a word without quotes and expansions, the only kind that can be a reserved word."""
        if not self.parts:
            return self.text
        head = self.parts[0]
        return head.text if len(self.parts) == 1 and type(head) is Literal else None


class Element(NamedTuple):
    """One element of an array literal, `[subscript]=value` or just `value`."""

    subscript: RawWord | None
    append: bool
    value: RawWord


class ArrayLiteral(NamedTuple):
    """`(a b [3]=c)` after an assignment."""

    elements: tuple[Element, ...]


class Assignment(NamedTuple):
    """`name=value`, `name+=value`, `name[i]=value`, `name=(…)`."""

    name: str
    subscript: RawWord | None
    append: bool
    value: RawWord | ArrayLiteral
    start: int
    end: int


class Heredoc:
    """A here-document; its body is known once the line that opens it has ended."""

    __slots__ = ("body", "delimiter", "quoted", "strip")

    def __init__(self, delimiter: str, quoted: bool, strip: bool) -> None:
        """Open a here-document that ends at a line that is *delimiter*."""
        self.delimiter = delimiter
        self.quoted = quoted
        self.strip = strip
        self.body: RawWord | None = None


class Redirect(NamedTuple):
    """One redirection; `fd` is the number before it, `variable` the name in `{name}>`."""

    operator: str
    fd: int | None
    variable: str | None
    target: RawWord | Heredoc
    start: int
    end: int


class Simple(NamedTuple):
    """A simple command. Words that need no expansion are the words that the program sees.

    `constant` tells that there is nothing else than such words.
    """

    assignments: tuple[Assignment, ...]
    words: tuple[Word | RawWord | Assignment, ...]
    redirects: tuple[Redirect, ...]
    start: int
    end: int
    constant: bool = False


class Pipeline(NamedTuple):
    """Commands joined by `|`; one alone where it is only negated. `merged` tells that `|&` stands among them."""

    commands: tuple[Node, ...]
    negated: bool = False
    merged: bool = False


class AndOr(NamedTuple):
    """A command, then `&&` or `||` with one more, any number of times."""

    first: Node
    rest: tuple[tuple[str, Node], ...]


class Sequence(NamedTuple):
    """Commands one after the other; true marks those sent to the background."""

    items: tuple[tuple[Node, bool], ...]


class Subshell(NamedTuple):
    """`( … )`."""

    body: Sequence


class Group(NamedTuple):
    """`{ …; }`."""

    body: Sequence


class If(NamedTuple):
    """`if … then … elif … else … fi`: conditions with their bodies, and the last body."""

    clauses: tuple[tuple[Sequence, Sequence], ...]
    otherwise: Sequence | None


class Loop(NamedTuple):
    """`while` or `until`."""

    condition: Sequence
    body: Sequence
    until: bool = False


class For(NamedTuple):
    """`for name in words` or `select name in words`; no words at all stand for `"$@"`."""

    name: str
    words: tuple[RawWord, ...] | None
    body: Sequence
    select: bool = False


class ArithmeticFor(NamedTuple):
    """`for ((a; b; c))`."""

    header: tuple[RawWord, ...]
    body: Sequence


class Clause(NamedTuple):
    """One clause of `case`; `terminator` is `;;`, `;&` or `;;&`."""

    patterns: tuple[RawWord, ...]
    body: Sequence
    terminator: str


class Case(NamedTuple):
    """`case word in … esac`."""

    word: RawWord
    clauses: tuple[Clause, ...]


class ArithmeticCommand(NamedTuple):
    """`((…))`."""

    expression: RawWord


class Test(NamedTuple):
    """One test between `[[` and `]]`; `operator` is empty for a word alone."""

    operator: str
    words: tuple[RawWord, ...]


class Condition(NamedTuple):
    """`[[ … ]]`, every test in it, whatever joins them."""

    tests: tuple[Test, ...]


class Function(NamedTuple):
    """The definition of a function."""

    name: str
    body: Node
    start: int
    end: int


class Coprocess(NamedTuple):
    """`coproc`."""

    name: str
    body: Node


class Redirected(NamedTuple):
    """A compound command with redirections."""

    body: Node
    redirects: tuple[Redirect, ...]


class Opaque(NamedTuple):
    """Text that is not understood, with why, from where to where.

    `foreign` tells that the shell in question does not run it either: it is not its syntax.
    """

    reason: str
    start: int
    end: int
    foreign: bool = False


Node = (
    Simple
    | Pipeline
    | AndOr
    | Sequence
    | Subshell
    | Group
    | If
    | Loop
    | For
    | ArithmeticFor
    | Case
    | ArithmeticCommand
    | Condition
    | Function
    | Coprocess
    | Redirected
    | Opaque
)
