"""The compiled form of an entry of the table: what one program's options and operands are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fnmatch import fnmatchcase
from typing import NamedTuple

from attrs import field, frozen

from ..effects import EffectKind

MOST_REMEMBERED = 1_024
TAKING_ALL = frozenset({"follow", "cmdline"})
"""Roles of options that take all words behind them."""

_LINKS = frozenset({"-H", "-L", "-P"})
"""What `find` has besides words with one dash: how it treats links."""


class Part(NamedTuple):
    """One thing that a word is to a program: `read`, `write={}.gz`, `code:awk`."""

    kind: str
    recursive: bool = False
    template: str | None = None
    argument: str = ""


class Role(NamedTuple):
    """Everything that a word is to a program; `name` as the entry spells it.

    `is_path` and `is_url` tell what the word itself is; `follow` that a symlink in its place is followed. `idle`
    tells that nothing is done to the word, `plain` names the one access that is all that is done to it, and `deep`
    that it reaches what lies beneath.
    """

    name: str
    parts: tuple[Part, ...]
    is_path: bool
    is_url: bool
    follow: bool
    idle: bool = False
    plain: EffectKind | None = None
    deep: bool = False


class Deed(NamedTuple):
    """Something that a program does whatever its operands are (`does = ["delete target recursive"]`).

    `recursive` is done to all that is beneath, `within` to something beneath of which nobody knows what it is.
    """

    kind: str
    targets: tuple[str, ...]
    recursive: bool
    within: bool
    force: bool


class Layout(NamedTuple):
    """The roles of operands by position: the first ones, the rest, the last ones.

    `tail` takes all words from its place on as they stand: a command line. `assigns` tells that `NAME=VALUE`
    words before it are variables. `plain` tells that roles do not depend on the number of operands, and that each
    is idle or one access to a path.
    """

    text: str
    first: tuple[Role, ...]
    rest: Role | None
    last: tuple[Role, ...]
    tail: Role | None
    assigns: bool
    plain: bool = False


class OptionSpec(NamedTuple):
    """One option in all its spellings.

    `layout` replaces the roles of operands, `adds` is done to each operand besides, `ends` stops the reading of
    options, `clear` empties the environment of what runs in turn. `acts` tells that there is an effect of its own.
    """

    name: str
    spellings: tuple[str, ...]
    role: Role | None = None
    harmless: bool = False
    recursive: bool = False
    force: bool = False
    layout: Layout | None = None
    adds: Role | None = None
    does: tuple[Deed, ...] = ()
    ends: bool = False
    clear: bool = False
    acts: bool = False


class Flags(NamedTuple):
    """What one word of options comes to: some without a value, and perhaps one whose value is the next word.

    `acts` tells that one of them has an effect of its own, `marks` that one says something of the command: a layout,
    recursive, force, or that it is not declared harmless.
    """

    specs: tuple[OptionSpec, ...]
    valued: OptionSpec | None
    ends: bool
    acts: bool
    marks: bool


class Hit(NamedTuple):
    """What one spelling stands for: the option, and how many words it takes.

    `takes` is -1 for an optional value, which must be attached; `which` of the words has the option's role.
    """

    spec: OptionSpec
    takes: int
    which: int = 0


class Meaning(NamedTuple):
    """What the value of a variable or config key is to a program."""

    role: Role | None
    harmless: bool


class Keys(NamedTuple):
    """Variables or config keys: exact names, and globs in their order."""

    exact: Mapping[str, Meaning]
    globs: tuple[tuple[str, Meaning], ...]

    def get(self, name: str) -> Meaning | None:
        """What *name* is, or `None` where the entry does not declare it."""
        found = self.exact.get(name)
        if found is None:
            for glob, meaning in self.globs:
                if fnmatchcase(name, glob):
                    return meaning
        return found


class Commands:
    """The subcommands of a program, each compiled when it is first met.

    `canonical` leads from every spelling to the name under which the entry stands.
    """

    __slots__ = ("_compile", "_compiled", "abbreviates", "canonical", "globs")

    def __init__(
        self,
        canonical: Mapping[str, str],
        globs: tuple[str, ...],
        compile_: Callable[[str, Entry], Entry],
        *,
        abbreviates: bool,
    ) -> None:
        self.canonical = canonical
        self.globs = globs
        self.abbreviates = abbreviates
        self._compile = compile_
        self._compiled: dict[str, Entry] = {}

    def find(self, word: str, parent: Entry) -> tuple[str, Entry] | None:
        """The canonical name and entry of *parent*'s subcommand *word*, or `None` where there is none."""
        name = self.canonical.get(word)
        if name is None and self.abbreviates:
            starts = {full for spelled, full in self.canonical.items() if spelled.startswith(word)}
            name = starts.pop() if len(starts) == 1 else None
        if name is not None:
            return name, self.entry(name, parent)
        for glob in self.globs:
            if fnmatchcase(word, glob):
                return word, self.entry(glob, parent)
        return None

    def entry(self, name: str, parent: Entry) -> Entry:
        """The entry of the subcommand whose canonical name or glob is *name*."""
        entry = self._compiled.get(name)
        if entry is None:
            entry = self._compiled[name] = self._compile(name, parent)
        return entry


