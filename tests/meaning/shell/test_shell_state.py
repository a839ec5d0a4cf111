"""What one command leaves behind for the next one, and where ways through a text meet."""

import pytest

from tests.meaning.shell.readers import SCENE, commands_of, commands_seen, doubts_of, effects_of, names_of
from tidegate.meaning.effects import CodeTarget
from tidegate.meaning.scene import Scene
from tidegate.meaning.values import shown

HERE = "/srv/project"


def directories(text, program="rm", **more):
    """The directories of each command *program*."""
    return [
        {shown(cwd) for cwd in command.cwds}
        for command in commands_seen(text, **more)
        if command.words[0].value == program
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cd /x && rm a", [{"/x"}]),
        ("cd /x; rm a", [{"/x", HERE}]),
        ("cd /x || exit 1; rm a", [{"/x"}]),
        ("cd /x || exit 1 2; rm a", [{"/x", HERE}]),
        ("f() { cd /x || return; rm a; }; f", [{"/x"}]),
        ("for i in a b; do cd /x || continue; rm a; done", [{"/x"}, {"/x"}]),
        ("cd sub && rm a", [{HERE + "/sub"}]),
        ("cd /a && cd b; rm x", [{"/a/b", "/a", HERE}]),
        ("cd /a || cd /b; rm x", [{"/a", "/b", HERE}]),
        ("cd .. && rm a", [{"/srv"}]),
        ("cd -P .. && rm a", [{HERE + "/.."}]),
        ("cd && rm a", [{"/home/dev"}]),
        ("cd ~/p && rm a", [{"/home/dev/p"}]),
        ("cd /x && cd - && rm a", [{HERE}]),
        ("OLDPWD=/y; cd - && rm a", [{"/y"}]),
        ("(cd /x; rm a); rm b", [{"/x", HERE}, {HERE}]),
        ("cd /x & rm a", [{HERE}]),
        ("cd /x | rm a", [{HERE}]),
        ("$(cd /x); rm a", [{HERE}]),
        ("if cd /x; then rm a; else rm b; fi; rm c", [{"/x"}, {HERE}, {"/x", HERE}]),
        ("! cd /x && rm a", [{HERE}]),
        ("for d in /a /b; do cd $d && rm x; done", [{"/a"}, {"/b"}]),
        ("pushd /x && rm a && popd && rm b", [{"/x"}, {HERE}]),
        ("f() { cd /x; }; f; rm a", [{"/x", HERE}]),
        ("eval 'cd /x' && rm a", [{"/x"}]),
        ("command cd /x && rm a", [{"/x"}]),
        ("sudo cd /x; rm a", [{HERE}]),
        ("bash -c 'cd /x'; rm a", [{HERE}]),
        ("cd $X && rm a", [{HERE, "⟨…⟩"}]),
        ("cd /a/$X && rm a", [{"/a/⟨…⟩"}]),
        ('cd "$X" && rm a', [{HERE, "⟨…⟩"}]),
        ("while cd ..; do :; done; rm a", [{HERE, "/srv", "/"}]),
        ("while cd a; do :; done; rm a", [{HERE, HERE + "/a", HERE + "/a/a", "⟨…⟩"}]),
        ("CDPATH=/x; cd sub && rm a", [{HERE + "/sub", "⟨…⟩"}]),
        ("$X; rm a", [{HERE, "⟨…⟩"}]),
        (". ./x; rm a", [{HERE, "⟨…⟩"}]),
    ],
)
def test_command_runs_in_every_directory_that_an_earlier_cd_could_have_left(text, expected):
    assert directories(text) == expected


def test_too_many_directories_are_one_that_is_not_known():
    assert any("⟨…⟩" in cwd for cwd in directories("cd a;" * 10 + "rm x")[0])


