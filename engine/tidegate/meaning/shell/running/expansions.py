"""Words as they are written become words as programs see them."""

from __future__ import annotations

from ...effects import LOCAL
from ...listings import whole_names
from ...values import Hole, Listing, Partial, Value, concat, unknown
from ..command import Word
from ..parsing.syntax import (
    Arithmetic,
    Extglob,
    Literal,
    Missing,
    Parameter,
    Part,
    Process,
    Quoted,
    RawWord,
    Sequence,
    Substitution,
    Unread,
    Variable,
)
from .braces import TooMany, expand_braces
from .fields import Fields
from .held import LONGEST, Absence
from .state import State
from .tildes import Tildes

_MATCHING_MORE = ("dotglob", "nullglob")
"""Options under which a pattern matches hidden names, or may be no word at all."""


class Expansions(Tildes):
    """Expands words."""

    __slots__ = ()

    def words(self, raw: RawWord, state: State) -> list[Word]:
        """The words that *raw* becomes."""
        if raw.text is not None:
            return [Word(raw.text, (raw.start, raw.end))]
        self.spend(1 + len(raw.parts))
        if all(map(_is_one_text, raw.parts)):
            return [Word(self.joined_parts(raw.parts, state), (raw.start, raw.end))]
        expanded: list[Word] = []
        for parts in self.without_braces(raw, state):
            fields = self.fields((raw.start, raw.end), state)
            try:
                self.fill(fields, parts, state)
                expanded.extend(fields.words())
            except OverflowError:
                expanded.append(Word(unknown("the words are too many to count"), (raw.start, raw.end), many=True))
        self.spend(len(expanded))
        return expanded

    def without_braces(self, raw: RawWord, state: State) -> list[tuple[Part, ...]]:
        """The words that brace expansion makes of *raw*."""
        if not any(type(part) is Literal and "{" in part.text for part in raw.parts):
            return [raw.parts]
        if self.posix or state.options.get("braceexpand", True) is False:
            return [raw.parts]
        try:
            expanded = expand_braces(raw.parts)
        except TooMany:
            return [(Missing(quoted=False),)]
        if len(expanded) > 1:
            self.bashism = True
            self.spend(len(expanded))
        return expanded

    def fields(self, span: tuple[int, int], state: State) -> Fields:
        """Where the pieces of a word go that stands at *span*."""
        options = state.options
        return Fields(
            span,
            self.separators(state),
            globbing=options.get("noglob", False) is not True,
            globstar=options.get("globstar", False) is not False,
            hidden=any(options.get(name, False) is not False for name in _MATCHING_MORE)
            or "GLOBIGNORE" in state.variables,
        )

    def fill(self, fields: Fields, parts: tuple[Part, ...], state: State, *, split: bool = False) -> None:
        """Expand *parts* into *fields*; with *split*, their unquoted text is the result of an expansion itself."""
        for place, part in enumerate(parts):
            if isinstance(part, Quoted):
                fields.add(part.text, active=False)
            elif isinstance(part, Literal):
                self.fill_literal(fields, parts, place, state, split=split)
            elif isinstance(part, Extglob):
                self.fill_pattern(fields, part, state)
            else:
                self.fill_expansion(fields, part, state, alone=len(parts) == 1)

    def fill_literal(self, fields: Fields, parts: tuple[Part, ...], place: int, state: State, *, split: bool) -> None:
        """Go on with unquoted text, which may begin with a tilde."""
        part = parts[place]
        assert isinstance(part, Literal)  # noqa: S101 the caller looked
        text = part.text
        if "~" in text and place == 0:
            for value, literal in self.tildes(text, state, alone=len(parts) == 1):
                if literal:
                    fields.add(value, active=True)
                else:
                    fields.add(value, active=False)
        elif split:
            fields.expand(text)
        else:
            fields.add(text, active=True)

    def fill_pattern(self, fields: Fields, part: Extglob, state: State) -> None:
        """Go on with `@(…)`, whose parts are expanded although nobody looks at the result."""
        for inner in part.parts:
            if type(inner) is Extglob:
                self.fill_pattern(fields, inner, state)
            elif not isinstance(inner, Literal | Quoted):
                self.part_value(inner, state)
        slashes = any("/" in inner.text if isinstance(inner, Literal | Quoted) else True for inner in part.parts)
        fields.match(slashes=slashes)

    def fill_expansion(self, fields: Fields, part: Part, state: State, *, alone: bool = False) -> None:
        """Go on with the result of an expansion; *alone* it is the whole word."""
        if type(part) is Missing:
            if part.value is not None:
                fields.add(part.value, active=False)
            elif part.quoted:
                fields.add(unknown("a part of the text is not known"), active=False)
            else:
                fields.unknown_number("a part of the text is not known")
            return
        if isinstance(part, Variable | Parameter):
            several = self.several(part, state)
            if several is not None:
                self.fill_several(fields, part, several, state)
                return
            if isinstance(part, Parameter) and part.operator[-1:] in ("-", "=", "+", "?") and part.operator:
                self.fill_default(fields, part, state)
                return
        value = self.part_value(part, state)
        if isinstance(part, Process) or getattr(part, "quoted", True):
            fields.add(value, active=False)
            return
        names = self.names_in(value, split=True) if alone and self.separators(state) == " \t\n" else None
        if names is not None:
            fields.listed(names)
        else:
            fields.expand(value)

    def names_in(self, text: Value | None, *, split: bool) -> tuple[Value, ...] | None:
        """The names of which *text* is a list, where they are known and can be told apart."""
        if not isinstance(text, Listing) or self.place != LOCAL:
            return None
        return whole_names(text, self.scene.files, text.end, split=split)

    def fill_several(self, fields: Fields, part: Variable | Parameter, several: list[Word], state: State) -> None:
        """Go on with `$@`, or with all elements of an array: one word for each."""
        separators = self.separators(state)
        self.spend(len(several) >> 3)
        if not part.quoted and _keeps_empty(separators, several):
            fields.unknown_number("the shell may keep empty words")
            return
        for place, word in enumerate(several):
            if place:
                fields.end()
            if word.many:
                fields.unknown_number("the number of arguments is not known")
            elif part.quoted:
                fields.add(word.value, active=False)
            else:
                fields.expand(word.value)

    def fill_default(self, fields: Fields, part: Parameter, state: State) -> None:
        """Go on with `${x:-word}` and its kin, where the word keeps its own quotes."""
        value, argument = self.default(part, state)
        if argument is None:
            if part.quoted:
                fields.add(value, active=False)
            else:
                fields.expand(value)
        elif part.quoted:
            fields.add("", active=False)
            self.fill(fields, argument.parts, state)
        else:
            self.fill(fields, argument.parts, state, split=True)

    def scalar(self, raw: RawWord, state: State) -> Value:
        """The value of *raw* where it is neither split nor matched against files."""
        if raw.text is not None:
            return raw.text
        self.spend(1 + len(raw.parts))
        return self.joined_parts(raw.parts, state)

    def joined_parts(self, parts: tuple[Part, ...], state: State) -> Value:
        """The values of *parts* without a gap."""
        values: list[Value] = []
        for place, part in enumerate(parts):
            if type(part) is Literal and "~" in part.text:
                values.extend(self.assigned_tildes(part.text, state, first=place == 0, last=place == len(parts) - 1))
            else:
                values.append(self.part_value(part, state))
        return self.short(values[0] if len(values) == 1 else concat(values))

    def short(self, value: Value) -> Value:
        """*value*, unless it is too long to be looked at."""
        if isinstance(value, str):
            if len(value) <= LONGEST:
                self.spend(len(value) >> 8)
                return value
        elif (
            len(value.parts) <= LONGEST >> 6
            and sum(len(part) for part in value.parts if isinstance(part, str)) <= LONGEST
        ):
            return value
        return unknown(f"a value is longer than {LONGEST} characters")

    def part_value(self, part: Part, state: State) -> Value:
        """The value of one part, in one piece."""
        if isinstance(part, Literal | Quoted):
            return part.text
        if isinstance(part, Variable):
            value = self.value(part.name, state)
            return self.unset(part.name) if value is Absence.INHERITED else _text(value)
        if isinstance(part, Substitution):
            return self.captured(part.body, state)
        return self.rare_value(part, state)

    def rare_value(self, part: Missing | Unread | Parameter | Process | Arithmetic | Extglob, state: State) -> Value:
        """The value of a part of the rarer kinds."""
        match part:
            case Arithmetic(expression, _):
                return self.evaluate(self.arithmetic_text(expression, state), state, (expression.start, expression.end))
            case Parameter():
                return self.parameter_value(part, state)
            case Process():
                return self.process(part, state)
            case Missing():
                return unknown("a part of the text is not known") if part.value is None else part.value
            case Unread(reason):
                self.doubt(reason, (0, 0))
                return unknown(reason)
            case Extglob(_, parts):
                self.joined_parts(parts, state)
                return unknown("a pattern in parentheses is not looked at")

    def process(self, part: Process, state: State) -> Value:
        """Run the commands of a process substitution and return the path that stands for them."""
        if part.direction == "<":
            self.fed = self.printed(part.body, state)
        else:
            inner = self.subshell(state)
            inner.stdin = None
            self.within += 1
            self.quietly(part.body, inner)
            self.within -= 1
        return Partial(("/dev/fd/", Hole.DIGITS), "a process substitution has a name only when it runs")

    def quietly(self, body: Sequence, state: State) -> None:
        """Run *body* where nobody looks at what it prints."""
        outer, self.sink = self.sink, None
        try:
            self.sequence(body, state)
        finally:
            self.sink = outer


def _is_one_text(part: Part) -> bool:
    """Whether a part is quoted and one text, so that a word of such parts is one word."""
    kind = type(part)
    if kind is Quoted:
        return True
    if isinstance(part, Variable):
        return part.quoted and part.name != "@"
    return isinstance(part, Substitution | Arithmetic) and part.quoted


def _keeps_empty(separators: str | None, words: list[Word]) -> bool:
    """Whether splitting a list of *words* depends on rules for empty words in which shells differ."""
    if separators is None:
        return True
    others = separators.strip(" \t\n")
    return bool(others) and any(word.value == "" or any(char in str(word.value) for char in others) for word in words)


def _text(value: Value | Absence) -> Value:
    return "" if isinstance(value, Absence) else value
