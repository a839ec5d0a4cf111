"""What Prometheus reads: how many decisions of which effect, how long they took, what was refused, and reloads."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_BUCKETS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0)


class Metrics:
    """The metrics of one service; no label holds anything of a call."""

    def __init__(self, in_flight: Callable[[], float]) -> None:
        self._registry = CollectorRegistry()
        self._decisions = Counter(
            "tidegate_decisions", "Decisions by door and effect.", ["door", "effect"], registry=self._registry
        )
        self._seconds = Histogram(
            "tidegate_decision_seconds", "Time of one decision.", ["door"], buckets=_BUCKETS, registry=self._registry
        )
        self._refused = Counter(
            "tidegate_refused_requests", "Requests without a decision, by why.", ["why"], registry=self._registry
        )
        self._reloads = Counter(
            "tidegate_reloads", "Attempts to load rules and clients again.", ["outcome"], registry=self._registry
        )
        self._stale = Gauge(
            "tidegate_rules_stale",
            "1 while the last good rules are in force and newer ones are broken or held back.",
            registry=self._registry,
        )
        places = Gauge("tidegate_requests_in_flight", "Requests that are judged or wait.", registry=self._registry)
        places.set_function(in_flight)

    def decided(self, door: str, effect: str) -> None:
        """Count a decision."""
        self._decisions.labels(door, effect).inc()

    def timed(self, door: str) -> AbstractContextManager[object]:
        """Measures the time of a decision."""
        return self._seconds.labels(door).time()

    def refused(self, why: str) -> None:
        """Count a request that got no decision."""
        self._refused.labels(why).inc()

    def reloaded(self, *, taken: bool) -> None:
        """Note an attempt to load again."""
        self._reloads.labels("taken" if taken else "kept").inc()
        self._stale.set(0 if taken else 1)

    def text(self) -> bytes:
        """All of them in the text format of Prometheus."""
        return bytes(generate_latest(self._registry))
