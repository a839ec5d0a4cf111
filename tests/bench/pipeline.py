"""What the guarded pipeline costs over a bare await. Run as a program; prints one line for each case.

The contestants take turns in short rounds, and the best round of each counts, as speed of a shared machine
changes all the time. Nothing is asserted.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from time import perf_counter

from tidegate.kernel import Context, ToolExecution, ToolRegistry, define_tool, tool

ROUNDS = 300
CALLS = 100
ARGUMENTS = {"path": "src/a.py", "limit": 10}
SPEC = {"path": {"type": "string", "required": True}, "limit": {"type": "integer"}}

Contestant = Callable[[], Awaitable[object]]


async def body(args: dict[str, object]) -> str:
    """The tool."""
    return f"read {args['path']}"


def registry_with(*events: str, guards: int = 0, times: int = 1, validated: bool = False) -> Contestant:
    """One call, made and executed, through a registry with passing listeners."""
    context = Context()
    tools = ToolRegistry(context)
    if validated:
        tools.register(define_tool(name="read_file", description="", parameters=SPEC, execute=body))
    else:
        tools.register(tool("read_file", "", {"type": "object"}, body))
    for event in events:
        for _ in range(times):
            context.on(f"tools/{event}", "waterfall")(lambda _, call_next: call_next())
    for _ in range(guards):
        tools.guard(lambda _: None)
    return lambda: tools.execute(ToolExecution("c1", "read_file", ARGUMENTS))


def contestants() -> dict[str, Contestant]:
    """Everything that is compared, the bare await first."""
    both = ("pre-execute", "post-execute")
    return {
        "bare await of the body": lambda: body(ARGUMENTS),
        "making the call alone": _made,
        "pipeline without listeners": registry_with(),
        "… with validation": registry_with(validated=True),
        "… as with an engine: pre, guard, post": registry_with(*both, guards=1),
        "… and a wrapper": registry_with(*both, "execute", guards=1),
        "… with 16 listeners on each": registry_with(*both, "execute", guards=16, times=16),
    }


async def _made() -> ToolExecution:
    return ToolExecution("c1", "read_file", ARGUMENTS)


async def measure(cases: dict[str, Contestant]) -> dict[str, float]:
    """The microseconds of one call of each, best of all rounds."""
    best = dict.fromkeys(cases, float("inf"))
    for _ in range(ROUNDS):
        for name, contestant in cases.items():
            started = perf_counter()
            for _ in range(CALLS):
                await contestant()
            best[name] = min(best[name], (perf_counter() - started) / CALLS * 1e6)
    return best


def main() -> None:
    """Measure and print."""
    times = asyncio.run(measure(contestants()))
    bare = next(iter(times.values()))
    lines = [f"{'':40}{'µs':>8}{'over bare':>12}{'ratio':>8}"]
    lines += [f"{name:40}{time:8.2f}{time - bare:+12.2f}{time / bare:8.1f}" for name, time in times.items()]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
