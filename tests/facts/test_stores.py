"""The stores that a rule may name."""

from contextlib import closing

import pytest

from tidegate.errors import StateError, StoreError
from tidegate.facts.counters import MemoryCounters
from tidegate.facts.redis_counters import RedisCounters
from tidegate.facts.sqlite_counters import SqliteCounters
from tidegate.facts.stores import counters_for
from tidegate.kind import Claim


def nowhere():
    """A state folder that nobody should ask for."""
    raise AssertionError("the state folder was asked for")


def test_memory_needs_no_folder():
    assert isinstance(counters_for("memory", nowhere, {}), MemoryCounters)


def test_sqlite_counts_in_the_state_folder(tmp_path):
    with closing(counters_for("sqlite", lambda: tmp_path, {})) as counters:
        counters.reserve([Claim("k", 1, 1.0)], 0.0, 1.0)

    assert isinstance(counters, SqliteCounters)
    assert (tmp_path / "limits.db").exists()


def test_sqlite_counts_at_a_path(tmp_path):
    """Its folder is made as safe as the state folder."""
    with closing(counters_for(f"sqlite:{tmp_path}/made/own.db", nowhere, {})) as counters:
        counters.reserve([Claim("k", 1, 1.0)], 0.0, 1.0)

    assert (tmp_path / "made" / "own.db").exists()


def test_folder_that_is_not_safe_is_refused(tmp_path):
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)

    with pytest.raises(StateError):
        counters_for(f"sqlite:{tmp_path}/open/own.db", nowhere, {})


@pytest.mark.parametrize(
    ("store", "environ", "url"),
    [
        ("redis", {"TIDEGATE_REDIS_URL": "redis://:p@h:1/2"}, "redis://:p@h:1/2"),
        ("valkey", {"TIDEGATE_VALKEY_URL": "valkeys://h"}, "rediss://h"),
        ("valkey://h:1/0", {"TIDEGATE_VALKEY_URL": "valkey://other"}, "redis://h:1/0"),
        ("rediss://h", {}, "rediss://h"),
    ],
)
def test_server_is_that_of_the_rule_or_of_the_environment(store, environ, url):
    counters = counters_for(store, nowhere, environ)

    assert isinstance(counters, RedisCounters)
    assert counters._url == url


@pytest.mark.parametrize("environ", [{}, {"TIDEGATE_REDIS_URL": ""}, {"TIDEGATE_REDIS_URL": "h:p@ssword"}])
def test_variable_that_holds_no_url_is_an_error_that_does_not_show_it(environ):
    with pytest.raises(StoreError, match="TIDEGATE_REDIS_URL") as caught:
        counters_for("redis", nowhere, environ)

    assert "ssword" not in str(caught.value)


@pytest.mark.parametrize("store", ["", "sqlite:", "sqlite:own.db", "Redis", "Memory", "memory:x", "redis://"])
def test_store_that_does_not_exist_is_an_error(store):
    with pytest.raises(StoreError):
        counters_for(store, nowhere, {})
