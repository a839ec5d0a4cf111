"""The rows of the suite: a sentence, the rules, what the model asks for, and what must be so afterwards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from attrs import frozen

from ...facts import Facts
from ...facts.clock import SystemClock
from ...facts.counters import MemoryCounters
from .scene import FAILS, REPORT, SAY, SLOW, Ask, Seen, Stage

if TYPE_CHECKING:
    from ...plan.approval import Approver, Question
    from .breaking import Breaks

SECRET = "AKIA" + "Q7RTZ4XWPLMN2HVK"
"""A made-up key of the form that `redact` knows; no answer may have it where the rule is there."""
TRICKY = 'snow ☃, "quoted", \\back\nsecond line'
PARALLEL, LIMIT = 8, 3

_ALLOW = 'version = 1\ndefault = "allow"\n'
# Where the harness governs also the call by which one agent asks another, that one may.
_DENY = 'version = 1\ndefault = "deny"\n[[rule]]\nid = "delegate"\nkind = "tools"\nallow = ["helper"]\n'
_REDACT = '[[rule]]\nid = "keys"\nkind = "redact"\nsecrets = ["aws-access-key"]\n'
_ASK = '[[rule]]\nid = "ask"\nkind = "tools"\ndeny = ["say"]\neffect = "ask"\nmessage = "a person decides"\n'
_REWRITE = '[[rule]]\nid = "tame"\nkind = "rewrite"\ntools = ["say"]\nset = { "/text" = "tamed" }\n'
_NO = "NO-SUCH-THING: ask for less"
_GRANT = '[[rule]]\nid = "grant"\nkind = "tools"\nallow = ["say"]\n'


class Played(NamedTuple):
    """What can be looked at afterwards."""

    stage: Stage
    seen: Sequence[Seen]

    @property
    def entered(self) -> list[tuple[str, str]]:
        """What the bodies were given, in order."""
        return self.stage.entered


@frozen
class Row:
    """One row: *why* answers what is wrong, empty for nothing."""

    name: str
    sentence: str
    rules: str
    turns: Sequence[Sequence[Ask]]
    why: Callable[[Played], str]
    approver: Approver | None = None
    breaks: Breaks = ""


def memory_facts() -> Facts:
    """Facts that are in this process only."""
    counters = MemoryCounters()
    return Facts(SystemClock(), lambda _: counters)


# What is looked at.


def _nothing_ran(played: Played) -> str:
    return f"a body was entered: {played.entered}" if played.entered else ""


def _refused(words: str) -> Callable[[Played], str]:
    def why(played: Played) -> str:
        return _nothing_ran(played) or ("" if words in played.seen[0].text else f"the model reads {played.seen}")

    return why


def _ran(*entered: tuple[str, str], reads: str = "") -> Callable[[Played], str]:
    def why(played: Played) -> str:
        if played.entered != list(entered):
            return f"the bodies were given {played.entered}, and not {list(entered)}"
        return "" if reads in played.seen[-1].text else f"the model reads {played.seen}"

    return why


def _redacted(*entered: tuple[str, str]) -> Callable[[Played], str]:
    def why(played: Played) -> str:
        if played.entered != list(entered):
            return f"the bodies were given {played.entered}, and not {list(entered)}"
        for seen in played.seen:
            if any(SECRET in text for text in seen.channels.values()):
                return f"what was redacted is read: {seen}"
        return "" if "[secret: aws-access-key]" in played.seen[0].text else f"nothing is shaped: {played.seen}"

    return why


def _late(played: Played) -> str:
    if played.entered != [(SAY, f"{SLOW}x")]:
        return f"the bodies were given {played.entered}"
    text = played.seen[0].text
    return f"the late result is read: {text}" if SLOW in text or "longer than" not in text else ""


def _exactly(played: Played) -> str:
    entered = len(played.entered)
    refused = sum("used up" in seen.text for seen in played.seen)
    if entered != LIMIT:
        return f"{entered} of {PARALLEL} calls were entered under a limit of {LIMIT}"
    return "" if refused == PARALLEL - LIMIT else f"the model reads {played.seen}"


def _in_its_place(played: Played) -> str:
    unsure = [seen for seen in played.seen if not seen.text]
    return _nothing_ran(played) or ("nothing came back for the call" if unsure or not played.seen else "")


# Who is asked, and what breaks.


async def _yes_later(_: Question) -> Any:
    return "allow"


def _no(_: Question) -> Any:
    return "reject"


def _breaks(_: Question) -> Any:
    raise RuntimeError("boom")


def _only_harmless(question: Question) -> Any:
    return "reject" if _text(question) == "bad" else "allow"


def _knows_tamed(question: Question) -> Any:
    return "allow" if _text(question) == "tamed" else "reject"


def _text(question: Question) -> object:
    return (question.decision.arguments or {}).get("text")


def _asks(*texts: str, tool: str = SAY) -> list[list[Ask]]:
    return [[Ask(tool, text) for text in texts]]


def _limited(limit: int) -> str:
    return (
        f'[[rule]]\nid = "budget"\nkind = "rate-limit"\ntools = ["say"]\nlimit = "{limit}/hour"\n'
        'message = "the budget is used up"\n'
    )


def _denies(tool: str) -> str:
    return f'[[rule]]\nid = "no"\nkind = "tools"\ndeny = ["{tool}"]\nmessage = "{_NO}"\n'


_MATCHES = (
    '[[rule]]\nid = "bad"\nkind = "arguments"\ntools = ["say"]\n'
    f'deny = [{{ "/text" = {{ glob = "*tamed*" }} }}]\nmessage = "{_NO}"\n'
)
_RESOLVES = (
    '[tools.say]\ntext = { role = "url" }\n[[rule]]\nid = "inside"\nkind = "url"\ntools = ["say"]\n'
    'deny_ranges = ["private"]\nresolve = true\n'
)
_TIMEOUT = '[[rule]]\nid = "quick"\nkind = "timeout"\nseconds = 0.1\n'

ROWS: tuple[Row, ...] = (
    Row(
        "allowed-call-is-untouched",
        "An allowed call enters its body once, with the arguments that the model gave, and its result comes back.",
        _DENY + _GRANT,
        _asks(TRICKY),
        _ran((SAY, TRICKY), reads="second line"),
    ),
    Row(
        "denied-call-never-enters",
        "The body of a denied call is never entered, and the model reads why.",
        _ALLOW + _denies(SAY),
        _asks("hello"),
        _refused(_NO),
    ),
    Row(
        "uncovered-call-never-enters",
        "A call that no rule grants is refused where the default is deny.",
        _DENY,
        _asks("hello"),
        _refused(""),
    ),
    Row(
        "unknown-tool-runs-nothing",
        "A call of a tool that nobody has runs nothing, and something comes back for it.",
        _ALLOW,
        _asks("hello", tool="nobody_has_this"),
        _in_its_place,
    ),
    Row(
        "rewrite-reaches-the-body",
        "The body gets exactly the rewritten arguments.",
        _ALLOW + _REWRITE,
        _asks("hello"),
        _ran((SAY, "tamed"), reads="tamed"),
    ),
    Row(
        "rewritten-call-is-judged",
        "Rules judge the arguments as rewritten, not those that the model gave.",
        _ALLOW + _REWRITE + _MATCHES,
        _asks("hello"),
        _refused(_NO),
    ),
    Row(
        "error-in-a-rule-stops",
        "A rule that breaks while it judges stops the call.",
        _ALLOW + _RESOLVES,
        _asks("https://host.example/"),
        _refused(""),
        breaks="resolver",
    ),
    Row(
        "error-in-a-store-stops",
        "A limit whose store is gone stops the call.",
        _ALLOW + _limited(5),
        _asks("hello"),
        _refused(""),
        breaks="store",
    ),
    Row(
        "error-in-the-engine-stops",
        "An engine that breaks before it asks any rule stops the call.",
        _ALLOW,
        _asks("hello"),
        _refused(""),
        breaks="clock",
    ),
    Row(
        "ask-without-an-approver-refuses",
        "Where a rule asks and there is nobody to ask, the call is refused.",
        _ALLOW + _ASK,
        _asks("hello"),
        _refused("a person decides"),
    ),
    Row(
        "approved-call-runs",
        "A call that the approver allows runs, and the approver was shown what the body gets.",
        _ALLOW + _REWRITE + _ASK,
        _asks("hello"),
        _ran((SAY, "tamed"), reads="tamed"),
        approver=_knows_tamed,
    ),
    Row(
        "approver-may-be-async",
        "An approver may be an async function.",
        _ALLOW + _ASK,
        _asks("hello"),
        _ran((SAY, "hello"), reads="hello"),
        approver=_yes_later,
    ),
    Row(
        "rejected-call-never-enters",
        "A call that the approver rejects is refused.",
        _ALLOW + _ASK,
        _asks("hello"),
        _refused(""),
        approver=_no,
    ),
    Row(
        "error-in-the-approver-refuses",
        "An approver that breaks is one that refuses.",
        _ALLOW + _ASK,
        _asks("hello"),
        _refused(""),
        approver=_breaks,
    ),
    Row(
        "text-is-shaped",
        "Output rules shape the text that comes back.",
        _ALLOW + _REDACT,
        _asks(f"key {SECRET}"),
        _redacted((SAY, f"key {SECRET}")),
    ),
    Row(
        "every-channel-is-shaped",
        "Output rules shape every channel that the harness has, text and structured.",
        _ALLOW + _REDACT,
        _asks(f"key {SECRET}", tool=REPORT),
        _redacted((REPORT, f"key {SECRET}")),
    ),
    Row(
        "failure-is-shaped",
        "Output rules shape what the model reads of a tool that failed.",
        _ALLOW + _REDACT,
        _asks(f"{FAILS}key {SECRET}"),
        _redacted((SAY, f"{FAILS}key {SECRET}")),
    ),
    Row(
        "limit-holds-in-parallel",
        f"Of {PARALLEL} calls that come together under a limit of {LIMIT}, exactly {LIMIT} are entered.",
        _ALLOW + _limited(LIMIT),
        _asks(*(f"call {number}" for number in range(PARALLEL))),
        _exactly,
    ),
    Row(
        "vetoed-call-gives-back",
        "A call that is refused takes nothing from a limit.",
        _ALLOW + _limited(1) + _ASK,
        [*_asks("bad"), *_asks("good")],
        _ran((SAY, "good"), reads="good"),
        approver=_only_harmless,
    ),
    Row(
        "late-result-is-withheld",
        "A call that takes longer than a rule lets it ends in an error, and its result is not read.",
        _ALLOW + _TIMEOUT,
        _asks(f"{SLOW}x"),
        _late,
    ),
    Row(
        "agent-is-told",
        "Rules are told which agent calls.",
        _DENY + _GRANT + 'when = { agent = "helper" }\n',
        _asks("hello"),
        _ran((SAY, "hello"), reads="hello"),
    ),
    Row(
        "session-is-told",
        "Rules are told in which session it happens.",
        _DENY + _GRANT + 'when = { session = "s1" }\n',
        _asks("hello"),
        _ran((SAY, "hello"), reads="hello"),
    ),
)
