"""MCP servers as plugins, against real servers that are started over stdio."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from hashlib import sha256
from pathlib import Path

import anyio
import anyio.to_thread
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.adapters.mcp_client import McpServer, public_name
from tidegate.errors import DuplicateName, MissingService, TidegateError, ToolFailed
from tidegate.kernel import Context, DataBlock, TextBlock, ToolError, ToolExecution, ToolRegistry, tool

HERE = Path(__file__).parent
MODERN = [sys.executable, str(HERE / "mcp_test_server.py")]
LEGACY = [sys.executable, str(HERE / "mcp_legacy_server.py")]
TOOLS = ["echo", "add", "fail", "picture", "sleep", "identify", "die", "learn", "forget", "redescribe"]


BOTH = pytest.mark.parametrize("anyio_backend", ["asyncio", "trio"])


@pytest.fixture
def anyio_backend():
    """One suffices where the test says nothing else: a session runs in a loop of its own."""
    return "asyncio"


@pytest.fixture
def reports():
    return []


@pytest.fixture
def ctx(reports):
    return Context(on_error=lambda error, where: reports.append((error, where)))


@pytest.fixture
def tools(ctx):
    return ToolRegistry(ctx)


def call_of(name, arguments=None, server="test"):
    return ToolExecution("c1", f"mcp__{server}__{name}", arguments or {})


def is_running(pid):
    """Whether a process is there and has not merely not been waited for."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not (stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z")


class Changes:
    """Waits for changes of the registered tools, which come from the thread of a session."""

    def __init__(self, ctx, tools):
        self._tools = tools
        self._changed = threading.Event()
        ctx.on("tools/change")(lambda _: self._changed.set())

    async def until(self, names):
        while set(self._tools.names()) != set(names):
            assert await anyio.to_thread.run_sync(self._changed.wait, 20)
            self._changed.clear()


@BOTH
@pytest.mark.anyio
async def test_the_tools_of_a_server_are_registered_and_called(ctx, tools, tmp_path, monkeypatch):
    """Under their joined names and with their identity, until the plugin is unloaded, which ends the process."""
    monkeypatch.setenv("SECRET", "not for servers")
    server = McpServer("test", command=MODERN, env={"GIVEN": "given"}, cwd=str(tmp_path))
    fiber = await ctx.mount(server)

    definition = tools.get("mcp__test__echo")
    assert tools.names() == [f"mcp__test__{name}" for name in TOOLS]
    assert (definition.origin, definition.server, definition.raw_name) == ("mcp", "test", "echo")
    assert definition.description == "Say it again."
    assert definition.parameters["required"] == ["text"]
    assert definition.validates is None

    echoed = await tools.execute(call_of("echo", {"text": "hi"}))
    assert (echoed.call_id, echoed.content, echoed.is_error) == ("c1", (TextBlock("hi"),), False)
    added = await tools.execute(call_of("add", {"a": 1, "b": 2}))
    assert (added.structured, added.value) == ({"sum": 3}, {"sum": 3})
    picture = await tools.execute(call_of("picture"))
    assert picture.content == (DataBlock("image", {"data": "aGk=", "mimeType": "image/png"}),)
    pid, *surroundings = (await tools.execute(call_of("identify"))).text.split()
    assert surroundings == ["given", "None", tmp_path.name]

    assert is_running(int(pid))
    await fiber.unload()
    assert tools.names() == []
    assert not is_running(int(pid))


@pytest.mark.anyio
async def test_failures_and_refusals_are_error_results(ctx, tools):
    """Those of a tool, bad arguments, which the server refuses itself, and what a rule refuses before it."""
    fiber = await ctx.mount(McpServer("test", command=MODERN))
    tools.guard(lambda call: "no learning" if tools.get(call.name).raw_name == "learn" else None)

    failed = await tools.execute(call_of("fail", {"why": "no disk"}))
    invalid = await tools.execute(call_of("echo", {"text": ["not", "text"]}))
    refused = await tools.execute(call_of("learn", {"name": "more"}))
    asked_again = await tools.execute(call_of("identify"))

    assert (failed.is_error, failed.error) == (True, ToolError("ToolFailed", "TOOL_FAILED"))
    assert "no disk" in failed.text
    assert invalid.is_error
    assert refused.text == "Error: no learning"
    assert (asked_again.is_error, len(tools.names())) == (False, len(TOOLS))
    with pytest.raises(ToolFailed, match="no disk"):
        await tools.call("mcp__test__fail", {"why": "no disk"})
    await fiber.unload()


