"""Decision records of tidegate's own audit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...audit.recorded import call_of_record, said_of
from ...plan.approval import NO_APPROVER
from .entry import Word
from .found import Found, Given, Recorded


def recognizes(value: Any) -> bool:
    """Whether it is a record."""
    return isinstance(value, Mapping) and {"tool", "effect", "plan", "answers"} <= value.keys()


def found(value: Any, _: Given) -> Iterator[Found]:
    """The call of a record, with what the rules said of it.

    Raises:
        CallError: It is no record.
    """
    said = said_of(value)
    call = call_of_record(value)
    if isinstance(call, str):
        yield call
    elif _was_asked(value):
        yield Recorded(call, Word("ask" if call.interactive else "deny", said.rule))
    else:
        yield Recorded(call, Word(said.effect, said.rule))


def _was_asked(value: Mapping[str, Any]) -> bool:
    """Whether the rules asked, and what is recorded is how somebody answered: other rules are not compared with that.

    That the `default` asked and a person refused cannot be told from a refusal.
    """
    if str(value.get("reason") or "").startswith(NO_APPROVER):
        return True
    answers = value.get("answers")
    for answer in answers if isinstance(answers, list) else ():
        if isinstance(answer, Mapping) and answer.get("monitored") is False:
            if answer.get("list") == "approved":
                return True
            if answer.get("rule") == value.get("rule") and answer.get("says") == "ask":
                return True
    return False
