"""`tidegate run`: real tools behind real rules, with a table and a sum."""

import json
import os
import stat
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the calls are made for POSIX")

CALLS = """\
{"tool": "write_file", "args": {"path": "src/a.py", "content": "print(1)\\n"}, "call_id": "w1"}
{"tool": "read_file", "args": {"path": "src/a.py"}}
{"tool": "read_file", "args": {"path": "../../etc/passwd"}}
[3]
{"tool": "read_file", "args": {"path": "away/passwd"}}
{"tool": "delete_file", "args": {"path": "src/a.py"}}
{"tool": "nosuch", "args": {}}
{"tool": "read_file", "args": {"path": "nope"}}
{"tool": "write_file", "args": {"path": "rules.toml", "content": ""}}
"""
MORE = '[[rule]]\nid = "short"\nkind = "rewrite"\ntools = ["read_file"]\ndefault = { "/limit" = 1 }\n'


@pytest.fixture
def calls(tmp_path, rules):
    """Recorded calls, in a project with a link that leads out of it."""
    rules.write_text(rules.read_text() + MORE)
    (tmp_path / "away").symlink_to("/etc")
    path = tmp_path / "calls.jsonl"
    path.write_text(CALLS)
    return path


def rows(done):
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_calls_are_judged_and_run(tidegate, rules, calls, tmp_path):
    """What is allowed really happens, and what is not never does; the other lines go on."""
    done = tidegate("run", rules, calls, "--json")
    effects = [(row["line"], row["effect"], row["rule"]) for row in rows(done)]

    assert (done.returncode, done.stderr) == (1, b"")
    assert effects == [
        (1, "allow", "workspace"),
        (2, "allow", "workspace"),
        (3, "deny", "workspace"),
        (4, "deny", None),
        (5, "deny", "workspace"),
        (6, "deny", None),
        (7, "deny", None),
        (8, "allow", "workspace"),
        (9, "deny", "tidegate/self-protection"),
    ]
    assert (tmp_path / "src/a.py").read_text() == "print(1)\n"
    assert rules.read_text().startswith("version = 1")


def test_results_and_rewrites_stand_in_the_json(tidegate, rules, calls):
    """A row holds the result, and the arguments before and after a rewrite."""
    written, read, refused, *_ = rows(tidegate("run", rules, calls, "--json"))

    assert (written["call_id"], written["original"]) == ("w1", None)
    assert written["result"] == {"is_error": False, "text": "wrote 9 bytes", "structured": None}
    assert (read["original"], read["arguments"]) == ({"path": "src/a.py"}, {"path": "src/a.py", "limit": 1})
    assert read["result"]["text"] == "print(1)\n"
    assert (refused["reason"], refused["result"]["is_error"]) == ("stay inside the project", True)


def test_the_table_names_rule_and_reason_and_ends_in_a_sum(tidegate, rules, calls):
    """A person sees each decision with its rule, why it was refused, and how often which rule decided."""
    text = tidegate("run", rules, calls).stdout.decode()
    lines = text.split("\n")

    assert lines[0].split() == ["line", "verdict", "ran", "tool", "rule", "call"]
    assert lines[1].split()[:5] == ["1", "allow", "ok", "write_file", "workspace"]
    assert '      rewritten; it said {"path": "src/a.py"}' in lines
    assert "      stay inside the project" in lines
    assert "      line 4 is no call: it is an array, not an object" in lines
    assert any(line.split() == ["allow", "workspace", "3"] for line in lines)
    assert lines[-2] == "9 calls: 3 allow, 2 ask>deny, 4 deny"
    assert "\x1b" not in text


def test_the_table_names_the_rules_that_changed_a_result(tidegate, rules, tmp_path):
    """Who reads the table sees that an output was cut, by which rule, and how much is left."""
    rules.write_text(rules.read_text() + '[[rule]]\nid = "short"\nkind = "truncate"\nmax_bytes = 60\n')
    (tmp_path / "long.txt").write_text("x" * 5_000)
    (tmp_path / "one.jsonl").write_text('{"tool": "read_file", "args": {"path": "long.txt"}}\n')
    text = tidegate("run", rules, "one.jsonl").stdout.decode()
    (row,) = rows(tidegate("run", rules, "one.jsonl", "--json"))

    assert "      result changed by short; 60 bytes of text came back\n" in text
    assert row["shaped"] == ["short"]


def test_colour_is_forced_and_forbidden(tidegate, rules, calls):
    """`FORCE_COLOR` colours where there is no terminal, and `NO_COLOR` has the last word."""
    forced = tidegate("run", rules, calls, FORCE_COLOR="1").stdout
    forbidden = tidegate("run", rules, calls, FORCE_COLOR="1", NO_COLOR="1").stdout

    assert b"\x1b[31m" in forced
    assert b"\x1b" not in forbidden


