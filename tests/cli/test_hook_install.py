"""`tidegate hook install`, `uninstall` and `status`: a hook in settings that belong to somebody else."""

import json
import os
import re
import subprocess
import sys
from typing import NamedTuple

import pytest

from tests.adapters.harnesses import BEFORE, SHELL, checked, event, verdict
from tidegate.adapters.hook_answers import HARNESSES, Wanted
from tidegate.cli import hook_settings, main
from tidegate.cli.hook import SECONDS
from tidegate.cli.installing.places import PATIENCE, PLACES, entry

RULES = """\
version = 1
default = "allow"

[[rule]]
id = "no-rm"
kind = "command"
deny = ["rm -r"]
"""

OTHERS = {
    "claude-code": '{"model": "x", "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"command": "mine"}]}]}}',
    "gemini": """\
{
    // what I like
    "theme": "dark", /* and no other */
    "hooks": {
        "BeforeTool": [
            { "matcher": "x", "hooks": [{ "type": "command", "command": "mine" }] } // keep this
        ],
        "disabled": []
    }
}
""",
    "codex": '{\n\t"description": "ours",\n\t"hooks": {\n\t\t"Stop": []\n\t}\n}\n',
    "copilot": '{"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "mine", "timeoutSec": 1}]}}\r\n',
    "cursor": '{\n  "version": 1,\n  "hooks": {\n    "stop": [{ "command": "mine" }] // keep this\n  }\n}',
}


@pytest.fixture(params=HARNESSES)
def harness(request):
    """Each harness in turn."""
    return request.param


@pytest.fixture
def settings(harness, tmp_path):
    """The project's settings file, and rules beside it."""
    (tmp_path / "rules.toml").write_text(RULES, encoding="utf-8")
    return tmp_path / PLACES[harness].files["project"]


@pytest.fixture
def quick():
    """The program that asks a resident is installed after all."""


@pytest.fixture(autouse=True)
def alone(request, monkeypatch):
    """Hooks are installed without the program that asks a resident, whose start takes most of the time here."""
    if "quick" not in request.fixturenames:
        monkeypatch.setattr(hook_settings, "quick_command", lambda _: None)


@pytest.fixture
def tidegate(tmp_path, home, monkeypatch, capsys):
    """`tidegate` with these words in this process, in `tmp_path` and with a home of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "state"))

    def run(*words):
        capsys.readouterr()
        code = main(list(words))
        return Done(code, *capsys.readouterr())

    return run


class Done(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


@pytest.fixture
def hook(tidegate, harness):
    """`tidegate hook WORD HARNESS …` with its JSON."""

    def run(word, *words):
        done = tidegate("hook", word, harness, *words, "--json")
        return done.code, json.loads(done.out or "null"), done.err

    return run


def put(settings, text):
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_bytes(text.encode())


def without_comments(text):
    return json.loads(re.sub(r"//[^\n]*|/\*.*?\*/", "", text))


@pytest.fixture
def commands(harness, settings):
    """The lines that the harness would run before a call; none of them starts anything that stays."""

    def find():
        text = re.sub(r'(?<=--resident )[^ |"]+', "off", settings.read_text(encoding="utf-8"))
        entries = without_comments(text)["hooks"][BEFORE[harness]]
        handlers = [one for entry in entries for one in entry.get("hooks", [entry])]
        return [one for one in (one.get("bash") or one["command"] for one in handlers) if "rules.toml" in one]

    return find


@pytest.mark.skipif(os.name != "posix", reason="the lines are for a POSIX shell")
@pytest.mark.usefixtures("quick")
def test_an_installed_hook_judges_calls(hook, harness, commands, environment, tmp_path):
    """What stands in the settings is run by a shell as it is, and refuses; where tidegate is gone, too."""
    code, said, _ = hook("install")
    told = json.dumps(event(harness, BEFORE[harness], SHELL[harness], {"command": "rm -r a"}, tmp_path)).encode()
    (line,) = commands()
    gone = re.sub(r"^\S+", "/nowhere/tidegate", line)
    done, gone = (
        subprocess.run(
            one, shell=True, input=told, capture_output=True, cwd=tmp_path, env=environment, timeout=60, check=False
        )
        for one in (line, gone)
    )

    assert (code, said["changed"], said["backup"]) == (0, True, None)
    assert verdict(checked(harness, BEFORE[harness], done.stdout)) == "deny"
    # Cursor refuses by `failClosed`, all others by the exit code, and Codex only where a reason stands beside it.
    assert gone.returncode == (127 if harness == "cursor" else 2)
    assert gone.stderr


def test_settings_of_others_stay_byte_for_byte(hook, harness, settings):
    """Put in and taken out again, the file is what it was; in between, everything else still stands in it."""
    put(settings, OTHERS[harness])
    hook("install")
    between = settings.read_text(encoding="utf-8")
    kept = [
        part for part in ("mine", "// what I like", "/* and no other */", "// keep this") if part in OTHERS[harness]
    ]

    assert all(part in between for part in kept)
    assert settings.with_name(settings.name + ".before-tidegate").read_bytes() == OTHERS[harness].encode()

    hook("uninstall")

    assert settings.read_bytes() == OTHERS[harness].encode()


def test_a_second_time_changes_nothing_and_other_rules_replace_the_hook(hook, settings, commands, tmp_path):
    """Installing is idempotent, and there is never a second hook of ours."""
    hook("install")
    first = settings.read_bytes()
    code, said, _ = hook("install")

    assert (code, said["changed"], settings.read_bytes()) == (0, False, first)

    (tmp_path / "b").mkdir()
    (tmp_path / "b/rules.toml").write_text(RULES, encoding="utf-8")
    code, said, _ = hook("install", "--rules", "b/rules.toml")

    assert (code, said["changed"]) == (0, True)
    assert ["b/rules.toml" in line for line in commands()] == [True]


def test_the_harness_waits_longer_than_the_hook_takes(hook, harness, settings):
    """Timeouts are several times the hook's own, no entry has a matcher, and Cursor closes where the hook fails."""
    hook("install")
    text = settings.read_text(encoding="utf-8")
    wanted = PATIENCE * (1000 if harness == "gemini" else 1)

    assert PATIENCE > 2 * SECONDS
    assert re.findall(r'"(?:timeout|timeoutSec)": (\d+)', text) == [str(wanted)] * len(PLACES[harness].events)
    assert "matcher" not in text
    assert ('"failClosed": true' in text) == (harness == "cursor")


