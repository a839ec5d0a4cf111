"""What a patch does to one file."""

from __future__ import annotations

from typing import Literal, NamedTuple


class Touch(NamedTuple):
    """One file of a patch: what is done to it, and its path as spelled."""

    access: Literal["read", "write", "delete"]
    path: str


class NotAPatch(ValueError):
    """A text is no patch of the form that was tried; says where it stops being one."""
