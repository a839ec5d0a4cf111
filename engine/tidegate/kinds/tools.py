"""`tools`: which tools may be used at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from attrs import frozen

from ..kind import Case, Effect, EffectKind, Example, Guard, Kind, Phase, Seeks, Setting, Tool, Tri, param
from ..meaning.names import name_test, widened_name_test

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


@frozen
class Tools:
    """Allow, refuse or confine tools by their names.

    A grant for a tool covers its use, the paths, URLs and SQL that its arguments hold, and arguments that no binding
    names. It never covers what a command does, unless the rule says `commands = "any"`: a shell is every tool.

    A deny sees through case, blanks around a name and look-alike characters; a grant is for exactly the name.
    The rule looks at names only: two tools of one name on two MCP servers are told apart by the kind `mcp`.
    """

    allow: tuple[str, ...] | None = param("Globs of tools that may be used.", default=None)
    deny: tuple[str, ...] | None = param("Globs of tools that may not be used.", default=None)
    only: tuple[str, ...] | None = param("Globs of the only tools that may be used.", default=None)
    commands: Literal["any"] | None = param(
        'With `"any"` a grant covers whatever the commands of the tool do.', default=None
    )


_OWN: frozenset[EffectKind] = frozenset({"use", "read", "write", "delete", "list", "connect", "query", "mention"})
_ALL: frozenset[EffectKind] = _OWN | {"exec", "code", "unknown"}


def compile_tools(fields: Tools, setting: Setting) -> Guard:
    """Match the name of the tool."""
    confined = fields.only or (fields.allow if setting.otherwise else None)
    granted = name_test(fields.allow or ())
    denied = widened_name_test(fields.deny or ())
    inside = name_test(confined or ())
    any_command = fields.commands == "any"

    def grants(effect: Effect, case: Case) -> Tri:
        return granted(case.call.tool.name) and (any_command or effect.span is None)

    def denies(_: Effect, case: Case) -> Tri:
        return denied(case.call.tool.name)

    def confines(_: Effect, case: Case) -> Tri:
        return inside(case.call.tool.name)

    def names(tool: Tool) -> bool:
        return granted(tool.name) or denied(tool.name)

    return Guard(
        grants=grants if fields.allow else None,
        denies=denies if fields.deny else None,
        confines=confines if confined else None,
        about=frozenset({"use"}),
        covers=_ALL if any_command else _OWN,
        offer=", ".join(f"`{name}`" for name in confined or fields.allow or ()),
        whole=True,
        seeks=None if confined else Seeks(tool=names),
    )


def _strategy() -> SearchStrategy[Tools]:
    from hypothesis import strategies as st

    globs = st.sampled_from(["*", "read_*", "*_file", "run_bash", "mcp__git__*", "web_?etch"])
    lists = st.lists(globs, min_size=1, max_size=3, unique=True).map(tuple)
    commands = st.sampled_from([None, "any"])
    granting = st.builds(Tools, allow=lists, deny=st.none() | lists, commands=commands)
    return granting | st.builds(Tools, deny=lists, only=st.none() | lists)


KIND = Kind(
    name="tools",
    phase=Phase.GUARD,
    fields=Tools,
    compile=compile_tools,
    examples=(
        Example(
            "Two harmless tools",
            """\
[[rule]]
id = "harmless-tools"
kind = "tools"
allow = ["get_time", "web_search"]

[[rule.example]]
call = { tool = "get_time", args = { zone = "UTC" } }
expect = "allow"

[[rule.example]]
call = { tool = "Get_Time", args = {} }
expect = "pass"
why = "a grant is for exactly the name"
""",
        ),
        Example(
            "A tool that nobody may use",
            """\
[[rule]]
id = "no-mail"
kind = "tools"
deny = ["send_*"]
message = "mail is sent by people; write a draft"

[[rule.example]]
call = { tool = "send_email", args = { to = "a@example.com" } }
expect = "deny"

[[rule.example]]
call = { tool = " SEND_EMAIL", args = {} }
expect = "deny"
why = "a deny sees through case and blanks"

[[rule.example]]
call = { tool = "resend", args = {} }
expect = "pass"
""",
        ),
        Example(
            "Nothing but these",
            """\
[[rule]]
id = "reading-only"
kind = "tools"
only = ["read_*", "list_*"]
otherwise = "ask"

[[rule.example]]
call = { tool = "write_file", args = { path = "a.txt", content = "x" } }
expect = "ask"

[[rule.example]]
call = { tool = "read_file", args = { path = "a.txt" } }
expect = "pass"
why = "a confinement grants nothing"
""",
        ),
    ),
    strategy=_strategy,
)
