"""The page about importing: what it shows is what the command says."""

from pathlib import Path

from tests.docs.test_tutorial import FENCE
from tidegate.cli import main
from tidegate.cli.importing import NAMES

PAGE = (Path(__file__).resolve().parents[2] / "docs/import.md").read_text(encoding="utf-8")
NAMED = {name: text for _, name, text in FENCE.findall(PAGE) if name}


def test_finding_is_what_the_command_says(tmp_path, monkeypatch, capsys):
    """The rules on the page give the finding on the page."""
    (tmp_path / "codex.rules").write_text(NAMED["codex.rules"], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    code = main(["import", "codex", "codex.rules"])

    assert (code, capsys.readouterr().err) == (1, NAMED["findings"])


def test_every_source_is_named():
    """The page has each source."""
    assert all(f"| `{name}` |" in PAGE for name in NAMES)
