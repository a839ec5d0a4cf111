"""What type checkers say of our public names."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_typed_tools_have_exactly_the_expected_errors():
    """A body with a TypedDict is typed, and a wrong declaration is seen."""
    pytest.importorskip("mypy", reason="the checks are not installed")

    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", "tests/typing/typed_tools.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (checked.returncode, checked.stdout.splitlines()[:-1]) == (0, [])
