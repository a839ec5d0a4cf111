"""Operands get their roles by position."""

from __future__ import annotations

from enum import Enum
from functools import lru_cache

from ..shell.command import Word
from ..values import Matched
from .entry import Layout, Part, Role

UNKNOWN = Role("unknown", (Part("unknown"),), is_path=False, is_url=False, follow=True)


class _Number(Enum):
    """How many words an operand becomes."""

    ONE = "one"
    SOME = "one or more"
    ANY = "any number, also none"

    # There is one of each; that of `Enum` runs Python code for every operand that is looked up.
    __hash__ = object.__hash__


def place_operands(layout: Layout, operands: tuple[Word, ...]) -> list[Role]:
    """The role of each operand; where a word before or behind may become several, all that it could have."""
    if not layout.first and not layout.last and layout.tail is None:
        return [layout.rest or UNKNOWN] * len(operands)
    count = len(operands)
    if any(word.many for word in operands) and (layout.first or layout.last):
        return [*_possible_roles(layout, tuple(map(_number, operands)))]
    return [_role(layout, index, count) for index in range(count)]


def _number(word: Word) -> _Number:
    if not word.many:
        return _Number.ONE
    return _Number.SOME if type(word.value) is Matched else _Number.ANY


# Pure: remembering changes nothing but the cost.
@lru_cache(maxsize=256)
def _possible_roles(layout: Layout, numbers: tuple[_Number, ...]) -> tuple[Role, ...]:
    return tuple([_possible(layout, numbers, index) for index in range(len(numbers))])


def _role(layout: Layout, index: int, count: int) -> Role:
    first, last = layout.first, layout.last
    if index < len(first):
        return first[index]
    if layout.tail is not None:
        return layout.tail
    if last and count - index <= (len(last) if layout.rest is None else min(len(last), count - len(first) - 1)):
        return last[len(last) - (count - index)]
    return layout.rest or UNKNOWN


def _possible(layout: Layout, numbers: tuple[_Number, ...], index: int) -> Role:
    """All roles of one operand where the number of others is not known, as one role."""
    before = numbers[:index]
    behind = numbers[index + 1 :]
    most = len(layout.first) + len(layout.last) + 1
    itself = (1,) if numbers[index] is _Number.ONE else range(1, most + 1)
    roles: dict[str, Role] = {}
    for left in _counts(before, most):
        for right in _counts(behind, most):
            for width in itself:
                for offset in {0, width - 1}:
                    role = _role(layout, left + offset, left + width + right)
                    roles.setdefault(role.name, role)
    return merged_roles(tuple(roles.values()), _role(layout, index, len(numbers)))


def _counts(numbers: tuple[_Number, ...], most: int) -> range:
    """How many operands come of *numbers*, as far as positions differ."""
    likely = len(numbers)
    if numbers.count(_Number.ONE) == likely:
        return range(likely, likely + 1)
    fewest = likely - numbers.count(_Number.ANY)
    return range(fewest, max(likely, fewest + most) + 1)


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
