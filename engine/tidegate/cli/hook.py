"""`tidegate hook`: the answer to a hook of an agent CLI.

Whatever goes wrong here must refuse the call: most harnesses let a tool run when its hook fails. So this module
imports nothing but the standard library before it is certain that an answer will come, and the work is done where
neither an error, nor a crash, nor the time it takes can keep the answer away.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from time import monotonic

from ..adapters.hook_answers import BLOCKS, HARNESSES, Reply, Wanted, answers_of, refusal
from .watch import Died, Late, read_input, watched

SECONDS = 8.0
"""How long an answer may take; harnesses wait longer."""

HELP = f"""\
Usage: tidegate hook HARNESS --rules RULES [OPTIONS]
       tidegate hook install | uninstall | status HARNESS [OPTIONS]

  Answer a hook of an agent CLI: reads the event from standard input and writes
  the answer to standard output. HARNESS is one of
  {", ".join(HARNESSES)}.

  `tidegate hook install HARNESS` puts it where the harness looks for hooks.

  A refusal says why. A call that the rules allow as it stands is left to the
  harness's own rules. Whatever goes wrong refuses the call: broken rules, an
  event that cannot be read, an error, and more than 8 seconds. A limit in
  memory counts in a file here, since each call has a process of its own.

Options:
  --rules FILE    The project's rule file.
  --managed FILE  The rule file of the machine, over the project's.
  --user FILE     The rule file of the person, under the project's.
  --audit FILE    Append a record of each decision to this file.
  --event NAME    The event for which the hook is installed; another is refused.
  --json          Answers always are JSON; accepted as everywhere.
  -h, --help      Show this message and exit.
"""

_TAKEN = ("event", "rules", "managed", "user", "audit")
_SETTINGS = ("install", "uninstall", "status")


def main(words: Sequence[str]) -> int:
    """Answer one event and return the exit code."""
    if words[:1] and words[0] in _SETTINGS:
        from .app import run

        return run(["hook", *words])
    if any(word in ("-h", "--help") for word in words):
        sys.stdout.write(HELP)
        return 0
    wanted = parse(words)
    if isinstance(wanted, str):
        return misused(wanted)
    return write(answer(wanted))


def misused(wrong: str) -> int:
    """Say what is wrong with the command line, and refuse: this is what the harness shows the model."""
    sys.stderr.write(f"tidegate hook is not installed as it should be: {wrong}; see `tidegate hook --help`\n")
    return BLOCKS


def answer(wanted: Wanted, given: bytes | None = None, deadline: float | None = None) -> Reply:
    """The reply to an event, in time and whatever happens.

    Args:
        wanted: What stands on the command line.
        given: The event, where it was read from standard input already.
        deadline: The time, by `time.monotonic`, at which the reply must be there; by default in `SECONDS`.
    """
    data = given or b""
    deadline = monotonic() + SECONDS if deadline is None else deadline
    try:
        if given is None:
            data = read_input(deadline)
        code, _, stdout = watched(lambda: _work(wanted, data), deadline).partition(b"\n")
        return Reply(stdout, b"", int(code))
    except Late:
        reason = f"the rules took longer than {SECONDS:g} seconds; try a simpler call"
    except Died:
        reason = "what applies the rules has crashed; run `tidegate doctor`, and report it"
    except BaseException as error:  # noqa: BLE001 - whatever it was, the call is refused
        reason = f"the hook failed ({type(error).__name__}); run `tidegate doctor`"
    return refusal(wanted.harness, wanted.event, data, reason)


def parse(words: Sequence[str]) -> Wanted | str:
    """The command line, or what is wrong with it."""
    if not words or words[0] not in HARNESSES:
        return f"name the harness: {', '.join(f'`{name}`' for name in HARNESSES)}"
    given: dict[str, str] = {}
    left = list(words[1:])
    while left:
        word = left.pop(0)
        if word == "--json":
            continue
        name, equals, value = word.removeprefix("--").partition("=")
        if not word.startswith("--") or name not in _TAKEN or name in given:
            return f"{word!a} is no option here, or stands twice"
        if not equals:
            if not left:
                return f"`--{name}` needs a value"
            value = left.pop(0)
        given[name] = value
    if "rules" not in given and "managed" not in given:
        return "`--rules` is missing"
    if "event" in given and given["event"] not in answers_of(words[0]).EVENTS:
        return f"{given['event']!a} is no event of `{words[0]}` that is about calls"
    return Wanted(words[0], *(given.get(name) for name in _TAKEN))


def _work(wanted: Wanted, data: bytes) -> bytes:
    """The exit code and, on the lines below it, what standard output gets; done where it may crash."""
    from ..adapters.hook_reply import respond
    from .hook_engines import fresh

    reply = respond(wanted, data, os.environ, fresh)
    sys.stderr.write(reply.stderr.decode())
    sys.stderr.flush()
    return b"%d\n%b" % (reply.code, reply.stdout)


def write(reply: Reply) -> int:
    """Write a reply to the two streams, and return the exit code."""
    sys.stderr.write(reply.stderr.decode())
    try:
        _write_all(sys.stdout.fileno(), reply.stdout)
    except OSError:
        sys.stderr.write("tidegate refused this call: its answer could not be written\n")
        return BLOCKS
    return reply.code


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
