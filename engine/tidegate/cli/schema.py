"""`tidegate schema`: the JSON Schema of rule files, and of test files."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from ..compile.schema import class_file_schema, rule_file_schema
from ..kind import Kind
from ..kinds import builtin, builtin_names, third_party
from .loading import FILE


@click.command("schema", short_help="Print the JSON Schema of rule files, for editors.")
@click.option("--out", type=FILE, help="Write it to this file instead.")
@click.option("--kind", "others", metavar="NAME", multiple=True, help="Add a kind of an installed package.")
@click.option("--tests", is_flag=True, help="That of test files instead.")
@click.option("--json", "_json", is_flag=True, help="It always is JSON; accepted as everywhere.")
def command(out: Path | None, others: tuple[str, ...], tests: bool, _json: bool) -> int:
    """Print the JSON Schema (2020-12) of rule files, made from the kinds that are installed here.

    Write `#:schema ./rules.schema.json` as the first line of a rule file, and editors that know TOML schemas complete
    keys and mark what is wrong.
    """
    try:
        kinds = third_party(others)
    except KeyError as missing:
        raise click.UsageError(f"no installed package offers a kind `{missing.args[0]}`") from None
    known = [builtin(name) for name in builtin_names()] + list(kinds.values())
    text = dumped_tests() if tests else dumped(known)
    if out is None:
        sys.stdout.write(text)
    else:
        out.write_text(text, encoding="utf-8", newline="\n")
    return 0


def dumped(kinds: list[Kind]) -> str:
    """The schema as the text of a file."""
    return json.dumps(rule_file_schema(kinds), indent=1, ensure_ascii=True) + "\n"


def dumped_tests() -> str:
    """The schema of test files as the text of a file."""
    from ..assurance.fields import RuleTestFileFields

    return json.dumps(class_file_schema(RuleTestFileFields, "tidegate tests"), indent=1, ensure_ascii=True) + "\n"
