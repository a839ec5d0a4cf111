"""What the resident answers is what the hook would have answered by itself."""

import json
import os
import posix
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.resident.conftest import LIMITED, RULES, Running, alone, copied, until

CASES = Path(__file__).parent.parent / "cases"
CALLS = [json.loads(line) for line in (CASES / "calls.jsonl").read_text(encoding="utf-8").splitlines()]
INTENTS = {
    path.read_text(encoding="utf-8").split("\n", 1)[0].removeprefix("# "): path for path in CASES.glob("rules/*.toml")
}
ONCE = settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
REFUSED = "permissionDecisionReason"


def databases(pid):
    """The names of the stores that a process has open."""
    opened = []
    for one in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):
            opened.append(one.readlink().name)
    return [name for name in opened if ".db" in name]


def reason(answer):
    return json.loads(answer[0]).get("hookSpecificOutput", {}).get(REFUSED)


@ONCE
@given(st.sampled_from(CALLS))
def test_labelled_calls_are_answered_as_without_a_resident(resident, event, ask, case):
    """For every labelled call the resident says to the byte what the hook says by itself."""
    data = event(case["tool"], case["args"])

    assert ask(data, rules=INTENTS[case["intent"]]) == alone(data, INTENTS[case["intent"]])


@ONCE
@given(
    st.binary(max_size=200)
    | st.sampled_from([b"{}", b"[]", b'{"hook_event_name": "Stop"}', b'{"hook_event_name": "PreToolUse"}', b"\xff{"])
)
def test_broken_events_are_answered_as_without_a_resident(resident, project, ask, data):
    """What is no event is refused in the same words."""
    assert ask(data) == alone(data)


def test_the_resident_has_answered(resident, event, ask):
    """It counts its answers: the tests above have asked it and nobody else."""
    for _ in range(3):
        ask(event("Read", {"file_path": "/etc/passwd"}))

    assert resident.calls() == 3


def test_results_are_shaped_as_without_a_resident(resident, project, event, ask):
    """An answer after a call is the same, too."""
    (project / "rules.toml").write_text(RULES + '\n[[rule]]\nid = "short"\nkind = "truncate"\nmax_bytes = 60\n')
    data = event("Bash", {"command": "ls"}, hook_event_name="PostToolUse", tool_response={"stdout": "x" * 500})

    assert ask(data) == alone(data)
    assert b"updatedToolOutput" in ask(data)[0]


def test_the_folder_and_the_variables_are_those_of_the_hook(resident, project, event, ask, monkeypatch):
    """Relative rules, `~` and the working folder mean what they mean to the hook."""
    other = project / "other"
    other.mkdir()
    (other / "rules.toml").write_text(RULES.replace("/etc/**", "~/secret/**"), encoding="utf-8")
    data = event("Read", {"file_path": f"{os.environ['HOME']}/secret/a"})
    before = ask(data)
    monkeypatch.chdir(other)

    assert (reason(before), reason(ask(data))) == (None, "stay inside the project")


def test_variables_of_one_call_are_not_those_of_the_next(resident, project, event, ask, monkeypatch):
    """A variable that only the hook before had means nothing to this one."""
    data = event("Bash", {"command": 'cat "$OF_ONE_CALL/passwd"'})
    missing = alone(data)
    with monkeypatch.context() as once:
        once.setenv("OF_ONE_CALL", "/srv")
        once.setitem(posix.environ, b"OF_ONE_CALL", b"/srv")
        given = ask(data)

        assert given == alone(data) != missing

    assert ask(data) == missing


def test_records_are_written_as_without_a_resident(resident, project, event, ask):
    """`--audit` gets one record of each decision."""
    log = project / "audit.jsonl"
    for _ in range(2):
        ask(event("Read", {"file_path": "/etc/passwd"}), "--audit", str(log))

    assert len(log.read_text(encoding="utf-8").splitlines()) == 2


# Rules that change.


def test_changed_rules_hold_at_the_next_call(resident, project, event, ask):
    """No call is judged by rules that do not stand there any more."""
    data = event("Read", {"file_path": "/var/a"})
    seen = [reason(ask(data))]
    for deny in ("/var/**", "/etc/**", "/var/a"):
        (project / "rules.toml").write_text(RULES.replace("/etc/**", deny), encoding="utf-8")
        seen.append(reason(ask(data)))

    assert seen == [None, "stay inside the project", None, "stay inside the project"]


