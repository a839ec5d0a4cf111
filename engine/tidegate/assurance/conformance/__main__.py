"""Run the suite with a harness: `python -m tidegate.assurance.conformance [--json] MODULE:CLASS ...`.

Prints what does not hold; with `--json` one object for each harness with every outcome. The exit code is 1 where an
adapter is not as its author says, and 2 for wrong arguments.
"""

from __future__ import annotations

import importlib
import json
import logging
import sys
from collections.abc import Sequence
from typing import Any

from .running import Outcome, run
from .scene import Harness


def main(arguments: Sequence[str]) -> int:
    """Run every harness that is named."""
    wanted = [argument for argument in arguments if argument != "--json"]
    if not wanted or any(name.count(":") != 1 for name in wanted):
        sys.stderr.write(f"{__doc__}\n")
        return 2
    logging.getLogger("tidegate").setLevel(logging.CRITICAL)  # what breaks here was planted
    code = 0
    for name in wanted:
        module, _, attribute = name.partition(":")
        harness: Harness = getattr(importlib.import_module(module), attribute)()
        outcomes = list(run(harness))
        told = _as_json(harness, outcomes) if "--json" in arguments else _as_text(harness, outcomes)
        sys.stdout.write(f"{told}\n")
        if not all(outcome.ok for outcome in outcomes):
            code = 1
    return code


def _as_json(harness: Harness, outcomes: Sequence[Outcome]) -> str:
    rows: dict[str, dict[str, Any]] = {}
    for outcome in outcomes:
        said = outcome.state if outcome.state == "holds" else f"{outcome.state}: {outcome.why}"
        rows.setdefault(outcome.row, {})[outcome.way] = said
    return json.dumps(
        {"name": harness.name, "version": harness.version, "ways": list(harness.ways), "rows": rows}, ensure_ascii=False
    )


def _as_text(harness: Harness, outcomes: Sequence[Outcome]) -> str:
    lines = [f"{one.state:6} {one.row} ({one.way}): {one.why}" for one in outcomes if one.state != "holds"]
    holds = sum(one.state == "holds" for one in outcomes)
    return "\n".join([*lines, f"{harness.name}: {holds} of {len(outcomes)} hold"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
