"""Builtins that declare: `declare`, `export`, `local`, `readonly`, `unset`, `let`."""

from __future__ import annotations

import re

from ...values import Value, concat, unknown
from ..command import Word
from ..running.call import Call
from ..running.held import Absence, Array, Either, Held, blurred, merge
from ..running.machine import Machine
from ..running.state import State
from .arguments import Options, read_options

_ASSIGNED = re.compile(r"([A-Za-z_][A-Za-z0-9_]*+)(?:\[(.*?)\])?(\+?=)?(.*)", re.DOTALL)
_LASTING_LETTERS = "ilnurA"


def declare(machine: Machine, call: Call, state: State) -> State | None:
    """`declare`, `typeset`, `local`, `export` and `readonly`."""
    command = call.words[0].value
    options = read_options(call.words, signs="-+")
    if options.has("f") or options.has("F"):
        export_functions(machine, call, options, state)
        return None
    if options.has("p"):
        return None
    for place in range(options.operands, len(call.words)):
        word = call.words[place]
        held: Held | None
        if place in call.arguments:
            assignment, held = call.arguments[place]
            name: str | None = assignment.name
        else:
            name, held = _target(machine, word, state)
        if name is None:
            continue
        if held is None and name in (before := dict(call.variables)):
            held = before[name]  # `x=1 local x` has it; whether `x=1 export x` keeps it is settled when that has run
        _attribute(machine, name, str(command), options, state)
        if held is not None and not (options.has("g") and _assigned_beneath(name, held, state)):
            machine.assign(name, held, state, word.span)
        if name in state.exported:
            machine.lasting(state, f"the exported variable `{name}`", word.span)
    return None


def _assigned_beneath(name: str, held: Held, state: State) -> bool:
    """Assign to the global variable *name* where functions have local ones of that name above it."""
    for place, frame in enumerate(state.frames):
        if name in frame:
            state.frames = (*state.frames[:place], {**frame, name: held}, *state.frames[place + 1 :])
            return True
    return False


def _target(machine: Machine, word: Word, state: State) -> tuple[str | None, Held | None]:
    """The variable that an operand names, and what it is to hold."""
    value = word.value
    known = value if isinstance(value, str) else value.prefix
    found = _ASSIGNED.fullmatch(known)
    if word.many or found is None or (not isinstance(value, str) and not found[3]):
        if word.many or not isinstance(value, str):
            machine.assign_to(
                value if not isinstance(value, str) else unknown("it may be several words"), "", state, word.span
            )
        return None, None
    if found[2] is not None:
        machine.evaluate_subscript(found[2], state, word.span)
        return found[1], Array(None)
    if found[3] is None:
        return (found[1], None) if not found[4] else (None, None)
    if isinstance(value, str):
        given: Value = found[4]
    else:
        given = concat([found[4], type(value)(value.parts[1:], value.reason)])
    return found[1], given if found[3] == "=" else unknown(f"`{found[1]}` is appended to")


def _attribute(machine: Machine, name: str, command: str, options: Options, state: State) -> None:
    """Give a variable the attributes that a declaration names."""
    letters = set(state.attributes.get(name, ""))
    before = set(letters)
    for option, _ in options.given:
        if option[1] in _LASTING_LETTERS:
            letters = letters | {option[1]} if option[0] == "-" else letters - {option[1]}
    if command == "readonly":
        letters.add("r")
    if letters != before:
        state.attributes = {**state.attributes, name: "".join(sorted(letters))}
    local = command == "local" or (command in ("declare", "typeset") and not options.has("g"))
    if local and state.frames and name not in state.frames[-1]:
        held = state.variables.get(name, Absence.INHERITED)
        state.frames = (*state.frames[:-1], {**state.frames[-1], name: held})
        machine.bashism = True  # other shells keep the value
        if not machine.posix:
            state.put(name, Absence.UNSET)
    fresh = state.variables.get(name, Absence.UNSET) is Absence.UNSET
    if fresh and (options.has("a") or options.has("A")):
        state.put(name, Array((), associative=options.has("A")))
    if command == "export" and options.has("n"):
        state.exported = tuple(known for known in state.exported if known != name)
    elif command == "export" or options.has("x"):
        machine.export(name, state)


def export_functions(machine: Machine, call: Call, options: Options, state: State) -> None:
    """`export -f` and `declare -f`."""
    if call.words[0].value == "export":
        for word in call.words[options.operands :]:
            if isinstance(word.value, str):
                machine.export(f"{word.value}()", state)
                machine.lasting(state, f"the exported function `{word.value}`", word.span)


def unset(machine: Machine, call: Call, state: State) -> State | None:
    """`unset`."""
    options = read_options(call.words)
    for word in call.words[options.operands :]:
        value = word.value
        found = _ASSIGNED.fullmatch(value) if isinstance(value, str) else None
        if word.many or not isinstance(value, str):
            machine.assign_to(unknown("the name is not known"), "", state, word.span)
            continue
        if not options.has("v") and value in state.functions:
            state.functions = {**state.functions, value: (*state.functions[value], None)}
        if options.has("f") or found is None:
            continue
        if found[2] is not None:
            machine.assign_to(value, "", state, word.span)
            continue
        machine.assign(value, Absence.UNSET, state, word.span)
        for frame in state.frames[:-1]:  # what a caller's local variable hides comes to light
            if value in frame:
                state.put(value, merge(Absence.UNSET, _flat(frame[value], value), f"`{value}` is unset in a function"))
        state.exported = tuple(name for name in state.exported if name != value)
        state.attributes = {name: letters for name, letters in state.attributes.items() if name != value}
    return None


def _flat(held: Held | Either, name: str) -> Held:
    return blurred(held.options, f"`{name}` is unset in a function") if isinstance(held, Either) else held


def let(machine: Machine, call: Call, state: State) -> State | None:
    """`let`."""
    for word in call.words[1:]:
        machine.evaluate(unknown("it may be several words") if word.many else word.value, state, word.span)
    return None