def test_a_new_file_of_an_include_holds_at_the_next_call(resident, project, event, ask):
    """Also a rule file that nobody had read before counts at once."""
    more = project / "more"
    more.mkdir()
    (more / "a.toml").write_text(RULES.replace('default = "allow"\n', ""), encoding="utf-8")
    (project / "rules.toml").write_text('version = 1\ndefault = "allow"\ninclude = ["more/*.toml"]\n', encoding="utf-8")
    data = event("Read", {"file_path": "/var/a"})
    before = reason(ask(data))
    (more / "b.toml").write_text('version = 1\n[[rule]]\nid = "b"\nkind = "path"\ndeny = ["/var/**"]\nmessage = "no"\n')

    assert (before, reason(ask(data))) == (None, "no")


def test_broken_rules_are_told_as_without_a_resident(resident, project, event, ask):
    """Rules that break between two calls refuse the next one in the same words, and mended ones hold again."""
    data = event("Read", {"file_path": "/var/a"})
    whole = ask(data)
    (project / "rules.toml").write_text(RULES + "broken = \n", encoding="utf-8")
    broken = ask(data)

    assert broken == alone(data)
    assert "the rules have an error" in reason(broken)

    (project / "rules.toml").write_text(RULES, encoding="utf-8")

    assert ask(data) == whole


def test_many_projects_and_folders_are_kept_apart(resident, project, event, ask):
    """More rule files and working folders than are kept at once: each call is judged by its own."""
    for number in range(12):
        (project / f"{number}.toml").write_text(RULES.replace("/etc/**", f"/{number}/**"), encoding="utf-8")
        (project / f"in{number}").mkdir()
    for _ in range(2):
        for number in range(12):
            data = event("Read", {"file_path": f"/{number}/x"}, cwd=str(project / f"in{number}"))

            assert reason(ask(data, rules=project / f"{number}.toml")) == "stay inside the project"
    assert resident.said()["plans"] <= 8


def test_installed_hooks_of_each_folder_are_protected(resident, project, event, ask):
    """A plan that is kept protects the settings of the folder in which this very call stands."""
    for name in ("one", "two"):
        (project / name).mkdir()
        settings_file = project / name / ".claude/settings.json"
        data = event("Write", {"file_path": str(settings_file), "content": "{}"}, cwd=str(project / name))

        assert "changed by people only" in reason(ask(data))


def test_rules_with_kinds_of_other_packages_are_left_to_the_hook(resident, project, event, ask):
    """Nobody would see such a package change, so that the resident does not answer."""
    (project / "rules.toml").write_text('version = 1\nkinds = ["other"]\n', encoding="utf-8")

    assert ask(event("Read", {"file_path": "/a"})) is None
    assert resident.calls() == 0


def test_limits_are_counted_beyond_processes(resident, project, event, ask):
    """What the resident counts and what a hook counts by itself is one limit."""
    (project / "rules.toml").write_text(RULES + LIMITED, encoding="utf-8")
    data = event("WebSearch", {"query": "a"})
    given = [ask(data), alone(data), ask(data), alone(data), ask(data), alone(data), ask(data)]

    assert [reason(answer) is None for answer in given] == [True] * 5 + [False] * 2
    if sys.platform == "linux":
        until(lambda: not databases(resident.process.pid))  # nothing stays open between two calls


# Other versions.


@pytest.fixture
def other(tmp_path):
    return copied(tmp_path)


def test_another_installation_has_a_resident_of_its_own(resident, folder, project, event, hook, other, request):
    """A hook never asks the resident of another version, and both live side by side."""
    data = event("Read", {"file_path": "/etc/passwd"})
    hook(data, folder, program=other)
    until(lambda: len([one for one in Path(folder).iterdir() if not one.suffix]) == 2)

    assert resident.calls() == 0
    assert resident.process.poll() is None


def test_a_resident_goes_when_its_own_files_change(folder, project, event, other):
    """What was loaded from files that stand there no more answers no longer."""
    running = Running(folder, other)
    try:
        running.ready()
        with (other.parent / "decision.py").open("a", encoding="utf-8") as file:
            file.write("# changed\n")

        assert running.process.wait(20) == 0
    finally:
        running.close()
