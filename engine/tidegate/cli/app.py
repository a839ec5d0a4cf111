"""The commands by name, each imported when it is called, and how they end."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module

import click

COMMANDS: Mapping[str, str] = {
    "check": "Check rule files and run their examples.",
    "test": "Run the examples of rules and the tests of test files.",
    "decide": "Decide recorded calls, one JSON line each.",
    "explain": "Say how the decision about one call comes about.",
    "run": "Execute calls with the built-in tools, guarded.",
    "coverage": "Say what the rules cover, and what of them tests cover.",
    "fuzz": "Look for calls that slip through the rules.",
    "lint": "Look for slips in rules, each shown by a call.",
    "diff": "Say what new rules do that old ones did not.",
    "replay": "Judge recorded calls again, and say what has changed.",
    "ci": "Check, test, lint, diff and fuzz rules, with one summary.",
    "approvals": "List and revoke what people have allowed beyond one call.",
    "import": "Turn the permissions of another tool into rules.",
    "new": "Write a first policy, a rule, or a kind of your own.",
    "schema": "Print the JSON Schema of rule files, for editors.",
    "doctor": "Look at the installation and say what is wrong.",
    "serve": "Decide calls over HTTP, also by OpenID AuthZEN.",
    "mcp": "Stand between a client and an MCP server, under rules.",
    "resident": "Look at, start or stop the process that answers hooks quickly.",
    "hook": "Answer the hook of an agent CLI (see `tidegate hook --help`).",
}
"""Every command with its short help, so that `--help` imports none of them; a test holds the two together."""

_MODULES: Mapping[str, str] = {"hook": "hook_settings", "import": "importing"}
"""Where a command is that its module is not named after."""

INTERRUPTED = 130
BROKEN = 2


class LazyGroup(click.Group):
    """A group whose commands are modules of this package."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - as in click
        """The names in the order in which people meet them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - as in click
        """The command of that name, imported now."""
        if cmd_name not in COMMANDS:
            return None
        command = import_module(f".{_MODULES.get(cmd_name, cmd_name)}", __package__).command
        assert isinstance(command, click.Command)  # noqa: S101 - a module here without one is our own mistake
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the table of commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if not wanted:
        return
    from .version import own_version

    click.echo(f"tidegate {own_version()}")
    ctx.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Print the version."
)
def tidegate() -> None:
    """Declarative policy for the tool calls of AI agents.

    Results go to standard output and everything else to standard error. Exit codes: 0 fine, 1 findings or a call
    that is not allowed, 2 misuse.
    """


def run(words: Sequence[str]) -> int:
    """Run a command; whatever happens ends in an exit code and, where it is somebody's fault, in one clear text."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = tidegate.main(list(words), prog_name="tidegate", standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read has gone. Python would complain once more when it flushes at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except click.ClickException as error:
        return _misused(error)
    except Exception as error:  # noqa: BLE001 - nobody who writes rules should have to read a traceback
        _say(_told(error))
        return BROKEN
    return code if isinstance(code, int) else 0


def _misused(error: click.ClickException) -> int:
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        _say(error.format_message())
        return BROKEN
    if isinstance(error, click.UsageError) and error.ctx is not None:
        _say(error.ctx.get_usage())
        _say(f"Try `{error.ctx.command_path} --help`.")
    _say(f"tidegate: {error.format_message()}")
    return BROKEN


def _told(error: Exception) -> str:
    """What is said of an error: why, where it is somebody's to mend, and else where in our own code it came up."""
    from ..errors import RuleError, TidegateError

    if isinstance(error, RuleError):
        return f"{error}\n\nno plan is made from rules with an error; mend them and try again"
    if isinstance(error, OSError) and error.strerror:
        about = f"`{error.filename}`: " if error.filename else ""
        return f"tidegate: {about}{error.strerror[:1].lower()}{error.strerror[1:]}"
    if isinstance(error, TidegateError | OSError):
        return f"tidegate: {error}"
    return f"tidegate: internal error, please report it: {type(error).__name__}: {error}{_where(error)}"


def _where(error: Exception) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f" (line {trace.tb_lineno} of {trace.tb_frame.f_code.co_filename})" if trace is not None else ""


def _say(text: str) -> None:
    """Write lines to standard error; what cannot be seen in them is made visible."""
    from .terminal import safe

    try:
        sys.stderr.write("".join(f"{safe(line)}\n" for line in text.split("\n")))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