def test_approve_allow_says_yes(tidegate, rules, calls, tmp_path):
    """With `--approve allow` what is asked is allowed, and marked as asked."""
    row = rows(tidegate("run", rules, calls, "--json", "--approve", "allow"))[5]

    assert (row["effect"], row["asked"], row["result"]["is_error"]) == ("allow", True, False)
    assert not (tmp_path / "src/a.py").exists()


def test_without_a_terminal_asking_is_refusing(tidegate, rules, calls):
    """Where nobody can be asked, and with `--approve deny`, a question is a refusal that says which of both it is."""
    for words, said in (((), "there is nobody to ask"), (("--approve", "deny"), "`--approve deny` refuses it")):
        row = rows(tidegate("run", rules, calls, "--json", *words))[5]

        assert (row["effect"], row["asked"]) == ("deny", True)
        assert row["reason"].startswith(f"this call needs approval, and {said}: ")


@pytest.mark.parametrize(("answer", "effect"), [(b"y\n", "allow"), (b"n\n", "deny"), (b"\n", "deny"), (b"", "deny")])
def test_a_person_is_asked(tidegate, rules, calls, answer, effect):
    """With `--approve ask` the question is put on standard error, and only a plain yes is one."""
    calls.write_text('{"tool": "delete_file", "args": {"path": "a\\u001b[2J"}}\n')
    done = tidegate("run", rules, calls, "--json", "--approve", "ask", say=answer)
    asked = done.stderr.decode()

    assert rows(done)[0]["effect"] == effect
    assert "ask `delete_file`" in asked
    assert "does: deleting" in asked
    assert "\x1b" not in asked


def test_the_root_is_where_calls_happen(tidegate, rules, tmp_path):
    """`--root` is the folder of the calls, and beyond it no file tool goes, whatever the rules grant."""
    rules.write_text('version = 1\n[[rule]]\nid = "all"\nkind = "path"\nallow = ["/**"]\n')
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/a.txt").write_text("inside")
    (tmp_path / "b.txt").write_text("outside")
    calls = tmp_path / "calls.jsonl"
    calls.write_text(
        '{"tool": "read_file", "args": {"path": "a.txt"}}\n{"tool": "read_file", "args": {"path": "../b.txt"}}\n'
    )
    inside, outside = rows(tidegate("run", rules, calls, "--json", "--root", "sub"))

    assert inside["result"]["text"] == "inside"
    assert (outside["effect"], outside["result"]["is_error"]) == ("allow", True)
    assert "leaves the folder" in outside["result"]["text"]


def test_records_are_written_for_the_owner(tidegate, rules, calls, tmp_path):
    """`--audit` appends one record for each decision, in a file that others cannot read."""
    tidegate("run", rules, calls, "--audit", "audit.jsonl")
    records = [json.loads(line) for line in (tmp_path / "audit.jsonl").read_text().splitlines()]

    assert stat.S_IMODE((tmp_path / "audit.jsonl").stat().st_mode) == 0o600
    assert [record["effect"] for record in records] == ["allow"] * 2 + ["deny"] * 4 + ["allow", "deny"]
    assert [record["entered"] for record in records] == [True, True, None, None, None, None, True, None]


def test_records_are_protected(tidegate, rules, tmp_path):
    """No judged call may change the file of records."""
    calls = tmp_path / "calls.jsonl"
    calls.write_text('{"tool": "write_file", "args": {"path": "audit.jsonl", "content": ""}}\n')
    row = rows(tidegate("run", rules, calls, "--json", "--audit", "audit.jsonl"))[0]

    assert (row["effect"], row["rule"]) == ("deny", "tidegate/self-protection")


SERVER = """\
from mcp.server.mcpserver import MCPServer
server = MCPServer("calc")
@server.tool()
def add(a: int, b: int) -> int:
    "Add."
    return a + b
server.run()
"""


def test_an_mcp_server_is_started_and_guarded(tidegate, rules, tmp_path):
    """The tools of a server over stdio are judged like any other."""
    pytest.importorskip("mcp")
    (tmp_path / "server.py").write_text(SERVER)
    rules.write_text('version = 1\n[[rule]]\nid = "calc"\nkind = "tools"\nallow = ["mcp__calc__add"]\n')
    calls = tmp_path / "calls.jsonl"
    calls.write_text(
        '{"tool": "mcp__calc__add", "args": {"a": 2, "b": 3}}\n{"tool": "mcp__calc__sub", "args": {"a": 2}}\n'
    )
    done = tidegate("run", rules, calls, "--json", "--mcp", f"calc={sys.executable} server.py")
    added, refused = rows(done)

    assert (added["effect"], added["result"]["structured"]) == ("allow", {"result": 5})
    assert refused["effect"] == "deny"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--mcp", "calc"), "must be NAME=COMMAND"),
        (("--mcp", "calc=/nope/server"), "o such file or directory"),
        (("--root", "nope"), "does not exist"),
        (("--audit", "nope/audit.jsonl"), "no such file or directory"),
    ],
)
def test_misuse(tidegate, rules, calls, words, said):
    """What cannot be begun ends in 2 with one clear text, and runs nothing."""
    done = tidegate("run", rules, calls, *words)

    assert (done.returncode, done.stdout) == (2, b"")
    assert said in done.stderr.decode()
    assert "Traceback" not in done.stderr.decode()


