"""The words in which effects and refusals are told to people and models."""

from __future__ import annotations

from ..decision import Answer, Verdict
from ..meaning.effects import CodeTarget, Effect, Invocation, Mention, PathTarget, UrlTarget
from ..meaning.values import shown
from ..shown import escape, quote

_DOING = {
    "read": "reading",
    "write": "writing",
    "delete": "deleting",
    "list": "listing",
    "connect": "connecting to",
    "exec": "running",
    "use": "using the tool",
    "code": "running code that the call does not show,",
    "mention": "naming",
    "unknown": "what nobody can tell before it runs,",
}


def describe(effect: Effect) -> str:
    """The effect in a few words, escaped and short: "writing `/etc/passwd`"."""
    beneath = " and everything beneath" if effect.recursive and effect.kind != "exec" else ""
    return f"{_DOING[effect.kind]} {name_target(effect)}{beneath}"


def name_target(effect: Effect) -> str:
    """What the effect is about, in backticks where it is the user's text."""
    target = effect.target
    if isinstance(target, Invocation):
        return quote(" ".join(shown(word) for word in target.words), limit=200)
    if isinstance(target, CodeTarget):
        return escape(target.what, limit=200)
    if isinstance(target, PathTarget | UrlTarget | Mention):
        return quote(shown(target.text), limit=200)
    return quote(target) if effect.kind == "use" else escape(target, limit=200)


def refusal(verdict: Verdict, by: Answer | None, uncovered: Effect | None, offers: str) -> str:
    """What the model is told: what was refused and what would be allowed."""
    if by is not None and by.message:
        return by.message
    effect = by.effect if by is not None else uncovered
    what = describe(effect) if effect is not None else "the call"
    if by is None:
        said = f"{what} is not allowed by any rule" if verdict == "deny" else f"{what} needs approval"
    elif by.note:
        said = f"{what} {'is refused' if verdict == 'deny' else 'needs approval'}: {escape(by.note, limit=300)}"
    else:
        said = f"{what} {'is refused' if verdict == 'deny' else 'needs approval'}"
    return f"{said}; allowed: {offers}" if offers else said
