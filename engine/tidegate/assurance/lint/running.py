"""Pairs of grants that are harmless alone: one writes the code that the other one runs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice

from ...call import Call
from ...compile.stage import ROOT
from ...meaning.effects import CodeTarget
from ...shown import quote
from ..clauses import Clause
from .looking import Looking, Said, Undecided, Witness, slip


def writes_what_runs(look: Looking) -> Iterator[Said]:
    """Pairs of grants by which a call may write the code that another call may run."""
    grants = [clause for clause in look.clauses if clause.grants and clause.kind == "command" and not clause.whole]
    writes = bool(grants) and _write(look, _ANY_FILE) is not None
    for clause in grants:
        if len(clause.key) > 1:
            yield from _written_and_run(look, clause, writes=writes)


def _written_and_run(look: Looking, clause: Clause, *, writes: bool) -> Iterator[Said]:
    """What is said of one grant; *writes* tells whether calls may write anything in the project."""
    unseen: str | None = None
    for call, codes in _runs(look, clause):
        files = dict.fromkeys(name for code in codes for path in code.paths for name in path.names)
        if not files and (unseen is not None or not writes):
            continue
        decision = look.bench.decide(call)
        if decision is None or decision.effect != "allow":
            continue
        for file in files:
            written = _write(look, file) if isinstance(file, str) else None
            if written is not None:
                yield from _found(look, clause, written, call)
                return
        unseen = unseen or next((code.what for code in codes if not code.paths), None)
    if unseen is not None and writes:
        yield Undecided(clause.raw.address, "writes-what-runs", f"in which files stands {unseen}, is not known")


_ANY_FILE = f"{ROOT}/x.py"


def _write(look: Looking, file: str) -> Witness | None:
    """A call that may write the file."""
    writes = look.prober.of_path(file, look.prober.tools.names, frozenset({"write"}))
    return look.first(writes, partial(_is_written, look))


def _found(look: Looking, clause: Clause, written: Witness, call: Call) -> Iterator[Said]:
    decision = look.bench.decide(written.call)
    writer = decision.rule if decision is not None else None
    by = f"rule {quote(writer)}" if writer is not None else "`default`"
    yield from slip(
        clause.raw,
        clause.key,
        "writes-what-runs",
        f"{quote(str(clause.value))} runs code that {by} lets a call write",
        "two harmless grants together run whatever the agent likes, and nobody reads what it wrote",
        'keep such code from being written, ask with `code = "ask"`, or run it in a sandbox',
        [written, Witness(call, "it is allowed, and runs that file")],
    )


def _runs(look: Looking, clause: Clause) -> Iterator[tuple[Call, list[CodeTarget]]]:
    """Calls that the grant may let through, with the code that they run without showing it."""
    text = clause.items[0].text
    words = text.removesuffix(" ...")
    files = ("x.py", "x.sh", "x.js") if text != words else ()
    names = look.prober.tools.of(clause.raw.fields.get("tools"))
    for command in (words, *(f"{words} {file}" for file in files)):
        for call in islice(look.prober.of_command(command, names), 1) if "*" not in command else ():
            codes = [one.target for one in look.bench.effects(call) if isinstance(one.target, CodeTarget)]
            if codes:
                yield call, codes


def _is_written(look: Looking, call: Call) -> str | None:
    decision = look.bench.decide(call)
    if decision is None or decision.effect != "allow":
        return None
    return f"it is allowed by {quote(decision.rule)}" if decision.rule is not None else "it is allowed"
