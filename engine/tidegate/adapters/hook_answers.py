"""What the answers to hooks have in common, whichever harness asks; and the refusal where nothing else can be said.

Imports nothing but the standard library: the process that must answer whatever happens begins here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from importlib import import_module
from typing import Any, Literal, NamedTuple, Protocol, cast

Answer = dict[str, Any]

Stage = Literal["before", "permission", "after"]
"""When a hook is asked: before a call is run, where the harness is about to ask a person, and after the call."""

BLOCKS = 2
"""The exit code that refuses a call in every harness, with the reason on standard error."""

WITHHELD = "[the result was withheld, because the rules for results could not be applied]"

_MODULES: Mapping[str, str] = {
    "claude-code": "claude",
    "gemini": "gemini",
    "codex": "codex",
    "copilot": "copilot",
    "cursor": "cursor",
}
HARNESSES = tuple(_MODULES)

_EVENT = re.compile(rb'"hook_event_name"\s*:\s*"([A-Za-z]{1,64})"')


class Wanted(NamedTuple):
    """What stands on the command line of an installed hook: the harness, its event, and which rules."""

    harness: str
    event: str | None = None
    rules: str | None = None
    managed: str | None = None
    user: str | None = None
    audit: str | None = None


class Reply(NamedTuple):
    """How a hook's process ends: what it writes to its two streams, and its exit code."""

    stdout: bytes
    stderr: bytes = b""
    code: int = 0


class Answers(Protocol):
    """The answers of one harness, with exactly the keys of its contract; each harness has a module of this shape.

    `EVENTS` are the events that are about calls, and `FIRST` the one that stands for what cannot be told. A reason is
    never empty. What a harness cannot be told becomes the nearest that refuses: a question becomes a refusal where
    `asks` is false of the event.
    """

    EVENTS: Mapping[str, Stage]
    FIRST: str

    def asks(self, event: str) -> bool:
        """Whether a question at this event reaches a person."""

    def denied(self, event: str, reason: str) -> Answer:
        """Refuse the call. After the call nothing is left to refuse: its result is kept from the model if it can be."""

    def asked(self, event: str, reason: str, arguments: Mapping[str, Any] | None) -> Answer:
        """Have the person asked; *arguments* are the rewritten ones, `None` where they are as they came."""

    def rewritten(self, event: str, arguments: Mapping[str, Any]) -> Answer:
        """Let the call run with other arguments, which are all of them."""

    def no_opinion(self, event: str) -> Answer:
        """Have nothing against the call or its result."""

    def reminded(self, event: str, answer: Answer, notice: str) -> Answer:
        """The *answer* before a call, with a notice that decides nothing."""

    def withheld(self, event: str, data: bytes) -> Answer:
        """The answer after a call whose result could not be shaped; *data* is the event, as far as it is one."""


def answers_of(harness: str) -> Answers:
    """The answers of a harness; only its own module is imported.

    Raises:
        KeyError: There is no such harness.
    """
    return cast(Answers, import_module(f".{_MODULES[harness]}_answers", __package__))


def dumped(answer: Answer) -> bytes:
    """An answer as it is written: one line of ASCII."""
    return json.dumps(answer, allow_nan=False).encode() + b"\n"


def refusal(harness: str, event: str | None, data: bytes, reason: str) -> Reply:
    """The refusal of whatever *data* is about, which need not be JSON.

    Args:
        harness: Who asks.
        event: The event for which the hook was installed, `None` where its command line does not say.
        data: What was read.
        reason: Why nothing can be decided, for the model and the person.
    """
    answers = answers_of(harness)
    note = f"tidegate hook: {reason!a}\n".encode()
    name = event or _event_of(data, answers)
    if name is None:
        return Reply(b"", note, BLOCKS)
    stage = answers.EVENTS.get(name)
    if stage is None:  # the harness says that this is about no call
        return Reply(dumped({}), note)
    if stage == "after":
        return Reply(_withheld(answers, name, data), note)
    return Reply(dumped(answers.denied(name, f"this call is refused because nothing can judge it: {reason}")), note)


def _withheld(answers: Answers, event: str, data: bytes) -> bytes:
    try:
        return dumped(answers.withheld(event, data))
    except (ValueError, RecursionError):  # a result that is no JSON, or nested without end, has no shape to keep
        return dumped(answers.denied(event, WITHHELD))


def _event_of(data: bytes, answers: Answers) -> str | None:
    """The event that *data* is about; `None` where parts of it say different things.

    A model chooses the arguments, and may write into them what looks like the name of another event. So only the
    outermost name counts where there is an outermost one, and else only one that nothing contradicts.
    """
    try:
        value = json.loads(data, object_pairs_hook=tuple)  # an object with all that stands in it, also twice
    except (ValueError, RecursionError):
        named = {match.decode("ascii") for match in _EVENT.findall(data)} & answers.EVENTS.keys()
        return (named.pop() if named else answers.FIRST) if len(named) < 2 else None  # noqa: PLR2004 - one or none
    names = [pair[1] for pair in value if pair[0] == "hook_event_name"] if isinstance(value, tuple) else []
    if any(name != names[0] for name in names):
        return None
    return names[0] if names and isinstance(names[0], str) else answers.FIRST
