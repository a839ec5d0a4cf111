"""Sources in which one line is stronger than another; here the strictest of all answers counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from attrs import evolve

from ..errors import Finding
from .carried import Said, made_stricter

_EXCEPTED: Mapping[str, str] = {"command": "command", "path": "path"}


def excepted(said: Sequence[Said]) -> tuple[list[Said], list[Finding]]:
    """Refusals with what stronger lines allow of them.

    A stronger grant becomes an exception where both are about commands, or both about the same access to paths. Where
    it may be about the same calls otherwise, a finding says that the refusal counts here all the same. A refusal that
    is stronger than such a grant stands for itself, so that an exception takes nothing from it.
    """
    found: list[Said] = []
    findings: list[Finding] = []
    for one in said:
        stronger = [
            other for other in said if other.effect == "allow" and other.order > one.order and _meet(one, other)
        ]
        if one.effect == "allow" or "list" in one.fields or not stronger:
            found.append(one)
            continue
        same = [other for other in stronger if _is_exception(one, other)]
        exceptions = [{_EXCEPTED[other.kind]: item} for other in same for item in other.items]
        found.append(evolve(one, fields={**one.fields, "except": exceptions}) if exceptions else one)
        findings += _clashes(one, [other for other in stronger if other not in same])
    return found, findings


def _meet(one: Said, other: Said) -> bool:
    """Whether two lines may be about the same tool."""
    return any("*" in name for name in (*one.whole, *other.whole)) or not set(one.whole).isdisjoint(other.whole)


def _is_exception(one: Said, other: Said) -> bool:
    alike = one.kind == other.kind and one.kind in _EXCEPTED and "when" not in other.fields
    return alike and one.fields.get("access") == other.fields.get("access")


def _clashes(one: Said, others: Sequence[Said]) -> Iterator[Finding]:
    """What is said where a stronger grant may be about the same calls."""
    for other in others:
        if (
            one.kind == other.kind
            and set(one.items).isdisjoint(other.items)
            and "*" not in "".join(map(str, one.items))
        ):
            continue
        why = f"in its source `{other.text}` is stronger and allows some of it; here the strictest counts"
        yield made_stricter(one.span, one.text, why, "add an `except` where that should pass")
        return
