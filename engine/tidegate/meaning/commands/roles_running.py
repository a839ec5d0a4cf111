"""Words that make programs run other programs, each in its own way."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..shell.command import Word
from ..values import Value, unknown
from .entry import Part
from .run import Handler, Item, Run, described
from .text import blank_joined, cut, joined, known_end, known_start, without_start

_WORD = re.compile(r"""(?:[^\s'"\\$]+|\\[\s'"\\]|'[^'\\]*'|"[^"\\$]*")+""")
_UNQUOTED = re.compile(r"""'([^']*)'|"([^"]*)"|\\(.)""")
_ARCHITECTURE = re.compile(
    r"uname26|linux(?:32|64)|i[3-6]?86|athlon|x86_64|amd64|(?:arm|aarch64|ppc|s390|sparc|mips|riscv|loongarch|parisc)\w*|alpha|ia64"
)
_SHOPTS_ALIKE = frozenset({"extglob", "failglob", "inherit_errexit", "checkwinsize", "cmdhist", "execfail"})
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


def _cmdline(run: Run, _part: Part, item: Item) -> None:
    """What `cmd /c` runs: its text is not read, yet its words are looked at, so that denies see them."""
    texts = [text for word in item.words if isinstance(word.value, str) for text in word.value.split()]
    nest_words(run, item, as_words(texts, item.span))
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


def _architecture(run: Run, _part: Part, item: Item) -> None:
    """`setarch [ARCHITECTURE] [OPTIONS] COMMAND`: the first word may be a command as well."""
    if not isinstance(item.value, str) or _ARCHITECTURE.fullmatch(item.value) is None:
        nest_words(run, item, item.words)
    if not isinstance(item.value, str) or _ARCHITECTURE.fullmatch(item.value) is not None:
        behind = list(item.words[1:])
        while behind and known_start(behind[0].value).startswith("-"):
            del behind[0]
        nest_words(run, item, tuple(behind))


def _program(run: Run, _part: Part, item: Item) -> None:
    """A program that is run with arguments of the caller's own; a shell reads what would be the caller's input."""
    stdin = run.command.stdin if run.entry.stdin is not None else None
    run.nest("argv", words=(Word(item.value, item.span),), stdin=stdin, span=item.span)


def _action(run: Run, _part: Part, item: Item) -> None:
    """`exec=COMMAND` among the actions of `tar --checkpoint-action`."""
    if not isinstance(item.value, str) or item.value.startswith("exec="):
        text = without_start(item.value, len("exec=")) if isinstance(item.value, str) else item.value
        run.nest("shell", text=text, language="sh", span=item.span)


def _shopt(run: Run, _part: Part, item: Item) -> None:
    """`bash -O NAME`: an option with which the text that follows would be read in another way."""
    if item.value not in _SHOPTS_ALIKE:
        run.say("unknown", f"the option {described(item.value)} changes how the shell reads its text", item)


def _suffix(run: Run, _part: Part, item: Item) -> None:
    """The suffix under which `sed -i` keeps what was there."""
    for operand, role in zip(run.operands, run.roles, strict=True):
        if role.is_path and item.value != "":
            star = isinstance(item.value, str) and "*" in item.value
            value = unknown("the name of the backup is made up") if star else joined(operand.value, item.value)
            run.do("write", run.resolve(value), item._replace(span=operand.span))


def nest_words(run: Run, item: Item, words: tuple[Word, ...], stdin: Value | None = None) -> None:
    """Hand a command line back, to be run in turn."""
    run.nest("argv", words=words, stdin=stdin, span=item.span)


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
    "architecture": _architecture,
    "cmdline": _cmdline,
    "image": _image,
    "module": _module,
    "mount": _mount,
    "package": _package,
    "perlfile": _perl_file,
    "perlmodule": _perl_module,
    "program": _program,
    "shopt": _shopt,
    "split": _split,
    "suffix": _suffix,
}
