"""What fuzzing found, as tests in a file that every later run replays first."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...kernel.json_values import compact, thaw
from ...lang.inline import is_writable
from ...lang.keys import VERSION
from .properties import Violation

HEADER = """\
# Calls that broke a property once, found by `tidegate fuzz`, which replays them first and adds what it finds.
# A call that is right as it is may be taken out, or expect what it gets.
"""


def entry_of(violation: Violation) -> dict[str, Any] | None:
    """A violation as a `[[test]]`; `None` where TOML cannot write its calls, and for answers, which no test has."""
    if violation.property == "approval":
        return None
    calls = [thaw(call) for call in violation.calls]
    digest = hashlib.sha256(compact(calls).encode()).hexdigest()[:8]
    entry: dict[str, Any] = {"name": f"{violation.property} {violation.about} {digest}", "why": violation.told}
    if len(calls) == 1:
        entry |= {"call": calls[0], "expect": violation.wanted}
    else:
        entry |= {"calls": calls, "expect": [*violation.said[:-1], violation.wanted]}
    return entry if is_writable(entry) else None


def with_entries(text: str, violations: Sequence[Violation], rules: str) -> str:
    """The text of a regression file with a test for each of the *violations* that has none yet.

    An empty *text* is a new file, about *rules*.
    """
    import tomli
    import tomli_w

    document: dict[str, Any] = tomli.loads(text) if text.strip() else {"version": VERSION, "rules": rules}
    tests = list(document.get("test", ()))
    known = {test.get("name") for test in tests}
    for violation in violations:
        entry = entry_of(violation)
        if entry is not None and entry["name"] not in known:
            known.add(entry["name"])
            tests.append(entry)
    return HEADER + tomli_w.dumps({**document, "test": tests}, multiline_strings=False)


def write(path: Path, violations: Sequence[Violation], rules: Path) -> None:
    """Add the *violations* to the file at *path*, which then names *rules* relative to itself."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    named = Path(*_up(path.absolute().parent, rules.absolute())).as_posix()
    path.write_text(with_entries(text, violations, named), encoding="utf-8", newline="\n")


def _up(folder: Path, file: Path) -> list[str]:
    """The way from a folder to a file."""
    common = next(parent for parent in (folder, *folder.parents) if file.is_relative_to(parent))
    return [*(".." for _ in folder.relative_to(common).parts), *file.relative_to(common).parts]
