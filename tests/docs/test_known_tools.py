"""The page of known tools: every tool that is bound stands on it once, under its harness."""

import importlib.util
from importlib.resources import files
from pathlib import Path

import tomli

ROOT = Path(__file__).resolve().parents[2]
TABLE = files("tidegate.plan").joinpath("known_tools.toml").read_text(encoding="utf-8")


def generator():
    spec = importlib.util.spec_from_file_location("generate", ROOT / "scripts/generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_known_tool_belongs_to_one_harness():
    """No tool of the table is left out, and none stands twice."""
    harnesses = list(generator().harnesses(TABLE))
    tools = [tool for _, names in harnesses for tool in names]

    assert "Claude Code" in dict(harnesses)
    assert sorted(tools) == sorted(tomli.loads(TABLE)["tools"])


def test_page_says_the_role_of_each_argument():
    """A row for each argument of each tool, as the table binds it."""
    page = generator().known_tools(TABLE)

    assert "| `Read` | `file_path` | `path`: read |" in page
    assert page.count("\n| `") == sum(map(len, tomli.loads(TABLE)["tools"].values()))


def test_page_is_linked():
    """Whoever reads about kinds or Claude Code finds it."""
    for page in ("docs/kinds/README.md", "docs/claude-code.md", "README.md"):
        assert "known-tools.md" in (ROOT / page).read_text(encoding="utf-8")
