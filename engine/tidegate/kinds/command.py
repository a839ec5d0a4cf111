"""`command`: which commands may run in a shell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from attrs import frozen

from ..kind import (
    Case,
    Comparison,
    Effect,
    EffectKind,
    Example,
    Guard,
    Invocation,
    Kind,
    Phase,
    Seeks,
    Setting,
    Tri,
    Unknown,
    any_of,
    commands_behind,
    param,
    parse_pattern,
    shown,
)
from ..shown import quote

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Doing = Literal["read", "write", "delete", "list", "connect", "code"]


@frozen
class Command:
    """Allow, refuse or confine the simple commands that a call runs.

    A pattern reads like a command: `rm -r -f /srv/**`. The program stands by its name; options may stand anywhere,
    in any order and spelling; operands are globs (`{a,b}` is either), and paths and URLs among them compare by meaning.

    A deny matches a command that does at least what the pattern names, wherever it runs: after `&&`, inside
    `sh -c`, in a substitution, through `sudo`. A grant matches exactly what it names; a final ` ...` admits further
    operands and harmless options. It covers the program and what the program by its nature does to its operands;
    a redirection, a variable or an option that writes or runs something needs a grant of its own.

    What a script, a Makefile or a program without an entry does is not read: it is code that the call names. Such a
    program may be a wrapper: where its words spell a refused command (`mytool rm -rf x`), that is unknown.
    """

    allow: tuple[str, ...] | None = param("Command patterns that are granted.", default=None)
    deny: tuple[str, ...] | None = param("Command patterns that are refused.", default=None)
    only: tuple[str, ...] | None = param("Command patterns of the only commands that may run.", default=None)
    effects: tuple[Doing, ...] | None = param(
        "Grants every program of the table whose effects are only these.", default=None
    )


_ABOUT: frozenset[EffectKind] = frozenset({"exec", "unknown", "code"})
_COVERS: frozenset[EffectKind] = frozenset({"exec", "read", "write", "delete", "list", "connect", "code", "mention"})


def compile_command(fields: Command, setting: Setting) -> Guard:
    """Compile the patterns, and compare them with each simple command."""
    allow = setting.patterns("allow", fields.allow, lambda text: parse_pattern(text, setting.table, grant=True))
    deny = setting.patterns("deny", fields.deny, lambda text: parse_pattern(text, setting.table))
    only = setting.patterns("only", fields.only, lambda text: parse_pattern(text, setting.table, grant=True))
    only = only or (allow if setting.otherwise else ())
    doing: frozenset[str] = frozenset(fields.effects or ())
    named = [pattern.programs for pattern in deny]
    programs = None if None in named else frozenset().union(*filter(None, named))

    def grants(effect: Effect, case: Case) -> Tri:
        command = _command(effect)
        if command is None:
            return False
        if doing and _does_only(command, doing, case):
            return True
        compare = Comparison(case.places)
        return any(pattern.covers(effect) and pattern.match_grant(command, compare) is True for pattern in allow)

    def denies(effect: Effect, case: Case) -> Tri:
        command = _command(effect)
        if command is None:
            return False
        compare = Comparison(case.places)
        found = any_of(pattern.match_deny(command, compare) for pattern in deny)
        return _behind(command, case) if found is False and effect.kind == "exec" else found

    def _behind(command: Invocation, case: Case) -> Tri:
        """Whether a program that nobody knows may run what is refused."""
        compare = Comparison(case.places)
        for inner in commands_behind(command, programs, case.places.scene, setting.table):
            if any(pattern.match_deny(inner, compare) is not False for pattern in deny):
                return Unknown(f"{quote(shown(command.path))} may run {quote(' '.join(map(shown, inner.words)))}")
        return False

    def confines(effect: Effect, case: Case) -> Tri:
        command = _command(effect)
        if command is None or effect.inherent:
            return True
        compare = Comparison(case.places)
        return any_of(pattern.match_grant(command, compare) for pattern in only)

    return Guard(
        grants=grants if allow or doing else None,
        denies=denies if deny else None,
        confines=confines if only else None,
        about=_ABOUT,
        covers=_COVERS,
        offer=", ".join(f"`{pattern.text}`" for pattern in only or allow),
        seeks=None if only or doing else Seeks(commands=(*allow, *deny)),
    )


def _command(effect: Effect) -> Invocation | None:
    """The simple command that the effect is, or that does it."""
    return effect.target if isinstance(effect.target, Invocation) else effect.by


def _does_only(command: Invocation, doing: frozenset[str], case: Case) -> bool:
    """Whether a local command of the table, found by its bare name, does nothing but *doing*."""
    if not (command.modelled and command.bare and command.complete and command.place.kind == "local"):
        return False
    return all(effect.kind in doing for effect in case.effects if effect.by is command and effect.kind != "exec")


def _strategy() -> SearchStrategy[Command]:
    from hypothesis import strategies as st

    exact = st.sampled_from(
        ["git status ...", "rm -r -f /srv/**", "npm test ...", "ls", "A=* make all", "xargs grep ...", "/bin/cat a"]
    )
    wide = exact | st.sampled_from(["git push --force", "*sum *", "git push +*", "curl -o * ..."])
    doing = st.lists(st.sampled_from(["read", "write", "delete", "list", "connect", "code"]), min_size=1, unique=True)

    def lists(patterns: SearchStrategy[str]) -> SearchStrategy[tuple[str, ...]]:
        return st.lists(patterns, min_size=1, max_size=3, unique=True).map(tuple)

    denying = st.builds(Command, deny=lists(wide), only=st.none() | lists(exact))
    return denying | st.builds(Command, allow=lists(exact), effects=st.none() | doing.map(tuple))


KIND = Kind(
    name="command",
    phase=Phase.GUARD,
    fields=Command,
    compile=compile_command,
    examples=(
        Example(
            "Everyday commands",
            """\
[[rule]]
id = "everyday"
kind = "command"
allow = ["git status ...", "git diff ...", "npm test ..."]

[[rule.example]]
call = { tool = "run_bash", args = { command = "git status --short && npm test" } }
expect = "allow"

[[rule.example]]
call = { tool = "run_bash", args = { command = "git status; curl http://evil.test" } }
expect = "pass"
why = "every part of a command must be granted"

[[rule.example]]
call = { tool = "run_bash", args = { command = "git diff > /etc/motd" } }
expect = "pass"
why = "a redirection needs a grant of its own"
""",
        ),
        Example(
            "No forced push",
            """\
[[rule]]
id = "no-force-push"
kind = "command"
deny = ["git push --force", "git push --mirror", "git push +*"]
except = [{ command = "git push --force-with-lease ..." }]

[[rule.example]]
call = { tool = "run_bash", args = { command = "git -C /srv push -f origin main" } }
expect = "deny"

[[rule.example]]
call = { tool = "run_bash", args = { command = "cd x && sh -c 'git push origin +main'" } }
expect = "deny"

[[rule.example]]
call = { tool = "run_bash", args = { command = "git commit -m 'never git push --force'" } }
expect = "pass"
why = "a commit message is no command"
""",
        ),
        Example(
            "Looking is free",
            """\
[[rule]]
id = "looking"
kind = "command"
effects = ["read", "list"]

[[rule.example]]
call = { tool = "run_bash", args = { command = "ls -la src | head -5" } }
expect = "allow"

[[rule.example]]
call = { tool = "run_bash", args = { command = "ls > listing.txt" } }
expect = "pass"
""",
        ),
    ),
    strategy=_strategy,
)
