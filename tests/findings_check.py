"""What the golden cases of `tests/findings/` are checked with: what `tidegate check` does, on a fixed day."""

import json
from pathlib import Path

from tidegate import lang
from tidegate.assurance.risks import check_maps
from tidegate.compile.catalogue import check_tools, read_catalogue
from tidegate.compile.compiler import compile_plan
from tidegate.compile.examples import check_examples
from tidegate.compile.expiry import overdue
from tidegate.compile.sides import check_sides

CASES = Path(__file__).parent / "findings"
PACKS = CASES / "_packs"
TODAY = 1_796_000_000.0  # in November 2026


def check(case: Path) -> str:
    """All findings about a case, as `tidegate check` would print them, with names relative to the case.

    A case is one file, or a folder with `rules.toml` as the project's top file and perhaps `managed.toml` and
    `user.toml` as those of the other layers. With a `tools.json` the tools are looked at as well: there are only
    those of its list, or, where that is empty, those that are known. Of a case whose name begins with `one-sided`
    every rule is asked for examples on both sides.
    """
    folder = case if case.is_dir() else case.parent
    tops = {"project": case / "rules.toml" if case.is_dir() else case}
    if case.is_dir():
        tops |= {layer: case / f"{layer}.toml" for layer in ("managed", "user") if (case / f"{layer}.toml").exists()}
    loaded = lang.load(**tops, packs=PACKS, home=folder / "home", base=folder)
    outcome = compile_plan(loaded, now=TODAY)
    findings = [*outcome.findings, *_about_tools(folder / "tools.json", loaded), *check_examples(outcome)]
    findings += check_maps(loaded.rule_sets)
    findings += check_sides(outcome) if case.stem.startswith("one-sided") else []
    findings = lang.in_file_order(overdue(findings), loaded.files)
    return "".join(f"{finding}\n" for finding in findings)


def _about_tools(path: Path, loaded: lang.Loaded) -> list:
    if not path.exists():
        return []
    tools = json.loads(path.read_text(encoding="utf-8"))
    return check_tools(loaded.rule_sets, read_catalogue(tools) if tools else None)
