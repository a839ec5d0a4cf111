"""What a call was, and whether it succeeded: by its commands, by the paths that it changes, and by its result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..kind import (
    Case,
    CommandPattern,
    Comparison,
    Invocation,
    Output,
    PathPattern,
    denies_path,
    grants_path,
)
from ..meaning.regexes import compile_regex
from ..meaning.shell.proving import Proven, must_have_succeeded
from ..pointers import parse_pointer, values_at

_STATUS = frozenset({"exit_code", "exitCode", "exit_status", "exitStatus", "returncode", "return_code"})
_ENDED = compile_regex(r"\[(?:exit code -?[0-9]+|ended after [0-9.e+]+ seconds)\]\s*\z")
_KEEP_STATUS = frozenset({"env", "nice", "nohup", "timeout"})


def proved(pattern: CommandPattern, case: Case) -> bool:
    """Whether the call ran a command that the pattern grants, and its own status shows that it succeeded."""
    compare = Comparison(case.places)
    for effect in case.effects:
        command = effect.target
        if effect.kind != "exec" or not isinstance(command, Invocation) or not effect.bound:
            continue
        if pattern.match_grant(command, compare) is True and _is_whole(pattern, command, case):
            return any(_is_it(command, proven) for proven in _proven(effect.source, case.call.arguments))
    return False


def _is_whole(pattern: CommandPattern, command: Invocation, case: Case) -> bool:
    """Whether the pattern covers all that the command does, such as variables that would make another thing of it."""
    own = [effect for effect in case.effects if effect.by is command]
    return all(pattern.covers(effect) for effect in own) and not command.variables


def _proven(source: str, arguments: Mapping[str, Any]) -> tuple[Proven, ...]:
    ((_, value),) = values_at(arguments, parse_pointer(source))
    if isinstance(value, str):
        return must_have_succeeded(value)
    words = tuple(value) if isinstance(value, list) else ()
    return (Proven((0, 0), words),) if words and all(isinstance(word, str) for word in words) else ()


def _is_it(command: Invocation, proven: Proven) -> bool:
    """Whether the command is the one that is proven, bare or behind wrappers that pass its status on."""
    if not set(command.wrappers) <= _KEEP_STATUS or command.place.kind != "local":
        return False
    words = command.words
    if not command.wrappers:
        return words == proven.words
    return 0 < len(words) < len(proven.words) and words == proven.words[-len(words) :]


def all_written(pattern: PathPattern, case: Case) -> bool:
    """Whether the call changes something, and all that it changes is certainly named by the pattern."""
    changes = [effect for effect in case.effects if effect.kind in ("write", "delete")]
    return bool(changes) and all(grants_path((pattern,), effect, case.places) is True for effect in changes)


def may_run(pattern: CommandPattern, case: Case) -> bool:
    """Whether the call may run a command that a deny by the pattern means."""
    compare = Comparison(case.places)
    return any(
        effect.kind == "unknown"
        or (isinstance(effect.target, Invocation) and pattern.match_deny(effect.target, compare) is not False)
        for effect in case.effects
    )


def may_write(pattern: PathPattern, case: Case) -> bool:
    """Whether the call may change something that a deny by the pattern means."""
    return any(
        effect.kind == "unknown"
        or (effect.kind in ("write", "delete") and denies_path((pattern,), effect, case.places) is not False)
        for effect in case.effects
    )


def failed(output: Output) -> bool:
    """Whether a result is an error, or tells an exit status that is not 0."""
    if output.is_error:
        return True
    told = output.structured
    if isinstance(told, Mapping) and any(key in told and not _is_zero(told[key]) for key in _STATUS):
        return True
    return _ENDED.search(_text(output)[-200:]) is not None


def _is_zero(status: object) -> bool:
    return (type(status) is int and status == 0) or status == "0"


def holds(shows: Any, output: Output) -> bool:
    """Whether the text of a result holds what a regular expression matches."""
    return shows.search(_text(output)) is not None


def _text(output: Output) -> str:
    return "".join(block for block in output.blocks if isinstance(block, str))
