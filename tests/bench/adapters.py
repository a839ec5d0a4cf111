"""What each framework's adapter adds to a call, beside the same run without it.

A stub model asks for many calls in one message; the run with the adapter and the run without take turns, and the best
of each counts. A framework that is not installed (`scripts/venv.py frameworks`) is left out and named.
"""

from __future__ import annotations

import importlib
import logging
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.conformance.harnesses import HARNESSES, python_in  # noqa: E402
from tidegate import Engine  # noqa: E402
from tidegate.assurance.conformance import SAY, Ask, Scene  # noqa: E402
from tidegate.assurance.conformance.rows import memory_facts  # noqa: E402

CALLS, ROUNDS = 40, 7
RULES = (
    'version = 1\ndefault = "deny"\n[[rule]]\nid = "say"\nkind = "tools"\nallow = ["say"]\n'
    '[[rule]]\nid = "budget"\nkind = "rate-limit"\ntools = ["say"]\nlimit = "100000/hour"\n'
    '[[rule]]\nid = "keys"\nkind = "redact"\nsecrets = ["*"]\n'
)
MEASURED = ("langchain", "pydantic-ai", "google-adk", "fastmcp", "openai-agents", "anthropic")


def main() -> None:
    """Measure each framework in its own environment."""
    print(f"{'framework':<14} {'bare':>9} {'guarded':>9} {'added':>9}   per call, µs ({CALLS} calls in one message)")
    for name in MEASURED:
        python = python_in(HARNESSES[name][0])
        if python is None:
            print(f"{name:<14} is not installed")
            continue
        subprocess.run([python, __file__, name], check=True, stderr=subprocess.DEVNULL, env=_environ())


def _environ() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "engine"), str(ROOT)])}


def measure(name: str) -> None:
    """Print the line of one framework."""
    logging.disable(logging.CRITICAL)
    module, _, harness = HARNESSES[name][1].partition(":")
    found = importlib.import_module(f"tests.conformance.{module}")
    attribute, bare = _bare(name)
    guarded, play = getattr(found, attribute), getattr(found, harness)().play
    best = {True: float("inf"), False: float("inf")}
    with TemporaryDirectory() as folder:
        rules = Path(folder) / "rules.toml"
        rules.write_text(RULES, encoding="utf-8")
        engine = Engine.load(rules, facts=memory_facts())
        for _ in range(ROUNDS):
            for ours in (True, False):
                setattr(found, attribute, guarded if ours else bare)
                scene = Scene(engine, rules, [[Ask(SAY, f"call {n}") for n in range(CALLS)]], None, "async")
                start = perf_counter()
                play(scene)
                best[ours] = min(best[ours], perf_counter() - start)
    each = {ours: seconds / CALLS * 1e6 for ours, seconds in best.items()}
    print(f"{name:<14} {each[False]:9.0f} {each[True]:9.0f} {each[True] - each[False]:9.0f}", flush=True)


def _bare(name: str) -> tuple[str, Any]:
    """The name by which a harness knows the adapter, and what stands in its place."""
    if name in ("openai-agents", "anthropic"):
        return "guarded_tools", lambda _, tools, **__: list(tools)
    where, attribute, base = {
        "langchain": ("langchain.agents.middleware", "TidegateMiddleware", "AgentMiddleware"),
        "pydantic-ai": ("pydantic_ai.capabilities", "Tidegate", "AbstractCapability"),
        "google-adk": ("google.adk.plugins.base_plugin", "TidegatePlugin", "BasePlugin"),
        "fastmcp": ("fastmcp.server.middleware", "TidegateMiddleware", "Middleware"),
    }[name]
    passing: Any = type("Passing", (getattr(importlib.import_module(where), base),), {})
    return attribute, lambda *_, **__: passing(*(("bare",) if name == "google-adk" else ()))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure(sys.argv[1])
    else:
        main()
