"""Every harness that the suite is run with, and where its packages are installed."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The environment of `scripts/venv.py frameworks`, empty for this one, and the harness.
HARNESSES = {
    "registry": ("", "bare:Registry"),
    "guard": ("", "bare:Guard"),
    "claude-code": ("", "with_hooks:ClaudeCode"),
    "gemini": ("", "with_hooks:Gemini"),
    "codex": ("", "with_hooks:Codex"),
    "copilot": ("", "with_hooks:Copilot"),
    "cursor": ("", "with_hooks:Cursor"),
    "mcp proxy": ("", "with_mcp:McpProxy"),
    "serve": ("", "with_serve:Serve"),
    "langchain": ("agents", "with_langchain:LangChain"),
    "pydantic-ai": ("agents", "with_pydantic_ai:PydanticAI"),
    "google-adk": ("adk", "with_google_adk:GoogleAdk"),
    "fastmcp": ("agents", "with_fastmcp:FastMcp"),
    "fastmcp proxy": ("agents", "with_fastmcp:FastMcpProxy"),
    "openai-agents": ("agents", "with_openai_agents:OpenAIAgents"),
    "anthropic": ("agents", "with_anthropic:AnthropicTools"),
    "claude-agent-sdk": ("agents", "with_claude_agent_sdk:ClaudeAgentSdk"),
    "crewai": ("crewai", "with_crewai:CrewAI"),
}


def python_in(environment):
    """The Python that has the packages of an environment, `None` where it is not installed."""
    if not environment:
        return sys.executable
    folder = Path(os.environ.get("TIDEGATE_FRAMEWORKS", ROOT / ".venv-frameworks")) / environment
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    return str(python) if python.exists() else None
