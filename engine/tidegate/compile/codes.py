"""The codes of findings about what rules mean, each with what it means; `docs/findings.md` is made from this.

Beside those of `lang.codes`, which are about the text. A kind of a third party may add codes of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

CODES: Mapping[str, str] = MappingProxyType(
    {
        "bad-command-entry": "An entry under `[commands]` says something that no program could be.",
        "bad-limit": "A limit does not say how many in which time, or a length of time is none.",
        "bad-marker": "A marker is blank, too long, or has a field that nothing stands for.",
        "bad-pattern": "A glob, a command pattern, a URL pattern or a regular expression cannot be compiled.",
        "bad-pins": "A file of pins is none, or cannot be read.",
        "bad-pointer": "A JSON pointer cannot be followed, or names several values where one is needed.",
        "bad-schema": "A JSON Schema is none, says what nobody would check, or cannot be read from its file.",
        "empty-table": "A condition has no keys, and so would always hold.",
        "expired": "Grants and exceptions have ended; what the rule refuses, it goes on refusing (no error at load).",
        "expires-soon": "Grants or exceptions end within 14 days (a warning).",
        "extra-missing": "A kind needs a package that is not installed.",
        "failing-example": "An example of a rule does not hold.",
        "idle-grant": "An `allow` list can grant nothing under this `default` (a warning in a pack).",
        "kind-missing": "The package of a kind is not installed, or offers no kind of that name.",
        "never-holds": "A condition contradicts itself: no value meets it.",
        "not-carried-over": "A rule of another tool cannot be carried over (a warning where it then finds more).",
        "one-sided": "A rule has no example that it answers, or no near miss that it lets pass (with `--examples`).",
        "out-of-range": "A number is smaller or larger than the key takes.",
        "says-nothing": "A rule has none of the lists by which it could answer, or a key that changes nothing.",
        "secret-in-rule": "A rule file holds a password, or a user's name in a URL.",
        "unbound-tool": "No binding says what the arguments of a tool mean (a warning).",
        "unknown-kind": "A rule is of a kind that nobody knows.",
        "unknown-risk": "An id in `maps` is in no risk catalogue that is known here (a warning).",
        "unmatched-tool": "A glob matches no tool; an error where all tools are given, else a warning.",
        "unpinned-tool": "A rule with pins allows a tool by name that has no pin (a warning).",
    }
)
