"""What a test file may say: its top, and one `[[test]]`, which is an example with more to expect."""

from __future__ import annotations

from typing import Any

from attrs import frozen

from ..compile.fields import ExampleFields
from ..kind import param
from .fuzzing.invariants import InvariantFields

Names = str | tuple[str, ...]

DEFAULT = "(default)"
"""What stands in the place of a rule where the `default` of a layer decided."""


@frozen
class RuleTestFields(ExampleFields):
    """One test: a call, or several in a row, and what all rules together make of it."""

    expect: str | tuple[str, ...] | None = param(
        "The decision: `allow`, `ask` or `deny`; one for each of `calls`.", default=None
    )
    call: dict[str, Any] | None = param(
        "The call: `tool`, `args` and what else a recorded call has; for a limit with its end: `ends`, `returns`, "
        "`fails`.",
        default=None,
    )
    calls: tuple[dict[str, Any], ...] | None = param(
        "Several calls in a row, each with `at` in seconds by a clock that shows nothing else.", default=None
    )
    result: Any = param("What the tool returned to `call`.", default=None)
    expect_arguments: dict[str, Any] | None = param("The arguments of `call` as they would run.", default=None)
    expect_result: Any = param("The result of `call` as the model gets it.", default=None)
    name: str = param("Names the test in reports; without it, its number does.", default="")
    rule: Names | None = param(
        'The determining rule, `"(default)"` where none is; one for each of `calls`, or one for all.', default=None
    )
    not_rule: Names | None = param("Rules that must not be the determining one of any call.", default=None)
    only: Names | None = param(
        "The only rules that answer as strictly as the decision; for `allow`, the only ones that grant.", default=None
    )


@frozen
class RuleTestFileFields:
    """A test file."""

    version: int = param("The version of the rule language.")
    rules: str | None = param(
        "The project's rule file, relative to this one; without it, that of the command line.", default=None
    )
    managed: str | None = param("The rule file of the managed layer, relative to this one.", default=None)
    user: str | None = param("The rule file of the user's layer, relative to this one.", default=None)
    test: tuple[RuleTestFields, ...] = param("The tests, in the order in which they run.", default=())
    invariant: tuple[InvariantFields, ...] = param(
        "What must hold of every call, whatever it is; `tidegate fuzz` looks for calls that break it.", default=()
    )
