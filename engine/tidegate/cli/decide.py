"""`tidegate decide`: recorded calls, one decision on each line."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from ..calls import Line, read_calls
from ..decision import as_json, refusal
from ..engine import Engine
from .jsonlines import bounded_lines, dump, opened
from .loading import FILE, layer_options, load_engine
from .progress import Progress
from .terminal import errors, output


@click.command("decide", short_help="Decide recorded calls, one JSON line each.")
@click.argument("rules", type=FILE)
@click.argument("calls", default="-")
@layer_options
@click.option("--json", "_json", is_flag=True, help="Decisions always are JSON; accepted as everywhere.")
def command(rules: Path, calls: str, managed: Path | None, user: Path | None, _json: bool) -> int:
    """Decide the calls of a file, or of standard input, and answer each with a line of JSON.

    A call is a line `{"tool", "args", "call_id"?, "cwd"?, "root"?, "home"?, "agent"?, "session"?, "mode"?,
    "interactive"?, "at"?}`. `tool` is a name, or `{"server", "name"}` for a tool of an MCP server, with what the server
    says of it (`description`, `inputSchema`, `annotations`) where that is known. A line that is no call is denied, and
    its reason says why; the others are decided all the same. Limits count: two calls in one file are two calls. Exit
    code 1 means that not all were allowed.
    """
    engine = load_engine(rules, managed, user)
    allowed = True
    screen = output()
    with opened(calls) as stream, Progress(errors(), hidden=screen.terminal) as progress:
        for line in read_calls(bounded_lines(stream)):
            answer = decide_line(engine, line)
            allowed = allowed and answer["effect"] == "allow"
            screen.line(dump(answer))
            progress.step(answer["effect"])
    return 0 if allowed else 1


def decide_line(engine: Engine, line: Line) -> dict[str, Any]:
    """The answer for one line, whatever is in it."""
    if line.call is None:
        return refusal(line.error)
    try:
        return as_json(engine.judge(line.call))
    except Exception as error:  # noqa: BLE001 - what cannot be judged is denied, and the other lines go on
        said = f"line {line.number} could not be judged: {type(error).__name__}: {error}"
        sys.stderr.write(f"tidegate: internal error, please report it: {said!a}\n")
        return refusal(said, line.call.call_id)
