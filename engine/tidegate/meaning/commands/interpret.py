"""What one simple command does, by the entry of its program."""

from __future__ import annotations

from collections.abc import Mapping

from ..effects import Effect, Operand, Option
from ..scene import Scene
from ..shell.command import Feed, Heard, Reading, SimpleCommand
from ..values import Value, shown
from .arranging import arrange, url_of
from .deeds import deed_effect
from .entry import Deed, Entry, OptionSpec, Role
from .grammars import sort_words
from .names import fold_program, program_name
from .plain_reading import read_plain
from .possible_options import say_if_acting, say_if_options, say_if_recursive
from .printed import printed
from .roles import ROLES, STREAMED, STREAMS, read_stdin
from .roles_archives import ARCHIVE_ROLES
from .roles_finding import FINDING_ROLES
from .roles_git import GIT_ROLES, read_git
from .roles_network import NETWORK_ROLES
from .roles_renaming import RENAMING_ROLES
from .roles_running import RUNNING_ROLES
from .run import Handler, Item, Run
from .sorting import Found
from .table import Table
from .text import known_start
from .unmodelled import read_unmodelled

# The constructor of a named tuple costs four times as much as the tuple itself.
_new = tuple.__new__
_UNDECLARED = frozenset({"text", "unknown"})
_PLAIN = frozenset({"text", "pattern", "code"})
HANDLERS: Mapping[str, Handler] = {
    **ROLES,
    **ARCHIVE_ROLES,
    **FINDING_ROLES,
    **GIT_ROLES,
    **NETWORK_ROLES,
    **RENAMING_ROLES,
    **RUNNING_ROLES,
}


def interpret(command: SimpleCommand, scene: Scene, table: Table) -> Reading:
    """Sort the words of *command* by its program's entry and say what it does.

    The first effect is its `exec`. What it runs in turn is handed back as `nested`, never followed here. A word
    that is not known is unknown in every effect that depends on it; a program without an entry is one `code`
    effect, and a `mention` for every operand and option value.

    The `exec` of a wrapper that adds nothing of its own (`timeout 5 …`, `sh -c …`) is `inherent`: no grant needs to
    cover it, because what it runs has effects of its own.

    Pure: everything outside of the arguments comes from `scene.files`.
    """
    program = program_name(command[0][0][0])
    if not isinstance(program, str):
        return read_unmodelled(command, scene, table.common, program)
    entry = table.entry(program)
    if entry is not None:
        reading = read_plain(command, scene, program, entry)
        return _read(command, scene, table, program, entry, modelled=True) if reading is None else reading
    entry = table.entry(fold_program(program))
    if entry is None:
        return read_unmodelled(command, scene, table.common, program)
    return _read(command, scene, table, program, entry, modelled=False)


class _Run(Run):
    """A reading with every handler of roles."""

    handlers = HANDLERS


def _read(command: SimpleCommand, scene: Scene, table: Table, program: str, entry: Entry, *, modelled: bool) -> Reading:
    sorted_ = sort_words(entry, command.words[1:])
    return _read_whole(_Run(command, scene, program, sorted_), table, entry, modelled=modelled)


def _read_whole(run: Run, table: Table, entry: Entry, *, modelled: bool) -> Reading:
    """The long way to read a command, which knows every role."""
    command = run.command
    arrange(run, modelled=modelled)
    _say_exec(run, entry)
    if run.entry.does:
        _say_deeds(run, run.entry.does, Item("", command.span))
    if run.words:
        _say_operands(run)
        if not run.sorted.complete and (len(run.words) > 1 or run.words[0].many):
            say_if_options(run)
            say_if_recursive(run)
        if not run.sorted.complete:
            say_if_acting(run)
    elif run.entry.default is not None or run.entry.stdin is not None:
        _say_without_operands(run)
    for found, option in zip(run.sorted.options, run.options, strict=True):
        _say_option(run, found, option)
    for name, value in command.variables:
        _say_variable(run, table, name, value)
    if entry.special == "git":
        read_git(run)
    if not modelled:
        run.code(f"the program `{run.program}`, which only looks like one that is known", Item("", command.span))
    reading = (run.invocation, tuple(run.effects), tuple(run.nested))
    if command.heard:
        return _new(Heard, (*reading, Feed(printed, run.program, command, run.sorted, run.operands)))
    return _new(Reading, (*reading, None))


def _say_exec(run: Run, entry: Entry) -> None:
    adds_nothing = entry.wrapper and all(
        found.spec is not None and found.exact and found.spec.harmless for found in run.sorted.options
    )
    by = run.invocation
    command = run.command
    marks = (False, False, by, None, adds_nothing, False, command.place, True)
    run.effects.append(_new(Effect, ("exec", by, command.source, command.span, *marks)))


