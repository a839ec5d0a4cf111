"""Write what is made from the code and the packs.

These are `docs/kinds/*.md`, `docs/packs.md`, `docs/findings.md`, `docs/conformance.md`, `tests/every_pack.toml` and the
JSON Schemas of rule and test files.

Usage: generate.py [--check]

With `--check` nothing is written; the exit code is 1 where a file is stale.
"""

from __future__ import annotations

import itertools
import json
import re
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any, get_type_hints

import attrs
import tomli

from tidegate.assurance import codes as assurance_codes
from tidegate.assurance.conformance import ROWS
from tidegate.assurance.lint import codes as lint_codes
from tidegate.cli.schema import dumped, dumped_tests
from tidegate.compile import codes
from tidegate.compile.bindings import BindingFields
from tidegate.compile.fields import ConditionFields, ExampleFields, common_fields
from tidegate.compile.problems import key_of
from tidegate.compile.schema import OWN_DOCS, TOP_DOCS, type_in_words
from tidegate.kind import Kind, Phase
from tidegate.kinds import builtin, builtin_names
from tidegate.lang import CODES
from tidegate.lang.keys import TOP_KEYS

ROOT = Path(__file__).resolve().parent.parent
MARK = "<!-- Made from {source} by scripts/generate.py; do not edit. -->"
SCHEMA = ROOT / "engine/tidegate/rules.schema.json"
TESTS_SCHEMA = ROOT / "engine/tidegate/tests.schema.json"
PAGES = ROOT / "docs/kinds"
FINDINGS = ROOT / "docs/findings.md"
POLICIES = ROOT / "policies"
PACKS = ROOT / "docs/packs.md"
CONFORMANCE = ROOT / "docs/conformance.md"
RESULTS = ROOT / "tests/conformance/results.json"
EVERY_PACK = ROOT / "tests/every_pack.toml"
_SENTENCE = re.compile(r"(?<=[a-z0-9`)\]\"][.?!]) (?=[A-Z`])")


