"""Policies of other tools become rule files: as shown, with findings, and never where they cannot be read."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.importing.importers import effect, imported, plan_of
from tidegate.call import Tool
from tidegate.cli import main
from tidegate.cli.importing import NAMES
from tidegate.importing.carried import Unreadable

CASES = Path(__file__).resolve().parents[1] / "cases/import"
GIVEN = sorted(path for path in CASES.iterdir() if path.suffix != ".expected")


def source_of(path):
    """What a file of cases is of."""
    return next(name for name in NAMES if path.name.startswith(name))


@pytest.mark.parametrize("path", GIVEN, ids=lambda path: path.name)
def test_source_becomes_what_is_shown(path):
    """Each case has the rules and findings that stand beside it; `TIDEGATE_UPDATE_IMPORTS=1` writes them again."""
    made = imported(source_of(path), path.read_text(encoding="utf-8"), path.name)
    shown = "".join(f"{found}\n" for found in made.findings) + f"\n{made.text}"
    expected = path.with_name(f"{path.name}.expected")
    if os.environ.get("TIDEGATE_UPDATE_IMPORTS"):
        expected.write_text(shown, encoding="utf-8")

    assert shown == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", GIVEN, ids=lambda path: path.name)
def test_rules_pass_check(path, tmp_path, capsys):
    """What the command writes passes `tidegate check`, and is not written over."""
    target = tmp_path / "made.toml"
    code = main(["import", source_of(path), str(path), "-o", str(target)])
    said = capsys.readouterr()

    assert code == int("error[" in said.err)
    assert main(["check", str(target)]) == 0
    assert main(["import", source_of(path), str(path), "-o", str(target)]) == 2


def test_rules_and_findings_are_one_object_in_json(capsys):
    """`--json` has everything on one line."""
    code = main(["import", "codex", str(CASES / "codex.rules"), "--json"])
    said = json.loads(capsys.readouterr().out)

    assert code == 1
    assert said["rules"].startswith("# Made by `tidegate import codex` from codex.rules")
    assert {found["code"] for found in said["findings"]} == {"not-carried-over"}


HOSTILE = {
    "codex": [
        "__import__('os').system('touch ran')",
        'for word in ["a"]:\n    prefix_rule(pattern=[word])',
        'deny = "forbidden"\nprefix_rule(pattern=["rm"], decision=deny)',
        'prefix_rule(pattern=["r" + "m"], decision="forbidden")',
        'prefix_rule(pattern=[f"{1}"])',
        'prefix_rule(pattern=["rm"], decision="forbid")',
        'prefix_rule(["rm"])',
        'prefix_rule(pattern=["rm"], **{})',
        "prefix_rule(pattern=[])",
        'prefix_rule(pattern=["a"], match="b")\x00',
        "prefix_rule(" * 500,
        "(" * 100_000,
        'network_rule(host="*", decision="allow", protocol="https"',
    ],
    "claude-code": ["", "{", "[" * 999, '{"permissions": {"deny": [], "deny": []}}', '{"a": NaN}', '{"a": "\\ud800"}'],
    "opencode": ['{"permission": {"bash": "no"}}', '{"permissions": [{"action": "a"}]}', '{"tools": {"a": 1}}', "{,}"],
    "gemini": ["[[rule]]\ndecision = 'no'", "x = ", "rule = 1", "[[rule]]\ndecision='deny'\nfuture=1",
               "[[rule]]\ndecision='deny'\ntoolName=1"],
    "copilot": ["copilot --deny-tool 'shell(rm", "copilot --deny-tool"],
    "progent": ["[]", '{"a": {}}', '{"a": [[1, 5, {}, 0]]}', '{"*": [[1, 0, {}, 0]]}', '{"a": [[1, 1, 7, 0]]}'],
}  # fmt: skip


@pytest.mark.parametrize(
    ("source", "text"),
    [(source, text) for source, texts in HOSTILE.items() for text in texts],
    ids=lambda value: value[:24].encode("ascii", "replace").decode().replace("\x00", "0"),
)
def test_what_cannot_be_read_makes_no_rules(source, text, tmp_path, monkeypatch, capsys):
    """Where a part cannot be read nothing is written, since it might forbid something, and nothing is executed."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "given").write_text(text, encoding="utf-8")
    code = main(["import", source, "given", "-o", "made.toml"])
    said = capsys.readouterr().err

    assert code == 2
    assert "given:" in said
    assert "internal error" not in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["given"]


