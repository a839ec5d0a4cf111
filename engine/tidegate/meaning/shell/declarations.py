"""Builtins that assign: `declare`, `export`, `local`, `readonly`, `unset`, `let`, `read`, `mapfile`, `printf -v`."""

from __future__ import annotations

import re

from ..values import Value, concat, unknown
from .arguments import Options, read_options
from .command import SimpleCommand, Word
from .fields import Fields
from .held import Absence, Array, Held, number
from .machine import Call, Machine
from .state import State

_ASSIGNED = re.compile(r"([A-Za-z_][A-Za-z0-9_]*+)(?:\[(.*?)\])?(\+?=)?(.*)", re.DOTALL)
_LASTING_LETTERS = "ilnurA"
_BLANKS = " \t\n"


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
        _attribute(machine, name, str(command), options, state)
        if held is not None:
            machine.assign(name, held, state, word.span)
        if name in state.exported:
            machine.lasting(state, f"the exported variable `{name}`", word.span)
    return None


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
    if local and state.frame is not None and name not in state.frame:
        held = state.variables.get(name, Absence.INHERITED)
        state.frame = {**state.frame, name: held}
        state.put(name, Absence.UNSET)
    if options.has("a") or options.has("A"):
        if name not in state.variables or state.variables[name] is Absence.UNSET:
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
        state.exported = tuple(name for name in state.exported if name != value)
        state.attributes = {name: letters for name, letters in state.attributes.items() if name != value}
    return None


def let(machine: Machine, call: Call, state: State) -> State | None:
    """`let`."""
    for word in call.words[1:]:
        machine.evaluate(unknown("it may be several words") if word.many else word.value, state, word.span)
    return None


def read(machine: Machine, call: Call, state: State) -> State | None:
    """`read`."""
    options = read_options(call.words, takes="adinNptu")
    names = [word.value for word in call.words[options.operands :]]
    text = call.stdin
    plain = options.sure and not {letter for letter, _ in options.given} & {"-n", "-N", "-d", "-u", "-t", "-e"}
    array = options.argument("a")
    if array is not None:
        read_array(machine, array, text if plain else None, call, state, raw=options.has("r"))
        return None
    if isinstance(text, str) and plain:
        values, call.rest, machine.status = _line(machine, text, len(names), state, raw=options.has("r"))
    else:
        values, call.rest, machine.status = None, None, None
    if not options.sure or any(word.many for word in call.words[options.operands :]):
        machine.assign_to(unknown("the names that `read` assigns are not known"), "", state, call.span)
    what = unknown("what `read` reads is known only when it runs")
    for place, name in enumerate(names or ["REPLY"]):
        machine.assign_to(name, what if values is None else values[place], state, call.span)
    return None


def read_array(
    machine: Machine, name: Value, text: Value | None, call: Call, state: State, *, raw: bool
) -> None:
    """`read -a`: the words of one line become an array."""
    held = Array(None)
    if isinstance(text, str):
        line, _, call.rest = text.partition("\n")
        separators = machine.separators(state)
        if separators is not None and (raw or "\\" not in line):
            fields = Fields(call.span, separators, globbing=False, globstar=False)
            fields.expand(line)
            held = Array(tuple((str(place), word.value) for place, word in enumerate(fields.words())))
    machine.status = None
    machine.assign_to(name, held, state, call.span)


def _line(
    machine: Machine, text: str, count: int, state: State, *, raw: bool
) -> tuple[list[Value] | None, Value | None, bool | None]:
    """The first line of *text* in *count* pieces, what is left of the text, and whether there was a whole line."""
    line, newline, rest = text.partition("\n")
    separators = machine.separators(state)
    if separators is None or (not raw and "\\" in line) or "\0" in line:
        return None, None, None
    if count == 0:
        return [line], rest, bool(newline)
    return [*_pieces(line, count, separators)], rest, bool(newline)


def _pieces(line: str, count: int, separators: str) -> list[str]:
    """*line* split as `read` splits it: the last piece takes the rest."""
    blanks = "".join(char for char in separators if char in _BLANKS)
    pieces: list[str] = []
    rest = line.lstrip(blanks) if blanks else line
    while len(pieces) < count - 1:
        end = next((place for place, char in enumerate(rest) if char in separators), None)
        if end is None:
            pieces.append(rest)
            rest = ""
            continue
        pieces.append(rest[:end])
        rest = rest[end:].lstrip(blanks) if blanks else rest[end:]
        if rest[:1] and rest[0] in separators and rest[0] not in blanks:
            rest = rest[1:].lstrip(blanks) if blanks else rest[1:]
    rest = rest.rstrip(blanks) if blanks else rest
    others = [char for char in separators if char not in _BLANKS]
    if rest and rest[-1] in others and not any(char in rest[:-1] for char in separators):
        rest = rest[:-1]
    return [*pieces, rest]


