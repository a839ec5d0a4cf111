"""Programs that run a command line for each of many names: `find`, `fd`, `xargs`, `parallel`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile

from ..effects import EffectKind, PathTarget
from ..listings import plain_names, whole_names
from ..shell.command import Word
from ..values import Hole, Listing, Matched, Partial, Plain, Possible, Value, unknown
from .entry import Part
from .find_tests import ANYTHING_BENEATH, reached
from .finding import (
    FOUND,
    folders,
    found_beneath,
    found_names,
    found_start,
    last_names,
    name_tested,
    names_there,
    starts,
)
from .roles_running import as_words, nest_words, split_words
from .run import Handler, Item, Run
from .sorting import Found
from .text import blank_joined, joined, known_start, last_component, stem

MOST_LINES = 64
_ENDS = {"\n": "\n", "\\n": "\n", "\0": "\0", "\\0": "\0"}
_FILE_MARK = re.compile(r"\{[/.]*\}")
_MARKS = ("{}", "{.}", "{/}", "{//}", "{/.}")
_ALL = ' "$@"'
_UNQUOTED = re.compile(r"(?:[\w ./:@%+,=^|;&<>*?-]|\{(?:\.|//?|/\.)?\})+", re.ASCII)
_CHANGING = re.compile(r"\b(?:eval|getopts|read|set|shift|source|unset)\b|(?:^|[ ;|&])\.(?:[ ;|&]|$)|<<")
_ALONE = frozenset(
    ["--jobs", "-P", "--keep-order", "--null", "--bar", "--eta", "--progress", "--will-cite", "--no-notice", "--gnu",
     "--halt", "--delay", "--timeout", "--retries", "--tag", "--line-buffer", "--group", "--ungroup", "--verbose", "-t",
     "--load", "--memfree", "--nice", "-r", "--tty"]
)  # fmt: skip
_TOGETHER = frozenset({"-X", "-m", "--max-args", "-N"})


def _each(run: Run, _part: Part, item: Item) -> None:
    """The command line of `find -exec`: `{}` is the name of each file that is found."""

    def wanted(option: Found) -> bool:
        return option.words == item.words and option.spec is not None and option.spec.name == item.option

    if item.option not in ("-execdir", "-okdir"):
        names: Iterable[Value] = found_names(run.sorted, wanted)
        if any(isinstance(word.value, str) and "{}" in word.value != "{}" for word in item.words):
            names = _plain(run, tuple(names))
        for name in names:
            _run_for(run, item, name)
        return
    cwds, glob = run.cwds, name_tested(run.sorted)
    for start in starts(run.sorted):
        if start == "":
            continue
        itself = found_start(run.sorted, start, wanted)
        if itself is not None:
            run.cwds = run.resolve(_folder_of(start)).names
            name = joined("./", last_component(start))
            _run_for(run, item, Possible((name,), FOUND) if itself != start and isinstance(name, str) else name)
        run.cwds = cwds
        folders_ = (run.resolve(start), run.resolve(joined(start, "/", Hole.FOLDERS, Hole.ENTRY, reason=FOUND)))
        run.cwds = tuple(name for folder in folders_ for name in folder.names)
        _run_for(run, item, joined("./", *last_names(glob), reason=FOUND))
        run.cwds = cwds


def _folder_of(start: Value) -> Value:
    """The folder in which `-execdir` runs for a place to start from: what stands before its last slash."""
    if not isinstance(start, str):
        return joined(start, "/..")
    folder, slash, _ = start.rstrip("/").rpartition("/")
    return folder + slash if slash else start[:1] if start[:1] == "/" else "."


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
    if word.value == mark:
        return word._replace(value=name)
    pieces: list[Value | Hole] = []
    for index, piece in enumerate(word.value.split(mark)):
        pieces += [name, piece] if index else [piece]
    return word._replace(value=joined(*pieces))


def _matched(run: Run, part: Part, item: Item) -> None:
    """What `find` itself does to each file that it finds."""
    kind: EffectKind = part.argument  # type: ignore[assignment]
    run.force = True
    if item.value == "":
        return
    found, start = run.sorted, item.value
    path = run.resolve(start, glob=type(start) is Matched)
    if reached(found, ANYTHING_BENEATH, _deletes) is True:
        run.do(kind, path, item, recursive=True)
        return
    there = names_there(found, start, path, run.scene, _deletes) if run.place.kind == "local" else ()
    if there:
        run.do(kind, PathTarget(start, there), item)
    itself = found_start(found, start, _deletes)
    for name in (itself, found_beneath(found, start)):
        if name is not None:
            run.do(kind, run.resolve(name, glob=type(name) is Matched), item)


def _deletes(option: Found) -> bool:
    return option.name == "-delete"


def _appended(run: Run, _part: Part, item: Item) -> None:
    """The command line of `xargs`: what is read is appended, or put in place of a mark.

    It has nothing to read itself, unless that is said to stand in a file or at the terminal.
    """
    own = run.found("--arg-file") is None and run.found("--open-tty") is None
    stdin = "" if own else None
    mark = run.found("--replace")
    text = run.command.stdin if run.found("--arg-file") is None else None
    names = _listed(run, text)
    if mark is not None and isinstance(mark.value, Partial):
        run.say("unknown", "which words `xargs` replaces is not known", item)
    if mark is not None:
        replacement = mark.value if isinstance(mark.value, str) else "{}"
        if isinstance(text, Listing) and names is not None:
            names = plain_names(names, text.trees, run.scene.files) or names
        for line in _lines(run, text) if names is None else names:
            nest_words(run, item, tuple(_replaced(word, replacement or "{}", line) for word in item.words), stdin)
        return
    if names is None and isinstance(text, Listing) and text.end == "\n" and _ended(run) == "\0":
        nest_words(run, item, item.words, stdin)  # there may be no name
        nest_words(run, item, (*item.words, Word(_in_one(text), item.span)), stdin)
        return
    if names is not None:
        more = tuple(Word(name, item.span, many=True, glob=_is_no_option(name)) for name in names)
        nest_words(run, item, item.words, stdin)  # there may be no name
        nest_words(run, item, item.words + more, stdin)
        return
    for texts in _batches(run, text):
        if texts is None:
            more = (Word(unknown("what `xargs` reads is not known"), item.span, many=True),)
        else:
            more = as_words(texts, item.span)
        nest_words(run, item, item.words + more, stdin)


def _is_no_option(name: Value) -> bool:
    """Whether a name is known to begin with something else than a dash, wherever it was found."""
    return isinstance(name, Plain) or known_start(name)[:1] not in ("", "-")


def _in_one(text: Listing) -> Value:
    """All the lines of a list as one text, of which it is known what the first begins with."""
    starts = [known_start(name) for name in text.names]
    chars = [several[0] for several in takewhile(lambda each: len(set(each)) == 1, zip(*starts, strict=False))]
    return joined("".join(chars), Hole.ANY, reason=text.reason)


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
    if isinstance(text, Listing) and text.end == "\0" and end == "\n":  # up to the first blank, or the first NUL
        return plain_names(text.names, text.trees, run.scene.files)
    names = whole_names(text, run.scene.files, end) if end is not None else None
    if names is None or end != "\n" or delimiter is not None:
        return names
    return tuple(name for name in names if name != "")  # empty lines are no items


def _lines(run: Run, text: Value | None) -> list[Value]:
    """What `xargs` puts in place of its mark, one after the other."""
    if _ended(run) is not None:
        items = _separated(run, text)
        known = items is not None and len(items) <= MOST_LINES
        return list(items or ()) if known else [unknown("what `xargs` reads is not looked at")]
    if not isinstance(text, str):
        return [unknown("what `xargs` reads is not known")]
    lines = [line.lstrip(" \t") for line in text.split("\n") if line.strip(" \t")]
    if len(lines) > MOST_LINES or any(mark in text for mark in "'\"\\"):
        return [unknown("what `xargs` reads is not looked at")]
    return list(lines)


def _parallel(run: Run, _part: Part, item: Item) -> None:
    """The command of `parallel`, which a shell runs once for each argument behind `:::` or line read."""
    values = [word.value for word in item.words]
    split = next((index for index, value in enumerate(values) if known_start(value).startswith(":::")), len(values))
    template = blank_joined(values[:split])
    if run.found("--pipe") is not None:
        run.nest("shell", text=template, language="sh", stdin=_pieces(run.command.stdin), span=item.span)
        return
    quoted = _quoted(run, template)
    if not template:
        template = "{}"
    for argument in _arguments(run, values[split:]):
        if quoted is None or isinstance(argument, str):
            run.nest("shell", text=_filled(template, argument), language="sh", span=item.span)
        else:
            several = quoted.endswith(_ALL)
            words = (Word(run.program, item.span), *_arguments_of(argument, item.span, several=several))
            run.nest("shell", text=quoted, language="sh", words=words, span=item.span)


def _pieces(text: Value | None) -> Value | None:
    """What one of several commands reads that share *text* out: all of it where it is short, else nobody knows."""
    return text if isinstance(text, str) and "\n" not in text.rstrip("\n") else None


def _quoted(run: Run, template: Value) -> str | None:
    """The command of `parallel` with parameters in place of its marks, where nothing else could change these.

    `parallel` quotes what it puts there for the shell; `None` where that would come to stand in quotes itself.
    """
    given = {found.name for found in run.sorted.options}
    text = template if isinstance(template, str) and given <= _ALONE | _TOGETHER else ""
    if not _UNQUOTED.fullmatch(text) or _CHANGING.search(text) or not run.sorted.complete:
        return None
    marks = _FILE_MARK.search(text) is not None
    if given & _TOGETHER:
        return None if marks else text + _ALL
    return _FILE_MARK.sub(lambda found: f'"${_MARKS.index(found[0]) + 1}"', text) if marks else f'{text} "$1"'


def _arguments_of(argument: Value, span: tuple[int, int], *, several: bool) -> tuple[Word, ...]:
    """What stands for the marks of `parallel`, in their order; with *several* any number of arguments."""
    if several:
        return (Word(argument, span, many=True),)
    name = last_component(argument)
    folder = unknown("the folder of what `parallel` reads is not known")
    return tuple(Word(value, span) for value in (argument, stem(argument), name, folder, stem(name)))


def _filled(template: Value, argument: Value) -> Value:
    """The command of `parallel` for one argument: in place of its marks, or behind it."""
    if not isinstance(template, str) or not _FILE_MARK.search(template):
        return joined(template, " ", argument)
    pieces: list[Value | Hole] = []
    for index, piece in enumerate(_FILE_MARK.split(template)):
        pieces += [argument, piece] if index else [piece]
    return joined(*pieces)


def _arguments(run: Run, values: list[Value]) -> Sequence[Value]:
    """What the command is run for: *values* behind `:::`, or else what is read."""
    if values[:1] == [":::"] and len(values) <= MOST_LINES:
        if not any(known_start(value).startswith(":::") for value in values[1:]):
            return values[1:]
    elif not values and run.found("--arg-file") is None:
        text = run.command.stdin
        if isinstance(text, str) and text.count("\n") <= MOST_LINES:
            return list(text.removesuffix("\n").split("\n") if text else [])
        names = _listed(run, text)
        if names is not None:
            return names
    return [unknown("what `parallel` reads is not known")]


FINDING_ROLES: Mapping[str, Handler] = {
    "appended": _appended,
    "each": _each,
    "follow": _follow,
    "matched": _matched,
    "parallel": _parallel,
}
