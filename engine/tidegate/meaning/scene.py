"""Where a call happens: everything that its meaning depends on besides its arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, Protocol

from attrs import field, frozen

if TYPE_CHECKING:
    from .addresses import Resolver


class Files(Protocol):
    """The file system as a fact. Paths are absolute; nothing here raises for a path that does not exist."""

    def readlink(self, path: str) -> str | None:
        """The target of the symlink at *path* as it is written, or `None` where there is no symlink.

        Where *path* may not be looked at, it is *path* itself: a link that leads nowhere, so that nobody takes
        what cannot be seen for a plain name.
        """

    def kind(self, path: str) -> Literal["file", "dir", "link", "other", "absent", "unknown"]:
        """What stands at *path*, not following a symlink; `unknown` where it may not be looked at."""

    def names(self, path: str) -> list[str] | None:
        """The entries of the directory at *path*, or `None` where it is not one or may not be read."""


@frozen
class Scene:
    """The place of one call. What is `None` was not attested and is unknown.

    `homes` are the home directories of other accounts by user name; `environment` the variables that the
    tool's process is known to start with. With `complete_environment` it starts with these and no others, and a
    shell that runs a text for it (`bash -c TEXT`) without start files and arguments, and with nothing to read from its
    standard input. `resolver` tells where names lead; a call asks it through `Places.names`.
    """

    cwd: str | None
    home: str | None = None
    files: Files | None = None
    environment: Mapping[str, str] = field(factory=dict)
    complete_environment: bool = False
    homes: Mapping[str, str] = field(factory=dict)
    case_sensitive: bool = True
    resolver: Resolver | None = None
