"""Builtins that assign what they read or make: `read`, `mapfile`, `printf -v`, `getopts`, `shift`, `wait`."""

from __future__ import annotations

import re

from ...values import Listing, Value, concat, unknown
from ..command import SimpleCommand
from ..running.call import Call
from ..running.fields import Fields
from ..running.held import Array, number
from ..running.machine import Machine
from ..running.state import State
from .arguments import read_options

_SUBSCRIPTED = re.compile(r"[A-Za-z_][A-Za-z0-9_]*+\[(.*)\]", re.DOTALL)
_BLANKS = " \t\n"


def read(machine: Machine, call: Call, state: State) -> State | None:
    """`read`."""
    options = read_options(call.words, takes="adinNptu")
    names = [word.value for word in call.words[options.operands :]]
    text = call.stdin
    plain = options.sure and not {letter for letter, _ in options.given} & {"-n", "-N", "-d", "-u", "-t", "-e"}
    if read_name(machine, call, state):
        return None
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


def read_name(machine: Machine, call: Call, state: State) -> bool:
    """Read one of the names that are listed, whichever; false where that is not what is read."""
    options = read_options(call.words, takes="adinNptu")
    names = call.words[options.operands :]
    text = call.stdin
    if not isinstance(text, Listing) or not options.sure or len(names) > 1 or any(word.many for word in names):
        return False
    end = options.argument("d")
    if not {letter for letter, _ in options.given} <= {"-r", "-d"} or text.end != (
        "\n" if end is None else "\0" if end == "" else end
    ):
        return False
    listed = machine.names_in(text, split=not (options.has("r") and machine.separators(state) == ""))
    if listed is None:
        return False
    call.rest, machine.status = text, None
    before = state.fork()
    for place, name in enumerate(listed):
        one = before.fork() if place else state
        machine.assign_to(names[0].value if names else "REPLY", name, one, call.span)
        if place:
            state.join(one)
    return True


def read_array(machine: Machine, name: Value, text: Value | None, call: Call, state: State, *, raw: bool) -> None:
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
    plain = options.sure and all(letter == "-t" for letter, _ in options.given)
    if plain and isinstance(call.stdin, str) and call.stdin.isascii():
        found = re.findall(r"[^\n]*\n|[^\n]+\Z", call.stdin)
        texts = [line.removesuffix("\n") for line in found] if options.has("t") else found
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
    del machine
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
    found = _SUBSCRIPTED.fullmatch(value)
    if found is not None:
        machine.evaluate_subscript(found[1], state, span)
