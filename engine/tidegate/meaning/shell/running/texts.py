"""Shell text: the whole of a shell, and text that a shell runs inside itself."""

from __future__ import annotations

import re

from ...effects import Effect
from ...listings import is_inert
from ...values import Hole, Plain, Value, unknown
from ..parsing.parser import Parser
from ..parsing.scanner import HOLE, Grammar
from .held import Absence, is_numeric, merge
from .machine import MOVED, Span
from .names import BASH, POSIX, RELATED, SHELLS
from .nested import Nesting
from .state import State, directories

_BARE_RETURN = re.compile(r"\r(?!\n)")


class Walker(Nesting):
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
        if isinstance(text, Plain) and is_inert(text):
            parser.holes = tuple(Plain((part,), text.reason) for part in text.parts if isinstance(part, Hole))
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
            if not is_numeric(text) and not is_inert(text):
                self.doubt(f"the text of a shell is not known: {text.reason}", span)
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
        if language in SHELLS:
            if language in RELATED:
                self.doubt(f"`{language}` reads text in its own way", span)
            self.sh, self.posix, self.bashism = language not in BASH, False, False
            self.both_readings(text, state, span, posix=language in POSIX)
        else:
            self.doubt(f"the text of `{language}` is not modelled", span)
        self.sh, self.posix, self.bashism, self.grammar = outer

    def both_readings(self, text: Value, state: State, span: Span, *, posix: bool) -> None:
        """Run *text* as bash reads it, and once more as a POSIX shell does where that could differ."""
        if not posix:
            self.grammar = Grammar(depth=self.limits.depth, commands=self.limits.commands)
            self.whole(text, state, span)
            return
        other = state.fork()
        mark = len(self.effects)
        printed = len(self.sink) if self.sink is not None else 0
        self.grammar = Grammar(depth=self.limits.depth, commands=self.limits.commands)
        self.whole(text, state, span)
        if not self.bashism:
            return
        seen = set(self.effects[mark:])
        kept = len(self.effects)
        outer, self.sink = self.sink, None
        self.posix = True
        self.grammar = Grammar(posix=True, depth=self.limits.depth, commands=self.limits.commands)
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
        outer = self.traps, self.defined, self.returns, self.ends, self.loops
        self.traps, self.defined, self.returns, self.ends, self.loops = [], [], [], [], []
        failed = self.text(text, state, span) if self.depth else self.top(text, state)
        for end in (*self.returns, *self.ends, *(() if failed is None else (failed,))):
            state.join(end)
        self.later(state)
        self.traps, self.defined, self.returns, self.ends, self.loops = outer

    def top(self, text: Value, state: State) -> State | None:
        """Run the text that the call holds, to which all spans belong."""
        span = (0, len(text) if isinstance(text, str) else 0)
        known = self.readable(text, span)
        if known is None:
            return None
        if "\r" in known and _BARE_RETURN.search(known):
            self.doubt(
                "a carriage return is a character to the shell, but ends the line where a terminal stands before it",
                span,
            )
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
            body, state, place = self.defined[done]
            done += 1
            if id(body) not in self.ran:
                self.ran[id(body)] = body
                self.aged(state, end, place)
                state.arguments = None
                self.branch(body, state)

    def branch_text(self, text: Value, state: State, span: Span) -> None:
        """Run *text*, of which it is not known whether or when it runs."""
        outer, self.sink = self.sink, [] if self.sink is not None else None
        self.text(text, state, span)
        printed, self.sink = self.sink, outer
        if printed:
            self.print(unknown("a trap prints something"))

    def aged(self, state: State, end: State, place: int) -> None:
        """Let *state* be any that there was between then, when so many assignments were made, and the *end*."""
        since = set(self.history[place:])
        self.spend(1 + (len(since) >> 1) + (len(end.variables) >> 2))
        state.lasting = False
        state.join(end)
        for name in since - {MOVED}:
            lost = unknown(f"the value of `${name}` depends on when the command runs")
            state.put(name, merge(state.variables.get(name, Absence.INHERITED), lost, lost.reason))
        if MOVED in since:
            state.cwds = directories((*state.cwds, unknown("the directory depends on when the command runs")))


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
