"""The laws are what the product promises, and get a thousand examples each in CI."""

import os

from hypothesis import settings

LAWS_IN_CI = 1_000


def pytest_itemcollected(item):
    """Raise the number of examples of every property and state machine here that does not ask for more."""
    if os.environ.get("HYPOTHESIS_PROFILE") != "ci":
        return
    machine = getattr(item, "cls", None)
    if hasattr(getattr(item, "function", None), "_hypothesis_state_machine_class"):
        machine.settings = _raised(machine.settings)
    elif hasattr(getattr(item, "function", None), "hypothesis"):
        test = item.function
        own = getattr(test, "_hypothesis_internal_use_settings", None) or settings()
        test._hypothesis_internal_use_settings = _raised(own)


def _raised(own):
    return settings(own, max_examples=max(own.max_examples, LAWS_IN_CI))