OWN_TERMINAL = """\
import fcntl, os, signal, sys, termios
signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell's background jobs, and so their tests, ignore it
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""


def at_a_terminal(words, cwd, environment, keys=b""):
    """Run Python at a pseudo-terminal; *keys* are pressed at the question. Gives what was shown, and the exit code."""
    import pty

    screen, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", OWN_TERMINAL, *map(str, words)],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        start_new_session=True,
        cwd=cwd,
        env={**environment, "TERM": "xterm"},
    )
    os.close(terminal)
    shown = b""
    while True:
        try:
            data = os.read(screen, 65_536)
        except OSError:
            break
        if not data:
            break
        shown += data
        if keys and b"[y/N]" in shown:
            os.write(screen, keys)
            keys = b""
    os.close(screen)
    return shown.decode(), process.wait(60)


def test_at_a_terminal_a_person_is_asked_by_default(rules, tmp_path, environment):
    """Where there is a terminal the question is put without being told to, and tables are drawn in colour."""
    calls = tmp_path / "calls.jsonl"
    calls.write_text('{"tool": "list_dir", "args": {"path": "/"}}\n{"tool": "delete_file", "args": {"path": "x"}}\n')
    (tmp_path / "x").touch()
    shown, code = at_a_terminal(["-m", "tidegate", "run", rules, calls], tmp_path, environment, b"y\n")

    assert code == 1
    assert "allow this call once? [y/N]" in shown
    assert "ask>allow" in shown
    assert "\x1b[31m" in shown
    assert "───" in shown
    assert not (tmp_path / "x").exists()


def test_an_interrupt_at_the_question_ends_quietly(rules, tmp_path, environment):
    """Ctrl-C while a person is asked ends at once, with 130, and the call never runs."""
    calls = tmp_path / "calls.jsonl"
    calls.write_text('{"tool": "delete_file", "args": {"path": "x"}}\n')
    (tmp_path / "x").touch()
    shown, code = at_a_terminal(["-m", "tidegate", "run", rules, calls], tmp_path, environment, b"\x03")

    assert code == 130
    assert "Traceback" not in shown
    assert (tmp_path / "x").exists()


def test_progress_is_shown_at_a_terminal(rules, tmp_path, environment):
    """Whoever waits for many decisions, which go elsewhere, sees how far they have come."""
    calls = tmp_path / "calls.jsonl"
    calls.write_text('{"tool": "read_file", "args": {"path": "x"}}\n' * 3)
    script = f"import sys; sys.stdout = open({str(tmp_path / 'out')!r}, 'w')\n"
    script += f"from tidegate.cli import main; main(['decide', {str(rules)!r}, {str(calls)!r}])"
    shown, _ = at_a_terminal(["-c", script], tmp_path, environment)

    assert shown.rstrip().endswith("3 calls, 3 allow\x1b[K")
    assert (tmp_path / "out").read_text().count("\n") == 3


def test_tools_of_one_server_are_told_apart(tidegate, rules, tmp_path):
    """Names that begin and end alike are cut in the middle, and not so that they become one."""
    start, end = "mcp__tickets_of_the_whole_company__", "_ticket_with_attachments"
    names = [f"{start}create{end}", f"{start}close{end}", f"{start}close"]
    path = tmp_path / "calls.jsonl"
    path.write_text("".join(json.dumps({"tool": name, "args": {}}) + "\n" for name in names))
    table = tidegate("run", rules, path).stdout.decode().split("\n")
    shown = [line.split()[3] for line in table if line[:4].strip().isdigit()]

    assert len(set(shown)) == len(names)
    assert [cell[-5:] for cell in shown] == [name[-5:] for name in names]


def test_shell_of_each_call_starts_with_what_is_attested(tidegate, tmp_path):
    """A variable that nobody set is empty, and a shell has nothing to read: neither could be a refused command."""
    path = tmp_path / "no-reset.toml"
    path.write_text(
        'version = 1\ndefault = "allow"\n[[rule]]\nid = "no-reset"\nkind = "command"\ndeny = ["git reset --hard"]\n'
    )
    texts = ["$NOBODY_SET_THIS echo a", "cat | sh; echo b", 'sh <<< "git reset --hard"', "ls | sort | sh"]
    lines = [json.dumps({"tool": "run_bash", "args": {"command": text}}) for text in texts]
    (tmp_path / "shell.jsonl").write_text("\n".join(lines))

    done = rows(tidegate("run", path, tmp_path / "shell.jsonl", "--json"))

    assert [row["effect"] for row in done] == ["allow", "allow", "deny", "deny"]  # nobody is there to be asked
    assert [row["result"]["text"] for row in done[:2]] == ["a\n", "b\n"]
