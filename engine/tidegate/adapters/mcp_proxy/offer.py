"""What the server says of its tools, and which of them are suspended because it says something else now.

The first thing that a server says of a tool in a run is what it is held to, or what stands in a file of pins. A tool of
which it says something else later, or nothing any more, is suspended until somebody looks at it and pins it again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from ...errors import CallError
from ...kernel.told import Told
from ...pins import BadPins, Pins, read_pins
from ...served import TOOL
from ...shown import quote
from .gate import Identity
from .wire import Response

MOST_TOOLS = 10_000
MOST_PAGES = 200

CHANGED = (
    "the server says something else of this tool than before, so that it is suspended; "
    "look at it, and pin it again with `tidegate new pins`"
)
GONE = "the server does not list this tool any more, so that it is suspended; pin it again if it comes back"
UNCLEAR = "the server lists this tool several times, and not always the same, so that it is suspended"

Ask = Callable[[dict[str, Any]], Awaitable[Response]]
"""Asks the server for a page of its tools, with these params."""


class BadList(ValueError):
    """What the server lists cannot be used."""


class PinFile:
    """A file of pins, which is read again when it has changed."""

    def __init__(self, path: Path) -> None:
        """Read it.

        Raises:
            BadPins: It is none.
            OSError: It cannot be read.
        """
        self.path = path
        self._stamp: tuple[int, int] | None = None
        self._pins: Pins = {}
        self._read()

    def _read(self) -> None:
        found = self.path.stat()
        stamp = (found.st_mtime_ns, found.st_size)
        if stamp != self._stamp:
            self._pins, self._stamp = read_pins(self.path.read_bytes()), stamp

    def pin(self, server: str, tool: str) -> str | None:
        """The digest of a tool as it is pinned now; while the file cannot be read, what it said last."""
        try:
            self._read()
        except (OSError, BadPins):
            self._stamp = None
        return self._pins.get((server, tool))


class Offer:
    """The tools of one server, as it lists them."""

    def __init__(self, server: str, pins: PinFile | None) -> None:
        self._server = server
        self._pins = pins
        self._held: dict[str, str] = {}
        self._now: dict[str, Told] = {}
        self._unclear: set[str] = set()
        self.complete = False
        self._lost = False

    def told(self, raw: str) -> Told | None:
        """What the server says of a tool now, `None` where it does not list it."""
        return self._now.get(raw)

    def stale(self) -> None:
        """Note that the list has changed; the next call asks for it again."""
        self.complete = False

    def lost(self) -> None:
        """Note that the list could not be had, so that nobody knows what the server says now."""
        self._now, self._lost = {}, True

    def suspended(self, identity: Identity) -> str | None:
        """Why a tool is suspended, `None` for one that is not."""
        if identity.origin != TOOL:
            return None
        raw, now = identity.raw, self._now.get(identity.raw)
        if raw in self._unclear:
            return UNCLEAR
        held = self._held.get(raw)
        pinned = None if self._pins is None else self._pins.pin(self._server, raw)
        if pinned is None and held is None:
            return None
        if now is None:
            return GONE if self.complete or self._lost else None
        return None if now.digest == (held if pinned is None else pinned) else CHANGED

    def learn(self, entries: Iterable[Any], *, whole: bool) -> list[tuple[Mapping[str, Any], Told]]:
        """Take note of entries of a list, all there are if *whole*; gives those that are entries of tools.

        Raises:
            BadList: There are too many.
        """
        found: list[tuple[Mapping[str, Any], Told]] = []
        seen: dict[str, Told] = {}
        unclear: set[str] = set()
        for entry in entries:
            told = _told(entry)
            if told is None:
                continue
            raw = entry["name"]
            if raw not in seen:
                seen[raw] = told
                found.append((entry, told))
            elif seen[raw].digest != told.digest:
                unclear.add(raw)
        if len(seen) > MOST_TOOLS or len(self._held) + len(seen.keys() - self._held.keys()) > MOST_TOOLS:
            raise BadList(f"the server lists more than {MOST_TOOLS} tools")
        self._now = seen if whole else {**self._now, **seen}
        self._unclear = unclear if whole else self._unclear | unclear
        self.complete = self.complete or whole
        self._lost = self._lost and not whole
        for raw, told in seen.items():
            self._held.setdefault(raw, told.digest)
        return found

    async def refresh(self, ask: Ask) -> None:
        """Ask for the whole list and take note of it.

        Raises:
            BadList: The server does not list its tools.
        """
        entries: list[Any] = []
        cursor: str | None = None
        for _ in range(MOST_PAGES):
            response = await ask({} if cursor is None else {"cursor": cursor})
            page = (response.result or {}).get("tools")
            if not isinstance(page, list) or len(entries) + len(page) > MOST_TOOLS:
                raise BadList(f"the server does not list its tools ({_why(response)})")
            entries += page
            cursor = (response.result or {}).get("nextCursor")
            if cursor is None:
                self.learn(entries, whole=True)
                return
            if not isinstance(cursor, str):
                break
        raise BadList("the list of the server's tools has no end")


def _why(response: Response) -> str:
    return quote(str(response.error["message"])) if response.error is not None else "no list, or too long a one"


def _told(entry: Any) -> Told | None:
    """What an entry says; `None` for one that is no entry of a tool."""
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str) or not entry["name"]:
        return None
    try:
        return Told.of(entry)
    except CallError:
        return None
