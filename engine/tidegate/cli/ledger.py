"""What became of calls that were run: a row for each as it ends, and a sum over all."""

from __future__ import annotations

from collections import Counter
from typing import Any

from attrs import frozen

from ..kernel import ToolExecutionResult
from ..shown import escape
from .jsonlines import dump
from .terminal import Screen, fit, fit_middle, safe, table, verdict

LONGEST_TOOL = 200


@frozen
class Row:
    """One call that was decided, and run if it was allowed.

    `asked` tells that a rule asked, whatever came of it; `original` are the arguments as they came, where a rule
    has rewritten them. `result` is `None` for a line that is no call; `shaped` names the rules that changed it.
    """

    line: int
    call_id: str
    tool: str
    effect: str
    asked: bool
    rule: str | None
    reason: str
    arguments: Any
    original: Any = None
    would: str | None = None
    result: ToolExecutionResult | None = None
    shaped: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """The effect in a word, with the question before it where there was one."""
        return f"ask>{self.effect}" if self.asked else self.effect

    @property
    def outcome(self) -> str:
        """What came of running it, in a word."""
        if self.effect != "allow" or self.result is None:
            return "-"
        return "failed" if self.result.is_error else "ok"

    def as_json(self) -> dict[str, Any]:
        """The row as a JSON object."""
        value: dict[str, Any] = {
            "line": self.line,
            "call_id": self.call_id,
            "tool": self.tool,
            "effect": self.effect,
            "asked": self.asked,
            "rule": self.rule,
            "reason": self.reason,
            "arguments": self.arguments,
            "original": self.original,
        }
        if self.would is not None:
            value["would"] = self.would
        result = self.result
        value["result"] = None
        if result is not None:
            value["result"] = {"is_error": result.is_error, "text": result.text, "structured": result.structured}
            value["shaped"] = list(self.shaped)
        return value


class Ledger:
    """Writes rows as they come, then the sum."""

    def __init__(self, screen: Screen, *, json: bool) -> None:
        self._screen = screen
        self._json = json
        self._counts: Counter[tuple[str, str]] = Counter()
        self._wide = max(14, min(36, screen.width // 4))
        self._cut: dict[str, str] = {}
        self.all_allowed = True

    def head(self) -> None:
        """Write the headings."""
        if not self._json:
            self._screen.line(
                self._screen.paint(self._columns("line", "verdict", "ran", "tool", "rule", "call"), "bold")
            )

    def add(self, row: Row) -> None:
        """Write one row, and below it why it was refused, or how it was rewritten or its result changed."""
        self.all_allowed = self.all_allowed and row.effect == "allow"
        self._counts[row.verdict, row.rule or "(default)"] += 1
        if self._json:
            self._screen.line(dump(row.as_json()))
            return
        shown = "" if row.arguments is None else dump(row.arguments)
        line = self._columns(str(row.line), row.verdict, row.outcome, row.tool, row.rule or "(default)", shown)
        self._screen.line(self._screen.paint(line, *verdict(row.effect)[:1]))
        for note in _notes(row):
            self._screen.line(self._screen.paint(f"      {safe(note)}", "dim"))

    def sum_up(self) -> None:
        """Write how often which rule led to which verdict."""
        if self._json:
            return
        self._screen.line()
        rows = [
            (effect, rule, str(count))
            for (effect, rule), count in sorted(self._counts.items(), key=lambda item: (item[0][0], -item[1]))
        ]
        if rows:
            table(self._screen, ("verdict", "rule", "calls"), rows)
        total = Counter[str]()
        for (effect, _), count in self._counts.items():
            total[effect] += count
        said = ", ".join(f"{count} {effect}" for effect, count in sorted(total.items()))
        self._screen.line(f"{total.total()} calls: {said or 'none'}")

    def _tool(self, name: str) -> str:
        """The name in its column; one that would be cut to what another was cut to stands there whole."""
        cell = fit_middle(name, self._wide)
        return cell if self._cut.setdefault(cell, name) == name else escape(name, LONGEST_TOOL)

    def _columns(self, line: str, effect: str, outcome: str, tool: str, rule: str, call: str) -> str:
        cells = [f"{line:>4}", fit(effect, 9), fit(outcome, 6), self._tool(tool), fit(rule, 24)]
        head = "  ".join(cells)
        return f"{head}  {fit(call, max(self._screen.width - len(head) - 2, 20)).rstrip()}"


def _notes(row: Row) -> list[str]:
    notes = []
    if row.effect != "allow" and row.reason:
        notes.append(row.reason)
    if row.original is not None:
        notes.append(f"rewritten; it said {dump(row.original)}")
    if row.would is not None:
        notes.append(f"monitored rules would say {row.would}")
    if row.shaped and row.result is not None:
        size = len(row.result.text.encode("utf-8", "replace"))
        notes.append(f"result changed by {', '.join(row.shaped)}; {size:,} bytes of text came back")
    if row.outcome == "failed" and row.result is not None:
        notes.append(row.result.text)
    return notes
