"""The fields that every rule has, whatever its kind."""

from __future__ import annotations

import datetime as dt
from typing import Any, Literal

from attrs import frozen

from ..kind import Phase, param

Globs = str | tuple[str, ...]


@frozen
class ConditionFields:
    """When a rule applies, or what it excepts; every key that is given must hold."""

    tool: Globs | None = param("Globs of tool names.", default=None)
    agent: Globs | None = param("Globs of agent names.", default=None)
    session: Globs | None = param("Globs of session names.", default=None)
    mode: Globs | None = param("Globs of the harness's own permission mode.", default=None)
    args: dict[str, Any] | None = param(
        "Arguments by name or JSON pointer: a glob, an array of globs, or a table of predicates. "
        "The empty pointer is the arguments as a whole.",
        default=None,
    )
    env: dict[str, Any] | None = param(
        "Variables of the environment by name: a glob, an array of globs, or a table of predicates. Where nobody "
        "attests an environment, it is unknown whether they hold.",
        default=None,
    )
    path: Globs | None = param("Globs of paths that the call reads, writes, deletes or lists.", default=None)
    url: Globs | None = param("Patterns of URLs that the call connects to.", default=None)
    command: Globs | None = param("Command patterns that the call runs.", default=None)
    expires: dt.date | None = param("The day after which an exception ends.", default=None)


@frozen
class ExampleFields:
    """One example of a rule's own answer."""

    expect: str | tuple[str, ...] | None = param(
        "What this rule alone answers: `deny`, `ask`, `allow`, `remind` or `pass`; one for each of `calls`.",
        default=None,
    )
    call: dict[str, Any] | None = param("The call, with `tool` and `args`.", default=None)
    calls: tuple[dict[str, Any], ...] | None = param(
        "Several calls in a row, each with `at` in seconds; for a limit with its end: `ends`, `returns`, `fails`.",
        default=None,
    )
    result: Any = param("What the tool returned, for a rule that shapes results.", default=None)
    expect_arguments: dict[str, Any] | None = param("The arguments after a rewrite.", default=None)
    expect_result: Any = param("The result after shaping.", default=None)
    links: dict[str, str] | None = param("Symlinks that exist during the example, by path.", default=None)
    resolves: dict[str, tuple[str, ...]] | None = param(
        "Where names lead during the example, each with its addresses; no other name leads anywhere.", default=None
    )
    env: dict[str, str] | None = param(
        "Variables of the environment during the example; without it nobody attests any.", default=None
    )
    why: str = param("What the example shows.", default="")


@frozen
class CommonFields:
    """What every rule may say beside the fields of its kind."""

    tools: tuple[str, ...] | None = param(
        "Globs of the tools that the rule is about; without it, every tool.", default=None
    )
    when: ConditionFields | None = param("The rule applies only where this holds.", default=None)
    mode: Literal["enforce", "monitor", "off"] = param(
        "`monitor` records what the rule would do and does nothing; `off` leaves it out.", default="enforce"
    )
    message: str = param("What the model is told when the rule refuses.", default="")
    why: str = param("Why the rule exists, for its readers.", default="")
    severity: Literal["info", "low", "medium", "high", "critical"] = param(
        "How bad it is when the rule refuses.", default="medium"
    )
    maps: tuple[str, ...] = param("Entries of risk catalogues that the rule answers, for coverage reports.", default=())
    expires: dt.date | None = param("The day after which its grants and exceptions end; its denies stay.", default=None)
    example: tuple[ExampleFields, ...] = param("Examples of the rule's own answer, which `check` runs.", default=())


@frozen
class GuardFields(CommonFields):
    """What a guard rule may say beside the fields of its kind."""

    except_: tuple[ConditionFields, ...] = param("What the rule does not refuse although its lists say so.", default=())
    effect: Literal["deny", "ask"] = param("What its `deny` list answers.", default="deny")
    otherwise: Literal["deny", "ask"] | None = param(
        "What it answers outside of `only`; with it, an `allow` list confines as well.", default=None
    )
    unknown: Literal["ask", "deny", "allow"] = param(
        "What it answers where nobody can tell whether its lists match.", default="ask"
    )
    code: Literal["ask", "deny", "allow"] | None = param(
        "What it answers for code that a call runs without showing it; by default `allow`, and `ask` where the same "
        "call wrote that code.",
        default=None,
    )


def common_fields(phase: Phase) -> type[CommonFields]:
    """The class of the common fields that a kind of this phase has."""
    return GuardFields if phase is Phase.GUARD else CommonFields
