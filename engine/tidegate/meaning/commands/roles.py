"""What becomes of a word with a role, where the role has no program's own language in it."""

from __future__ import annotations

from collections.abc import Mapping

from ..effects import EffectKind, Operand, PathTarget
from ..fileurls import file_of
from ..values import Hole, Value, unknown
from .arranging import url_of
from .bringing import anything_beneath, brought, local_sources, own_name, possible_names
from .entry import Part
from .run import Handler, Item, Run, described
from .text import as_found, blank_joined, cut, joined, known_start, last_component, stem

STREAMS = frozenset(
    {"-", "/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd/0", "/dev/fd/1"}
)
INPUTS = frozenset({"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "/proc/thread-self/fd/0"})
"""Names of standard input."""
STREAMED = frozenset({"read", "write"})


def _path(run: Run, part: Part, item: Item) -> None:
    kind: EffectKind = part.kind  # type: ignore[assignment]
    if part.template is not None:
        value = as_found(item.value)
        glob = any(word.glob and word.value == item.value and word.span == item.span for word in run.words)
        run.do(kind, run.resolve(fill(part.template, value), glob=glob), item, recursive=part.recursive)
        if run.recursive and kind == "write" and item.path is not None and _may_be_directory(run, item.path):
            _write_beside(run, part, part.template, item)
    elif item.path is not None and not (kind in STREAMED and item.value in STREAMS):
        run.do(kind, item.path, item, recursive=part.recursive)


def _write_beside(run: Run, part: Part, template: str, item: Item) -> None:
    """The names that are made beside all that a program comes by beneath a folder (`gzip -kr .`)."""
    if run.layout.rest is None or part not in run.layout.rest.parts:
        return
    below = joined(as_found(item.value), "/", Hole.FOLDERS, Hole.ENTRY, reason="what stands beneath is not known")
    outer, run.recursive = run.recursive, False
    run.do("write", run.resolve(fill(template, below)), item)
    run.recursive = outer


def _way(run: Run, _part: Part, item: Item) -> None:
    """The folders that are made on the way to a name (`mkdir -p a/../b`); those above it go without saying."""
    parts = item.value.split("/") if isinstance(item.value, str) else []
    for end, part in enumerate(parts):
        if part == ".." and set(parts[:end]) - {"", ".", ".."}:
            run.do("write", run.resolve("/".join(parts[:end])), item)


def fill(template: str, value: Value) -> Value:
    """The name that a program makes from that of an operand.

    `{}` stands for the operand, `{stem}` for it without its last suffix, `{name}` for its last component, `{any}`
    for text without a slash that is not known, `{made}` for the operand with such text in place of its `XXX`.
    """
    pieces: list[Value | Hole] = []
    for index, piece in enumerate(template.replace("}", "{").split("{")):
        if index % 2 == 0:
            pieces.append(piece)
        elif piece == "any":
            pieces.append(Hole.NAME)
        elif piece == "made":
            head, found, tail = (value if isinstance(value, str) else known_start(value)).partition("XXX")
            made = Hole.VISIBLE if head[-1:] in ("", "/") else Hole.NAME  # of letters and digits
            pieces += [head or "./", made, tail.lstrip("X")] if found else [value]
        else:
            pieces.append({"": value, "stem": stem(value), "name": last_component(value)}[piece])
    return joined(*pieces, reason="the program makes the name up")


def _access(run: Run, _part: Part, item: Item) -> None:
    """Everything that can be done through a link or mount."""
    if item.path is not None:
        for kind in _THROUGH:
            run.do(kind, item.path, item, recursive=True)
        run.do("delete", item.path, item)
        if _may_be_directory(run, item.path):
            text, *names = [
                joined("" if name == "/" else name, "/", Hole.FOLDERS, Hole.ENTRY, reason=_THROUGH_LINK)
                for name in (item.path.text, *item.path.names)
            ]
            run.do("delete", PathTarget(text, tuple(names)), item)


_THROUGH_LINK = "which of the files beneath is deleted through the link or mount is not known"
_THROUGH: tuple[EffectKind, ...] = ("read", "write", "list")


def _into(run: Run, part: Part, item: Item) -> None:
    """A destination: itself, what comes to stand in it under the names of the other operands, and backups of those.

    With the argument `moved` the others may be whole trees.
    """
    if item.path is None or item.value in STREAMS:
        return
    sources = local_sources(run, item.position)
    deep = part.argument == "moved" and any(_may_be_directory(run, each.path) for each in sources)
    names = brought(run, sources, item.path) if deep or run.recursive else ()
    outer = run.recursive
    if names is None:
        item = item._replace(path=anything_beneath(item.path))
    else:  # nothing else beneath is touched
        run.recursive = deep = False
    written = _write_into(run, sources, item, deep=deep)
    run.recursive = outer
    if names:
        text = joined(item.value, "/", Hole.FOLDERS, Hole.ENTRY, reason="whole trees are written")
        run.do("write", PathTarget(text, names), item, recursive=True)
    _keep_backups(run, written, item, deep=deep)


def _write_into(run: Run, sources: list[Operand], item: Item, *, deep: bool) -> list[Value]:
    """Say that a destination and what comes to stand in it are written, and return the names."""
    assert item.path is not None  # noqa: S101 whoever calls has looked
    run.do("write", item.path, item, recursive=deep)
    written = [item.value]
    if item.option == "--target-directory" or _may_be_directory(run, item.path):
        for source in sources:
            value = joined(item.value, "/", own_name(run, source.value))
            names = possible_names(run, source, item.value)
            path = run.resolve(value) if names is None else PathTarget(value, names)
            run.do("write", path, item, recursive=deep)
            written.append(value)
    return written


def _keep_backups(run: Run, written: list[Value], item: Item, *, deep: bool) -> None:
    """What stood under the names that are *written* is moved to names beside them, and overwrites what is there."""
    given = [found for found in map(run.found, ("-b", "--backup", "--suffix")) if found is not None]
    if not given:
        return
    suffix = given[-1].value if given[-1].name == "--suffix" and given[-1].value else "~"
    if "/" in known_start(suffix):
        suffix = "~"
    item = item._replace(option=given[-1].name, inherent=False)
    for value in written:
        run.do("write", run.resolve(joined(value, suffix)), item, recursive=deep)
        run.do("write", run.resolve(joined(value, ".~", Hole.DIGITS, "~", reason=_NUMBERED)), item, recursive=deep)


_NUMBERED = "the number of a backup depends on those that are there"


def _moved(run: Run, _part: Part, item: Item) -> None:
    """What is moved away, with all that is beneath it."""
    if item.path is not None:
        deep = _may_be_directory(run, item.path)
        run.do("read", item.path, item, recursive=deep)
        run.do("delete", item.path, item, recursive=deep)


def _may_be_directory(run: Run, path: PathTarget | None) -> bool:
    files = run.scene.files
    if path is None or files is None or run.command.place.kind != "local":
        return True
    return any(not isinstance(name, str) or files.kind(name) not in ("file", "absent") for name in path.names)


def _linked(run: Run, part: Part, item: Item) -> None:
    """The target of a link: every access to it, a relative symbolic one as seen from where the link stands."""
    if run.found("--symbolic") is not None and len(run.operands) > 1 and not known_start(item.value).startswith("/"):
        where = run.operands[-1].path
        if where is not None:
            cwds, run.cwds = run.cwds, tuple(place for name in where.names for place in (name, joined(name, "/..")))
            item = item._replace(path=run.resolve(item.value))
            run.cwds = cwds
    _access(run, part, item)


def _script(run: Run, part: Part, item: Item) -> None:
    """A file that holds code: it is read, and what it does is not shown, unless it is standard input."""
    if item.value in INPUTS or item.path is None:
        if run.entry.stdin is not None:
            read_stdin(run, item)
        else:
            _code(run, part, item._replace(value=_input(run), words=()))
    else:
        run.do("read", item.path, item)
        run.code(f"the code in {described(item.value)}", item, item.path)


def read_stdin(run: Run, item: Item) -> None:
    """Treat standard input as what the entry says that it is."""
    if run.entry.stdin is not None:
        run.apply(run.entry.stdin, item._replace(value=_input(run)))


def _stdin(run: Run, part: Part, item: Item) -> None:
    """Standard input that is given is read beside the operand (`ed FILE`), or only where that stands `alone`.

    Where the operand stands alone and nobody knows what is given, the program reads code that the call does not show.
    """
    alone = part.argument == "alone"
    if alone and len(run.words) > 1:
        return
    if run.command.stdin is not None:
        read_stdin(run, item)
    elif alone and run.entry.stdin is not None:
        run.code(f"what `{run.program}` reads from its standard input, which the call does not show", item)


def _input(run: Run) -> Value:
    """What standard input holds."""
    text = run.command.stdin
    return unknown(f"what `{run.program}` reads from its standard input is not known") if text is None else text


def _names(run: Run, _part: Part, item: Item) -> None:
    """A file that lists operands: what it lists is not known."""
    if item.path is not None and item.value != "-":
        run.do("read", item.path, item)
    if run.layout.rest is not None:
        value = unknown(f"the names in {described(item.value)} are not known")
        run.apply(run.layout.rest, item._replace(value=value, path=run.resolve(value)))


def _url(run: Run, _part: Part, item: Item) -> None:
    if item.url is None:
        return
    run.say("connect", item.url, item)
    file = file_of(item.url) if item.option in (None, "--url") else None
    if file is not None:
        run.do("read", run.resolve(file), item)


def _shell(run: Run, part: Part, item: Item) -> None:
    """Text that a shell runs, with its positional parameters."""
    words = item.words[1:]
    language = run.program if part.argument == "self" else part.argument or "sh"
    own = run.entry.stdin
    if item.option is None:
        reads = own is None or bool(item.words)
    else:  # what the program hands it (`tar --to-command`), unless it is a shell that has the caller's input to itself
        reads = own is not None and own.parts[0].kind == "shell" and run.entry.place is None
    stdin = run.command.stdin if reads else None
    run.nest("shell", text=item.value, language=language, words=words, stdin=stdin, span=item.span)


def _subshell(run: Run, part: Part, item: Item) -> None:
    """Words that are joined by blanks and run by a shell."""
    text = blank_joined([word.value for word in item.words])
    here = part.argument == "here"
    language = "sh" if here or not part.argument else part.argument
    run.nest("shell", text=text, language=language, stdin=run.command.stdin, here=here, span=item.span)


def _argv(run: Run, part: Part, item: Item) -> None:
    """A command line, word by word; `flock FILE -c COMMAND` is one string after all."""
    if part.argument == "c" and item.value in ("-c", "--command"):
        if len(item.words) > 1:
            run.nest("shell", text=item.words[1].value, language="sh", span=item.words[1].span)
    elif item.words:
        run.nest("argv", words=item.words, stdin=run.command.stdin, span=item.span)


def _code(run: Run, part: Part, item: Item) -> None:
    """A program text in another language."""
    run.nest("code", text=item.value, language=part.argument, words=item.words, span=item.span)


def _config(run: Run, _part: Part, item: Item) -> None:
    """`KEY=VALUE` of the program's own configuration; `ssh` takes a blank as well."""
    halves = cut(item.value, "=") or cut(item.value, " ") or ((item.value, "") if isinstance(item.value, str) else None)
    if halves is None:
        run.say("unknown", f"the config key in {described(item.value)} is not known", item)
    else:
        say_config(run, *halves, item)


def say_config(run: Run, key: str, value: Value, item: Item) -> None:
    """Say what a key of the program's own configuration comes to; one that is not declared is code."""
    key = key.strip().lower()
    run.config = (*run.config, (key, value))
    meaning = run.entry.config_key(key)
    if meaning is not None and meaning.harmless:
        return
    role = meaning.role if meaning is not None else None
    path = run.resolve(value) if role is not None and role.is_path else None
    url = url_of(role, value) if role is not None and role.is_url and value != "" else None
    item = item._replace(value=value, path=path, url=url, inherent=False)
    run.code(f"what the config key `{key}` makes of `{run.program}`", item)
    if role is not None:
        run.apply(role, item)


def _named(run: Run, _part: Part, item: Item) -> None:
    """The name of something that runs and is not shown: a target, a script of a package, a job."""
    run.code(f"what `{run.program}` runs under the name {described(item.value)}", item)


def _unknown(run: Run, _part: Part, item: Item) -> None:
    run.mention(item._replace(inherent=False, option=item.option or run.sorted.undeclared))


def _nothing(_run: Run, _part: Part, _item: Item) -> None:
    """Text, patterns and numbers do nothing."""


ROLES: Mapping[str, Handler] = {
    **dict.fromkeys(("read", "write", "delete", "list"), _path),
    **dict.fromkeys(("url", "host"), _url),
    **dict.fromkeys(("text", "pattern", "place", "directory"), _nothing),
    "access": _access,
    "argv": _argv,
    "code": _code,
    "config": _config,
    "exec": _shell,
    "into": _into,
    "linked": _linked,
    "moved": _moved,
    "named": _named,
    "names": _names,
    "script": _script,
    "shell": _shell,
    "stdin": _stdin,
    "subshell": _subshell,
    "unknown": _unknown,
    "way": _way,
}
