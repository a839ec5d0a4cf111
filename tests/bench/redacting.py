"""How fast results are looked through, beside a plain loop of `re`. Run as a program; one line for each text.

The plain loop does what comes to mind first: the same formats, one `re` after the other, and nothing decoded. It gets
the beginning of each text only, since its time grows with the square of a long run of letters. Ours looks for the same
formats in five encodings, twice over. The contestants take turns, the best turn of each counts, by the time of the
processor, as that of the clock depends on who else is at work. Nothing is asserted.

Usage: redacting.py [MEGABYTES]
"""

from __future__ import annotations

import base64
import json
import random
import re
import sys
from collections.abc import Callable
from time import process_time

from tidegate.kind import Output, Setting
from tidegate.kinds.redact import KIND
from tidegate.meaning.commands.table import Table
from tidegate.redacting.formats import FORMATS

TURNS = 3
BEGINNING = 20_000
WORDS = ("the", "tide", "comes", "in", "and", "goes", "out", "twice", "a", "day", "because", "of", "moon", "sun", "sea")


def texts(size: int) -> dict[str, str]:
    """Texts of *size* characters, of the kinds that tools return."""
    chance = random.Random(1)
    lines = (
        f"2026-11-30T10:00:{at % 60:02d}Z INFO request={chance.randbytes(8).hex()} took {at % 999}ms\n"
        for at in range(size // 50)
    )
    rows = ({"id": at, "name": chance.choice(WORDS), "path": f"C:\\data\\{at}\n"} for at in range(size // 55))
    raw = chance.randbytes(size)
    found = {
        "prose": " ".join(chance.choices(WORDS, k=size // 4)),
        "prose with a secret in each line": "key AKIAQWERTYUIOPASDFGH and text that goes on\n" * (size // 46),
        "a log with ids in hex": "".join(lines),
        "JSON with escapes": "\n".join(map(json.dumps, rows)),
        "a URL with percent signs": "%41%42hello%20" * (size // 14),
        "random bytes in base64": base64.b64encode(raw).decode(),
        "the same in lines": base64.encodebytes(raw).decode(),
        "the same in hex": raw.hex(),
        "base64 in base64": base64.b64encode(base64.b64encode(raw)).decode(),
    }
    return {name: text[:size] for name, text in found.items()}


def ours() -> Callable[[str], object]:
    """The rule with all formats."""
    part = KIND.compile(KIND.fields(secrets=("*",)), Setting("bench", "deny", None, Table.builtin()))
    return lambda text: part.apply(Output((text,)), None)  # type: ignore[union-attr, arg-type]


def plain() -> Callable[[str], object]:
    """One substitution after the other."""
    formats = [(name, re.compile(text)) for name, text in FORMATS.items()]

    def redact(text: str) -> str:
        for name, regex in formats:
            text = regex.sub(f"[secret: {name}]", text)
        return text

    return redact


def speed(redact: Callable[[str], object], text: str) -> float:
    """The megabytes in a second of the best of all turns."""
    best = float("inf")
    for _ in range(TURNS):
        started = process_time()
        redact(text)
        best = min(best, process_time() - started)
    return len(text) / 1e6 / max(best, 1e-9)


def main(arguments: list[str]) -> None:
    """Measure and print."""
    size = int(float(arguments[0] if arguments else 1) * 1_000_000)
    loop, own = plain(), ours()
    print(f"{'':36}{'re loop':>12}{'ours':>12}{'ratio':>8}")
    for name, text in texts(size).items():
        theirs, mine = speed(loop, text[:BEGINNING]), speed(own, text)
        print(f"{name:36}{theirs:7.2f} MB/s{mine:7.2f} MB/s{mine / theirs:8.1f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
