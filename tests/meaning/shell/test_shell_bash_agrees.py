"""bash itself is asked: what it looks for, what it writes and what it makes of words is what the walker says.

The ordinary run asks about a few hundred scripts, `HYPOTHESIS_PROFILE=ci` about a few thousand, and
`TIDEGATE_SCRIPTS=20000` or `tests/bench/shell_oracle.py` about as many as they say.
"""

import os
import re
import subprocess
from collections import Counter
from random import Random
from typing import NamedTuple

import pytest

from tests.meaning.shell import agreement, oracle, shfmt
from tests.meaning.shell.expansions_generator import Words
from tests.meaning.shell.flows import flow
from tests.meaning.shell.readers import doubts_of, effects_of, names_of

pytestmark = pytest.mark.skipif(oracle.bash() is None, reason="no bash of version 5 is installed")

THOROUGH = os.environ.get("HYPOTHESIS_PROFILE") == "ci"
SCRIPTS = int(os.environ.get("TIDEGATE_SCRIPTS", "3000" if THOROUGH else "300"))
WORDS = 4_000 if THOROUGH else 500
FLOWS = 2_000 if THOROUGH else 200
BATCH = 100
ABOUT_VALUES = (
    "arithmetic evaluates",
    "the name of a command is not known",
    "the text of a shell is not known",
    "`eval` runs words",
)
GENERATED = re.compile(r"[ct][0-9]+")


RARE = {"LetClause", "carriage return", "alias", "eval", "trap", "source", "DeclClause"}


class Verdict(NamedTuple):
    """What the tests ask about one script, without its effects, which would fill the memory."""

    text: str
    missing: set[str]
    missing_by_shfmt: set[str]
    files_missing: set[str]
    lost_beside_values: set[str]
    wrongly_taken: set[str]
    looked_for: int
    seen_by_shfmt: int
    structure_is_sure: bool


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """Generated scripts beside what bash did when it ran them and what shfmt sees in them."""
    verdicts, met = [], Counter()
    for script in agreement.compared(range(SCRIPTS), tmp_path_factory.mktemp("scripts")):
        met.update(agreement.constructs(script))
        verdicts.append(verdict(script))
    return verdicts, met


def verdict(script):
    doubts, found = doubts_of(script.effects), set(names_of(script.effects))
    sure = all(doubt.startswith(ABOUT_VALUES) for doubt in doubts)
    lost = {name for name in script.looked_for if GENERATED.fullmatch(name)} - found
    several = any("number of arguments" in doubt for doubt in doubts)
    taken = {name for name in found if re.fullmatch(r"[cdt][0-9]+", name)} - {*script.names, "c0"}
    return Verdict(
        script.text,
        agreement.missing_by_bash(script),
        agreement.missing_by_shfmt(script),
        agreement.files_missing(script),
        lost if sure and not several else set(),
        taken if not doubts and "`" not in script.text else set(),  # in backticks, escaped ones are real
        len(script.looked_for),
        len(script.shfmt.names) if script.shfmt else 0,
        sure,
    )


def test_no_command_that_bash_looks_for_is_missing(judged):
    """Every name that bash looked for is among the commands, or something is said not to be known."""
    verdicts, _ = judged
    missing = [(each.text, each.missing) for each in verdicts if each.missing]

    assert missing == []
    assert sum(each.looked_for for each in verdicts) > 2 * SCRIPTS


@pytest.mark.skipif(shfmt.program() is None, reason="shfmt is not installed")
def test_no_command_that_shfmt_sees_is_missing(judged):
    """A second opinion on the structure, independent of bash, which looks at dead code as well."""
    verdicts, _ = judged
    missing = [(each.text, each.missing_by_shfmt) for each in verdicts if each.missing_by_shfmt]

    assert missing == []
    assert sum(each.seen_by_shfmt for each in verdicts) > 2 * SCRIPTS


def test_doubt_about_a_value_hides_no_command_beside_it(judged):
    """Where only the value of something is unknown, all other commands are still found by name."""
    verdicts, _ = judged
    missing = [(each.text, each.lost_beside_values) for each in verdicts if each.lost_beside_values]

    assert missing == []


