"""The proxy between the client of the official SDK and servers that people use, in both eras of the protocol."""

import json
import os
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp.types import ElicitResult

from tests.adapters.mcp_real_servers import node_server, python_server

ENGINE = str(Path(__file__).resolve().parents[2] / "engine")
RULES = 'version = 1\ndefault = "deny"\n'
SECRET = "AKIAQYLPMN5HHHFPZAM2"


def proxy(folder, name, server, rules, *options):
    """What starts the proxy in front of a server."""
    (folder / "rules.toml").write_text(RULES + rules, encoding="utf-8")
    path = os.pathsep.join(filter(None, [ENGINE, os.environ.get("PYTHONPATH")]))
    words = ["-m", "tidegate", "mcp", "--rules", str(folder / "rules.toml"), "--name", name, *options, "--", *server]
    environment = {"PYTHONPATH": path, "PATH": os.environ["PATH"], "HOME": str(folder)}
    return StdioServerParameters(command=sys.executable, args=words, env=environment, cwd=str(folder))


@contextmanager
def over_http(folder, server, name, rules):
    """The server and the proxy as processes that listen; gives the address of the proxy."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    parameters = proxy(folder, name, [], rules, "--http", f"http://127.0.0.1:{port}/mcp", "--listen", "127.0.0.1:0")
    words = [sys.executable, *parameters.args[:-1], "--json"]
    with (
        subprocess.Popen(
            [*server, "streamableHttp"], env={**parameters.env, "PORT": str(port)}, stderr=subprocess.DEVNULL
        ) as served,
        subprocess.Popen(
            words, env=parameters.env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=folder
        ) as listening,
    ):
        try:
            url = json.loads(listening.stdout.readline())["url"]
            while not reachable(port):
                time.sleep(0.05)
            yield url
        finally:
            listening.kill()
            served.kill()


def reachable(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def grant(*patterns):
    """A rule that allows these things of servers."""
    return f'[[rule]]\nid = "granted"\nkind = "mcp"\nallow = {json.dumps(patterns)}\n'


def within(work, *arguments):
    """Run the client, and not for ever."""

    async def bounded():
        with anyio.fail_after(60):
            return await work(*arguments)

    return anyio.run(bounded)


def said(result):
    return "\n".join(block.text for block in result.content if block.type == "text")


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "repo"
    folder.mkdir()
    for words in (["init", "-q"], ["config", "user.email", "a@b.c"], ["config", "user.name", "a"]):
        subprocess.run(["git", *words], cwd=folder, check=True)
    (folder / "a.txt").write_text("a")
    return folder


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_git_server(tmp_path, repository, mode):
    """What is granted runs, and what is not leaves the repository as it is."""
    server = python_server("mcp-server-git")
    rules = grant("git/git_status", "git/git_log") + '[[rule]]\nid="n"\nkind="tools"\ndeny=["mcp__git__git_commit"]\n'

    async def work():
        async with Client(proxy(tmp_path, "git", server, rules), mode=mode) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            status = await client.call_tool("git_status", {"repo_path": str(repository)})
            added = await client.call_tool("git_add", {"repo_path": str(repository), "files": ["a.txt"]})
            return names, status, added

    names, status, added = within(work)
    staged = subprocess.run(["git", "diff", "--cached", "--name-only"], cwd=repository, capture_output=True, check=True)

    assert "git_add" in names
    assert "git_commit" not in names
    assert "a.txt" in said(status)
    assert added.is_error
    assert staged.stdout == b""


def test_time_server(tmp_path):
    """A limit counts what really runs."""
    server = python_server("mcp-server-time")
    limit = '[[rule]]\nid = "once"\nkind = "rate-limit"\nlimit = "1/hour"\ntools = ["mcp__time__*"]\n'

    async def work():
        async with Client(proxy(tmp_path, "time", server, grant("time/*") + limit), mode="legacy") as client:
            return [await client.call_tool("get_current_time", {"timezone": "UTC"}) for _ in range(2)]

    first, second = within(work)

    assert "timezone" in said(first)
    assert second.is_error


def test_fetch_server(tmp_path):
    """A URL is judged by what it is; prompts are governed like tools."""
    server = python_server("mcp-server-fetch")
    rules = '[[rule]]\nid = "web"\nkind = "url"\nallow = ["https://example.com/**"]\n'

    async def work():
        async with Client(proxy(tmp_path, "fetch", server, rules), mode="auto") as client:
            refused = await client.call_tool("fetch", {"url": "http://169.254.169.254/latest/meta-data"})
            with pytest.raises(MCPError, match="is not allowed by any rule"):
                await client.get_prompt("fetch", {"url": "http://127.0.0.1:1/"})
            return refused

    refused = within(work)

    assert refused.is_error
    assert "169.254.169.254" in said(refused)


def test_filesystem_server(tmp_path):
    """Paths are judged as they are, and secrets in files do not come back."""
    server = node_server("mcp-server-filesystem")
    work_folder, inside = tmp_path / "served", tmp_path / "served" / "in"
    inside.mkdir(parents=True)
    (inside / "a.txt").write_text(f"key {SECRET}")
    (work_folder / "out.txt").write_text("outside")
    rules = (
        f'[[rule]]\nid = "inside"\nkind = "path"\naccess = ["read", "write", "list"]\nallow = ["{inside}/**"]\n'
        '[[rule]]\nid = "keys"\nkind = "redact"\nsecrets = ["*"]\n'
    )

    async def work():
        async with Client(proxy(tmp_path, "filesystem", [*server, str(work_folder)], rules)) as client:
            return [
                await client.call_tool("read_text_file", {"path": str(inside / "a.txt")}),
                await client.call_tool("read_text_file", {"path": f"{inside}/../out.txt"}),
                await client.call_tool("write_file", {"path": str(work_folder / "new.txt"), "content": "x"}),
            ]

    read, out, written = within(work)

    assert "[secret: aws-access-key]" in said(read)
    assert SECRET not in str(read)
    assert out.is_error
    assert written.is_error
    assert not (work_folder / "new.txt").exists()


def test_memory_server(tmp_path):
    """Structured results pass, and a refused call changes nothing."""
    server = node_server("mcp-server-memory")

    async def work():
        async with Client(proxy(tmp_path, "memory", server, grant("memory/create_*", "memory/read_graph"))) as client:
            entity = {"name": "tide", "entityType": "thing", "observations": ["rises"]}
            await client.call_tool("create_entities", {"entities": [entity]})
            deleted = await client.call_tool("delete_entities", {"entityNames": ["tide"]})
            return deleted, await client.call_tool("read_graph", {})

    deleted, graph = within(work)

    assert deleted.is_error
    assert graph.structured_content["entities"][0]["name"] == "tide"


def test_everything_server(tmp_path):
    """Progress, resources, prompts, images, and a question of a rule that the client puts to the person."""
    server = node_server("mcp-server-everything")
    asking = '[[rule]]\nid = "look"\nkind = "tools"\ndeny = ["mcp__everything__get-sum"]\neffect = "ask"\n'
    granted = grant("everything/*", "prompt:everything/simple-prompt", "resource:everything/*")
    asked, told = [], []

    async def ask(context, params):
        asked.append(params.message)
        return ElicitResult(action="accept", content={"allow": len(asked) == 1})

    async def progress(done, total, message):
        told.append((done, total))

    async def work():
        parameters = proxy(tmp_path, "everything", server, granted + asking)
        async with Client(parameters, mode="legacy", elicitation_callback=ask) as client:
            sums = [await client.call_tool("get-sum", {"a": 2, "b": 3}) for _ in range(2)]
            image = await client.call_tool("get-tiny-image", {})
            long = {"duration": 0.4, "steps": 2}
            await client.call_tool("trigger-long-running-operation", long, progress_callback=progress)
            resources = (await client.list_resources()).resources
            read = await client.read_resource(resources[0].uri)
            prompt = await client.get_prompt("simple-prompt")
            prompts = [one.name for one in (await client.list_prompts()).prompts]
            with pytest.raises(MCPError, match="is not allowed by any rule"):
                await client.get_prompt(next(name for name in prompts if name != "simple-prompt"), {"city": "x"})
            return sums, image, read, prompt

    (allowed, refused), image, read, prompt = within(work)

    assert "5" in said(allowed)
    assert refused.is_error
    assert len(asked) == 2
    assert "get-sum" in asked[0]
    assert "image" in {block.type for block in image.content}
    assert told
    assert read.contents
    assert prompt.messages


def test_everything_server_over_http(tmp_path):
    """The same server, reached over streamable HTTP: what is granted passes, and what is not does not."""
    server = node_server("mcp-server-everything")
    rules = grant("everything/echo", "everything/trigger-long-running-operation")
    told = []

    async def progress(done, total, message):
        told.append(done)

    async def work(url):
        async with Client(url) as client:
            echo = await client.call_tool("echo", {"message": "hi"})
            long = {"duration": 0.4, "steps": 2}
            await client.call_tool("trigger-long-running-operation", long, progress_callback=progress)
            return echo, await client.call_tool("get-env", {})

    with over_http(tmp_path, server, "everything", rules) as url:
        echo, env = within(work, url)

    assert said(echo) == "Echo: hi"
    assert told
    assert env.is_error
    assert str(tmp_path) not in said(env)
