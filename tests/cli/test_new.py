"""`tidegate new`: what is written at first passes, and the scaffold of a kind really works."""

import json
import os
import subprocess
import sys

import pytest
import tomli

from tidegate import Engine
from tidegate.kinds import builtin_names
from tidegate.lang.inline import inline, is_writable

TOOLS = [
    {"name": "read_file", "input_schema": {"properties": {"path": {"type": "string"}}}},
    {
        "name": "save_note",
        "input_schema": {"properties": {"file_path": {"type": "string"}, "body": {"type": "string"}}},
    },
    {"name": "fetchPage", "input_schema": {"properties": {"url": {"type": "string"}}, "required": ["url"]}},
    {"name": "run_bash", "input_schema": {"properties": {"command": {"type": "string"}}}},
    {"name": "sh", "input_schema": {"properties": {"cmd": {"type": "string"}}, "required": ["cmd"]}},
    {"name": "copy_all", "input_schema": {"properties": {"paths": {"type": "array"}, "n": {"type": "integer"}}}},
    {"name": "create ticket", "input_schema": {"properties": {"title": {"type": "string"}}, "required": ["title"]}},
    {"name": "get_time", "input_schema": {}},
]

CALLS = [
    {"tool": "read_file", "args": {"path": "src/a/b.py"}, "cwd": "/home/me/p"},
    {"tool": "read_file", "args": {"path": "README.md"}, "cwd": "/home/me/p"},
    {"tool": "read_file", "args": {"path": "/home/me/p/src/c.py"}, "cwd": "/home/me/p"},
    {"tool": "read_file", "args": {"path": "/etc/[odd]*name"}, "cwd": "/home/me/p"},
    {"tool": "write_file", "args": {"path": "src/a.py", "content": "x\n" * 500}, "cwd": "/home/me/p"},
    {"tool": "delete_file", "args": {"path": "build/x"}, "cwd": "/home/me/p"},
    {"tool": "list_dir", "args": {}, "cwd": "/home/me/p"},
    {"tool": "run_bash", "args": {"command": "git status --short"}, "cwd": "/home/me/p"},
    {"tool": "run_bash", "args": {"command": "git diff HEAD~1 | head -5"}, "cwd": "/home/me/p"},
    {"tool": "run_bash", "args": {"command": "rm -r 'build/o [1]' && mkdir -p build; rm build/x"}, "cwd": "/home/me/p"},
    {"tool": "run_bash", "args": {"command": "grep -rn 'a b' src | sort -u"}, "cwd": "/home/me/p"},
    {"tool": "http_get", "args": {"url": "https://example.com:8443/a?b=c"}},
    {"tool": "get_time", "args": {"zone": "UTC", "odd": None}},
]


def lines(calls):
    return "".join(json.dumps(call) + "\n" for call in calls)


@pytest.mark.parametrize("default", ["ask", "deny", "allow"])
def test_a_policy_without_answers_passes(tidegate, default):
    """Without a terminal the answers of a careful person are taken; the file passes `check`, warnings included."""
    written = tidegate("new", "policy", "--default", default)
    checked = tidegate("check", "--strict")

    assert (written.returncode, written.stdout) == (0, b"wrote rules.toml; see `tidegate check rules.toml`\n")
    assert (checked.returncode, checked.stdout[:5]) == (0, b"fine:")


@pytest.mark.parametrize("default", ["ask", "deny", "allow"])
def test_a_policy_from_tools_passes(tidegate, tmp_path, default):
    """From the tools of an agent comes a rule for each group of them, with examples that hold."""
    (tmp_path / "tools.json").write_text(json.dumps(TOOLS))
    written = tidegate("new", "policy", "--from", "tools.json", "--default", default)
    checked = tidegate("check", "--tools", "tools.json", "--json")
    strict = tidegate("check", "--strict")
    report = json.loads(checked.stdout)
    rules = tomli.loads((tmp_path / "rules.toml").read_text())["rule"]

    assert (written.returncode, checked.returncode, report["errors"], strict.returncode) == (0, 0, 0, 0)
    assert {rule["id"]: rule["tools"] if "tools" in rule else rule["deny"] for rule in rules} == {
        "read-files": ["read_file"],
        "change-files": ["save_note", "copy_all"],
        "commands": ["run_bash", "sh"],
        "web": ["fetchPage"],
        "other-tools": ["create ticket", "get_time"],
    }


