"""`tidegate decide`: one decision for each line, whatever the lines hold."""

import json
import subprocess
import sys

import pytest

READ = b'{"tool": "read_file", "args": {"path": "a.py"}, "call_id": "c1"}\n'
OUTSIDE = b'{"tool": "read_file", "args": {"path": "/etc/passwd"}, "call_id": "c2"}\n'
KEYS = {"effect", "rule", "reason", "arguments", "call_id"}


def answers(done):
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_decisions_in_the_agreed_shape(tidegate, rules):
    """Each line has exactly the agreed keys, in the order of the calls."""
    done = tidegate("decide", rules, "-", say=READ + OUTSIDE)

    assert (done.returncode, done.stderr) == (1, b"")
    assert answers(done) == [
        {"effect": "allow", "rule": "workspace", "reason": "", "arguments": {"path": "a.py"}, "call_id": "c1"},
        {
            "effect": "deny",
            "rule": "workspace",
            "reason": "stay inside the project",
            "arguments": {"path": "/etc/passwd"},
            "call_id": "c2",
        },
    ]


def test_all_allowed_ends_in_zero(tidegate, rules, tmp_path):
    """The exit code is 0 where every call is allowed; standard input is the default."""
    (tmp_path / "calls.jsonl").write_bytes(READ + b"\n" + READ)

    assert tidegate("decide", rules, "calls.jsonl").returncode == 0
    assert tidegate("decide", rules, say=READ).returncode == 0


def test_asking_is_not_allowing(tidegate, rules):
    """A call about which somebody would have to be asked ends in 1."""
    done = tidegate("decide", rules, say=b'{"tool": "other", "args": {}}\n')

    assert done.returncode == 1
    assert answers(done)[0]["effect"] == "ask"


def test_would_is_there_where_monitored_rules_are_stricter(tidegate, rules):
    """A monitored refusal stands in `would`, which is left out everywhere else."""
    rules.write_text(
        rules.read_text() + '\n[[rule]]\nid = "m"\nkind = "tools"\ndeny = ["read_file"]\nmode = "monitor"\n'
    )
    said = answers(tidegate("decide", rules, say=READ))[0]

    assert (said["effect"], said["would"], set(said)) == ("allow", "deny", {*KEYS, "would"})


BAD = {
    "not an object": (b"[1]", "it is an array, not an object"),
    "nested 10,000 deep": (
        b'{"tool":"t","args":' + b'{"a":' * 10_000 + b"1" + b"}" * 10_001,
        "it is nested deeper than",
    ),
    "NaN": (b'{"tool":"read_file","args":{"path":NaN}}', "`NaN` is no JSON number"),
    "lone surrogate": (b'{"tool":"read_file","args":{"path":"\\ud800"}}', "lone surrogate"),
    "duplicate keys": (b'{"tool":"read_file","args":{"path":"a","path":"/b"}}', "the key `path` stands twice"),
    "unknown key": (b'{"tool":"read_file","argz":{}}', "unknown key `argz`; write `args`"),
    "key of another format": (b'{"tool":"read_file","arguments":{}}', "unknown key `arguments`; write `args`"),
    "no JSON": (b"read_file", "it is not JSON: expecting value at character 1"),
    "missing args": (b'{"tool":"read_file"}', "the key `args` is missing"),
    "not UTF-8": (b'{"tool":"\xff"}', "is not UTF-8"),
    "truncated": (b'{"tool":"read_file","args":{"pa', "at character"),
    "huge number": (b'{"tool":"t","args":{"n":' + b"9" * 5_000 + b"}}", "a number in it has more than 4300 digits"),
    "byte order mark": (b'\xef\xbb\xbf{"tool":"t","args":{}}', "it begins with a byte order mark"),
    "numeric tool": (b'{"tool":1,"args":{}}', "the key `tool` must be a text"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_line_is_denied_with_its_number_and_the_others_are_decided(tidegate, rules, name):
    """A line that is no call answers deny with its number and why; those around it are decided all the same."""
    line, why = BAD[name]
    done = tidegate("decide", rules, say=READ + line + b"\n" + READ)
    before, bad, after = answers(done)

    assert (done.returncode, b"Traceback" in done.stderr) == (1, False)
    assert (before["effect"], after["effect"]) == ("allow", "allow")
    assert (bad["effect"], bad["rule"], bad["arguments"]) == ("deny", None, None)
    assert bad["reason"].startswith("line 2 is no call: ")
    assert why in bad["reason"]


def test_huge_text_is_decided(tidegate, rules):
    """A text of 10 MB gets a decision that is no allow."""
    done = tidegate("decide", rules, say=b'{"tool":"read_file","args":{"path":"' + b"x" * 10_000_000 + b'"}}\n' + READ)
    huge, after = answers(done)

    assert huge["effect"] in ("ask", "deny")
    assert after["effect"] == "allow"


def test_wrong_type_under_a_role_is_denied(tidegate, rules):
    """An argument of a wrong type is a deny, and a missing one is no error."""
    done = tidegate("decide", rules, say=b'{"tool":"read_file","args":{"path":3}}\n{"tool":"read_file","args":{}}\n')

    assert [said["effect"] for said in answers(done)] == ["deny", "ask"]


def test_lines_are_answered_as_they_come(rules, environment, tmp_path):
    """An answer is there before the next line is sent."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tidegate", "decide", str(rules)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=tmp_path,
        env=environment,
    )
    effects = []
    for line in (READ, OUTSIDE, READ):
        process.stdin.write(line)
        process.stdin.flush()
        effects.append(json.loads(process.stdout.readline())["effect"])
    process.communicate(timeout=60)

    assert effects == ["allow", "deny", "allow"]


def test_output_is_ascii(tidegate, rules):
    """Nothing in an answer can move the cursor or be mistaken for something else."""
    call = json.dumps({"tool": "read_file", "args": {"path": "/etc/\u202e\x07ü"}}).encode()
    done = tidegate("decide", rules, say=call)

    assert done.stdout.isascii()
    assert b"\x07" not in done.stdout


def test_broken_rules_decide_nothing(tidegate, rules):
    """With an error in the rules nothing is decided; the findings go to standard error, and the exit code is 2."""
    rules.write_text("version = 1\nnope = 1\n")
    done = tidegate("decide", rules, say=READ)

    assert (done.returncode, done.stdout) == (2, b"")
    assert b"rules.toml:2:1: error[unknown-key]" in done.stderr


def test_missing_calls_are_misuse(tidegate, rules):
    """A file of calls that is not there ends in 2."""
    done = tidegate("decide", rules, "nope.jsonl")

    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"tidegate: `nope.jsonl`: no such file or directory\n"


@pytest.mark.parametrize(("store", "together"), [("sqlite", 3), ("memory", 6)])
def test_processes_share_a_limit_where_the_rule_says_so(rules, environment, store, together):
    """Two processes that decide three calls each under `3/hour` let three through with `sqlite`, six with `memory`."""
    limit = f'[[rule]]\nid = "few"\nkind = "rate-limit"\nlimit = "3/hour"\nstore = "{store}"\n'
    rules.write_text(rules.read_text() + limit)
    command = [sys.executable, "-m", "tidegate", "decide", str(rules), "-"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    started = [subprocess.Popen(command, cwd=rules.parent, env=environment, **pipes) for _ in range(2)]
    for process in started:
        process.stdin.write(READ * 3)
        process.stdin.close()
    effects = [json.loads(line)["effect"] for process in started for line in process.stdout]
    for process in started:
        process.stdout.close()
        process.wait(timeout=60)

    assert effects.count("allow") == together
