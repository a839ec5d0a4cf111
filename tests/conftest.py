"""What every test shares: how many examples a property gets, and servers that are started when they are needed."""

import os

import pytest
from hypothesis import HealthCheck, settings

from tests.laws.servers import running

SLOW_IS_FINE = [HealthCheck.too_slow]

settings.register_profile("dev", max_examples=100, deadline=None)
# CI is the same on every run, and says how to run a failure again.
settings.register_profile(
    "ci", max_examples=200, deadline=None, derandomize=True, print_blob=True, suppress_health_check=SLOW_IS_FINE
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))


@pytest.fixture(scope="session", params=["redis-server", "valkey-server"])
def server(request):
    """The URL of each server that is installed, in turn; what is not is skipped and says so."""
    with running(request.param) as url:
        yield url


@pytest.fixture(scope="session")
def redis_server():
    """The URL of a Redis server."""
    with running("redis-server") as url:
        yield url
