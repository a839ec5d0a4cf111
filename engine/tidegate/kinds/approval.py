"""`approval`: which calls a person has to allow, who that may be, and what of their answer is remembered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from attrs import frozen

from ..kind import (
    PATH_EFFECTS,
    Case,
    CommandPattern,
    Comparison,
    Effect,
    Example,
    Guard,
    Invocation,
    Kind,
    PathPattern,
    Phase,
    Setting,
    Terms,
    Tri,
    UrlPattern,
    UrlTarget,
    grants_path,
    grants_url,
    param,
    parse_pattern,
)
from ..limiting.rates import read_span

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from ..kind import Matcher


@frozen
class Approval:
    """Have a person allow a call before it runs, and say who that may be and for how long it counts.

    The rule asks about every call of its `tools`; `when` narrows that, as in `when = { command = "git push ..." }`.
    It never denies or grants: what another rule refuses stays refused, and under `default = "deny"` some rule has to
    grant the call as well. One question lists the reasons of all rules that ask.

    An approval is for one call, unless `remember` offers more: `session` is the same call in the same session, `until`
    the same call up to a time, in any session. The same call is the same tool, arguments (as rewritten), effects,
    folder, agent, mode and rules. Where it runs code that it does not show, the files of that code must be the same:
    a changed script is a new question, and where they cannot be read nothing is remembered. A person may choose one
    of the patterns under `commands`, `paths` or `urls` instead, if it names everything that the call does: the later
    call is held against it as against a grant, must do nothing of another sort than the call that was shown, and must
    run no other code.

    Approvals are kept for `longest` at most. `tidegate approvals` lists and revokes them. They are of use only where
    somebody can be asked: a call with `interactive = false` is refused. Where another rule or the default asks about
    the call as well, nothing is remembered. The names under `by` are as good as the host's word for who answered.
    What a file holds is looked at right before the call runs, not while it does.
    """

    by: tuple[str, ...] | None = param("Names of those who may allow it, as the host gives them.", default=None)
    timeout: str | None = param('How long they have to answer: "5 minutes".', default=None)
    remember: tuple[Literal["session", "until"], ...] = param(
        "For how long an answer may count beside `once`: `session`, `until` a time, or both.", default=()
    )
    longest: str = param("How long an approval is kept at most.", default="8 hours")
    commands: tuple[str, ...] = param("Command patterns that may be allowed as a whole.", default=())
    paths: tuple[str, ...] = param("Globs of paths that may be allowed as a whole.", default=())
    urls: tuple[str, ...] = param("Patterns of URLs that may be allowed as a whole.", default=())


def compile_approval(fields: Approval, setting: Setting) -> Guard:
    """Compile the patterns; every call that the rule is about is asked about."""
    commands = setting.patterns(
        "commands", fields.commands, lambda text: parse_pattern(text, setting.table, grant=True)
    )
    paths = setting.patterns("paths", fields.paths, PathPattern.compile)
    urls = setting.patterns("urls", fields.urls, UrlPattern.compile)
    patterns = [(text, _command(one)) for text, one in zip(fields.commands, commands, strict=False)]
    patterns += [(text, _path(one)) for text, one in zip(fields.paths, paths, strict=False)]
    patterns += [(text, _url(one)) for text, one in zip(fields.urls, urls, strict=False)]
    _check(fields, [text for text, _ in patterns], setting)
    patience = None if fields.timeout is None else read_span(fields.timeout, "timeout", setting)
    return Guard(
        denies=lambda _effect, _case: True,
        about=frozenset({"use"}),
        terms=Terms(
            by=None if fields.by is None else frozenset(fields.by),
            patience=patience,
            scopes=frozenset({"once", *fields.remember}),
            longest=float(read_span(fields.longest, "longest", setting)),
            patterns=tuple(patterns),
        ),
    )


def _check(fields: Approval, patterns: Sequence[str], setting: Setting) -> None:
    """Note what could never be chosen, and names that nobody has."""
    for index, name in enumerate(fields.by or ()):
        if not name.strip():
            why = "an approver without a name would be among those who may approve"
            setting.problem(("by", index), "bad-value", "a name is blank", why, "write a name, or take it away")
    if patterns and not fields.remember:
        key = next(key for key in ("commands", "paths", "urls") if getattr(fields, key))
        what, why = f"`{key}` does nothing here", "a pattern can be chosen only where an answer may be remembered"
        setting.problem((key,), "says-nothing", what, why, 'write `remember = ["session"]` as well, or take it away')


def _command(pattern: CommandPattern) -> Matcher:
    def matches(effect: Effect, case: Case) -> Tri:
        command = effect.target if isinstance(effect.target, Invocation) else effect.by
        if command is None or not pattern.covers(effect):
            return False
        return pattern.match_grant(command, Comparison(case.places))

    return matches


def _path(pattern: PathPattern) -> Matcher:
    def matches(effect: Effect, case: Case) -> Tri:
        if effect.kind not in PATH_EFFECTS or effect.place.kind != "local":
            return False
        return grants_path((pattern,), effect, case.places)

    return matches


def _url(pattern: UrlPattern) -> Matcher:
    def matches(effect: Effect, _: Case) -> Tri:
        if not isinstance(effect.target, UrlTarget) or effect.kind != "connect" or effect.place.kind != "local":
            return False
        return grants_url((pattern,), effect.target)

    return matches


def _strategy() -> SearchStrategy[Approval]:
    from hypothesis import strategies as st

    names = st.lists(st.sampled_from(["ann", "bob", "eve"]), min_size=1, unique=True).map(tuple)
    return st.builds(
        Approval,
        by=st.none() | names,
        timeout=st.none() | st.sampled_from(["30s", "5 minutes"]),
        remember=st.sampled_from([("session",), ("until",), ("session", "until")]),
        longest=st.sampled_from(["10 minutes", "8 hours"]),
        commands=st.sampled_from([(), ("git push origin *",), ("npm test ...",)]),
    )


KIND = Kind(
    name="approval",
    phase=Phase.GUARD,
    fields=Approval,
    compile=compile_approval,
    examples=(
        Example(
            "Two people who may let something out",
            """\
[[rule]]
id = "push-is-asked"
kind = "approval"
tools = ["run_bash"]
when = { command = "git push ..." }
by = ["ann", "bob"]
timeout = "5 minutes"

[[rule.example]]
call = { tool = "run_bash", args = { command = "cd /srv/shop && git push origin main" } }
expect = "ask"

[[rule.example]]
call = { tool = "run_bash", args = { command = "git pull origin main" } }
expect = "pass"
""",
        ),
        Example(
            "A branch that may be allowed for the session",
            """\
[[rule]]
id = "push-once-asked"
kind = "approval"
when = { command = "git push ..." }
remember = ["session", "until"]
longest = "4 hours"
commands = ["git push origin feature/*"]
message = "a person has to allow this push"

[[rule.example]]
call = { tool = "run_bash", args = { command = "git push origin feature/search" } }
expect = "ask"

[[rule.example]]
call = { tool = "run_bash", args = { command = "echo git push" } }
expect = "pass"
why = "what is only printed does nothing"
""",
        ),
        Example(
            "Mail to people outside",
            """\
[[rule]]
id = "mail-outside"
kind = "approval"
tools = ["send_email"]
except = [{ args = { to = "*@example.com" } }]

[[rule.example]]
call = { tool = "send_email", args = { to = "ann@example.org", body = "Hello" } }
expect = "ask"

[[rule.example]]
call = { tool = "send_email", args = { to = "bob@example.com", body = "Hello" } }
expect = "pass"
""",
        ),
    ),
    strategy=_strategy,
)
