"""`tidegate hook`: the answer to a hook of an agent CLI.

Whatever goes wrong here must refuse the call: most harnesses let a tool run when its hook fails. So this module
imports nothing but the standard library before it is certain that an answer will come, and the work is done where
neither an error, nor a crash, nor the time it takes can keep the answer away.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from time import monotonic
from typing import NamedTuple

from ..adapters import claude_answers as claude
from .watch import Died, Late, read_input, watched

SECONDS = 8.0
"""How long an answer may take; harnesses wait longer."""

BLOCKS = 2
"""The exit code that refuses a call where even the answer cannot be written."""

HELP = """\
Usage: tidegate hook claude-code --rules RULES [OPTIONS]

  Answer a hook of Claude Code: reads the event from standard input and writes
  the answer to standard output. Install it once, for the events PreToolUse,
  PostToolUse and PermissionRequest and for all tools (matcher "*"), as

    tidegate hook claude-code --rules /path/to/rules.toml || exit 2

  A refusal says why. A call that the rules allow as it stands is left to
  Claude Code's own rules. Whatever goes wrong refuses the call: broken rules,
  an event that cannot be read, an error, and more than 8 seconds; the last two
  words do so where tidegate cannot even be started. A limit in memory counts
  in a file here, since each call has a process of its own.

Options:
  --rules FILE    The project's rule file.
  --managed FILE  The rule file of the machine, over the project's.
  --user FILE     The rule file of the person, under the project's.
  --audit FILE    Append a record of each decision to this file.
  --json          Answers always are JSON; accepted as everywhere.
  -h, --help      Show this message and exit.
"""

_FILES = ("rules", "managed", "user", "audit")


class Asked(NamedTuple):
    """What stands on the command line."""

    harness: str
    rules: str | None
    managed: str | None
    user: str | None
    audit: str | None


def main(words: Sequence[str]) -> int:
    """Answer one event and return the exit code."""
    if any(word in ("-h", "--help") for word in words):
        sys.stdout.write(HELP)
        return 0
    asked = _parse(words)
    if isinstance(asked, str):
        # This is what the harness shows the model: a hook that is installed wrongly refuses.
        sys.stderr.write(f"tidegate hook is not installed as it should be: {asked}; see `tidegate hook --help`\n")
        return BLOCKS
    data = b""
    deadline = monotonic() + SECONDS
    try:
        data = read_input(deadline)
        answer = watched(lambda: _answer(asked, data), deadline)
    except Late:
        answer = _refused(data, f"the rules took longer than {SECONDS:g} seconds; try a simpler call")
    except Died:
        answer = _refused(data, "what applies the rules has crashed; run `tidegate doctor`, and report it")
    except BaseException as error:  # noqa: BLE001 - whatever it was, the call is refused
        answer = _refused(data, f"the hook failed ({type(error).__name__}); run `tidegate doctor`")
    return _write(answer)


def _parse(words: Sequence[str]) -> Asked | str:
    """The command line, or what is wrong with it."""
    if not words or words[0] != "claude-code":
        return "name the harness: `claude-code`"
    given: dict[str, str] = {}
    left = list(words[1:])
    while left:
        word = left.pop(0)
        if word == "--json":
            continue
        name, equals, value = word.removeprefix("--").partition("=")
        if not word.startswith("--") or name not in _FILES or name in given:
            return f"{word!a} is no option here, or stands twice"
        if not equals:
            if not left:
                return f"`--{name}` needs a file"
            value = left.pop(0)
        given[name] = value
    if "rules" not in given and "managed" not in given:
        return "`--rules` is missing"
    return Asked(words[0], *(given.get(name) for name in _FILES))


def _answer(asked: Asked, data: bytes) -> bytes:
    """The answer to the event in *data*; errors are answers too."""
    from ..errors import CallError, RuleError

    try:
        from .hook_claude import answer

        return answer(asked.rules, asked.managed, asked.user, asked.audit, data)
    except CallError as error:
        reason = f"the event cannot be read: {error}"
    except RuleError as error:
        wrong = sum(finding.severity == "error" for finding in error.findings)
        named = (("", asked.rules), ("--managed ", asked.managed), ("--user ", asked.user))
        files = " ".join(f"{option}{file}" for option, file in named if file)
        errors = "an error" if wrong == 1 else f"{wrong} errors"
        reason = f"the rules have {errors}, and a person has to mend them (`tidegate check {files}`)"
    except Exception as error:  # noqa: BLE001 - whatever it was, the call is refused
        sys.stderr.write(f"tidegate hook: {type(error).__name__}: {str(error)!a}\n")
        reason = "the rules could not be applied; a person should run `tidegate doctor`, and report it"
    return _refused(data, reason)


def _refused(data: bytes, reason: str) -> bytes:
    """The refusal of whatever *data* is about."""
    event = claude.guessed_event(data)
    sys.stderr.write(f"tidegate hook: {reason!a}\n")
    if event not in (claude.BEFORE, claude.AFTER, claude.PERMISSION):
        return b""
    told = f"this call is refused because nothing can judge it: {reason}"
    return _dumped(claude.withheld(data) if event == claude.AFTER else claude.denied(event, told))


def _dumped(answer: claude.Answer) -> bytes:
    return json.dumps(answer).encode() + b"\n"


def _write(answer: bytes) -> int:
    try:
        _write_all(sys.stdout.fileno(), answer)
    except OSError:
        sys.stderr.write("tidegate refused this call: its answer could not be written\n")
        return BLOCKS
    return 0


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