@BOTH
@pytest.mark.anyio
async def test_a_call_has_a_time_limit(ctx, tools):
    """After it the server can still be called."""
    fiber = await ctx.mount(McpServer("old", command=LEGACY, timeout=1))

    late = await tools.execute(call_of("same", {"answer": False}, "old"))

    assert (late.text, late.error.code) == ("Error: tool call timed out after 1000ms", "TOOL_TIMEOUT")
    assert (await tools.execute(call_of("same", server="old"))).text == "same"
    await fiber.unload()


@BOTH
@pytest.mark.anyio
async def test_a_cancelled_call_is_given_up(ctx, tools):
    """The host is not kept waiting, and the server can still be called."""
    fiber = await ctx.mount(McpServer("old", command=LEGACY))

    with anyio.move_on_after(0.1) as scope:
        await tools.execute(call_of("same", {"answer": False}, "old"))

    assert scope.cancelled_caught
    assert (await tools.execute(call_of("same", server="old"))).text == "same"
    await fiber.unload()


@pytest.mark.anyio
async def test_announced_changes_are_followed(ctx, tools, reports):
    """A new tool appears and an old one goes; those that have not changed are left alone."""
    changes = Changes(ctx, tools)
    fiber = await ctx.mount(McpServer("test", command=MODERN))
    echo = tools.get("mcp__test__echo")
    names = tools.names()

    await tools.execute(call_of("learn", {"name": "new"}))
    await changes.until([*names, "mcp__test__new"])
    assert (await tools.execute(call_of("new"))).text == "new"
    await tools.execute(call_of("forget", {"name": "new"}))
    await changes.until(names)

    assert tools.get("mcp__test__echo") is echo
    assert reports == []
    await fiber.unload()


@BOTH
@pytest.mark.anyio
async def test_a_server_of_the_handshake_era_is_understood(ctx, tools, reports):
    """Its pages are read to the end, and its announcements followed."""
    changes = Changes(ctx, tools)
    fiber = await ctx.mount(McpServer("old", command=LEGACY))
    same = tools.get("mcp__old__same")
    assert tools.names() == ["mcp__old__change", "mcp__old__same", "mcp__old__old"]

    await tools.execute(call_of("change", {"to": ["change", "same", "new"]}, "old"))
    await changes.until(["mcp__old__change", "mcp__old__same", "mcp__old__new"])
    assert tools.get("mcp__old__same") is same
    assert reports == []
    await fiber.unload()


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("to", "error"),
    [(["change", "twin", "twin"], DuplicateName), (["change", "taken"], DuplicateName), (["refuse"], Exception)],
    ids=["two of one name", "a name that is taken", "a list that cannot be had"],
)
async def test_a_change_that_cannot_be_followed_leaves_no_tool(ctx, tools, reports, to, error):
    """Rather than some of them, or those of before; it is reported."""
    tools.register(tool("mcp__old__taken", "", {}, print))
    changes = Changes(ctx, tools)
    fiber = await ctx.mount(McpServer("old", command=LEGACY))

    await tools.execute(call_of("change", {"to": to}, "old"))
    await changes.until(["mcp__old__taken"])
    await fiber.unload()

    assert [(isinstance(found, error), where) for found, where in reports] == [
        (True, "MCP server old, whose tools have changed")
    ]


