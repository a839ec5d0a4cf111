"""A small machine whose files are all known: the file system as a fact, without a disk."""

from __future__ import annotations

from typing import Literal

ROOT, HOME = "/srv/project", "/home/dev"
ENVIRONMENT = {
    "HOME": HOME, "LANG": "C.UTF-8", "LOGNAME": "dev", "PATH": "/usr/local/bin:/usr/bin:/bin", "PWD": ROOT,
    "SHELL": "/bin/bash", "TERM": "dumb", "USER": "dev",
}  # fmt: skip
FILES = (
    *(f"/usr/bin/{name}" for name in ("bash", "cat", "cp", "find", "git", "grep", "mv", "python3", "rm", "sed")),
    *(f"/etc/{name}" for name in ("bash.bashrc", "fstab", "group", "hosts", "passwd", "profile", "ssh/sshd_config")),
    *(f"{HOME}/{name}" for name in (".bashrc", ".profile", ".ssh/id_ed25519", ".aws/credentials", "notes.txt")),
    *(f"{ROOT}/{name}" for name in ("README.md", "Makefile", "package.json", ".env", ".gitignore")),
    *(f"{ROOT}/src/{name}" for name in ("main.py", "main.c", "util.c", "util.h", "app.js", "style.css")),
    *(f"{ROOT}/docs/{name}" for name in ("index.html", "guide.html", "logo.png", "photo.jpg", "old.txt")),
    *(f"{ROOT}/tests/{name}" for name in ("test_main.py", "data.xml", "data.csv", "a.log", "b.log.gz")),
    *(f"{ROOT}/.git/{name}" for name in ("HEAD", "config", "index", "hooks/pre-commit", "refs/heads/main")),
    f"{ROOT}/.claude/settings.json", "/var/log/syslog", "/var/log/auth.log",
)  # fmt: skip
EMPTY = ("/tmp", "/var/tmp", "/mnt", "/media", "/root", "/home/ann")


class SmallMachine:
    """The files above, no links, and nothing else."""

    def __init__(self, root: str = ROOT, *more: str) -> None:
        """Know what stands in each folder: the project at *root*, and the files *more*."""
        files = [f"{root}{path.removeprefix(ROOT)}" if path.startswith(f"{ROOT}/") else path for path in FILES]
        self._files = frozenset((*files, *more))
        self._folders: dict[str, dict[str, None]] = {}
        for path in (*files, *more, *(f"{folder}/" for folder in EMPTY)):
            parts = path.split("/")
            for end in range(1, len(parts)):
                held = self._folders.setdefault("/".join(parts[:end]) or "/", {})
                if parts[end]:
                    held[parts[end]] = None

    def readlink(self, path: str) -> str | None:
        """Nothing is a link."""
        del path
        return None

    def kind(self, path: str) -> Literal["file", "dir", "link", "other", "absent", "unknown"]:
        """What stands at *path*."""
        return "dir" if path in self._folders else "file" if path in self._files else "absent"

    def names(self, path: str) -> list[str] | None:
        """The entries of a folder."""
        found = self._folders.get(path)
        return None if found is None else list(found)