@frozen(eq=False)
class Entry:
    """What the table says of one program, or of one subcommand of it.

    Attributes:
        name: The program and its subcommands, with blanks between.
        syntax: How the program reads its words, one of `SYNTAXES`.
        abbreviates: Whether a long option may be cut short as long as it is unambiguous.
        shorts: Options of one dash and one letter, by letter.
        longs: All others, by their whole spelling.
        number: What `-5` stands for, if anything.
        plus: What a word that starts with `+` is, if it is an option.
        default: The operand that is meant where there is none.
        default_command: The subcommand that is meant where there is none.
        anywhere: Whether the options of the parent may stand after the subcommand too.
        harmless: Whether a grant for the parent with ` ...` admits this subcommand.
        wrapper: Whether running it adds nothing to what it runs in turn.
        place: `remote` or `container` where what it runs in turn runs there.
        stdin: What its standard input is where no operand says otherwise.
        special: The name of what cannot be said in the table and is done in code.
        bases: The entries whose options count here: itself, and its parents where they say so.
        stops: Whether options end at the first operand.
        plain: Whether operands may be text, or a path to which one thing is done, and nothing but that.
        known_flags: What `flags` said of words that it was asked about.
    """

    name: str
    parent: Entry | None
    syntax: str
    abbreviates: bool
    shorts: Mapping[str, Hit]
    longs: Mapping[str, Hit]
    number: OptionSpec | None
    plus: OptionSpec | None
    layout: Layout
    default: str | None
    recursive: bool
    force: bool
    does: tuple[Deed, ...]
    variables: Keys
    config: Keys
    commands: Commands | None
    default_command: str | None
    anywhere: bool
    harmless: bool
    wrapper: bool
    place: str | None
    stdin: Role | None
    special: str | None
    bases: tuple[Entry, ...] = field(init=False)
    stops: bool = field(init=False)
    plain: bool = field(init=False)
    known_flags: dict[str, Flags] = field(init=False, factory=dict)

    @stops.default
    def _stops(self) -> bool:
        return self.syntax in ("first", "single-first")

    @plain.default
    def _plain(self) -> bool:
        if self.layout.plain or self.commands is not None or not self.layout.text:
            return True
        hits = (*self.shorts.values(), *self.longs.values())
        return any(hit.spec.layout is not None and hit.spec.layout.plain for hit in hits)

    @bases.default
    def _bases(self) -> tuple[Entry, ...]:
        if self.parent is not None and self.parent.anywhere:
            return (self, *self.parent.bases)
        return (self,)

    def short(self, letter: str) -> Hit | None:
        """What the option `-`*letter* is, or `None` where nobody declares it."""
        for entry in self.bases:
            hit = entry.shorts.get(letter)
            if hit is not None:
                return hit
        return None

    def long(self, spelling: str) -> Hit | None:
        """What the option spelled in full is, or `None` where nobody declares it."""
        for entry in self.bases:
            hit = entry.longs.get(spelling)
            if hit is not None:
                return hit
        return None

    def flags(self, word: str) -> Flags | None:
        """What a word of declared options comes to, `None` where it is not as simple as that.

        Remembered, since people write the same few options again and again.
        """
        known = self.known_flags.get(word)
        if known is None:
            known = self._read_flags(word)
            if known is not None and len(self.known_flags) < MOST_REMEMBERED:
                self.known_flags[word] = known
        return known

    def _read_flags(self, word: str) -> Flags | None:
        letters = () if word.startswith("--") or (self.syntax == "find" and word not in _LINKS) else word[1:]
        hits = [self.short(letter) for letter in letters] if letters else [self.long(word)]
        specs: list[OptionSpec] = []
        for index, hit in enumerate(hits):
            last = index == len(hits) - 1
            if hit is None or (hit.spec.ends and not last):
                return None
            if hit.takes == 1 and last and not (hit.spec.role and hit.spec.role.parts[0].kind in TAKING_ALL):
                return flags_of(specs, hit.spec, ends=hit.spec.ends)
            if hit.takes not in (0, -1) or (hit.takes < 0 and not last):
                return None
            specs.append(hit.spec)
        return flags_of(specs, None, ends=bool(specs) and specs[-1].ends)

    def variable(self, name: str) -> Meaning | None:
        """What the environment variable *name* is to the program, or `None` where the table does not say."""
        entry: Entry | None = self
        while entry is not None:
            meaning = entry.variables.get(name)
            if meaning is not None:
                return meaning
            entry = entry.parent
        return None

    def config_key(self, name: str) -> Meaning | None:
        """What the config key *name* is to the program, or `None` where the table does not say."""
        entry = self
        while entry.parent is not None:
            entry = entry.parent
        return entry.config.get(name)


def flags_of(specs: list[OptionSpec], valued: OptionSpec | None, *, ends: bool) -> Flags:
    """What a word comes to that is made of *specs* and *valued*."""
    every = (*specs, valued) if valued is not None else tuple(specs)
    marks = any(spec.layout or spec.recursive or spec.force or not spec.harmless for spec in every)
    return Flags(tuple(specs), valued, ends, any(spec.acts for spec in every), marks)