@pytest.mark.parametrize("source", NAMES)
@settings(max_examples=60)
@given(text=st.text('{}[]()",:=\n abpermission_rul*', max_size=60) | st.text(max_size=20))
def test_any_text_is_read_or_refused(source, text):
    """Whatever stands in a file, there is a rule file that loads, or the word that it cannot be read."""
    try:
        made = imported(source, text)
    except Unreadable:
        return

    assert plan_of(made)


def test_claude_denies_hold_for_commands_too():
    """A path that may not be read is refused to commands; a refused command behind others."""
    plan = plan_of(imported("claude-code", (CASES / "claude-code.json").read_text(encoding="utf-8")))

    assert effect(plan, "Read", file_path="src/a.py") == "allow"
    assert effect(plan, "Read", file_path="src/.env") == "deny"
    assert effect(plan, "WebFetch", url="https://example.com/a", prompt="x") == "allow"
    assert effect(plan, Tool("mcp__github__get_issue", "mcp", "github", "get_issue"), number=7) == "allow"
    assert effect(plan, "mcp__evil__x") == "deny"
    assert effect(plan, "Edit", file_path="/srv/shop/secrets/a", old_string="", new_string="x") == "deny"


def test_grants_are_for_the_shell_of_the_source():
    """A command that may run in the shell of the source may not run in another tool for that."""
    plan = plan_of(imported("claude-code", '{"permissions": {"allow": ["Bash(git status:*)"]}}'))

    assert effect(plan, "Bash", command="git status --short") == "allow"
    assert effect(plan, "run_bash", command="git status --short") == "ask"


GEMINI = """\
[[rule]]
toolName = "run_shell_command"
commandPrefix = "git"
decision = "deny"
priority = {deny}

[[rule]]
toolName = "run_shell_command"
commandPrefix = "git status"
decision = "allow"
priority = {allow}
"""


@pytest.mark.parametrize(("deny", "allow", "said"), [(5, 1, "deny"), (1, 5, "allow"), (3, 3, "deny")])
def test_stronger_grant_is_an_exception_and_a_weaker_one_is_none(deny, allow, said):
    """What a stronger line allows passes a refusal; what a weaker one allows, or one as strong, does not."""
    plan = plan_of(imported("gemini", GEMINI.format(deny=deny, allow=allow)))

    assert effect(plan, "run_shell_command", command="git status") == said
    assert effect(plan, "run_shell_command", command="git push") == "deny"


@pytest.mark.parametrize(
    ("order", "status", "push"),
    [
        (("*", "git status *", "git *"), "deny", "deny"),
        (("*", "git *", "git status *"), "allow", "deny"),
        (("git status *", "git *", "*"), "ask", "ask"),
    ],
)
def test_last_line_counts_in_opencode(order, status, push):
    """A later line is stronger, and one about everything overrides all before it."""
    says = {"*": "ask", "git *": "deny", "git status *": "allow"}
    made = imported("opencode", json.dumps({"permission": {"bash": {one: says[one] for one in order}}}))
    plan = plan_of(made)

    assert effect(plan, "bash", command="git status") == status
    assert effect(plan, "bash", command="git push") == push


def test_deny_of_everything_is_an_allow_list_in_opencode():
    """What is allowed after a deny of everything is all that may run."""
    made = imported("opencode", '{"permissions": [{"action": "shell", "resource": "*", "effect": "deny"},'
                    '{"action": "shell", "resource": "git status *", "effect": "allow"}]}')  # fmt: skip
    plan = plan_of(made)

    assert effect(plan, "bash", command="git status --short") == "allow"
    assert effect(plan, "bash", command="make") == "deny"


def test_everything_allowed_in_gemini_is_no_default():
    """A rule that allows everything grants tools; a redirection is asked about there, and here."""
    plan = plan_of(imported("gemini", '[[rule]]\ntoolName = "*"\ndecision = "allow"\n'))

    assert effect(plan, "read_file", path="a.py") == "allow"
    assert effect(plan, "run_shell_command", command="git status > /tmp/x") == "ask"


