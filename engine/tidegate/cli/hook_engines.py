"""Where an engine comes from when each event has a process of its own: loaded anew, with counters that outlive it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

from attrs import evolve

from ..adapters.hook_answers import Wanted
from ..adapters.hook_reply import harness_of
from ..audit.jsonl import JsonlSink
from ..call import Call
from ..compile.compiler import Outcome
from ..engine import Engine, Sources, read
from ..facts import Facts
from ..facts.counters import Counters
from ..facts.local import local_facts


def fresh(wanted: Wanted, call: Call) -> AbstractContextManager[Engine]:
    """An engine for one call of this process.

    Raises:
        RuleError: The rules have an error.
    """
    return engine_of(read, wanted, call)


@contextmanager
def engine_of(reading: Callable[[Sources, Facts], Outcome], wanted: Wanted, call: Call) -> Iterator[Engine]:
    """An engine for one call, its rules read by *reading*.

    Raises:
        RuleError: The rules have an error.
    """
    with ExitStack() as stack:
        recorders = [] if wanted.audit is None else [stack.enter_context(JsonlSink(Path(wanted.audit)))]
        facts = hook_facts(local_facts(closing=stack), wanted, call, os.environ)
        sources = Sources(wanted.managed, wanted.rules, wanted.user)
        yield Engine(reading(sources, facts), sources, facts, recorders)


def hook_facts(facts: Facts, wanted: Wanted, call: Call, environ: Mapping[str, str]) -> Facts:
    """*facts* with the hooks themselves and the records protected, and with counters that outlive a process."""
    own = [*facts.own, *harness_of(wanted.harness).installed_hooks(call.cwd or "/", facts.home, environ)]
    own += _resident()
    if wanted.audit is not None:
        own.append(Path(wanted.audit).absolute().as_posix())
    return evolve(facts, own=tuple(own), counters=_lasting(facts.counters))


def _resident() -> list[str]:
    """The folder in which hooks look for a resident."""
    if sys.platform == "win32":
        return []
    from ..resident.asking import account_folder

    folder = account_folder()
    return [] if folder is None else [folder]


def _lasting(counters: Callable[[str], Counters]) -> Callable[[str], Counters]:
    """Counters of the store `memory` in a file: each call has a process of its own, which would count to one."""
    return lambda store: counters("sqlite" if store == "memory" else store)
