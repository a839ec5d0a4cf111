"""The builtins that the walker reads itself, because they change its state or run text in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..running.call import Call
from ..running.machine import Machine
from ..running.state import State
from . import declarations, directories, reading, settings, texts

Builtin = Callable[[Machine, Call, State], State | None]

BUILTINS: Mapping[str, Builtin] = {
    ".": texts.source,
    ":": texts.no_effect,
    "[": reading.test,
    "alias": settings.alias,
    "break": texts.leave_loop,
    "builtin": texts.builtin,
    "cd": directories.change,
    "chdir": directories.change,
    "command": texts.command,
    "compgen": settings.complete,
    "complete": settings.complete,
    "continue": texts.leave_loop,
    "declare": declarations.declare,
    "enable": settings.enable,
    "eval": texts.eval_,
    "exec": texts.exec_,
    "exit": texts.leave_shell,
    "export": declarations.declare,
    "false": texts.no_effect,
    "getopts": reading.getopts,
    "hash": settings.hash_,
    "jobs": texts.jobs,
    "let": declarations.let,
    "local": declarations.declare,
    "mapfile": reading.mapfile,
    "popd": directories.pop,
    "printf": reading.printf,
    "pushd": directories.push,
    "read": reading.read,
    "readarray": reading.mapfile,
    "readonly": declarations.declare,
    "return": texts.leave_function,
    "set": settings.set_options,
    "shift": reading.shift,
    "shopt": settings.shopt,
    "source": texts.source,
    "test": reading.test,
    "trap": settings.trap,
    "true": texts.no_effect,
    "typeset": declarations.declare,
    "unalias": settings.unalias,
    "unset": declarations.unset,
    "wait": reading.wait,
}

STATEFUL = frozenset(BUILTINS)
"""Builtins whose `Reading.nested` the walker does not follow, since it reads their words itself."""

BASH_ONLY = frozenset((
    "source", "declare", "typeset", "let", "mapfile", "readarray", "shopt", "pushd", "popd", "builtin",
    "enable", "compgen", "complete",
))  # fmt: skip
"""Builtins of bash that a POSIX shell need not have."""

SPECIAL = frozenset((
    ":", ".", "break", "continue", "eval", "exec", "exit", "export", "readonly", "return", "set", "shift",
    "trap", "unset",
))  # fmt: skip
"""Special builtins: in a POSIX shell, an assignment before one of them stays."""

SILENT: Mapping[str, bool | None] = {
    ":": True,
    "true": True,
    "false": False,
    **dict.fromkeys(
        (
            "[",
            "break",
            "cd",
            "continue",
            "exit",
            "getopts",
            "let",
            "local",
            "mapfile",
            "read",
            "readarray",
            "readonly",
            "return",
            "shift",
            "test",
            "unset",
            "wait",
        )
    ),
}
"""Builtins that print nothing, with their status where it is known."""

_LISTING = frozenset((
    "alias", "declare", "export", "hash", "readonly", "set", "shopt", "trap", "typeset", "unalias", "enable",
))  # fmt: skip


def is_silent(call: Call) -> bool:
    """Whether a builtin prints nothing."""
    name = call.words[0].value
    if name == "printf":
        return reading.assigns(call)
    if name in _LISTING:
        return len(call.words) > 1 and not any(word.value in ("-p", "-l", "-f", "-F") for word in call.words)
    return name in SILENT