def main(arguments: list[str]) -> int:
    """Write the files, or say which are stale."""
    if arguments not in ([], ["--check"]):
        sys.stderr.write(f"{__doc__}\n")
        return 2
    wanted = dict(generated())
    stale = [path for path, text in wanted.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    extra = [path for path in PAGES.glob("*.md") if path not in wanted]
    if arguments:
        for path in [*stale, *extra]:
            sys.stderr.write(f"{path.relative_to(ROOT)} is stale; run scripts/generate.py\n")
        return 1 if stale or extra else 0
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(wanted[path], encoding="utf-8", newline="\n")
        sys.stdout.write(f"wrote {path.relative_to(ROOT)}\n")
    for path in extra:
        path.unlink()
        sys.stdout.write(f"removed {path.relative_to(ROOT)}\n")
    return 0


def generated() -> Iterator[tuple[Path, str]]:
    """Every generated file with its text."""
    kinds = [builtin(name) for name in builtin_names()]
    yield SCHEMA, dumped(kinds)
    yield TESTS_SCHEMA, dumped_tests()
    yield FINDINGS, findings()
    yield CONFORMANCE, conformance(json.loads(RESULTS.read_text(encoding="utf-8")))
    yield PACKS, packs(sorted(POLICIES.glob("*.toml")))
    yield EVERY_PACK, every_pack(sorted(POLICIES.glob("*.toml")))
    yield PAGES / "README.md", index(kinds)
    yield PAGES / "known-tools.md", known_tools(files("tidegate.plan").joinpath("known_tools.toml").read_text("utf-8"))
    for kind in kinds:
        yield PAGES / f"{kind.name}.md", page(kind)


def findings() -> str:
    """The page of all codes that findings about rule files have."""
    meanings = {**lint_codes.CODES, **CODES, **codes.CODES, **assurance_codes.CODES}
    lines = [
        MARK.format(source="the tables of codes"),
        "# Findings",
        "",
        "`tidegate check` prints every finding as `FILE:LINE:COLUMN: SEVERITY[CODE]: what`, and below it why and how.",
        "No plan is made from a rule set that has an error, and `--strict` takes warnings for errors.",
        "",
        "| code | means |",
        "|---|---|",
    ]
    return "\n".join([*lines, *(f"| `{code}` | {meanings[code]} |" for code in sorted(meanings))]) + "\n"


def conformance(results: dict[str, dict[str, Any]]) -> str:
    """The page of what each adapter was seen to hold."""
    lines = [
        MARK.format(source="tests/conformance/results.json"),
        "# Conformance",
        "",
        "What the conformance suite saw of each adapter, with the real package and a stub model.",
        "Hooks, the MCP proxy and the service are real processes; the agent CLIs before them are stand-ins.",
        "**yes**: it holds in every way that the harness has; **no**: it does not, in the ways that stand below.",
        "Each of these is listed with its reason, and the suite fails where one of them holds after all.",
        "",
        "| row | " + " | ".join(results) + " |",
        "|---|" + "---|" * len(results),
    ]
    for row in ROWS:
        cells = ("yes" if set(one["rows"][row.name].values()) == {"holds"} else "**no**" for one in results.values())
        lines.append(f"| [`{row.name}`](#rows) | {' | '.join(cells)} |")
    lines += ["", "## Adapters"]
    for name, one in results.items():
        version = f" {one['version']}" if one["version"] else ""
        lines += ["", f"### {name}{version}", "", f"Ways: {', '.join(one['ways'])}.", ""]
        lines += [line for row in ROWS for line in _missing(row.name, one["rows"][row.name])] or ["Every row holds."]
    lines += ["", "## Rows", "", "| row | what must be so |", "|---|---|"]
    lines += [f"| `{row.name}` | {row.sentence} |" for row in ROWS]
    return "\n".join(lines) + "\n"


def _missing(row: str, ways: dict[str, str]) -> Iterator[str]:
    """A line for each reason why a row does not hold."""
    reasons: dict[str, list[str]] = {}
    for way, said in ways.items():
        if said != "holds":
            reasons.setdefault(said.partition(": ")[2], []).append(way)
    for reason, found in reasons.items():
        yield f"- `{row}` ({', '.join(found)}): {reason}."


def packs(paths: list[Path]) -> str:
    """The page of the packs: what each is for, and its rules."""
    read = [(path.stem, path.read_text(encoding="utf-8")) for path in paths]
    rules = {name: tomli.loads(text)["rule"] for name, text in read}
    lines = [
        MARK.format(source="policies/*.toml"),
        "# Packs",
        "",
        'A pack is a file of rules to switch on as it is: `include = ["pack:baseline", "pack:git"]`.',
        "None grants anything, so a pack fits under any `default`, beside any other, and in any order.",
        "A rule that does not fit is changed by an `[[override]]` with its address (`git/forge`).",
        "",
        "| pack | what it is for | rules |",
        "|---|---|---|",
        *(f"| [`{name}`](#{name}) | {purpose(text)} | {len(rules[name])} |" for name, text in read),
    ]
    for name, own in rules.items():
        lines += ["", f"## {name}", "", "| rule | says | severity | why | risks |", "|---|---|---|---|---|"]
        lines += [pack_row(rule) for rule in own]
    return "\n".join(lines) + "\n"


def purpose(text: str) -> str:
    """What the file says of itself: the first sentence of the comment at its top."""
    comment = itertools.takewhile(lambda line: line.startswith("# "), text.split("\n")[1:])
    return _SENTENCE.split(" ".join(line[2:] for line in comment))[0].rstrip(".")


def pack_row(rule: dict[str, Any]) -> str:
    """One rule of a pack as a row; what it says is the strictest answer among its examples."""
    expected = [one.get("expect", "") for one in rule.get("example", ())]
    words = {word for one in expected for word in (one if isinstance(one, list) else [one])}
    said = next((word for word in ("deny", "ask") if word in words), "changes")
    cells = (f"`{rule['id']}`", said, rule.get("severity", ""), rule.get("why", ""), ", ".join(rule.get("maps", ())))
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def every_pack(paths: list[Path]) -> str:
    """A rule file that includes every pack, to be checked as one."""
    lines = [
        "# Made from policies/*.toml by scripts/generate.py; do not edit.",
        "",
        "version = 1",
        'default = "ask"',
        "include = [",
        *(f'  "pack:{path.stem}",' for path in paths),
        "]",
    ]
    return "\n".join(lines) + "\n"


def known_tools(text: str) -> str:
    """The page of the tools whose arguments are bound without anybody saying so, by harness.

    A comment between two blank lines of the table is the name of the harness whose tools follow.
    """
    lines = [
        MARK.format(source="engine/tidegate/plan/known_tools.toml"),
        "# Known tools",
        "",
        "What the arguments of these tools mean is known without a word in a rule file.",
        "A rule file may say otherwise under `[tools.NAME]`, and says it there for every other tool.",
        "An argument that stands neither here nor there is taken by denies for a path and a URL.",
        "No grant covers it but one for the whole tool (kind `tools`).",
        "",
        'One thing has another name in each harness: a rule with `tools = ["read_file"]` says nothing of `Read`.',
        "Leave `tools` out to be about every tool.",
    ]
    tools = tomli.loads(text)["tools"]
    for harness, names in harnesses(text):
        lines += ["", f"## {harness}", "", "| tool | argument | role |", "|---|---|---|"]
        for name in names:
            lines += [f"| `{name}` | `{argument}` | {role(table)} |" for argument, table in tools[name].items()]
    return "\n".join(lines) + "\n"


def harnesses(text: str) -> Iterator[tuple[str, list[str]]]:
    """The names of the harnesses in the table of known tools, each with its tools."""
    parts = re.split(r"(?<=\n)\n# (.+)\n(?=\n)", text)
    for heading, part in zip(parts[1::2], parts[2::2], strict=True):
        yield heading, list(tomli.loads(part)["tools"])


def role(table: dict[str, Any]) -> str:
    """The role of a known argument, with what else is said of it."""
    access = table.get("access", ())
    more = [access] if isinstance(access, str) else list(access)
    more += ["everything beneath"] * bool(table.get("recursive"))
    more += [f"`{table[key]}`" for key in ("shell", "dialect") if key in table]
    more += [f"`{table['default']}` where it is left out"] if "default" in table else []
    return f"`{table['role']}`" + (f": {', '.join(more)}" if more else "")


def index(kinds: list[Kind]) -> str:
    """The page that lists all kinds, and the fields that every rule has."""
    lines = [
        MARK.format(source="the kinds"),
        "# Kinds",
        "",
        "A rule names its kind, and the kind says which fields the rule has.",
        "A kind answers in one phase.",
        "In `rewrite` a call is changed before it is judged; `guard` says what may be done, and `limit` how often.",
        "`run` says how long a call may take, and `output` shapes what comes back.",
        "",
        "| kind | phase | what it does |",
        "|---|---|---|",
    ]
    lines += [f"| [`{kind.name}`]({kind.name}.md) | {kind.phase.value} | {kind.summary} |" for kind in kinds]
    lines += ["", "Which tools a rule knows by name, and what their arguments mean: [known tools](known-tools.md)."]
    everywhere = {field.name for field in attrs.fields(common_fields(Phase.LIMIT))}
    guard = common_fields(Phase.GUARD)
    lines += ["", "## The top of a rule file", "", "| key | as in | what it says |", "|---|---|---|"]
    lines += [f"| `{key}` | `{TOP_KEYS[key].example}` | {doc} |" for key, doc in TOP_DOCS.items()]
    lines += ["", "## Fields of every rule", "", "| field | what it says |", "|---|---|"]
    lines += [f"| `{key}` | {doc} |" for key, doc in OWN_DOCS.items()]
    lines.append("")
    lines += table(guard, everywhere)
    lines += ["", "## Fields of every guard rule", ""]
    lines += table(guard, {field.name for field in attrs.fields(guard)} - everywhere)
    for heading, owner in (
        ("A table of `when` or `except`", ConditionFields),
        ("A table of `example`", ExampleFields),
        ("An argument in `[tools.NAME]`", BindingFields),
    ):
        lines += ["", f"## {heading}", "", " ".join((owner.__doc__ or "").split()), ""]
        lines += table(owner, {field.name for field in attrs.fields(owner)})
    return "\n".join(lines) + "\n"


def page(kind: Kind) -> str:
    """The page of one kind: its docs, its fields, its examples."""
    source = f"engine/tidegate/kinds/{kind.name.replace('-', '_')}.py"
    lines = [MARK.format(source=source), f"# `{kind.name}`", "", *prose(kind.fields.__doc__ or "")]
    lines += [f"Phase: {kind.phase.value}.", "Beside these it has the [fields of every rule](README.md).", ""]
    lines += table(kind.fields, {field.name for field in attrs.fields(kind.fields)})
    lines += ["", "## Examples"]
    for example in kind.examples:
        lines += ["", f"### {example.title}", "", "```toml", example.toml.rstrip("\n"), "```"]
    return "\n".join(lines) + "\n"


def prose(docstring: str) -> Iterator[str]:
    """The paragraphs of a docstring with a line for each sentence."""
    for paragraph in docstring.strip().split("\n\n"):
        yield from _SENTENCE.split(" ".join(paragraph.split()))
        yield ""


def table(owner: type, names: set[str]) -> list[str]:
    """The fields of a class as rows."""
    hints = get_type_hints(owner)
    rows = ["| field | type | default | what it says |", "|---|---|---|---|"]
    for field in attrs.fields(owner):
        if field.name in names:
            type_ = type_in_words(hints[field.name]).replace("|", "\\|")
            doc = field.metadata.get("doc", "").replace("|", "\\|")
            rows.append(f"| `{key_of(field.name)}` | {type_} | {default(field)} | {doc}{bounds(field)} |")
    return rows


def default(field: Any) -> str:
    """The default of a field as TOML writes it."""
    if field.default is attrs.NOTHING:
        return "required"
    if field.default in (None, (), ""):
        return ""
    if isinstance(field.default, bool):
        return f"`{str(field.default).lower()}`"
    return f'`"{field.default}"`' if isinstance(field.default, str) else f"`{field.default}`"


def bounds(field: Any) -> str:
    """The bounds of a number, in words."""
    low, high = field.metadata.get("minimum"), field.metadata.get("maximum")
    if low is None and high is None:
        return ""
    return f" At least {low}." if high is None else f" At most {high}." if low is None else f" From {low} to {high}."


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
