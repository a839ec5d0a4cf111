"""The tools that there are, and what rules say about tools that there are not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any, NamedTuple

import tomli

from ..errors import CallError, Finding, Severity
from ..lang import Entry, RawRule, RuleSet
from ..lang.inline import inline
from ..lang.nearest import nearest
from ..lang.scan import KeyPath
from ..lang.words import ROLES, quoted, toml_key
from ..meaning.names import is_glob, name_test, overlap, widened_name_test
from ..served import public_name
from ..shown import quote
from .guessing import guessed, may_hold_text


class Described(NamedTuple):
    """A tool of a catalogue: its name, and the JSON Schema of its arguments."""

    name: str
    parameters: Mapping[str, Any]

    @property
    def properties(self) -> Mapping[str, Any]:
        """The schemas of its arguments by name."""
        found = self.parameters.get("properties")
        return found if isinstance(found, dict) else {}


class Mention(NamedTuple):
    """A glob of tool names in a rule file; `widens` where it also sees look-alikes, as the denies of `tools` do."""

    entry: Entry
    path: KeyPath
    glob: str
    widens: bool = False

    @property
    def in_pack(self) -> bool:
        """Whether a pack says it, and not an override of one of its rules."""
        entry = self.entry
        if not isinstance(entry, RawRule) or not entry.source.pack:
            return False
        return entry.span(self.path).file == entry.source.shown


_SCHEMAS = ("parameters", "input_schema", "inputSchema")


def read_catalogue(value: Any) -> tuple[Described, ...]:
    """The tools of a list as OpenAI, Anthropic or MCP (`tools/list`) write it.

    Raises:
        CallError: It is no such list; says which entry is wrong.
    """
    for key in ("result", "tools"):
        if isinstance(value, dict) and key in value:
            value = value[key]
    if not isinstance(value, list) or not value:
        raise CallError("it holds no list of tools; give what goes to the model, or the answer to `tools/list`")
    return tuple(_described(entry, number) for number, entry in enumerate(value, 1))


def _described(entry: Any, number: int) -> Described:
    if isinstance(entry, dict) and isinstance(entry.get("function"), dict):
        entry = entry["function"]
    name = entry.get("name") if isinstance(entry, dict) else None
    if not isinstance(name, str) or not name:
        raise CallError(f"tool {number} has no `name`")
    schema: Any = next((entry[key] for key in _SCHEMAS if key in entry), {})
    if not isinstance(schema, dict):
        raise CallError(f"the schema of tool {number}, {quote(name)}, is no object")
    return Described(name, schema)


def check_tools(rule_sets: Sequence[RuleSet], catalogue: Sequence[Described] | None) -> list[Finding]:
    """Findings about globs that match no tool, and about tools whose arguments nobody explains.

    With a *catalogue* there are no tools but its own, and a glob that matches none is an error, except in a pack, which
    speaks of the tools of many harnesses. Without one, the tools that are known, bound or used in an example are looked
    at, and it is a warning.
    """
    known = known_names(rule_sets) if catalogue is None else [tool.name for tool in catalogue]
    # Whoever binds `mcp__x__*` knows such tools, and a rule may be about some of them.
    bound = [] if catalogue is not None else [name for name in known if is_glob(name)]
    severity: Severity = "warning" if catalogue is None else "error"
    found = [
        _matches_nothing(mention, known, severity)
        for rule_set in rule_sets
        for mention in _mentions(rule_set)
        if (mention.path if catalogue is None else not mention.in_pack)
        if not any(map((widened_name_test if mention.widens else name_test)([mention.glob]), known))
        if not any(overlap(mention.glob, glob) for glob in bound)
    ]
    if catalogue is not None and rule_sets:
        found += _unbound(rule_sets, catalogue)
    return found


def known_names(rule_sets: Iterable[RuleSet]) -> list[str]:
    """The tools that are known without a catalogue."""
    names = dict.fromkeys(_bound_by_us())
    for rule_set in rule_sets:
        names |= dict.fromkeys(binding.tool for binding in rule_set.bindings)
        names |= dict.fromkeys(name for rule in rule_set.rules for name in _in_examples(rule))
    return list(names)


def _bound_by_us() -> Iterable[str]:
    text = files("tidegate.plan").joinpath("known_tools.toml").read_text(encoding="utf-8")
    tools: Mapping[str, Any] = tomli.loads(text)["tools"]
    return tools


def _in_examples(rule: RawRule) -> Iterator[str]:
    examples = rule.fields.get("example")
    for example in examples if isinstance(examples, list) else ():
        if not isinstance(example, dict):
            continue
        calls = example.get("calls")
        for call in [example.get("call"), *(calls if isinstance(calls, list) else ())]:
            tool = call.get("tool") if isinstance(call, dict) else None
            if isinstance(tool, str):
                yield tool
            elif isinstance(tool, dict) and isinstance(tool.get("server"), str) and isinstance(tool.get("name"), str):
                yield public_name(tool["server"], tool["name"])


def _mentions(rule_set: RuleSet) -> Iterator[Mention]:
    """Every glob of tool names: in rules, conditions and bindings; that of a binding has an empty path."""
    for rule in rule_set.rules:
        yield from _texts(rule, ("tools",))
        yield from _texts(rule, ("when", "tool"))
        excepts = rule.fields.get("except")
        for index in range(len(excepts) if isinstance(excepts, list) else 0):
            yield from _texts(rule, ("except", index, "tool"))
        if rule.kind == "tools":
            for key in ("allow", "deny", "only"):
                yield from _texts(rule, (key,), widens=key == "deny")
    for tool, binding in {binding.tool: binding for binding in reversed(rule_set.bindings)}.items():
        yield Mention(Entry(document=binding.document, path=binding.path[:-1], table={}), (), tool)


def _texts(rule: RawRule, path: KeyPath, *, widens: bool = False) -> Iterator[Mention]:
    """The string or strings at *path* of a rule; what has another type is a finding of its own."""
    value: Any = rule.fields
    for step in path:
        is_item = isinstance(value, list) and isinstance(step, int)
        if not is_item and not (isinstance(value, dict) and step in value):
            return
        value = value[step]
    if isinstance(value, str):
        yield Mention(rule, path, value, widens)
    elif isinstance(value, list):
        for index, glob in enumerate(value):
            if isinstance(glob, str):
                yield Mention(rule, (*path, index), glob, widens)


def _matches_nothing(mention: Mention, known: list[str], severity: Severity) -> Finding:
    close = nearest(mention.glob, known)
    where = f" in rule {quote(mention.entry.address)}" if isinstance(mention.entry, RawRule) else ""
    if severity == "error":
        what, why = "no tool of the catalogue", "there are no other tools, so that what is said of it is never used"
        mend = "remove it, or name a tool of the catalogue"
    else:
        what, why = (
            "no tool that is known here",
            "a name with a slip in it would match nothing, and nobody would notice",
        )
        mend = "use the tool in an example, bind it under `[tools]`, or check with `--tools` what the agent has"
    return mention.entry.finding(
        mention.path,
        "unmatched-tool",
        f"{quote(mention.glob)} matches {what}{where}",
        why=why,
        mend=f"write `{close}`" if close else mend,
        of="value" if mention.path else "key",
        severity=severity,
    )


def _unbound(rule_sets: Sequence[RuleSet], catalogue: Sequence[Described]) -> Iterator[Finding]:
    """Tools with arguments of which no binding says what one of them means."""
    why = "denies take every text in them for a path and a URL, and no grant but one for the tool allows it"
    globs = {binding.tool for rule_set in rule_sets for binding in rule_set.bindings}
    bound = name_test(sorted(globs | set(_bound_by_us())))
    for tool in catalogue:
        if any(map(may_hold_text, tool.properties.values())) and not bound(tool.name):
            yield rule_sets[0].top.finding(
                (),
                "unbound-tool",
                f"no binding says what the arguments of the tool {quote(tool.name)} mean",
                why=why,
                mend=f"add `[tools.{toml_key(tool.name)}]` {_bindings(tool)}",
                severity="warning",
            )


def _bindings(tool: Described) -> str:
    """How the bindings of a tool may look; where no name tells a role, none is put into anybody's mouth."""
    found = [f"{toml_key(name)} = {inline(table)}" for name, table in guessed(tool.name, tool.properties).items()]
    if not found:
        return f"with the role of each argument, {quoted(ROLES, 'or')}; `text` is what no rule looks into"
    return f"with a role for each argument that has one, such as {quote(found[0], None)}"
