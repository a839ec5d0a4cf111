"""The bindings of well-known MCP servers, against what those servers list; each that is not installed is skipped.

A server is looked for on the `PATH`, and in the folders that `TIDEGATE_MCP_SERVERS` names.
"""

import os
import shutil
import subprocess
from importlib.resources import files

import anyio
import pytest
import tomli

from tidegate.adapters.mcp_client import McpServer
from tidegate.compile.guessing import guess_role
from tidegate.kernel import Context, ToolRegistry

TABLE = tomli.loads(files("tidegate.plan").joinpath("known_tools.toml").read_text(encoding="utf-8"))["tools"]
SERVERS = {
    "everything": ["mcp-server-everything"],
    "fetch": ["mcp-server-fetch"],
    "filesystem": ["mcp-server-filesystem", "{folder}"],
    "git": ["mcp-server-git", "--repository", "{folder}"],
    "github": ["mcp-server-github"],
    "memory": ["mcp-server-memory"],
    "postgres": ["mcp-server-postgres", "postgresql://localhost/none"],
    "sqlite": ["mcp-server-sqlite", "--db-path", "{folder}/x.db"],
    "time": ["mcp-server-time"],
}
REMOTE = {("github", "/path"), ("github", "/files/*/path"), ("github", "/comments/*/path")}
"""Paths within a repository at GitHub, which are none of this machine; denies look at them all the same."""
TOLD = ("path", "cwd", "url", "host", "command", "argv", "sql", "patch")


def leaves(properties, prefix=""):
    """The arguments of a schema by pointer, with the name and schema of each."""
    for name, schema in properties.items():
        pointer, items = f"{prefix}/{name}", schema.get("items", {})
        objects = [one["properties"] for one in (items, *items.get("anyOf", ())) if "properties" in one]
        if schema.get("type") == "array" and objects:
            for inner in objects:
                yield from leaves(inner, f"{pointer}/*")
        elif schema.get("type") == "array":
            yield f"{pointer}/*", name, items or schema
        else:
            yield pointer, name, schema


def bindings_of(tool):
    """The roles of a known tool by pointer."""
    return {name if name.startswith("/") else f"/{name}": table["role"] for name, table in TABLE.get(tool, {}).items()}


def role_of(pointer, bound):
    """The role of an argument, its own or that of an array around it."""
    parts = pointer.split("/")
    around = ["/".join(parts[:end]) for end in range(len(parts), 1, -1)]
    return next((bound[one] for one in around if one in bound), None)


async def listed(server, command):
    context = Context()
    tools = ToolRegistry(context)
    fiber = await context.mount(McpServer(server, command=command, env={"GITHUB_PERSONAL_ACCESS_TOKEN": "none"}))
    try:
        return [tools.get(name) for name in tools.names()]
    finally:
        await fiber.unload()


@pytest.fixture(scope="module", params=sorted(SERVERS))
def server(request, tmp_path_factory):
    """The name of a server, and the tools that it lists."""
    program, *arguments = SERVERS[request.param]
    places = f"{os.environ.get('PATH', '')}{os.pathsep}{os.environ.get('TIDEGATE_MCP_SERVERS', '')}"
    found = shutil.which(program, path=places)
    if found is None:
        pytest.skip(f"`{program}` is not installed")
    folder = tmp_path_factory.mktemp("served")
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    command = [found, *(argument.format(folder=folder) for argument in arguments)]
    return request.param, anyio.run(listed, request.param, command)


def test_what_names_a_path_a_url_a_command_or_sql_is_bound(server):
    """Every argument of every tool, also within arrays of objects."""
    name, tools = server
    unbound = [
        f"{tool.name} {pointer}: {guess}"
        for tool in tools
        for pointer, argument, schema in leaves(tool.parameters.get("properties", {}))
        if (guess := guess_role(tool.raw_name, argument, schema)) is not None
        if guess["role"] in TOLD and role_of(pointer, bindings_of(tool.name)) not in TOLD
        if (name, pointer) not in REMOTE
    ]

    assert tools
    assert unbound == []


def test_what_is_bound_is_there(server):
    """No binding is of a tool or an argument that the server does not have."""
    name, tools = server
    arguments = {tool.name: [at for at, *_ in leaves(tool.parameters.get("properties", {}))] for tool in tools}
    bound = {tool: bindings_of(tool) for tool in TABLE if tool.startswith(f"mcp__{name}__")}

    assert sorted(set(bound) - set(arguments)) == []
    assert [
        f"{tool} {pointer}"
        for tool, pointers in bound.items()
        for pointer in pointers
        if not any(at == pointer or at.startswith(f"{pointer}/") for at in arguments[tool])
    ] == []
