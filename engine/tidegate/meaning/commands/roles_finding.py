"""Programs that run a command line for each of many names: `find`, `fd`, `xargs`, `parallel`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from ..effects import EffectKind
from ..listings import plain_names, whole_names
from ..shell.command import Word
from ..values import Hole, Listing, Value, unknown
from .entry import Part
from .finding import FOUND, excludes_start, folders, found_names, last_names, name_tested, starts
from .roles_running import as_words, nest_words, split_words
from .run import Handler, Item, Run
from .text import blank_joined, joined, known_start, last_component

MOST_LINES = 64
_ENDS = {"\n": "\n", "\\n": "\n", "\0": "\0", "\\0": "\0"}
_FILE_MARK = re.compile(r"\{[/.]*\}")


def _each(run: Run, _part: Part, item: Item) -> None:
    """The command line of `find -exec`: `{}` is the name of each file that is found."""
    if item.option not in ("-execdir", "-okdir"):
        names: Iterable[Value] = found_names(run.sorted)
        if any(isinstance(word.value, str) and "{}" in word.value != "{}" for word in item.words):
            names = _plain(run, tuple(names))
        for name in names:
            _run_for(run, item, name)
        return
    cwds, glob = run.cwds, name_tested(run.sorted)
    for start in starts(run.sorted):
        if not excludes_start(run.sorted, start, glob):
            run.cwds = run.resolve(joined(start, "/..")).names
            _run_for(run, item, joined("./", last_component(start)))
        run.cwds = cwds
        folders_ = (run.resolve(start), run.resolve(joined(start, "/", Hole.FOLDERS, Hole.ENTRY, reason=FOUND)))
        run.cwds = tuple(name for folder in folders_ for name in folder.names)
        _run_for(run, item, joined("./", *last_names(glob), reason=FOUND))
        run.cwds = cwds


def _plain(run: Run, names: tuple[Value, ...]) -> tuple[Value, ...]:
    """The names that are found; with plain holes where all that is there is plain, so that they may be in a script."""
    if run.command.place.kind != "local":
        return names
    trees = folders(name for start in starts(run.sorted) for name in run.resolve(start).names)
    return plain_names(names, trees, run.scene.files) or names


def _run_for(run: Run, item: Item, name: Value) -> None:
    run.nest("argv", words=tuple(_replaced(word, "{}", name) for word in item.words), span=item.span)


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


def _matched(run: Run, part: Part, item: Item) -> None:
    """What `find` itself does to each file that it finds."""
    kind: EffectKind = part.argument  # type: ignore[assignment]
    run.force = True
    if name_tested(run.sorted) is None:
        run.do(kind, run.resolve(item.value), item, recursive=True)
    else:
        for name in found_names(run.sorted):
            run.do(kind, run.resolve(name), item)


def _appended(run: Run, _part: Part, item: Item) -> None:
    """The command line of `xargs`: what is read is appended, or put in place of a mark."""
    mark = run.found("--replace")
    text = run.command.stdin if run.found("--arg-file") is None else None
    names = _listed(run, text)
    if mark is not None:
        replacement = mark.value if isinstance(mark.value, str) else "{}"
        if isinstance(text, Listing) and names is not None:
            names = plain_names(names, text.trees, run.scene.files) or names
        for line in _lines(run, text) if names is None else names:
            nest_words(run, item, tuple(_replaced(word, replacement or "{}", line) for word in item.words))
        return
    if names is not None:
        more = tuple(Word(name, item.span, many=True, glob=True) for name in names)
        nest_words(run, item, item.words)  # there may be no name
        nest_words(run, item, item.words + more)
        return
    for texts in _batches(run, text):
        if texts is None:
            more = (Word(unknown("what `xargs` reads is not known"), item.span, many=True),)
        else:
            more = as_words(texts, item.span)
        nest_words(run, item, item.words + more)


def _batches(run: Run, text: Value | None) -> list[list[str] | None]:
    """The arguments that each command line of `xargs` gets, `None` where they are not known."""
    texts = split_words(text) if isinstance(text, str) and _ended(run) is None else _separated(run, text)
    most = run.found("--max-args")
    if texts is None or run.found("--max-lines") is not None or len(texts) > MOST_LINES:
        return [None]
    if most is None:
        return [texts]
    if not isinstance(most.value, str) or not most.value.isdecimal() or int(most.value) == 0:
        return [None]
    return [texts[start : start + int(most.value)] for start in range(0, len(texts), int(most.value))] or [[]]


def _ended(run: Run) -> Value | None:
    """What ends every item that `xargs` reads as it is, `None` where it reads words in quotes."""
    if run.found("--null") is not None:
        return "\0"
    delimiter = run.found("--delimiter")
    if delimiter is None:
        return None
    known = isinstance(delimiter.value, str) and (_ENDS.get(delimiter.value) or len(delimiter.value) == 1)
    return (_ENDS.get(delimiter.value) or delimiter.value) if known else unknown("what ends an item is not known")  # type: ignore[arg-type]


def _separated(run: Run, text: Value | None) -> list[str] | None:
    """The items of known text that end in what `--null` or `--delimiter` say."""
    end = _ended(run)
    if not isinstance(end, str) or not isinstance(text, str):
        return None
    items = text.split(end)
    return items[:-1] if items[-1] == "" else items


def _listed(run: Run, text: Value | None) -> tuple[Value, ...] | None:
    """The names that `xargs` reads where they are listed and each becomes one argument, else `None`."""
    if run.command.place.kind != "local":
        return None
    delimiter = run.found("--delimiter")
    end = _ENDS.get(delimiter.value) if delimiter is not None and isinstance(delimiter.value, str) else "\n"
    if run.found("--null") is not None:
        end = "\0"
    return whole_names(text, run.scene.files, end) if end is not None else None


def _lines(run: Run, text: Value | None) -> list[Value]:
    """What `xargs` puts in place of its mark, one after the other."""
    if _ended(run) is not None:
        items = _separated(run, text)
        known = items is not None and len(items) <= MOST_LINES
        return list(items or ()) if known else [unknown("what `xargs` reads is not looked at")]
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
