"""Shell text inside shell text, and everything else that a command runs in turn."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import evolve

from ..effects import LOCAL, Effect
from ..values import Hole, Value, unknown
from .command import Nested, SimpleCommand
from .control import Control
from .held import Absence, Array, Either, is_numeric, merge
from .machine import Call, Span
from .parser import Parser
from .scanner import HOLE, Grammar
from .state import State

_BASH = frozenset(("bash", "rbash"))
_POSIX = frozenset(("sh", "dash", "ash"))
_RELATED = frozenset(
    (
        "zsh",
        "ksh",
        "ksh93",
        "mksh",
        "lksh",
        "yash",
        "oksh",
        "posh",
        "fish",
        "csh",
        "tcsh",
        "rc",
        "es",
        "elvish",
        "nu",
        "xonsh",
    )
)


class Walker(Control):
    """The whole walker."""

    __slots__ = ()

    def text(self, text: Value, state: State, span: Span) -> State | None:
        """Run *text* in this very shell."""
        known = self.readable(text, span)
        if known is None:
            state.doubt("a text that the shell ran may have changed it")
            self.print(unknown("what a text prints is not known"))
            return None
        self.deeper()
        parser = Parser(known, self.nested_grammar(), self.depth)
        parser.scale = 0
        parser.base, parser.limit = span
        failed = self.units(parser, state)
        self.depth -= 1
        return failed

    def nested_grammar(self) -> Grammar:
        """The grammar of a text that is made when the command runs."""
        return self.grammar

    def readable(self, text: Value, span: Span) -> str | None:
        """*text* with marks in the place of what is not known, `None` where it is not to be read at all."""
        if isinstance(text, str):
            known = text
        else:
            self.doubt(f"the text of a shell is not known: {text.reason}", span) if not is_numeric(text) else None
            known = "".join(part if isinstance(part, str) else HOLE for part in text.parts)
            if text.parts == (Hole.ANY,):
                return None
        reason = unreadable(known, self.limits.size)
        if reason is not None:
            self.doubt(reason, span)
            return None
        self.spend(1 + (len(known) >> 6))
        return known

    def units(self, parser: Parser, state: State) -> State | None:
        """Run the complete commands of a text, each of which is read only when the one before has run."""
        failed: State | None = None
        grammar = parser.grammar
        while True:
            grammar.posix = self.posix
            grammar.extglob = state.options.get("extglob", False) is True
            if state.aliases:
                grammar.aliases = self.active_aliases(state)
            unit = parser.unit()
            if grammar.bashisms:
                self.bashism = True
            if unit is None:
                return failed
            if failed is not None:
                state.join(failed)
            if state.options.get("extglob", False) is None:
                self.doubt("it is not known whether extended patterns are on", (parser.base, parser.limit))
            failed = self.node(unit, state)

    def active_aliases(self, state: State) -> dict[str, str | None]:
        """The aliases that the next command is read with."""
        on = state.options.get("expand_aliases", None if self.persistent and state.lasting else False)
        if self.sh:
            on = True
        if on is False:
            return {}
        return dict(state.aliases) if on else dict.fromkeys(state.aliases)

    def shell(self, text: Value, language: str, state: State, span: Span) -> None:
        """Run *text* in a fresh shell whose state is *state*, under every reading that the name of the shell allows."""
        outer = self.sh, self.posix, self.bashism, self.grammar
        language = language.rpartition("/")[2]
        if language in _BASH or language in _POSIX or language in _RELATED:
            if language in _RELATED:
                self.doubt(f"`{language}` reads text in its own way", span)
            self.sh, self.posix, self.bashism = language not in _BASH, False, False
            self.both_readings(text, state, span, posix=language in _POSIX)
        else:
            self.doubt(f"the text of `{language}` is not modelled", span)
        self.sh, self.posix, self.bashism, self.grammar = outer

    def both_readings(self, text: Value, state: State, span: Span, *, posix: bool) -> None:
        """Run *text* as bash reads it, and once more as a POSIX shell does where that could differ."""
        other = state.fork()
        mark = len(self.effects)
        printed = len(self.sink) if self.sink is not None else 0
        self.grammar = Grammar(depth=self.limits.depth)
        self.whole(text, state, span)
        if not (posix and self.bashism):
            return
        seen = set(self.effects[mark:])
        kept = len(self.effects)
        outer, self.sink = self.sink, None
        self.posix = True
        self.grammar = Grammar(posix=True, depth=self.limits.depth)
        self.whole(text, other, span)
        self.sink = outer
        fresh = [_marked(effect) for effect in self.effects[kept:] if effect not in seen]
        self.effects[kept:] = fresh
        if outer is not None and len(outer) > printed:
            del outer[printed:]
            outer.append(unknown("shells differ in what the text prints"))
        state.join(other)

    def whole(self, text: Value, state: State, span: Span) -> None:
        """Run *text*, then its traps, then the functions that nothing called."""
        outer = self.traps, self.defined, self.returns, self.loops
        self.traps, self.defined, self.returns, self.loops = [], [], [], []
        failed = self.text(text, state, span) if self.depth else self.top(text, state)
        for end in (*self.returns, *(() if failed is None else (failed,))):
            state.join(end)
        self.later(state)
        self.traps, self.defined, self.returns, self.loops = outer

    def top(self, text: Value, state: State) -> State | None:
        """Run the text that the call holds, to which all spans belong."""
        known = self.readable(text, (0, len(text) if isinstance(text, str) else 0))
        if known is None:
            return None
        if not isinstance(text, str):
            self.depth += 1
            failed = self.text(text, state, (0, len(known)))
            self.depth -= 1
            return failed
        return self.units(Parser(known, self.grammar, self.depth), state)

    def later(self, end: State) -> None:
        """Run what runs at some later time: traps, and functions that nothing called as far as anybody sees."""
        for text, state, place, span in self.traps:
            self.aged(state, end, place)
            self.branch_text(text, state, span)
        done = 0
        while done < len(self.defined):
            name, body, state, place = self.defined[done]
            done += 1
            if id(body) in self.ran:
                continue
            self.ran[id(body)] = body
            self.aged(state, end, place)
            state.arguments = None
            state.functions = {**end.functions, **state.functions}
            self.branch(body, state)
            del name

    def branch_text(self, text: Value, state: State, span: Span) -> None:
        """Run *text*, of which it is not known whether or when it runs."""
        outer, self.sink = self.sink, [] if self.sink is not None else None
        self.text(text, state, span)
        printed, self.sink = self.sink, outer
        if printed:
            self.print(unknown("a trap prints something"))

    def aged(self, state: State, end: State, place: int) -> None:
        """Let *state* be any that there was between then and the *end*."""
        state.join(end)
        for name in set(self.history[place:]):
            lost = unknown(f"the value of `${name}` depends on when the command runs")
            held = state.variables.get(name, Absence.INHERITED)
            state.put(name, merge(held, lost, lost.reason))

    def run_nested(self, nested: Iterable[Nested], command: SimpleCommand, state: State) -> None:
        """Run what *command* runs in turn."""
        for one in nested:
            self.deeper()
            self.spend()
            outer = self.place, self.scene, self.persistent
            if one.place != LOCAL:
                self.place = one.place
                self.scene = evolve(self.scene, cwd=None, home=None, files=None, environment={}, homes={})
            self.in_turn(one, command, state)
            self.place, self.scene, self.persistent = outer
            self.depth -= 1

    def in_turn(self, nested: Nested, command: SimpleCommand, state: State) -> None:
        """Run one thing that a command runs in turn."""
        if nested.form == "code":
            self.code(nested, command, state)
        elif nested.form == "argv":
            if nested.words:
                self.argv(nested, command, state)
        elif nested.here:
            self.text(nested.text, state, nested.span)
        else:
            inner = self.fresh(nested, command, state)
            if nested.words:
                inner.name, inner.arguments = nested.words[0].value, nested.words[1:]
            self.handed_down(nested, inner)
            self.shell(nested.text, nested.language, inner, nested.span)

    def handed_down(self, nested: Nested, state: State) -> None:
        """What follows from the variables that a shell is started with."""
        for name, value in nested.variables:
            if name.startswith("BASH_FUNC_") or name in ("SHELLOPTS", "BASHOPTS"):
                self.doubt(f"`{name}` hands functions or options to the shell", nested.span)
            elif name.isupper():
                self.consequences(name, value, state, nested.span)

    def argv(self, nested: Nested, command: SimpleCommand, state: State) -> None:
        """Run a command line without a shell."""
        inner = self.fresh(nested, command, state)
        variables = nested.variables if nested.clear else (*command.variables, *nested.variables)
        call = Call(nested.words, _last_ones(variables), nested.span if nested.span != (0, 0) else command.span)
        call.stdin = nested.stdin
        call.among = "programs"
        call.lookup = command.lookup
        call.wrappers = (*command.wrappers, *((nested.wrapper,) if nested.wrapper else ()))
        inner.variables, inner.exported = {}, ()
        self.call(call, inner)

    def code(self, nested: Nested, command: SimpleCommand, state: State) -> None:
        """Read a program in another language."""
        if nested.cwds is not None:
            command = command._replace(cwds=nested.cwds)
        command = command._replace(stdin=nested.stdin, place=self.place, span=nested.span)
        for found in self.seams.read_code(nested.language, nested.text, command):
            if isinstance(found, Effect):
                self.effects.append(
                    found._replace(source=self.source, place=self.place, span=found.span or nested.span)
                )
            else:
                self.run_nested((found,), command, state)

    def fresh(self, nested: Nested, command: SimpleCommand, state: State) -> State:
        """The state in which a program that *command* starts finds itself."""
        cwds = nested.cwds if nested.cwds is not None else command.cwds
        if nested.place != LOCAL and nested.cwds is None:
            cwds = (unknown("the directory in another place is not known"),)
        inner = State(cwds)
        inner.lasting = False
        inner.stdin = nested.stdin
        inner.lookup = state.lookup
        inner.inherits = state.inherits and not nested.clear and nested.place == LOCAL
        if not nested.clear:
            self.inherit(inner, state)
        for name, value in (*(() if nested.clear else command.variables), *nested.variables):
            inner.put(name, value)
            self.export(name, inner)
        return inner

    def inherit(self, inner: State, state: State) -> None:
        """Hand what is exported in *state* down to *inner*."""
        for name in state.exported:
            if name.endswith("()"):
                bodies = state.functions.get(name[:-2])
                if bodies is not None:
                    inner.functions = {**inner.functions, name[:-2]: bodies}
                continue
            held = state.variables.get(name)
            if held is not None and not isinstance(held, Array):
                inner.put(name, held)
            inner.exported = (*inner.exported, name)


def unreadable(text: str, most: int) -> str | None:
    """Why *text* is not read at all, or `None` where it is."""
    if len(text) > most:
        return f"the text is longer than {most} characters"
    if "\0" in text:
        return "the text has a NUL character, which shells drop or end at"
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            return "the text has a lone surrogate"
    return None


def _marked(effect: Effect) -> Effect:
    """An effect that only the POSIX reading has, which its reason says if it has one."""
    if effect.kind != "unknown" or not isinstance(effect.target, str):
        return effect
    return effect._replace(target=f"{effect.target} (as a POSIX shell reads it)")


def _last_ones(variables: tuple[tuple[str, Value], ...]) -> tuple[tuple[str, Value], ...]:
    return tuple(dict(variables).items())


__all__ = ["Either", "Walker", "unreadable"]
