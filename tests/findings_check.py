"""What the golden cases of `tests/findings/` are checked with: the one place to plug in more of the engine."""

from pathlib import Path

from tidegate import lang

CASES = Path(__file__).parent / "findings"
PACKS = CASES / "_packs"


def check(case: Path) -> str:
    """All findings about a case, as `tidegate check` would print them, with names relative to the case.

    A case is one file, or a folder with `rules.toml` as the project's top file and perhaps `managed.toml` and
    `user.toml` as those of the other layers.
    """
    folder = case if case.is_dir() else case.parent
    tops = {"project": case / "rules.toml" if case.is_dir() else case}
    if case.is_dir():
        tops |= {layer: case / f"{layer}.toml" for layer in ("managed", "user") if (case / f"{layer}.toml").exists()}
    loaded = lang.load(**tops, packs=PACKS, home=folder / "home", base=folder)
    return "".join(f"{finding}\n" for finding in loaded.findings)
