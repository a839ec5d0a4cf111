"""Which commands have succeeded where a text ends with status 0: held against bash itself."""

import os
import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tidegate.meaning.shell.proving import must_have_succeeded

MANY = 5 * settings.default.max_examples  # most texts prove nothing, and bash is not asked about them

PIECES = [
    "t",
    "t x",
    "'t' \"x\"",
    "u",
    "true",
    "false",
    "cd .",
    "echo $(t)",
    "echo t",
    "! t",
    "(t)",
    "{ t; }",
    "time t",
    "A=1 t",
    "A=1",
    "exit 0",
    "return 0",
    "exec true",
    "eval 'exit 0'",
    "trap 'exit 0' EXIT",
    "t() { true; }",
    "set -n",
    "set +e",
    "alias t=true",
    "hash -p /bin/true t",
    "BASH_CMDS[t]=/bin/true",
    "PATH=/nowhere",
    "command exit 0",
    "builtin exit 0",
    "if t; then u; fi",
    "t > out",
    "t # u",
    "kill $$",
    "enable -f x t",
    ". ./gone",
]
JOINTS = [*[" && "] * 8, " || ", "; ", " | ", " & ", "\n", " &&\n"]

BENIGN = ["t", "t x", "u", "cd .", "true", "echo t"]
pieces = st.sampled_from(BENIGN) | st.sampled_from(PIECES)
texts = st.lists(st.tuples(pieces, st.sampled_from(JOINTS)), min_size=1, max_size=4).map(
    lambda parts: "".join(part + joint for part, joint in parts[:-1]) + parts[-1][0]
)


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A folder of programs `t` and `u`, which end with the status in `STATUS_T` and `STATUS_U` and write that down."""
    folder = tmp_path_factory.mktemp("world")
    for name in ("t", "u"):
        program = folder / name
        program.write_text(
            f'#!/bin/sh\necho "{name} $#" >> "$LOG.$STATUS_{name.upper()}"\nexit $STATUS_{name.upper()}\n'
        )
        program.chmod(0o755)
    return folder


def ran(world, text, statuses):
    """The status of bash and, where that is 0, the names of the programs that ended with 0."""
    log = world / "log"
    for old in world.glob("log.*"):
        old.unlink()
    variables = {f"STATUS_{name.upper()}": str(status) for name, status in statuses.items()}
    done = subprocess.run(
        ["bash", "--norc", "-c", text],
        env={"PATH": f"{world}:{os.environ['PATH']}", "LOG": str(log), **variables},
        cwd=world,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        check=False,
        timeout=20,
    )
    fine = world / "log.0"
    return done.returncode, fine.read_text().splitlines() if fine.exists() else []


@pytest.mark.skipif(shutil.which("bash") is None or os.name != "posix", reason="needs bash")
class TestAgainstBash:
    """Where bash ends with 0, every command that is said to have succeeded ran and ended with 0."""

    @settings(max_examples=MANY)
    @given(text=texts, t=st.sampled_from([0, 1]), u=st.sampled_from([0, 1]))
    def test_what_is_proven_has_succeeded(self, world, text, t, u):
        """That holds whatever the programs return, and whatever else stands in the text."""
        assert unfounded(world, text, t, u) == []

    @pytest.mark.parametrize("piece", sorted({*PIECES, *BENIGN}))
    def test_nothing_beside_a_command_makes_it_proven_wrongly(self, world, piece):
        """Every piece stands before and behind it, joined in every way."""
        wrong = [
            (text, t)
            for joint in dict.fromkeys(JOINTS)
            for text in (f"{piece}{joint}t y", f"t y{joint}{piece}")
            for t in (0, 1)
            if unfounded(world, text, t, 0)
        ]

        assert wrong == []


def unfounded(world, text, t, u):
    """The commands of which it is said that they succeeded, and that did not although bash ended with 0."""
    proven = [one.words for one in must_have_succeeded(text)]
    wanted = [f"{words[0]} {len(words) - 1}" for words in proven if words[0] in ("t", "u")]
    if not wanted:
        return []
    code, fine = ran(world, text, {"t": t, "u": u})
    return [] if code else [one for one in wanted if one not in fine]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pytest", [("pytest",)]),
        ("cd app && pytest -x", [("cd", "app"), ("pytest", "-x")]),
        ("pytest && git push", [("pytest",), ("git", "push")]),
        ("pytest > log 2>&1", [("pytest",)]),
        ("time pytest", [("pytest",)]),
        ("make $TARGET && pytest", [("pytest",)]),
    ],
)
def test_chains_prove_each_of_their_commands(text, expected):
    assert [one.words for one in must_have_succeeded(text)] == expected


@pytest.mark.parametrize(
    "text",
    [
        "pytest || true",
        "pytest; true",
        "true; pytest",
        "pytest\ntrue",
        "pytest | tee log",
        "pytest &",
        "! pytest",
        "(pytest)",
        "if pytest; then :; fi",
        "exit 0 && pytest",
        "exec true && pytest",
        "trap 'exit 0' EXIT && pytest",
        "source ./venv && pytest",
        "$RUN && pytest",
        "PATH=. && pytest",
        "pytest && false || true",
        "set -o pipefail; pytest | tee log",
        "pytest '",
        "",
        "a && " * 5_000 + "pytest",
    ],
    ids=lambda text: repr(text[:30]),
)
def test_everything_else_proves_nothing(text):
    assert must_have_succeeded(text) == ()
