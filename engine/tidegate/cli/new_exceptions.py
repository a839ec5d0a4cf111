"""`tidegate new exceptions`: let what was recorded pass, narrowly and for a time."""

from __future__ import annotations

import datetime as dt
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from attrs import define, evolve, field, frozen

from ..audit.recorded import Recorded, read_records
from ..call import Call
from ..calls import read_calls
from ..compile.compiler import compile_plan
from ..errors import RuleError
from ..facts import Facts
from ..facts.counters import MemoryCounters
from ..facts.local import local_facts
from ..kind import Setting
from ..lang.layers import load
from ..limiting.rates import DAY, counted, read_span
from ..meaning.commands.table import Table
from ..plan.rule import Rule
from .excepting import Lifted, exceptions_for
from .exception_file import Excepted, Reach, rendered
from .jsonlines import bounded_lines, dump, opened
from .loading import FILE, layer_options
from .terminal import errors, output, safe


@frozen
class Wanted:
    """What the command was called with."""

    records: str
    rules: Path
    calls: str | None
    only: tuple[str, ...]
    ttl: str
    out: Path
    managed: Path | None
    user: Path | None
    widen: bool
    as_json: bool


@click.command("exceptions", short_help="Write exceptions that end, from recorded decisions.")
@click.argument("records")
@click.option("--rules", type=FILE, default=Path("rules.toml"), help="The project's rule file.")
@layer_options
@click.option("--calls", metavar="FILE", help="The calls that were decided, where RECORDS is what `decide` printed.")
@click.option("--rule", "only", metavar="ID", multiple=True, help="Only what this rule refused; may be repeated.")
@click.option("--ttl", default="30d", metavar="TIME", help="After which time the exceptions end, in whole days.")
@click.option("--widen", is_flag=True, help="Except the folder, host or kind of command, not just what was seen.")
@click.option("--out", type=FILE, default=Path("exceptions.toml"), help="Where to write it; `-` prints it.")
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object.")
def exceptions(**options: Any) -> int:
    """Write a file of exceptions by which calls pass that were refused or asked about.

    RECORDS are decision records, or what `tidegate decide` printed (then `--calls` names the calls). An exception names
    the tool, the agent, and exactly what was refused; there is none for a call of which nobody can tell what it does,
    nor for one that a rule refuses from which nothing may be excepted. Read the file before the project's rule file
    includes it: it is made of what the rules stopped. `tidegate check` warns 14 days before the exceptions end.
    """
    wanted = Wanted(**options)
    printed = str(wanted.out) == "-"
    if not printed and wanted.out.exists():
        raise click.UsageError(f"`{wanted.out}` is there already; name another file, or print with `--out -`")
    facts = local_facts()
    now = facts.clock.now()
    days = _days(wanted.ttl)
    found = _found(wanted, evolve(facts, counters=_no_counts()))
    today = dt.datetime.fromtimestamp(now, dt.UTC).date()
    text = rendered(found.rules.values(), found.reach, today, today + dt.timedelta(days=days)) if found.rules else ""
    if text and not printed:
        with wanted.out.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    _tell(found, wanted, text)
    return 0


@define
class _Found:
    """The rules with their exceptions, how many calls they let pass, and why which others are passed over."""

    reach: Reach
    only: tuple[str, ...]
    rules: dict[str, Excepted] = field(factory=dict)
    passed_over: Counter[str] = field(factory=Counter)
    calls: int = 0

    def why_not(self, rule: Rule) -> str:
        """Why nothing may be excepted from the rule, or nobody asked for it; nothing where it may."""
        if self.only and rule.id not in self.only:
            return f"`{rule.id}` refuses it as well"
        return self.reach.why_not(rule)


def _days(text: str) -> int:
    """The days of a length of time, as limits write it.

    Raises:
        UsageError: It is none.
    """
    setting = Setting("", "deny", None, Table.builtin())
    seconds = read_span(text, "ttl", setting)
    if setting.problems:
        raise click.UsageError(f"`--ttl`: {setting.problems[0].what}; {setting.problems[0].mend}")
    return -(-seconds // DAY)


def _no_counts() -> Any:
    """Counters in which nothing was ever counted: what a limit says today does not matter for a recorded call."""
    empty = MemoryCounters()
    return lambda _: empty


def _found(wanted: Wanted, facts: Facts) -> _Found:
    loaded = load(managed=wanted.managed, project=wanted.rules, user=wanted.user, base=Path.cwd())
    outcome = compile_plan(loaded, now=facts.clock.now(), protect=facts.own)
    if outcome.plan is None:
        raise RuleError(outcome.findings)
    folder = (wanted.rules if str(wanted.out) == "-" else wanted.out).absolute().parent
    found = _Found(Reach(loaded, folder), wanted.only)
    for one in _records(wanted):
        if one.call is None:
            found.passed_over[one.reason] += 1
        elif one.effect != "allow" and (not wanted.only or one.rule in wanted.only):
            lifted = exceptions_for(one.call, outcome.plan, facts, found.why_not, widen=wanted.widen)
            _note(one, one.call, lifted, found)
    return found


def _records(wanted: Wanted) -> Iterator[Recorded]:
    with opened(wanted.records) as stream:
        if wanted.calls is None:
            yield from read_records(bounded_lines(stream))
            return
        with opened(wanted.calls) as calls:
            yield from read_records(bounded_lines(stream), read_calls(bounded_lines(calls)))


def _note(one: Recorded, call: Call, lifted: Lifted, found: _Found) -> None:
    """Add what a call needs, or why it cannot have it."""
    if lifted.why_not:
        found.passed_over[f"{call.tool.name}: {lifted.why_not}"] += 1
        return
    found.calls += 1
    for rule, table in lifted.exceptions:
        raw = found.reach.raw(rule)
        said = one.reason if one.rule == rule.id else rule.message
        found.rules.setdefault(f"{raw.layer}:{raw.address}", Excepted(raw, said)).add(table, call.at)


def _tell(found: _Found, wanted: Wanted, text: str) -> None:
    """Say what was written, and what was passed over and why."""
    count = sum(len(one.exceptions) for one in found.rules.values())
    printed = str(wanted.out) == "-"
    if wanted.as_json:
        over = [{"why": why, "calls": calls} for why, calls in found.passed_over.items()]
        wrote = None if printed or not text else str(wanted.out)
        value = {"wrote": wrote, "exceptions": count, "calls": found.calls, "passed_over": over, "toml": text}
        output().line(dump(value))
        return
    for why, calls in found.passed_over.items():
        errors().line(f"passed over: {safe(why)}{f' ({calls} times)' if calls > 1 else ''}")
    if not text:
        output().line("wrote nothing" if found.passed_over else "no exception is needed")
    elif printed:
        sys.stdout.write(text)
    else:
        said = f"{counted(count, 'exception')} for {counted(found.calls, 'call')}"
        output().line(f"wrote {wanted.out}: {said}; read it, then include it in {wanted.rules}")
