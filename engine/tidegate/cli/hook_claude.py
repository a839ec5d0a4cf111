"""The work behind `tidegate hook claude-code`: load, judge, answer."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from attrs import evolve

from ..adapters.claude_code import HANDLED, call_of, installed_hooks, read_event
from ..adapters.claude_code import answer as answer_to
from ..audit.jsonl import JsonlSink
from ..engine import Engine
from ..facts import Facts
from ..facts.counters import Counters
from ..facts.local import local_facts


def answer(rules: str | None, managed: str | None, user: str | None, audit: str | None, data: bytes) -> bytes:
    """The answer to the event in *data* as it is written, empty for an event that is none of ours.

    Raises:
        CallError: The event cannot be read, or is about no call.
        RuleError: The rules have an error.
        Exception: Anything else went wrong; whoever calls refuses.
    """
    event = read_event(data)
    if event["hook_event_name"] not in HANDLED:
        return b""
    call = call_of(event, os.environ)
    with ExitStack() as stack:
        recorders = [] if audit is None else [stack.enter_context(JsonlSink(Path(audit)))]
        facts = _facts(call.cwd or "/", audit)
        engine = Engine.load(rules, managed=managed, user=user, facts=facts, recorders=recorders)
        said = answer_to(engine, event, os.environ)
    return b"" if said is None else json.dumps(said, allow_nan=False).encode() + b"\n"


def _facts(cwd: str, audit: str | None) -> Facts:
    """This machine, with the hooks themselves protected, and with counters that outlive the process."""
    facts = local_facts()
    own = [*facts.own, *installed_hooks(cwd, facts.home, os.environ)]
    if audit is not None:
        own.append(Path(audit).absolute().as_posix())
    return evolve(facts, own=tuple(own), counters=_lasting(facts.counters))


def _lasting(counters: Callable[[str], Counters]) -> Callable[[str], Counters]:
    """Counters of the store `memory` in a file: each call has a process of its own, which would count to one."""
    return lambda store: counters("sqlite" if store == "memory" else store)
