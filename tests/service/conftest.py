"""One service for all tests that change nothing in it."""

import pytest

from tests.service.services import ATTESTED, serving

pytest.importorskip("starlette", reason="the extra `serve` is not installed")


@pytest.fixture(scope="package")
def service(tmp_path_factory):
    """A service for anybody on this machine, which believes the folders of calls."""
    with serving(tmp_path_factory.mktemp("service"), *ATTESTED, "--explain", "--patience", "1") as running:
        yield running
