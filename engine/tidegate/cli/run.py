"""`tidegate run`: calls executed with the built-in tools, guarded."""

from __future__ import annotations

import shlex
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import click

from ..adapters.mcp_client import McpServer
from ..audit.jsonl import JsonlSink
from ..audit.record import Record
from ..calls import Line, read_calls
from ..engine import Engine
from ..kernel import Context, ToolExecution, ToolRegistry
from ..plan.approval import NO_APPROVER, Approver, Question
from ..toolbox import built_in_tools
from .asking import Approve, approver
from .jsonlines import bounded_lines, opened
from .ledger import Ledger, Row
from .loading import FILE, layer_options, load_engine
from .terminal import output

REFUSED = "this call needs approval, and `--approve deny` refuses it"


@click.command("run", short_help="Execute calls with the built-in tools, guarded.")
@click.argument("rules", type=FILE)
@click.argument("calls")
@layer_options
@click.option(
    "--root",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    default=Path(),
    help="The folder in which the calls happen, and beneath which files are opened; by default this one.",
)
@click.option(
    "--approve",
    type=click.Choice(["ask", "deny", "allow"]),
    help="What becomes of a call about which a rule asks; by default you are asked where there is a terminal.",
)
@click.option("--mcp", "servers", metavar="NAME=COMMAND", multiple=True, help="Start an MCP server for its tools.")
@click.option("--audit", type=FILE, help="Append a record of each decision to this file, which only you may read.")
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object for each call.")
def command(  # noqa: PLR0913 - one for each option
    *,
    rules: Path,
    calls: str,
    managed: Path | None,
    user: Path | None,
    root: Path,
    approve: Approve | None,
    servers: tuple[str, ...],
    audit: Path | None,
    as_json: bool,
) -> int:
    """Execute the calls of a file with the built-in tools, each guarded by the rules.

    CALLS holds a call on each line, as for `decide`; `-` is standard input. The tools are `read_file`, `write_file`,
    `edit_file`, `delete_file`, `list_dir`, `search_files`, `run_bash` and `http_get`. File tools stay beneath the
    root; bash is judged and not contained. Exit code 1 means that not all calls were allowed.
    """
    commands = dict(_server(text) for text in servers)
    records: list[Record] = []
    with ExitStack() as stack:
        recorders: list[Any] = [records.append]
        if audit is not None:
            recorders.append(stack.enter_context(JsonlSink(audit)))
        own = [] if audit is None else [audit]
        # Of the shells of other servers nobody knows what they start with.
        engine = load_engine(rules, managed, user, recorders=recorders, own=own, fresh_shells=not servers)
        ledger = Ledger(output(), json=as_json)
        unasked = REFUSED if approve == "deny" else NO_APPROVER
        session = _Session(engine, str(root.resolve()), approver(approve, calls), records, unasked)
        lines = read_calls(bounded_lines(stack.enter_context(opened(calls))))
        from anyio import run

        run(partial(session.run, lines, commands, ledger))
    return 0 if ledger.all_allowed else 1


def _server(text: str) -> tuple[str, list[str]]:
    name, _, line = text.partition("=")
    words = shlex.split(line)
    if not name or not words:
        raise click.UsageError(f"`--mcp {text}` must be NAME=COMMAND")
    return name, words


@asynccontextmanager
async def _servers(context: Context, commands: dict[str, list[str]], root: str) -> AsyncIterator[None]:
    """The MCP servers, started in *root*, and ended whatever happens."""
    from anyio import CancelScope

    mounted = []
    try:
        for name, words in commands.items():
            mounted.append(await context.mount(McpServer(name, command=words, cwd=root)))
        yield
    finally:
        with CancelScope(shield=True):
            for fiber in reversed(mounted):
                await fiber.unload()


class _Session:
    """A registry with the built-in tools, an engine around it, and the calls that go through."""

    def __init__(
        self, engine: Engine, root: str, approver: Approver | None, records: list[Record], unasked: str
    ) -> None:
        """Run calls in *root*; *unasked* is said of a call about which nobody was asked."""
        self._engine = engine
        self._root = root
        self._approver = approver
        self._records = records
        self._unasked = unasked
        self._asked = False

    async def run(self, lines: Any, servers: dict[str, list[str]], ledger: Ledger) -> None:
        """Run the calls one after the other."""
        context = Context()
        tools = ToolRegistry(context)
        for definition in built_in_tools(self._root, tools=tools):
            tools.register(definition)
        self._engine.attach(tools, approver=None if self._approver is None else self._ask)
        async with _servers(context, servers, self._root):
            ledger.head()
            for line in lines:
                ledger.add(await self._one(tools, line))
            ledger.sum_up()

    def _ask(self, question: Question) -> Any:
        self._asked = True
        assert self._approver is not None  # noqa: S101 - only then it is handed over
        return self._approver(question)

    async def _one(self, tools: ToolRegistry, line: Line) -> Row:
        call = line.call
        if call is None:
            return Row(line.number, "", "-", "deny", asked=False, rule=None, reason=line.error, arguments=None)
        self._asked = False
        self._records.clear()
        execution = ToolExecution(
            call.call_id or str(line.number),
            call.tool.name,
            dict(call.arguments),
            agent=call.agent,
            session=call.session,
            cwd=call.cwd or self._root,
            root=self._root,
            home=call.home,
            mode=call.mode,
            interactive=call.interactive,
        )
        result = await tools.execute(execution)
        record = self._records[-1]
        decision = record.decision
        return Row(
            line=line.number,
            call_id=execution.call_id,
            tool=call.tool.name,
            effect=decision.effect,
            asked=self._asked or decision.reason.startswith(NO_APPROVER),
            rule=decision.rule,
            reason=decision.reason.replace(NO_APPROVER, self._unasked, 1),
            arguments=decision.arguments,
            original=record.original if record.original is not decision.arguments else None,
            would=decision.would,
            result=result,
            shaped=tuple(one.rule for one in record.shaped if one.says == "rewrite" and not one.monitored),
        )
