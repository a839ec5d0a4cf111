"""Each how-to of docs/frameworks.md works as it is written."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.conformance.harnesses import HARNESSES, ROOT
from tests.conformance.test_conformance import python_of

FENCE = re.compile(r"^```python ([\w-]+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
BLOCKS = dict(FENCE.findall((ROOT / "docs/frameworks.md").read_text("utf-8")))
README = re.search(r"^```toml\n(.*?)^```", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)[1]
COPIED = Path(__file__).with_name("copied.py")


@pytest.mark.parametrize("framework", BLOCKS)
def test_block_runs_and_the_call_is_refused(framework, tmp_path):
    """The model asks for an e-mail, which the README's rules ask about, and there is nobody to ask."""
    (tmp_path / "rules.toml").write_text(README, encoding="utf-8")
    done = subprocess.run(
        [python_of(HARNESSES[framework][0]), str(COPIED), framework],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT / "engine"), "OPENAI_API_KEY": "none"},
        input=BLOCKS[framework],
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert "sent to" not in done.stdout
    assert ("nobody to ask" in done.stdout) is (framework != "claude-agent-sdk"), done.stdout


def test_every_framework_has_its_block():
    """No adapter is without a how-to."""
    assert set(BLOCKS) == {name for name, (environment, _) in HARNESSES.items() if environment} - {"fastmcp proxy"}