def test_a_policy_from_calls_grants_what_was_called(tidegate, tmp_path):
    """From recorded calls come grants under which all of them are allowed, and little more is."""
    (tmp_path / "calls.jsonl").write_text(lines(CALLS))
    written = tidegate("new", "policy", "--from", "calls.jsonl")
    checked = tidegate("check", "--strict")
    placed = [{"home": "/home/dev", "root": call.get("cwd"), **call} for call in CALLS]
    decided = tidegate("decide", "rules.toml", say=lines(placed))
    effects = [json.loads(line)["effect"] for line in decided.stdout.splitlines()]
    others = [
        {"tool": "read_file", "args": {"path": "docs/x.md"}, "cwd": "/home/me/p", "root": "/home/me/p"},
        {"tool": "read_file", "args": {"path": "/etc/oddname"}, "cwd": "/home/me/p"},
        {"tool": "write_file", "args": {"path": "README.md", "content": ""}, "cwd": "/home/me/p", "root": "/home/me/p"},
        {"tool": "run_bash", "args": {"command": "git push"}, "cwd": "/home/me/p"},
        {"tool": "run_bash", "args": {"command": "rm -r build"}, "cwd": "/home/me/p"},
        {"tool": "run_bash", "args": {"command": "rm src/a.py"}, "cwd": "/home/me/p"},
        {"tool": "http_get", "args": {"url": "https://example.com/"}},
    ]
    refused = tidegate("decide", "rules.toml", say=lines(others))

    assert (written.returncode, checked.returncode, checked.stdout[:5]) == (0, 0, b"fine:")
    assert effects == ["allow"] * len(CALLS)
    assert {json.loads(line)["effect"] for line in refused.stdout.splitlines()} == {"ask"}


def test_a_policy_from_tools_leaves_open_what_no_name_tells(tidegate, tmp_path):
    """An argument that could be a path or a URL stays in the sight of denies, and a comment names it."""
    texts = {name: {"type": "string"} for name in ("url", "save_to", "callback")}
    (tmp_path / "tools.json").write_text(json.dumps([{"name": "fetch", "input_schema": {"properties": texts}}]))
    tidegate("new", "policy", "--from", "tools.json", "--default", "allow")
    deny = '[[rule]]\nid = "etc"\nkind = "path"\ndeny = ["/etc/**"]\n'
    written = (tmp_path / "rules.toml").read_text()
    (tmp_path / "rules.toml").write_text(written + deny)
    args = [{"save_to": "/etc/cron.d/x"}, {"callback": "http://169.254.169.254/"}, {"save_to": "x"}]
    decided = tidegate("decide", "rules.toml", say=lines({"tool": "fetch", "args": one} for one in args))

    assert tomli.loads(written)["tools"] == {"fetch": {"url": {"role": "url"}}}
    assert "#   fetch: save_to, callback" in written
    assert [json.loads(line)["effect"] for line in decided.stdout.splitlines()] == ["deny", "deny", "allow"]


