"""The page about agent CLIs: its commands work, and what it says of each harness is what the doctor says."""

import re
import shlex
from pathlib import Path

import pytest

from tidegate.adapters.hook_abilities import ABILITIES
from tidegate.cli import hook_settings, main
from tidegate.cli.installing.places import PLACES

PAGE = (Path(__file__).resolve().parents[2] / "docs/hooks.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^\$ tidegate (hook \w+ .*)$", PAGE, re.MULTILINE)


def test_commands_work_one_after_the_other(tmp_path, monkeypatch, capsys):
    """Installed, looked at and taken out again, with the rules that the page names."""
    (tmp_path / "rules.toml").write_text('version = 1\ndefault = "ask"\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(hook_settings, "quick_command", lambda _: None)

    assert [shlex.split(line)[1] for line in COMMANDS] == ["install", "status", "uninstall"]
    assert [main(shlex.split(line)) for line in COMMANDS] == [0, 0, 0], capsys.readouterr()


@pytest.mark.parametrize("harness", PLACES)
def test_table_names_the_settings_of_each_harness(harness):
    """Each file stands in the row of its harness."""
    (row,) = re.findall(rf"^\| `{harness}` \|.*$", PAGE, re.MULTILINE)
    shown = {scope: f"~/{file}" if scope == "user" else file for scope, file in PLACES[harness].files.items()}

    assert [file for file in shown.values() if f"`{file}`" not in row] == []


@pytest.mark.parametrize("harness", ABILITIES)
def test_page_says_what_the_doctor_says(harness):
    """Every sentence about what a harness does not enforce is on the page, and no other is under its heading."""
    can = ABILITIES[harness]
    names = {"claude-code": "Claude Code", "gemini": "Gemini CLI", "codex": "Codex", "copilot": "Copilot CLI"}
    section = PAGE.partition(f"### {names.get(harness, 'Cursor')}\n")[2].partition("\n#")[0]
    told = [
        re.sub(r"^- (a rule that asks: |a rewrite: |an output rule: |a reminder: )?|\.$", "", line)
        for line in section.strip().split("\n")
    ]

    assert told == [*filter(None, (can.asks, can.rewrites, can.results, can.reminders)), *can.lapses, *can.unseen]
