"""The words of a command pattern become shapes: one for each wrapper in it, and one for the command within."""

from __future__ import annotations

from typing import NamedTuple

from ..pathpatterns import PathPattern
from ..regexes import BadPattern
from ..shell.command import Word
from ..urlpatterns import UrlPattern
from .compiling import compile_entry
from .entry import Entry, Layout, Role
from .entry_source import Source
from .grammars import sort_words
from .matching import Shape
from .names import fold_program
from .operands import place_operands
from .pattern_parts import MANY, OperandPattern, OptionPattern, TextPattern, VariablePattern
from .pattern_text import PatternError, PatternWord
from .sorting import Found, Sorted
from .table import Table

OPEN = "..."
_COMMAND_LINES = frozenset({"argv", "appended"})
_ANY = OperandPattern(TextPattern(MANY))
_NOTHING = compile_entry("", {"operands": "unknown..."}, Source(lambda _name: None))


class _Head(NamedTuple):
    """What stands before the words that the program's entry sorts."""

    variables: tuple[VariablePattern, ...]
    word: PatternWord
    rest: list[PatternWord]
    open: bool


def read_shape(words: list[PatternWord], table: Table, *, grant: bool) -> tuple[Shape, list[PatternWord]]:
    """Read the first command of a pattern; returns it, and the words of the command within where it is a wrapper.

    Raises:
        PatternError: No program is named, a grant names it vaguely, or its entry does not know an option.
    """
    head = _read_head(words)
    word = head.word
    if grant:
        _check_program(word)
    name = (word.plain if word.plain is not None else word.glob).rpartition("/")[2]
    program = None if word.plain is None else (name if grant else fold_program(name))
    entry = table.entry(program) if program is not None else None
    sorted_ = _sort(entry, head.rest)
    options = tuple(_option(found, sorted_, entry) for found in sorted_.options)
    operands, within = _operands(sorted_, head, entry)
    shape = Shape(
        program=program,
        names=TextPattern(name if program is None else program),
        path=word.plain if word.plain is not None and "/" in word.plain else None,
        entry=sorted_.entry if entry is not None else None,
        subcommand=sorted_.subcommand,
        options=options,
        operands=operands,
        variables=head.variables,
        open=head.open,
        dashes=sorted_.dashes if entry is not None and entry.special == "git" else None,
        ordered=entry is not None and entry.syntax == "find",
        table=table,
    )
    return shape, within


def _read_head(words: list[PatternWord]) -> _Head:
    variables: list[VariablePattern] = []
    index = 0
    while index < len(words) and words[index].variable is not None:
        name, value = words[index].variable or ("", "")
        variables.append(VariablePattern(name, TextPattern(value)))
        index += 1
    if index == len(words) or words[index].plain == OPEN:
        offset = words[index].offset if index < len(words) else words[-1].offset
        raise PatternError(
            offset, "the pattern names no program", "it would match any or none", "write a program first"
        )
    rest = words[index + 1 :]
    is_open = any(word.plain == OPEN and not word.quoted for word in rest)
    if is_open and rest[-1].plain == OPEN:
        rest = rest[:-1]
    rest = [PatternWord(MANY, None, word.offset) if word.plain == OPEN and not word.quoted else word for word in rest]
    return _Head(tuple(variables), words[index], rest, is_open)


def _check_program(word: PatternWord) -> None:
    """A grant names a program exactly: by its bare name, or by an absolute path."""
    if word.plain is None:
        raise PatternError(
            word.offset,
            f"`{word.glob}` grants programs by a glob",
            "a grant never covers a program that it does not name",
            "write one pattern for each program",
        )
    if "/" in word.plain and not word.plain.startswith("/"):
        raise PatternError(
            word.offset,
            f"`{word.plain}` grants a program by a relative path",
            "which program that is depends on the working directory",
            "write its absolute path, or its bare name for the one on the trusted `PATH`",
        )


def _sort(entry: Entry | None, rest: list[PatternWord]) -> Sorted:
    words = tuple(Word(word.glob, (index, word.offset), glob=word.plain is None) for index, word in enumerate(rest))
    return sort_words(entry, words) if entry is not None else _sort_unmodelled(words)


