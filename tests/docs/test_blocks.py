"""Every block in the docs that a reader could copy is run."""

import re
from pathlib import Path

import pytest

from tidegate.engine import Sources, read
from tidegate.errors import RuleError, Veto
from tidegate.facts.local import local_facts

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def blocks(language):
    """Every fenced block of that language, with a name for the test."""
    return [
        pytest.param(match[2], id=f"{page.relative_to(ROOT)}-{number}")
        for page in PAGES
        for number, match in enumerate(FENCE.finditer(page.read_text(encoding="utf-8")), 1)
        if match[1] == language
    ]


@pytest.mark.parametrize("text", blocks("toml"))
def test_toml_block_is_a_rule_file_whose_examples_hold(text, tmp_path):
    """A TOML block loads without an error, alone or as part of a file that denies by default."""
    whole = text if "version = 1" in text else f'version = 1\ndefault = "deny"\n\n{text}'
    (tmp_path / "rules.toml").write_text(whole, encoding="utf-8")
    try:
        read(Sources(project=tmp_path / "rules.toml"), local_facts(state=tmp_path))
    except RuleError as error:
        pytest.fail(str(error))


@pytest.mark.parametrize("text", blocks("python"))
def test_python_block_runs(text, tmp_path, monkeypatch):
    """A Python block runs in a folder that has the rule file of the README."""
    (tmp_path / "rules.toml").write_text(blocks("toml")[0].values[0], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "block"}
    exec(compile(text, "block", "exec"), names)

    assert "Engine" in names


def test_finding_of_the_readme_is_what_check_says(tmp_path):
    """The slip that the README shows gives the very finding that stands there."""
    broken = blocks("toml")[0].values[0].replace('"git push --force"', '"git push --forced"')
    (tmp_path / "rules.toml").write_text(broken, encoding="utf-8")
    with pytest.raises(RuleError) as raised:
        read(Sources(project=tmp_path / "rules.toml"), local_facts(state=tmp_path))

    assert str(raised.value.findings[0]) == blocks("text")[0].values[0].rstrip("\n")


def test_guarded_function_of_the_readme_is_refused_by_its_rules(tmp_path, monkeypatch):
    """The five lines that guard a function do guard it, and are five."""
    assert sum(1 for line in blocks("python")[0].values[0].splitlines() if line) == 5

    (tmp_path / "rules.toml").write_text(blocks("toml")[0].values[0], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "block"}
    exec(compile(blocks("python")[0].values[0], "block", "exec"), names)
    with pytest.raises(Veto, match="send_email"):
        names["send_email"]("a@example.com", "hello")

    (tmp_path / "rules.toml").write_text('version = 1\ndefault = "allow"\n', encoding="utf-8")

    assert names["engine"].reload()
    assert names["send_email"]("a@example.com", "hello") == "sent to a@example.com"