@pytest.mark.parametrize(
    "text",
    [
        "if a; then X=rm; else X=ls; fi; $X -rf",
        "X=ls; a && X=rm; $X -rf",
        "X=rm; a || X=ls; $X -rf",
        "X=ls; case $1 in a) X=rm;; esac; $X -rf",
        "X=ls; for i in a b; do X=rm; done; $X -rf",
        "X=ls; for i in $L; do X=rm; done; $X -rf",
        "X=ls; while a; do X=rm; done; $X -rf",
        "while a; do $X -rf; X=rm; done",
        "while a; do b && { X=rm; continue; }; $X -rf; X=ls; done",
        "while a; do X=rm; break; X=ls; done; $X -rf",
        "f() { X=rm; return; X=ls; }; f; $X -rf",
        "f() { a && X=rm; }; X=ls; f; $X -rf",
        "if a; then f() { rm -rf; }; fi; f",
        "X=ls; trap '$X -rf' EXIT; X=rm",
        "f() { $X -rf; }; X=rm; f; X=ls",
        "X=ls; readonly X; X=rm; $X -rf",
        "X=rm; unset X; X=rm; $X -rf",
        "f() { local X=ls; }; X=rm; f; $X -rf",
        "X=rm; (X=ls); $X -rf",
        "X=rm; X=ls | a; $X -rf",
        "X=rm; y=$(X=ls); $X -rf",
        "X=ls :; X=rm; $X -rf",
        "X=rm; X=ls ls; $X -rf",
        "for X in ls rm; do $X -rf; done",
        "shopt -s lastpipe; X=ls; a | X=rm; $X -rf",
        "until b; do X=rm; done; $X -rf",
        "for ((;a;)); do X=rm; done; $X -rf",
        "select i in a; do X=rm; done; $X -rf",
        "{ X=rm; } 2>x; $X -rf",
        "f() { f() { rm -rf; }; }; f; f",
        "if a; then f() { $1 -rf; }; fi; f rm",
        "f() { $1 -rf; }; export -f f; bash -c 'f rm'",
        "if a; then X=rm; else X=ls; fi; export X; bash -c '$X -rf'",
        "exec <<< 'rm -rf'; bash",
        "f() { local X=ls; declare -g X=rm; }; f; $X -rf",
        "g() { unset X; }; f() { local X=ls; g; $X -rf; }; X=rm; f",
        "f() { . <(echo return); X=rm; }; X=ls; f; $X -rf",
        "case a in a) X=rm;;& b) $X -rf;; esac",
        "case a in a) X=rm;& b) $X -rf;; esac",
        "while $X -rf; do X=rm; done",
        "f() { X=rm; }; X=ls; f; $X -rf",
        "g() { X=rm; }; f() { local X=ls; g; $X -rf; }; f",
        "X=ls; export X; X=rm bash -c '$X -rf'",
    ],
)
def test_every_value_that_a_variable_could_have_is_looked_at(text):
    """Whichever way leads to `rm -rf`, a deny sees it."""
    assert "rm -rf" in commands_of(effects_of(text))


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("X=rm; X=ls; $X -rf", "rm -rf"),
        ("(X=rm); X=ls; $X -rf", "rm -rf"),
        ("f() { local X=rm; }; X=ls; f; $X -rf", "rm -rf"),
        ("true || X=rm; X=ls; $X -rf", "rm -rf"),
        ("X=rm true; X=ls; $X -rf", "rm -rf"),
    ],
)
def test_value_that_is_gone_for_certain_is_not_looked_at(text, command):
    assert command not in commands_of(effects_of(text))


def test_trap_that_changes_variables_at_any_time_is_unknown():
    """Between any two commands the value could be another one."""
    assert doubts_of(effects_of("X=ls; trap 'X=rm' DEBUG; $X -rf"))
    assert doubts_of(effects_of("trap 'rm -f x' EXIT INT TERM; ls")) == []


def test_function_that_nobody_calls_is_looked_at_in_the_end():
    assert commands_of(effects_of("f() { rm -rf; }; ls")) == ["ls", "rm -rf"]


def test_function_shadows_a_program_which_then_is_not_looked_up():
    effects = effects_of("ls() { rm -rf; }; ls")
    (shadowed,) = (effect.target for effect in effects if effect.kind == "exec" and effect.target.program == "ls")

    assert commands_of(effects) == ["ls", "rm -rf"]
    assert not shadowed.bare


def test_function_that_calls_itself_is_followed_until_nothing_new_comes():
    """A fork bomb and an endless recursion end, with the reason where something is left out."""
    assert ":" in names_of(effects_of(":(){ :|:& };:"))
    assert doubts_of(effects_of("f() { f $1a; }; f"))


