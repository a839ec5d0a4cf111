"""The conformance suite: what every adapter must hold, whoever wrote it.

An author writes a `Harness`, which plays a scene with the real harness and a stub model, and runs

    python -m tidegate.assurance.conformance mypackage.mymodule:MyHarness

or, under pytest, `for outcome in run(MyHarness()): assert outcome.ok, outcome`. What an adapter cannot do stands in
the harness's own `cannot`, with the reason; a row that is listed there and holds all the same is a failure too.
"""

from .rows import ROWS, Row
from .running import Outcome, run
from .scene import REPORT, SAY, Ask, Harness, Scene, Seen, Stage, Way

__all__ = ["REPORT", "ROWS", "SAY", "Ask", "Harness", "Outcome", "Row", "Scene", "Seen", "Stage", "Way", "run"]
