"""`sh` text is read as bash and as POSIX, and other shells are not taken for either."""

import os
import shutil
import subprocess
from random import Random

import pytest

from tests.meaning.shell.generator import Scripts
from tests.meaning.shell.readers import commands_of, doubts_of, effects_of, names_of, written_by

EXTENDED = ("((", "<(", ">(", "<<<", "|&", "[0", "[$", "=(", ";&", "coproc", "$[", "mapfile", "${!", "[1", "[v", "[3")
SCRIPTS = 2_000 if os.environ.get("HYPOTHESIS_PROFILE") == "ci" else 400


@pytest.mark.parametrize(
    ("text", "commands", "writes"),
    [
        ("[[ a > b ]]", ["[[ a ]]"], ["b"]),
        ("a &> f", ["a"], ["f"]),
        ("((rm -rf))", ["rm -rf"], []),
        ("function f { rm -rf; }", ["rm -rf"], []),
        ("select x in a", ["select x in a"], []),
        ("echo $'a'", ["echo a", "echo $a"], []),
        ("{fd}>f a", ["a", "{fd} a"], ["f"]),
        ("10>f a", ["a", "10 a"], ["f"]),
        ("a+=b", ["a+=b"], []),
        ("a[0]=b", ["a⟨…⟩=b"], []),
        ("echo {a,b}", ["echo a b", "echo {a,b}"], []),
        ("time a", ["a", "time a"], []),
        ("source ./x", ["source ./x"], []),
        ("alias ls='rm -rf'\nls", ["alias ls=rm -rf", "rm -rf"], []),
        ("X=rm :; $X -rf", [":", "rm -rf"], []),
        ("f() rm -rf; f", ["f", "rm -rf"], []),
        ("f() { local X; $X -rf; }; X=rm; f", ["f", "rm -rf"], []),
    ],
)
def test_effects_of_both_readings_are_reported(text, commands, writes):
    """Where bash and a POSIX shell differ in what runs, a grant needs both and a deny sees either."""
    effects = effects_of(text, shell="sh")

    assert set(commands) <= set(commands_of(effects))
    assert set(writes) <= set(written_by(effects))


def test_text_that_both_read_alike_is_reported_once():
    assert commands_of(effects_of("a && b | c", shell="sh")) == ["a", "b", "c"]


def test_echo_of_sh_may_interpret_backslashes_and_so_is_not_known():
    """`dash` makes two lines of it, and a shell behind it would run both."""
    assert doubts_of(effects_of("echo 'ls\\nrm -rf' | sh", shell="sh")) == []
    assert commands_of(effects_of("echo 'ls\\nrm -rf' | sh", shell="sh")) == ["echo ls\\nrm -rf", "sh"]
    assert "rm -rf" in commands_of(effects_of("echo 'rm -rf' | sh", shell="sh"))


def test_reason_of_the_posix_reading_says_so():
    effects = effects_of("echo {a,b}; $x", shell="sh")

    assert any(reason.endswith("(as a POSIX shell reads it)") for reason in doubts_of(effects)) or doubts_of(effects)


@pytest.mark.parametrize("shell", ["zsh", "fish", "ksh", "tcsh"])
def test_shell_that_is_not_modelled_is_unknown_and_read_as_bash_for_denies(shell):
    effects = effects_of("rm -rf", shell=shell)

    assert doubts_of(effects) == [f"`{shell}` reads text in its own way"]
    assert commands_of(effects) == ["rm -rf"]


@pytest.mark.parametrize("shell", ["powershell", "pwsh", "cmd", "python"])
def test_shell_of_another_kind_is_unknown_as_a_whole(shell):
    assert [effect.kind for effect in effects_of("rm -rf", shell=shell)] == ["unknown"]


def test_shell_may_be_named_by_its_path():
    assert effects_of("a", shell="/bin/bash") == effects_of("a")


def plain_scripts(count):
    """Generated scripts that a POSIX shell accepts for the most part."""
    for seed in range(count):
        scripts = Scripts(Random(seed), depth=2)
        text = scripts.line() + (scripts.line() if seed % 2 else "")
        if not any(mark in text for mark in EXTENDED):
            yield text


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """A folder of programs `c1`, `t1`, … that write down their names."""
    folder = tmp_path_factory.mktemp("programs")
    script = folder.parent / "program"
    script.write_text('#!/bin/sh\nprintf "%s\\n" "${0##*/}" >> "$TIDE_LOG"\ncase $0 in */t*) exit 0;; esac\nexit 1\n')
    script.chmod(0o755)
    for name in [f"{letter}{number}" for letter in "ct" for number in range(600)] + [
        "[[",
        "function",
        "select",
        "time",
        "source",
    ]:
        (folder / name).symlink_to(script)
    return folder


@pytest.mark.skipif(shutil.which("dash") is None, reason="dash is not installed")
def test_no_command_that_dash_runs_is_missing(programs, tmp_path):
    """Dash runs generated scripts; what it started is among the commands, or something is said not to be known."""
    missing = []
    for number, text in enumerate(plain_scripts(SCRIPTS)):
        scratch, log = tmp_path / str(number), tmp_path / f"{number}.log"
        scratch.mkdir()
        try:
            subprocess.run(
                [shutil.which("dash"), "-c", text, "sh"],
                cwd=scratch,
                env={"PATH": str(programs), "TIDE_LOG": str(log)},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=20,
                check=False,
            )
        except subprocess.TimeoutExpired:
            continue
        started = log.read_text().splitlines() if log.exists() else []
        effects = effects_of(text, shell="sh")
        if not doubts_of(effects) and not set(started) <= set(names_of(effects)):
            missing.append((text, started, names_of(effects)))

    assert missing == []
