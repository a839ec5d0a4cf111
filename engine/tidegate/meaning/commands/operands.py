"""Operands get their roles by position."""

from __future__ import annotations

from ..shell.command import Word
from .entry import Layout, Part, Role

UNKNOWN = Role("unknown", (Part("unknown"),), is_path=False, is_url=False, follow=True)


def place_operands(layout: Layout, operands: tuple[Word, ...]) -> list[Role]:
    """The role of each operand; where a word before or behind may become several, all that it could have."""
    if not layout.first and not layout.last and layout.tail is None:
        return [layout.rest or UNKNOWN] * len(operands)
    count = len(operands)
    if any(word.many for word in operands) and (layout.first or layout.last):
        return [_possible(layout, operands, index) for index in range(count)]
    return [_role(layout, index, count) for index in range(count)]


def _role(layout: Layout, index: int, count: int) -> Role:
    first, last = layout.first, layout.last
    if index < len(first):
        return first[index]
    if layout.tail is not None:
        return layout.tail
    if last and count - index <= (len(last) if layout.rest is None else min(len(last), count - len(first) - 1)):
        return last[len(last) - (count - index)]
    return layout.rest or UNKNOWN


def _possible(layout: Layout, operands: tuple[Word, ...], index: int) -> Role:
    """All roles of one operand where the number of others is not known, as one role."""
    before = operands[:index]
    behind = operands[index + 1 :]
    most = len(layout.first) + len(layout.last) + 1
    fewest_before = sum(not word.many for word in before)
    fewest_behind = sum(not word.many for word in behind)
    itself = range(1, most + 1) if operands[index].many else (1,)
    roles: dict[str, Role] = {}
    for left in _counts(fewest_before, index, before, most):
        for right in _counts(fewest_behind, len(behind), behind, most):
            for width in itself:
                for offset in {0, width - 1}:
                    role = _role(layout, left + offset, left + width + right)
                    roles.setdefault(role.name, role)
    return merged_roles(tuple(roles.values()), _role(layout, index, len(operands)))


def _counts(fewest: int, likely: int, words: tuple[Word, ...], most: int) -> range:
    """How many operands *words* may become, as far as positions differ."""
    return (
        range(fewest, max(likely, fewest + most) + 1) if any(word.many for word in words) else range(likely, likely + 1)
    )


def merged_roles(roles: tuple[Role, ...], likely: Role) -> Role:
    """Several roles as one, under the name of the likely one."""
    if len(roles) == 1:
        return roles[0]
    parts = dict.fromkeys(part for role in (likely, *roles) for part in role.parts)
    return Role(
        likely.name,
        tuple(parts),
        any(role.is_path for role in roles),
        any(role.is_url for role in roles),
        any(role.follow for role in roles),
    )
