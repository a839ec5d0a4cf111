"""The codes of findings about test files and of what tests find, each with what it means."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

CODES: Mapping[str, str] = MappingProxyType(
    {
        "duplicate-name": "Two tests of one file have the same `name`.",
        "failing-test": "A test of a test file fails.",
        "no-rules": "A test file does not say which rules it is about, and the command line names none.",
    }
)
