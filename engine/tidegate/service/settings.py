"""How much the service takes from anybody, and for how long."""

from __future__ import annotations

from attrs import frozen


@frozen
class Settings:
    """The bounds of a service; what lies beyond one is refused.

    Attributes:
        body: The longest body of a request, in bytes.
        patience: Seconds in which a request must have come: its head, and then its body.
        seconds: Seconds from the end of a request to its answer.
        in_flight: How many requests are judged or wait for it; a further one is refused at once.
        threads: How many of them are judged at the same time.
        batch: How many calls one request may hold.
        connections: How many connections are held; a further one is closed at once.
        drain: Seconds that requests under way get when the service ends.
    """

    body: int = 1024 * 1024
    patience: float = 5.0
    seconds: float = 5.0
    in_flight: int = 64
    threads: int = 4
    batch: int = 256
    connections: int = 512
    drain: int = 10
