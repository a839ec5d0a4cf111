"""What the service knows of the machine on which the judged tools run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from attrs import evolve

from ..facts import Facts
from ..meaning.scene import Files

Machine = Literal["unseen", "plain", "here"]
MACHINES: tuple[Machine, ...] = ("unseen", "plain", "here")


class AsNamed:
    """A disk of which somebody has said that no symbolic link leads a path elsewhere; nothing else is known of it."""

    def readlink(self, path: str) -> str | None:  # noqa: ARG002 - as every file system is asked
        """No path is a link."""
        return None

    def kind(self, path: str) -> Literal["file", "dir", "link", "other", "absent", "unknown"]:  # noqa: ARG002
        """Nobody knows what stands there."""
        return "unknown"

    def names(self, path: str) -> list[str] | None:  # noqa: ARG002
        """Nobody knows what lies there."""
        return None


def facts_of(machine: Machine, local: Facts, own: Iterable[str]) -> Facts:
    """The facts of a service whose judged tools run on *machine*, made from those of this one.

    Folders that a call does not say are unknown on every machine, and so are the variables of its tools: those of this
    process are not theirs. *own* are further files that no judged call may change.
    """
    elsewhere = evolve(
        local, files=None, environment={}, homes={}, cwd=lambda: None, home=None, rooted=False, digest=None,
        resolver=None, own=(*local.own, *own),
    )  # fmt: skip
    if machine == "here":
        return evolve(elsewhere, files=local.files, homes=local.homes, digest=local.digest, resolver=local.resolver)
    plain: Files = AsNamed()
    return evolve(elsewhere, files=plain) if machine == "plain" else elsewhere
