"""Personal data that can be told by its form, and where there is a check digit, by that."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from ..meaning.regexes import compile_regex
from .detectors import Detector, Found, of_regex

Personal = Literal["card", "iban", "email", "phone"]

_RUN = re.compile(rb"(?<![A-Za-z0-9])[0-9](?:[ .-]?[0-9]){11,}")
_GROUP = re.compile(rb"[0-9]+")
_FEWEST, _MOST = 12, 19
_NETWORKS = re.compile(
    rb"4(?:[0-9]{12}|[0-9]{15}|[0-9]{18})"  # Visa
    rb"|(?:5[1-5][0-9]{2}|222[1-9]|22[3-9][0-9]|2[3-6][0-9]{2}|27[01][0-9]|2720)[0-9]{12}"  # Mastercard
    rb"|3[47][0-9]{13}"  # American Express
    rb"|(?:6011|64[4-9][0-9]|65[0-9]{2}|62[0-9]{2}|35[2-8][0-9])[0-9]{12,15}"  # Discover, UnionPay, JCB
    rb"|3(?:0[0-5]|[689][0-9])[0-9]{11,16}"  # Diners Club
    rb"|(?:5018|5020|5038|5893|6304|6759|676[1-3])[0-9]{8,15}"  # Maestro
)


_DOUBLED = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)
"""For each digit the sum of the digits of its double."""


def is_card(digits: bytes) -> bool:
    """Whether these are the digits of a payment card: a known first part and length, and the check digit is right.

    Source: ISO/IEC 7812-1, its annex on the check digit, and what the networks publish of their ranges.
    """
    if not _NETWORKS.fullmatch(digits):
        return False
    plain, doubled = digits[::-2], digits[-2::-2]
    return (sum(map(int, map(chr, plain))) + sum(_DOUBLED[int(chr(digit))] for digit in doubled)) % 10 == 0


def _cards(text: bytes) -> Found:
    """Card numbers in runs of digits with one blank, dot or hyphen between groups; they begin and end with a group."""
    for run in _RUN.finditer(text):
        groups = [(found.start(), found.end()) for found in _GROUP.finditer(text, run.start(), run.end())]
        first = 0
        while first < len(groups):
            last = _last_of_card(text, groups, first)
            if last is not None and text[groups[last][1] : groups[last][1] + 1].isalpha():
                last = None
            if last is not None:
                yield groups[first][0], groups[last][1]
                first = last
            first += 1


def _last_of_card(text: bytes, groups: list[tuple[int, int]], first: int) -> int | None:
    """The last group of the longest card number that begins with the group *first*."""
    digits, longest = b"", None
    for index in range(first, len(groups)):
        start, end = groups[index]
        if len(digits) + end - start > _MOST:
            break
        digits += text[start:end]
        if len(digits) >= _FEWEST and is_card(digits):
            longest = index
    return longest


_LENGTHS: Mapping[bytes, int] = {
    country.encode(): int(length)
    for length, countries in {
        "15": "NO", "16": "BE", "18": "DK FI FO GL NL", "19": "MK SI", "20": "AT BA EE KZ LT LU XK",
        "21": "CH HR LI LV", "22": "BG BH CR DE GB GE IE ME RS VA", "23": "AE GI IL IQ TL",
        "24": "AD CZ ES MD PK RO SA SE SK TN VG",
        "25": "LY PT ST", "26": "IS TR", "27": "FR GR IT MC MR SM", "28": "AL AZ BY CY DO GT HU LB PL SV",
        "29": "BR EG PS QA UA", "30": "JO KW MU", "31": "MT SC", "32": "LC",
    }.items()
    for country in countries.split()
}  # fmt: skip
_IBAN_START = re.compile(rb"(?<![A-Za-z0-9])[A-Za-z]{2}[0-9]{2}")
_IBAN_REST = re.compile(rb"(?:[ -]?[A-Za-z0-9]){11,30}")


def _ibans(text: bytes) -> Found:
    """IBANs as they are written for machines, and in groups."""
    for found in _IBAN_START.finditer(text):
        missing = _LENGTHS.get(found[0][:2].upper(), 0) - len(found[0])
        rest = _IBAN_REST.match(text, found.end())
        if rest is None or missing < 0:
            continue
        end = found.end()
        for at in range(rest.start(), rest.end()):
            if text[at : at + 1].isalnum():
                missing, end = missing - 1, at + 1
            if missing == 0:
                break
        if missing == 0 and not text[end : end + 1].isalnum() and is_iban(text[found.start() : end]):
            yield found.start(), end


def is_iban(text: bytes) -> bool:
    """Whether the check digits of an IBAN are right; blanks and hyphens do not count.

    Source: ISO 13616-1 and ISO/IEC 7064, MOD 97-10.
    """
    plain = text.translate(None, b" -").upper()
    return int("".join(str(int(chr(letter), 36)) for letter in plain[4:] + plain[:4])) % 97 == 1


_EMAIL = r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9][A-Za-z0-9-]{0,62}(?:\.[A-Za-z0-9][A-Za-z0-9-]{0,62})+"
_PHONE = r"\+[1-9](?:[ ().-]{0,2}[0-9]){6,14}"


def personal(kind: Personal) -> Detector:
    """The detector of one kind of personal data.

    Source: the HTML Standard on e-mail addresses; ITU-T E.164 and E.123 on telephone numbers, of which only those are
    found that begin with `+` and the country.
    """
    label = f"personal: {kind}"
    if kind == "card":
        return Detector(label, r"[0-9](?:[ .-]?[0-9]){11}", _cards)
    if kind == "iban":
        return Detector(label, r"[A-Za-z]{2}[0-9]{2}(?:[ -]?[A-Za-z0-9]){11}", _ibans)
    return of_regex(label, compile_regex(_EMAIL if kind == "email" else _PHONE), 0)
