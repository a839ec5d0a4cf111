"""Each check of `lint`: what it finds, and what it leaves alone."""

import re
from pathlib import Path

import pytest

from tests.assurance.small_rules import facts
from tidegate.assurance.lint import CODES, lint
from tidegate.assurance.witnesses import Bench
from tidegate.compile.catalogue import read_catalogue
from tidegate.compile.compiler import compile_plan
from tidegate.lang.layers import loads

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def looked(tmp_path):
    """What is found in some rules, each finding by its code and what it is about."""

    def look(text, default="deny", tools=None):
        head = "" if "version = 1" in text else f'version = 1\ndefault = "{default}"\n'
        loaded = loads(head + text, "/srv/rules/rules.toml")
        outcome = compile_plan(loaded, now=0)

        assert outcome.plan is not None, outcome.findings
        catalogue = None if tools is None else read_catalogue(tools)
        return lint(Bench(outcome, facts(tmp_path)), loaded.files, catalogue)

    return look


def found(result):
    return [(slip.finding.code, slip.rule, slip.key) for slip in result.slips]


def rule(kind, name="r", **fields):
    lines = [f"{key.rstrip('_')} = {value}" for key, value in fields.items()]
    return "\n".join(["[[rule]]", f'id = "{name}"', f'kind = "{kind}"', *lines, ""])


def test_every_code_has_a_section_and_every_section_a_code():
    """The page about lint explains each code."""
    page = (ROOT / "docs/lint.md").read_text(encoding="utf-8")

    assert re.findall(r"^## (.+)$", page, re.MULTILINE) == sorted(CODES)


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        # never-matches
        (
            rule("path", tools='["read_file"]', when='{ tool = "write_*" }', deny='["/x"]'),
            ("never-matches", ("when", "tool")),
        ),
        (rule("tools", tools='["a*"]', deny='["b*"]'), ("never-matches", ("deny", 0))),
        (rule("path", tools='["read_file"]', access='"write"', allow='["/x"]'), ("never-matches", ("allow",))),
        (rule("command", tools='["http_get"]', allow='["ls"]'), ("never-matches", ("allow", 0))),
        # redundant
        (rule("path", deny='["/a", "**/a"]'), ("redundant", ("deny", 0))),
        (rule("path", deny='["/a/{b,c}", "/a/b"]'), ("redundant", ("deny", 1))),
        (rule("path", allow='["{root}/**", "{root}/src/**"]'), ("redundant", ("allow", 1))),
        (rule("command", deny='["git push", "git push --force"]'), ("redundant", ("deny", 1))),
        (rule("url", deny='["*.a.test", "x.a.test"]'), ("redundant", ("deny", 1))),
        (rule("tools", allow='["ab", "a*"]'), ("redundant", ("allow", 0))),
        # idle-exception
        (rule("path", deny='["/a/**"]', except_='[{ path = "/b/**" }]'), ("idle-exception", ("except", 0))),
        (
            rule("path", tools='["read_file"]', deny='["/a/**"]', except_='[{ tool = "x" }]'),
            ("idle-exception", ("except", 0)),
        ),
        (rule("command", deny='["rm"]', except_='[{ command = "ls ..." }]'), ("idle-exception", ("except", 0))),
        (rule("command", deny='["rm"]', except_='[{ path = "/tmp/**" }]'), ("idle-exception", ("except", 0))),
        (rule("path", allow='["/a"]', except_='[{ path = "/a" }]'), ("idle-exception", ("except", 0))),
        # unanchored
        (rule("path", deny='[".env"]'), ("unanchored", ("deny", 0))),
        (rule("url", deny='["a.test"]'), ("unanchored", ("deny", 0))),
        (rule("arguments", tools='["t"]', deny='[{ x = { regex = "^rm" } }]'), ("unanchored", ("deny", 0))),
        (rule("arguments", tools='["t"]', deny='[{ x = { regex = "rm -rf" } }]'), ("unanchored", ("deny", 0))),
        # wide-grant
        (rule("path", allow='["/srv/project*"]'), ("wide-grant", ("allow", 0))),
        (rule("url", allow='["https://*example.com"]'), ("wide-grant", ("allow", 0))),
        (rule("url", allow='["https://*"]'), ("wide-grant", ("allow", 0))),
        (rule("tools", allow='["mcp__git*"]'), ("wide-grant", ("allow", 0))),
        (
            rule("arguments", tools='["t"]', allow='[{ u = { glob = "https://a.test*" } }]'),
            ("wide-grant", ("allow", 0)),
        ),
        (rule("arguments", tools='["t"]', allow='[{ p = { glob = "/srv/x/*" } }]'), ("wide-grant", ("allow", 0))),
        (rule("arguments", tools='["t"]', allow='[{ u = { regex = "a.b.test" } }]'), ("wide-grant", ("allow", 0))),
    ],
)  # fmt: skip
def test_slip_is_found_at_its_key(looked, rules, expected):
    """The one thing that is wrong is found where it stands, and nothing else is."""
    result = looked(rules)

    assert found(result) == [(expected[0], "r", expected[1])]
    assert all(slip.witnesses for slip in result.slips)


