"""Variables: what they hold, what assigning to them does, and the parameters that the shell itself sets."""

from __future__ import annotations

import re

from ...values import Hole, Partial, Plain, Value, concat, unknown
from .held import Absence, Array, Either, Held, blurred, generalise, merge, number
from .machine import Machine, Span, Split
from .state import State

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*+")
_TARGET = re.compile(r"([A-Za-z_][A-Za-z0-9_]*+)(?:\[(.*)\])?", re.DOTALL)
DYNAMIC = frozenset((
    "RANDOM", "SRANDOM", "SECONDS", "LINENO", "BASHPID", "EPOCHSECONDS", "EPOCHREALTIME", "HISTCMD",
    "BASH_SUBSHELL", "UID", "EUID", "PPID", "OPTIND", "COLUMNS", "LINES",
))  # fmt: skip
_UNSTEADY = frozenset((
    "_", "BASH_COMMAND", "DIRSTACK", "GROUPS", "BASHOPTS", "SHELLOPTS", "BASH_VERSINFO", "FUNCNAME",
    "PIPESTATUS", "BASH_ARGV0", "BASH_ALIASES", "BASH_CMDS", "BASH_REMATCH", "BASH_ARGC", "BASH_ARGV",
    "BASH_LINENO", "BASH_SOURCE",
))  # fmt: skip
_PROMPTS = frozenset(("PS0", "PS1", "PS2", "PS4", "MAILPATH"))
_STARTUP = frozenset(("BASH_ENV", "ENV"))
_READING = frozenset(
    (
        "POSIXLY_CORRECT",
        "BASH_COMPAT",
        "TEXTDOMAIN",
        "TEXTDOMAINDIR",
        "BASH_ALIASES",
        "BASH_CMDS",
        "EXECIGNORE",
        "BASH_LOADABLES_PATH",
    )
)
_EXPORTED_ANYWAY = frozenset((
    "PATH", "HOME", "PWD", "OLDPWD", "SHELL", "USER", "LOGNAME", "TERM", "LANG", "SHLVL", "TMPDIR", "EDITOR",
    "VISUAL", "PAGER",
))  # fmt: skip
_SET_BY_SHELLS = re.compile(
    "(?:BASH|COMP|COPROC|HIST|READLINE_).*|PS[0-4]|(?:HOST|OS|MACH)TYPE|HOST(?:NAME)?|OPT(?:ARG|ERR)|PATH|SHELL|SHLVL"
    "|TERM|REPLY|MAPFILE|PROMPT_COMMAND|MAIL(?:CHECK|PATH)?|PWD|OLDPWD|HOME|TMOUT"
)
DEEPEST_REFERENCE = 8


