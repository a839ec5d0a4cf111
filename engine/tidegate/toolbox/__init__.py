"""Built-in tools, so that calls can be run without a harness: files beneath a root, bash, HTTP.

Their names and arguments are those that `plan/known_tools.toml` binds. They judge nothing themselves: a registry
with an engine around it does. What they do is what was judged, as far as the system lets them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from ..kernel import ToolDefinition, ToolRegistry
from .files import file_tools
from .folder import Folder
from .shell import shell_tool
from .web import web_tool

__all__ = ["built_in_tools"]


def built_in_tools(
    root: str, environment: Mapping[str, str] | None = None, tools: ToolRegistry | None = None
) -> tuple[ToolDefinition, ...]:
    """All built-in tools.

    Args:
        root: The absolute folder beneath which files are opened, and in which bash starts by default.
        environment: The variables with which bash starts; by default those of this process.
        tools: The registry that they are for, through which `http_get` has redirects judged; without it, it follows
            none.
    """
    variables = dict(os.environ) if environment is None else dict(environment)
    return (*file_tools(Folder(root)), shell_tool(root, variables), web_tool(tools=tools))
