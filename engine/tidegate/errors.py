"""Every exception that tidegate raises, and the finding: one diagnostic about a rule file."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from attrs import frozen

Severity = Literal["error", "warning"]


class TidegateError(Exception):
    """Base of every exception that tidegate raises on purpose.

    Attributes:
        code: A stable upper-case word for programs; the text is for people.
    """

    code: str = "TIDEGATE"


class Veto(TidegateError):
    """A listener or guard refuses a call.

    The reason is said to the model: what was refused and what would be allowed, and no rule internals.
    """

    code = "VETOED"

    def __init__(self, reason: str, code: str = "VETOED") -> None:
        super().__init__(reason)
        self.reason = reason
        self.code = code


class CalledTwice(TidegateError):
    """A waterfall listener called `next` a second time, or after its dispatch had ended."""

    code = "CALLED_TWICE"


class InactiveContext(TidegateError):
    """Something was registered through a context whose plugin has been unloaded."""

    code = "INACTIVE_EFFECT"


class MissingService(TidegateError):
    """Plugins wait for services that nobody provides.

    Attributes:
        missing: Plugin name to the names of the services that it still waits for.
    """

    code = "MISSING_SERVICE"

    def __init__(self, missing: dict[str, tuple[str, ...]]) -> None:
        waits = (f"plugin `{name}` waits for {', '.join(services)}" for name, services in missing.items())
        super().__init__("; ".join(waits))
        self.missing = missing


class DuplicateName(TidegateError):
    """A tool or service of that name is already there."""

    code = "DUPLICATE_NAME"


class UnknownTool(TidegateError):
    """A call names a tool that nobody registered."""

    code = "UNKNOWN_TOOL"

    def __init__(self, name: str) -> None:
        super().__init__(f'unknown tool "{name}"')
        self.name = name


class ToolFailed(TidegateError):
    """A tool's call ended in an error result that no other exception stands for; `call` raises it."""

    code = "TOOL_FAILED"

    def __init__(self, message: str, code: str = "TOOL_FAILED") -> None:
        super().__init__(message)
        self.code = code


class ToolArgsError(TidegateError):
    """The arguments that a model made do not fit the tool's declared parameters.

    Attributes:
        violations: One text per violation, in the order of the declaration.
    """

    code = "INVALID_ARGS"

    def __init__(self, violations: Iterable[str]) -> None:
        self.violations = tuple(violations)
        super().__init__("invalid arguments: " + "; ".join(self.violations))


class SchemaError(TidegateError):
    """A parameter declaration uses something that tidegate cannot turn into JSON Schema."""

    code = "UNSUPPORTED_SCHEMA"


class CallError(TidegateError):
    """What was handed in is no call: not JSON, not an object, or with keys that no call has."""

    code = "NOT_A_CALL"


class UnsafePath(TidegateError):
    """A path leaves the root beneath which it had to be opened."""

    code = "UNSAFE_PATH"


class StateError(TidegateError):
    """A folder that should hold tidegate's own state is not safe to use, or there is none."""

    code = "UNSAFE_STATE"


class StoreError(TidegateError):
    """A store of counters is broken, full, locked or gone; limit rules answer by their `on_error`."""

    code = "STORE_FAILED"


@frozen
class Finding:
    """One diagnostic about a rule file, addressed to its author.

    Lines and columns count from 1, columns in code points; 0 stands for the file as a whole.
    The texts are lower case, without a full stop, and speak in TOML's words.
    """

    file: str
    line: int
    column: int
    code: str
    what: str
    why: str
    mend: str
    severity: Severity = "error"

    def __str__(self) -> str:
        """The finding as three lines: place and what, then `why:`, then `mend:`."""
        place = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        return f"{place}: {self.severity}[{self.code}]: {self.what}\n  why:  {self.why}\n  mend: {self.mend}"


@frozen(auto_exc=True)
class RuleError(TidegateError):
    """A rule set has errors, and no plan is made from it.

    Attributes:
        findings: Every finding of the set, warnings included, in file order.
    """

    findings: tuple[Finding, ...]
    code = "RULES"

    def __str__(self) -> str:
        """All findings, one below the other."""
        return "\n".join(map(str, self.findings))
