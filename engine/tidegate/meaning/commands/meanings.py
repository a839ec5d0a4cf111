"""The short texts of an entry compiled: roles, meanings of options, layouts of operands, deeds."""

from __future__ import annotations

from collections.abc import Iterable

from .entry import Deed, Layout, Part, Role

PATH_PARTS = frozenset(
    {
        "read",
        "write",
        "delete",
        "list",
        "access",
        "into",
        "linked",
        "moved",
        "perlfile",
        "script",
        "names",
        "directory",
        "way",
    }
)
URL_PARTS = frozenset({"url", "host"})
OTHER_PARTS = frozenset(
    [
        "action",
        "appended",
        "architecture",
        "archive",
        "argv",
        "blamed",
        "cmdline",
        "code",
        "config",
        "cookie",
        "data",
        "each",
        "exec",
        "follow",
        "form",
        "format",
        "hosts",
        "image",
        "last",
        "lookup",
        "matched",
        "module",
        "mount",
        "named",
        "object",
        "package",
        "parallel",
        "parameter",
        "password",
        "pattern",
        "perlmodule",
        "place",
        "program",
        "proxy",
        "pushed",
        "ranges",
        "redirects",
        "remote",
        "renamed",
        "request",
        "resolve",
        "revision",
        "shell",
        "shopt",
        "socket",
        "split",
        "stdin",
        "subshell",
        "suffix",
        "text",
        "transfer",
        "tunnel",
        "unknown",
        "verb",
        "wgetrc",
    ]
)
PARTS = PATH_PARTS | URL_PARTS | OTHER_PARTS
IDLE = frozenset({"text", "pattern", "place", "directory"})
"""Parts of which nothing comes by themselves."""

TAILS = frozenset({"appended", "architecture", "argv", "parallel", "shell", "subshell"})
DEEDS = frozenset({"read", "write", "delete", "list", "connect", "code", "stdin"})
_RECURSIVE = frozenset({"read", "write", "delete", "list"})


def read_role(text: str) -> Role:
    """Compile a role such as `read-all+delete` or `code:awk`.

    Raises:
        ValueError: It uses a word that no role has.
    """
    parts = tuple(_read_part(part) for part in text.split("+"))
    kinds = {part.kind for part in parts if part.template is None}
    plain = parts[0] if len(parts) == 1 and parts[0].kind in _RECURSIVE and parts[0].template is None else None
    return Role(
        name=text,
        parts=parts,
        idle=all(part.kind in IDLE for part in parts),
        plain=plain.kind if plain is not None else None,  # type: ignore[arg-type]
        deep=plain is not None and plain.recursive,
        is_path=bool(kinds & PATH_PARTS),
        is_url=bool(kinds & URL_PARTS),
        follow=not kinds <= {"delete", "moved"},
    )


def _read_part(text: str) -> Part:
    head, has_template, template = text.partition("=")
    kind, _, argument = head.partition(":")
    base = kind.removesuffix("-all")
    recursive = base != kind
    if base not in PARTS or (recursive and base not in _RECURSIVE):
        raise ValueError(f"`{text}` is no role")
    if has_template and (base not in _RECURSIVE or "{" not in template):
        raise ValueError(f"`{text}` has a pattern for a name without `{{}}`, or is no access to a path")
    return Part(base, recursive, template if has_template else None, argument)


def read_layout(text: str) -> Layout:
    """Compile the roles of operands: `pattern read...`, `read... into`, `assignment... argv`.

    Raises:
        ValueError: It names no role, or two rests, or goes on after a command line.
    """
    first: list[Role] = []
    last: list[Role] = []
    rest: Role | None = None
    tail: Role | None = None
    assigns = False
    for word in text.split():
        if tail is not None:
            raise ValueError(f"`{text}` goes on after a command line")
        if word == "assignment...":
            assigns = True
        elif word.endswith("..."):
            if rest is not None:
                raise ValueError(f"`{text}` has two rests")
            rest = read_role(word.removesuffix("..."))
        elif word.partition(":")[0] in TAILS:
            tail = read_role(word)
        else:
            (first if rest is None else last).append(read_role(word))
    if tail is not None and rest is not None:
        raise ValueError(f"`{text}` has a rest before a command line")
    plain = rest is not None and not last and not assigns
    plain = plain and all(role.idle or role.plain is not None for role in (*first, rest) if role is not None)
    return Layout(text, tuple(first), rest, tuple(last), tail, assigns, plain)


def read_deed(text: str) -> Deed:
    """Compile something that a program always does: `write . within`, `code Makefile`, `connect ?`.

    Raises:
        ValueError: It does not begin with a deed.
    """
    kind, *words = text.split()
    if kind not in DEEDS:
        raise ValueError(f"`{text}` does not begin with one of {', '.join(sorted(DEEDS))}")
    targets = tuple(word for word in words if word not in ("recursive", "within", "force"))
    if len(targets) != 1 and kind not in ("code", "stdin"):
        raise ValueError(f"`{text}` does not name one thing")
    if {"recursive", "within"} <= {*words}:
        raise ValueError(f"`{text}` is about all that is beneath, and about some of it")
    return Deed(kind, targets, "recursive" in words, "within" in words, "force" in words)


def read_deeds(texts: Iterable[str]) -> tuple[Deed, ...]:
    """Compile a list of deeds."""
    return tuple(map(read_deed, texts))
