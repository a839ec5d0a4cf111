"""The codes of what `lint` finds, each with what it means; `docs/lint.md` has a section for each of them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

CODES: Mapping[str, str] = MappingProxyType(
    {
        "contradicting": "A rule grants what other rules refuse wherever it grants it.",
        "idle-exception": "An exception excepts nothing that the rule refuses.",
        "never-matches": "A rule, or an item of one, can match no call.",
        "overlapping": "A rule asks about calls that another rule denies, and about others.",
        "redundant": "A rule, or an item of one, says nothing that other rules do not say as well.",
        "secret-in-rule": "A rule file holds what looks like a secret.",
        "shadowed": "A rule asks about calls that other rules deny, and about no others.",
        "unanchored": "A pattern stands in fewer or more places than it seems to.",
        "wide-grant": "A grant reaches further than it looks.",
        "writes-what-runs": "One grant lets a call write the code that another one lets run.",
    }
)
