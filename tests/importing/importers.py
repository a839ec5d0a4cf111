"""Policies of other tools as rules of ours, and what these rules say of a call."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from tidegate.call import Call, Tool
from tidegate.cli.importing import _reader
from tidegate.compile.compiler import compile_plan
from tidegate.facts import Facts
from tidegate.facts.local import local_facts
from tidegate.importing.written import Written, written
from tidegate.kernel.json_values import snapshot
from tidegate.lang.layers import loads
from tidegate.plan.plan import Plan
from tidegate.plan.sitting import Sitting
from tidegate.service.elsewhere import facts_of

HERE = {"cwd": "/srv/shop", "root": "/srv/shop", "home": "/home/dev"}


def imported(source: str, text: str, file: str = "given") -> Written:
    """The rules and findings of a source."""
    read, tool = _reader(source)
    return written(read(text, file), (f"Made from {file}.",), tool)


def plan_of(made: Written) -> Plan:
    """The plan that the rules make; they always make one."""
    outcome = compile_plan(loads(made.text), now=0.0)

    assert outcome.plan is not None, [str(found) for found in outcome.findings]
    return outcome.plan


@cache
def facts() -> Facts:
    """A machine on which no link is."""
    return facts_of("plain", local_facts(Path(tempfile.gettempdir()) / "tidegate-importing-tests"), ())


def effect(plan: Plan, tool: str | Tool, **arguments: Any) -> str:
    """What the rules say of a call in a project."""
    named = tool if isinstance(tool, Tool) else Tool(tool)
    sitting = Sitting(plan, Call(named, snapshot(arguments), **HERE), facts())
    sitting.take_all()
    return sitting.settle().effect
