"""Weak policies, each with what its author meant, and how many examples it takes to see the weakness."""

from pathlib import Path

import tomli

from tests.assurance.suites_of import suite_of
from tidegate.assurance.fuzz import PROPERTIES, fuzz
from tidegate.assurance.fuzzing.search import Effort

PLANTED = tomli.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))["planted"]


def suite(planted):
    """The policy with its invariants."""
    default = planted.get("default", "deny")
    return suite_of(f'version = 1\ndefault = "{default}"\n{planted["rules"]}', planted.get("tests", ""))


def search(planted, *, examples, seed):
    """What fuzzing finds with the property that is meant to hold."""
    wanted = planted.get("property", "invariant" if "tests" in planted else "evasion")
    assert wanted in PROPERTIES
    return fuzz(suite(planted), Effort(examples=examples, seed=seed, enough=1), [wanted])