def _say_operands(run: Run) -> None:
    words, tail = run.words, run.layout.tail
    undeclared = run.sorted.undeclared
    for index, (operand, role) in enumerate(zip(run.operands, run.roles, strict=True)):
        if tail is not None and role is not tail and set(tail.parts) <= set(role.parts):
            # A word before it may be several or none: what follows may begin here already.
            run.apply(tail, Item(words[index].value, words[index].span, words=words[index:], position=index))
        if (role.idle or role.plain is not None) and (undeclared is None and run.entry.commands is None):
            if role.plain is not None and operand.path is not None:
                _say_plain(run, role, operand)
        elif role is tail:
            for start in range(index, min(index + _doubts(run), len(words) - 1) + 1):
                run.apply(role, Item(words[start].value, words[start].span, words=words[start:], position=start))
            return
        elif index == 0 and run.entry.commands is not None and not isinstance(operand.value, str):
            item = Item(operand.value, operand.span, inherent=False)
            run.say("unknown", f"which subcommand of `{run.entry.name}` runs is not known", item)
        elif index == 0 and undeclared is not None and role.parts[0].kind in _UNDECLARED:
            name = undeclared
            item = Item(name, operand.span, option=name, inherent=False)
            run.code(f"the subcommand `{name}`, which the entry of `{run.entry.name}` does not know", item)
        else:
            value, _, span, _, path, url = operand
            run.apply(role, _new(Item, (value, span, path, url, None, True, (), index)))


def _say_plain(run: Run, role: Role, operand: Operand) -> None:
    """The one access to a path that an operand stands for, said without detours."""
    value, _, span, _, path, _ = operand
    if value in STREAMS and role.plain in STREAMED:
        return
    deep = role.deep or run.recursive
    by = run.invocation
    effect = (role.plain, path, run.command.source, span, deep, run.force, by, None, True, False, by.place, True)
    run.effects.append(_new(Effect, effect))


def _doubts(run: Run) -> int:
    """How many words further on a command line could begin: an unknown option may take one, or be one with a value."""
    if run.sorted.complete:
        return 0
    reach = 0
    for index, word in enumerate(run.words):
        if index > reach:
            break
        if isinstance(word.value, str):
            option = index > 0 and len(word.value) > 1 and word.value[0] == "-"  # if a word before it is one, so is it
        else:
            option = known_start(word.value) in ("", "-")
        if option:
            reach = index + 2
    return reach + sum(found.spec is None and found.value is None for found in run.sorted.options)


def _say_without_operands(run: Run) -> None:
    """What the program does where no operand says on what."""
    entry = run.entry
    item = Item("", run.command.span)
    role = run.layout.rest or (run.layout.first[0] if run.layout.first else None)
    if entry.default is not None and role is not None:
        path = run.resolve(entry.default) if role.is_path else None
        run.apply(role, item._replace(value=entry.default, path=path))
    elif run.layout.tail is not None or run.entry.layout.tail is not None:
        if run.command.stdin is not None or entry.stdin == entry.layout.tail:
            read_stdin(run, item)
    elif run.layout is entry.layout:
        read_stdin(run, item)


def _say_option(run: Run, found: Found, option: Option) -> None:
    spec = found.spec
    if spec is None:
        item = Item(option.value or "", option.span, option=option.name, inherent=False)
        run.code(f"the option `{option.name}`, which the entry of `{run.entry.name}` does not know", item)
        if option.value is not None:
            run.mention(item)
        return
    if not found.exact:
        item = Item("", option.span, option=option.name, inherent=False)
        run.code(f"the option `{shown(found.word.value)}`, which is not spelled as the entry spells it", item)
    if not spec.acts:
        return
    item = Item(option.value or "", option.span, option.path, option.url, spec.name, spec.harmless, found.words)
    if spec.role is not None and (option.value is not None or found.words):
        run.apply(spec.role, item)
    if spec.adds is not None:
        _add_to_operands(run, spec, spec.adds)
    _say_deeds(run, spec.does, item)


def _add_to_operands(run: Run, spec: OptionSpec, role: Role) -> None:
    """What an option has done to every operand besides."""
    for index, (operand, own) in enumerate(zip(run.operands, run.roles, strict=True)):
        if own.parts[0].kind not in _PLAIN:
            value, _, span, _, path, url = operand
            run.apply(role, Item(value, span, path, url, spec.name, spec.harmless, position=index))
    if not run.operands and run.entry.default is not None:
        value = run.entry.default
        run.apply(role, Item(value, run.command.span, run.resolve(value), None, spec.name, spec.harmless))


def _say_deeds(run: Run, deeds: tuple[Deed, ...], item: Item) -> None:
    name, by = run.entry.name, run.invocation
    marks, source = (run.recursive, run.force), run.command.source
    for deed in deeds:
        if deed.kind == "stdin":
            read_stdin(run, item)
        else:
            effect = deed_effect(
                deed, name, by, run.resolve, option=item.option, inherent=item.inherent, marks=marks, source=source
            )
            run.effects.append(effect if item.option is None else effect._replace(span=item.span))


def _say_variable(run: Run, table: Table, name: str, value: Value) -> None:
    """An environment variable: harmless where the table says so, else code under its name."""
    meaning = run.entry.variable(name) or table.common.get(name)
    if meaning is not None and meaning.harmless:
        return
    item = Item(value, run.command.span, option=f"{name}=", inherent=False)
    run.code(f"what the variable `{name}` makes of `{run.program}`", item)
    if meaning is not None and meaning.role is not None:
        role = meaning.role
        path = run.resolve(value) if role.is_path else None
        run.apply(role, item._replace(path=path, url=url_of(role, value) if role.is_url and value != "" else None))
