"""What `diff` says of changes that people make."""

import pytest

from tests.assurance.small_rules import facts
from tidegate.assurance.diff import compare
from tidegate.assurance.witnesses import Bench
from tidegate.compile.compiler import compile_plan
from tidegate.lang.layers import loads

HEAD = 'version = 1\ndefault = "{default}"\n'


@pytest.fixture
def bench(tmp_path):
    def make(text, default="ask"):
        head = "" if "version" in text else HEAD.format(default=default)
        outcome = compile_plan(loads(head + text, "/srv/rules/rules.toml"), now=0)

        assert outcome.plan is not None, outcome.findings
        return Bench(outcome, facts(tmp_path))

    return make


def rule(kind, name="r", **fields):
    lines = [f"{key} = {value}" for key, value in fields.items()]
    return "\n".join(["[[rule]]", f'id = "{name}"', f'kind = "{kind}"', *lines, ""])


def words(comparison):
    return {row.tool: row.word for row in comparison.rows}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (rule("path", deny='["/a/{b,c}"]'), rule("path", deny='["/a/c", "/a/b"]')),
        (rule("path", deny='["**/.env"]'), rule("path", deny='["**/.env", "/srv/x/**/.env"]')),
        (rule("path", deny='["/a/b"]') + rule("path", "s", deny='["/a/c"]'), rule("path", deny='["/a/b", "/a/c"]')),
        (rule("command", allow='["git status ..."]'), rule("command", allow='["git status", "git  status ..."]')),
        (rule("command", deny='["rm -r"]'), rule("command", deny='["rm -r", "rm -r -f /srv/**"]')),
        (rule("url", deny='["*.a.test"]'), rule("url", deny='["x.a.test", "*.a.test"]')),
        (rule("tools", allow='["a*"]'), rule("tools", allow='["ab*", "a*"]')),
        (rule("rewrite", set='{ "/x" = 1 }'), rule("rewrite", "other", set='{ "/x" = 1 }', why='"so"')),
        (rule("path", deny='["/x"]', message='"no"'), rule("path", "other", deny='["/x"]', message='"never"')),
        (
            rule("arguments", tools='["t"]', deny="[{ n = { min = 5 } }]"),
            rule("arguments", tools='["t"]', deny='[{ n = { min = 7 } }, { "/n" = { min = 5 } }]'),
        ),
    ],
)
def test_rules_that_mean_the_same_are_proved_to_be_equal(bench, old, new):
    """Another spelling, another order, another id, and what others cover already, change nothing."""
    assert set(words(compare(bench(old), bench(new))).values()) == {"equal"}


@pytest.mark.parametrize(
    ("old", "new", "tool", "word"),
    [
        (rule("path", deny='["/a/**"]'), rule("path", deny='["/a/*"]'), "read_file", "looser"),
        (rule("path", deny='["/a/**"]'), rule("path", deny='["/a/**", "/b"]'), "read_file", "stricter"),
        (rule("path", deny='["/a/**"]'), rule("path", deny='["/b/**"]'), "read_file", "incomparable"),
        (rule("command", allow='["git push"]'), rule("command", allow='["git push ..."]'), "run_bash", "looser"),
        (rule("command", allow='["ls ..."]'), rule("command", allow='["ls"]'), "run_bash", "stricter"),
        (rule("tools", deny='["x"]'), rule("tools", deny='["x"]', effect='"ask"'), "x", "looser"),
        (rule("tools", allow='["x"]'), rule("tools", allow='["x"]', when='{ agent = "a" }'), "x", "stricter"),
        (rule("url", allow='["https://a.test"]'), rule("url", allow='["https://*"]'), "http_get", "looser"),
        (
            rule("arguments", tools='["t"]', only="[{ n = { max = 10 } }]"),
            rule("arguments", tools='["t"]', only="[{ n = { max = 20 } }]"),
            "t",
            "looser",
        ),
        (
            rule("path", deny='["/a/**"]', unknown='"deny"'),
            rule("path", deny='["/a/**"]', unknown='"allow"'),
            "run_bash",
            "looser",
        ),
        (
            rule("command", deny='["rm"]'),
            rule("command", deny='["rm"]', except_='[{ command = "rm x" }]').replace("except_", "except"),
            "run_bash",
            "looser",
        ),
        (rule("path", allow='["/a"]'), rule("path", allow='["/a"]', otherwise='"deny"'), "read_file", "stricter"),
        (rule("path", deny='["/a"]', code='"deny"'), rule("path", deny='["/a"]'), "run_bash", "looser"),
        (rule("path", deny='["/a"]', access='"read"'), rule("path", deny='["/a"]'), "write_file", "stricter"),
        (rule("path", only='["/a/*"]'), rule("path", only='["/a/*", "/b"]'), "read_file", "looser"),
        (rule("tools", deny='["x*"]'), rule("tools", deny='["xy*"]'), "x", "looser"),
        (
            rule("path", deny='["/a"]', tools='["read_file", "write_file"]'),
            rule("path", deny='["/a"]', tools='["read_file"]'),
            "write_file",
            "looser",
        ),
        (rule("path", deny='["/a"]'), rule("path", deny='["/a"]', mode='"monitor"'), "read_file", "looser"),
    ],
)
def test_what_changes_is_shown_by_a_call(bench, old, new, tool, word):
    """A change that loosens or tightens is named, with a call that both engines decide so."""
    row = next(row for row in compare(bench(old), bench(new), [tool]).rows if row.tool == tool)

    assert row.word == word
    assert row.looser.rules + row.stricter.rules == ("r",) * (2 if word == "incomparable" else 1)
    assert row.settled


