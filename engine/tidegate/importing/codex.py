"""The rules of Codex: calls in the manner of Starlark, read as a tree of syntax and never executed.

Source: Codex's documentation of `prefix_rule`, `host_executable` and `network_rule`, as of November 2026.
"""

from __future__ import annotations

import ast
import itertools
import shlex
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self

from ..decision import Verdict
from ..errors import Finding
from ..lang.document import Span
from .carried import Said, Shown, Source, left_out, unreadable
from .commandtext import granted, plain_words, refused
from .written import without_pattern

TOOL = "Bash"
"""The name that Codex's hooks have for its shell."""

SHELLS = ("Bash", "shell", "shell_command", "exec_command", "local_shell")
MOST_ALTERNATIVES = 64
_DECISIONS: Mapping[str, Verdict] = {"allow": "allow", "prompt": "ask", "forbidden": "deny", "deny": "deny"}
_KEYS: Mapping[str, frozenset[str]] = {
    "prefix_rule": frozenset({"pattern", "decision", "justification", "match", "not_match"}),
    "host_executable": frozenset({"name", "paths"}),
    "network_rule": frozenset({"host", "protocol", "decision", "justification"}),
}
_SCHEMES = ("http", "https")


def read(text: str, file: str) -> Source:
    """What the rules say.

    Raises:
        Unreadable: Something is no plain call of a rule with plain values.
    """
    said: list[Said] = []
    findings: list[Finding] = []
    for statement in _statements(text, file):
        call = _call(statement, file)
        span = Span(file, statement.lineno, statement.col_offset + 1)
        name, values = _named(call, span)
        one, more = {"prefix_rule": _prefix, "network_rule": _network, "host_executable": _host}[name](
            values, span, ast.get_source_segment(text, call) or name
        )
        said += one
        findings += more
    notes = ("What Codex allows by itself, such as commands that only read, is asked about here.",)
    return Source("ask", tuple(said), tuple(findings), notes)


def _statements(text: str, file: str) -> list[ast.stmt]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an escape that Python warns of is no concern of ours
            return ast.parse(text).body
    except SyntaxError as error:
        span = Span(file, error.lineno or 1, error.offset or 1)
        raise unreadable(
            span, "it is not the syntax of rules", "mend the file, as `codex execpolicy check` asks"
        ) from None
    except (ValueError, RecursionError, MemoryError):
        raise unreadable(Span(file, 1, 1), "it cannot be read", "mend the file") from None


def _call(statement: ast.stmt, file: str) -> ast.Call:
    span = Span(file, statement.lineno, statement.col_offset + 1)
    found = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(found, ast.Call) or not isinstance(found.func, ast.Name) or found.func.id not in _KEYS:
        raise unreadable(span, "this is no call of a rule", f"write calls of {', '.join(_KEYS)} and nothing else")
    return found


def _named(call: ast.Call, span: Span) -> tuple[str, dict[str, Any]]:
    """The name of a rule, and its values by key."""
    assert isinstance(call.func, ast.Name)  # noqa: S101 - `_call` has looked
    name = call.func.id
    values: dict[str, Any] = {}
    for keyword in call.keywords:
        place = Span(span.file, keyword.value.lineno, keyword.value.col_offset + 1)
        if keyword.arg not in _KEYS[name] or keyword.arg in values:
            raise unreadable(
                place, f"`{name}` has no such key, or has it twice", f"it takes {', '.join(sorted(_KEYS[name]))}"
            )
        values[keyword.arg] = _value(keyword.value, place)
    if call.args:
        raise unreadable(span, "a value has no name", "write every value as `key=value`")
    return name, values


def _value(node: ast.expr, span: Span) -> Any:
    if isinstance(node, ast.List | ast.Tuple):
        return [_value(item, Span(span.file, item.lineno, item.col_offset + 1)) for item in node.elts]
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return _At(node.value, span)
    raise unreadable(span, "this is no plain text or list of texts", "write the value out")


class _At(str):
    """A text that knows where it stands."""

    span: Span
    __slots__ = ("span",)

    def __new__(cls, text: str, span: Span) -> Self:
        made = super().__new__(cls, text)
        made.span = span
        return made


