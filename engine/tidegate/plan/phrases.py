"""The words in which effects and refusals are told to people and models."""

from __future__ import annotations

from ..decision import Answer, Verdict
from ..meaning.effects import CodeTarget, Effect, Invocation, Mention, PathTarget, SqlTarget, UrlTarget
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
    "query": "running the SQL",
    "mention": "naming",
}


def describe(effect: Effect) -> str:
    """The effect in a few words, escaped and short: "writing `/etc/passwd`"."""
    if effect.kind == "code":
        return f"running code that the call does not show ({name_target(effect)})"
    if effect.kind == "unknown":
        return f"something that nobody can tell before it runs ({name_target(effect)})"
    beneath = " and everything beneath" if effect.recursive and effect.kind != "exec" else ""
    followed = isinstance(effect.target, UrlTarget) and effect.target.origin is not None
    doing = "following the redirects of" if followed else _DOING[effect.kind]
    return f"{doing} {name_target(effect)}{beneath}"


def name_target(effect: Effect) -> str:
    """What the effect is about, in backticks where it is the caller's text."""
    target = effect.target
    if isinstance(target, Invocation):
        return quote(" ".join(shown(word) for word in target.words), limit=200)
    if isinstance(target, CodeTarget):
        return escape(target.what, limit=200)
    if isinstance(target, PathTarget) and not target.names:  # what no name of a file says, in our words
        return escape(shown(target.text), limit=200)
    if isinstance(target, PathTarget | UrlTarget | SqlTarget | Mention):
        return quote(shown(target.text), limit=200)
    return quote(target, limit=200) if effect.kind in ("use", "query") else escape(target, limit=200)


def refusal(verdict: Verdict, by: Answer | None, uncovered: Effect | None, offers: str) -> str:
    """What the model is told: what was refused and what would be allowed."""
    if by is not None and by.message:
        return by.message
    effect = by.effect if by is not None else uncovered
    what = describe(effect) if effect is not None else "the call"
    if by is None:
        said = f"{what} is not allowed by any rule" if verdict == "deny" else f"{what} needs approval"
    elif by.note and not (effect is not None and effect.kind == "unknown" and by.note == effect.target):
        said = f"{what} {'is refused' if verdict == 'deny' else 'needs approval'}: {escape(by.note, limit=300)}"
    else:
        said = f"{what} {'is refused' if verdict == 'deny' else 'needs approval'}"
    return f"{said}; allowed: {offers}" if offers else said
