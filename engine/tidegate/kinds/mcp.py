"""`mcp`: which tools, resources and prompts of MCP servers may be used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Literal

from attrs import frozen

from ..kernel.told import Told
from ..kind import (
    Case,
    Effect,
    EffectKind,
    Example,
    Guard,
    Kind,
    Phase,
    Problem,
    Setting,
    Tool,
    Tri,
    Unknown,
    all_of,
    param,
)
from ..meaning.lookalikes import fold
from ..pins import BadPins, Pins, read_pins
from ..served import TOOL
from ..served_names import ServedNames, ServedPattern

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Hint = Literal["read-only", "not-destructive", "idempotent", "closed-world"]


@frozen
class Mcp:
    """Grant, refuse, or confine to tools, resources and prompts of MCP servers, by server and name.

    A pattern is `server/tool`, `resource:server/uri`, `prompt:server/name`, or `request:server/method` for what a
    server asks of its client through the proxy (`sampling/createMessage`, `elicitation/create`, `roots/list`); `*`
    stands for any characters and `?` for one, in the server's name and in what follows the first `/`. Servers and
    names are those that the harness attests, never taken from a joined name: a grant for `github/*` says nothing of a
    tool that merely calls itself `mcp__github__x`, nor of a server `GitHub`. A `deny` sees both, and look-alikes; with
    `lookalikes` so do `allow` and `only`, which then refuse what only looks like something that they name.

    **Hints.** What a server says in the annotations of a tool (`readOnlyHint` and so on) is its own word, so that it
    tightens and never grants: `hints` are asked for in addition, and a tool that does not say them is refused as if it
    were outside of `only`, and not granted. What it does not say counts as MCP's default: it writes, destroys, and
    reaches the world.

    **Pins.** With `pin`, a tool is granted only while the server says of it what it said when it was pinned: its
    description, title, annotations, input and output schema (`tidegate new pins` writes the file). A tool that says
    something else is refused, whatever other rules grant, until somebody looks at it and pins it again; one that was
    never pinned is not granted by this rule, and lies outside of its `only`. Where nobody attests what the server says
    (most hooks do not), the rule grants nothing and what is inside of `only` is unknown.

    **Limits.** A pin holds what a model reads, and not the code behind it: the server can still do something else
    under the same words. What a grant covers of the arguments is what a grant of the kind `tools` covers.
    """

    allow: tuple[str, ...] | None = param("Globs of what may be used.", default=None)
    deny: tuple[str, ...] | None = param("Globs of what may not be used.", default=None)
    only: tuple[str, ...] | None = param("Globs of the only things of servers that may be used.", default=None)
    hints: tuple[Hint, ...] | None = param("What a tool must say of itself as well.", default=None)
    pin: str | None = param("A file of pins, relative to the rule's own file.", default=None)
    lookalikes: bool = param(
        "With `true`, what looks like something in `allow` or `only` and is none of it is refused.", default=False
    )


_OWN: frozenset[EffectKind] = frozenset({"use", "read", "write", "delete", "list", "connect", "query", "mention"})

CHANGED = "the server says something else of this tool than when it was pinned"
ALIKE = "its name only looks like one that is meant"


def compile_mcp(fields: Mcp, setting: Setting) -> Guard:
    """Read the patterns and the file of pins."""
    listed = {
        key: setting.patterns(key, texts, ServedPattern.of)
        for key, texts in (("allow", fields.allow), ("deny", fields.deny), ("only", fields.only))
    }
    confined = listed["only"] or (listed["allow"] if setting.otherwise else ())
    pins = _pins(fields, listed["allow"], setting)
    allowed, denied, inside = ServedNames(listed["allow"]), ServedNames(listed["deny"]), ServedNames(confined)
    named = ServedNames((*listed["allow"], *listed["only"]))
    needs = tuple(_hint(hint) for hint in fields.hints or ())

    def holds(tool: Tool) -> Tri:
        return all_of([_pinned(tool, pins), *(need(tool) for need in needs)])

    def changed(tool: Tool) -> bool:
        return tool.told is not None and pins.get((tool.server, tool.raw), tool.told.digest) != tool.told.digest

    def alike(tool: Tool) -> bool:
        return fields.lookalikes and named.wide(tool) and not named.exact(tool)

    def grants(effect: Effect, case: Case) -> Tri:
        tool = case.call.tool
        return allowed.exact(tool) and effect.span is None and holds(tool)

    def denies(_: Effect, case: Case) -> Tri:
        tool = case.call.tool
        return denied.wide(tool) or changed(tool) or alike(tool)

    def confines(_: Effect, case: Case) -> Tri:
        tool = case.call.tool
        if not tool.origin:
            # A tool of the host itself is none of this rule's business, if it is one.
            return Unknown("nobody attests its server") if fold(tool.name).strip().startswith("mcp_") else True
        return (not confined or inside.exact(tool)) and holds(tool)

    def explains(field: str, case: Case) -> str:
        tool = case.call.tool
        if field != "deny" or denied.wide(tool):
            return ""
        return CHANGED if changed(tool) else ALIKE

    return Guard(
        grants=grants if fields.allow else None,
        denies=denies if fields.deny or pins or fields.lookalikes else None,
        confines=confines if confined or needs else None,
        about=frozenset({"use"}),
        covers=_OWN,
        offer=", ".join(f"`{name}`" for name in fields.only or fields.allow or ()),
        whole=True,
        explains=explains,
    )


def _pinned(tool: Tool, pins: Pins) -> Tri:
    """Whether the server says of a tool what was pinned; where nothing is pinned, and of other things, it may."""
    if not pins or tool.origin != TOOL:
        return True
    if tool.told is None:
        return Unknown("nobody attests what the server says of the tool")
    return pins.get((tool.server, tool.raw)) == tool.told.digest


def _hint(hint: Hint) -> Callable[[Tool], Tri]:
    """A test for what a tool says of itself; resources are only read, and prompts only fetched."""
    said = _SAID[hint]

    def says(tool: Tool) -> Tri:
        if tool.origin != TOOL:
            return True
        return Unknown("nobody attests what the server says of the tool") if tool.told is None else said(tool.told)

    return says


def _not_destructive(told: Told) -> bool:
    destroys = told.hint("destructiveHint")
    return destroys is False or (destroys is None and told.hint("readOnlyHint") is True)


_SAID: Mapping[Hint, Callable[[Told], bool]] = {
    "read-only": lambda told: told.hint("readOnlyHint") is True and told.hint("destructiveHint") is not True,
    "not-destructive": _not_destructive,
    "idempotent": lambda told: told.hint("idempotentHint") is True,
    "closed-world": lambda told: told.hint("openWorldHint") is False,
}


def _pins(fields: Mcp, allowed: Iterable[ServedPattern], setting: Setting) -> Pins:
    """The pins of the rule's file; a tool that the rule allows by name and that has no pin is told of."""
    if fields.pin is None:
        return {}
    try:
        pins = read_pins(setting.file(fields.pin))
    except (OSError, BadPins) as error:
        why = (isinstance(error, OSError) and error.strerror) or str(error)
        what = f"`{fields.pin}` cannot be read: {why}"
        setting.problem(("pin",), "bad-pins", what, "no tool could be told from one that changed", _MAKE)
        return {}
    if not pins:
        what = f"`{fields.pin}` holds no pin"
        setting.problem(("pin",), "bad-pins", what, "no tool could be told from one that changed", _MAKE)
    for at, pattern in enumerate(allowed):
        if pattern.literal and pattern.origin == TOOL and (pattern.server, pattern.name) not in pins:
            what = f"`{pattern.server}/{pattern.name}` has no pin in `{fields.pin}`"
            why = "the rule never grants a tool that was not pinned"
            setting.problems.append(Problem(("allow", at), "unpinned-tool", what, why, _MAKE, "warning"))
    return pins


