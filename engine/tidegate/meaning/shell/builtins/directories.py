"""`cd`, `pushd` and `popd`: where the commands behind them run."""

from __future__ import annotations

from ...values import Hole, Partial, Value, concat, unknown
from ..command import Word
from ..running.call import Call
from ..running.held import Absence, Array, Either
from ..running.machine import MOVED, Machine
from ..running.state import State, directories
from .arguments import read_options


def change(machine: Machine, call: Call, state: State) -> State | None:
    """`cd`: where it fails, the directory stays what it was."""
    options = read_options(call.words)
    operands = call.words[options.operands :]
    failed = state.fork()
    machine.lasting(state, "a change of directory", call.span)
    machine.history.append(MOVED)
    if not options.sure or not all(map(_is_one, operands)):
        state.cwds = directories((*state.cwds, unknown("the argument of `cd` is not known")))
    elif not operands:
        home = machine.held("HOME", state)
        move(state, home if not isinstance(home, Absence | Array) else unknown("the home directory is not known"))
    elif operands[0].value == "-":
        back = _previous(machine, state)
        left(state)
        state.cwds = back
    else:
        target = operands[0].value
        physical = options.has("P") or state.options.get("physical", False) is not False
        before = state.cwds
        move(state, target, physical=physical)
        if _searched(machine, target, state):
            state.cwds = directories((*state.cwds, unknown("`cd` searches the directories of `CDPATH`")))
        if len(operands) > 1:
            state.cwds = directories((*before, *state.cwds))
    return failed


def _is_one(word: Word) -> bool:
    """Whether a word is one at most, since `cd` fails for more, and one for certain."""
    return not word.many or (
        not isinstance(word.value, str) and any(isinstance(part, str) for part in word.value.parts)
    )


def push(machine: Machine, call: Call, state: State) -> State | None:
    """`pushd`."""
    failed = state.fork()
    machine.lasting(state, "a change of directory", call.span)
    machine.history.append(MOVED)
    operands = [word for word in call.words[1:] if word.value not in ("-n", "--")]
    stack = state.stack
    if len(operands) == 1 and not operands[0].many and stack is not None and not _rotates(operands[0].value):
        state.stack = (state.cwds, *stack)
        move(state, operands[0].value)
    elif not operands and stack:
        state.stack = (state.cwds, *stack[1:])
        left(state)
        state.cwds = stack[0]
    else:
        _lose(state)
    return failed


def pop(machine: Machine, call: Call, state: State) -> State | None:
    """`popd`."""
    failed = state.fork()
    machine.lasting(state, "a change of directory", call.span)
    machine.history.append(MOVED)
    if len(call.words) == 1 and state.stack:
        left(state)
        state.cwds, state.stack = state.stack[0], state.stack[1:]
    elif len(call.words) > 1 or state.stack is None:
        _lose(state)
    return failed


def move(state: State, target: Value, *, physical: bool = False) -> None:
    """Go to *target* from every directory in which the shell could be."""
    if target == "":
        return
    left(state)
    state.cwds = directories([beneath(cwd, target, physical=physical) for cwd in state.cwds])


def left(state: State) -> None:
    """Leave the present directory, which becomes the previous one whatever `OLDPWD` held."""
    state.previous = state.cwds
    state.drop("PWD")
    state.drop("OLDPWD")


def _previous(machine: Machine, state: State) -> tuple[Value, ...]:
    """Where `cd -` goes."""
    if "OLDPWD" not in state.variables:
        return state.previous or (unknown("the previous directory is not known"),)
    held = machine.held("OLDPWD", state)
    return (unknown("the previous directory is not known") if isinstance(held, Absence | Array) else held,)


def beneath(cwd: Value, target: Value, *, physical: bool) -> Value:
    """The directory *target* seen from *cwd*.

    Without *physical*, the shell folds `..` in the text before it looks at the disk.
    """
    start = target if isinstance(target, str) else target.prefix
    if not isinstance(target, str) and start == "":
        return unknown(target.reason)
    path = target if start.startswith("/") else concat([cwd, "/", target])
    if isinstance(path, str):
        return path if physical or not path.startswith("/") else _folded(path)
    if any(isinstance(part, str) and ".." in part for part in path.parts):
        return Partial((Hole.ANY,), path.reason)
    return path


def _folded(path: str) -> str:
    kept: list[str] = []
    for name in path.split("/"):
        if name == "..":
            if kept:
                kept.pop()
        elif name not in ("", "."):
            kept.append(name)
    return "/" + "/".join(kept)


def _searched(machine: Machine, target: Value, state: State) -> bool:
    """Whether `cd` may look for *target* in other places than here."""
    start = target if isinstance(target, str) else target.prefix
    if start.startswith(("/", "./", "../")) or start in (".", ".."):
        return False
    held = state.variables.get("CDPATH", machine.scene.environment.get("CDPATH", Absence.UNSET))
    return isinstance(held, Either) or (held is not Absence.UNSET and held != "")


def _rotates(value: Value) -> bool:
    start = value if isinstance(value, str) else value.prefix
    return start[:1] in ("", "+", "-")


def _lose(state: State) -> None:
    left(state)
    state.cwds = directories((*state.cwds, unknown("the stack of directories is not known")))
    state.stack = None
