"""The law of re-spelling: a command that is denied stays denied or asked about, however it is spelled.

`HYPOTHESIS_PROFILE=ci` takes ten thousand compositions and has bash run one in twenty; the ordinary run takes a few
hundred. `tests/bench/respelling.py` takes as many as it is told and prints what becomes of each re-spelling.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections import Counter
from itertools import islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from tests.laws.respelling import RESPELLINGS, composed, respelled
from tests.laws.respelling_deeds import ALTERNATIVES
from tests.laws.respelling_sandbox import SEEDS, Sandbox
from tests.meaning.shell import oracle

pytestmark = [
    pytest.mark.skipif(oracle.bash() is None, reason="no bash of version 5 is installed"),
    pytest.mark.skipif(shutil.which("setpriv") is None, reason="programs of Linux are needed"),
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]

THOROUGH = os.environ.get("HYPOTHESIS_PROFILE") == "ci"
EXAMPLES = 10_000 if THOROUGH else 300
EVERY = 20
OPTIONAL = ("bzip2", "ed", "node", "openssl", "patch", "perl", "python3", "sqlite3", "strings", "vim", "xz", "zip")
LOST_AT_MOST = 0.01
"""The share of compositions that may fail to keep the effect when bash runs them."""

MENTIONS = (
    "echo {}",
    "echo fine; echo {} && ls",
    "git commit --allow-empty -m {}",
    "git log --grep={} -1",
    "grep -rn {} src",
    "rg -n {} src",
    "printf '%s\\n' {}",
    "echo {} > notes.txt",
    "echo {} | grep -c r",
    "tee notes.txt <<< {}",
    ": {}",
    'x={}; echo "$x"',
    "test -f {}",
    "[[ $x == {} ]]",
    "case $x in {}) echo yes;; esac",
    "sed -n /x/p <<< {}",
    "jq -n --arg a {} '$a'",
    "awk -v a={} 'BEGIN { print a }'",
    "export NOTE={}",
    "basename {}",
    "echo $(echo {})",
    'for x in {}; do echo "$x"; done',
    "f() { echo {}; }; f",
    "python3 -c 'import sys; print(sys.argv[1])' {}",
    "gh issue create --title a --body {}",
)
AS_IT_IS = (
    "# {}",
    "ls # {}",
    "cat > notes.txt <<'E'\n{}\nE",
    "cat <<E\n# {}\nE",
    "git commit --allow-empty -F - <<'E'\n{}\nE",
    ": <<'E'\n{}\nE\nls",
    "ls \\\n  # {}",
)


def runs_here(script):
    """Whether the programs that a deed needs are installed."""
    return all(shutil.which(name) for name in OPTIONAL if re.search(rf"\b{name}\b", script.text))


@pytest.fixture(scope="module")
def sandbox():
    """A project in which scripts may do what they want, at a place that nobody may enter too."""
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Sandbox(Path(folder) / "box")


@pytest.fixture(scope="module")
def verdict(sandbox):
    """What the rule set of a seed, which is one rule, says to a script."""
    engines = {seed.name: sandbox.engine(seed.rules) for seed in SEEDS}
    return lambda seed, script: sandbox.verdict(engines[seed.name], script)


def once(respelling, seeds=SEEDS):
    """The re-spelling alone, of the first two commands that it has a place for, never the same two."""
    start = Random(respelling.name).randrange(len(seeds))
    found = (respelled(seed, respelling, Random(seed.name)) for seed in (*seeds[start:], *seeds[:start]))
    return list(islice((one for one in found if one is not None), 2))


class TestRespelling:
    """Re-spelling never turns a deny into allow."""

    @pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: seed.name)
    def test_command_is_denied_and_has_its_effect(self, seed, sandbox, verdict):
        """The plain spelling is denied; bash shows that the effect is absent before and there afterwards."""
        assert not seed.came_about(sandbox)
        assert sandbox.shows(seed, seed.script.text)
        assert verdict(seed, seed.script.text) == "deny"

    @pytest.mark.parametrize("respelling", RESPELLINGS, ids=lambda respelling: respelling.name)
    def test_respelling_alone_keeps_the_effect(self, respelling, sandbox, verdict):
        """When bash runs the re-spelled command the effect is there, and the rules do not allow it."""
        spellings = once(respelling)

        assert [one.text for one in spellings if not sandbox.shows(one.seed, one.text)] == []
        assert [one.text for one in spellings if verdict(one.seed, one.text) not in ("deny", "ask")] == []
        assert spellings

    @pytest.mark.parametrize("name", ALTERNATIVES)
    def test_deed_by_another_program_is_not_allowed(self, name, sandbox, verdict):
        """Every program that does the same is denied or asked about by a rule about the deed."""
        of, deeds = ALTERNATIVES[name]
        seed = next(seed for seed in SEEDS if seed.by_deed and seed.script == of)
        installed = [deed for deed in deeds if runs_here(deed)]

        assert [deed.text for deed in deeds if verdict(seed, deed.text) not in ("deny", "ask")] == []
        assert [deed.text for deed in installed[:: 1 if THOROUGH else 8] if not sandbox.shows(seed, deed.text)] == []

    def test_composition_is_never_allowed(self, sandbox, verdict):
        """Up to four re-spellings on top of each other never end in allow, and nearly all keep the effect."""
        kept = Counter()

        @settings(max_examples=EXAMPLES)
        @given(st.integers(0, 2**40))
        def holds(number):
            one = composed(number)
            note(f"{one.seed.name}, {', '.join(one.names)}: {one.text}")
            kept[sandbox.shows(one.seed, one.text) if number % EVERY == 0 else None] += 1

            assert verdict(one.seed, one.text) in ("deny", "ask")

        holds()

        assert kept[False] <= LOST_AT_MOST * kept.total()


class TestData:
    """Text that is data stays data."""

    @pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: seed.name)
    def test_dangerous_text_that_is_data_is_allowed(self, seed, verdict):
        """A command that is merely written about is neither denied nor asked about."""
        texts = [template.replace("{}", shlex.quote(seed.script.text)) for template in MENTIONS]
        texts += [template.replace("{}", seed.script.text) for template in AS_IT_IS]

        assert [text for text in texts if verdict(seed, text) != "allow"] == []