def test_no_file_that_bash_writes_is_missing(judged):
    """Every file that a redirection made is among the writes, or a write or something else is not known."""
    verdicts, _ = judged
    missing = [(each.text, each.files_missing) for each in verdicts if each.files_missing]

    assert missing == []


def test_data_is_not_taken_for_commands(judged):
    """What the generator wrote as data is no command, unless a name before it may vanish."""
    verdicts, _ = judged
    wrong = [(each.text, each.wrongly_taken) for each in verdicts if each.wrongly_taken]

    assert wrong == []


def test_most_scripts_are_understood_without_a_doubt_about_their_structure(judged):
    """The tests above would be empty if everything were unknown."""
    verdicts, _ = judged

    assert sum(each.structure_is_sure for each in verdicts) > 0.9 * SCRIPTS


@pytest.mark.skipif(shfmt.program() is None, reason="shfmt is not installed")
def test_scripts_reach_every_construct(judged):
    """Each of them stands in some script, as another parser than ours sees it, or as it is spelled."""
    _, met = judged
    wanted = {*agreement.TEXTUAL, *agreement.SYNTAX} - RARE

    assert {name for name in wanted if not met[name]} == set()


@pytest.mark.skipif(SCRIPTS < 3_000, reason="few scripts have one; `HYPOTHESIS_PROFILE=ci` reads enough of them")
def test_scripts_reach_rare_constructs(judged):
    _, met = judged

    assert {name for name in RARE if not met[name]} == set()


def test_every_way_through_a_script_is_looked_at(tmp_path):
    """Variables hold the names of commands, and branches, loops, functions and traps decide which of them run."""
    scripts = [flow(seed) for seed in range(FLOWS)]
    missing, sure = [], 0
    for start in range(0, FLOWS, BATCH):
        batch = scripts[start : start + BATCH]
        for text, (looked_for, _) in zip(batch, oracle.observe(batch, tmp_path / str(start)), strict=True):
            effects = effects_of(text)
            sure += not doubts_of(effects)
            lost = {name for name in looked_for if GENERATED.fullmatch(name)} - set(names_of(effects))
            if lost and not doubts_of(effects):
                missing.append((text, lost))

    assert missing == []
    assert sure > FLOWS // 2


SHOW = r"""
show() { local IFS=' '; printf '<%d>' "$#"; [ $# -eq 0 ] || printf '%s\0' "$@"; printf '\1'; }
cd "$1"; shift
for tide_case in "$@"; do
  ( set -- "$tide_case"; tide_case=$1; shift; . "../$tide_case" ) 2>/dev/null </dev/null
  printf '\2'
done
"""


def shown_by_bash(scripts, folder):
    """What each script hands to `show`, as lists of words."""
    (folder / "empty").mkdir()
    for number, script in enumerate(scripts):
        (folder / str(number)).write_text(script)
    command = [
        oracle.bash(),
        "--norc",
        "--noprofile",
        "-c",
        SHOW,
        "bash",
        str(folder / "empty"),
        *map(str, range(len(scripts))),
    ]
    environment = {"PATH": "/nonexistent", "LC_ALL": "C.UTF-8", "HOME": "/home/dev"}
    printed = subprocess.run(command, env=environment, capture_output=True, check=False, timeout=300).stdout
    return [
        [
            [word.decode(errors="surrogateescape") for word in call.partition(b">")[2].split(b"\0")[:-1]]
            for call in script.split(b"\1")[:-1]
        ]
        for script in printed.split(b"\2")[:-1]
    ]


def test_words_that_are_computed_exactly_are_what_bash_makes_of_them(tmp_path):
    """Over quotes, braces, parameters, arithmetic and splitting; what is not computed is not compared."""
    scripts = [Words(Random(seed)).script() for seed in range(WORDS)]
    wrong, compared = [], 0
    for script, theirs in zip(scripts, shown_by_bash(scripts, tmp_path), strict=True):
        effects = effects_of(script)
        ours = [
            list(effect.target.words[1:])
            for effect in effects
            if effect.kind == "exec" and effect.target.path == "show"
        ]
        exact = all(isinstance(word, str) for words in ours for word in words)
        if doubts_of(effects) or not exact or len(theirs) < len(ours):  # bash gives up on a bad substitution
            continue
        compared += 1
        if ours != theirs:
            wrong.append((script, ours, theirs))

    assert wrong == []
    assert compared > 0.4 * WORDS