FAR = [
    ("read_file", {"file": "a.txt"}, {"file": "/etc/passwd"}),
    ("read_file", {"file": "a"}, {"path": "/etc/passwd"}),
    ("run_bash", {"command": "cat /etc/passwd"}, {"command": "cat /etc/shadow"}),
    ("run_bash", {"command": "python -c 'print(1)'"}, {"command": "python x.py"}),
    ("run_bash", {"command": "sudo ls"}, {"command": "sudo rm -rf /"}),
    ("run_bash", {"command": "make"}, {"command": "make deploy"}),
    ("run_bash", {"command": "awk '{print}' a"}, {"command": "awk 'BEGIN { print 1 }' /etc/passwd"}),
    ("attach_file", {"path": "../x"}, {"path": "/etc/passwd"}),
    ("attach", {"target": "../x"}, {"target": "/etc/passwd"}),
    ("attach", {"target": "~root"}, {"target": "~other"}),
    ("load", {"uri": "https://a.test/x"}, {"uri": "https://b.test/x"}),
    ("act", {"where": "https://a.test/x"}, {"where": "https://b.test/x"}),
]


@pytest.mark.parametrize(("tool", "called", "other"), FAR, ids=[f"{tool} {called}" for tool, called, _ in FAR])
def test_a_policy_from_one_call_does_not_grant_another(tidegate, tmp_path, tool, called, other):
    """One call is no reason to allow another file, program, host or option."""
    (tmp_path / "calls.jsonl").write_text(lines([{"tool": tool, "args": called}]))
    written = tidegate("new", "policy", "--from", "calls.jsonl")
    decided = tidegate("decide", "rules.toml", say=lines([{"tool": tool, "args": other, "root": "/srv/project"}]))

    assert (written.returncode, tidegate("check", "--strict").returncode) == (0, 0)
    assert json.loads(decided.stdout)["effect"] in ("ask", "deny")


def test_a_path_outside_of_the_root_is_for_the_tool_that_was_there(tidegate, tmp_path):
    """What one tool did elsewhere, no other tool may do."""
    calls = [("read_file", "a/b"), ("write_file", "a/b"), ("write_file", "/var/log/x"), ("edit_file", "a/c")]
    said = [{"tool": tool, "args": {"path": path}, "root": "/srv/p", "cwd": "/srv/p"} for tool, path in calls]
    (tmp_path / "calls.jsonl").write_text(lines(said))
    tidegate("new", "policy", "--from", "calls.jsonl")
    other = {**said[3], "args": {"path": "/var/log/x"}}
    decided = tidegate("decide", "rules.toml", say=lines([*said, other]))
    effects = [json.loads(line)["effect"] for line in decided.stdout.splitlines()]

    assert tidegate("check", "--strict").returncode == 0
    assert effects == ["allow"] * 4 + ["ask"]


def test_a_policy_from_calls_of_many_tools_passes_strictly(tidegate, tmp_path):
    """Each tool that is granted as such stands in an example, so that its name is known."""
    calls = [{"tool": f"mcp__x__{n}", "args": {"n": n, "body": "x" * n * 200}} for n in range(3)]
    (tmp_path / "calls.jsonl").write_text(lines([*calls, {"tool": "mcp__x__odd", "args": {"list": [1] * 200}}]))
    tidegate("new", "policy", "--from", "calls.jsonl")
    checked = tidegate("check", "--strict")

    assert (checked.returncode, checked.stdout[:5]) == (0, b"fine:")


def test_what_no_grant_can_name_is_told(tidegate, tmp_path):
    """Calls that the draft does not allow stand in a comment, and broken lines are passed over aloud."""
    (tmp_path / "calls.jsonl").write_text('[1]\n{"tool": "run_bash", "args": {"command": "$(cat x)"}}\n')
    done = tidegate("new", "policy", "--from", "calls.jsonl", "--out", "-")

    assert done.returncode == 0
    assert b"passed over: line 1 is no call" in done.stderr
    assert b"# Not allowed by these rules, although it was called:\n#   call 1, run_bash: " in done.stdout


def test_nothing_is_overwritten(tidegate, rules):
    """A file that is there already stays as it is."""
    before = rules.read_bytes()
    done = tidegate("new", "policy")

    assert (done.returncode, done.stdout) == (2, b"")
    assert rules.read_bytes() == before


