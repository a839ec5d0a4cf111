"""Builtins that run something else: `eval`, `.`, `exec`, `command`, `builtin`; and those that leave."""

from __future__ import annotations

from ...values import Value, concat, unknown
from ..running.call import Call
from ..running.machine import Machine
from ..running.state import State
from .arguments import read_options


def eval_(machine: Machine, call: Call, state: State) -> State | None:
    """`eval`: its words are text for this very shell."""
    words = call.words[1:]
    if words and words[0].value == "--":
        words = words[1:]
    if any(word.many for word in words):
        machine.doubt("`eval` runs words whose number is not known", call.span)
    pieces: list[Value] = []
    for word in words:
        pieces.extend((" ", word.value))
    outer = state.stdin
    state.stdin = call.stdin
    failed = machine.text(concat(pieces[1:]), state, call.span)
    state.stdin = outer
    return failed


def source(machine: Machine, call: Call, state: State) -> State | None:
    """`.` and `source`: a file becomes text for this very shell."""
    place = 2 if len(call.words) > 1 and call.words[1].value == "--" else 1
    if place >= len(call.words):
        return None
    word = call.words[place]
    text = call.code.get(place)
    if word.value in ("/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"):
        text = call.stdin
    if text is None:
        machine.runs_file("a file that the shell reads as its own text", word.value, state, word.span)
        state.doubt("a file that the shell read may have changed it")
        return None
    outer = state.arguments
    if len(call.words) > place + 1:
        state.arguments = call.words[place + 1 :]
    returns, machine.returns = machine.returns, []
    failed = machine.text(text, state, word.span)
    for end in machine.returns:
        state.join(end)
    machine.returns = returns
    if len(call.words) > place + 1:
        state.arguments = outer
    return failed


def exec_(machine: Machine, call: Call, state: State) -> State | None:
    """`exec`: the shell becomes a program, or only keeps its redirections."""
    options = read_options(call.words, takes="a")
    if options.operands >= len(call.words):
        return None
    inner = call.without(options.operands, "exec")
    inner.among = "programs"
    return machine.call(inner, state)


def command(machine: Machine, call: Call, state: State) -> State | None:
    """`command`: a function of that name does not count."""
    options = read_options(call.words)
    if options.has("v") or options.has("V") or options.operands >= len(call.words):
        machine.print(unknown("what `command` finds is not known"))
        return None
    inner = call.without(options.operands, "command")
    inner.among = "programs" if call.among == "programs" else "builtins"
    return machine.call(inner, state)


def jobs(machine: Machine, call: Call, state: State) -> State | None:
    """`jobs -x`, which runs a command."""
    if len(call.words) > 2 and call.words[1].value == "-x":  # noqa: PLR2004 the command stands behind the option
        inner = call.without(2, "jobs")
        inner.among = "programs"
        return machine.call(inner, state)
    return None


def builtin(machine: Machine, call: Call, state: State) -> State | None:
    """`builtin`: only a builtin of that name counts."""
    place = 2 if len(call.words) > 1 and call.words[1].value == "--" else 1
    if place >= len(call.words):
        return None
    inner = call.without(place, "builtin")
    inner.among = "programs" if call.among == "programs" else "builtins"
    return machine.call(inner, state)


def leave_loop(machine: Machine, call: Call, state: State) -> State | None:
    """`break` and `continue`: what is so far, is so behind the loop or at its next turn."""
    for turns in machine.loops:
        turns.exits.append(state.fork())
        if call.words[0].value == "continue":
            turns.nexts.append(state.fork())
    state.dead = bool(machine.loops) and _is_obeyed(call)
    return None


def leave_function(machine: Machine, call: Call, state: State) -> State | None:
    """`return`: what is so far, is so behind the function."""
    machine.returns.append(state.fork())
    state.dead = bool(machine.active) and _is_obeyed(call)
    return None


def leave_shell(machine: Machine, call: Call, state: State) -> State | None:
    """`exit`: what is so far, is so at the end."""
    machine.ends.append(state.fork())
    state.dead = _is_obeyed(call)
    return None


def _is_obeyed(call: Call) -> bool:
    """Whether a builtin that leaves has at most one argument; with more, it complains and stays."""
    return len(call.words) <= 2 and not any(word.many for word in call.words)  # noqa: PLR2004 its name and a number


def no_effect(machine: Machine, call: Call, state: State) -> State | None:
    """A builtin that leaves the shell as it is."""
    del machine, call, state
    return None
