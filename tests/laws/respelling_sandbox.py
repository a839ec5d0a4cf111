"""Commands with effects that rules deny, and a real folder in which bash shows whether an effect came about."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from attrs import frozen

from tests.laws.worlds import Clock
from tidegate.assurance.respelling.scripts import Operator, Script, command
from tidegate.engine import Engine
from tidegate.facts import Facts
from tidegate.facts.counters import MemoryCounters
from tidegate.facts.files import LocalFiles
from tidegate.plan.sitting import UNREADABLE

NOBODY = 65_534
STUB = """#!/bin/sh
echo "$0 $*" >> {log}
"""
GIT = ("git", "-c", "user.name=n", "-c", "user.email=e@e", "-c", "commit.gpgsign=false")


class Sandbox:
    """A folder with a project, a home and a remote repository, made as good as new after every run.

    Scripts run as nobody where this process is root: a re-spelling gone wrong must not reach the machine.
    """

    def __init__(self, base: Path) -> None:
        self.base = base.resolve()
        self.root, self.home, self.remote = self.base / "work", self.base / "home", self.base / "remote.git"
        self.log, self.bin = self.base / "fetched", self.base / "bin"
        self._template = self.base.with_name(f"{self.base.name}-template")
        self._furnish()
        self.base.rename(self._template)
        self._as: dict[str, object] = {}
        if os.geteuid() == 0:
            self._as = {"user": NOBODY, "group": NOBODY, "extra_groups": ()}
        self.restore()

    def restore(self) -> None:
        """Make everything as it was."""
        shutil.rmtree(self.base, ignore_errors=True)
        shutil.copytree(self._template, self.base, symlinks=True)
        if self._as:
            for place, folders, names in os.walk(self.base):
                for name in (".", *folders, *names):
                    os.chown(Path(place, name), NOBODY, NOBODY, follow_symlinks=False)

    def shows(self, seed: Seed, script: str) -> bool:
        """Whether the script has the effect of *seed* when bash runs it."""
        try:
            self._run(script)
            return seed.came_about(self)
        finally:
            self.restore()

    def _run(self, script: str, *, seconds: float = 20) -> None:
        process = subprocess.Popen(
            ["bash", "--norc", "--noprofile", "-c", script],
            cwd=self.root,
            env={"PATH": f"{self.bin}:/usr/bin:/bin", "HOME": str(self.home), "LC_ALL": "C.UTF-8", "TERM": "dumb"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            **self._as,
        )
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def read(self, path: str) -> str:
        """What stands in a file beneath the base, nothing where it is gone."""
        with suppress(OSError):
            return (self.base / path).read_text(encoding="utf-8", errors="replace")
        return ""

    def program(self, name: str) -> str | None:
        """Where the shell of the sandbox finds a program."""
        return shutil.which(name, path=f"{self.bin}:/usr/bin:/bin")

    def engine(self, rules: str) -> Engine:
        """The engine over *rules* in this folder."""
        path = self._template / "rules.toml"
        path.write_text(rules, encoding="utf-8")
        counters = MemoryCounters()
        facts = Facts(
            clock=Clock(),
            counters=lambda _: counters,
            files=LocalFiles(),
            cwd=lambda: str(self.root),
            home=str(self.home),
        )
        return Engine.load(path, facts=facts)

    def verdict(self, engine: Engine, script: str) -> str:
        """What the engine says to the script; `failed` where it refuses because the reading broke."""
        decision = engine.decide("run_bash", {"command": script}, cwd=str(self.root), root=str(self.root))
        return "failed" if decision.reason == UNREADABLE else decision.effect

    def _furnish(self) -> None:
        for folder in ("work/build/deep", "work/keep", "work/src", "home", "bin"):
            (self.base / folder).mkdir(parents=True)
        for name, content in {
            "work/build/out": "built\n",
            "work/build/deep/er": "built\n",
            "work/keep/lock": "locked\n",
            "work/.env": "TOKEN=s3cret\n",
            "work/src/a": "source\n",
            "home/.gitconfig": "[user]\n\tname = n\n\temail = e@e\n[safe]\n\tdirectory = *\n",
        }.items():
            (self.base / name).write_text(content, encoding="utf-8")
        (self.root / "link").symlink_to(".")
        for name in ("curl", "wget"):
            (self.bin / name).write_text(STUB.format(log=self.log), encoding="utf-8")
            (self.bin / name).chmod(0o755)
        self._furnish_repositories()

    def _furnish_repositories(self) -> None:
        def git(*words: str) -> None:
            environment = {"PATH": os.environ["PATH"], "HOME": str(self.home)}
            subprocess.run([*GIT, *words], cwd=self.root, env=environment, check=True, capture_output=True)

        git("init", "-q", "--template=", "--bare", "-b", "main", str(self.remote))
        git("init", "-q", "--template=", "-b", "main")
        (self.root / ".gitignore").write_text("*\n!.gitignore\n!tracked\n", encoding="utf-8")
        (self.root / "tracked").write_text("committed\n", encoding="utf-8")
        git("add", ".gitignore", "tracked")
        git("commit", "-qm", "one")
        git("remote", "add", "origin", str(self.remote))
        git("commit", "-q", "--allow-empty", "-m", "theirs")
        git("push", "-q", "origin", "main")
        git("reset", "-q", "--hard", "HEAD~1")
        git("commit", "-q", "--allow-empty", "-m", "ours")
        (self.root / "tracked").write_text("changed\n", encoding="utf-8")


@frozen
class Seed:
    """A command whose effect its rule denies.

    Attributes:
        script: The command in its plainest spelling.
        rule: The rule, which is all that the rule set has.
        came_about: Tells from the sandbox whether the command had its effect.
        by_deed: Whether the rule is about the deed, so that other programs that do the same are denied as well.
    """

    name: str
    script: Script
    rule: str
    came_about: Callable[[Sandbox], bool]
    by_deed: bool = False

    @property
    def rules(self) -> str:
        """The rule set: what it does not deny, it allows."""
        return f'version = 1\ndefault = "allow"\n\n[[rule]]\nid = "the-rule"\n{self.rule}\n'


def _gone(path: str) -> Callable[[Sandbox], bool]:
    return lambda sandbox: not (sandbox.root / path).exists()


def _pushed(sandbox: Sandbox) -> bool:
    return sandbox.read("remote.git/refs/heads/main") == sandbox.read("work/.git/refs/heads/main")


def _fetched(sandbox: Sandbox) -> bool:
    return "h.test" in sandbox.read("fetched").lower()


def _leaked(sandbox: Sandbox) -> bool:
    return "s3cret" in sandbox.read("work/leaked")


SEEDS = (
    Seed(
        "forced recursive delete",
        command("rm", "-rf", "build"),
        'kind = "command"\ndeny = ["rm -r -f"]',
        _gone("build"),
    ),
    Seed(
        "delete of a folder",
        command("rm", "-rf", "build"),
        'kind = "path"\naccess = "delete"\ndeny = ["{root}/build/**"]',
        _gone("build"),
        by_deed=True,
    ),
    Seed(
        "write to a protected file",
        command("echo", "mine", Operator(">"), "keep/lock"),
        'kind = "path"\naccess = "write"\ndeny = ["{root}/keep/**"]',
        lambda sandbox: (sandbox.root / "keep/lock").exists() and sandbox.read("work/keep/lock") != "locked\n",
        by_deed=True,
    ),
    Seed(
        "delete of a protected file",
        command("rm", "keep/lock"),
        'kind = "path"\naccess = "delete"\ndeny = ["**/lock"]',
        _gone("keep/lock"),
        by_deed=True,
    ),
    Seed(
        "read of a secret",
        command("cat", ".env", Operator(">"), "leaked"),
        'kind = "path"\naccess = "read"\ndeny = ["**/.env"]',
        _leaked,
        by_deed=True,
    ),
    Seed("use of a fetcher", command("curl", "http://h.test/x"), 'kind = "command"\ndeny = ["curl"]', _fetched),
    Seed(
        "fetch from a host",
        command("curl", "http://h.test/x"),
        'kind = "url"\ndeny = ["http://h.test/**"]',
        _fetched,
        by_deed=True,
    ),
    Seed(
        "hard reset",
        command("git", "reset", "--hard"),
        'kind = "command"\ndeny = ["git reset --hard"]',
        lambda sandbox: sandbox.read("work/tracked") == "committed\n",
    ),
    Seed(
        "forced push",
        command("git", "push", "--force", "origin", "main"),
        'kind = "command"\ndeny = ["git push --force", "git push +*"]',
        _pushed,
    ),
)