BROKEN = {
    "cut off": ('{\n  "hooks": {', "2:13: a key in quotes is missing"),
    "cut off later": ('{\n  "hooks": {}', "2:14: the file ends too early"),
    "a comma too many": ('{"hooks": {},}', "1:14: a key in quotes is missing"),
    "a key twice": ('{"a": 1,\n "a": 2}', '2:2: the key "a" stands twice'),
    "no object": ("[1]", "the settings are no object"),
    "hooks that are none": ('{"hooks": []}', "`hooks` in the settings is no object"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_file_that_is_broken_is_left_alone(tidegate, tmp_path, name):
    """It is refused, with the place, and nothing is written."""
    text, said = BROKEN[name]
    (tmp_path / "rules.toml").write_text(RULES, encoding="utf-8")
    path = tmp_path / ".codex/hooks.json"
    put(path, text)
    for word in ("install", "uninstall"):
        done = tidegate("hook", word, "codex")

        assert done.code == 2
        assert f".codex/hooks.json:{said}" in done.err.replace(": `hooks`", ":`hooks`").replace(
            ": the settings", ":the settings"
        )
    assert path.read_text(encoding="utf-8") == text
    assert [one.name for one in path.parent.iterdir()] == ["hooks.json"]


def test_comments_are_refused_where_the_harness_reads_none(tidegate, tmp_path):
    """Claude Code would not read them, and nothing is dropped silently."""
    (tmp_path / "rules.toml").write_text(RULES, encoding="utf-8")
    put(tmp_path / ".claude/settings.json", "{\n  // mine\n}")
    done = tidegate("hook", "install", "claude-code")

    assert (done.code, "2:3: this file may have no comments" in done.err) == (2, True)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="modes bind nobody here")
def test_a_folder_that_cannot_be_written_is_told(tidegate, tmp_path):
    """The message says which file and why."""
    (tmp_path / "rules.toml").write_text(RULES, encoding="utf-8")
    (tmp_path / ".codex").mkdir(mode=0o500)
    done = tidegate("hook", "install", "codex")

    assert done.code == 2
    assert "cannot be written: permission denied" in done.err


def test_a_place_that_is_no_folder_is_told(tidegate, tmp_path):
    """A file in the place of the folder ends in a message, and nothing is changed."""
    (tmp_path / "rules.toml").write_text(RULES, encoding="utf-8")
    (tmp_path / ".codex").write_text("x")
    done = tidegate("hook", "install", "codex")

    assert done.code == 2
    assert "Traceback" not in done.err
    assert ".codex" in done.err


@pytest.mark.skipif(os.name != "posix", reason="links need rights elsewhere")
def test_a_link_is_followed(tidegate, tmp_path):
    """Settings that are kept elsewhere stay there, and the link stays one."""
    (tmp_path / "rules.toml").write_text(RULES, encoding="utf-8")
    put(tmp_path / "dotfiles/hooks.json", "{}")
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex/hooks.json").symlink_to(tmp_path / "dotfiles/hooks.json")
    (tmp_path / "dotfiles/hooks.json").chmod(0o600)
    tidegate("hook", "install", "codex")

    assert (tmp_path / ".codex/hooks.json").is_symlink()
    assert "PreToolUse" in (tmp_path / "dotfiles/hooks.json").read_text()
    assert (tmp_path / "dotfiles/hooks.json").stat().st_mode & 0o777 == 0o600


def test_broken_rules_are_not_installed(tidegate, tmp_path):
    """They would refuse every call; their findings are told."""
    (tmp_path / "rules.toml").write_text("version = 1\nnope = 1\n")
    done = tidegate("hook", "install", "gemini")

    assert (done.code, (tmp_path / ".gemini").exists()) == (2, False)
    assert "unknown-key" in done.err


def test_a_managed_layer_alone_is_enough(tidegate, tmp_path):
    """Rules of the machine are checked as such, and stand in the command as such."""
    (tmp_path / "managed.toml").write_text(f"self_protection = false\n{RULES}", encoding="utf-8")
    done = tidegate("hook", "install", "codex", "--managed", "managed.toml", "--audit", "audit.jsonl")
    text = (tmp_path / ".codex/hooks.json").read_text(encoding="utf-8")

    assert (done.code, "--rules" in text) == (0, False)
    assert f"--managed {tmp_path / 'managed.toml'} --audit {tmp_path / 'audit.jsonl'}" in text


def test_your_own_settings_are_in_your_home(tidegate, home, tmp_path, monkeypatch):
    """`--user` is beneath the home, or where the harness's own variable says."""
    (tmp_path / "rules.toml").write_text(RULES, encoding="utf-8")
    tidegate("hook", "install", "codex", "--user")
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "else"))
    tidegate("hook", "install", "codex", "--user")

    assert (home / ".codex/hooks.json").is_file()
    assert (tmp_path / "else/hooks.json").is_file()
    assert tidegate("hook", "install", "codex", "--local").code == 2


