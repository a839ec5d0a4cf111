"""Builtins that change how the shell reads and finds what follows: `set`, `shopt`, `alias`, `hash`, `trap`."""

from __future__ import annotations

from ...values import Value, unknown
from ..running.call import Call
from ..running.machine import Machine, Span
from ..running.state import State
from .arguments import read_options

_LETTERS = {"f": "noglob", "a": "allexport", "B": "braceexpand", "P": "physical", "k": "keyword", "H": "histexpand"}
_DISTURBING = frozenset(("keyword", "histexpand", "posix"))
_LOOKED_AT = frozenset(
    (
        *_LETTERS.values(),
        "posix",
        "dotglob",
        "expand_aliases",
        "extglob",
        "globstar",
        "lastpipe",
        "nullglob",
        "xpg_echo",
    )
)
_ALIAS_BREAKS = frozenset(" \t\n/$`='\"\\|&;()<>")


def set_options(machine: Machine, call: Call, state: State) -> State | None:
    """`set`: options, then the arguments of the shell."""
    words = call.words
    place = 1
    while place < len(words):
        value = words[place].value
        if words[place].many or not isinstance(value, str):
            if words[place].many or _sign(value) in ("", "-", "+"):
                state.options = dict.fromkeys(_LOOKED_AT)
            break
        if value in ("--", "-"):
            place += 1
            state.arguments = words[place:]
            return None
        if value[:1] not in ("-", "+") or len(value) == 1:
            break
        place += 1
        for letter in value[1:]:
            if letter == "o":
                if place < len(words):
                    switch(machine, words[place].value, state, call, on=value[0] == "-")
                place += 1
            elif letter in _LETTERS:
                switch(machine, _LETTERS[letter], state, call, on=value[0] == "-")
    if place < len(words):
        state.arguments = words[place:] if not any(word.many for word in words[place:]) else None
    return None


def shopt(machine: Machine, call: Call, state: State) -> State | None:
    """`shopt`."""
    options = read_options(call.words)
    on = options.has("s")
    if not options.sure:
        state.options = dict.fromkeys(_LOOKED_AT)
    elif on or options.has("u"):
        for word in call.words[options.operands :]:
            switch(machine, unknown("it may be several words") if word.many else word.value, state, call, on=on)
    return None


def switch(machine: Machine, name: Value, state: State, call: Call, *, on: bool) -> None:
    """Turn an option on or off."""
    if not isinstance(name, str):
        state.options = dict.fromkeys(_LOOKED_AT)
        machine.doubt("an option of the shell is set whose name is not known", call.span)
        return
    if name in _DISTURBING:
        machine.doubt(f"the option `{name}` changes how the shell reads what follows", call.span)
    if name in _LOOKED_AT:
        state.options = {**state.options, name: on}
        machine.lasting(state, f"the option `{name}`", call.span)


def alias(machine: Machine, call: Call, state: State) -> State | None:
    """`alias`."""
    if machine.within and state.options.get("expand_aliases", machine.sh) is not False:
        machine.doubt("an alias is defined in a substitution, which is read line by line once more", call.span)
    for place, word in enumerate(call.words[1:], 1):
        value = word.value
        if word.many or (not isinstance(value, str) and "=" not in value.prefix):
            machine.doubt("an alias is defined whose name is not known", word.span)
            state.aliases = dict.fromkeys(state.aliases)
            continue
        name, equals, text = (value if isinstance(value, str) else value.prefix).partition("=")
        if not equals or (not isinstance(value, str) and place not in call.arguments and not text and not name):
            continue
        if set(name) & _ALIAS_BREAKS:
            continue
        state.aliases = {**state.aliases, name: text if isinstance(value, str) else None}
        machine.lasting(state, f"the alias `{name}`", word.span)
    return None


def unalias(machine: Machine, call: Call, state: State) -> State | None:
    """`unalias`."""
    del machine
    names = {word.value for word in call.words[1:]}
    if "-a" in names:
        state.aliases = {}
    elif all(isinstance(name, str) for name in names) and not any(word.many for word in call.words):
        state.aliases = {name: text for name, text in state.aliases.items() if name not in names}
    else:
        state.aliases = dict.fromkeys(state.aliases)
    return None


def hash_(machine: Machine, call: Call, state: State) -> State | None:
    """`hash -p`, which says what a name means."""
    options = read_options(call.words, takes="p")
    path = options.argument("p")
    if path is not None or not options.sure:
        state.lookup = False
        machine.lasting(state, "the place of a program", call.span)
    for word in call.words[options.operands :]:
        if not isinstance(word.value, str) or not options.sure:
            machine.doubt("what a name of a program stands for is not known", call.span)
        elif path is not None:
            state.hashed = {**state.hashed, word.value: path}
    return None


def enable(machine: Machine, call: Call, state: State) -> State | None:
    """`enable`, which loads code and takes builtins away."""
    options = read_options(call.words, takes="f")
    file = options.argument("f")
    if file is not None:
        machine.runs_file("a builtin that is loaded from a file", file, state, call.span)
    if file is not None or options.operands < len(call.words):
        machine.doubt("`enable` changes which commands are builtins", call.span)
        state.lookup = False
    return None


def trap(machine: Machine, call: Call, state: State) -> State | None:
    """`trap`, whose text runs later."""
    options = read_options(call.words)
    operands = call.words[options.operands :]
    if options.given and options.sure:
        return None
    if not options.sure or any(word.many for word in operands):
        machine.doubt("the text of a trap is not known", call.span)
    elif len(operands) > 1 and operands[0].value not in ("", "-"):
        machine.spend(1 + (len(state.variables) >> 4))
        machine.traps.append((operands[0].value, state.fork(), len(machine.history), operands[0].span))
        if any(word.value not in ("EXIT", "0") for word in operands[1:]):
            run_any_time(machine, operands[0].value, state, operands[0].span)
    machine.lasting(state, "a trap", call.span)
    return None


def run_any_time(machine: Machine, text: Value, state: State, span: Span) -> None:
    """Run the text of a trap that may come between any two commands."""
    inner = state.fork()
    machine.text(text, inner, span)
    if not inner.same(state):
        machine.doubt("a trap may change variables or the directory between any two commands", span)
        state.doubt("a trap may have changed it")


def complete(machine: Machine, call: Call, state: State) -> State | None:
    """`compgen` and `complete`, which run or expand some of their arguments."""
    options = read_options(call.words, takes="oAGWFCXPS")
    if options.argument("C") is not None:
        machine.text(options.argument("C") or "", machine.subshell(state), call.span)
    if options.argument("W") is not None:
        machine.expand_text(options.argument("W") or "", state.fork(), call.span)
    if options.argument("F") is not None or not options.sure:
        machine.doubt("completion runs a function or something that is not known", call.span)
    return None


def _sign(value: Value) -> str:
    return value[:1] if isinstance(value, str) else value.prefix[:1]
