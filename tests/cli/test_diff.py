"""`tidegate diff`: its forms, its exit codes, and files at revisions."""

import json
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RULES = 'version = 1\ndefault = "ask"\n\n[[rule]]\nid = "r"\nkind = "tools"\nallow = [{}]\n'


@pytest.fixture
def files(tmp_path):
    """An old and a new rule file that grants one tool more."""
    (tmp_path / "old.toml").write_text(RULES.format('"get_time"'), encoding="utf-8")
    (tmp_path / "new.toml").write_text(RULES.format('"get_time", "send_mail"'), encoding="utf-8")
    return tmp_path


def test_page_shows_what_diff_prints(tidegate, tmp_path):
    """The example of the page gives the text and the Markdown that stand there."""
    page = (ROOT / "docs/diff.md").read_text(encoding="utf-8")
    old, new, limited = re.findall(r"^```toml\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    text, markdown, rows = re.findall(r"^````text\n(.*?)^````", page, re.DOTALL | re.MULTILINE)
    (tmp_path / "old.toml").write_text(old, encoding="utf-8")
    (tmp_path / "new.toml").write_text(new, encoding="utf-8")
    done = tidegate("diff", "old.toml", "new.toml", "--fail-on", "looser")

    assert (done.stdout.decode(), done.returncode) == (text, 1)
    assert tidegate("diff", "old.toml", "new.toml", "--format", "markdown").stdout.decode() == markdown

    (tmp_path / "old.toml").write_text(limited, encoding="utf-8")
    (tmp_path / "new.toml").write_text(limited.replace("5/minute", "9/hour"), encoding="utf-8")

    assert tidegate("diff", "old.toml", "new.toml").stdout.decode() == rows


@pytest.mark.parametrize(
    ("order", "fail_on", "code"),
    [
        (("old.toml", "new.toml"), "looser", 1),
        (("old.toml", "new.toml"), "stricter", 0),
        (("old.toml", "new.toml"), "any", 1),
        (("new.toml", "old.toml"), "looser", 0),
        (("new.toml", "old.toml"), "stricter", 1),
        (("old.toml", "old.toml"), "any", 0),
        (("old.toml", "new.toml"), None, 0),
    ],
)
def test_exit_code_is_that_of_the_direction(tidegate, files, order, fail_on, code):
    """`--fail-on` fails for its own direction, and without it a difference is no failure."""
    assert tidegate("diff", *order, *(("--fail-on", fail_on) if fail_on else ())).returncode == code


def test_what_is_not_decided_fails_too(tidegate, files):
    """A direction that is not ruled out counts as one that is there."""
    rewrite = '\n[[rule]]\nid = "w"\nkind = "rewrite"\nset = {{ "/x" = {} }}\n'
    for name, value in (("old.toml", 1), ("new.toml", 2)):
        (files / name).write_text(RULES.format('"get_time"') + rewrite.format(value), encoding="utf-8")
    done = tidegate("diff", "old.toml", "new.toml", "--fail-on", "looser")

    assert b"not decided: `get_time`" in done.stdout
    assert done.returncode == 1


def test_calls_are_decided_as_they_say_by_both(tidegate, files):
    """`decide` reads each call and decides it by either file as the comparison says."""
    report = json.loads(tidegate("diff", "old.toml", "new.toml", "--json").stdout)
    rows = [row["looser"] for row in report["tools"] if "call" in row["looser"]]

    assert len(rows) == 1
    for side in ("old", "new"):
        done = tidegate("decide", f"{side}.toml", say="".join(f"{row['call']}\n" for row in rows))
        answers = [json.loads(line) for line in done.stdout.splitlines()]

        assert [(one["effect"], one["rule"]) for one in answers] == [
            (row[side]["effect"], row[side]["rule"]) for row in rows
        ]


def test_limit_is_shown_by_as_many_lines_as_it_takes(tidegate, files):
    """The call of a limit, put before `decide` so many times, ends as the comparison says."""
    limit = '\n[[rule]]\nid = "w"\nkind = "rate-limit"\nlimit = "{}/minute"\nper = ["tool"]\n'
    for name, number in (("old.toml", 3), ("new.toml", 5)):
        (files / name).write_text(RULES.format('"get_time"') + limit.format(number), encoding="utf-8")
    report = json.loads(tidegate("diff", "old.toml", "new.toml", "--json").stdout)
    shown = report["tools"][0]["looser"]

    assert (report["tools"][0]["tool"], shown["times"]) == ("get_time", 4)
    for side in ("old", "new"):
        done = tidegate("decide", f"{side}.toml", say=f"{shown['call']}\n" * shown["times"])

        assert json.loads(done.stdout.splitlines()[-1])["effect"] == shown[side]["effect"]


@pytest.fixture
def repository(tmp_path):
    """A repository whose rules, with an include, have changed since its first commit, and again since its last."""

    def git(*words):
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", "-C", tmp_path, *identity, *words], check=True, capture_output=True)

    git("init", "-q")
    (tmp_path / "sub").mkdir()
    rules, more = tmp_path / "sub/rules.toml", tmp_path / "sub/more.toml"
    rules.write_text('version = 1\ndefault = "ask"\ninclude = ["more.toml"]\n', encoding="utf-8")
    for number, names in enumerate(['"a"', '"a", "b"', '"a", "b", "c"']):
        more.write_text('version = 1\n\n[[rule]]\nid = "r"\nkind = "tools"\nallow = [%s]\n' % names, encoding="utf-8")  # noqa: UP031 - braces
        if number < 2:
            git("add", ".")
            git("commit", "-q", "-m", str(number))
    return tmp_path


@pytest.mark.parametrize(
    ("words", "looser"),
    [
        (("--git", "HEAD", "sub/rules.toml"), ["c"]),
        (("--git", "HEAD~1", "sub/rules.toml"), ["b", "c"]),
        (("HEAD~1:sub/rules.toml", "HEAD:sub/rules.toml"), ["b"]),
        (("HEAD:sub/rules.toml", "sub/rules.toml"), ["c"]),
    ],
)
def test_revisions_are_read_with_what_they_include(tidegate, repository, words, looser):
    """A file at a revision is compared together with its includes at that revision."""
    report = json.loads(tidegate("diff", *words, "--json").stdout)

    assert [row["tool"] for row in report["tools"] if row["verdict"] == "looser"] == looser


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--git", "nowhere", "sub/rules.toml"), b"nowhere"),
        (("--git", "--help", "sub/rules.toml"), b"--help"),
        (("HEAD:sub/none.toml", "sub/rules.toml"), b"has no file"),
        (("--git", "HEAD", "a", "b"), b"one file is named"),
        (("sub/rules.toml",), b"name two files"),
    ],
)
def test_misuse_is_said_in_one_sentence(tidegate, repository, words, said):
    """A revision or a file that is not there ends in a text and in exit code 2."""
    done = tidegate("diff", *words)

    assert done.returncode == 2
    assert said in done.stderr
    assert b"Traceback" not in done.stderr


def test_outside_of_a_repository_there_are_no_revisions(tidegate, files):
    done = tidegate("diff", "--git", "HEAD", "old.toml", GIT_CEILING_DIRECTORIES=str(files.parent))

    assert done.returncode == 2
    assert b"repository" in done.stderr
