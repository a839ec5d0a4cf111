"""Programs that run a command line for each of many names: `find`, `fd`, `xargs`, `parallel`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase

from ..effects import EffectKind
from ..shell.command import Word
from ..values import Hole, Partial, Value, unknown
from .entry import Part
from .roles_running import as_words, nest_words, split_words
from .run import Handler, Item, Run
from .text import blank_joined, joined, known_start, last_component

MOST_LINES = 64
_FOUND = "the names that `find` finds are not known"
_FILE_MARK = re.compile(r"\{[/.]*\}")
_NEVER_A_FILE = re.compile(r"(?:.*/)?\.{0,2}")


def _each(run: Run, _part: Part, item: Item) -> None:
    """The command line of `find -exec`: `{}` is the name of each file that is found."""
    for name in _found_names(run, here=item.option in ("-execdir", "-okdir")):
        words = tuple(_replaced(word, "{}", name) for word in item.words)
        run.nest("argv", words=words, span=item.span)


def _follow(run: Run, _part: Part, item: Item) -> None:
    """The command line behind an option (`fd -x`); what stands for the file in it is not known."""
    words = item.words
    file = Word(unknown(f"what `{run.program}` hands on is not known"), item.span)
    if not any(isinstance(word.value, str) and _FILE_MARK.search(word.value) for word in words):
        words = (*words, file)
    nest_words(run, item, tuple(_replaced(word, "{}", file.value) for word in words))


def _replaced(word: Word, mark: str, name: Value) -> Word:
    if not isinstance(word.value, str) or mark not in word.value:
        return word
    pieces: list[Value | Hole] = []
    for index, piece in enumerate(word.value.split(mark)):
        pieces += [name, piece] if index else [piece]
    return word._replace(value=joined(*pieces))


def _found_names(run: Run, *, here: bool = False) -> Iterator[Value]:
    """What `find` could find: each place to start from unless a test excludes it, and what lies beneath it."""
    glob = _name_tested(run)
    tail = _glob_parts(glob) if glob is not None else ()
    for operand in run.operands:
        start = operand.value
        if here:
            yield Partial(("./", *(tail or (Hole.NAME,))), _FOUND)
            continue
        if not _excludes_start(run, start, glob):
            yield start
        slash = "" if isinstance(start, str) and start.endswith("/") else "/"
        yield joined(start, slash, Hole.ANY, *tail, reason=_FOUND)


def _name_tested(run: Run) -> str | None:
    """The glob that every name found must match, where the expression is a plain conjunction."""
    names = {found.name for found in run.sorted.options}
    if names & {"!", "-not", "-o", "-or", ",", "("} or not run.sorted.complete:
        return None
    found = run.found("-name")
    return found.value if found is not None and isinstance(found.value, str) else None


def _excludes_start(run: Run, start: Value, glob: str | None) -> bool:
    if not isinstance(start, str):
        return False
    depth = run.found("-mindepth")
    if depth is not None and isinstance(depth.value, str) and depth.value.isdecimal() and int(depth.value) > 0:
        return True
    if glob is not None and not fnmatchcase(str(last_component(start)), glob):
        return True
    kind = run.found("-type")
    return glob is not None and kind is not None and kind.value == "f" and _NEVER_A_FILE.fullmatch(start) is not None


def _glob_parts(glob: str) -> tuple[str | Hole, ...]:
    """A shell glob as text with holes."""
    pieces = re.split(r"(\*|\?|\[!?\]?[^\]]*\])", glob)
    return tuple(Hole.NAME if index % 2 else piece for index, piece in enumerate(pieces) if index % 2 or piece)


def _matched(run: Run, part: Part, item: Item) -> None:
    """What `find` itself does to each file that it finds."""
    kind: EffectKind = part.argument  # type: ignore[assignment]
    run.force = True
    glob = _name_tested(run)
    if glob is None:
        run.do(kind, run.resolve(item.value), item, recursive=True)
    else:
        for name in _found_names(run):
            run.do(kind, run.resolve(name), item)


def _appended(run: Run, _part: Part, item: Item) -> None:
    """The command line of `xargs`: what is read is appended, or put in place of a mark."""
    mark = run.found("--replace")
    text = run.command.stdin if run.found("--arg-file") is None else None
    if mark is not None:
        replacement = mark.value if isinstance(mark.value, str) else "{}"
        for line in _lines(text):
            nest_words(run, item, tuple(_replaced(word, replacement or "{}", line) for word in item.words))
        return
    plain = isinstance(text, str) and not any(
        run.found(name) for name in ("--max-args", "--max-lines", "--null", "--delimiter")
    )
    texts = split_words(text) if plain and isinstance(text, str) else None
    more = as_words(texts or [], item.span)
    if texts is None:
        more = (Word(unknown("what `xargs` reads is not known"), item.span, many=True),)
    nest_words(run, item, item.words + more)


def _lines(text: Value | None) -> list[Value]:
    if not isinstance(text, str):
        return [unknown("what `xargs` reads is not known")]
    lines = [line.lstrip() for line in text.splitlines() if line.strip()]
    if len(lines) > MOST_LINES or any(mark in text for mark in "'\"\\"):
        return [unknown("what `xargs` reads is not looked at")]
    return list(lines)


def _parallel(run: Run, _part: Part, item: Item) -> None:
    """The command of `parallel`, which a shell runs once for each argument behind `:::` or line read."""
    values = [word.value for word in item.words]
    split = next((index for index, value in enumerate(values) if known_start(value).startswith(":::")), len(values))
    template = blank_joined(values[:split])
    if not template:
        template = "{}"
    for argument in _arguments(run, values[split + 1 :], given=split < len(values)):
        run.nest("shell", text=_filled(template, argument), language="sh", span=item.span)


def _filled(template: Value, argument: Value) -> Value:
    """The command of `parallel` for one argument: in place of its marks, or behind it."""
    if not isinstance(template, str) or not _FILE_MARK.search(template):
        return joined(template, " ", argument)
    pieces: list[Value | Hole] = []
    for index, piece in enumerate(_FILE_MARK.split(template)):
        pieces += [argument, piece] if index else [piece]
    return joined(*pieces)


def _arguments(run: Run, values: list[Value], *, given: bool) -> list[Value]:
    if given and len(values) <= MOST_LINES and not any(known_start(value).startswith(":::") for value in values):
        return values
    text = run.command.stdin
    if not given and isinstance(text, str) and text.count("\n") <= MOST_LINES:
        return list(text.splitlines())
    return [unknown("what `parallel` reads is not known")]


FINDING_ROLES: Mapping[str, Handler] = {
    "appended": _appended,
    "each": _each,
    "follow": _follow,
    "matched": _matched,
    "parallel": _parallel,
}
