"""The file tools: read, write, edit, delete, list, search."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from stat import S_ISREG
from typing import Any

from ..errors import ToolFailed, UnsafePath
from ..kernel import ToolDefinition, ToolExecution, define_tool
from ..meaning.regexes import BadPattern, compile_regex
from ..shown import quote
from .folder import Folder

LARGEST = 10 * 1024 * 1024
"""How many bytes of one file are read."""

MOST_MATCHES = 1_000
MOST_FILES = 20_000
LARGEST_SEARCHED = 1024 * 1024

Args = Mapping[str, Any]


def file_tools(folder: Folder) -> tuple[ToolDefinition, ...]:
    """The six file tools, confined to *folder*."""
    path = {"type": "string", "required": True, "description": "Relative to the working folder, or absolute."}
    text = {"type": "string", "required": True}
    where = {"type": "string", "description": "The folder; by default the working folder.", "default": "."}
    tools: tuple[tuple[str, str, dict[str, Any], Any, bool], ...] = (
        (
            "read_file",
            "Read a text file.",
            {
                "path": path,
                "offset": {"type": "integer", "description": "The first line, from 1."},
                "limit": {"type": "integer", "description": "How many lines."},
            },
            _read,
            True,
        ),
        ("write_file", "Write a text file, and the folders above it.", {"path": path, "content": text}, _write, False),
        (
            "edit_file",
            "Replace a text that stands in a file exactly once.",
            {"path": path, "old": text, "new": text},
            _edit,
            False,
        ),
        ("delete_file", "Delete a file.", {"path": path}, _delete, False),
        ("list_dir", "List a folder.", {"path": where}, _list, True),
        (
            "search_files",
            "Find lines that a regular expression (RE2) matches, in all files beneath a folder.",
            {"pattern": text, "path": where},
            _search,
            True,
        ),
    )
    return tuple(
        define_tool(name=name, description=does, parameters=takes, execute=_bound(body, folder), concurrency_safe=safe)
        for name, does, takes, body, safe in tools
    )


def _bound(body: Any, folder: Folder) -> Any:
    """*body* for this folder; what the system refuses is told without a path of this machine."""

    def run(args: Args, exec: ToolExecution) -> str:  # noqa: A002 - the registry goes by this name
        try:
            text: str = body(folder, args, exec.cwd)
        except UnsafePath as error:
            raise UnsafePath(f"{quote(args.get('path', '.'))} leaves the folder of the project") from error
        except OSError as error:
            said = (error.strerror or "it cannot be used").lower()
            raise ToolFailed(f"{quote(args.get('path', '.'))}: {said}", "NO_FILE") from error
        return text

    return run


def _read(folder: Folder, args: Args, cwd: str | None) -> str:
    text = _content(folder, args["path"], cwd).decode("utf-8", "replace")
    first, most = args.get("offset"), args.get("limit")
    if first is None and most is None:
        return text
    start = max((first or 1) - 1, 0)
    lines = text.splitlines(keepends=True)
    return "".join(lines[start:] if most is None else lines[start : start + max(most, 0)])


def _content(folder: Folder, path: str, cwd: str | None) -> bytes:
    with os.fdopen(folder.open(path, cwd, os.O_RDONLY), "rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise ToolFailed(f"{quote(path)} has more than {LARGEST} bytes", "TOO_LARGE")
    return data


def _write(folder: Folder, args: Args, cwd: str | None) -> str:
    data = args["content"].encode()
    folder.make_parents(args["path"], cwd)
    with os.fdopen(folder.open(args["path"], cwd, os.O_WRONLY | os.O_CREAT), "wb") as file:
        file.truncate(0)
        file.write(data)
    return f"wrote {len(data)} bytes"


def _edit(folder: Folder, args: Args, cwd: str | None) -> str:
    old, new = args["old"].encode(), args["new"].encode()
    with os.fdopen(folder.open(args["path"], cwd, os.O_RDWR), "r+b") as file:
        data = file.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise ToolFailed(f"{quote(args['path'])} has more than {LARGEST} bytes", "TOO_LARGE")
        found = data.count(old) if old else 0
        if found != 1:
            raise ToolFailed(
                f"the text to replace stands in the file {found} times, and must stand there once", "NO_MATCH"
            )
        file.seek(0)
        file.truncate(0)
        file.write(data.replace(old, new))
    return "replaced 1 text"


def _delete(folder: Folder, args: Args, cwd: str | None) -> str:
    folder.delete(args["path"], cwd)
    return "deleted"


def _list(folder: Folder, args: Args, cwd: str | None) -> str:
    with folder.directory(args.get("path", "."), cwd) as place, os.scandir(place) as entries:
        names = sorted(entry.name + _mark(entry) for entry in entries)
    return "".join(f"{name}\n" for name in names)


def _mark(entry: os.DirEntry[str]) -> str:
    if entry.is_symlink():
        return "@"
    return "/" if entry.is_dir(follow_symlinks=False) else ""


def _search(folder: Folder, args: Args, cwd: str | None) -> str:
    try:
        pattern = compile_regex(args["pattern"])
    except BadPattern as bad:
        raise ToolFailed(f"{bad}; {bad.mend}", "BAD_PATTERN") from bad
    found: list[str] = []
    with folder.directory(args.get("path", "."), cwd) as place:
        for name, data in _files(place):
            for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
                if pattern.search(line) is not None:
                    found.append(f"{name}:{number}: {line}\n")
                if len(found) == MOST_MATCHES:
                    return "".join([*found, f"[there may be more; the first {MOST_MATCHES} matches are shown]\n"])
    return "".join(found) or "no match\n"


def _files(place: int | str) -> Iterator[tuple[str, bytes]]:
    """The text files beneath a folder with their names, none behind a link."""
    count = 0
    for path, name, folder in _walk(place):
        count += 1
        if count > MOST_FILES:
            return
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        try:
            opened = os.open(name, flags, dir_fd=folder) if folder is not None else os.open(name, flags)
        except OSError:
            continue
        with os.fdopen(opened, "rb") as file:
            data = file.read(LARGEST_SEARCHED) if _is_regular(file.fileno()) else b"\0"
        if b"\0" not in data:
            yield path, data


def _walk(place: int | str) -> Iterator[tuple[str, str, int | None]]:
    """Every file: its name for people, its name to open, and the descriptor of its folder where there is one."""
    if isinstance(place, int):
        for top, folders, names, folder in os.fwalk(".", dir_fd=place):
            folders.sort()
            for name in sorted(names):
                yield f"{top}/{name}".removeprefix("./"), name, folder
        return
    for top, folders, names in os.walk(place):
        folders.sort()
        for name in sorted(names):
            path = Path(top, name)
            if not path.is_symlink():
                yield path.relative_to(place).as_posix(), str(path), None


def _is_regular(descriptor: int) -> bool:
    return S_ISREG(os.fstat(descriptor).st_mode)
