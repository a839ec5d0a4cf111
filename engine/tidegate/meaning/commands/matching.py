"""One simple command of a pattern against an invocation: widely for a deny, exactly for a grant."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from ..effects import Invocation, Operand, Option
from ..tri import Tri, Unknown, all_of, any_of
from ..values import Hole, Partial, Plain, Value
from .entry import Entry, OptionSpec
from .names import deny_names
from .operand_runs import both, contains, equals
from .pattern_parts import MANY, Compare, OperandPattern, OptionPattern, TextPattern, VariablePattern
from .table import Table
from .text import cut

_NOWHERE = frozenset({"-", "/dev/null", "/dev/stdout", "/dev/stderr"})
_REST = OperandPattern(TextPattern(MANY))


@frozen(eq=False)
class Shape:
    """What a pattern says of one simple command.

    `program` is its exact name, `None` where it is a glob; `path` the path of the program, where one is written.
    `open` tells that further operands and harmless options are admitted (` ...`). `dashes` is the number of
    operands before `--`, where the program takes what follows for paths. `ordered` tells that the order of
    options matters (`find`).
    """

    program: str | None
    names: TextPattern
    path: str | None
    entry: Entry | None
    subcommand: tuple[str, ...]
    options: tuple[OptionPattern, ...]
    operands: tuple[OperandPattern, ...]
    variables: tuple[VariablePattern, ...]
    open: bool
    dashes: int | None
    ordered: bool
    table: Table

    def denies(self, invocation: Invocation, compare: Compare) -> Tri:
        """Whether the command does at least this; unknown where words that are not known could make it so."""
        answer = self._names_program(invocation)
        if answer is False:
            return False
        rest = invocation.subcommand[len(self.subcommand) :]
        if invocation.subcommand[: len(self.subcommand)] != self.subcommand:
            if invocation.complete or not self._could_be_subcommand(invocation):
                return False
            answer = both(answer, Unknown("which subcommand it is, is not known"))
        for option in self.options:
            answer = both(answer, self._has_option(option, invocation, compare))
            if answer is False:
                return False
        if self.operands:
            operands = (*_as_operands(rest), *invocation.operands)
            answer = both(answer, contains(self.operands, operands, lambda own, each: own.denies(each, compare)))
        if self.dashes is not None and "--" not in invocation.words:
            answer = both(answer, self._may_have_dashes(invocation))
        return both(answer, self._has_variables(invocation))

    def grants(self, invocation: Invocation, compare: Compare) -> Tri:
        """Whether the command is exactly this, here, by a trusted name, with nothing that is not known."""
        if invocation.place.kind != "local" or not self._is_program(invocation):
            return False
        if invocation.subcommand[: len(self.subcommand)] != self.subcommand:
            return False
        rest = invocation.subcommand[len(self.subcommand) :]
        answers = [
            True if invocation.complete else Unknown("a word that is not known may be an option"),
            self._admits_variables(invocation),
            self._admits_options(invocation, compare),
            self._admits_operands(invocation, rest, compare),
        ]
        return all_of(answers)

    def covered(self) -> Iterator[str]:
        """The names of options, variables and words under which effects that come of them are covered."""
        for option in self.options:
            yield option.name
        for variable in self.variables:
            yield f"{variable.name}="
        for operand in self.operands:
            if operand.text.plain is not None:
                yield operand.text.plain

    def _names_program(self, invocation: Invocation) -> Tri:
        program = invocation.program
        if not isinstance(program, str):
            return self.names.match(program)
        if self.program is None:
            return any_of(self.names.match(name) for name in (program, *deny_names(program, self.table)))
        return self.program == program or self.program in deny_names(program, self.table)

    def _could_be_subcommand(self, invocation: Invocation) -> bool:
        """Whether the subcommand is among the words, behind some of which nothing is known."""
        words = (*invocation.subcommand, *(operand.value for operand in invocation.operands))
        left = list(self.subcommand)
        for word in words:
            if left and (word == left[0] or isinstance(word, Partial)):
                left.pop(0)
        return not left or any(operand.many for operand in invocation.operands)

    def _has_option(self, option: OptionPattern, invocation: Invocation, compare: Compare) -> Tri:
        answer = any_of(option.match(each, compare, grant=False) for each in invocation.options)
        if answer is False and not invocation.complete and _may_hide(option, invocation):
            return Unknown(f"a word that is not known may be `{option.name}`")
        return answer

    def _may_have_dashes(self, invocation: Invocation) -> Tri:
        unknown = any(isinstance(word, Partial) for word in invocation.words)
        return Unknown("a word that is not known may be `--`") if unknown and not invocation.complete else False

    def _has_variables(self, invocation: Invocation) -> Tri:
        return all_of(
            any_of(own.value.match(value) for name, value in invocation.variables if name == own.name)
            for own in self.variables
        )

    def _is_program(self, invocation: Invocation) -> bool:
        if self.path is not None:
            # Which program a relative path is depends on the working directory.
            return self.path.startswith("/") and invocation.path == self.path
        return invocation.bare and invocation.program == self.program

    def _admits_variables(self, invocation: Invocation) -> Tri:
        return all_of(self._admits_variable(name, value) for name, value in invocation.variables)

    def _admits_variable(self, name: str, value: Value) -> Tri:
        named = any_of(own.value.match(value) for own in self.variables if own.name == name)
        if named is not False:
            return named
        meaning = self.entry.variable(name) if self.entry is not None else None
        meaning = meaning or self.table.common.get(name)
        return meaning is not None and meaning.harmless

    def _admits_options(self, invocation: Invocation, compare: Compare) -> Tri:
        given = invocation.options
        if self.ordered and not (self.open and all(self._is_harmless(option, invocation) for option in given)):
            if len(given) != len(self.options):
                return False
            pairs = zip(self.options, given, strict=True)
            return all_of(own.match(option, compare, grant=True) for own, option in pairs)
        there = all_of(any_of(own.match(option, compare, grant=True) for option in given) for own in self.options)
        return both(there, all_of(self._admits_option(option, invocation, compare) for option in given))

    def _admits_option(self, option: Option, invocation: Invocation, compare: Compare) -> Tri:
        if (
            not option.known
            and self.entry is not None
            and invocation.subcommand == self.subcommand
            and self._declares()
        ):
            return False
        named = any_of(own.match(option, compare, grant=True) for own in self.options)
        return named if named is not False else self.open and self._is_harmless(option, invocation)

    def _declares(self) -> bool:
        """Whether the entry says what the options are; not so for a subcommand that it does not know."""
        entry = self.entry
        return entry is not None and (entry.commands is None or not self.operands)

    def _is_harmless(self, option: Option, invocation: Invocation) -> bool:
        """Whether the entry calls the option harmless; for a program without one, its doing is code anyway."""
        entry = self._innermost(invocation.subcommand)
        if entry is None:
            return self.entry is None
        if option.spellings == (option.name,) and entry.syntax in ("service", "find") and option.known:
            found = find_spec(entry, option)
            return found is None or found.harmless
        spec = find_spec(entry, option)
        if spec is None:
            return not self._declares()
        return spec.harmless or _does_nothing(entry, spec, option)

    def _innermost(self, subcommand: tuple[str, ...]) -> Entry | None:
        entry = self.table.entry(self.program) if self.program is not None else None
        for name in subcommand:
            found = entry.commands.find(name, entry) if entry is not None and entry.commands is not None else None
            entry = found[1] if found is not None else None
        return entry

    def _admits_operands(self, invocation: Invocation, rest: tuple[str, ...], compare: Compare) -> Tri:
        if self.dashes != _dashes(invocation) and (self.dashes is not None or self._minds_dashes(invocation)):
            return False
        patterns = (*self.operands, _REST) if self.open else self.operands
        if rest and self.open and not self.operands:
            entry = self._innermost(invocation.subcommand[: len(self.subcommand) + 1])
            if entry is None or not entry.harmless:
                return False
        operands = (*_as_operands(rest), *invocation.operands)
        return equals(patterns, operands, lambda own, each: _grants_operand(own, each, compare))

    def _minds_dashes(self, invocation: Invocation) -> bool:
        return self.program == "git" and _dashes(invocation) is not None


def _grants_operand(own: OperandPattern, operand: Operand, compare: Compare) -> Tri:
    """One operand against one of the pattern; text that nobody knows is not read, so not granted."""
    value = operand.value
    if isinstance(value, Partial) and Hole.ANY in value.parts and operand.path is None and operand.url is None:
        return Unknown(value.reason)
    return True if own.many else own.grants(operand, compare)


def _as_operands(names: tuple[str, ...]) -> tuple[Operand, ...]:
    return tuple(Operand(name, "text", (0, 0)) for name in names)


def _dashes(invocation: Invocation) -> int | None:
    """How many operands stand before `--`."""
    if "--" not in invocation.words:
        return None
    behind = len(invocation.words) - invocation.words.index("--") - 1
    return len(invocation.operands) - behind


def _may_hide(option: OptionPattern, invocation: Invocation) -> bool:
    """Whether a word that is not known in full could be the option, or become several words with it."""
    if any(_splits(operand) for operand in invocation.operands):
        return True
    words = invocation.words[1 : invocation.words.index("--") if "--" in invocation.words else None]
    partial = [
        word for word in words if isinstance(word, Partial) and not (isinstance(word, Plain) and not word.prefix)
    ]
    if any(option.could_be(word) for word in partial):
        return True
    values = (each.value for each in invocation.options if isinstance(each.value, Partial))
    return any(Hole.ANY in value.parts for value in values)


def _splits(operand: Operand) -> bool:
    return operand.many and (not isinstance(operand.value, Partial) or Hole.ANY in operand.value.parts)


def find_spec(entry: Entry, option: Option) -> OptionSpec | None:
    """What the entry, or one of its parents, declares under the spellings of *option*."""
    level: Entry | None = entry
    while level is not None:
        for hits in (level.longs, level.shorts):
            for hit in hits.values():
                if hit.spec.name == option.name and hit.spec.spellings == option.spellings:
                    return hit.spec
        level = level.parent
    return None


def _does_nothing(entry: Entry, spec: OptionSpec, option: Option) -> bool:
    """Whether the value of an option makes it harmless: output to nowhere, a config key that is harmless."""
    kind = spec.role.parts[0].kind if spec.role is not None else ""
    if kind == "write" and spec.adds is None and not spec.does and spec.layout is None:
        return option.value in _NOWHERE
    if kind == "config" and option.value is not None:
        key = cut(option.value, "=")
        meaning = entry.config_key(key[0].strip().lower()) if key is not None else None
        return meaning is not None and meaning.harmless
    return False
