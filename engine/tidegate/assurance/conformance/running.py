"""Playing the rows with a harness, and telling what holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from attrs import frozen

from ...engine import Engine
from .breaking import broken
from .rows import ROWS, Played, Row, memory_facts
from .scene import Harness, Scene, Way

Holds = Literal["holds", "cannot", "fails"]


@frozen
class Outcome:
    """What became of one row in one way: it `holds`, it is known that it `cannot`, or it `fails`."""

    row: str
    way: Way
    state: Holds
    why: str = ""

    @property
    def ok(self) -> bool:
        """Whether the adapter is as its author says."""
        return self.state != "fails"


def run(harness: Harness, rows: Iterable[Row] = ROWS) -> Iterator[Outcome]:
    """Play every row in every way that the harness has.

    A row that the harness says it cannot hold is played too: where it holds all the same, that is a failure, so
    that the list stays true.
    """
    names = {row.name for row in ROWS}
    for key in harness.cannot:
        if key.partition("/")[0] not in names:
            raise ValueError(f"`cannot` names a row that there is not: `{key}`")
    for row in rows:
        for way in harness.ways:
            yield _outcome(harness, row, way)


def _outcome(harness: Harness, row: Row, way: Way) -> Outcome:
    known = harness.cannot.get(f"{row.name}/{way}", harness.cannot.get(row.name))
    why = _play(harness, row, way)
    if known is None:
        return Outcome(row.name, way, "fails" if why else "holds", why)
    if not why:
        return Outcome(row.name, way, "fails", f"it holds, although `cannot` says: {known}")
    return Outcome(row.name, way, "cannot", known)


def _play(harness: Harness, row: Row, way: Way) -> str:
    """What is wrong, empty for nothing."""
    with TemporaryDirectory(prefix="tidegate-conformance-") as folder:
        rules = Path(folder) / "rules.toml"
        rules.write_text(row.rules, encoding="utf-8")
        engine = Engine.load(rules, facts=broken(memory_facts(), row.breaks))
        scene = Scene(engine, rules, row.turns, row.approver, way, row.breaks)
        try:
            seen = harness.play(scene)
        except Exception as error:  # noqa: BLE001 - whatever a harness raises is told
            return f"the harness raised {type(error).__name__}: {error}"
        if len(seen) != len(scene.asks):
            return f"{len(seen)} results came back for {len(scene.asks)} calls: {seen}"
        return row.why(Played(scene.stage, seen))
