"""Rules in the format of gitleaks, as teams have them already.

Source: the section "Configuration" of gitleaks' readme, version 8.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import tomli

from ..meaning.regexes import BadPattern, compile_regex
from ..shown import escape, quote
from .detectors import Check, Detector, Match, at_least, of_regex

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
_TOP = {"title", "description", "minVersion", "extend", "rules", "allowlist", "allowlists"}
_RULE = {
    *("id", "description", "regex", "secretGroup", "entropy", "keywords", "path", "tags", "allowlist", "allowlists"),
    "skipReport",
}
_ALLOWLIST = {
    *("description", "condition", "regexTarget", "regexes", "stopwords", "commits", "paths", "targetRules", "id"),
}


class Fault(NamedTuple):
    """Something that cannot be carried over; a warning where more is redacted for it, and never less."""

    what: str
    why: str
    mend: str
    severity: str = "error"


class _Wrong(Exception):
    """A rule cannot be carried over."""

    def __init__(self, what: str, why: str, mend: str) -> None:
        super().__init__(what)
        self.fault = Fault(what, why, mend)


def read_gitleaks(data: bytes) -> tuple[list[Detector], list[Fault]]:
    """The detectors of the rules in a file, and what of it cannot be carried over."""
    try:
        table = tomli.loads(data.decode())
    except (ValueError, RecursionError) as error:
        return [], [Fault(f"it is not TOML: {escape(str(error), 200)}", *_NO_FILE)]
    faults = [*_unknown("the file", table, _TOP)]
    if "extend" in table:
        faults.append(Fault("`extend` is not followed", *_NO_EXTEND))
    rules = table.get("rules")
    if not isinstance(rules, list) or not rules or not all(isinstance(rule, dict) for rule in rules):
        return [], [*faults, Fault("it has no `[[rules]]`", *_NO_FILE)]
    everywhere = _tables(table)
    detectors = []
    for rule in rules:
        name = rule.get("id")
        faults += _unknown(f"the rule {quote(str(name))}", rule, _RULE)
        try:
            detector, said = _detector(rule, everywhere)
        except _Wrong as wrong:
            faults.append(wrong.fault._replace(what=f"the rule {quote(str(name))}: {wrong.fault.what}"))
        else:
            detectors.append(detector)
            faults += [fault._replace(what=f"the rule {quote(str(name))}: {fault.what}") for fault in said]
    return detectors, list(dict.fromkeys(faults))


_NO_FILE = ("without its rules nothing would be redacted", "write a file of gitleaks' rules")
_NO_EXTEND = ("rules that are not there would find nothing", "write all rules into this one file")
_NO_KEY = ("a key that is not read may be what the rule depends on", "take it away, or write the rule without it")


def _unknown(where: str, table: Mapping[str, Any], known: set[str]) -> Iterator[Fault]:
    for key in table:
        if key not in known:
            yield Fault(f"{where} has the key {quote(key)}, which is not carried over", *_NO_KEY)


def _detector(rule: Mapping[str, Any], everywhere: Sequence[Mapping[str, Any]]) -> tuple[Detector, list[Fault]]:
    name, text = _of(rule, "id", str, ""), _of(rule, "regex", str, "")
    if not _ID.fullmatch(name):
        raise _Wrong("its `id` is no plain name", "it stands in the label", "write letters, digits, `.`, `_` and `-`")
    if not text:
        raise _Wrong("it has no `regex`", "a result has no path to match", "take the rule away")
    regex = _compiled(text)
    group = _of(rule, "secretGroup", int, 0)
    if not 0 <= group <= regex.groups:
        raise _Wrong(f"`secretGroup` is {group}", f"the regex has {regex.groups} groups", "name one of them")
    faults = [Fault("its `path` is not looked at", *_NO_PATH, "warning")] if "path" in rule else []
    checks: list[Check] = []
    if "entropy" in rule:
        checks.append(at_least(float(_of(rule, "entropy", int | float, 0))))
    lists = [*_tables(rule), *(one for one in everywhere if name in _of(one, "targetRules", list, [name]))]
    for one in lists:
        allowed, said = _allowlist(one)
        faults += said
        if allowed is not None:
            checks.append(_not(allowed))
    return of_regex(f"secret: {name}", regex, group, _texts(rule, "keywords"), checks), faults


_NO_PATH = (
    "a result has no path, so that more is redacted than gitleaks would report",
    "leave it if that is right, or take it out of the file",
)


def _not(allowed: Check) -> Check:
    return lambda match: not allowed(match)


def _tables(table: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The allowlists of the file or of a rule, under either of the two names that gitleaks reads."""
    found = [table["allowlist"]] if "allowlist" in table else []
    found += _of(table, "allowlists", list, [])
    return [one if isinstance(one, dict) else {"?": one} for one in found]


def _allowlist(table: Mapping[str, Any]) -> tuple[Check | None, list[Fault]]:
    """What tells that a match is allowed, `None` where nothing does."""
    faults = list(_unknown("an allowlist", table, _ALLOWLIST))
    unread = [key for key in ("commits", "paths") if key in table]
    together = _of(table, "condition", str, "OR").upper() in ("AND", "&&")
    if unread:
        what = f"{' and '.join(map(quote, unread))} of an allowlist are not looked at"
        faults.append(Fault(what, *_NO_PATH, "warning"))
        if together:
            return None, faults
    tests = _tests(table)
    if not tests:
        return None, faults
    every = all if together else any
    return (lambda match: every(test(match) for test in tests)), faults


def _tests(table: Mapping[str, Any]) -> list[Check]:
    tests: list[Check] = []
    target = _of(table, "regexTarget", str, "secret") or "secret"
    if target not in _TARGETS:
        raise _Wrong(f"the target {quote(target)} is none", "the allowlist would be about nothing", _MEND_TARGET)
    patterns = [_compiled(text) for text in _texts(table, "regexes")]
    if patterns:
        part = _TARGETS[target]
        tests.append(lambda match: any(pattern.search(part(match)) for pattern in patterns))
    words = [word.lower().encode() for word in _texts(table, "stopwords")]
    if words:
        tests.append(lambda match: any(word in _value(match).lower() for word in words))
    return tests


def _value(match: Match) -> bytes:
    return match.text[slice(*match.value)]


def _line(match: Match) -> bytes:
    start = match.text.rfind(b"\n", 0, match.whole[0]) + 1
    end = match.text.find(b"\n", match.whole[1])
    return match.text[start : end if end >= 0 else len(match.text)]


_TARGETS = {"secret": _value, "match": lambda match: match.text[slice(*match.whole)], "line": _line}
_MEND_TARGET = "write `secret`, `match` or `line`"


def _compiled(text: str) -> Any:
    try:
        regex = compile_regex(text)
    except BadPattern as bad:
        raise _Wrong(str(bad), "a pattern that cannot be compiled would match nothing", bad.mend) from None
    return regex


def _texts(table: Mapping[str, Any], key: str) -> list[str]:
    texts = _of(table, key, list, [])
    if not all(isinstance(text, str) for text in texts):
        raise _Wrong(f"{quote(key)} is no array of strings", *_WRONG_TYPE)
    return list(texts)


def _of(table: Mapping[str, Any], key: str, kind: Any, default: Any) -> Any:
    value = table.get(key, default)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise _Wrong(f"{quote(key)} has another type than gitleaks reads", *_WRONG_TYPE)
    return value


_WRONG_TYPE = ("what cannot be read would find nothing", "write it as gitleaks' readme says")
