"""Words that make programs run other programs, each in its own way."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase

from ..effects import EffectKind
from ..shell.command import Word
from ..values import Hole, Partial, Value, unknown
from .entry import Part
from .run import Handler, Item, Run, described
from .text import blank_joined, cut, joined, known_end, known_start, last_component, without_start

MOST_LINES = 64
_FOUND = "the names that `find` finds are not known"
_WORD = re.compile(r"""(?:[^\s'"\\$]+|\\[\s'"\\]|'[^'\\]*'|"[^"\\$]*")+""")
_UNQUOTED = re.compile(r"""'([^']*)'|"([^"]*)"|\\(.)""")
_PERL_MODULES = frozenset(
    {
        "strict",
        "warnings",
        "utf8",
        "open",
        "Data::Dumper",
        "POSIX",
        "JSON",
        "JSON::PP",
        "List::Util",
        "Time::HiRes",
        "MIME::Base64",
        "Encode",
        "bigint",
        "integer",
        "feature",
        "English",
        "Digest::MD5",
        "Digest::SHA",
    }
)
_FILE_MARK = re.compile(r"\{[/.]*\}")
_NEVER_A_FILE = re.compile(r"(?:.*/)?\.{0,2}")


def split_words(text: str) -> list[str] | None:
    """The words of *text* after plain quoting, or `None` where there is more to it (escapes, variables)."""
    words: list[str] = []
    position = 0
    while True:
        while position < len(text) and text[position].isspace():
            position += 1
        if position == len(text):
            return words
        match = _WORD.match(text, position)
        if match is None or (match.end() < len(text) and not text[match.end()].isspace()):
            return None
        words.append(_UNQUOTED.sub(lambda quoted: quoted[1] or quoted[2] or quoted[3] or "", match[0]))
        position = match.end()


def as_words(texts: list[str], span: tuple[int, int]) -> tuple[Word, ...]:
    """Words of known text that all stand in the same place."""
    return tuple(Word(text, span) for text in texts)


def _split(run: Run, _part: Part, item: Item) -> None:
    """One string that is split into a command line (`env -S`); operands follow it."""
    texts = split_words(item.value) if isinstance(item.value, str) else None
    if texts is None:
        run.say("unknown", f"the command line in {described(item.value)} is not read", item)
        return
    words = as_words([run.program, *texts], item.span) + run.words
    run.nest("argv", words=words, stdin=run.command.stdin, span=item.span)


def _module(run: Run, _part: Part, item: Item) -> None:
    """`python -m MODULE ARGS`: the module is a program of that name."""
    run.nest("argv", words=(Word(item.value, item.span), *run.words), stdin=run.command.stdin, span=item.span)


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
    _nest_words(run, item, tuple(_replaced(word, "{}", file.value) for word in words))


def _cmdline(run: Run, _part: Part, item: Item) -> None:
    """What `cmd /c` runs: its text is not read, yet its words are looked at, so that denies see them."""
    texts = [text for word in item.words if isinstance(word.value, str) for text in word.value.split()]
    _nest_words(run, item, as_words(texts, item.span))
    run.nest("shell", text=blank_joined([word.value for word in item.words]), language="cmd", span=item.span)


def _perl_module(run: Run, _part: Part, item: Item) -> None:
    """A module that `perl` loads before the program; what follows a name or a blank is code."""
    if isinstance(item.value, str) and item.value.lstrip("-").partition("=")[0] in _PERL_MODULES:
        return
    run.code(f"the module {described(item.value)}", item)


def _perl_file(run: Run, _part: Part, item: Item) -> None:
    """A file that `perl` opens by itself: `COMMAND|` and `|COMMAND` are run, `>FILE` is written."""
    start, end = known_start(item.value).lstrip(), known_end(item.value).rstrip()
    if start.startswith("|") or end.endswith("|"):
        text = item.value.strip().strip("|") if isinstance(item.value, str) else item.value
        run.nest("shell", text=text, language="sh", span=item.span)
    elif start.startswith(">"):
        name = start.lstrip("> ") if isinstance(item.value, str) else item.value
        run.do("write", run.resolve(name), item)
    elif item.value != "-" and item.path is not None:
        run.do("read", item.path, item)