def _verdict(values: Mapping[str, Any], span: Span) -> Verdict:
    found = _DECISIONS.get(values.get("decision", "allow")) if isinstance(values.get("decision", ""), str) else None
    if found is None:
        raise unreadable(span, "its `decision` is no word of a rule", "write `allow`, `prompt` or `forbidden`")
    return found


def _prefix(values: Mapping[str, Any], span: Span, text: str) -> tuple[list[Said], list[Finding]]:
    effect = _verdict(values, span)
    grant = effect == "allow"
    fields: dict[str, Any] = {"tools": list(SHELLS)} if grant else {}
    if isinstance(values.get("justification"), str):
        fields["why" if grant else "message"] = str(values["justification"])
    patterns = _patterns(values.get("pattern"), span)
    items = [granted(words, rest=True) if grant else refused(words) for words in patterns]
    one = Said(
        effect, "command", tuple(item.text or "" for item in items), span, _short(text), SHELLS, fields,
        examples=tuple(_examples(values, span)),
    )  # fmt: skip
    if all(item.text for item in items):
        return [one], []
    kept, findings = without_pattern(one, "a word of it means something else in our patterns")
    return ([] if kept is None else [kept]), findings


def _patterns(pattern: Any, span: Span) -> Sequence[list[str] | None]:
    """The words of each command that a pattern stands for; `None` where they are none for us."""
    if not isinstance(pattern, list) or not pattern:
        raise unreadable(span, "its `pattern` is no list of words", 'write such as `pattern=["git", "push"]`')
    choices = [item if isinstance(item, list) else [item] for item in pattern]
    if not all(choice and all(isinstance(word, str) for word in choice) for choice in choices):
        raise unreadable(span, "its `pattern` holds what is no word", "write words, or lists of words")
    found = list(itertools.islice(itertools.product(*choices), MOST_ALTERNATIVES + 1))
    if len(found) > MOST_ALTERNATIVES:
        return [None]
    return [_plain(words) for words in found]


def _plain(words: Sequence[str]) -> list[str] | None:
    found = plain_words(" ".join(words))
    return found if found == list(words) else None


def _examples(values: Mapping[str, Any], span: Span) -> Iterator[Shown]:
    for key, matches in (("match", True), ("not_match", False)):
        for item in values.get(key) or ():
            if isinstance(item, _At):
                yield Shown(str(item), matches, item.span)
            elif isinstance(item, list) and item and all(isinstance(word, _At) for word in item):
                yield Shown(shlex.join(item), matches, item[0].span)
            else:
                raise unreadable(span, f"`{key}` holds what is no command", "write texts, or lists of words")


def _network(values: Mapping[str, Any], span: Span, text: str) -> tuple[list[Said], list[Finding]]:
    effect, host = _verdict(values, span), values.get("host")
    protocol = values.get("protocol")
    if not isinstance(host, str) or not host or plain_words(host) != [host]:
        raise unreadable(span, "its `host` is no name of a host", 'write such as `host="api.example.com"`')
    fields: dict[str, Any] = {"tools": list(SHELLS)} if effect == "allow" else {}
    if isinstance(values.get("justification"), str) and effect != "allow":
        fields["message"] = str(values["justification"])
    if effect != "allow":
        note = "stricter: it holds for every scheme, by whatever tool"
        return [Said(effect, "url", (host,), span, _short(text), ("*",), fields, note)], []
    if protocol not in _SCHEMES:
        why = "only http and https are granted by our rules"
        return [], [left_out(span, _short(text), why, "write a rule of the kind `url` by hand")]
    return [Said(effect, "url", (f"{protocol}://{host}",), span, _short(text), ("*",), fields)], []


def _host(_: Mapping[str, Any], span: Span, text: str) -> tuple[list[Said], list[Finding]]:
    why = "a grant here is for the program that the trusted `PATH` finds, whatever other paths lead to it"
    mend = "nothing, unless the program should run from elsewhere: grant that path in a rule of its own"
    return [], [left_out(span, _short(text), why, mend, severity="warning")]


def _short(text: str) -> str:
    return " ".join(text.split())
