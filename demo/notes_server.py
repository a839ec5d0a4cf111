"""A small MCP server over stdio: notes that live as long as the process."""

from mcp.server.mcpserver import MCPServer

server = MCPServer("notes")
notes: list[str] = []


@server.tool()
def add(text: str) -> str:
    """Keep a note."""
    notes.append(text)
    return f"note {len(notes)} kept"


@server.tool(name="list")
def list_notes() -> str:
    """Every note, one a line."""
    return "\n".join(notes) or "no notes"


@server.tool()
def erase() -> str:
    """Forget every note."""
    notes.clear()
    return "all notes are gone"


if __name__ == "__main__":
    server.run("stdio")
