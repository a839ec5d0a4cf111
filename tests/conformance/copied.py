"""Run a block of docs/frameworks.md, read from standard input, with a stub for the model: `copied.py FRAMEWORK`."""

import importlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
TURNS = [[("send_email", {"to": "ann@example.com", "body": "hello"})]]


def stub_of(framework):
    """The names that the page leaves to the reader."""
    if framework in ("fastmcp", "claude-agent-sdk"):
        return {}
    harness = importlib.import_module(f"tests.conformance.with_{framework.replace('-', '_')}")
    if framework == "langchain":
        return {"model": harness.Stub(turns=TURNS)}
    if framework == "google-adk":
        return {"model": harness.Stub(turns=TURNS, seen=[])}
    if framework == "crewai":
        return {"model": harness.Stub(model="stub", turns=TURNS, seen={})}
    if framework == "openai-agents":
        harness.set_tracing_disabled(True)
        return {"model": harness.Stub(TURNS)}
    if framework == "pydantic-ai":
        return {"model": harness.stub(TURNS)}
    stub = harness.Stub(TURNS)
    transport = harness.httpx2.MockTransport(stub)
    client = harness.Anthropic(
        api_key="none", http_client=harness.anthropic.DefaultHttpxClient(transport=transport), max_retries=0
    )
    return {"model": "stub", "client": client, "stub": stub}


names = {"__name__": "block", **stub_of(sys.argv[1])}
exec(compile(sys.stdin.read(), "block", "exec"), names)
if "stub" in names:
    sys.stdout.write(f"{names['stub'].results}\n")