def _program(run: Run, _part: Part, item: Item) -> None:
    """A program that is run with arguments of the caller's own."""
    _nest_words(run, item, (Word(item.value, item.span),))


def _action(run: Run, _part: Part, item: Item) -> None:
    """`exec=COMMAND` among the actions of `tar --checkpoint-action`."""
    if not isinstance(item.value, str) or item.value.startswith("exec="):
        text = without_start(item.value, len("exec=")) if isinstance(item.value, str) else item.value
        run.nest("shell", text=text, language="sh", span=item.span)


def _suffix(run: Run, _part: Part, item: Item) -> None:
    """The suffix under which `sed -i` keeps what was there."""
    for operand, role in zip(run.operands, run.roles, strict=True):
        if role.is_path and item.value != "":
            star = isinstance(item.value, str) and "*" in item.value
            value = unknown("the name of the backup is made up") if star else joined(operand.value, item.value)
            run.do("write", run.resolve(value), item._replace(span=operand.span))


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
            _nest_words(run, item, tuple(_replaced(word, replacement or "{}", line) for word in item.words))
        return
    plain = isinstance(text, str) and not any(
        run.found(name) for name in ("--max-args", "--max-lines", "--null", "--delimiter")
    )
    texts = split_words(text) if plain and isinstance(text, str) else None
    more = as_words(texts or [], item.span)
    if texts is None:
        more = (Word(unknown("what `xargs` reads is not known"), item.span, many=True),)
    _nest_words(run, item, item.words + more)


def _lines(text: Value | None) -> list[Value]:
    if not isinstance(text, str):
        return [unknown("what `xargs` reads is not known")]
    lines = [line.lstrip() for line in text.splitlines() if line.strip()]
    if len(lines) > MOST_LINES or any(mark in text for mark in "'\"\\"):
        return [unknown("what `xargs` reads is not looked at")]
    return list(lines)


def _nest_words(run: Run, item: Item, words: tuple[Word, ...]) -> None:
    run.nest("argv", words=words, span=item.span)


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


def _mount(run: Run, _part: Part, item: Item) -> None:
    """A volume of a container: `SOURCE:TARGET[:ro]`, or `type=bind,source=…,target=…`."""
    source = _source(item.value)
    if source is not None:
        run.handlers["access"](run, Part("access"), item._replace(path=run.resolve(source)))


def _source(value: Value) -> Value | None:
    """The path of the host that is mounted, `None` for a volume that has a name."""
    if isinstance(value, str) and "=" in value.partition(":")[0]:
        fields = dict(field.partition("=")[::2] for field in value.split(","))
        found = fields.get("source", fields.get("src"))
    else:
        halves = cut(value, ":")
        if halves is None and not isinstance(value, str):
            return value
        found = halves[0] if halves is not None else None
    return found if found is not None and found.startswith(("/", ".", "~")) else None


def _image(run: Run, _part: Part, item: Item) -> None:
    """The image of a container, whose code runs."""
    run.code(f"the code in the image {described(item.value)}", item)


def _package(run: Run, _part: Part, item: Item) -> None:
    """A package that is installed, and so may run code: from a registry, a URL or a directory."""
    start = known_start(item.value)
    if "://" in start:
        run.handlers["remote"](run, Part("remote"), item)
    elif start.startswith((".", "/", "~")):
        path = run.resolve(item.value)
        run.do("read", path, item, recursive=True)
        run.code(f"the package {described(item.value)}", item, path)
        return
    run.code(f"the package {described(item.value)}", item)


RUNNING_ROLES: Mapping[str, Handler] = {
    "action": _action,
    "appended": _appended,
    "cmdline": _cmdline,
    "each": _each,
    "follow": _follow,
    "image": _image,
    "matched": _matched,
    "module": _module,
    "mount": _mount,
    "package": _package,
    "parallel": _parallel,
    "perlfile": _perl_file,
    "perlmodule": _perl_module,
    "program": _program,
    "split": _split,
    "suffix": _suffix,
}
