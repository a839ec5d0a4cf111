"""Rule files as they were at a revision of a git repository."""

from __future__ import annotations

import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from ...errors import TidegateError

_MOST = 64 * 1024 * 1024
"""How many bytes of files are taken out of a revision."""


class NoRevision(TidegateError):
    """What was named is no revision, or has no such file."""

    code = "NO_REVISION"


@contextmanager
def at_revision(revision: str, path: Path) -> Iterator[Path]:
    """The rule file *path* as it was at *revision*, with all files beside it, in a folder that goes away again.

    Raises:
        NoRevision: git is missing, *path* stands in no repository, or the revision or the file is not there.
    """
    folder = path.parent if path.parent.is_dir() else Path()
    top = Path(_git(folder, "rev-parse", "--show-toplevel").decode().rstrip("\n"))
    tree = _git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{tree}}").decode().strip()
    try:
        inner = path.absolute().resolve().relative_to(top.resolve())
    except ValueError:
        raise NoRevision(f"`{path}` does not stand in the repository at `{top}`") from None
    with TemporaryDirectory(prefix="tidegate-") as name:
        _extract(top, tree, Path(name))
        found = Path(name) / inner
        if not found.is_file():
            raise NoRevision(f"`{revision}` has no file `{inner.as_posix()}`")
        yield found


def _git(folder: Path, *words: str) -> bytes:
    """What git says; it asks nobody and changes nothing."""
    try:
        done = subprocess.run(  # noqa: S603 - git is the repository's own tool, and no shell reads the words
            ["git", "-C", str(folder), *words],  # noqa: S607 - git is where it is
            check=True,
            capture_output=True,
            stdin=subprocess.DEVNULL,
        )
    except FileNotFoundError:
        raise NoRevision("git is not installed") from None
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode("utf-8", "replace").strip() or f"git knows nothing of `{words[-1]}`"
        raise NoRevision(said) from None
    return done.stdout


def _extract(top: Path, tree: str, target: Path) -> None:
    """Take the plain files of a tree out; what is neither small nor plain is left."""
    archive = _git(top, "archive", "--format=tar", tree)
    from io import BytesIO

    left = _MOST
    with tarfile.open(fileobj=BytesIO(archive)) as tar:
        for member in tar:
            if member.isfile() and member.size <= left:
                left -= member.size
                tar.extract(member, target, filter="data")
