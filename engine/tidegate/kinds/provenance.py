"""`provenance`: where an argument comes from, and what may still be done once untrusted data was read."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Literal

from attrs import frozen

from ..kind import (
    Case,
    Effect,
    Example,
    Guard,
    Kind,
    Observes,
    Output,
    Past,
    Phase,
    Setting,
    Tri,
    Unknown,
    name_test,
    param,
    widened_name_test,
)
from ..limiting.keys import read_pointer
from ..meaning.origins import normalised, occurs
from ..pointers import MISSING, Pointer, values_at
from ..shown import quote

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


@frozen
class Provenance:
    """Let an argument through only if it comes from where it should, and less once untrusted data was read.

    Every text and number under `arguments` must stand, as a whole, in what people said in the session
    (`from_prompt`; the host tells it by `engine.said`) or in a result that a tool under `from_tools` returned in it.
    `bob@example.com` does not stand in `notbob@example.com`. An argument that is missing or null comes from
    nowhere and passes, as do true and false; an empty text is in nothing and is refused.

    Without `arguments` the rule refuses every call of its `tools` once the body of a tool under `untrusted` was entered
    in the session, whatever it returned. With both, `arguments` are looked at from then on, and are free before.
    With `effect = "ask"` a person is asked instead.

    What it cannot do: it compares texts and does not follow data. What a trusted tool returns may have been written by
    somebody else, and an untrusted text that a trusted tool repeats becomes trusted, so name tools that return what
    your own people keep. Short and common values stand in many texts. A value that the model has rightly computed or
    reworded is refused. An attacker who wants nothing but what the prompt names is not stopped. Results are heard
    only where they are seen (an attached registry), as they go out after `output` rules; of each source the last
    1,000,000 characters of a session are kept, in this process only, so that after a restart nothing has
    been said. That untrusted data was read outlives it, for 30 days. Calls without a session are answered as unknown.
    """

    arguments: tuple[str, ...] = param("JSON pointers to the arguments; `*` stands for each.", default=())
    from_prompt: bool = param("Whether they may come from what people said in the session.", default=False)
    from_tools: tuple[str, ...] = param("Globs of tools whose results they may come from.", default=())
    match: Literal["exact", "normalized"] = param(
        "`normalized` looks past case, width and blanks; `exact` does not.", default="exact"
    )
    untrusted: tuple[str, ...] = param("Globs of tools that return what anybody could have written.", default=())


NO_SESSION = Unknown("the call does not say its session")
TOO_MANY = Unknown("too many values would have to be looked for")
PROMPT = "prompt"
MOST_VALUES = 256


def compile_provenance(fields: Provenance, setting: Setting) -> Guard:
    """Compile the pointers, and what is noted of which tools."""
    _check(fields, setting)
    pointers = [read_pointer(text, ("arguments", at), setting) for at, text in enumerate(fields.arguments)]
    trusted, untrusted = name_test(fields.from_tools), widened_name_test(fields.untrusted)
    key = f"{setting.rule}:{blake2b(repr((fields.from_tools, fields.untrusted)).encode(), digest_size=12).hexdigest()}"
    sources = ([PROMPT] if fields.from_prompt else []) + ([key] if fields.from_tools else [])

    def denies(_: Effect, case: Case) -> Tri:
        past = case.past
        if past is None or past.session is None:
            return NO_SESSION
        if fields.untrusted and key not in past.marks([key]):
            return False
        if not pointers:
            return True
        values = [text for pointer in pointers for text in _values(case.call.arguments, pointer)]
        if len(values) > MOST_VALUES:
            return TOO_MANY
        return not _all_come_from(values, past, sources, exact=fields.match == "exact")

    def begins(case: Case) -> list[str]:
        return [key] if untrusted(case.call.tool.name) else []

    def hears(case: Case, output: Output) -> list[tuple[str, str]]:
        return [(key, _text(output))] if trusted(case.call.tool.name) and not output.is_error else []

    return Guard(
        denies=denies,
        about=frozenset({"use"}),
        observes=Observes(about=lambda tool: trusted(tool) or untrusted(tool), begins=begins, hears=hears),
        says=_says(fields),
    )


def _check(fields: Provenance, setting: Setting) -> None:
    """Note what could never answer, or would refuse everything."""
    named = fields.from_prompt or bool(fields.from_tools)
    if not fields.arguments and not fields.untrusted:
        what, why = "`arguments` and `untrusted` are both missing", "it would never answer anything"
        setting.problem((), "says-nothing", what, why, "add one of them")
    if fields.arguments and not named:
        what, why = "no source is named", "the arguments could come from nowhere, and every call would be refused"
        setting.problem(("arguments",), "says-nothing", what, why, "add `from_prompt = true` or `from_tools`")
    if named and not fields.arguments:
        field = "from_tools" if fields.from_tools else "from_prompt"
        what, why = f"`{field}` does nothing without `arguments`", "it says where they may come from"
        setting.problem((field,), "says-nothing", what, why, "add `arguments`, or take it away")


def _values(arguments: Any, pointer: Pointer) -> Iterator[tuple[str, ...]]:
    for _, value in values_at(arguments, pointer):
        if value is not MISSING:
            yield from _leaves(value)


def _leaves(value: Any) -> Iterator[tuple[str, ...]]:
    """Every text and number of a value, keys as well; each with the ways in which it may be written."""
    if isinstance(value, str):
        yield (value,)
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield (name,)
            yield from _leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner)
    elif isinstance(value, float) and value.is_integer():
        yield (repr(value), f"{value:.0f}", f"{value:.2f}")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield (repr(value), f"{value:.2f}") if float(f"{value:.2f}") == value else (repr(value),)


def _all_come_from(values: list[tuple[str, ...]], past: Past, sources: list[str], *, exact: bool) -> bool:
    texts = [text for source in sources for text in past.texts(source)]
    if not exact:
        texts = list(map(normalised, texts))
        values = [tuple(map(normalised, spellings)) for spellings in values]
    return all(any(occurs(one, text) for one in spellings for text in texts) for spellings in values)


def _text(output: Output) -> str:
    """Everything that a result says, each part on lines of its own."""
    parts = [block for block in output.blocks if isinstance(block, str)]
    return "\n".join([*parts, *(spelling for leaf in _leaves(output.structured) for spelling in leaf[:1])])


def _says(fields: Provenance) -> str:
    """What the model is told."""
    since = f"once {', '.join(map(quote, fields.untrusted))} was used in this session" if fields.untrusted else ""
    if not fields.arguments:
        return f"this is not allowed {since}"
    sources = ["what the user said"] if fields.from_prompt else []
    sources += [f"a result of {', '.join(map(quote, fields.from_tools))}"] if fields.from_tools else []
    said = f"{', '.join(map(quote, fields.arguments))} must be taken from {' or from '.join(sources)}"
    return f"{said}, {since}" if since else said


def _strategy() -> SearchStrategy[Provenance]:
    from hypothesis import strategies as st

    return st.builds(
        Provenance,
        arguments=st.sampled_from([("/to",), ("/to/*", "/amount")]),
        from_prompt=st.just(True),
        from_tools=st.sampled_from([(), ("get_*",)]),
        match=st.sampled_from(["exact", "normalized"]),
        untrusted=st.sampled_from([(), ("web_*",)]),
    )


KIND = Kind(
    name="provenance",
    phase=Phase.GUARD,
    fields=Provenance,
    compile=compile_provenance,
    examples=(
        Example(
            "Mail only to addresses that somebody named",
            """\
