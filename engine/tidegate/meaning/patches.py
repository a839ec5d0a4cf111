"""Which files a patch touches, and how."""

from __future__ import annotations

from typing import Literal, NamedTuple

from .tri import Unknown


class Touch(NamedTuple):
    """One file of a patch: what is done to it and its path as spelled."""

    access: Literal["read", "write", "delete"]
    path: str


def read_patch(text: str) -> list[Touch] | Unknown:
    """The files that a patch touches: `*** Begin Patch`, unified and git diffs; anything else is unknown."""
    raise NotImplementedError
