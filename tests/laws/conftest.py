"""The laws are what the product promises, and get a thousand examples each in CI."""

import os

from hypothesis import settings

LAWS_IN_CI = 1_000


def pytest_itemcollected(item):
    """Raise the number of examples of every property in this folder that does not ask for more."""
    test = getattr(item, "function", None)
    if os.environ.get("HYPOTHESIS_PROFILE") == "ci" and hasattr(test, "hypothesis"):
        own = getattr(test, "_hypothesis_internal_use_settings", None) or settings()
        test._hypothesis_internal_use_settings = settings(own, max_examples=max(own.max_examples, LAWS_IN_CI))
