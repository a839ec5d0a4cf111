"""The suites of AgentDojo, imported without the clients of language models that its package names."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

PACKAGE = "agentdojo"
VERSION = "v1.2.2"
"""The version of the tasks, the newest one of the package."""


def suites() -> dict[str, Any]:
    """The four suites by name.

    `agentdojo.agent_pipeline` imports every client that it can talk to as it is imported itself, and so does its
    `ground_truth_pipeline`, which no suite uses as it is loaded. So the one stands here without its `__init__`, and the
    other as a name with nothing behind it.

    Raises:
        ImportError: The package is not installed, or something that its suites need.
    """
    found = find_spec(PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise ImportError(f"{PACKAGE} is not installed")
    bare, unused = (
        ModuleType(f"{PACKAGE}.agent_pipeline"),
        ModuleType(f"{PACKAGE}.agent_pipeline.ground_truth_pipeline"),
    )
    bare.__path__ = [str(Path(found.submodule_search_locations[0]) / "agent_pipeline")]
    vars(unused)["GroundTruthPipeline"] = None
    for module in (bare, unused):
        sys.modules.setdefault(module.__name__, module)
    loaded: dict[str, Any] = import_module(f"{PACKAGE}.task_suite.load_suites").get_suites(VERSION)
    return {name: loaded[name] for name in sorted(loaded)}


def plain(value: Any) -> Any:
    """What a tool of a suite returned, as JSON."""
    from pydantic import BaseModel

    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    return value
