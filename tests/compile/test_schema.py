"""The JSON Schema of rule files: what the loader takes validates, and what it refuses does not."""

import datetime as dt
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import tomli
from attrs import frozen
from jsonschema import Draft202012Validator

from tidegate.compile.schema import rule_file_schema, type_in_words
from tidegate.kind import Guard, Kind, Phase, param
from tidegate.kinds import builtin, builtin_names

ROOT = Path(__file__).resolve().parents[2]
KINDS = [builtin(name) for name in builtin_names()]
SCHEMA = rule_file_schema(KINDS)
FINDINGS = ROOT / "tests/findings"
SAYS = ("error[unknown-key]", "error[wrong-type]", "error[empty-list]", "error[unknown-kind]")


def plain(value):
    """Values as an editor sees them: a date is a string."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value.isoformat() if isinstance(value, dt.date) else value


def errors(text):
    return [error.message for error in Draft202012Validator(SCHEMA).iter_errors(plain(tomli.loads(text)))]


EXAMPLES = [
    pytest.param(example.toml, id=f"{kind.name}: {example.title}") for kind in KINDS for example in kind.examples
]
RULE = '[[rule]]\nid = "a"\nkind = "path"\nallow = ["/x"]\n'


def test_the_schema_is_a_schema():
    """It is valid under the 2020-12 metaschema, and says that it is generated."""
    Draft202012Validator.check_schema(SCHEMA)

    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert "Generated" in SCHEMA["$comment"]


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_of_every_kind_validates(example):
    """What a kind shows as an example is right."""
    assert errors("version = 1\n" + example) == []


@pytest.mark.parametrize("path", sorted(ROOT.glob("policies/*.toml")), ids=lambda path: path.stem)
def test_every_pack_validates(path):
    """The packs that are shipped are right."""
    assert errors(path.read_text(encoding="utf-8")) == []


SEEN_BY_THE_LOADER_ALONE = {
    "rule-expires-string": "to JSON Schema a date is a string",
    "rule-number-as-float": "to JSON Schema 1.0 is an integer",
    "version-float": "to JSON Schema 1.0 is an integer",
}


def broken():
    for golden in sorted(FINDINGS.glob("*.txt")):
        case = golden.with_suffix(".toml")
        if case.stem in SEEN_BY_THE_LOADER_ALONE or not case.is_file():
            continue
        if not any(word in golden.read_text(encoding="utf-8") for word in SAYS):
            continue
        try:
            tomli.loads(case.read_text(encoding="utf-8"))
        except (tomli.TOMLDecodeError, UnicodeDecodeError):
            continue
        yield pytest.param(case, id=case.stem)


@pytest.mark.parametrize("case", list(broken()))
def test_what_the_loader_refuses_for_its_shape_does_not_validate(case):
    """An unknown key, a wrong type and an empty array are marked in the editor already."""
    assert errors(case.read_text(encoding="utf-8")) != []


@pytest.mark.parametrize(
    "text",
    [
        RULE + "alow = []\n",
        RULE + "tools = []\n",
        RULE + 'tools = "a"\n',
        RULE + 'severity = "hihg"\n',
        RULE + "when = { tol = 'a' }\n",
        RULE + "except = [{ path = 3 }]\n",
        RULE + "limit = '3/day'\n",
        RULE + "expires = 'tomorrow'\n".replace("'tomorrow'", "3"),
        RULE.replace('"a"', '"A b"'),
        RULE.replace('"path"', '"paht"'),
        '[[rule]]\nid = "a"\n',
        '[[rule]]\nid = "a"\nkind = "rate-limit"\n',
        '[[rule]]\nid = "a"\nkind = "truncate"\nmax_bytes = 0\n',
        '[[rule]]\nid = "a"\nkind = "truncate"\nmax_bytes = 60\nexcept = [{ path = "a" }]\n',
        '[tools.x]\npath = { rol = "path" }\n',
        '[tools.x]\npath = { role = "pth" }\n',
        '[[override]]\nrule = "a/b"\nallw = ["x"]\n',
        '[[override]]\nallow = ["x"]\n',
        'default = "Ask"\n',
        "version = 2\n",
    ],
)
def test_it_is_strict(text):
    """Keys of another kind or phase, missing keys and words that nobody knows do not validate."""
    text = text if text.startswith("version") else "version = 1\n" + text

    assert errors(text) != []


@pytest.mark.parametrize(
    ("text", "path", "message"),
    [
        (RULE + "alow = ['x']\n", ["rule", 0], "('alow' was unexpected)"),
        (RULE + "tools = 'a'\n", ["rule", 0, "tools"], "'a' is not of type 'array'"),
        ('[[rule]]\nid = "a"\nkind = "rate-limit"\n', ["rule", 0], "'limit' is a required property"),
        (RULE.replace('"path"', '"paht"'), ["rule", 0, "kind"], "'paht' is not one of"),
        ('[[rule]]\nid = "a"\n', ["rule", 0], "'kind' is a required property"),
    ],
)
def test_a_slip_is_the_only_thing_that_is_marked(text, path, message):
    """An editor shows what is wrong at its place, and not that a rule is of none of all kinds."""
    value = plain(tomli.loads("version = 1\n" + text))
    found = list(Draft202012Validator(SCHEMA).iter_errors(value))

    assert [list(error.absolute_path) for error in found] == [path]
    assert message in found[0].message


@pytest.mark.parametrize(
    "text",
    [
        RULE + 'expires = 2027-01-31\nexcept = [{ path = ["a", "b"], expires = 2027-01-31T12:00:00Z }]\n',
        RULE + 'when = { args = { "/a" = { min = 3 } }, agent = "x" }\noverridable = true\nmaps = ["ASI02"]\n',
        '[tools.x]\npath = { role = "path", access = ["read", "write"], default = "." }\n"/a/*" = { role = "text" }\n',
        '[[override]]\nrule = "baseline/secrets"\nexcept = [{ path = "{root}/tests/**" }]\nmode = "monitor"\n',
        '"$schema" = "x.json"\n',
    ],
)
def test_what_is_right_validates(text):
    """Every form that the loader takes is right in the editor too."""
    assert errors("version = 1\n" + text) == []


def test_every_key_has_a_description():
    """Whoever completes a key reads what it means."""
    without = [
        f"{name}.{key}"
        for name, schema in SCHEMA["$defs"].items()
        if name not in ("rule", "override")
        for key, inner in schema.get("properties", {}).items()
        if not inner.get("description")
    ]

    assert without == []
    assert all(schema.get("description") for schema in SCHEMA["properties"].values())


@frozen
class Colour:
    """Refuse a colour."""

    colour: str = param("The colour.")


def test_a_third_partys_kind_is_a_branch_like_any_other():
    """A kind of an installed package is as strict as a built-in one."""
    kind = Kind("colour", Phase.GUARD, Colour, lambda *_: Guard())
    validator = Draft202012Validator(rule_file_schema([*KINDS, kind]))
    rule = {"id": "a", "kind": "colour", "colour": "red"}

    assert validator.is_valid({"version": 1, "rule": [rule]})
    assert not validator.is_valid({"version": 1, "rule": [{**rule, "color": "red"}]})
    assert not validator.is_valid({"version": 1, "rule": [{"id": "a", "kind": "colour"}]})


@pytest.mark.parametrize(
    ("hint", "words"),
    [
        (tuple[str, ...] | None, "array of strings"),
        (str | tuple[str, ...] | None, "string, or array of strings"),
        (dict[str, int], "table"),
        (Colour, "table"),
        (float | None, "number"),
    ],
)
def test_types_in_the_words_of_toml(hint, words):
    """Docs speak of arrays and tables, never of tuples and dicts."""
    assert type_in_words(hint) == words


def test_generated_files_are_fresh():
    """The shipped schema and the pages of the kinds are what the kinds say now."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts/generate.py"), "--check"], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")