_MAKE = "write the file with `tidegate new pins --server NAME=COMMAND --out FILE`"


def _strategy() -> SearchStrategy[Mcp]:
    from hypothesis import strategies as st

    patterns = st.sampled_from(["github/*", "git*/get_*", "files/read_file", "*/delete_?", "resource:files/file:///**"])
    lists = st.lists(patterns, min_size=1, max_size=3, unique=True).map(tuple)
    hints = st.lists(st.sampled_from(sorted(_SAID)), min_size=1, unique=True).map(tuple)
    return st.builds(
        Mcp,
        allow=st.none() | lists,
        deny=st.none() | lists,
        only=lists,
        hints=st.none() | hints,
    )


KIND = Kind(
    name="mcp",
    phase=Phase.GUARD,
    fields=Mcp,
    compile=compile_mcp,
    examples=(
        Example(
            "Issues may be read and written",
            """\
[[rule]]
id = "issues"
kind = "mcp"
allow = ["github/get_issue", "github/*_issue_comment", "resource:github/repo://acme/*"]
otherwise = "deny"
lookalikes = true

[[rule.example]]
call = { tool = { server = "github", name = "add_issue_comment" }, args = { body = "done" } }
expect = "allow"

[[rule.example]]
call = { tool = { server = "github", resource = "repo://acme/site/README.md" }, args = {} }
expect = "allow"

[[rule.example]]
call = { tool = { server = "GitHub", name = "get_issue" }, args = {} }
expect = "deny"
why = "another server calls itself almost the same"

[[rule.example]]
call = { tool = { server = "github", name = "delete_repository" }, args = {} }
expect = "deny"

[[rule.example]]
call = { tool = "read_file", args = { path = "a" } }
expect = "pass"
why = "the host's own tools are none of its business"
""",
        ),
        Example(
            "A server that is not to be used",
            """\
[[rule]]
id = "no-mail-server"
kind = "mcp"
deny = ["mail/*"]

[[rule.example]]
call = { tool = { server = "mail", name = "send" }, args = {} }
expect = "deny"

[[rule.example]]
call = { tool = "mcp__mail__send", args = {} }
expect = "deny"
why = "a harness that tells only the joined name is understood"

[[rule.example]]
call = { tool = { server = "mailing-lists", name = "send" }, args = {} }
expect = "pass"
""",
        ),
        Example(
            "A person is asked before anything is destroyed",
            """\
[[rule]]
id = "destructive-tools"
kind = "mcp"
hints = ["not-destructive"]
otherwise = "ask"

[[rule.example]]
call = { tool = { server = "db", name = "list_tables", annotations = { readOnlyHint = true } }, args = {} }
expect = "pass"
why = "a hint grants nothing"

[[rule.example]]
call = { tool = { server = "db", name = "add_row", annotations = { idempotentHint = false } }, args = {} }
expect = "ask"
why = "what it does not say of destroying counts as yes"

[[rule.example]]
call = { tool = { server = "db", name = "list_tables" }, args = {} }
expect = "ask"
why = "nobody attests what it says"
""",
        ),
    ),
    strategy=_strategy,
)
