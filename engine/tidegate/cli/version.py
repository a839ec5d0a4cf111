"""Which tidegate this is."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def own_version() -> str:
    """The version of the installed package; `0` where it runs from a folder that was never installed."""
    try:
        return version("tidegate")
    except PackageNotFoundError:
        return "0"
