"""Shell commands that people wrote, and which of them are ordinary work in a project."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

CASES = Path(os.environ.get("TIDEGATE_CASES", Path(__file__).parents[4] / "shared" / "cases")) / "bash_commands.txt"

_ELSEWHERE = re.compile(r"(?:^|[\s='\"(;|&<>:@])(?:/(?!dev/null\b|tmp\b)|~|\$\{?HOME\b|\$\{?OLDPWD\b)")
_RAISED = re.compile(r"\b(?:sudo|su|doas|chroot)\b")
_ADMINISTRATION = re.compile(
    r"(?:^|[|;&({`]|\bxargs\s+(?:-\S+\s+)*|-exec(?:dir)?\s+)\s*(?:\w+=\S*\s+)*"
    r"(?:mount|umount|fuser|crontab|at|batch|ssh|scp|sftp|rsync|ftp|telnet|nc|useradd|usermod|userdel|groupadd|passwd"
    r"|chown|chgrp|chsh|finger|who|w|last|users|kill|killall|pkill|ps|pgrep|pstree|top|screen|tmux|nohup|disown|nice"
    r"|ifconfig|ip|iptables|route|netstat|ss|ping|traceroute|host|dig|nslookup|tcpdump|systemctl|service|shutdown"
    r"|reboot|halt|sysctl|modprobe|dd|mkfs\S*|fdisk|parted|swapon|losetup|lvm|cpio|pax|mt|lp|lpr|lpq|cancel"
    r"|apt|apt-get|yum|dnf|rpm|dpkg|brew|port|gpg|openssl|ssh-keygen|ssh-add|ssh-agent|mysql\w*|psql|pg_dump)\b"
)
_QUOTED = re.compile(r"'[^']*'")
_USED = re.compile(r"(?<!\\)\$\{?[#!]?(\w+|[@*])")
_SET = re.compile(r"\b(\w+)\+?=|\bfor\s+(\w+)|\bread\s+(?:-\w+\s+)*([\w ]+)|\bin\s+(\w+)")
_OWN = frozenset(["PWD", "RANDOM", "SECONDS", "BASHPID", "IFS", "PATH", "USER", "SHELL"])


def lines() -> list[str]:
    """All of them, one command a line.

    Raises:
        FileNotFoundError: They are not here; `TIDEGATE_CASES` says where.
    """
    return CASES.read_text(encoding="utf-8").split("\n")[:-1]


def is_project_work(line: str) -> bool:
    """Whether a line stands for itself and stays in the project, as far as its text tells.

    It names no place outside of the project but `/tmp`, becomes nobody else, and calls no program by which a machine,
    its processes, its users, its packages, its printers or other hosts are looked after. It reads no variable that it
    does not set, since then it was torn out of a script, and bash takes it for a command. Nothing of this looks at what
    a rule says about it.
    """
    if any(sign.search(line) for sign in (_ELSEWHERE, _RAISED, _ADMINISTRATION)) or not line.isascii():
        return False
    if _unset(line):
        return False
    bash = shutil.which("bash")
    return bash is None or not subprocess.run([bash, "-n", "-c", line], capture_output=True, check=False).returncode


def _unset(line: str) -> set[str]:
    """The variables that the line reads and does not set."""
    bare = _QUOTED.sub("", line)
    made = {name for found in _SET.finditer(bare) for group in found.groups() if group for name in group.split()}
    return set(_USED.findall(bare)) - made - _OWN