def mapfile(machine: Machine, call: Call, state: State) -> State | None:
    """`mapfile` and `readarray`."""
    options = read_options(call.words, takes="dnOsuCc")
    names = call.words[options.operands :]
    callback = options.argument("C")
    if callback is not None:
        machine.text(concat([callback, " 0 line"]), state, call.span)
    lines: Array = Array(None)
    if isinstance(call.stdin, str) and options.sure and all(letter == "-t" for letter, _ in options.given):
        texts = call.stdin.splitlines(keepends=not options.has("t")) if "\r" not in call.stdin else None
        if texts is not None and call.stdin.isascii():
            lines = Array(tuple((str(place), text) for place, text in enumerate(texts)))
    if not options.sure or any(word.many for word in names):
        machine.assign_to(unknown("the array that is assigned is not known"), "", state, call.span)
    elif names:
        machine.assign_to(names[0].value, lines, state, call.span)
    else:
        machine.assign("MAPFILE", lines, state, call.span)
    return None


def printf(machine: Machine, call: Call, state: State) -> State | None:
    """`printf -v`; any other `printf` changes nothing."""
    words = call.words
    first = words[1] if len(words) > 1 else None
    if first is None:
        return None
    if first.many or not isinstance(first.value, str):
        if first.many or _may_assign(first.value):
            machine.assign_to(unknown("the first argument of `printf` may be `-v`"), "", state, first.span)
        return None
    if not assigns(call):
        return None
    count = 2 if first.value == "-v" else 1
    target = words[2].value if count == 2 and len(words) > 2 else first.value[2:]  # noqa: PLR2004
    rest = (words[0], *words[count + 1 if count == 2 else count :])  # noqa: PLR2004
    printed = machine.seams.interpret(SimpleCommand(rest, (), state.cwds, call.span)).stdout
    machine.assign_to(
        target, unknown("what `printf` prints is not known") if printed is None else printed, state, call.span
    )
    return None


def assigns(call: Call) -> bool:
    """Whether a `printf` assigns instead of printing."""
    return len(call.words) > 1 and isinstance(call.words[1].value, str) and call.words[1].value.startswith("-v")


def _may_assign(value: Value) -> bool:
    """Whether a format that is not known could be `-v` with a name."""
    if isinstance(value, str):
        return False
    prefix, suffix = value.prefix, value.suffix
    return (prefix in ("", "-") or prefix.startswith("-v")) and (
        suffix == "" or suffix[-1].isalnum() or suffix[-1] in "_]"
    )


def getopts(machine: Machine, call: Call, state: State) -> State | None:
    """`getopts`."""
    if len(call.words) > 2:  # noqa: PLR2004 the name stands behind the options
        machine.assign_to(
            call.words[2].value, unknown("an option is known only when the command runs"), state, call.span
        )
    machine.assign("OPTARG", unknown("an option is known only when the command runs"), state, call.span)
    return None


def shift(machine: Machine, call: Call, state: State) -> State | None:
    """`shift`."""
    count = call.words[1].value if len(call.words) > 1 else "1"
    words = state.arguments
    if words is None or not isinstance(count, str) or not count.isdigit() or any(word.many for word in words):
        state.arguments = None
    elif int(count) <= len(words):
        state.arguments = words[int(count) :]
    return None


def wait(machine: Machine, call: Call, state: State) -> State | None:
    """`wait -p`."""
    target = read_options(call.words, takes="p").argument("p")
    if target is not None:
        machine.assign_to(target, number("the process is known only when the command runs"), state, call.span)
    return None


def test(machine: Machine, call: Call, state: State) -> State | None:
    """`test -v` and `[ -v`, which evaluate a subscript."""
    for place, word in enumerate(call.words[:-1]):
        if word.value in ("-v", "-R"):
            name_tested(machine, call.words[place + 1].value, state, call.span)
    return None


def name_tested(machine: Machine, value: Value, state: State, span: tuple[int, int]) -> None:
    """Run whatever code the name of a variable that is tested holds."""
    if not isinstance(value, str):
        machine.doubt("the name of a variable is not known, and a subscript in it would run as code", span)
        return
    found = _ASSIGNED.fullmatch(value)
    if found is not None and found[2] is not None:
        machine.evaluate_subscript(found[2], state, span)
