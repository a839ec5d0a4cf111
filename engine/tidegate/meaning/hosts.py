# ruff: noqa: RUF001  dots and letters that are mapped
"""A host as clients read it: a name in ASCII or an address, whatever its spelling."""

from __future__ import annotations

import re
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import NamedTuple
from urllib.parse import unquote

Address = IPv4Address | IPv6Address

_NAME = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*")
_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+")
_QUAD = re.compile(r"(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\.(?!$)|$)){4}")
_DOTS = str.maketrans("。．｡", "...")
# What IDNA 2003 maps or drops and UTS 46 keeps: the two reach different names.
_DEVIATIONS = str.maketrans({"ß": "ss", "ẞ": "ss", "ς": "σ", "\u200c": None, "\u200d": None})
_LONGEST = 253


class Host(NamedTuple):
    """One reading of a host first and the others in `others`.

    `doubts` says why a client could read it differently; `unclear` that one may reach something not listed here.
    """

    name: str
    address: Address | None = None
    doubts: tuple[str, ...] = ()
    others: tuple[Host, ...] = ()
    unclear: bool = False


def read_name(raw: str) -> Host:
    """Read the host of a URL, in brackets where it is an IPv6 address; never raises."""
    lower = raw.lower()
    if len(lower) <= _LONGEST and _NAME.fullmatch(lower) and not _NUMBER.fullmatch(lower.rpartition(".")[2]):
        return Host(lower)
    if raw.startswith("["):
        return _bracketed(raw)
    if "%" in raw:
        return _decoded(raw)
    mapped = raw.translate(_DOTS)
    if mapped.isascii():
        return _ascii(mapped.lower())
    return _international(mapped)


def _ascii(name: str) -> Host:
    name = name.removesuffix(".")
    if _QUAD.fullmatch(name):
        return Host(name, IPv4Address(name))
    if _NUMBER.fullmatch(name.rpartition(".")[2]):
        return _numeric(name)
    if len(name) > _LONGEST or not _NAME.fullmatch(name):
        what = "has no name" if not name else "is no name"
        return Host(name, None, (f"the host {what}",), unclear=bool(name))
    return Host(name)


def _numeric(name: str) -> Host:
    """A host that ends in a number, which has to be an address of four bytes (WHATWG URL, "ends in a number")."""
    address = _four_bytes(name, octal=True)
    plain = _four_bytes(name, octal=False)
    if address is None and plain is None:
        return Host(name, None, ("the host ends in a number and is no address",), unclear=True)
    doubt = ("clients read the address differently",)
    first, second = (address or plain), (plain if address and plain != address else None)
    others = (Host(str(second), second),) if second is not None else ()
    return Host(str(first), first, doubt, others, unclear=address is None)


def _four_bytes(name: str, *, octal: bool) -> IPv4Address | None:
    """An address of one to four numbers, as `inet_aton` takes it; without *octal* a leading zero means nothing."""
    texts = name.split(".")
    if len(texts) > 4 or not all(map(_NUMBER.fullmatch, texts)):  # noqa: PLR2004  an address has four bytes
        return None
    try:
        numbers = [_number(text, octal=octal) for text in texts]
    except ValueError:
        return None
    *heads, last = numbers
    if any(head > 0xFF for head in heads) or last >= 256 ** (4 - len(heads)):  # noqa: PLR2004  a byte
        return None
    return IPv4Address(sum(head << 8 * (3 - at) for at, head in enumerate(heads)) + last)


def _number(text: str, *, octal: bool) -> int:
    if text.startswith("0x"):
        return int(text[2:] or "0", 16)
    return int(text, 8) if octal and text.startswith("0") and len(text) > 1 else int(text)


def _bracketed(raw: str) -> Host:
    """An IPv6 address in brackets; its zone says only through which interface it is reached."""
    inner, closed, rest = raw[1:].partition("]")
    text, zoned, _ = unquote(inner).partition("%")
    try:
        address = IPv6Address(text)
    except AddressValueError:
        return Host(raw.lower(), None, ("the host in brackets is no address",), unclear=True)
    if not closed or rest:
        return Host(raw.lower(), None, ("text follows the host",), (Host(str(address), address),), unclear=True)
    return Host(str(address), address, ("the address names an interface",) if zoned else ())


def _decoded(raw: str) -> Host:
    """A host with percent signs: decoded by browsers, taken as it is by others."""
    plain = unquote(raw, errors="replace")
    doubt = ("the host is percent-encoded",)
    literal = Host(raw.lower())
    if re.search(r"[\x00-\x20/\\?#@:%\[\]\ufffd]", plain):
        return literal._replace(doubts=doubt, unclear=True)
    found = read_name(plain)
    return found._replace(doubts=doubt + found.doubts, others=(literal, *found.others))


def _international(raw: str) -> Host:
    """A host with characters beyond ASCII, mapped as browsers do (UTS 46), deviations included."""
    doubt = ("the host is not written in ASCII",)
    plain, older = _mapped(raw), _mapped(raw.translate(_DEVIATIONS))
    if plain is None or older is None:
        return Host(raw.lower(), None, doubt, unclear=True)
    first, second = _ascii(plain), _ascii(older)
    others = first.others if first.name == second.name else (*first.others, second)
    return first._replace(doubts=doubt + first.doubts, others=others)


def _mapped(raw: str) -> str | None:
    import idna

    try:
        text = idna.uts46_remap(raw, std3_rules=False)
        return ".".join(label if label.isascii() else _punycode(label) for label in text.split(".")).lower()
    except (idna.IDNAError, UnicodeError, ValueError):
        return None


def _punycode(label: str) -> str:
    # Not `idna.alabel`: it refuses names that browsers resolve (emoji), and what is refused would go unseen.
    return "xn--" + label.encode("punycode").decode("ascii")


def unicode_name(name: str) -> str:
    """The name as a person reads it, `xn--` labels decoded where they can be."""
    if "xn--" not in name:
        return name
    return ".".join(map(_unicode_label, name.split(".")))


def _unicode_label(label: str) -> str:
    if not label.startswith("xn--"):
        return label
    try:
        return label[4:].encode("ascii").decode("punycode")
    except UnicodeError:
        return label
