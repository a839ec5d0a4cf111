"""Everything that one text can mean as a path before any directory is looked at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote

from .links import elsewhere
from .scene import Scene
from .values import Value, unknown
from .windows import foreign, is_windows

# What Linux opens; a tool that shortens a longer path first reaches what nobody looked at.
LONGEST = 4_096
_ODD = re.compile(r"[\x00\\:]|^~")
_FILE_URL = re.compile(r"file:(?://([^/\\?#]*))?(.*)", re.IGNORECASE | re.DOTALL)
_OWN_HOSTS = ("", "localhost", "127.0.0.1", "[::1]")
_DRIVE = re.compile(r"/+(?=[A-Za-z][:|](?:/|$))")


def readings(text: str, scene: Scene, *, tilde: bool) -> list[Value]:
    """The paths, absolute or relative, that *text* can mean: itself, and what tools make of it.

    An unknown one among them says why it cannot be told.
    """
    if not text or len(text) > LONGEST:
        return [unknown("the path is too long" if text else "the path is empty")]
    if not is_odd(text):
        return [text]
    if "\0" in text:
        return elsewhere(text.split("\0", 1)[0], "the path holds a NUL")
    meant = list(_meant(text, scene, tilde=tilde))
    if not is_windows(scene.cwd):
        meant += [name for reading in meant if isinstance(reading, str) for name in _foreign_names(reading)]
    return list(dict.fromkeys(meant))


def is_odd(text: str) -> bool:
    """Whether *text* could mean anything but itself as a path."""
    return not text or len(text) > LONGEST or _ODD.search(text) is not None


def _meant(text: str, scene: Scene, *, tilde: bool) -> Iterator[Value]:
    yield text
    if tilde and text.startswith("~"):
        yield from at_home(text, scene)
    url = _FILE_URL.fullmatch(text)
    if url is not None:
        yield from _in_url(url[1] or "", url[2])


def _foreign_names(text: str) -> Iterator[Value]:
    """What a path means to a tool that takes the spellings of Windows where the host does not."""
    strange = foreign(text)
    if strange is not None:
        yield strange
        yield unknown("the path is spelled as on Windows")
    elif "\\" in text:
        yield text.replace("\\", "/")


def at_home(text: str, scene: Scene) -> list[Value]:
    """The paths that *text*, which begins with `~`, means where a tool expands it."""
    account, slash, rest = text[1:].partition("/")
    home = scene.homes.get(account) if account else scene.home
    if home is None:
        return elsewhere(rest, f"the home of `{account}` is not known" if account else "the home is not known")
    return [f"{home}{slash}{rest}"]


def _in_url(host: str, rest: str) -> Iterator[Value]:
    """What a `file:` URL reaches: decoded and without query and fragment, and as it stands."""
    if host.lower() not in _OWN_HOSTS:
        yield unknown(f"the URL names a file of the host `{host}`")
        yield host + rest
    decoded = unquote(re.split(r"[?#]", rest, maxsplit=1)[0], errors="surrogateescape")
    for path in (decoded, rest):
        if not path or "\0" in path:
            yield unknown("the URL names no path")
        else:
            yield _DRIVE.sub("", path.replace("\\", "/"))