[[rule]]
id = "recipients"
kind = "provenance"
tools = ["send_email"]
arguments = ["/to/*"]
from_prompt = true
from_tools = ["get_contacts"]

[[rule.example]]
calls = [
  { tool = "send_email", session = "s1", args = { to = ["bob@example.com"] }, said = "Write to bob@example.com." },
  { tool = "send_email", session = "s1", args = { to = ["bob@example.com", "eve@evil.test"] } },
  { tool = "get_contacts", session = "s1", args = {}, at = 1, ends = 2, returns = "Ann <ann@example.org>" },
  { tool = "send_email", session = "s1", args = { to = ["ann@example.org"] }, at = 3 },
  { tool = "send_email", session = "s1", args = { to = ["ann@example.org.evil.test"] }, at = 3 },
  { tool = "send_email", session = "s1", args = { to = ["n@example.org"] }, at = 3 },
  { tool = "send_email", session = "s2", args = { to = ["ann@example.org"] }, at = 3 },
]
expect = ["pass", "deny", "pass", "pass", "deny", "deny", "deny"]
""",
        ),
        Example(
            "A person is asked once the web was read",
            """\
[[rule]]
id = "after-the-web"
kind = "provenance"
tools = ["run_bash", "write_*"]
untrusted = ["web_*", "read_email"]
effect = "ask"

[[rule.example]]
calls = [
  { tool = "run_bash", session = "s1", args = { command = "make" } },
  { tool = "web_fetch", session = "s1", args = { url = "https://example.com/" } },
  { tool = "run_bash", session = "s1", args = { command = "make" } },
  { tool = "read_file", session = "s1", args = { path = "a" } },
  { tool = "run_bash", session = "s2", args = { command = "make" } },
]
expect = ["pass", "pass", "ask", "pass", "pass"]

[[rule.example]]
call = { tool = "run_bash", session = "s1", args = { command = "make" } }
expect = "pass"
""",
        ),
        Example(
            "Once mail was read, money goes only where the user said",
            """\
[[rule]]
id = "payees"
kind = "provenance"
tools = ["send_money"]
arguments = ["/recipient", "/amount"]
from_prompt = true
match = "normalized"
untrusted = ["read_email"]

[[rule.example]]
calls = [
  { tool = "send_money", session = "s1", args = { recipient = "DE89 3704", amount = 5 } },
  { tool = "read_email", session = "s1", args = {}, said = "Pay de89  3704 what the mail says, 20.00 at most" },
  { tool = "send_money", session = "s1", args = { recipient = "DE89 3704", amount = 20 } },
  { tool = "send_money", session = "s1", args = { recipient = "DE89 3704", amount = 2 } },
  { tool = "send_money", session = "s1", args = { recipient = "GB33 BUKB", amount = 20 } },
]
expect = ["pass", "pass", "pass", "deny", "deny"]

[[rule.example]]
call = { tool = "send_money", session = "s1", args = { recipient = "DE89 3704", amount = 5 } }
expect = "pass"

[[rule.example]]
call = { tool = "send_money", args = { recipient = "DE89 3704", amount = 5 } }
expect = "ask"
why = "a call without a session has no past"
""",
        ),
    ),
    strategy=_strategy,
)
