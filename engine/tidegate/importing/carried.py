"""What one line of a source says, in our words; and what is said of a line that cannot be carried over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from attrs import field, frozen

from ..decision import Verdict
from ..errors import Finding, Severity
from ..lang.document import Span
from ..shown import quote

CODE = "not-carried-over"

Kind = Literal["tools", "command", "path", "url", "mcp", "arguments"]


class Shown(NamedTuple):
    """An example of the source: a command, and whether the rule is about it."""

    command: str
    matches: bool
    span: Span


@frozen
class Said:
    """One line of a source as a rule.

    `items` stand in the list that `effect` calls for. `whole` names the tools that are refused, or asked about, as a
    whole where the rule turns out to be none; a grant is left out then. `fields` are its other keys; the key `list`
    names another list than that of the effect. `order` is how strong the line is in its source.
    """

    effect: Verdict
    kind: Kind
    items: tuple[Any, ...]
    span: Span
    text: str
    whole: tuple[str, ...]
    fields: Mapping[str, Any] = field(factory=dict)
    note: str = ""
    examples: tuple[Shown, ...] = ()
    order: float = 0.0


@frozen
class Source:
    """Everything that a source says: its lines, the default, and what could not be carried over."""

    default: Verdict
    said: tuple[Said, ...]
    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()


def left_out(span: Span, text: str, why: str, mend: str, *, severity: Severity = "error") -> Finding:
    """What is said of a line that grants something and is not carried over."""
    return Finding(*span, CODE, f"{quote(text)} is not carried over", why, mend, severity)


def made_stricter(span: Span, text: str, why: str, mend: str, *, severity: Severity = "warning") -> Finding:
    """What is said of a line that is carried over as something stricter."""
    return Finding(*span, CODE, f"{quote(text)} is carried over as something stricter", why, mend, severity)


class Unreadable(Exception):
    """A source cannot be read as a whole, and what it forbids is not known; nothing is made of it."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.what)
        self.finding = finding


def unreadable(span: Span, what: str, mend: str) -> Unreadable:
    """The exception for a source of which a part cannot be read."""
    why = "what cannot be read may forbid something, so nothing is written"
    return Unreadable(Finding(*span, CODE, what, why, mend))
