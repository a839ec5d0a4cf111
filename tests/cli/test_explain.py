"""`tidegate explain`: the decision, what the call does, and what every rule says of it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.cli.terminal import safe
from tidegate.cli.underline import Part, underlined

READ = '{"tool": "read_file", "args": {"path": "a.py"}}'
OUTSIDE = '{"tool": "read_file", "args": {"path": "/etc/passwd"}}'
MORE = """
[[rule]]
id = "not-now"
kind = "tools"
deny = ["read_file"]
when = { agent = "intern" }

[[rule]]
id = "mail"
kind = "tools"
tools = ["send_mail"]
deny = ["send_mail"]

[[rule]]
id = "small"
kind = "rewrite"
tools = ["read_file"]
default = { "/limit" = 10 }

[[rule]]
id = "slowly"
kind = "rate-limit"
tools = ["read_file"]
limit = "5/minute"
"""


def test_an_allowed_call(tidegate, rules):
    """The text names the decision, the effects, and the rule that grants them."""
    done = tidegate("explain", rules, READ)
    text = done.stdout.decode()

    assert (done.returncode, done.stderr) == (0, b"")
    assert text.startswith("allow `read_file` by rule `workspace`\n")
    assert "   1  reading `a.py`" in text
    assert "grant 1" in text


def test_a_refused_call(tidegate, rules):
    """A refusal says why, what is uncovered, and what would be allowed."""
    done = tidegate("explain", rules, OUTSIDE)
    text = done.stdout.decode()

    assert done.returncode == 1
    assert text.startswith("deny `read_file` by rule `workspace`\n  stay inside the project\n")
    assert "it lies outside of what the rule confines to" in text
    assert "so `default` counts: ask" in text
    assert "what would be allowed\n  `workspace`: `{root}/**`" in text


def test_every_rule_is_told_with_its_answer(tidegate, rules):
    """Rules that say nothing are there too, with why; those about other tools are counted."""
    rules.write_text(rules.read_text() + MORE)
    explained = json.loads(
        tidegate("explain", rules, '{"tool":"read_file","args":{"path":"a"},"agent":"kim"}', "--json").stdout
    )
    told = {one["rule"]: (one["says"], one["why"]) for one in explained["layers"][0]["rules"]}

    assert told["workspace"][0] == "grant"
    assert told["not-now"] == ("pass", "its `when` does not hold")
    assert [(one["rule"], one["says"]) for one in explained["rewrites"]] == [("small", "rewrite")]
    assert [(one["rule"], one["says"], one["why"]) for one in explained["limits"]] == [
        ("slowly", "pass", "there is room")
    ]
    assert explained["not_about_this_tool"] == 1
    assert explained["decision"]["arguments"] == {"path": "a", "limit": 10}


def test_json(tidegate, rules):
    """`--json` is one object that says which rule covers which effect."""
    done = tidegate("explain", rules, READ, "--json")
    explained = json.loads(done.stdout)

    assert done.returncode == 0
    assert [(one["kind"], one["covered_by"]) for one in explained["effects"]] == [("use", []), ("read", ["workspace"])]
    assert explained["layers"][0]["uncovered"] == []


def test_limits_are_not_used_up(tidegate, rules):
    """Explaining a call takes nothing from any limit."""
    rules.write_text(
        rules.read_text() + '[[rule]]\nid = "once"\nkind = "rate-limit"\nlimit = "1/hour"\nstore = "sqlite"\n'
    )
    effects = [tidegate("explain", rules, READ).returncode for _ in range(3)]

    assert effects == [0, 0, 0]


@pytest.mark.parametrize("store", ["memory", "sqlite"])
def test_a_recorded_call_is_explained_after_those_before_it(tidegate, rules, tmp_path, store):
    """Line by line the explanation gives the decision that `decide` gives, limits included, and takes nothing."""
    rules.write_text(
        rules.read_text() + f'[[rule]]\nid = "twice"\nkind = "rate-limit"\nlimit = "2/hour"\nstore = "{store}"\n'
    )
    (tmp_path / "calls.jsonl").write_text(f"{READ}\n[1]\n{OUTSIDE}\n{READ}\n\n{READ}\n")
    explained = {
        line: json.loads(tidegate("explain", rules, f"calls.jsonl:{line}", "--json").stdout)["decision"]["rule"]
        for line in (6, 1, 3, 4, 6)
    }
    decided = [json.loads(line)["rule"] for line in tidegate("decide", rules, "calls.jsonl").stdout.splitlines()]

    assert list(explained.values()) == ["twice", "workspace", "workspace", "workspace"]
    assert decided == ["workspace", None, "workspace", "workspace", "twice"]


def test_a_call_that_cannot_be_read_says_why(tidegate, rules):
    """What is refused before any rule stands under a heading of its own."""
    done = tidegate("explain", rules, '{"tool":"read_file","args":{"path":3}}')

    assert done.returncode == 1
    assert b"before any rule\n  tidegate/arguments" in done.stdout
    assert b"the argument `path` must be a text" in done.stdout


@pytest.mark.parametrize("place", ["@one.json", "calls.jsonl:2", "-"])
def test_where_the_call_comes_from(tidegate, rules, tmp_path, place):
    """A call may stand in a file, in a line of a file, or come from standard input."""
    (tmp_path / "one.json").write_text(READ)
    (tmp_path / "calls.jsonl").write_text(f"[1]\n{READ}\n")
    done = tidegate("explain", rules, place, say=READ)

    assert done.returncode == 0


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("foo", "CALL must be a JSON object"),
        ("[1]", "it is an array, not an object"),
        ("@nope.json", "`nope.json`: no such file or directory"),
        ("calls.jsonl:1", "line 1 of `calls.jsonl` is no call: it is an array"),
        ("calls.jsonl:9", "line 9 of `calls.jsonl` is no call: the file has no such line"),
    ],
)
def test_what_is_no_call_is_misuse(tidegate, rules, tmp_path, call, said):
    """Without a call there is nothing to explain: exit code 2, and why."""
    (tmp_path / "calls.jsonl").write_text("[1]\n")
    done = tidegate("explain", rules, call)

    assert (done.returncode, done.stdout) == (2, b"")
    assert said in done.stderr.decode()
    assert "Traceback" not in done.stderr.decode()


def test_arguments_are_escaped(tidegate, rules):
    """Control characters in a call never reach the terminal."""
    done = tidegate("explain", rules, json.dumps({"tool": "read_file\x1b", "args": {"path": "\x1b[31m\u202e"}}))

    assert b"\x1b" not in done.stdout
    assert "\u202e" not in done.stdout.decode()


def test_parts_are_underlined():
    """Every part stands below its line, at its columns, with its label."""
    lines = list(underlined("cd a && rm b\nls", [Part(0, 4, "1"), Part(8, 12, "2, 3"), Part(13, 15, "4")]))

    assert lines == ["cd a && rm b", "^^^^ 1", "        ^^^^ 2, 3", "ls", "^^ 4"]


def test_columns_count_cells():
    """A wide character takes two cells, and an escape as many as it shows."""
    lines = list(underlined("日\x07 rm", [Part(3, 5, "1")]))

    assert lines == ["日\\u{7} rm", "        ^^ 1"]


@given(st.text(max_size=30), st.integers(0, 30), st.integers(0, 10))
def test_any_part_of_any_text_can_be_underlined(text, start, length):
    """Whatever the text and the part, lines come out, and nothing that cannot be seen."""
    start = min(start, len(text))
    lines = list(underlined(text, [Part(start, min(start + length, len(text)), "1")]))

    assert len(lines) == text.count("\n") + 2
    assert sum(line.endswith("^ 1") for line in lines) >= 1
    assert all(safe(line) == line for line in lines)


def test_uncovered_effects_are_those_that_need_a_grant(tidegate, rules):
    """A wrapper that adds nothing needs no grant; a redirection needs one of its own, and its number is told."""
    rules.write_text('version = 1\n[[rule]]\nid = "git"\nkind = "command"\nallow = ["git status ..."]\n')
    plain = '{"tool": "run_bash", "args": {"command": "timeout 5 git status"}}'
    writing = '{"tool": "run_bash", "args": {"command": "timeout 5 git status > x"}}'
    covered = json.loads(tidegate("explain", rules, plain, "--json").stdout)
    explained = json.loads(tidegate("explain", rules, writing, "--json").stdout)
    left = [explained["effects"][number]["about"] for number in explained["layers"][0]["uncovered"]]

    assert (covered["decision"]["effect"], covered["layers"][0]["uncovered"]) == ("allow", [])
    assert (explained["decision"]["effect"], left) == ("deny", ["writing `x`"])


def test_commands_are_underlined_part_by_part(tidegate, rules):
    """The text of a command stands below its effects, each part marked with the numbers of what it does."""
    done = tidegate("explain", rules, '{"tool": "run_bash", "args": {"command": "ls; rm -rf build"}}')
    text = done.stdout.decode()

    assert "\n      ls; rm -rf build\n" in text
    assert "\n          ^^^^^^^^^^^^ " in text


def test_a_layer_that_monitors_is_said_to_refuse_nothing(tidegate, rules):
    """Neither is `default` said to allow where it would ask, nor to count where it does not."""
    rules.write_text(rules.read_text().replace('default = "ask"', 'default = "ask"\nmode = "monitor"'))
    done = tidegate("explain", rules, '{"tool": "other", "args": {}}')
    text = done.stdout.decode()
    report = json.loads(tidegate("explain", rules, '{"tool": "other", "args": {}}', "--json").stdout)

    assert done.returncode == 0
    assert text.startswith('allow `other` because `mode = "monitor"` keeps the project layer from refusing\n')
    assert 'so `default` would count: ask; with `mode = "monitor"` it refuses nothing' in text
    assert report["layers"][0]["monitors"] is True