def test_stale_files_are_named(tmp_path):
    """`--check` says which file is stale, and changes nothing."""
    for name in ("scripts", "docs/kinds", "engine/tidegate", "tests/conformance"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("scripts/generate.py", "tests/conformance/results.json"):
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "docs/kinds/gone.md").write_text("old")
    done = subprocess.run(
        [sys.executable, str(tmp_path / "scripts/generate.py"), "--check"], capture_output=True, text=True, check=False
    )

    assert done.returncode == 1
    assert "docs/kinds/gone.md is stale" in done.stderr
    assert "engine/tidegate/rules.schema.json is stale" in done.stderr
    assert not (tmp_path / "engine/tidegate/rules.schema.json").exists()


@pytest.mark.skipif(shutil.which("tombi") is None, reason="the editor's linter `tombi` is not installed")
def test_an_editor_marks_the_place(tmp_path):
    """An editor that reads `#:schema` marks an unknown key where it stands, and nothing in rules that are right."""
    (tmp_path / "rules.schema.json").write_text(json.dumps(SCHEMA))
    right, wrong = tmp_path / "right.toml", tmp_path / "wrong.toml"
    head = "#:schema ./rules.schema.json\nversion = 1\n\n"
    right.write_text(head + RULE + "expires = 2027-01-31\n")
    wrong.write_text(head + RULE + 'alow = ["x"]\n')
    fine, found = (
        subprocess.run(["tombi", "lint", "--offline", str(path)], capture_output=True, text=True, check=False)
        for path in (right, wrong)
    )

    assert fine.returncode == 0
    assert '"alow" is not allowed' in found.stderr + found.stdout
