"""What a session has been told: texts from people and tools, kept in this process only."""

from __future__ import annotations

from collections import OrderedDict, deque
from threading import Lock

MOST_SESSIONS = 1_000
MOST_TEXT = 1_000_000
"""How many characters are kept of each source in a session; the oldest text goes first."""


class Texts:
    """Texts by session and source. What is forgotten is no source any more, which can only refuse more."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[str, dict[str, deque[str]]] = OrderedDict()
        self._lock = Lock()

    def add(self, session: str, source: str, text: str) -> None:
        """Keep a text; of one that is too long, the beginning."""
        with self._lock:
            sources = self._sessions.setdefault(session, {})
            self._sessions.move_to_end(session)
            while len(self._sessions) > MOST_SESSIONS:
                self._sessions.popitem(last=False)
            kept = sources.setdefault(source, deque())
            kept.append(text[:MOST_TEXT])
            while sum(map(len, kept)) > MOST_TEXT:
                kept.popleft()

    def of(self, session: str, source: str) -> tuple[str, ...]:
        """The texts of one source, the oldest first."""
        with self._lock:
            return tuple(self._sessions.get(session, {}).get(source, ()))
