"""A scene: two tools, what a stub model asks for, and an engine; and who plays it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any, Final, Literal, Protocol

from attrs import field, frozen

from ...engine import Engine
from ...plan.approval import Approver
from .breaking import Breaks

Way = Literal["sync", "async", "stream", "subagent"]
"""How a harness runs a tool; `subagent` is inside of another agent, which was given the same adapter."""

SAY: Final = "say"
"""The tool that answers with a text; its one argument is `text`, a string."""
REPORT: Final = "report"
"""The tool that answers with an object, `{"said": text}`; its one argument is `text`, a string."""

AGENT: Final = "helper"
"""The name of the agent that calls the tools."""
SESSION: Final = "s1"
"""The id of the session, thread or conversation in which it happens, where the harness lets it be chosen."""

FAILS: Final = "fail: "
"""A tool that is told a text which begins so raises `RuntimeError` with the rest."""
SLOW: Final = "slow: "
"""A tool that is told a text which begins so takes `SLOW_SECONDS`."""
SLOW_SECONDS: Final = 0.3


@frozen
class Ask:
    """What the model asks for: a tool and its `text`."""

    tool: str
    text: str


@frozen
class Seen:
    """What came back for one call, in every channel that a model or a host reads, by the channel's name."""

    channels: Mapping[str, str]

    @property
    def text(self) -> str:
        """All channels, one below the other."""
        return "\n".join(self.channels.values())


@frozen(eq=False)
class Stage:
    """The bodies of the two tools, and the sentinel: `entered` is what they were really given, in order."""

    entered: list[tuple[str, str]] = field(factory=list)
    _lock: Lock = field(factory=Lock, repr=False)

    def say(self, text: str) -> str:
        """The body of `say`; the result is the text."""
        self._enter(SAY, text)
        if text.startswith(SLOW):
            time.sleep(SLOW_SECONDS)
        return text

    async def asay(self, text: str) -> str:
        """The same for a harness that runs asynchronous tools; it can be cancelled."""
        self._enter(SAY, text)
        if text.startswith(SLOW):
            from anyio import sleep

            await sleep(SLOW_SECONDS)
        return text

    def report(self, text: str) -> dict[str, Any]:
        """The body of `report`."""
        self._enter(REPORT, text)
        return {"said": text}

    def _enter(self, tool: str, text: str) -> None:
        with self._lock:
            self.entered.append((tool, text))
        if text.startswith(FAILS):
            raise RuntimeError(text.removeprefix(FAILS))


@frozen(eq=False)
class Scene:
    """One run to be played.

    Attributes:
        engine: Judges; an adapter in the same process takes it as it is.
        rules: The rule file that it was loaded from, for an adapter that lives in another process.
        turns: What the model asks for, turn by turn; the calls of one turn come together in one message.
        approver: Who is asked, `None` for nobody.
        way: How it is to be played.
        breaks: Which fact of the engine is broken, for an adapter in another process, which has to break it there.
        stage: The bodies of the tools.
    """

    engine: Engine
    rules: Path
    turns: Sequence[Sequence[Ask]]
    approver: Approver | None
    way: Way
    breaks: Breaks = ""
    stage: Stage = field(factory=Stage)

    @property
    def asks(self) -> list[Ask]:
        """All calls, turn by turn."""
        return [ask for turn in self.turns for ask in turn]


class Harness(Protocol):
    """What an adapter's author implements.

    Attributes:
        name: What the table calls it.
        version: Of the package that was played with, empty where there is none.
        ways: The ways that the harness has.
        cannot: Why a row cannot hold, by the row's name, or by `ROW/WAY` where it is so in one way only.
    """

    name: str
    version: str
    ways: Sequence[Way]
    cannot: Mapping[str, str]

    def play(self, scene: Scene) -> Sequence[Seen]:
        """Let a stub model ask for the turns of *scene* and run them with the real harness.

        The harness has the tools `say` and `report`, whose bodies are those of the stage. The agent is called
        `AGENT` and the session `SESSION` where that can be chosen.

        Returns:
            What came back for each call, in the order of the calls. Where the harness ends a run with an exception,
            its text is what came back for the call.
        """
