"""The words of a command become its options and operands, with what they mean."""

from __future__ import annotations

import re

from ..effects import Invocation, Operand, Option, PathTarget, Place, UrlTarget
from ..paths import resolve
from ..shell.command import Word
from ..urls import read_host, read_url
from ..values import Matched, Value, written
from .entry import Role
from .operands import place_operands
from .run import Run
from .sorting import Found
from .text import cut, joined, known_start

_OPENING = frozenset(
    [
        "cat", "chgrp", "chmod", "chown", "cmp", "cp", "cut", "diff", "du", "egrep", "fgrep", "find", "grep", "head",
        "ln",
        "ls", "md5sum", "mkdir", "mv", "nl", "od", "rm", "rmdir", "sed", "sha256sum", "shred", "sort", "stat", "tac",
        "tail",
        "tee", "touch", "truncate", "uniq", "unlink", "wc",
    ]
)  # fmt: skip
"""Programs that hand their operands to the system as they are, which finds nothing under an empty name (POSIX)."""

_NOTHING = PathTarget("", ())

# The constructor of a named tuple costs four times as much as the tuple itself.
_new = tuple.__new__


def arrange(run: Run, *, modelled: bool) -> None:
    """Give every option and operand its meaning."""
    found = run.sorted.options
    if found:
        _take_options(run)
    if run.layout.assigns:
        _take_assignments(run)
    if run.words:
        run.roles = place_operands(run.layout, run.words)
        run.operands = tuple([_operand(run, word, role) for word, role in zip(run.words, run.roles, strict=True)])
        if run.entry.place is not None:
            _take_place(run)
    run.options = tuple([_option(run, each) for each in found])
    run.invocation = _invocation(run, modelled=modelled)


def _take_options(run: Run) -> None:
    """The marks that options set, the layout that they choose, the directory that they change to."""
    for found in run.sorted.options:
        spec = found.spec
        if spec is None:
            continue
        run.recursive = run.recursive or spec.recursive
        run.force = run.force or spec.force
        run.clear = run.clear or spec.clear
        if spec.layout is not None:
            run.layout = spec.layout
        if spec.role is not None and spec.role.name == "directory" and found.value is not None:
            run.cwds = run.resolve(found.value).names


def _take_assignments(run: Run) -> None:
    """Leading `NAME=VALUE` words, where the program makes variables of them."""
    variables: list[tuple[str, Value]] = []
    for word in run.words:
        halves = cut(word.value, "=")
        if halves is None:
            break
        variables.append(halves)
    run.variables = tuple(variables)
    run.words = run.words[len(variables) :]


def _take_place(run: Run) -> None:
    """The name of the place where what it runs in turn runs."""
    kinds = ("host", "image", "place")
    names = (each.value for each in run.operands if each.role.partition("+")[0].partition(":")[0] in kinds)
    run.place = Place("remote" if run.entry.place == "remote" else "container", next(names, ""))


def _operand(run: Run, word: Word, role: Role) -> Operand:
    value, span, many, glob = word
    if not role.is_path:
        path = None
    elif value == "" and run.program in _OPENING:
        path = _NOTHING
    else:
        path = resolve(value, run.cwds, run.scene, follow=role.follow, glob=glob)
    url = url_of(role, value) if role.is_url else None
    return _new(Operand, (value, role.name, span, many, path, url))


_MAY_BE_SCHEME = re.compile(r"[A-Za-z0-9+.-]*:?/?", re.ASCII)
"""What is known of a URL while its scheme may still follow."""


def url_of(role: Role, value: Value) -> UrlTarget:
    """A URL as its program takes it: without a scheme it has the program's own."""
    part = next(part for part in role.parts if part.kind in ("url", "host"))
    if part.kind == "host":
        return read_host(value, part.argument or None)
    start = known_start(value)
    bare = "://" not in start and start[:5].lower() != "file:"
    if part.argument and bare and (isinstance(value, str) or not _MAY_BE_SCHEME.fullmatch(start)):
        value = _behind(f"{part.argument}://", value)
    return read_url(value)


def _behind(scheme: str, value: Value) -> Value:
    """*value* with *scheme* in front, a glob still with what it is where it matches nothing."""
    whole = joined(scheme, value)
    literal = written(value)
    if isinstance(whole, str) or literal is None:
        return whole
    return Matched(whole.parts, whole.reason, scheme + literal)


def _option(run: Run, found: Found) -> Option:
    spec, name, value, word, exact, words = found
    span = word[1] if not words else (word[1][0], words[-1][1][1])
    if spec is None:
        return Option(name, value, span, known=False)
    role = spec.role
    path = url = None
    if role is not None and value is not None:
        path = run.resolve(value) if role.is_path else None
        url = url_of(role, value) if role.is_url else None
    return _new(Option, (name, value, span, exact, spec.spellings, path, url))


def _invocation(run: Run, *, modelled: bool) -> Invocation:
    words, variables, _, span, _, lookup, place, wrappers, *_ = run.command
    values = tuple([word[0] for word in words])
    program = run.program
    path = values[0]
    bare = path == program and lookup
    if variables and bare:
        bare = not any(name == "PATH" for name, _ in variables)
    found = run.sorted
    return _new(
        Invocation,
        (
            program,
            path,
            values,
            found.subcommand,
            run.options,
            run.operands,
            variables,
            wrappers,
            bare,
            found.complete,
            modelled,
            place,
            span,
        ),
    )
