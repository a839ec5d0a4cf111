"""One rule, one call, one answer: what a rule of a guard kind says in a small world without links."""

from tests.laws.worlds import Clock
from tidegate.engine import Engine
from tidegate.facts import Facts
from tidegate.facts.counters import MemoryCounters

ROOT, HOME = "/srv/project", "/home/dev"


class Links:
    """A file system that holds some symlinks and folders, and nothing else."""

    def __init__(self, links=(), folders=()):
        self._links, self._folders = dict(links), dict(folders)

    def readlink(self, path):
        return self._links.get(path)

    def kind(self, path):
        return "link" if path in self._links else "dir" if path in self._folders else "absent"

    def names(self, path):
        return self._folders.get(path)


class Deciding:
    """An engine over one rule text."""

    def __init__(self, folder, text, default="deny", links=(), folders=(), resolver=None):
        path = folder / "rules.toml"
        path.write_text(f'version = 1\ndefault = "{default}"\n{text}', encoding="utf-8")
        counters = MemoryCounters()
        facts = Facts(
            clock=Clock(),
            counters=lambda _: counters,
            files=Links(links, folders),
            cwd=lambda: ROOT,
            home=HOME,
            homes={"root": "/root", "ann": "/home/ann"},
            resolver=resolver,
        )
        self.engine = Engine.load(path, facts=facts)

    def __call__(self, tool, root=ROOT, **arguments):
        """The verdict on a call of *tool*."""
        return self.engine.decide(tool, arguments, root=root).effect

    def bash(self, command):
        """The verdict on a command."""
        return self("run_bash", command=command)
