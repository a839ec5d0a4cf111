"""What all commands have in common: help, misuse, how they end."""

import os
import signal
import subprocess
import sys

import click
import pytest

from tidegate.cli import app, main


def test_help_lists_every_command(tidegate):
    """`tidegate --help` names all commands."""
    done = tidegate("--help")

    assert done.returncode == 0
    assert all(f"  {name} ".encode() in done.stdout for name in app.COMMANDS)


def test_help_imports_no_command():
    """The list of commands costs no import of any of them, nor of what they need."""
    code = (
        "import sys; from tidegate.cli import main; main(['--help']); print(*sys.modules, sep='\\n', file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {
        "rich",
        "asyncio",
        "attrs",
        "cattrs",
        "jsonschema",
        "anyio",
        "tidegate.engine",
        "tidegate.cli.check",
        "re2",
    }

    assert heavy & set(done.stderr.split("\n")) == set()


def test_short_helps_are_those_of_the_commands():
    """The table of commands says of each what the command says of itself."""
    context = click.Context(app.tidegate)
    lazy = {name: app.tidegate.get_command(context, name) for name in app.COMMANDS if name != "hook"}

    assert {name: command.short_help for name, command in lazy.items()} == {
        name: text for name, text in app.COMMANDS.items() if name != "hook"
    }


def test_every_command_has_json():
    """`--json` is accepted by every command that has results."""
    context = click.Context(app.tidegate)
    commands = {name: app.tidegate.get_command(context, name) for name in app.COMMANDS if name not in ("hook", "new")}
    commands |= commands.pop("resident").commands  # a group, which takes its words apart for others
    without = [
        name for name, command in commands.items() if "--json" not in {o for p in command.params for o in p.opts}
    ]

    assert without == []


def test_unknown_command_is_misuse(tidegate):
    """A command that does not exist ends in 2 and says so on standard error."""
    done = tidegate("chekc\x1b[31m")

    assert (done.returncode, done.stdout) == (2, b"")
    assert b"\x1b" not in done.stderr
    assert b"No such command" in done.stderr


def test_unknown_option_is_misuse(tidegate):
    """An option that does not exist ends in 2."""
    assert tidegate("check", "--nope").returncode == 2


def test_version(tidegate):
    """`--version` prints a name and a version."""
    done = tidegate("--version")

    assert done.returncode == 0
    assert done.stdout.startswith(b"tidegate ")


def test_broken_pipe_ends_quietly(tmp_path, rules, environment):
    """Whoever stops reading gets no complaint."""
    calls = tmp_path / "calls.jsonl"
    calls.write_text('{"tool": "read_file", "args": {"path": "a"}}\n' * 5_000)
    process = subprocess.Popen(
        [sys.executable, "-m", "tidegate", "decide", str(rules), str(calls)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env=environment,
    )
    process.stdout.readline()
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()

    assert (process.wait(60), said) == (1, b"")


def test_nobody_there_ends_quietly(tmp_path, rules, environment):
    """Where nobody reads from the beginning, even a short answer ends without a complaint."""
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "tidegate", "check", str(rules)],
        stdout=writing,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env=environment,
        check=False,
    )
    os.close(writing)

    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")
def test_interrupt_ends_quietly(tmp_path, rules, environment):
    """Ctrl-C ends with 130 and without a traceback."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tidegate", "decide", str(rules)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env=environment,
    )
    process.stdin.write(b'{"tool": "read_file", "args": {"path": "a"}}\n')
    process.stdin.flush()
    answer = process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)

    assert answer.startswith(b'{"effect": "allow"')
    assert (process.returncode, said.strip()) == (130, b"")


def test_internal_error_is_no_traceback(monkeypatch, capsys):
    """Whatever a command raises becomes one line and exit code 2."""
    monkeypatch.setitem(app.COMMANDS, "schema", "")

    def fail(*_, **__):
        raise ZeroDivisionError("by \x1b nought")

    monkeypatch.setattr("tidegate.cli.schema.dumped", fail)
    code = main(["schema"])
    said = capsys.readouterr()

    assert code == 2
    assert said.out == ""
    assert "Traceback" not in said.err
    assert said.err.startswith("tidegate: internal error, please report it: ZeroDivisionError: by \\u{1b} nought")


@pytest.mark.parametrize("words", [(), ("new",)])
def test_without_a_command_the_help_is_printed(tidegate, words):
    """It is the help as it stands, and no complaint about it."""
    done = tidegate(*words)

    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == tidegate(*words, "--help").stdout
