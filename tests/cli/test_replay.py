"""`tidegate replay`: its forms, its exit codes, where calls and rules come from, and that nothing is executed."""

import json
import os
import subprocess

import pytest

OLD = """\
version = 1
default = "ask"

[[rule]]
id = "look"
kind = "command"
allow = ["git status ...", "git diff ..."]
"""
NEW = OLD.replace('"git diff ..."', '"git log ..."')
COMMANDS = ["git status", "git diff", "git log", "git log -3", "touch made"]


def call(command, **more):
    return {"tool": "run_bash", "args": {"command": command}, **more}


@pytest.fixture
def files(tmp_path):
    """Old and new rules, and calls of which one is broken."""
    (tmp_path / "old.toml").write_text(OLD, encoding="utf-8")
    (tmp_path / "new.toml").write_text(NEW, encoding="utf-8")
    lines = [json.dumps(call(command)) for command in COMMANDS]
    (tmp_path / "calls.jsonl").write_text("\n".join([*lines[:2], "{broken", *lines[2:]]) + "\n", encoding="utf-8")
    return tmp_path


WORDS = ("replay", "calls.jsonl", "--rules", "new.toml")


def test_text_tells_groups_samples_and_sums(tidegate, files):
    """What is looser comes first, each group with its calls and where they stand; what is no call is told."""
    done = tidegate(*WORDS, "--against", "old.toml")

    assert (
        done.stdout.decode()
        == """\
looser: `run_bash`, 2 calls
  ask by `default`, now allow by `look`
  calls.jsonl:4: {"tool": "run_bash", "args": {"command": "git log"}}
  calls.jsonl:5: {"tool": "run_bash", "args": {"command": "git log -3"}}
stricter: `run_bash`, 1 call
  allow by `look`, now ask by `default`
  calls.jsonl:2: {"tool": "run_bash", "args": {"command": "git diff"}}
no call: calls.jsonl:3: it is not JSON: expecting property name enclosed in double quotes at character 2
5 calls: 2 as before, 2 looser, 1 stricter; 1 is no call
"""
    )
    assert (done.returncode, done.stderr, (files / "made").exists()) == (0, b"", False)


def test_json_has_samples_that_decide_reads(tidegate, files):
    """Each sample, put before `decide`, is decided as the report says by either file."""
    report = json.loads(tidegate(*WORDS, "--against", "old.toml", "--json").stdout)
    kept = {key: report[key] for key in ("calls", "same", "looser", "stricter", "rewritten", "no_calls")}

    assert kept == {"calls": 5, "same": 2, "looser": 2, "stricter": 1, "rewritten": 0, "no_calls": 1}
    for group in report["groups"]:
        for side in ("old", "new"):
            say = "".join(f"{sample['call']}\n" for sample in group["samples"])
            answers = map(json.loads, tidegate("decide", f"{side}.toml", say=say).stdout.splitlines())

            assert [{"effect": one["effect"], "rule": one["rule"]} for one in answers] == [group[side]] * len(
                group["samples"]
            )


def test_markdown_is_a_table_with_calls(tidegate, files):
    """The form for a pull request has a row for each group."""
    text = tidegate(*WORDS, "--against", "old.toml", "--format", "markdown").stdout.decode()

    assert "### Replay: 5 calls: 2 as before, 2 looser, 1 stricter; 1 is no call\n" in text
    assert "| looser | `run_bash` | ask by `default` | allow by `look` | 2 |\n" in text


@pytest.mark.parametrize(
    ("commands", "fail_on", "code"),
    [
        (["git log"], "looser", 1),
        (["git log"], "stricter", 0),
        (["git diff"], "stricter", 1),
        (["git diff"], "looser", 0),
        (["git diff"], "any", 1),
        (["git status"], "any", 0),
        (["git log", "git diff"], None, 0),
    ],
)
def test_exit_code_is_that_of_the_direction(tidegate, files, commands, fail_on, code):
    """`--fail-on` fails for its own direction, and without it a change is no failure."""
    say = "".join(f"{json.dumps(call(command))}\n" for command in commands)
    words = ("--fail-on", fail_on) if fail_on else ()

    assert tidegate("replay", "-", *WORDS[2:], "--against", "old.toml", *words, say=say).returncode == code


@pytest.mark.parametrize(
    "lines",
    [
        [call("git status", effect="allow", rule="look"), {"tool": 7, "args": {}}],
        [call("git status", effect="allow", rule="look"), call("git status")],
    ],
)
def test_what_cannot_be_compared_fails_too(tidegate, files, lines):
    """Where it is not known of a call whether it has changed, `--fail-on` fails."""
    say = "".join(f"{json.dumps(line)}\n" for line in lines)
    done = tidegate("replay", "-", *WORDS[2:], "--fail-on", "looser", say=say)

    assert done.returncode == 1
    assert b"1 as before" in done.stdout


def test_recorded_decisions_are_the_old_ones(tidegate, files):
    """Without old rules, what the record says is compared."""
    say = json.dumps(call("git log", effect="deny", rule="gone"))
    done = tidegate("replay", "-", "--rules", "new.toml", say=say)

    assert b"  deny by `gone`, now allow by `look`\n" in done.stdout