def test_status_tells_where_and_whether_it_works(hook, settings, tmp_path):
    """Nowhere is exit code 1, installed is 0; rules that are gone are wrong."""
    assert hook("status")[:2][0] == 1

    hook("install")
    code, said, _ = hook("status")
    (one,) = said["installed"]

    assert (code, said["ok"], one["file"], one["wrong"]) == (0, True, str(settings), [])
    assert one["rules"] == [str(tmp_path / "rules.toml")]

    (tmp_path / "rules.toml").unlink()
    code, said, _ = hook("status")

    assert code == 1
    assert said["installed"][0]["wrong"] == [f"the rule file `{tmp_path / 'rules.toml'}` is not there"]


SPOILED = {
    "claude-code": (
        ("{", '{"disableAllHooks": true, ', "`disableAllHooks` is set"),
        ('"timeout": 30', '"timeout": 5', "no longer than the hook's own 8 seconds"),
        ('"PreToolUse"', '"Stop"', "no hook for `PreToolUse`"),
        ('"PreToolUse": [\n      {', '"PreToolUse": [\n      {"matcher": "Read", ', "`matcher` for `PreToolUse`"),
        ('"type": "command"', '"async": true, "type": "command"', "`async` for"),
        ('"type": "command"', '"if": "Bash(ls)", "type": "command"', "`if` for"),
        ('"type": "command"', '"type": "prompt"', "none of the type `command`"),
        (" || { echo", " || true || { echo", "is refused"),
        (">&2; exit 2; }", ">&2; exit 0; }", "is refused"),
    ),
    "gemini": (
        ("{", '{"hooksConfig": {"enabled": false}, ', "`hooksConfig.enabled` is false"),
        ("{", '{"hooksConfig": {"disabled": ["tidegate"]}, ', "names `tidegate`"),
        ('"BeforeTool": [\n      {', '"BeforeTool": [\n      {"matcher": "*", ', "`matcher` for `BeforeTool`"),
    ),
    "codex": (("--event PreToolUse", "--event PostToolUse", "is that of `PostToolUse`"),),
    "copilot": (
        ("--rules", "--nope", "is refused"),
        ('"type": "command"', '"matcher": "view", "type": "command"', "`matcher` for `preToolUse`"),
    ),
    "cursor": (
        ('"failClosed": true', '"failClosed": false', "`failClosed` is not set"),
        ('"failClosed": true', '"failClosed": true, "matcher": "Read"', "`matcher` for `preToolUse`"),
    ),
}


