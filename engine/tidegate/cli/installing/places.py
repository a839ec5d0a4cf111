"""Where each harness looks for hooks, and what has to stand there."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from attrs import frozen

from ...adapters.hook_answers import Wanted
from ...errors import TidegateError

Scope = Literal["project", "local", "user"]

PATIENCE = 30
"""Seconds that a harness waits for its hook, several times as long as the hook takes at most."""

_QUOTES = re.compile("['\u2018\u2019\u201a\u201b]")
"""What ends a text in single quotes in PowerShell, unless it stands twice."""

UNSTARTED = "tidegate could not be started, so this call is refused"


OR_REFUSE = f" || {{ echo {shlex.quote(UNSTARTED)} >&2; exit 2; }}"
"""What stands behind a command in a line for a POSIX shell."""


class NoPlace(TidegateError):
    """A harness has no such settings file, or cannot take such a command."""

    code = "NO_PLACE"


@frozen
class Place:
    """How the hooks of one harness stand in its settings.

    Attributes:
        files: The settings file by scope, beneath the folder of the project or the person's home.
        home: The variable that names the harness's own folder where it is not beneath the home, or nothing; and what
            of the user's path it stands for.
        events: For which events the hook is installed.
        comments: Whether the harness reads settings with comments.
        grouped: Whether handlers stand in groups, `{"hooks": [handler]}`.
        skeleton: What a new settings file begins with.
        own: Whether the file is ours alone, and goes when our hook does.
    """

    files: Mapping[Scope, str]
    events: tuple[str, ...]
    home: tuple[str, str] = ("", "")
    comments: bool = False
    grouped: bool = True
    skeleton: Mapping[str, Any] = {}
    own: bool = False

    def path(self, scope: Scope, folder: Path, home: Path, environ: Mapping[str, str]) -> Path:
        """The settings file of a scope.

        Raises:
            NoPlace: The harness has none.
        """
        if scope not in self.files:
            raise NoPlace(f"there are no settings for `--{scope}` here; there are {', '.join(self.files)}")
        variable, prefix = self.home
        elsewhere = environ.get(variable, "") if variable and scope == "user" else ""
        if Path(elsewhere).is_absolute():
            return Path(elsewhere) / self.files[scope].removeprefix(prefix)
        return (home if scope == "user" else folder) / self.files[scope]


PLACES: Mapping[str, Place] = {
    "claude-code": Place(
        {"project": ".claude/settings.json", "local": ".claude/settings.local.json", "user": ".claude/settings.json"},
        ("PreToolUse", "PermissionRequest", "PostToolUse"),
        home=("CLAUDE_CONFIG_DIR", ".claude/"),
    ),
    "gemini": Place(
        {"project": ".gemini/settings.json", "user": ".gemini/settings.json"},
        ("BeforeTool", "AfterTool"),
        comments=True,
    ),
    "codex": Place(
        {"project": ".codex/hooks.json", "user": ".codex/hooks.json"},
        ("PreToolUse", "PermissionRequest", "PostToolUse"),
        home=("CODEX_HOME", ".codex/"),
    ),
    "copilot": Place(
        {"project": ".github/hooks/tidegate.json", "user": ".copilot/hooks/tidegate.json"},
        ("preToolUse", "postToolUse"),
        home=("COPILOT_HOME", ".copilot/"),
        grouped=False,
        skeleton={"version": 1},
        own=True,
    ),
    "cursor": Place(
        {"project": ".cursor/hooks.json", "user": ".cursor/hooks.json"},
        ("preToolUse", "postToolUse"),
        comments=True,
        grouped=False,
        skeleton={"version": 1},
    ),
}


def entry(wanted: Wanted, started: Callable[[Sequence[str]], Sequence[str]], platform: str) -> dict[str, Any]:
    """What stands in the settings for one event.

    No entry has a matcher: each harness takes that for every tool, and Gemini CLI takes `*` for none.

    Args:
        wanted: What the hook is to be asked with; its event is named.
        started: The command that answers a hook with these words.
        platform: As in `sys.platform`.

    Raises:
        NoPlace: The harness could not read the command.
    """
    words = started(words_of(wanted))
    harness = wanted.harness
    if harness == "copilot":
        return {"type": "command", "bash": _posix(words), "powershell": _powershell(words), "timeoutSec": PATIENCE}
    if harness == "cursor":
        return _cursor(words, wanted.event == "preToolUse")
    command = _powershell(words) if harness == "gemini" and platform == "win32" else _posix(words)
    if harness == "gemini":
        return {"hooks": [{"type": "command", "name": "tidegate", "command": command, "timeout": PATIENCE * 1000}]}
    return {"hooks": [{"type": "command", "command": command, "timeout": PATIENCE}]}


def _cursor(words: Sequence[str], closes: bool) -> dict[str, Any]:
    command = shlex.join(words)
    if "//" in command or "/*" in command:  # its remover of comments would take the rest away
        raise NoPlace("Cursor cannot read a path with `//` or `/*` in it; give the files without")
    return {"command": command, "timeout": PATIENCE, **({"failClosed": True} if closes else {})}


def words_of(wanted: Wanted) -> list[str]:
    """The words behind `tidegate hook` that ask for this."""
    words = [wanted.harness]
    for name in ("event", "rules", "managed", "user", "audit"):
        value = getattr(wanted, name)
        words += [] if value is None else [f"--{name}", value]
    return words


def _posix(words: Sequence[str]) -> str:
    """A line for a POSIX shell that refuses, with a reason, where the program cannot be started or is killed."""
    return f"{shlex.join(words)}{OR_REFUSE}"


def _powershell(words: Sequence[str]) -> str:
    """The same for PowerShell."""
    quoted = " ".join("'{}'".format(_QUOTES.sub(r"\g<0>\g<0>", word)) for word in words)
    return f"& {quoted}; if ($LASTEXITCODE -ne 0) {{ [Console]::Error.WriteLine('{UNSTARTED}'); exit 2 }}"