@pytest.mark.parametrize(
    "rules",
    [
        rule("path", deny='["/a/**"]', except_='[{ path = "/a/b" }]'),
        rule("path", only='["/a/**"]', except_='[{ path = "/b/**" }]'),
        rule("command", deny='["rm"]', except_='[{ command = "rm x" }]'),
        rule("path", deny='["**/.env", "/a/b*"]'),
        rule("path", deny='["{cwd}/.env"]'),
        rule("url", deny='["a.test", "*.a.test"]'),
        rule("path", allow='["/srv/project-*"]'),
        rule("url", allow='["https://*"]', deny_ranges='["loopback", "link-local", "private", "metadata"]'),
        rule("url", allow='["https://*.example.com"]'),
        rule("tools", allow='["mcp__git__*"]'),
        rule("arguments", tools='["t"]', deny='[{ x = { regex = "(?s).*rm.*" } }]'),
        rule("arguments", tools='["t"]', allow='[{ u = { regex = "a\\\\.b\\\\.test" } }]'),
        rule("path", access='"read"', deny='["/a"]') + rule("path", "s", access='"write"', deny='["/a"]'),
        rule("command", allow='["git status", "git status --short"]'),
        rule("command", deny='["git push --force", "git push +*"]', except_='[{ command = "git push --mirror ..." }]'),
        rule("tools", allow='["x"]') + rule("tools", "s", deny='["x"]', effect='"ask"'),
        rule("path", allow='["{root}/a"]') + rule("path", "s", deny='["**/a"]', except_='[{ path = "{root}/a" }]'),
        rule("command", allow='["git status ..."]')
        + rule("command", "s", allow='["git status", "ls"]', otherwise='"deny"'),
        rule("command", deny='["rm -r"]') + rule("command", "s", deny='["rmdir"]'),
        rule("path", allow='["{root}/src/**"]') + rule("path", "s", deny='["{root}/src/secrets/**"]'),
    ],
)  # fmt: skip
def test_what_is_as_it_should_be_is_left_alone(looked, rules):
    """Rules that do what they seem to do are no findings, and leave no question open."""
    result = looked(rules)

    assert found(result) == []
    assert result.undecided == ()


@pytest.mark.parametrize(
    ("comment", "accepted"),
    [
        ("  # accepted: redundant\n", True),
        ("  # accepted: redundant, for a while\n  # until May\n", True),
        ("  # accepted: shadowed\n", False),
        ("  # redundant\n", False),
        ("  # accepted: redundant\n\n", False),
    ],
)
def test_comment_accepts_a_finding(looked, comment, accepted):
    """A comment right above what is found takes it out of the findings, and no other does."""
    result = looked(f'[[rule]]\nid = "r"\nkind = "path"\ndeny = [\n  "**/a",\n{comment}  "/x/a",\n]\n')

    assert [len(result.slips), len(result.accepted)] == ([0, 1] if accepted else [1, 0])


def test_pack_is_for_its_maintainers(looked):
    """What is found in a pack is not shown to whoever includes it."""
    assert found(looked('version = 1\ndefault = "ask"\ninclude = ["pack:baseline"]\n')) == []


TOOLS = [
    {
        "name": "deploy",
        "inputSchema": {
            "properties": {"to": {"enum": ["test", "live"]}, "tag": {"type": "string", "pattern": "^v[0-9]+$"}},
            "required": ["to"],
            "additionalProperties": False,
        },
    }
]


@pytest.mark.parametrize(
    ("table", "never"),
    [
        ('deny = [{ to = { glob = "prod*" } }]', True),
        ('deny = [{ to = { glob = "L*" } }]', False),
        ('deny = [{ into = { glob = "*" } }]', True),
        ('deny = [{ into = { glob = "*" } }]\nmissing = "deny"', False),
        ('allow = [{ tag = { regex = "[0-9.]+" } }]', True),
        ('allow = [{ tag = { regex = "v1.*" } }]', False),
        ('deny = [{ tag = { regex = "[0-9.]+.*" } }]', False),
    ],
)
def test_arguments_are_held_against_the_schemas_of_the_tools(looked, table, never):
    """With the real tools, a value or an argument that no schema has is found; a deny sees other spellings too."""
    codes = [
        code
        for code, _, _ in found(
            looked(f'[[rule]]\nid = "r"\nkind = "arguments"\ntools = ["deploy"]\n{table}\n', tools=TOOLS)
        )
    ]

    assert ("never-matches" in codes) is never


def test_opaque_kinds_are_said_to_be_undecided(looked):
    """A rule of a kind that is not taken apart is no finding, and is not passed over in silence."""
    result = looked(rule("time-window", tools='["t"]', only='[{ from = "09:00", to = "17:00" }]', zone='"UTC"'))

    assert found(result) == []
    assert [(one.rule, one.code) for one in result.undecided] == [("r", "redundant")]


def test_code_in_unknown_files_is_undecided(looked):
    """Where nobody knows which files a program runs, nobody knows whether they can be written."""
    tests = rule("command", "s", allow='["python -m unittest ..."]')
    result = looked(rule("path", allow='["{root}/**"]') + tests)

    assert found(result) == []
    assert [(one.rule, one.code) for one in result.undecided] == [("s", "writes-what-runs")]
    assert looked(tests).undecided == ()


def test_secret_is_found_and_not_shown(looked):
    """What looks like a secret is named by its format and place, outside of examples."""
    token = "ghp_" + "0123456789" * 3 + "012345"
    rules = rule("rewrite", tools='["t"]', set='{ "/token" = "' + token + '" }')
    result = looked(rules)

    assert found(result) == [("secret-in-rule", "r", ("set", "/token"))]
    assert token not in str(result.slips[0].finding)

    shown = (
        f'\n[[rule.example]]\ncall = {{ tool = "t", args = {{ token = "{token}" }} }}\nexpect_arguments = {{ x = 1 }}\n'
    )

    assert found(looked(rule("rewrite", tools='["t"]', set='{ "/x" = 1 }') + shown)) == []


def test_expression_that_is_not_modelled_is_undecided(looked):
    """Where a regular expression is not read, what it covers is not decided."""
    result = looked(
        rule("arguments", tools='["t"]', deny='[{ x = { regex = ".*\\\\bx.*" } }, { x = { regex = ".*y.*" } }]')
    )

    assert found(result) == []
    assert {one.code for one in result.undecided} == {"redundant"}