def test_rules_may_be_of_a_revision(tidegate, files):
    """The old rules are taken from git, with what they include."""

    def git(*words):
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", "-C", files, *identity, *words], check=True, capture_output=True)

    git("init", "-q")
    (files / "rules.toml").write_text(OLD, encoding="utf-8")
    git("add", "rules.toml")
    git("commit", "-q", "-m", "old")
    (files / "rules.toml").write_text(NEW, encoding="utf-8")
    written = json.dumps({"tool": "write_file", "args": {"path": "rules.toml", "content": ""}})
    say = f"{json.dumps(call('git log'))}\n{written}\n"
    report = json.loads(tidegate("replay", "-", "--against", "HEAD:rules.toml", "--json", say=say).stdout)

    assert (report["calls"], report["looser"], report["same"]) == (2, 1, 1)


def test_places_of_calls_are_what_the_options_say(tidegate, files):
    """`--root` and `--home` stand for what calls do not say."""
    rules = 'version = 1\ndefault = "deny"\n[[rule]]\nid = "r"\nkind = "path"\nallow = ["{root}/**", "~/**"]\n'
    (files / "new.toml").write_text(rules, encoding="utf-8")
    calls = [
        {"tool": "read_file", "args": {"path": path}, "effect": "allow", "rule": "r"}
        for path in ("/w/a", "/h/a", "~/b", "b")
    ]
    say = "".join(f"{json.dumps(one)}\n" for one in calls)

    assert b"4 as before" in tidegate("replay", "-", *WORDS[2:], "--root", "/w", "--home", "/h", say=say).stdout
    assert b"2 as before, 2 stricter" in tidegate("replay", "-", *WORDS[2:], say=say).stdout


@pytest.mark.skipif(os.name != "posix", reason="/etc is POSIX's")
def test_links_count_only_here(tidegate, files):
    """A link of this machine counts where the calls were made on it, and else nothing is there."""
    rules = 'version = 1\ndefault = "allow"\n[[rule]]\nid = "r"\nkind = "path"\ndeny = ["/etc/**"]\n'
    (files / "new.toml").write_text(rules, encoding="utf-8")
    (files / "link").symlink_to("/etc")
    one = {"tool": "read_file", "args": {"path": "link/passwd"}, "cwd": str(files), "effect": "allow", "rule": None}

    assert b"1 as before" in tidegate("replay", "-", *WORDS[2:], say=json.dumps(one)).stdout
    assert b"1 stricter" in tidegate("replay", "-", *WORDS[2:], "--here", say=json.dumps(one)).stdout


def test_nothing_of_a_replay_is_counted_or_kept(tidegate, files, home):
    """Limits of live calls take nothing from recorded ones, and no state is made."""
    limit = '\n[[rule]]\nid = "few"\nkind = "rate-limit"\nlimit = "1/hour"\nstore = "sqlite"\n'
    (files / "new.toml").write_text(NEW + limit, encoding="utf-8")
    say = "".join(f"{json.dumps(call('git status', effect='allow', rule='look'))}\n" * 3)
    done = tidegate("replay", "-", *WORDS[2:], say=say)

    assert b"3 as before" in done.stdout
    assert b"note: 3 calls without a time; limits take such a call as if it were the first\n" in done.stdout
    assert list(home.iterdir()) == []


def test_several_processes_say_what_they_counted_apart(tidegate, files):
    """With more than one worker the answer says what is not exact, and where rules count nothing there is no note."""
    limit = '\n[[rule]]\nid = "few"\nkind = "rate-limit"\nlimit = "1/hour"\n'
    (files / "limit.toml").write_text(OLD + limit, encoding="utf-8")
    say = "".join(f"{json.dumps(call('git status', at=number, session=f's{number}'))}\n" for number in (3, 2, 1))
    words = ("replay", "-", "--against", "old.toml", "--rules")
    exact, apart = (tidegate(*words, "limit.toml", "--workers", number, say=say).stdout for number in (1, 2))

    assert b"3 calls: 1 as before, 2 stricter\n" in exact
    assert b"note: 2 calls earlier than the one before" in exact
    assert b"processes" not in exact
    assert b"counted by each of 2 processes for itself; `--workers 1` is exact\n" in apart
    assert b"note" not in tidegate(*words, "new.toml", "--workers", 2, say=say).stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("replay",), b"CALLS"),
        (("replay", "none.jsonl", "--rules", "new.toml"), b"none.jsonl"),
        (("replay", "calls.jsonl"), b"rules.toml"),
        (("replay", "new.toml", "--rules", "new.toml"), b"nothing in it tells what it is"),
        (("replay", "none.parquet", "--rules", "new.toml"), b"none.parquet"),
        (("replay", "calls.jsonl", "--rules", "new.toml", "--from", "other"), b"--from"),
    ],
)
def test_misuse_is_said_in_one_sentence(tidegate, files, words, said):
    """What is not there, or of no format, ends in a text and in exit code 2."""
    done = tidegate(*words)

    assert done.returncode == 2
    assert said in done.stderr
    assert b"Traceback" not in done.stderr
