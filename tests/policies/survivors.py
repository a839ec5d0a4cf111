"""The edits of shipped packs that nobody notices, each with its reason, and the suites in which they are made."""

import tomllib
from pathlib import Path

from tidegate.assurance.suites import RulePaths, gather

FOLDER = Path(__file__).parent
POLICIES = FOLDER.parents[1] / "policies"
PACKS = sorted(path.stem for path in POLICIES.glob("*.toml"))


def suite(name):
    """A pack with its examples, and with its test file where it has one."""
    tests = FOLDER / f"{name}.test.toml"
    paths = RulePaths() if tests.exists() else RulePaths(None, POLICIES / f"{name}.toml", None)
    (found,), findings = gather(paths, [tests] if tests.exists() else [], FOLDER)

    assert [*findings, *found.findings] == []
    return found


def reasons():
    """Why an edit is not noticed, by pack, rule, edit, and the texts before and after it."""
    told = tomllib.loads((FOLDER / "survivors.toml").read_text(encoding="utf-8"))["survivor"]
    return {(one["pack"], one["rule"], *edit): one["why"] for one in told for edit in one["edits"]}


def named(pack, mutant):
    """The mutant as `reasons` names it."""
    return (pack, mutant.rule, mutant.edit, mutant.before, mutant.after)
