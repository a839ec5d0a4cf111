"""Options that every command of a program gets: `curl --max-time 30`."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from attrs import frozen

from ..errors import Veto
from ..kind import CommandText, Setting
from ..meaning.commands.entry import Entry
from ..meaning.commands.interpret import interpret
from ..meaning.commands.names import deny_names, fold_program
from ..meaning.commands.pattern_text import PatternError, read_words
from ..meaning.commands.spelled import Spelled, read_spelling
from ..meaning.commands.table import Table
from ..meaning.effects import Invocation
from ..meaning.scene import Scene
from ..meaning.shell.command import SimpleCommand, Word
from ..meaning.values import Value
from ..shown import quote
from .undoing import is_switched, undoes


class Wanted(NamedTuple):
    """One option under its canonical name, with its value where it takes one."""

    name: str
    value: Value | None
    spellings: tuple[str, ...] = ()


@frozen
class Forced:
    """Options that every command of one program, or of one of its subcommands, must have.

    `program` is its name as denies look it up, `text` the options as the rule spells them, and `names` what the model
    is told that they are for. `entry` names the program whose entry says what its options are.
    """

    program: str
    subcommand: tuple[str, ...]
    wanted: tuple[Wanted, ...]
    text: str
    names: str
    entry: str
    table: Table

    def added_to(self, text: CommandText, scene: Scene) -> str:
        """The text of a command with the options where they are missing, behind the program or its subcommand.

        The very same text comes back where none is. What was added is read again: only a text in which every command
        that is meant has the options is given back.

        Raises:
            Veto: A command that is meant does not stand there literally, has the option with another value or one
                that may undo it, or the text cannot be read.
        """
        if text.role != "command" or not isinstance(text.value, str):
            raise Veto(f"options can be added to the text of a command only, which {quote(text.pointer[1:])} is not")
        before = self._meant(text.value, text, scene)
        places = {self._place(one, text.value) for one in before if self._lacks(one)}
        if not places:
            return text.value
        changed = text.value
        for place in sorted(places, reverse=True):
            changed = f"{changed[:place]} {self.text}{changed[place:]}"
        after = self._meant(changed, text, scene)
        if len(after) != len(before) or any(self._lacks(one) for one in after):
            raise Veto(self._cannot(f"write it there yourself: {quote(f'{self.names} {self.text}')}"))
        return changed

    def _meant(self, changed: str, text: CommandText, scene: Scene) -> list[Spelled]:
        """The commands of the program in a text."""
        spelling = read_spelling(changed, text.shell, scene, self.table, persistent=text.persistent)
        if spelling.unread:
            raise Veto(self._cannot(f"whether {quote(self.names)} is run cannot be read ({spelling.unread})"))
        return [one for one in spelling.commands if self._means(one.invocation)]

    def _means(self, invocation: Invocation) -> bool:
        program = invocation.program
        if not isinstance(program, str) or self.program not in deny_names(program, self.table):
            return False
        own = invocation.subcommand[: len(self.subcommand)]
        if own != self.subcommand and not invocation.complete and own == self.subcommand[: len(own)]:
            raise Veto(self._cannot("which subcommand is run is not known"))
        return own == self.subcommand

    def _lacks(self, one: Spelled) -> bool:
        """Whether an option is missing; one with another value, and all that may undo it, are in the way."""
        invocation = one.invocation
        missing = False
        for wanted in self.wanted:
            there = [option for option in invocation.options if option.name == wanted.name]
            if any(not option.known or option.value != wanted.value for option in there):
                raise Veto(self._cannot(f"leave out {quote(wanted.name)}, or give it the value of {quote(self.text)}"))
            if wanted.value is None and any(is_switched(option, one.command.words) for option in there):
                raise Veto(self._cannot(f"the word behind {quote(wanted.name)} may be taken for its value"))
            missing = missing or not there
        self._refuse_undone(invocation)
        return missing

    def _refuse_undone(self, invocation: Invocation) -> None:
        """Refuse options that may undo those that are wanted, and words that may be such options."""
        names = {wanted.name for wanted in self.wanted}
        for option in invocation.options:
            if not option.known:
                raise Veto(self._cannot(f"leave out {quote(option.name)}, or spell it in full: it may undo them"))
            if option.name not in names and any(undoes(option, one.spellings, self.entry) for one in self.wanted):
                raise Veto(self._cannot(f"leave out {quote(option.name)}, which may undo them"))
        if not invocation.complete:
            raise Veto(self._cannot("a word that is not known may be an option that undoes them"))

    def _place(self, one: Spelled, text: str) -> int:
        """Where the options go: behind the program or its subcommand, which must stand there as it is."""
        words = one.command.words
        index = 0
        for name in self.subcommand:
            index = next((at for at in range(index + 1, len(words)) if words[at].value == name), 0)
        start, end = words[index].span
        if text[start:end] != words[index].value:
            raise Veto(self._cannot(f"{quote(self.names)} does not stand there as a plain word"))
        return end

    def _cannot(self, why: str) -> str:
        return f"{quote(self.text)} cannot be added to each {quote(self.names)}: {why}"


def compile_forced(options: Mapping[str, str], setting: Setting) -> Iterable[Forced]:
    """Read which options go to which programs; what is no option of the program is a problem."""
    for program, text in options.items():
        words = _words(program, text, setting)
        if words is None:
            continue
        command = SimpleCommand(tuple(Word(word, (0, 0)) for word in words), (), ("/",), (0, 0))
        invocation = interpret(command, Scene(cwd="/"), setting.table).invocation
        name = fold_program(words[0])
        wrong = _wrong(invocation, program, text, setting.table.entry(name))
        if wrong is not None:
            setting.problem(("options", program), "bad-value", *wrong)
            continue
        wanted = tuple(
            Wanted(option.name, option.value, (option.name, *option.spellings)) for option in invocation.options
        )
        spelled = shlex.join(words[len(program.split()) :])
        entry = setting.table.entry(name)
        declared = name if entry is None else entry.name
        yield Forced(name, invocation.subcommand, wanted, spelled, program, declared, setting.table)


def _wrong(invocation: Invocation, program: str, text: str, entry: Entry | None) -> tuple[str, str, str] | None:
    """What is wrong with the options of a program, why, and what to write."""
    undeclared = [option.name for option in invocation.options if invocation.modelled and not option.known]
    if undeclared:
        return f"{quote(program)} has no option {quote(undeclared[0])}", _WHY_UNDECLARED, _UNDECLARED
    if not invocation.options or invocation.operands or len(invocation.subcommand) != len(program.split()) - 1:
        return f"{quote(text)} is not only options of {quote(program)}", _WHY_OPTIONS, _OPTIONS
    if entry is not None and entry.syntax == "find":
        what = f"the options of {quote(program)} are tests and actions, whose order counts"
        return what, _WHY_OPTIONS, "write a rule of the kind `command`"
    return None


def _words(program: str, text: str, setting: Setting) -> list[str] | None:
    """The words of a program with options, where they are plain words."""
    try:
        words = [word.plain for word in read_words(f"{program} {text}")]
    except PatternError as bad:
        setting.problem(("options", program), "bad-pattern", bad.what, bad.why, bad.mend)
        return None
    plain = [word for word in words if word is not None and not word.startswith("~")]
    if len(plain) < len(words) or plain[: len(program.split())] != program.split() or "/" in program:
        what = f"{quote(f'{program} {text}')} is not spelled plainly"
        setting.problem(("options", program), "bad-value", what, "the words are added as they stand", _PLAIN)
        return None
    return plain


_WHY_UNDECLARED = "whether a command has the option could not be told"
_UNDECLARED = "write an option that the program's entry has, or add it under `[commands]`"
_WHY_OPTIONS = "what is added must be options of the program, wherever its operands stand"
_OPTIONS = 'write such as `curl = "--max-time 30"` or `"npm install" = "--ignore-scripts"`'
_PLAIN = "write the bare name of the program and plain words"