def test_what_is_neither_tools_nor_calls_is_refused(tidegate, tmp_path):
    """The text says why it is neither."""
    (tmp_path / "x.json").write_text("3")
    done = tidegate("new", "policy", "--from", "x.json", "--out", "-")

    assert (done.returncode, done.stdout) == (2, b"")
    assert b"holds neither calls (line 1 is no call: it is a number, not an object) nor tools" in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="pseudo-terminals are POSIX's")
def test_answers_at_a_terminal(tmp_path, environment):
    """At a terminal four questions are asked, each until its answer gives rules that pass `check`."""
    import pty

    controller, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "tidegate", "new", "policy"],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        cwd=tmp_path,
        env=environment,
    )
    refused = b"ls && x\n", b"git status\n"
    os.write(controller, b"deny\n{root}/[src\n{root}/src\n%bgit status ..., ls\n%bexample.com\n" % refused)
    code = process.wait(60)
    os.close(terminal)
    os.close(controller)
    written = tomli.loads((tmp_path / "rules.toml").read_text())

    assert code == 0
    assert written["default"] == "deny"
    assert [rule["allow"] for rule in written["rule"]] == [
        ["{root}/src/**"],
        ["git status ...", "ls"],
        ["https://example.com"],
    ]


@pytest.mark.parametrize("name", builtin_names())
def test_a_rule_of_every_kind(tidegate, tmp_path, name):
    """The printed rule is one of that kind, and passes `check` where it is pasted into a file."""
    done = tidegate("new", "rule", name, "--id", "mine")
    (tmp_path / "rules.toml").write_text("version = 1\n" + done.stdout.decode())
    rule = tomli.loads(done.stdout.decode())["rule"][0]

    assert done.returncode == 0
    assert (rule["id"], rule["kind"]) == ("mine", name)
    assert Engine.load(tmp_path / "rules.toml").findings == ()
    assert tidegate("check", "--strict").returncode == 0


def test_json(tidegate, tmp_path):
    """`--json` is one object that says what was written and where."""
    policy, printed, rule, kind = (
        json.loads(tidegate("new", *words, "--json").stdout)
        for words in (("policy",), ("policy", "--out", "-"), ("rule", "path"), ("kind", "mine"))
    )

    assert policy == {"wrote": "rules.toml", "toml": (tmp_path / "rules.toml").read_text()}
    assert printed == {"wrote": None, "toml": policy["toml"]}
    assert (rule["kind"], tomli.loads(rule["toml"])["rule"][0]["kind"]) == ("path", "path")
    assert sorted(kind["files"]) == sorted(
        path.relative_to(tmp_path / kind["wrote"]).as_posix()
        for path in (tmp_path / kind["wrote"]).rglob("*")
        if path.is_file()
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("rule", "pth"), "there is no kind `pth`; did you mean `path`"),
        (("rule", "path", "--id", "A b"), "an `id` is made of"),
        (("kind", "Path"), "small letters"),
        (("kind", "path"), "ships with tidegate"),
        (("kind", "../x"), "small letters"),
    ],
)
def test_misuse(tidegate, tmp_path, words, said):
    """Names that cannot be used end in 2, and nothing is written."""
    done = tidegate("new", *words)

    assert (done.returncode, done.stdout) == (2, b"")
    assert said in done.stderr.decode()
    assert list(tmp_path.iterdir()) == []


