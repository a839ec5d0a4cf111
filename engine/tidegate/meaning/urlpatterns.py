"""Patterns of URLs: `scheme://host:port/path`."""

from __future__ import annotations

from attrs import frozen

from .effects import UrlTarget
from .tri import Tri


@frozen
class UrlPattern:
    """A pattern of URLs.

    `*.x` is any depth under `x` and not `x` itself. No port means the scheme's. No scheme means `http` and
    `https`; in a deny (`widen`) any scheme and any port. No path, or `/` alone, means every path.
    """

    text: str

    @classmethod
    def compile(cls, text: str) -> UrlPattern:
        """Compile *text*; raises `BadPattern` with `offset` and `mend`."""
        raise NotImplementedError

    def match(self, target: UrlTarget, *, widen: bool, every: bool) -> Tri:
        """Whether the pattern names the target.

        `every` asks for all readings and no doubt (a grant, a confinement), else one reading is enough (a deny).
        `widen` compares look-alike hosts and addresses inside addresses as well (a deny, never a grant).
        """
        raise NotImplementedError
