"""How tidegate alone grows with the rules, and what it adds to the bare lookup of sixty patterns."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import thread_time_ns

from deciding.engines import tidegate_engine
from deciding.workloads import PLACE, calls, rules, sixty

ROUNDS = 25
REPEATS = 5
TEXT = "select name, count(*) from orders where placed > now() group by name"
PATH = "/srv/project/reports/orders/by-name/2026/count-all-of-them.sql"


def best(contestants: dict[str, Callable[[], object]], rounds: int = ROUNDS, at_once: int = 1) -> dict[str, float]:
    """The best time of each in nanoseconds, taking turns.

    Reading the clock costs as much as a lookup in `re2.Set`: what is that short is timed several times *at_once*.
    """
    found = dict.fromkeys(contestants, float("inf"))
    for _ in range(rounds):
        for name, contestant in contestants.items():
            start = thread_time_ns()
            for _ in range(at_once):
                contestant()
            found[name] = min(found[name], (thread_time_ns() - start) / at_once)
    return found


def spread(ratios: list[float]) -> str:
    """The middle of ratios with the least and the most."""
    return f"{median(ratios):.2f} ({min(ratios):.2f}, {max(ratios):.2f})"


def growth(few: int, many: int) -> None:
    """Print the ratio of the same calls under many rules and under few, call by call."""
    engines = {size: tidegate_engine(rules(size)) for size in (few, many)}
    made = calls(120, few)
    tools: dict[str, list[float]] = {"all": []}
    ratios = []
    for _ in range(REPEATS):
        times: dict[str, list[float]] = {}
        for call in made:

            def decide(size: int, call=call) -> object:  # type: ignore[no-untyped-def]
                return engines[size].decide(call.tool, call.arguments, **PLACE)

            found = best({"few": lambda: decide(few), "many": lambda: decide(many)}, 12)
            for tool in ("all", call.tool):
                times.setdefault(tool, []).append(found["many"] / found["few"])
        ratios.append(median(times["all"]))
        for tool, some in times.items():
            tools.setdefault(tool, []).append(median(some))
    print(f"\ntidegate at {many:,} rules against {few} rules, the same calls: × {spread(ratios)}")
    for tool, some in tools.items():
        if tool != "all" and not tool.startswith("admin"):
            print(f"  {tool:20} × {spread(some)}")


def sixty_patterns() -> None:
    """Print what a decision under sixty patterns takes, as ratios to the bare lookup of the same text."""
    import re2
    import tomli_w
    from attrs import evolve

    from tidegate.engine import Engine
    from tidegate.facts.files import NothingThere

    patterns = list(sixty())
    tables = [
        {"id": f"r{n}", "kind": "arguments", "tools": ["run_query"], "deny": [{"/text": {"regex": pattern}}]}
        for n, pattern in enumerate(patterns)
    ]

    def engine(role: dict[str, str]) -> Engine:
        tools = {"run_query": {"text": role}}
        text = tomli_w.dumps({"version": 1, "default": "allow", "tools": tools, "rule": tables})
        made: Engine = tidegate_engine([], text)
        return made

    seen = engine({"role": "path", "access": "read"})
    blind = engine({"role": "text"})
    blind = Engine(blind._outcome, blind._sources, evolve(blind.facts, files=NothingThere()))
    options = re2.Options()
    options.max_mem = 256 << 20
    bare = re2.Set.FullMatchSet(options)
    for pattern in patterns:
        bare.Add(f"(?i:{pattern})")
    bare.Compile()
    contestants: dict[str, Callable[[], object]] = {
        "bare": lambda: bare.Match(TEXT),
        "without": lambda: blind.decide("run_query", {"text": TEXT}, **PLACE),
        "with": lambda: seen.decide("run_query", {"text": PATH}, **PLACE),
    }
    repeats = [best(contestants, 80, at_once=25) for _ in range(REPEATS)]
    print("\nsixty regular expressions on one argument, against the bare `re2.Set` of them")
    for name, title in (("without", "a text, no file system"), ("with", "a path, with the file system")):
        ratios = [one[name] / one["bare"] for one in repeats]
        print(f"  {title:32} × {spread(ratios)}   {median(one[name] for one in repeats) / 1_000:.1f} µs")
