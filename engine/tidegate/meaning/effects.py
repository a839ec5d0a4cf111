"""The effects of a call: the values that rules match.

They are named tuples, not attrs classes, because one shell command makes a dozen of them and their cost
is the cost of a decision (`docs/decisions/0003-hot-values.md`).
"""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address
from typing import Literal, NamedTuple

from .values import Value

EffectKind = Literal["use", "exec", "read", "write", "delete", "list", "connect", "code", "query", "mention", "unknown"]
"""What an effect is.

`use`      the call uses the tool; every call has exactly one
`exec`     a simple command runs a program; its target is an `Invocation`
`read` `write` `delete` `list`   what is done to a path; the target is a `PathTarget`
`connect`  a host is reached; the target is a `UrlTarget`
`code`     something runs that the call does not show; the target is a `CodeTarget`
`query`    SQL is run; the target is its text, or a `SqlTarget`
`mention`  text of unknown role that may be a path or a URL: denies look at it, no grant but `tools` covers it
`unknown`  what cannot be read; the target is the reason
"""

PATH_EFFECTS: frozenset[EffectKind] = frozenset({"read", "write", "delete", "list"})


class Place(NamedTuple):
    """Where an effect happens: `local`, `container` or `remote`, and the name of that place."""

    kind: Literal["local", "container", "remote"]
    name: Value = ""


LOCAL = Place("local")


class PathTarget(NamedTuple):
    """A path as spelled, and every absolute name that stands for what it reaches.

    A deny matches if one of `names` matches, a grant only if all of them do. They hold the entry with its
    parents resolved, the target behind a symlink, the spelling without `..`, and all of that once for each
    directory that an earlier `cd` could have left.
    """

    text: Value
    names: tuple[Value, ...]


class UrlTarget(NamedTuple):
    """A URL taken apart as the strictest client would.

    `host` is lower case, in ASCII (IDNA), without a trailing dot; `address` is set when the host is an IP
    address in whatever spelling. `port` is the scheme's own where none is given, `None` where not known.
    `doubts` lists why two clients could read it differently; a grant needs it to be empty. Where such clients
    would reach something else, `others` holds their readings: a deny looks at each, a grant needs all of them.
    `origin` is set where nothing is known because it is wherever the server at `origin` redirects a program to.
    """

    text: Value
    scheme: Value
    host: Value
    port: int | None
    path: Value
    address: IPv4Address | IPv6Address | None = None
    doubts: tuple[str, ...] = ()
    others: tuple[UrlTarget, ...] = ()
    origin: UrlTarget | None = None


class CodeTarget(NamedTuple):
    """Code that a call runs without showing it, and the paths that hold it where they are known.

    `kept` tells that a program runs it whatever its words are, and keeps books of its own beside it
    (`npm install` in `package.json`): what it writes by its very nature was not written to be run.
    """

    what: str
    paths: tuple[PathTarget, ...] = ()
    kept: bool = False


class SqlTarget(NamedTuple):
    """SQL of which the client that runs it, or a binding, tells the dialect."""

    text: str
    dialect: str


class Mention(NamedTuple):
    """Text of unknown role, read as everything that it could be."""

    text: Value
    path: PathTarget | None
    url: UrlTarget | None


class Option(NamedTuple):
    """One option of a command line under its canonical name (`--force` for `-f`).

    `value` is its argument or `None`; `known` tells whether the program's entry declares the option.
    `path` and `url` say what the argument means where the entry says that it is one.
    """

    name: str
    value: Value | None
    span: tuple[int, int]
    known: bool = True
    spellings: tuple[str, ...] = ()
    path: PathTarget | None = None
    url: UrlTarget | None = None


class Operand(NamedTuple):
    """One operand of a command line, with what the program does to it (`delete`, `url`, `text`, …)."""

    value: Value
    role: str
    span: tuple[int, int]
    many: bool = False
    path: PathTarget | None = None
    url: UrlTarget | None = None


class Invocation(NamedTuple):
    """One simple command after wrappers were peeled and its words were sorted into options and operands.

    `program` is the base name; `path` the word as spelled; `bare` tells whether it was found on the trusted
    `PATH` (no slash, no lasting change of `PATH`, no function or alias of that name).
    `complete` is false where a word of unknown number or kind may hide further options or operands.
    `wrappers` names what stood before it (`sudo`, `env`), outermost first.
    `modelled` tells whether the program has an entry in the table of commands.
    """

    program: Value
    path: Value
    words: tuple[Value, ...]
    subcommand: tuple[str, ...]
    options: tuple[Option, ...]
    operands: tuple[Operand, ...]
    variables: tuple[tuple[str, Value], ...]
    wrappers: tuple[str, ...]
    bare: bool
    complete: bool
    modelled: bool
    place: Place
    span: tuple[int, int]


Target = str | PathTarget | UrlTarget | Invocation | CodeTarget | SqlTarget | Mention


class Effect(NamedTuple):
    """One thing that a call does.

    `source` is the JSON pointer of the argument it comes from, empty for `use`.
    `span` is where it stands in the text of a command, `None` for what no command does.
    `by` is the simple command that does it, `None` for a bound argument, a redirection or lasting state.
    `option` is the option of `by` that causes it; `inherent` tells that `by` does it by its very nature, so
    that a grant for the command covers it. `fresh` marks code that this same call wrote or fetched.
    `bound` is false for what was read out of an argument that no binding names: denies see it, and no grant
    but one for the tool itself covers it.
    """

    kind: EffectKind
    target: Target
    source: str = ""
    span: tuple[int, int] | None = None
    recursive: bool = False
    force: bool = False
    by: Invocation | None = None
    option: str | None = None
    inherent: bool = False
    fresh: bool = False
    place: Place = LOCAL
    bound: bool = True


def stamped(effects: Sequence[Effect], source: str) -> Sequence[Effect]:
    """The *effects* of one command as those of the argument at *source*."""
    if not effects or effects[0][2] == source:
        return effects
    new = tuple.__new__  # `_replace` costs eight times as much, and every effect of every command comes by here
    return [
        new(Effect, (kind, target, source, span, recursive, force, by, option, inherent, fresh, place, bound))
        for kind, target, _, span, recursive, force, by, option, inherent, fresh, place, bound in effects
    ]