def test_default_has_a_direction(bench):
    """A stricter default loosens nothing."""
    row = compare(bench(rule("tools", deny='["x"]')), bench(rule("tools", deny='["x"]'), "deny")).rows[-1]

    assert (row.word, row.looser.none) == ("stricter", True)


def test_symlinks_stand_in_the_way_of_a_proof(bench):
    """A wider glob over another folder covers a narrower one only as long as no link leads out of it."""
    old, new = rule("path", deny='["/a/b/**", "/a/**"]'), rule("path", deny='["/a/**"]')
    row = compare(bench(old), bench(new), ["read_file"]).rows[0]

    assert (row.word, row.stricter.none) == ("not decided", True)
    assert row.looser.doubts == ("rule `r`: nothing has changed unless a symlink leads elsewhere",)


def test_grants_of_two_rules_are_less_than_those_of_one(bench):
    """A path with two names is granted where one rule names both, and not where each of two names one."""
    old = rule("path", allow='["/a/**"]') + rule("path", "s", allow='["/b/**"]')
    row = compare(bench(old), bench(rule("path", allow='["/a/**", "/b/**"]')), ["read_file"]).rows[0]

    assert (row.word, row.looser.none, row.stricter.none) == ("not decided", False, True)


def test_refused_tool_covers_only_what_is_about_it(bench):
    """That one tool is refused makes no rule about others needless."""
    refused = rule("tools", "s", deny='["y", "z*"]')
    rows = compare(bench(rule("path", deny='["/a"]') + refused), bench(refused)).rows

    assert [(row.tool, row.word) for row in rows] == [("y", "equal"), ("", "looser")]


