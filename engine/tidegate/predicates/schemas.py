"""JSON Schemas of draft 2020-12 that a rule may name: checked at load, matched in linear time, alone.

Nothing is fetched: a `$ref` leads within its own document. Patterns are those of RE2. Unknown keywords and formats,
which the standard lets pass, are refused: a keyword that nobody reads makes a schema weaker than it looks.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from ..lang.nearest import nearest
from ..meaning.regexes import BadPattern, compile_regex
from ..shown import quote
from .checking import Fault, Path
from .moments import moment_of
from .schema_keywords import KEYWORDS, keywords_in_linear_time, subschemas

DIALECT = "https://json-schema.org/draft/2020-12/schema"

SchemaTest = Callable[[Any], bool]


def compile_schema(schema: Any) -> SchemaTest:
    """A test for values that *schema*, in which `schema_faults` finds nothing, takes.

    The test may raise `RecursionError` on values that are nested very deeply.
    """
    from referencing import Registry

    validator = _validator()(schema, registry=Registry(), format_checker=_formats())
    test: SchemaTest = validator.is_valid
    return test


def schema_faults(schema: Any) -> list[Fault]:
    """Everything that is wrong with *schema*, a JSON value; the paths begin in it."""
    within = [(path, one) for path, one in subschemas(schema) if isinstance(one, dict)]
    found = [fault for path, one in within for fault in _keywords(path, one)]
    if any("patternProperties" in one for _, one in within):
        # The library looks for what is unevaluated with patterns that backtrack.
        unevaluated = [path for path, one in within if "unevaluatedProperties" in one]
        what = "`unevaluatedProperties` stands in a schema with `patternProperties`"
        found += [
            _fault((*path, "unevaluatedProperties"), what, "write `additionalProperties`") for path in unevaluated
        ]
    if found:
        return found
    from jsonschema.exceptions import best_match

    error = best_match(_validator()(_validator().META_SCHEMA).iter_errors(schema))
    if error is not None:
        where = "/".join(map(str, error.absolute_path))
        at = f" at {quote(where, limit=80)}" if where else ""
        return [_fault(tuple(error.absolute_path), f"it is no JSON Schema{at}: {quote(error.message, limit=120)}")]
    return list(_references(schema))


def _keywords(path: Path, schema: Mapping[str, Any]) -> Iterator[Fault]:
    for key, value in schema.items():
        if key not in KEYWORDS:
            close = nearest(key, KEYWORDS)
            mend = f"write `{close}`" if close else "leave it out; `$comment` is for remarks"
            yield _fault((*path, key), f"{quote(key, limit=60)} is no keyword of JSON Schema", mend)
        elif key == "$schema" and str(value).rstrip("#") != DIALECT:
            yield _fault((*path, key), f"{quote(str(value), limit=80)} is another dialect", f"write `{DIALECT}`")
        elif key == "format" and isinstance(value, str) and value not in _FORMATS:
            close = nearest(value, _FORMATS)
            known = f"the formats are {', '.join(f'`{name}`' for name in sorted(_FORMATS))}"
            yield _fault(
                (*path, key),
                f"{quote(value, limit=60)} is a format that nobody checks",
                f"write `{close}`" if close else known,
            )
        elif key == "pattern" and isinstance(value, str):
            yield from _pattern((*path, key), value)
        elif key == "patternProperties" and isinstance(value, dict):
            for pattern in value:
                yield from _pattern((*path, key, pattern), pattern)
        elif key in ("$ref", "$dynamicRef") and isinstance(value, str) and not value.startswith("#"):
            yield _fault(
                (*path, key),
                f"{quote(value, limit=80)} leads out of the schema",
                "copy what it names under `$defs`, and write `#/$defs/NAME`",
            )


def _pattern(path: Path, text: str) -> Iterator[Fault]:
    try:
        compile_regex(text)
    except BadPattern as bad:
        yield Fault(path, "bad-pattern", str(bad), "a pattern that cannot be compiled would match nothing", bad.mend)


def _references(schema: Any) -> Iterator[Fault]:
    """References that lead nowhere; what jsonschema would find only when it meets them."""
    from referencing import Registry
    from referencing.exceptions import Unresolvable
    from referencing.jsonschema import DRAFT202012

    resolver = Registry().with_resource("", DRAFT202012.create_resource(schema)).resolver()
    for path, one in subschemas(schema):
        reference = one.get("$ref", one.get("$dynamicRef")) if isinstance(one, dict) else None
        if not isinstance(reference, str):
            continue
        try:
            resolver.lookup(reference)
        except Unresolvable:
            yield _fault((*path, "$ref"), f"{quote(reference, limit=80)} leads nowhere", "name a key of `$defs`")


def _fault(path: Path, what: str, mend: str = "write a schema of draft 2020-12") -> Fault:
    why = "a schema is taken whole or not at all: what nobody checks would let a call pass"
    return Fault(path, "bad-schema", what, why, mend)


@cache
def _validator() -> Any:
    """The validator of draft 2020-12 with the keywords that would not take linear time replaced."""
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend

    return extend(Draft202012Validator, keywords_in_linear_time())


@cache
def _formats() -> Any:
    from jsonschema import FormatChecker

    checker = FormatChecker(formats=())
    for name, holds in _FORMATS.items():
        checker.checkers[name] = (_of_text(holds), ())
    return checker


def _of_text(holds: Callable[[str], bool]) -> Callable[[object], bool]:
    """A format says nothing of what is no text."""
    return lambda value: not isinstance(value, str) or holds(value)


def _is_address(kind: Callable[[str], object]) -> Callable[[str], bool]:
    def holds(text: str) -> bool:
        try:
            kind(text)
        except ValueError:
            return False
        return "%" not in text

    return holds


def _is_time(text: str) -> bool:
    return moment_of(f"2000-01-01T{text}", of_days=False) is not None


def _is_uuid(text: str) -> bool:
    return re.fullmatch(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", text) is not None


def _is_regex(text: str) -> bool:
    try:
        compile_regex(text)
    except BadPattern:
        return False
    return True


_FORMATS: Mapping[str, Callable[[str], bool]] = {
    "date": lambda text: moment_of(text, of_days=True) is not None,
    "date-time": lambda text: moment_of(text, of_days=False) is not None,
    "ipv4": _is_address(ipaddress.IPv4Address),
    "ipv6": _is_address(ipaddress.IPv6Address),
    "regex": _is_regex,
    "time": _is_time,
    "uuid": _is_uuid,
}
