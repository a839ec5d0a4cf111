"""What every kernel test needs: a context that tells what it contained, and a registry."""

from __future__ import annotations

import pytest

from tidegate.kernel import Context, ToolRegistry


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request):
    """Async tests run under both."""
    return request.param


@pytest.fixture
def reports():
    """What the context contained and reported, as `(error, where)`; whoever expects some clears the list."""
    found = []
    yield found

    assert found == []


@pytest.fixture
def ctx(reports):
    return Context(on_error=lambda error, where: reports.append((error, where)))


@pytest.fixture
def tools(ctx):
    return ToolRegistry(ctx)
