"""Every adapter does what it says: the suite is run with the real package, each in an environment that has it."""

import json
import os
import subprocess

import pytest

from tests.conformance import bare
from tests.conformance.harnesses import HARNESSES, ROOT, python_in
from tidegate.assurance.conformance import ROWS, run

RESULTS = ROOT / "tests/conformance/results.json"


def python_of(environment):
    """The Python that has the packages of an environment; skips where there is none."""
    python = python_in(environment)
    if python is None:
        pytest.skip(f"the frameworks of `{environment}` are not installed (`scripts/venv.py frameworks`)")
    return python


@pytest.mark.parametrize("name", HARNESSES)
def test_adapter_is_as_its_table_says(name):
    """Each row holds, or is listed with its reason and does not hold; and so it stands in the results."""
    environment, harness = HARNESSES[name]
    done = subprocess.run(
        [python_of(environment), "-m", "tidegate.assurance.conformance", "--json", f"tests.conformance.{harness}"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "engine"), str(ROOT)])},
        capture_output=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )
    assert done.stdout, done.stderr

    told = json.loads(done.stdout.splitlines()[-1])
    failed = [(row, way, said) for row, ways in told["rows"].items() for way, said in ways.items() if "fails" in said]
    assert failed == []

    kept = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    if os.environ.get("TIDEGATE_UPDATE_CONFORMANCE"):
        kept = {one: told if one == name else kept[one] for one in HARNESSES if one in kept or one == name}
        RESULTS.write_text(json.dumps(kept, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    assert kept[name]["rows"] == told["rows"], "run `make conformance`"


class Careless(bare.Registry):
    """A harness that runs tools past the rules."""

    ways = ("sync",)

    def play(self, scene):
        """Call the bodies as they are."""
        bodies = {"say": scene.stage.say, "report": scene.stage.report}
        return [bare.Seen({"value": str(bodies.get(ask.tool, str)(ask.text))}) for ask in scene.asks]


def test_suite_sees_an_adapter_that_judges_nothing():
    """Every row but the few that need no rule fails."""
    holds = {outcome.row for outcome in run(Careless()) if outcome.ok}

    assert holds == {"allowed-call-is-untouched", "unknown-tool-runs-nothing", *TOLD}


# That a rule is told something is seen only where it decides by that.
TOLD = {"agent-is-told", "session-is-told", "approver-may-be-async"}


class Modest(bare.Registry):
    """A harness that says it cannot what it can."""

    ways = ("sync",)
    cannot = {"denied-call-never-enters": "it is shy"}


def test_suite_wants_the_list_of_what_cannot_be_to_be_exact():
    """A row that is listed and holds all the same fails, and so does one that there is not."""
    rows = [row for row in ROWS if row.name == "denied-call-never-enters"]

    assert [outcome.why for outcome in run(Modest(), rows)] == ["it holds, although `cannot` says: it is shy"]

    Modest.cannot = {"no-such-row": "it is shy"}
    with pytest.raises(ValueError, match="no-such-row"):
        list(run(Modest(), rows))
