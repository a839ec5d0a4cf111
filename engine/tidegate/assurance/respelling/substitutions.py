"""Words that an expansion or a command gives back."""

from __future__ import annotations

import base64
import re
from random import Random

from .scripts import SAFE, fresh
from .spelling import ROT13, Spelling, cut, escapes, octal, one_line, quote


def braces(value: str, random: Random) -> Spelling | None:
    return ("", random.choice([f"{{{value},}}", f"{{,{value}}}"])) if SAFE.fullmatch(value) else None


def echoed(value: str, random: Random) -> Spelling | None:
    if re.fullmatch(r"-[neE]*", value) or "\\" in value:
        return None
    return "", random.choice([f'"$(echo {quote(value)})"', f'"$(echo -n {quote(value)})"'])


def printed(value: str, random: Random) -> Spelling:
    left, right = cut(value, random)
    return "", random.choice([f'"$(printf %s {quote(value)})"', f'"$(printf %s%s {quote(left)} {quote(right)})"'])


def backticks(value: str, _: Random) -> Spelling | None:
    return ("", f'"`printf %s {value}`"') if SAFE.fullmatch(value) and not value.startswith("%") else None


def printed_octal(value: str, _: Random) -> Spelling:
    return "", f"\"$(printf '{octal(value)}')\""


def printed_backslashes(value: str, _: Random) -> Spelling:
    code = escapes(value, "\\0{:03o}")
    return "", f"\"$(printf %b '{code}')\""


def from_base64(value: str, random: Random) -> Spelling:
    code = base64.b64encode(value.encode()).decode()
    return "", random.choice([f'"$(echo {code} | base64 -d)"', f'"$(base64 --decode <<< {code})"'])


def from_hex(value: str, random: Random) -> Spelling:
    code = value.encode().hex()
    return "", random.choice([f'"$(echo {code} | xxd -r -p)"', f'"$(xxd -r -p <<< {code})"'])


def reversed_(value: str, _: Random) -> Spelling | None:
    return ("", f'"$(printf %s {quote(value[::-1])} | rev)"') if one_line(value) and value.isascii() else None


def rotated(value: str, _: Random) -> Spelling:
    return "", f'"$(printf %s {quote(value.translate(ROT13))} | tr A-Za-z N-ZA-Mn-za-m)"'


def cut_out(value: str, random: Random) -> Spelling | None:
    if not SAFE.fullmatch(value) or ":" in value:
        return None
    return "", random.choice(
        [
            f'"$(echo a:{value}:b | cut -d: -f2)"',
            f"\"$(echo a:{value}:b | awk -F: '{{print $2}}')\"",
            f'"$(sed s,Q,, <<< Q{value})"',
            f'"$(echo {value}:b | head -c {len(value)})"',
        ]
    )


def from_file(value: str, random: Random) -> Spelling | None:
    name = fresh(random)
    read = random.choice([f'"$(cat {name})"', f'"$(<{name})"'])
    return (f"printf '%s\\n' {quote(value)} > {name}\n", read) if not value.endswith("\n") else None


def from_interpreter(value: str, random: Random) -> Spelling | None:
    if not SAFE.fullmatch(value) or "@" in value or "%" in value:
        return None
    return "", random.choice([f'"$(python3 -c \'print("{value}")\')"', f'"$(perl -e \'print "{value}"\')"'])


def from_function(value: str, random: Random) -> Spelling:
    name = fresh(random)
    return f"{name}() {{ printf %s {quote(value)}; }}\n", f'"$({name})"'


def arithmetic_slice(value: str, random: Random) -> Spelling:
    name = fresh(random)
    return f"{name}={quote('abc' + value)}\n", f'"${{{name}:$((1 + 2))}}"'
