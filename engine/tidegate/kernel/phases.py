"""The names under which a call is judged, wrapped, shaped and shown, and the modes that mean something there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

PRE_EXECUTE: Final = "tools/pre-execute"
EXECUTE: Final = "tools/execute"
GUARD: Final = "tools/guard"
LAST_GUARD: Final = "tools/last-guard"
POST_EXECUTE: Final = "tools/post-execute"
RESULT: Final = "tools/result"
CHANGE: Final = "tools/change"
ASSEMBLE: Final = "system-prompt/assemble"

MODES: Mapping[str, frozenset[str]] = {
    PRE_EXECUTE: frozenset({"waterfall"}),
    EXECUTE: frozenset({"waterfall", "emit"}),
    GUARD: frozenset({"guard"}),
    LAST_GUARD: frozenset({"guard"}),
    POST_EXECUTE: frozenset({"waterfall"}),
    RESULT: frozenset({"emit"}),
    CHANGE: frozenset({"emit"}),
    ASSEMBLE: frozenset({"waterfall"}),
}
"""A listener in another mode would never run, and a policy that never runs permits; so it is refused."""
