"""Programs without an entry, and programs that are not known at all."""

from __future__ import annotations

from ..effects import CodeTarget, Effect, Invocation, Mention, Operand, Option
from ..paths import resolve
from ..scene import Scene
from ..shell.command import Nested, Reading, SimpleCommand, Word
from ..values import Value
from .arranging import url_of
from .entry import Keys
from .run import described, mentioned_url
from .text import cut, known_start


def read_unmodelled(command: SimpleCommand, scene: Scene, common: Keys, program: Value) -> Reading:
    """Say of a program without an entry that it is code, and what its words mention.

    A word that begins with a dash is taken for an option, up to `--`; nobody knows which of them take a value.
    """
    options, operands, complete = _sort(command.words[1:])
    path = command.words[0].value
    invocation = Invocation(
        program,
        path,
        tuple(word.value for word in command.words),
        (),
        options,
        operands,
        command.variables,
        command.wrappers,
        path == program and command.lookup and not any(name == "PATH" for name, _ in command.variables),
        complete,
        modelled=False,
        place=command.place,
        span=command.span,
    )
    effects = [Effect("exec", invocation, span=command.span, by=invocation, place=command.place)]
    effects.append(_code(command, scene, invocation, program))
    said = [*((operand.value, operand.span) for operand in operands)]
    said += [(option.value, option.span) for option in options if option.value is not None]
    for value, span in said:
        target = Mention(value, resolve(value, command.cwds, scene), mentioned_url(value))
        effects.append(Effect("mention", target, span=span, by=invocation, inherent=True, place=command.place))
    nested: list[Nested] = []
    for name, value in command.variables:
        meaning = common.get(name)
        if meaning is not None and meaning.harmless:
            continue
        what = CodeTarget(f"what the variable `{name}` makes of {described(program)}")
        effects.append(Effect("code", what, span=command.span, by=invocation, option=f"{name}=", place=command.place))
        role = meaning.role if meaning is not None else None
        if role is not None and role.name == "exec":
            nested.append(Nested("shell", text=value, place=command.place, span=command.span))
        elif role is not None and role.is_url and value != "":
            reached = url_of(role, value)
            effects.append(
                Effect("connect", reached, span=command.span, by=invocation, option=f"{name}=", place=command.place)
            )
    return Reading(invocation, tuple(effects), tuple(nested))


def _code(command: SimpleCommand, scene: Scene, invocation: Invocation, program: Value) -> Effect:
    """The program itself as code, or as unknown where it is not known which it is."""
    if not isinstance(program, str):
        reason = f"which program {described(program)} is, is not known: {program.reason}"
        return Effect("unknown", reason, span=command.span, by=invocation, place=command.place)
    word = command.words[0].value
    paths = (resolve(word, command.cwds, scene),) if isinstance(word, str) and "/" in word else ()
    what = CodeTarget(f"the program {described(word)}, which has no entry in the table of commands", paths)
    return Effect("code", what, span=command.span, by=invocation, inherent=True, place=command.place)


def _sort(words: tuple[Word, ...]) -> tuple[tuple[Option, ...], tuple[Operand, ...], bool]:
    options: list[Option] = []
    operands: list[Operand] = []
    complete = True
    ended = False
    for word in words:
        start = known_start(word.value)
        if not ended and word.value == "--":
            ended = True
        elif not ended and start[:1] == "-" and len(start) > 1:
            halves = cut(word.value, "=")
            name = halves[0] if halves is not None else start
            options.append(Option(name, halves[1] if halves is not None else None, word.span, known=False))
            complete = complete and (halves is not None or isinstance(word.value, str))
        else:
            if not ended and not isinstance(word.value, str) and (start in ("", "-") or (word.many and not word.glob)):
                complete = False
            operands.append(Operand(word.value, "unknown", word.span, word.many))
    return tuple(options), tuple(operands), complete