@pytest.mark.parametrize(
    "text",
    ["PATH=/x:$PATH; ls", "PATH=/x ls", "export PATH=/x; ls", "read PATH <<< /x; ls", "$X; ls", "hash -p /x y; ls"],
)
def test_bare_name_is_not_looked_up_once_it_could_mean_something_else(text):
    assert not commands_seen(text)[-1].lookup


def test_exported_variables_come_with_every_later_command():
    commands = commands_seen("export A=1; B=2; C=3 ls; set -a; D=4; ls")

    assert [dict(command.variables) for command in commands if command.words[0].value == "ls"] == [
        {"A": "1", "C": "3"},
        {"A": "1", "D": "4"},
    ]


def test_variable_of_the_environment_is_exported_wherever_it_is_assigned():
    scene = Scene(HERE, environment={"GIT_PAGER": "less"})
    command = commands_seen("GIT_PAGER=./x; git log", scene=scene)[-1]

    assert dict(command.variables) == {"GIT_PAGER": "./x"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("echo a | cat | c", "a\n"),
        ("c <<< a", "a\n"),
        ("c <<'E'\na $b\nE", "a $b\n"),
        ("b=1; c <<-E\n\ta $b\n\tE", "a 1\n"),
        ("{ c; } <<< a", "a\n"),
        ("f() { c; }; f <<< a", "a\n"),
        ("echo a 2>&1 | c", "a\n"),
        ("echo a >/dev/null | c", ""),
        ("{ echo a; echo b; } | c", "a\nb\n"),
        ("if x; then echo a; fi | c", None),
        ("echo a >&2 | c", ""),
        ("echo a >&2 |& c", None),
        ("c < <(echo a)", "a\n"),
        ("sudo echo a | c", None),
        ("x | c", None),
    ],
)
def test_standard_input_is_known_where_it_can_be(text, expected):
    """A shell that reads it is then followed; where it is not known, it is `None`, never a guess."""
    (command,) = (command for command in commands_seen(text) if command.words[0].value == "c")

    assert command.stdin == expected


def test_second_reader_of_the_same_input_does_not_know_what_is_left():
    assert [command.stdin for command in commands_seen("{ a; b; } <<< x")] == ["x\n", None]


LASTING = {
    "cd": "cd /x",
    "export": "export A=1",
    "function": "f() { a; }",
    "alias": "alias a=b",
    "trap": "trap a EXIT",
    "hash": "hash -p /x y",
    "path": "PATH=/x",
    "option": "set -f",
    "pushd": "pushd /x",
    "in a list": "a && cd /x",
    "eval": "eval 'cd /x'",
    "declare -x": "declare -x A=1",
}


@pytest.mark.parametrize("text", LASTING.values(), ids=LASTING.keys())
def test_lasting_state_of_a_persistent_shell_is_code(text):
    """No command grant covers it, since it changes what later calls mean; a fresh shell forgets it."""
    kept = [effect for effect in effects_of(text, persistent=True) if isinstance(effect.target, CodeTarget)]
    fresh = [effect for effect in effects_of(text) if isinstance(effect.target, CodeTarget)]

    assert "which lasts in this shell" in kept[0].target.what
    assert fresh == []


@pytest.mark.parametrize("text", ["(cd /x)", "a=1", "$(cd /x)", "bash -c 'cd /x'", "cd /x | a", "ls"])
def test_state_that_ends_with_a_subshell_or_stays_inside_does_not_last(text):
    assert not any(isinstance(effect.target, CodeTarget) for effect in effects_of(text, persistent=True))


def test_code_that_the_same_text_wrote_is_fresh():
    codes = [effect for effect in effects_of("echo x > y.sh; . ./z.sh; . y.sh", scene=SCENE) if effect.kind == "code"]

    assert [effect.fresh for effect in codes] == [False, True]


@pytest.mark.parametrize(
    "text",
    [
        "if a; then f() { X=b; }; else f() { X=c; }; fi; f; $X",
        "f() { X=b; }; if a; then f() { X=c; }; fi; f; $X",
        "f() { X=b; }; a && f() { X=c; }; f; $X",
        "f() { X=b; }; X=c; a || unset -f f; f; $X",
    ],
)
def test_function_that_may_have_one_of_several_bodies_leaves_the_state_of_each(text):
    """What the variable holds afterwards depends on which body ran."""
    assert {"b", "c"} <= set(commands_of(effects_of(text)))
