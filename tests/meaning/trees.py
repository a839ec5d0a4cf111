"""A file system in memory, for what is hard to have on disk."""

from __future__ import annotations

from tidegate.meaning.scene import Scene

ROOT = "/srv/project"


class Tree:
    """A file system of a few links and directories; a name that no directory has is absent."""

    def __init__(self, links=(), dirs=()):
        self.links = dict(links)
        self.dirs = dict(dirs)

    def readlink(self, path):
        return self.links.get(path)

    def kind(self, path):
        if path in self.links:
            return "link"
        if path in self.dirs:
            return "dir"
        above, _, name = path.rpartition("/")
        return "file" if name in (self.dirs.get(above or "/") or ()) else "absent"

    def names(self, path):
        return self.dirs.get(path)


def scene(links=(), dirs=(), **facts):
    """A call in `ROOT` by the account `dev`."""
    return Scene(**{"cwd": ROOT, "home": "/home/dev", "homes": {"root": "/root"}, "files": Tree(links, dirs), **facts})