@pytest.mark.anyio
async def test_a_server_that_dies_fails_its_calls(ctx, tools, reports):
    """The host goes on, is told, and can unload it."""
    fiber = await ctx.mount(McpServer("test", command=MODERN))

    died = await tools.execute(call_of("die"))
    after = await tools.execute(call_of("echo", {"text": "anyone?"}))

    assert (died.is_error, after.is_error) == (True, True)
    await fiber.unload()
    assert [where for _, where in reports] == ["MCP server test, which announces no changes any more"]
    assert tools.names() == []


@BOTH
@pytest.mark.anyio
async def test_a_server_that_never_answers_is_given_up(ctx, tools):
    """After its time limit, and its process is ended."""
    silent = McpServer("test", command=[sys.executable, "-c", "import sys; sys.stdin.read()"], timeout=0.5)

    with pytest.raises(TidegateError, match=r"^MCP server test cannot be used: no answer within 0\.5 s$"):
        await ctx.mount(silent)
    assert tools.names() == []


@pytest.mark.anyio
async def test_a_server_that_cannot_be_started_is_no_plugin(ctx, tools, tmp_path):
    """The mounter hears why."""
    with pytest.raises(TidegateError, match=r"^MCP server test cannot be used: .*no-such-program"):
        await ctx.mount(McpServer("test", command=[str(tmp_path / "no-such-program")]))
    with pytest.raises(TidegateError, match=r"^MCP server test cannot be used: .*connection"):
        await ctx.mount(McpServer("test", url="http://127.0.0.1:9/mcp", timeout=5))
    assert tools.names() == []


@pytest.mark.anyio
async def test_a_conflict_of_names_mounts_nothing(ctx, tools):
    """And ends the process that had been started."""
    tools.register(tool("mcp__old__same", "", {}, print))

    with pytest.raises(DuplicateName, match='tool "mcp__old__same" is already registered'):
        await ctx.mount(McpServer("old", command=LEGACY))
    assert tools.names() == ["mcp__old__same"]


@pytest.mark.anyio
async def test_a_server_needs_a_registry(ctx):
    """It is not even started without one."""
    with pytest.raises(MissingService, match="plugin `MCP server test` waits for tools"):
        await ctx.mount(McpServer("test", command=["no-such-program"]))


def test_a_host_without_an_event_loop_can_mount_and_call(ctx, tools):
    """The session has its own, which outlives those of single calls."""
    fiber = anyio.run(ctx.mount, McpServer("old", command=LEGACY))

    assert tools.execute_sync(call_of("same", server="old")).text == "same"
    assert tools.call_sync("mcp__old__same", {}) == "same"
    anyio.run(fiber.unload)
    assert tools.names() == []


def test_without_the_package_the_error_says_what_to_install():
    """In a process that cannot import `mcp`."""
    code = """
import sys
sys.modules["mcp"] = None
import anyio
from tidegate.adapters.mcp_client import McpServer
from tidegate.kernel import Context, ToolRegistry
ctx = Context()
ToolRegistry(ctx)
try:
    anyio.run(ctx.mount, McpServer("test", command=["x"]))
except Exception as error:
    print(f"{type(error).__name__}: {error}")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == 'TidegateError: an MCP server needs the package `mcp`: pip install "tidegate[mcp]"'


@pytest.mark.parametrize("where", [{}, {"command": ["x"], "url": "http://x"}])
def test_a_server_has_either_a_command_or_a_url(where):
    """Not both, and not neither."""
    with pytest.raises(ValueError, match="either a command or a url"):
        McpServer("test", **where)


def test_a_name_that_fits_is_kept():
    """And one that does not ends in a digest of what it was."""
    digest = sha256(b"my server\0read").hexdigest()[:12]

    assert public_name("git", "log") == "mcp__git__log"
    assert public_name("my server", "read") == f"mcp__my_server__read_{digest}"


@given(st.text(), st.text(), st.text(), st.text())
def test_public_names_fit_and_do_not_meet(server, tool_name, other_server, other_tool):
    """At most 64 of the admitted characters; two tools that had to be renamed never get one name."""
    one, other = public_name(server, tool_name), public_name(other_server, other_tool)

    assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", one)
    if (server, tool_name) != (other_server, other_tool) and one != f"mcp__{server}__{tool_name}":
        assert one != other
