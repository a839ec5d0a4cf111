"""Commands that leave their standard input alone, so that what reads next finds all of it."""

from __future__ import annotations

from ...effects import Invocation
from ...values import Value
from ..builtins.table import BUILTINS
from .call import Call
from .programs import RUNS_TEXT

_READS = RUNS_TEXT | {"read", "mapfile", "readarray"}
_SPARING = frozenset(name for name in BUILTINS if name not in _READS) | {"echo", "printf", "pwd", "test", "["}
_QUIET = frozenset((
    "basename", "chgrp", "chmod", "chown", "cp", "dirname", "du", "ln", "ls", "mkdir", "mktemp", "mv", "readlink",
    "realpath", "rm", "rmdir", "sleep", "stat", "touch", "unlink",
))  # fmt: skip
"""Programs that read nothing unless an option makes them ask."""

_INSTEAD = frozenset((
    "base64", "cat", "cksum", "cut", "egrep", "expand", "fgrep", "fold", "grep", "head", "md5sum", "nl", "od", "rev",
    "sha1sum", "sha256sum", "sha512sum", "sort", "strings", "tac", "tail", "wc",
))  # fmt: skip
"""Programs that read files, and standard input only where no file is named or one is called `-`."""

_AWK = frozenset(("awk", "gawk", "mawk", "nawk"))
_AWK_OPTIONS = frozenset(("--field-separator", "--assign"))
_OTHER_INPUT = ("getline", "ARGV", "system", "|", "/dev", "@")
"""What an awk program needs to read anything besides its files, or to change which these are."""

_STREAMS = ("-", "/dev", "/proc")


def spares(call: Call) -> bool:
    """Whether a command leaves its standard input alone."""
    name = call.words[0].value
    if name in _SPARING:
        return True
    if name in _INSTEAD:
        return call.read_as is not None and _reads_files(call.read_as)
    if name in _AWK:
        return call.read_as is not None and _reads_files(call.read_as) and _is_plain_awk(call.read_as)
    starts = [word.value if isinstance(word.value, str) else word.value.prefix for word in call.words[1:]]
    asks = any(start == "" or (start.startswith("-") and "i" in start) for start in starts)
    return name in _QUIET and not asks


def _reads_files(by: Invocation) -> bool:
    """Whether a program is given files to read, none of which can be its standard input."""
    if not by.complete or any(option.value is not None and _may_be_stream(option.value) for option in by.options):
        return False
    files = [operand for operand in by.operands if operand.role == "read"]
    reached = [name for file in files for name in (file.value, *(() if file.path is None else file.path.names))]
    return bool(files) and not any(file.many for file in files) and not any(map(_may_be_stream, reached))


def _is_plain_awk(by: Invocation) -> bool:
    """Whether a program of awk is known, reads its files only, and each of these is a path and no `name=value`."""
    program, *files = by.operands or (None,)
    if program is None or not isinstance(program.value, str) or any(word in program.value for word in _OTHER_INPUT):
        return False
    starts = [file.value if isinstance(file.value, str) else file.value.prefix for file in files]
    paths = all(not {"/", "."}.isdisjoint(start.partition("=")[0]) for start in starts)
    return paths and all(option.name in _AWK_OPTIONS for option in by.options)


def _may_be_stream(value: Value) -> bool:
    """Whether a name may be that of standard input."""
    start = value if isinstance(value, str) else value.prefix
    if isinstance(value, str):
        return value.startswith(_STREAMS)
    return any(stream.startswith(start) or start.startswith(stream) for stream in _STREAMS)
