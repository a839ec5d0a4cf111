"""Work that is done again whenever one of its files has changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

Stamp = tuple[int, int] | None


def changes(files: Callable[[], Iterable[Path]], wait: Callable[[], None]) -> Iterator[None]:
    """Yield at once, and then after every *wait* in which one of the files came, went or was written.

    What changes while the work is under way counts as well, of all files that were known before it.

    Args:
        files: What is looked at now; asked anew each time, since the work itself finds out which files it needs.
        wait: Lets time pass.
    """
    while True:
        before = _stamps(files())
        yield
        seen = {**_stamps(files()), **before}
        while {path: _stamp(path) for path in {*seen, *files()}} == seen:
            wait()


def _stamps(files: Iterable[Path]) -> dict[Path, Stamp]:
    return {path: _stamp(path) for path in files}


def _stamp(path: Path) -> Stamp:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