@pytest.mark.parametrize(
    ("old", "new", "doubt"),
    [
        ("", '[tools.t]\nx = { role = "path", access = "read" }\n', "`[tools]`"),
        ("", '[commands.mytool]\noperands = "read..."\n', "`[commands]`"),
        ("", rule("rewrite", set='{ "/x" = 1 }'), "rules that change arguments are different: `r`"),
        ("", rule("annotate", text='"careful"'), "rules that change results are different: `r`"),
        ("", rule("truncate", max_bytes="900", spill='"cut"'), "rules that change results are different: `r`"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_said_and_never_called_equal(bench, old, new, doubt):
    """Bindings, entries of commands, rewrites and notes end in not decided, with the reason."""
    row = compare(
        bench(old + rule("tools", "s", deny='["x"]')), bench(new + rule("tools", "s", deny='["x"]')), ["t"]
    ).rows[0]

    assert row.word == "not decided"
    assert doubt in row.looser.doubts[0]


def test_order_of_bindings_of_different_arguments_changes_nothing(bench):
    """Bindings are compared by what they say of each argument."""
    x, y = 'x = { role = "path", access = "read" }\n', 'y = { role = "url" }\n'
    other = rule("tools", deny='["t"]')

    assert words(compare(bench(f"[tools.t]\n{x}{y}{other}"), bench(f"[tools.t]\n{y}{x}{other}")))["t"] == "equal"


def test_file_that_a_rule_reads_is_compared_as_well(tmp_path):
    """A rule that is written alike means something else where the schema beside it has changed."""
    sides = []
    for name, least in (("old", 1), ("new", 2)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "s.json").write_text(f'{{"properties": {{"n": {{"minimum": {least}}}}}}}', encoding="utf-8")
        text = HEAD.format(default="ask") + rule("arguments", tools='["t"]', schema='"s.json"')
        outcome = compile_plan(loads(text, tmp_path / name / "rules.toml"), now=0)

        assert outcome.plan is not None, outcome.findings
        sides.append(Bench(outcome, facts(tmp_path)))
    row = compare(*sides).rows[0]

    assert row.word == "not decided"
    assert row.looser.doubts == ("a file that rules read beside the rule files has changed",)


@pytest.mark.parametrize(("old", "new", "word", "times"), [(5, 9, "looser", 6), (3, 2, "stricter", 3)])
def test_limit_is_shown_by_a_call_that_is_made_again(bench, old, new, word, times):
    """Another number is shown by as many calls in a row as it takes."""
    sides = [
        bench(rule("tools", "s", allow='["t"]') + rule("rate-limit", limit=f'"{number}/minute"', per='["tool"]'))
        for number in (old, new)
    ]
    row = compare(*sides).rows[0]
    shown = row.looser.shown or row.stricter.shown

    assert (row.tool, row.word, shown.times) == ("t", word, times)


@pytest.mark.parametrize(
    ("old", "new", "looser", "stricter"),
    [
        (rule("rate-limit", limit='"5/minute"'), rule("rate-limit", limit='"3/minute"'), None, (4, 0)),
        (rule("rate-limit", limit='"5/minute"'), rule("rate-limit", limit='"5/hour"'), None, (6, 12)),
        (rule("rate-limit", limit='"5/minute"'), rule("rate-limit", limit='"9/hour"'), (6, 0), (10, 12)),
        (rule("rate-limit", limit='"4/minute"', cost="2"), rule("rate-limit", limit='"2/minute"'), None, None),
        (rule("rate-limit", limit='"6/minute"', burst="2"), rule("rate-limit", limit='"3/minute"', burst="2"), None,
         (4, 10)),
        (rule("rate-limit", limit='"2/minute"'), rule("rate-limit", limit='"2/minute"', per='["session"]'), (3, 0),
         None),
        (rule("quota", limit="3", resets='"daily"'), rule("quota", limit="3"), None, (4, 86_400)),
        (rule("concurrency", limit="2"), rule("concurrency", limit="4"), (3, 0), None),
        (rule("concurrency", limit="1", lease='"30s"'), rule("concurrency", limit="1", lease='"1 minute"'), None,
         (2, 30)),
        (rule("repeat", same='"2/hour"'), rule("repeat", same='"2/hour"', then='"ask"'), (3, 0), None),
        (rule("repeat", same='"2/9 calls"'), rule("repeat", same='"3/9 calls"'), (3, 0), None),
        (rule("repeat", failures='"2/hour"'), rule("repeat", failures='"4/hour"'), (3, 0), None),
        (rule("timeout", seconds="30"), rule("timeout", seconds="10"), None, (1, 0)),
        (rule("rate-limit", limit='"2/minute"', on_error='"ask"'), rule("rate-limit", limit='"1/minute"'), None,
         (2, 0)),
    ],
)  # fmt: skip
def test_limit_that_changes_has_a_direction_and_a_row_that_shows_it(bench, old, new, looser, stricter):
    """The other direction is ruled out, and the row has as many calls as it takes, at the pace that it takes."""
    allowed = rule("tools", "s", allow='["t"]')
    row = compare(bench(allowed + old), bench(allowed + new), ["t"]).rows[0]
    shown = [None if one.shown is None else (one.shown.times, one.shown.every) for one in (row.looser, row.stricter)]

    assert shown == [looser, stricter]
    assert (row.looser.none, row.stricter.none) == (looser is None, stricter is None)


def test_limit_that_is_no_longer_shared_is_shown_by_a_call_after_others(bench):
    """What one tool used up was gone for the other one."""
    allowed = rule("tools", "s", allow='["t", "u"]')
    old, new = (rule("rate-limit", limit='"2/minute"', tools=tools) for tools in ('["t", "u"]', '["t"]'))
    row = compare(bench(allowed + old), bench(allowed + new), ["t"]).rows[0]
    shown = row.looser.shown

    assert (row.stricter.none, shown.times, shown.call.tool.name, shown.before.tool.name) == (True, 3, "t", "u")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (rule("truncate", max_bytes="200"), rule("truncate", max_bytes="150", max_lines="9")),
        (rule("redact", secrets='["jwt"]'), rule("redact", secrets='["jwt", "npm-token"]', personal='["card"]')),
        (rule("timeout", seconds="9"), rule("timeout", seconds="9") + rule("timeout", "u", seconds="3")),
        (rule("rate-limit", limit='"9000/minute"'), rule("rate-limit", limit='"8000/minute"')),
    ],
)
def test_bounds_that_are_tighter_are_not_looser(bench, old, new):
    """What cuts more, finds more or ends earlier loosens nothing, whether or not a call shows it."""
    other = rule("tools", "s", deny='["x"]')
    row = compare(bench(other + old), bench(other + new), ["t"]).rows[0]

    assert (row.looser.none, row.stricter.none) == (True, False)


def test_another_limit_loosens_nothing(bench):
    """A limit that is added has a direction."""
    old = rule("tools", "s", deny='["x"]')
    row = compare(bench(old), bench(old + rule("rate-limit", limit='"5/minute"', per='["tool"]'))).rows[-1]

    assert (row.looser.none, row.stricter.none) == (True, False)


def test_rules_of_opaque_kinds_are_compared_as_written(bench):
    """A rule of a kind that nobody takes apart is equal to itself, and one more loosens nothing."""
    window = rule("time-window", "w", tools='["deploy"]', only='[{ from = "09:00", to = "17:00" }]', zone='"UTC"')
    other = rule("tools", "s", deny='["x"]')

    assert set(words(compare(bench(window + other), bench(other + window))).values()) == {"equal"}

    row = compare(bench(other), bench(other + window), ["deploy"]).rows[0]

    assert row.looser.none


def test_tools_are_compared_one_by_one(bench):
    """What is looser in one file is found although the other rules are the same."""
    comparison = compare(bench(rule("tools", deny='["x", "y"]')), bench(rule("tools", deny='["y"]')))

    assert words(comparison) == {"x": "looser", "y": "equal", "": "equal"}
    assert (comparison.looser, comparison.stricter) == (True, False)
