"""A rule file made of what a source says: compiled, its examples run, and whatever does not stand made stricter."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from attrs import evolve, frozen

from ..compile.compiler import compile_plan
from ..compile.examples import check_examples
from ..errors import Finding
from ..lang.inline import inline
from ..lang.layers import loads
from ..shown import escape
from .carried import CODE, Said, Shown, Source, left_out, made_stricter

_UNFIT = re.compile(r"[^a-z0-9]+")
_LONGEST_ID = 48
_TRIES = 8


@frozen
class Written:
    """The rule file, and what could not be carried over into it."""

    text: str
    findings: tuple[Finding, ...]


def written(source: Source, head: Sequence[str], tool: str) -> Written:
    """The rule file of a source; *head* is the comment above it, *tool* what runs the commands of examples.

    A rule that does not compile becomes one about the whole tool, or none where it grants; an example that does not
    hold is left out. Each is a finding.
    """
    said, findings = list(source.said), list(source.findings)
    for _ in range(_TRIES):
        text = _rendered(source, said, head, tool)
        wrong = _wrong(text)
        if not wrong:
            break
        said, more = _mended(said, wrong, text)
        findings += more
    else:
        # What still does not stand refuses nothing and grants nothing here: only the default is left.
        findings += [left_out(one.span, one.text, "no rule can be made of it", "write it by hand") for one in said]
        text = _rendered(evolve(source, default="deny"), [], head, tool)
    return Written(text, tuple(sorted(findings, key=lambda found: (found.line, found.column))))


def _rendered(source: Source, said: Iterable[Said], head: Sequence[str], tool: str) -> str:
    lines = [*(f"# {escape(line)}".rstrip() for line in (*head, *source.notes)), ""]
    lines += ["version = 1", f"default = {inline(source.default)}"]
    names: set[str] = set()
    for one in said:
        lines += ["", *_rule(one, _name(one, names), tool)]
    return "\n".join(lines) + "\n"


def _name(one: Said, taken: set[str]) -> str:
    stem = f"{one.effect}-{_UNFIT.sub('-', one.text.lower()).strip('-')}"[:_LONGEST_ID].strip("-")
    name, number = stem, 2
    while name in taken:
        name, number = f"{stem}-{number}", number + 1
    taken.add(name)
    return name


def _rule(one: Said, name: str, tool: str) -> Iterator[str]:
    yield f"# line {one.span.line}: {escape(one.text, 200)}"
    if one.note:
        yield f"# {escape(one.note)}"
    yield "[[rule]]"
    yield f"id = {inline(name)}"
    yield f"kind = {inline(one.kind)}"
    yield f"{_list_of(one)} = {inline(list(one.items))}"
    if one.effect == "ask":
        yield 'effect = "ask"'
    for key, value in one.fields.items():
        if key != "list":
            yield f"{key} = {inline(value)}"
    for example in one.examples:
        yield ""
        yield "[[rule.example]]"
        yield f"call = {inline({'tool': tool, 'args': {'command': example.command}})}"
        yield f"expect = {inline(one.effect if example.matches else 'pass')}"


def _list_of(one: Said) -> str:
    return str(one.fields.get("list", "allow" if one.effect == "allow" else "deny"))


def _wrong(text: str) -> list[Finding]:
    """The errors of a rule file, also of its examples."""
    outcome = compile_plan(loads(text), now=0.0)
    return [found for found in (*outcome.findings, *check_examples(outcome)) if found.severity == "error"]


def _mended(said: list[Said], wrong: Iterable[Finding], text: str) -> tuple[list[Said], list[Finding]]:
    """The rules without what is wrong in them, and what is said of each."""
    starts = [index for index, line in enumerate(text.split("\n"), 1) if line == "[[rule]]"]
    examples = [index for index, line in enumerate(text.split("\n"), 1) if line == "[[rule.example]]"]
    bad: dict[int, dict[int, Finding]] = {}
    for finding in wrong:
        rule = bisect_right(starts, finding.line) - 1
        first = bisect_right(examples, starts[rule])
        example = bisect_right(examples, finding.line) - 1 - first
        bad.setdefault(rule, {}).setdefault(example, finding)
    kept: list[Said] = []
    findings: list[Finding] = []
    for index, one in enumerate(said):
        mended, more = _one_mended(one, bad.get(index, {}))
        kept += [] if mended is None else [mended]
        findings += more
    return kept, findings


def _one_mended(one: Said, bad: dict[int, Finding]) -> tuple[Said | None, list[Finding]]:
    if not bad:
        return one, []
    if -1 in bad:
        return without_pattern(one, f"our rule would not stand: {bad[-1].what}")
    wrong = [example for index, example in enumerate(one.examples) if index in bad]
    wider = next((example for example in wrong if example.matches != (one.effect == "allow")), None)
    if wider is not None:
        kept, findings = without_pattern(one, f"`{escape(wider.command, 80)}` is not answered as its source says")
        return kept, [evolve(finding, line=wider.span.line, column=wider.span.column) for finding in findings]
    examples = tuple(example for index, example in enumerate(one.examples) if index not in bad)
    return evolve(one, examples=examples), [_stricter_in(one, example) for example in wrong]


def _stricter_in(one: Said, example: Shown) -> Finding:
    said = "is refused here as well" if not example.matches else "is not granted here"
    why = "a deny is about everything that does the same, and a grant covers no more than what its pattern names"
    shown = escape(example.command, 80)
    mend = f"look at the rule for `{escape(one.text, 60)}`"
    return Finding(*example.span, CODE, f"the example `{shown}` {said}", why, mend, "warning")


def without_pattern(one: Said, why: str) -> tuple[Said | None, list[Finding]]:
    """What is left of a line that no rule of ours can say: nothing of a grant, and else its tools as a whole."""
    mend = "write it by hand, as `tidegate new rule` and the pages of the kinds show"
    if one.effect == "allow":
        return None, [left_out(one.span, one.text, f"{why}; what it allowed is asked about or refused", mend)]
    whole = evolve(one, kind="tools", items=one.whole, fields={}, note="stricter: the tool as a whole", examples=())
    return whole, [made_stricter(one.span, one.text, f"{why}; its tool is refused as a whole", mend, severity="error")]