class Variables(Machine):
    """Reads and writes variables."""

    __slots__ = ()

    def held(self, name: str, state: State) -> Held:
        """What the variable *name* holds.

        Raises:
            Split: It is one of a few things, each of which is to be looked at.
        """
        if state.attributes:
            name = self.referred(name, state)
        held = state.variables.get(name, Absence.INHERITED)
        if isinstance(held, Either):
            if self.splittable:
                raise Split(name, held.options)
            held = blurred(held.options, f"`${name}` could be too many things")
        if name in DYNAMIC or name in _UNSTEADY:
            return self.automatic(name, held)
        if held is Absence.INHERITED:
            return self.inherited(name, state)
        return held

    def automatic(self, name: str, held: Held) -> Held:
        """A variable that the shell sets itself, unless the text took that property away."""
        if held is Absence.INHERITED and name in DYNAMIC and not self.posix:
            return number(f"`${name}` is set by the shell")
        return unknown(f"`${name}` is set by the shell")

    def inherited(self, name: str, state: State) -> Held:
        """A variable that the text did not set."""
        if name == "PWD":
            return generalise(state.cwds, "the directory depends on which commands ran")
        if name == "OLDPWD" and state.previous:
            return generalise(state.previous, "the directory depends on which commands ran")
        if name == "IFS":
            return " \t\n"
        if not state.inherits:
            return Absence.INHERITED if state.unsure else Absence.UNSET
        if name == "HOME" and self.scene.home is not None:
            return self.scene.home
        value = self.scene.environment.get(name)
        return (Absence.UNSET if self.is_unset(name, state) else Absence.INHERITED) if value is None else value

    def is_unset(self, name: str, state: State) -> bool:
        """Whether a variable that neither the text nor the environment sets is known not to be set at all."""
        complete = self.scene.complete_environment and not (self.persistent or state.unsure)
        return complete and _SET_BY_SHELLS.fullmatch(name) is None and _STARTUP.isdisjoint(self.scene.environment)

    def referred(self, name: str, state: State) -> str:
        """The variable behind the references that `declare -n` made."""
        for _ in range(DEEPEST_REFERENCE):
            if "n" not in state.attributes.get(name, ""):
                return name
            held = state.variables.get(name)
            if not isinstance(held, str) or not _NAME.fullmatch(held):
                return name
            name = held
        return name

    def value(self, name: str, state: State) -> Value | Absence:
        """The text of the parameter *name*, the first element of an array."""
        if not (name[0].isalpha() or name[0] == "_") or name == "_":
            return self.special(name, state)
        held = self.held(name, state)
        if isinstance(held, Array):
            if held.items is None:
                return unknown(f"the elements of `${name}` are not known")
            return dict(held.items).get("0", Absence.UNSET)
        if isinstance(held, Partial) and "n" in state.attributes.get(name, ""):
            return unknown(f"`${name}` refers to a variable that is not known")
        return held

    def special(self, name: str, state: State) -> Value | Absence:
        """A special or positional parameter."""
        if name in "@*":
            return self.joined(state, " " if name == "@" else self.separators(state))
        if name == "#":
            words = state.arguments
            if words is None or any(word.many for word in words):
                return Partial((Hole.DIGITS,), "the number of arguments is not known")
            return str(len(words))
        if name == "0":
            return state.name
        if name.isdigit():
            return self.positional(int(name), state)
        if name in "?$":
            return Plain((Hole.DIGITS,), f"`${name}` is known only when the command runs")
        return unknown(f"`${name}` is set by the shell")

    def positional(self, place: int, state: State) -> Value | Absence:
        """`$1` and so on."""
        words = state.arguments
        if words is None or any(word.many for word in words[:place]):
            return unknown(f"the argument `${place}` is not known")
        return words[place - 1].value if place <= len(words) else Absence.UNSET

    def joined(self, state: State, separators: str | None) -> Value:
        """All arguments in one text, with the first of *separators* between them."""
        words = state.arguments
        if words is None or any(word.many for word in words):
            return unknown("the arguments are not known")
        if separators is None:
            return unknown("the value of `$IFS` is not known")
        pieces: list[Value] = []
        for word in words:
            pieces.extend((separators[:1], word.value))
        return concat(pieces[1:])

    def separators(self, state: State) -> str | None:
        """The characters of `IFS`, `None` where they are not known."""
        held = state.variables.get("IFS")
        if held is None:
            return " \t\n"
        held = self.held("IFS", state)
        if held is Absence.UNSET:
            return " \t\n"
        return held if isinstance(held, str) else None

    def assign(self, name: str, value: Held, state: State, span: Span) -> None:
        """Let the variable *name* hold *value*, with whatever follows from it."""
        letters = state.attributes.get(name, "") if state.attributes else ""
        if "n" in letters:
            target = self.referred(name, state)
            if target == name and name in state.variables and not isinstance(state.variables[name], Absence):
                self.doubt(f"`{name}` refers to a variable that is not known", span)
                state.doubt(f"an assignment through `{name}` may have changed it")
                return
            if target == name and not (isinstance(value, str) and _NAME.fullmatch(value)):
                self.doubt(f"`{name}` refers to something else than a variable", span)
            name, letters = target, state.attributes.get(target, "")
        if not isinstance(value, Absence) and set(letters) & set("ilu"):
            value = self.converted(value, letters, state, span)
        held: Held | Either = value
        if "r" in letters:
            held = merge(state.variables.get(name, Absence.INHERITED), value, f"`{name}` is read-only")
        state.put(name, held)
        self.history.append(name)
        if (
            state.options.get("allexport", False) is not False
            or name in _EXPORTED_ANYWAY
            or name in self.scene.environment
        ):
            self.export(name, state)
        if name.isupper():
            self.consequences(name, value, state, span)

    def converted(self, value: Held, letters: str, state: State, span: Span) -> Held:
        """A value as the attributes of its variable make it: a number, or in one case."""
        if isinstance(value, Array):
            return Array(None)
        assert not isinstance(value, Absence)  # noqa: S101 the caller looked
        if "i" in letters:
            return self.evaluate(value, state, span)
        if isinstance(value, str) and value.isascii():
            return value.lower() if "l" in letters else value.upper()
        return unknown("the case of a variable's value is changed")

    def export(self, name: str, state: State) -> None:
        """Let children inherit *name*."""
        if name not in state.exported:
            state.exported = (*state.exported, name)

    def consequences(self, name: str, value: Held, state: State, span: Span) -> None:
        """What follows from assigning to a variable that the shell itself looks at."""
        if name == "PATH":
            state.lookup = False
            self.lasting(state, "a change of `PATH`", span)
        elif name in _PROMPTS:
            self.expand_text(_text(value, name), state.fork(), span)
        elif name == "PROMPT_COMMAND":
            self.text(_text(value, name), self.subshell(state), span)
        elif name in _STARTUP:
            self.startup(_text(value, name), state, span)
        elif name in DYNAMIC:
            self.evaluate(_text(value, name), state, span)
        elif name in _READING:
            self.doubt(f"`{name}` changes how the shell reads what follows", span)
            state.lookup = False

    def startup(self, value: Value, state: State, span: Span) -> None:
        """A file that shells run before anything else."""
        path = self.expand_text(value, state.fork(), span)
        if path != "":
            self.runs_file("what `BASH_ENV` or `ENV` names", path, state, span)

    def subshell(self, state: State) -> State:
        """A fork of *state* of which nothing lasts."""
        inner = state.fork()
        inner.lasting = False
        return inner

    def assign_to(self, target: Value, value: Held, state: State, span: Span) -> None:
        """Assign to what *target* names, which may have a subscript that is code."""
        found = _TARGET.fullmatch(target) if isinstance(target, str) else None
        if found is None:
            if not isinstance(target, str):
                self.doubt("the name of a variable is not known, and a subscript in it would run as code", span)
                state.doubt("a variable whose name is not known was assigned")
            return
        if found[2] is None:
            self.assign(found[1], value, state, span)
        else:
            self.evaluate_subscript(found[2], state, span)
            self.assign(found[1], Array(None), state, span)

    def evaluate_subscript(self, text: str, state: State, span: Span) -> None:
        """Run whatever code a subscript that the shell evaluates once more holds."""
        if text not in ("@", "*"):
            self.evaluate(self.expand_text(text, state, span), state, span)


def _text(value: Held, name: str) -> Value:
    if isinstance(value, Absence):
        return ""
    return unknown(f"the elements of `{name}` are not looked at") if isinstance(value, Array) else value
