"""Several threads on one engine, and an engine that loads its rules anew while it is asked."""

from __future__ import annotations

import gc
from statistics import median, quantiles
from threading import Thread
from time import perf_counter, perf_counter_ns

from deciding.engines import tidegate_engine
from deciding.workloads import PLACE, calls, rules

SECONDS = 0.5
REPEATS = 5


def threads() -> None:
    """Print how many decisions some threads make together, as ratios to one thread."""
    engine = tidegate_engine(rules(1_000))
    made = calls(120, 10)

    def decided(count: int) -> float:
        totals = [0] * count
        end = perf_counter() + SECONDS

        def work(place: int) -> None:
            while perf_counter() < end:
                for call in made[:20]:
                    engine.decide(call.tool, call.arguments, **PLACE)
                totals[place] += 20

        workers = [Thread(target=work, args=(place,)) for place in range(count)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        return sum(totals) / SECONDS

    decided(1)
    found = [{count: decided(count) for count in (1, 2, 4)} for _ in range(REPEATS)]
    for count in (2, 4):
        ratios = [one[count] / one[1] for one in found]
        print(
            f"{count} threads make × {median(ratios):.2f} ({min(ratios):.2f}, {max(ratios):.2f}) the decisions of one"
        )


def reloading(size: int) -> None:
    """Print the slowest calls while the rules are loaded anew, beside those of a quiet engine."""
    engine = tidegate_engine(rules(size))
    made = calls(60, 10)

    def asked(while_alive: Thread | None) -> list[float]:
        times = []
        end = perf_counter() + 1.0
        while (while_alive.is_alive() if while_alive is not None else perf_counter() < end) or len(times) < 100:
            for call in made:
                start = perf_counter_ns()
                engine.decide(call.tool, call.arguments, **PLACE)
                times.append((perf_counter_ns() - start) / 1e6)
        return times

    def reloaded() -> list[float]:
        loading = Thread(target=engine.reload)
        loading.start()
        return asked(loading)

    asked(None)
    quiet, busy = asked(None), reloaded()
    gc.disable()
    uncollected = reloaded()
    gc.enable()
    print(f"\ncalls under {size:,} rules, ms: median, p99, the slowest")
    found = {"quiet": quiet, "while they are loaded anew": busy, "... without Python's collector": uncollected}
    for title, times in found.items():
        print(f"  {title:34}{median(times):9.3f}{quantiles(times, n=100)[98]:9.3f}{max(times):9.3f}")
