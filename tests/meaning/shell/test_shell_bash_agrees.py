"""bash itself is asked: what it looks for, what it writes and what it makes of words is what the walker says.

`HYPOTHESIS_PROFILE=ci` asks about 20,000 scripts and takes some minutes; the ordinary run asks about a few hundred.
"""

import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest

from tests.meaning.shell import generator, oracle
from tests.meaning.shell.expansions_generator import Words
from tests.meaning.shell.flows import flow
from tests.meaning.shell.readers import doubts_of, effects_of, is_doubtful, names_of, written_by

pytestmark = pytest.mark.skipif(oracle.bash() is None, reason="no bash of version 5 is installed")

THOROUGH = os.environ.get("HYPOTHESIS_PROFILE") == "ci"
SCRIPTS = 20_000 if THOROUGH else 400
WORDS = 10_000 if THOROUGH else 600
FLOWS = 5_000 if THOROUGH else 300
BATCH = 100
ABOUT_VALUES = (
    "arithmetic evaluates",
    "the name of a command is not known",
    "the text of a shell is not known",
    "`eval` runs words",
)
GENERATED = re.compile(r"[ct][0-9]+")


@pytest.fixture(scope="module")
def observed(tmp_path_factory):
    """Generated scripts with what bash did when it ran them, two batches at a time."""
    scripts = [generator.script(seed) for seed in range(SCRIPTS)]
    batches = [scripts[start : start + BATCH] for start in range(0, SCRIPTS, BATCH)]

    def run(batch):
        return oracle.observe([text for text, _ in batch], tmp_path_factory.mktemp("scripts"))

    with ThreadPoolExecutor(2) as pool:
        seen = [one for batch in pool.map(run, batches) for one in batch]
    return [(text, names, *seen_one) for (text, names), seen_one in zip(scripts, seen, strict=True)]


def test_no_command_that_bash_looks_for_is_missing(observed):
    """Every name that bash looked for is among the commands, or something is said not to be known."""
    missing = []
    for text, _, looked_for, _ in observed:
        effects = effects_of(text)
        if not is_doubtful(effects) and not set(looked_for) <= set(names_of(effects)):
            missing.append((text, looked_for, names_of(effects)))

    assert missing == []
    assert sum(len(looked_for) for _, _, looked_for, _ in observed) > 2 * SCRIPTS


def test_doubt_about_a_value_hides_no_command_beside_it(observed):
    """Where only the value of something is unknown, all other commands are still found by name."""
    missing = []
    for text, _, looked_for, _ in observed:
        effects = effects_of(text)
        if any(not doubt.startswith(ABOUT_VALUES) for doubt in doubts_of(effects)):
            continue
        lost = {name for name in looked_for if GENERATED.fullmatch(name)} - set(names_of(effects))
        if lost and not any("number of arguments" in doubt for doubt in doubts_of(effects)):
            missing.append((text, lost))

    assert missing == []


def test_no_file_that_bash_writes_is_missing(observed):
    """Every file that a redirection made is among the writes, or a write or something else is not known."""
    missing = []
    for text, _, _, files in observed:
        effects = effects_of(text)
        written = written_by(effects)
        if not is_doubtful(effects) and not any("⟨…⟩" in path for path in written) and not set(files) <= set(written):
            missing.append((text, files, written))

    assert missing == []


def test_data_is_not_taken_for_commands(observed):
    """What the generator wrote as data is no command, unless a name before it may vanish."""
    wrong = []
    for text, names, _, _ in observed:
        effects = effects_of(text)
        if doubts_of(effects) or "`" in text:  # in backticks, escaped ones are real
            continue
        data = {name for name in names_of(effects) if re.fullmatch(r"d[0-9]+", name)}
        if data or {name for name in names_of(effects) if GENERATED.fullmatch(name)} - {*names, "c0"}:
            wrong.append((text, names_of(effects)))

    assert wrong == []


def test_most_scripts_are_understood_without_a_doubt_about_their_structure(observed):
    """The tests above would be empty if everything were unknown."""
    sure = sum(
        all(doubt.startswith(ABOUT_VALUES) for doubt in doubts_of(effects_of(text))) for text, _, _, _ in observed[:400]
    )

    assert sure > 350


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
    assert compared > WORDS // 2
