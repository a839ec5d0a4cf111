"""`tidegate ci`, the composite action and the hooks for pre-commit."""

import os
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
FINE = """\
version = 1
default = "deny"

[[rule]]
id = "project"
kind = "path"
allow = ["{root}/**"]
otherwise = "deny"

[[rule.example]]
call = { tool = "read_file", args = { path = "a.py" } }
expect = "allow"

[[rule.example]]
call = { tool = "read_file", args = { path = "/etc/passwd" } }
expect = "deny"
"""
LOOSER = FINE.replace('["{root}/**"]', '["{root}/**", "/etc/hosts"]')
GIT = ("git", "-c", "user.name=n", "-c", "user.email=e@e", "-c", "commit.gpgsign=false")


@pytest.fixture
def fine(tmp_path):
    """Rules that nothing is wrong with."""
    path = tmp_path / "rules.toml"
    path.write_text(FINE, encoding="utf-8")
    return path


@pytest.mark.usefixtures("fine")
def test_each_step_has_a_line(tidegate):
    """Where nothing is wrong the summary is all that is printed, and says what was left out."""
    done = tidegate("ci", "--examples", "20")

    lines = done.stdout.decode().rstrip().split("\n")
    assert done.returncode == 0, done.stdout + done.stderr
    assert [line.split()[0] for line in lines] == ["check", "test", "lint", "diff", "fuzz"]
    assert "left out: no revision to compare with was named" in lines[3]


@pytest.mark.usefixtures("fine")
def test_what_a_step_found_is_shown(tidegate, tmp_path):
    """A failing example is told in full, above the summary, and the exit code is 1."""
    (tmp_path / "rules.toml").write_text(FINE.replace('expect = "allow"', 'expect = "deny"'), encoding="utf-8")

    done = tidegate("ci", "--examples", "5", "--format", "markdown")

    told = done.stdout.decode()
    assert done.returncode == 1
    assert "| check | found something |" in told
    assert "error[failing-example]" in told


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@pytest.mark.usefixtures("fine")
def test_rules_must_not_be_looser_than_a_revision(tidegate, tmp_path):
    """With a revision to compare with, a rule that was loosened fails the run."""
    for words in (("init", "-q"), ("add", "rules.toml"), ("commit", "-qm", "one")):
        subprocess.run([*GIT, *words], cwd=tmp_path, check=True)

    same = tidegate("ci", "--examples", "5", "--against", "HEAD")
    (tmp_path / "rules.toml").write_text(LOOSER, encoding="utf-8")
    looser = tidegate("ci", "--examples", "5", "--against", "HEAD")

    assert (same.returncode, looser.returncode) == (0, 1)
    assert "diff   found something" in looser.stdout.decode()


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.usefixtures("fine")
def test_action_runs_it_and_writes_the_summary(tmp_path, environment):
    """The script of the composite action, run as a runner would: its outcome and the summary of the run."""
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    step = action["runs"]["steps"][-1]
    inputs = {name: one["default"] for name, one in action["inputs"].items()} | {"examples": "5"}
    variables = {key: inputs[value[len("${{ inputs.") : -len(" }}")]] for key, value in step["env"].items()}
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/tidegate").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tidegate "$@"\n', encoding="utf-8")
    (tmp_path / "bin/tidegate").chmod(0o755)
    path = f"{tmp_path / 'bin'}{os.pathsep}{environment['PATH']}"

    done = subprocess.run(
        ["bash", "-e", "-c", step["run"]],
        cwd=tmp_path,
        env={**environment, **variables, "PATH": path, "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")},
        capture_output=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert "| check | fine |" in (tmp_path / "summary.md").read_text(encoding="utf-8")


def test_hooks_of_pre_commit_are_commands_that_there_are(tidegate, fine):
    """Every hook names a command which runs without file names."""
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))

    assert [tidegate(*hook["entry"].split()[1:]).returncode for hook in hooks] == [0] * len(hooks)
    assert {hook["pass_filenames"] for hook in hooks} == {False}


def test_hooks_run_under_the_real_pre_commit(tmp_path):
    """A repository that names the hooks has its rules checked, tested and linted, and a broken rule fails."""
    pytest.importorskip("pre_commit", reason="pre-commit is not installed; it fetches what tidegate needs")
    if not (ROOT / ".git").exists():
        pytest.skip("the hooks are taken from a git repository, and this is none")
    project, hooks_of = tmp_path / "project", tmp_path / "hooks"
    project.mkdir()
    run = partial(subprocess.run, cwd=project, capture_output=True, check=False)
    rules = project / "rules.toml"
    rules.write_text(FINE, encoding="utf-8")
    for words in (["git", "clone", "-q", ROOT, hooks_of], ["git", "init", "-q"], ["git", "add", "-A"]):
        assert run(words).returncode == 0
    hooks = [sys.executable, "-m", "pre_commit", "try-repo", str(hooks_of), "--all-files"]
    done = run(hooks)
    if b"An unexpected error" in done.stdout:
        pytest.skip(f"pre-commit could not install the hooks: {done.stdout[-200:]!r}")

    assert (done.returncode, done.stdout.count(b"Passed")) == (0, 3)

    rules.write_text("version = 2\n", encoding="utf-8")

    assert run(hooks).returncode == 1