def _sort_unmodelled(words: tuple[Word, ...]) -> Sorted:
    """Words of a program without an entry: a dash makes an option, up to `--`."""
    options: list[Found] = []
    operands: list[Word] = []
    ended = False
    for word in words:
        text = word.value
        if not isinstance(text, str):
            continue
        if not ended and text == "--":
            ended = True
        elif not ended and text.startswith("-") and len(text) > 1:
            name, equals, value = text.partition("=")
            options.append(Found(None, name, value if equals else None, word))
        else:
            operands.append(word)
    return Sorted(_NOTHING, (), tuple(options), tuple(operands), complete=True)


def _option(found: Found, sorted_: Sorted, entry: Entry | None) -> OptionPattern:
    value = TextPattern(found.value) if isinstance(found.value, str) else None
    if found.spec is not None:
        return OptionPattern(found.spec.name, value, found.spec.spellings, sorted_.entry)
    if entry is not None and sorted_.undeclared is None:
        raise _unknown_option(found, sorted_.entry)
    return OptionPattern(found.name, value, (found.name,), None)


def _unknown_option(found: Found, entry: Entry) -> PatternError:
    from difflib import get_close_matches

    known = [*entry.longs, *(f"-{letter}" for letter in entry.shorts)]
    if entry.parent is not None:
        known += [*entry.parent.longs, *(f"-{letter}" for letter in entry.parent.shorts)]
    near = get_close_matches(found.name, known, 1, 0.6)
    mend = f"write `{near[0]}`" if near else "add the option under `[commands]`, or leave it out"
    return PatternError(
        found.word.span[1],
        f"`{entry.name}` has no option `{found.name}`",
        "the pattern would never match",
        mend,
    )


def _operands(
    sorted_: Sorted, head: _Head, entry: Entry | None
) -> tuple[tuple[OperandPattern, ...], list[PatternWord]]:
    """The operands of a command, and the words of the command within where it is a wrapper."""
    if entry is None:
        return tuple(OperandPattern(TextPattern(_text(word))) for word in sorted_.operands), []
    layout, words, inner = _layout(sorted_, head)
    roles = place_operands(layout, words)
    patterns: list[OperandPattern] = []
    for word, role in zip(words, roles, strict=True):
        patterns.append(_operand(word, role))
        if role is layout.tail and role.parts[0].kind in _COMMAND_LINES and not word.glob:
            return (*patterns, _ANY), [*inner, *_words_from(head, word)]
    if inner and sorted_.options and patterns == []:
        return (_ANY,), inner
    return tuple(patterns), []


def _layout(sorted_: Sorted, head: _Head) -> tuple[Layout, tuple[Word, ...], list[PatternWord]]:
    """The roles in force, the operands that have them, and words that go to the command within."""
    layout = sorted_.entry.layout
    words = sorted_.operands
    inner: list[PatternWord] = []
    for found in sorted_.options:
        if found.spec is not None and found.spec.layout is not None:
            layout = found.spec.layout
        role = found.spec.role if found.spec is not None else None
        if role is not None and role.parts[0].kind == "module":
            inner = _module(head, found)
            words = ()
    if layout.assigns:
        count = next((index for index, word in enumerate(words) if "=" not in _text(word)), len(words))
        inner = [head.rest[word.span[0]] for word in words[:count]]
        words = words[count:]
    return layout, words, inner


def _module(head: _Head, found: Found) -> list[PatternWord]:
    """The words of the program that a module is; none where the pattern names no module, and so means any."""
    if found.words:
        return _words_from(head, found.words[0])
    if not isinstance(found.value, str):
        return []
    joined, *rest = _words_from(head, found.word)
    at = len(joined.glob) - len(found.value)
    return [joined._replace(glob=found.value, plain=None if joined.plain is None else joined.plain[at:]), *rest]


def _words_from(head: _Head, word: Word) -> list[PatternWord]:
    """The words of the pattern from *word* on, with the ` ...` that ended it."""
    rest = head.rest[word.span[0] :]
    return [*rest, PatternWord(OPEN, OPEN, rest[-1].offset)] if head.open else rest


def _operand(word: Word, role: Role) -> OperandPattern:
    glob = _text(word)
    if glob not in ("*", MANY):
        try:
            if role.is_path:
                PathPattern.compile(glob)
            elif role.is_url:
                UrlPattern.compile(glob)
        except BadPattern as error:
            raise PatternError(
                word.span[1] + getattr(error, "offset", 0),
                str(error),
                f"the operand is a {'path' if role.is_path else 'URL'}",
                error.mend,
            ) from None
    return OperandPattern(TextPattern(glob))


def _text(word: Word) -> str:
    return word.value if isinstance(word.value, str) else ""
