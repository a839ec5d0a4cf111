"""The builtins that the walker reads itself, because they change its state or run text in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from . import declarations, directories, running, settings
from .machine import Call, Machine
from .state import State

Builtin = Callable[[Machine, Call, State], State | None]

BUILTINS: Mapping[str, Builtin] = {
    ".": running.source,
    ":": running.no_effect,
    "[": declarations.test,
    "alias": settings.alias,
    "break": running.leave_loop,
    "builtin": running.builtin,
    "cd": directories.change,
    "chdir": directories.change,
    "command": running.command,
    "compgen": settings.complete,
    "complete": settings.complete,
    "continue": running.leave_loop,
    "declare": declarations.declare,
    "enable": settings.enable,
    "eval": running.eval_,
    "exec": running.exec_,
    "exit": running.leave,
    "export": declarations.declare,
    "false": running.no_effect,
    "getopts": declarations.getopts,
    "hash": settings.hash_,
    "jobs": running.jobs,
    "let": declarations.let,
    "local": declarations.declare,
    "mapfile": declarations.mapfile,
    "popd": directories.pop,
    "printf": declarations.printf,
    "pushd": directories.push,
    "read": declarations.read,
    "readarray": declarations.mapfile,
    "readonly": declarations.declare,
    "return": running.leave,
    "set": settings.set_options,
    "shift": declarations.shift,
    "shopt": settings.shopt,
    "source": running.source,
    "test": declarations.test,
    "trap": settings.trap,
    "true": running.no_effect,
    "typeset": declarations.declare,
    "unalias": settings.unalias,
    "unset": declarations.unset,
    "wait": declarations.wait,
}

STATEFUL = frozenset(BUILTINS)
"""Builtins whose `Reading.nested` the walker does not follow, since it reads their words itself."""

BASH_ONLY = frozenset(
    ["source", "declare", "typeset", "let", "mapfile", "readarray", "shopt", "pushd", "popd", "builtin", "enable", "compgen", "complete"]
)
"""Builtins of bash that a POSIX shell need not have."""

SPECIAL = frozenset([":", ".", "break", "continue", "eval", "exec", "exit", "export", "readonly", "return", "set", "shift", "trap", "unset"])
"""Special builtins: in a POSIX shell, an assignment before one of them stays."""

SILENT: Mapping[str, bool | None] = {
    ":": True,
    "true": True,
    "false": False,
    **dict.fromkeys(
        ["[", "break", "cd", "continue", "exit", "getopts", "let", "local", "mapfile", "read", "readarray", "readonly", "return", "shift", "test", "unset", "wait"]
    ),
}
"""Builtins that print nothing, with their status where it is known."""

_LISTING = frozenset(["alias", "declare", "export", "hash", "readonly", "set", "shopt", "trap", "typeset", "unalias", "enable"])


def is_silent(call: Call) -> bool:
    """Whether a builtin prints nothing."""
    name = call.words[0].value
    if name == "printf":
        return declarations.assigns(call)
    if name in _LISTING:
        return len(call.words) > 1 and not any(word.value in ("-p", "-l", "-f", "-F") for word in call.words)
    return name in SILENT