def test_the_scaffold_of_a_kind_works(tidegate, tmp_path, environment):
    """The package that is written offers its kind by its entry point, and passes its own test."""
    done = tidegate("new", "kind", "colour-words", "--out", "mine")
    project = tomli.loads((tmp_path / "mine/pyproject.toml").read_text())["project"]
    installed = tmp_path / "site/tidegate_kind_colour_words-0.1.0.dist-info"
    installed.mkdir(parents=True)
    (installed / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: 0.1.0\n")
    points = project["entry-points"]["tidegate.kinds"].items()
    text = "".join(f"{name} = {target}\n" for name, target in points)
    (installed / "entry_points.txt").write_text(f"[tidegate.kinds]\n{text}")
    paths = os.pathsep.join(
        filter(None, [str(tmp_path / "site"), str(tmp_path / "mine"), os.environ.get("PYTHONPATH")])
    )
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"],
        capture_output=True,
        cwd=tmp_path / "mine",
        env={**environment, "PYTHONPATH": paths},
        check=False,
    )

    assert done.returncode == 0
    assert sorted(path.name for path in (tmp_path / "mine").iterdir() if path.name != "__pycache__") == [
        "pyproject.toml",
        "tests",
        "tidegate_kind_colour_words.py",
    ]
    assert tested.returncode == 0, tested.stdout.decode()
    assert b"2 passed" in tested.stdout


def test_an_existing_folder_is_never_changed(tidegate, tmp_path):
    """A folder that is there already stays as it is."""
    (tmp_path / "mine").mkdir()

    assert tidegate("new", "kind", "colour", "--out", "mine").returncode == 2
    assert list((tmp_path / "mine").iterdir()) == []


@pytest.mark.parametrize(
    "item",
    [
        "plain",
        'quo"te\\',
        "line\nbreak",
        "",
        3,
        -2.5,
        True,
        ["a", "b"],
        [],
        {"a b": {"c": [1, {"d": "e"}]}},
        {},
        ["x" * 60] * 3,
    ],
)
def test_values_are_read_back_as_they_were(item):
    """What is written as TOML is what a parser reads."""
    assert tomli.loads(f"x = {inline(item)}")["x"] == item


def test_what_toml_cannot_say_is_seen():
    """TOML has no null and no integer of more than 64 bits."""
    assert [is_writable(item) for item in (None, {"a": [None]}, 2**63, 2**63 - 1, "a")] == [
        False,
        False,
        False,
        True,
        True,
    ]


KIND_MODULE = """\
from attrs import frozen
from tidegate.kind import Example, Guard, Kind, Phase

@frozen
class Ticket:
    \"\"\"Refuse every ticket.\"\"\"

TOML = '[[rule]]\\nid = "x"\\nkind = "acme-ticket"\\n'
KIND = Kind("acme-ticket", Phase.GUARD, Ticket, lambda *_: Guard(), (Example("all", TOML),))
"""


def test_a_rule_of_an_installed_kind(tidegate, tmp_path):
    """Its code runs only where that is asked for, and the rule says that the kind must be named."""
    folder = tmp_path / "site/acme-1.0.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text("[tidegate.kinds]\nacme-ticket = acme_ticket:KIND\n")
    (tmp_path / "site/acme_ticket.py").write_text(KIND_MODULE)
    paths = os.pathsep.join([str(tmp_path / "site"), *filter(None, [os.environ.get("PYTHONPATH")])])
    unasked = tidegate("new", "rule", "acme-ticket", PYTHONPATH=paths)
    near = tidegate("new", "rule", "acme-tickets", "--installed", PYTHONPATH=paths)
    asked = tidegate("new", "rule", "acme-ticket", "--installed", PYTHONPATH=paths)

    assert (unasked.returncode, near.returncode, asked.returncode) == (2, 2, 0)
    assert b"add `--installed`" in unasked.stderr
    assert b"did you mean `acme-ticket`" in near.stderr
    assert b'kinds = ["acme-ticket"]' in asked.stdout
    assert tomli.loads(asked.stdout.decode())["rule"] == [{"id": "x", "kind": "acme-ticket"}]


def test_the_scaffold_says_how_to_get_what_its_test_needs(tidegate):
    """`pytest` may not be there."""
    said = tidegate("new", "kind", "mine").stdout.decode().split("\n")

    assert "  pip install pytest -e tidegate-kind-mine" in said
    assert "  python -m pytest tidegate-kind-mine" in said