WIDER = [
    ("claude-code", {"permissions": {"allow": ["Bash"], "deny": ["Bash(python -m *)"]}},
     "Bash", {"command": "python -m venv x"}),
    ("claude-code", {"permissions": {"allow": ["Bash"], "deny": ["Bash(python -mpip install *)"]}},
     "Bash", {"command": "python -m pip install x"}),
    ("claude-code", {"permissions": {"allow": ["Task"], "deny": ["Agent(Explore)"]}}, "Task", {}),
    ("claude-code", {"permissions": {"allow": ["Agent"], "deny": ["Task"]}}, "Agent", {}),
    ("claude-code", {"permissions": {"deny": ["mcp__my_server"]}},
     Tool("mcp__my_server__x", "mcp", "my server", "x"), {}),
    ("claude-code", {"permissions": {"deny": ["mcp__s__a_b"]}}, Tool("mcp__s__a_b", "mcp", "s", "a.b"), {}),
    ("opencode", {"permission": {"*": "allow", "ed*": "deny"}}, "write", {"filePath": "/srv/shop/x"}),
    ("opencode", {"permission": {"*": "allow", "e*": {"*.env": "deny"}}}, "write", {"filePath": "/srv/shop/.env"}),
    ("opencode", {"permission": {"ba*": "deny"}}, "shell", {"command": "ls"}),
    ("opencode", {"permission": "deny"}, "other_tool", {}),
    ("opencode", {"permission": {"*": "deny", "bash": "allow"}}, "other_tool", {}),
    ("opencode", {"permissions": [{"action": "*", "resource": "*", "effect": "deny"}]}, "other_tool", {}),
    ("opencode", {"tools": {"*": False}}, "other_tool", {}),
    ("opencode", {"tools": {"shell": False}}, "bash", {"command": "ls"}),
    ("opencode", {"tools": {"write": False}}, "edit", {"filePath": "/srv/shop/x"}),
    ("copilot", "copilot --allow-tool shell --deny-tool write 'shell(git push)'", "bash", {"command": "git push"}),
    ("copilot", "copilot --allow-tool shell --deny-tool write \\\n  shell", "bash", {"command": "ls"}),
    ("copilot", "copilot --allow-tool shell --excluded-tools view bash", "bash", {"command": "ls"}),
    ("copilot", "copilot --allow-tool shell --available-tools view", "bash", {"command": "ls"}),
    ("copilot", "copilot --allow-tool s --disable-mcp-server s", Tool("s-x", "mcp", "s", "x"), {}),
]  # fmt: skip


@pytest.mark.parametrize(("source", "given", "tool", "arguments"), WIDER, ids=range(len(WIDER)))
def test_what_a_source_refuses_in_any_spelling_is_refused(source, given, tool, arguments):
    """Other names of a tool, patterns of actions, lists of values, and tools that nobody has named."""
    text = given if isinstance(given, str) else json.dumps(given)

    assert effect(plan_of(imported(source, text)), tool, **arguments) == "deny"


@pytest.mark.parametrize(
    ("text", "effects"),
    [
        ("copilot --allow-tool write\nshell", ("allow", "ask")),
        ("copilot --allow-tool write && shell", ("allow", "ask")),
        ("copilot --allow-tool=write shell", ("allow", "ask")),
        ("copilot --allow-tool write shell", ("allow", "allow")),
        ("copilot --allow-tool\nwrite", ("allow", "ask")),
    ],
)
def test_values_of_an_option_end_with_the_command(text, effects):
    """What stands on the next line, or behind `=`, is granted nothing."""
    plan = plan_of(imported("copilot", text))

    assert (effect(plan, "edit", path="/srv/shop/x"), effect(plan, "bash", command="ls")) == effects


def test_option_that_nobody_knows_is_told():
    """It may refuse something."""
    made = imported("copilot", "copilot --allow-tool shell --disallow-temp-dir --model x")

    assert [found.what for found in made.findings] == ["`--disallow-temp-dir` is not carried over"]