def test_status_tells_what_keeps_the_hook_from_refusing(hook, harness, settings):
    """Switches of the harness, timeouts that are too short, and commands that are not ours any more."""
    hook("install")
    whole = settings.read_text(encoding="utf-8")
    for old, new, told in SPOILED[harness]:
        settings.write_text(whole.replace(old, new, 1), encoding="utf-8")
        code, said, _ = hook("status")

        assert (code, told in " ".join(said["installed"][0]["wrong"])) == (1, True), said


def test_status_tells_of_codex_that_runs_no_hooks(tidegate, tmp_path):
    """A switch in the file beside it counts as well."""
    (tmp_path / "rules.toml").write_text(RULES, encoding="utf-8")
    tidegate("hook", "install", "codex")
    (tmp_path / ".codex/config.toml").write_text("[features]\nhooks = false\n")
    done = tidegate("hook", "status", "codex")

    assert (done.code, "switches hooks off" in done.out) == (1, True)


def test_status_tells_of_calls_that_are_judged_twice(tidegate, tmp_path):
    """Two files with the hook, and Cursor that runs the hooks of Claude Code, are notes."""
    (tmp_path / "rules.toml").write_text(RULES, encoding="utf-8")
    for words in (("cursor",), ("cursor", "--user"), ("claude-code", "--user")):
        tidegate("hook", "install", *words)
    text = tidegate("hook", "status", "cursor").out

    assert "counted by limits, more than once" in text
    assert "Cursor runs the hooks of Claude Code" in text


def test_uninstalling_what_is_not_there_is_no_error(hook, settings):
    """Without settings, or without a hook of ours in them, nothing happens."""
    code, said, _ = hook("uninstall")

    assert (code, said["changed"], settings.exists()) == (0, False, False)


def test_a_file_of_our_own_goes(tidegate, tmp_path):
    """Copilot's file is ours alone, and is deleted once nothing of others stands in it."""
    (tmp_path / "rules.toml").write_text(RULES, encoding="utf-8")
    tidegate("hook", "install", "copilot")
    tidegate("hook", "uninstall", "copilot")

    assert list((tmp_path / ".github/hooks").iterdir()) == []


@pytest.mark.parametrize("quote", "'\u2018\u2019\u201a\u201b")
def test_no_path_ends_its_quotes_in_powershell(quote):
    """PowerShell takes typographic quotes for plain ones; each stands twice, so that the text goes on."""
    file = f"/tmp/O{quote}; evil; {quote}/r.toml"
    made = entry(Wanted("copilot", "preToolUse", file), lambda words: ["tidegate", "hook", *words], "win32")

    assert f"'{file.replace(quote, quote * 2)}'" in made["powershell"]


def test_nothing_in_a_project_is_a_module_of_the_hook(monkeypatch, tmp_path):
    """A file `tidegate.py` in the folder of a project is not run in the place of the hook."""
    monkeypatch.setattr(hook_settings.sys, "executable", str(tmp_path / "bin/python"))
    monkeypatch.setattr(hook_settings.shutil, "which", lambda _: None)
    words = hook_settings.program()[1:]
    monkeypatch.undo()
    (tmp_path / "tidegate.py").write_text("print('{}')", encoding="utf-8")
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    line = [sys.executable, *words, "hook", "claude-code", "--rules", "none.toml"]
    done = subprocess.run(line, input=b"{}", capture_output=True, check=False, cwd=tmp_path, env=environ)

    assert b'"deny"' in done.stdout
