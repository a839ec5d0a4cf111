"""Which rules and test files the words of a command line stand for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from attrs import frozen

from ..assurance.suites import RulePaths, Suite, found_beneath, gather
from ..assurance.test_files import is_test_file
from ..errors import Finding

USUAL = Path("rules.toml")


@frozen
class Chosen:
    """Rule files by layer, and test files.

    With `alone` nobody named the test files: they were looked for, and count only where they are about these rules.
    """

    rules: RulePaths
    files: tuple[Path, ...]
    alone: bool

    def gathered(self) -> tuple[list[Suite], list[Finding]]:
        """The suites, and findings about test files; names begin where the person stands, so that editors find them."""
        suites, findings = gather(self.rules, self.files, Path.cwd())
        return [one for one in suites if not self.alone or one.paths == self.rules], findings


def chosen(paths: Sequence[Path], managed: Path | None, user: Path | None) -> Chosen:
    """What stands for RULES and TESTS: a rule file, test files, and folders of such.

    Without a rule file it is `rules.toml` if that is there and no test file was named. Without a test file it is every
    one beneath the current folder.

    Raises:
        UsageError: Several rule files stand there.
    """
    rules = [path for path in paths if not path.is_dir() and not is_test_file(path)]
    if len(rules) > 1:
        names = ", ".join(f"`{path}`" for path in rules)
        raise click.UsageError(f"{names} are several rule files; a rule set has one, which includes the others")
    files = [one for path in paths for one in _test_files(path)]
    named = len(rules) < len(paths)
    project = rules[0] if rules else USUAL if USUAL.exists() and not named else None
    layers = RulePaths(managed, project, user)
    return Chosen(layers, tuple(dict.fromkeys(files if named else found_beneath(Path()))), bool(rules) and not named)


def _test_files(path: Path) -> Sequence[Path]:
    if path.is_dir():
        return found_beneath(path)
    return [path] if is_test_file(path) else []
