"""What is wrong with a predicate as it is written: values that are none, and conditions that nothing can meet."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import NamedTuple

from attrs import evolve

from ..errors import CallError
from ..kernel.json_values import snapshot
from ..lang.nearest import nearest
from ..meaning.regexes import BadPattern
from ..shown import quote
from . import HOLDS, Judge, Predicate, compile_judge

Path = tuple[str | int, ...]


class Fault(NamedTuple):
    """One thing that is wrong, at the key that `path` leads to, in the parts of a finding."""

    path: Path
    code: str
    what: str
    why: str
    mend: str


_WHY_NEVER = "a condition that nothing meets refuses every call, or none, and neither is what its author means"
_WHY_BAD = "a pattern that cannot be compiled would match nothing"
_NUMBERS = ("min", "max")
_TEXTS = ("glob", "regex", "secrets", "not_before", "not_after", "min_length", "max_length")


def faults(predicate: Predicate) -> Iterator[Fault]:
    """Everything that is wrong with *predicate*, first what cannot be read and then what can never hold."""
    found = [*_values(predicate), *_patterns(predicate), *_secrets(predicate), *_dates(predicate)]
    if predicate.not_ is not None:
        found += [fault._replace(path=("not", *fault.path)) for fault in faults(predicate.not_)]
    yield from found or _contradictions(predicate)


def _values(predicate: Predicate) -> Iterator[Fault]:
    constants = [(("equals",), predicate.equals)] if predicate.equals is not None else []
    options = [(("one_of", index), option) for index, option in enumerate(predicate.one_of or ())]
    for path, constant in [*constants, *options]:
        try:
            snapshot(constant)
        except CallError as error:
            yield Fault(
                path,
                "bad-value",
                f"the value is no argument: {error}",
                "arguments are JSON, which has no dates, no times, no `inf` and no `nan`",
                "write it as a string in quotes, or use `not_before` and `not_after` for dates",
            )


def _patterns(predicate: Predicate) -> Iterator[Fault]:
    for key, alone in (("glob", Predicate(glob=predicate.glob)), ("regex", Predicate(regex=predicate.regex))):
        try:
            compile_judge(alone, wide=True)
        except BadPattern as bad:
            yield Fault((key,), "bad-pattern", str(bad), _WHY_BAD, bad.mend)


def _secrets(predicate: Predicate) -> Iterator[Fault]:
    if predicate.secrets is None or isinstance(predicate.secrets, bool):
        return
    from ..redacting.formats import FORMATS
    from .secrets import formats_of

    for index, glob in enumerate(predicate.secrets):
        if not formats_of(glob):
            close = nearest(glob, FORMATS)
            mend = f"write `{close}`" if close else 'write `"*"` for all formats; the page of `redact` names them'
            what = f"{quote(glob)} names no format of a secret"
            yield Fault(("secrets", index), "bad-value", what, "nothing would be found by it", mend)


def _dates(predicate: Predicate) -> Iterator[Fault]:
    bounds = {"not_before": predicate.not_before, "not_after": predicate.not_after}
    for key, bound in bounds.items():
        if isinstance(bound, dt.datetime) and bound.tzinfo is None:
            yield Fault(
                (key,),
                "bad-value",
                f"`{bound.isoformat()}` has no zone",
                "without its zone nobody knows which moment it is",
                f"write `{bound.isoformat()}Z`, or the day alone",
            )
    kinds = {isinstance(bound, dt.datetime) for bound in bounds.values() if bound is not None}
    if len(kinds) > 1:
        yield Fault(
            ("not_after",),
            "bad-value",
            "`not_before` and `not_after` are a day and a moment",
            "an argument is one of them, and then the other bound cannot be compared with it",
            "write two days, or two moments with their zones",
        )


def _contradictions(predicate: Predicate) -> Iterator[Fault]:
    given = predicate.given()
    for low, high in (("min", "max"), ("min_length", "max_length"), ("not_before", "not_after")):
        if low in given and high in given and given[low] > given[high]:
            what = f"`{low}` is `{given[low]}`, which is more than `{high}`"
            yield Fault((high,), "never-holds", what, _WHY_NEVER, f"write a larger `{high}` or a smaller `{low}`")
    number = next((key for key in _NUMBERS if key in given), None)
    text = next((key for key in _TEXTS if key in given), None)
    if number is not None and text is not None:
        what = f"no value is a number for `{number}` and has what `{text}` asks for"
        yield Fault((text,), "never-holds", what, _WHY_NEVER, "keep one of them")
    if given.get("not") == Predicate():
        what = "`not` is empty, and there is nothing that does not hold"
        yield Fault(("not",), "never-holds", what, _WHY_NEVER, "say in it what may not hold, or leave it out")
    yield from _constants(predicate)


def _constants(predicate: Predicate) -> Iterator[Fault]:
    """Constants that the other keys rule out."""
    if predicate.equals is not None:
        if _judge(evolve(predicate, equals=None))(predicate.equals) is not HOLDS:
            yield Fault(
                ("equals",),
                "never-holds",
                "what `equals` names does not meet the other keys",
                _WHY_NEVER,
                "keep `equals` alone, or another value",
            )
        return
    others = _judge(evolve(predicate, one_of=None))
    for index, option in enumerate(predicate.one_of or ()):
        if others(snapshot(option)) is not HOLDS:
            what = "this option does not meet the other keys"
            yield Fault(("one_of", index), "never-holds", what, _WHY_NEVER, "take it out, or change the other keys")


def _judge(predicate: Predicate) -> Judge:
    return compile_judge(predicate)
