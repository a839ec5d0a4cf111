"""A scene that attests all variables: one that is not among them is empty, unless something may have set it."""

import subprocess

import pytest

from tests.meaning.shell import oracle
from tests.meaning.shell.readers import doubts_of
from tidegate.meaning.commands.code import read_code
from tidegate.meaning.commands.interpret import interpret
from tidegate.meaning.commands.table import Table
from tidegate.meaning.paths import resolve
from tidegate.meaning.scene import Scene
from tidegate.meaning.shell.walk import walk
from tidegate.meaning.urls import read_host

pytestmark = pytest.mark.skipif(oracle.bash() is None, reason="no bash of version 5 is installed")

TABLE = Table.builtin()
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": "/home/dev", "SET": "1", "V_SET": "v"}
COMPLETE = Scene("/tmp", "/home/dev", environment=ENVIRONMENT, complete_environment=True)
ASSIGNMENTS = (
    ":",
    "V=1",
    "V+=1",
    ": ${V:=1}",
    ": ${V=1}",
    ": ${V:-1}",
    ": $((V = 1))",
    ": $((V++))",
    "((V += 2))",
    "let V=1",
    "let V++",
    "read V <<< x",
    "read -r V < <(echo x)",
    "read -a V <<< 'x y'",
    "read -n 1 V <<< xy",
    "echo x | read V",
    "shopt -s lastpipe; echo x | read V",
    "printf -v V x",
    "printf -v 'V[0]' x",
    "printf -v V%s x; V=$V",
    "mapfile V <<< x",
    "mapfile -t V < <(echo x)",
    "readarray -t V <<< x",
    "declare V=1",
    "declare -i V=1+1",
    "declare -u V=a",
    "declare -n N=V; N=1",
    "typeset V=1",
    "export V=1",
    "readonly V=1",
    "f() { local V=1; }; f",
    "f() { V=1; }; f",
    "f() { declare -g V=1; }; f",
    "f() { local V; g; }; g() { V=1; }; f",
    "for V in 1 2; do :; done",
    "for ((V = 0; V < 2; V++)); do :; done",
    "select V in a b; do break; done <<< 1",
    "getopts ab V -a",
    "exec {V}> /dev/null",
    "{ :; } {V}> /dev/null",
    ": {V}> /dev/null",
    "coproc V { cat; }; exec {V[1]}>&-",
    "coproc V { :; }; V_PID=$V_PID",
    ": & wait -n -p V",
    "eval V=1",
    'X=V; eval "$X=1"',
    'X=V; declare "$X=1"',
    'X=V; read "$X" <<< x',
    'X=V; printf -v "$X" x',
    ". /dev/stdin <<< V=1",
    ". <(echo V=1)",
    "source <(printf 'V=%s' 1)",
    'eval "$(echo V=1)"',
    'eval "$(date +V=%Y)"',
    'eval "$(base64 -d <<< Vj0x)"',
    'eval "$(tr a-z A-Z <<< v=1)"',
    ". <(tr a-z A-Z <<< v=1)",
    'declare "$(tr a-z A-Z <<< v)=1"',
    'read "$(tr a-z A-Z <<< v)" <<< 1',
    ": $(($(tr a-z A-Z <<< v) = 1))",
    "(( $(tr a-z A-Z <<< v) = 1 ))",
    "trap V=1 DEBUG; :",
    "trap V=1 USR1; kill -USR1 $$",
    "trap V=1 ERR; false",
    "trap V=1 RETURN; f() { :; }; f",
    "shopt -s expand_aliases; alias s=V=1\ns",
    "unset SET; V=${SET-1}",
    "V=$SET",
    "V=${!V_@}",
    "X=SET; V=${!X}",
    "[[ x =~ (x) ]]; V=${BASH_REMATCH[1]}",
    "set -- a b; V=$2",
    'V="$1"',
    'V="$*$#"',
    'V="$@"',
    "while read -r V; do break; done <<< x",
    "while read -r V; do :; done <<< x",
    "if test -e /nowhere; then V=1; fi",
    "test -e / && V=1",
    "test -e /nowhere || V=1",
    "false || V=1",
    "(V=1)",
    "{ V=1; } & wait",
    "V=1 :",
    "V=1 eval :",
    "V=1 export V",
    "V=1 readonly V",
    "V=1 declare V",
    "V=1 declare -x V",
    "V=1 command export V",
    "V=0; V=1 export V",
    "V=0; V=1 declare V",
    "f() { V=1 export V; }; f",
    "f() { V=1 local V; X=$V; }; f; V=$X",
    "f() { V=1 local V; printf '<%s>' \"$V\"; }; f; V=$V",
    "case x in x) V=1 ;; esac",
    "V=(1 2)",
    "V[0]=1",
    "declare -A V=([0]=1)",
    "set -a; V=1",
    "cd / ; V=$OLDPWD",
    "V=$PWD",
    "V=$IFS",
    "V=$BASH",
    "V=${BASH_VERSION:0:1}",
    "V=$SHELL",
    "V=$TERM",
    "V=$HOSTNAME",
    "V=$HOSTTYPE$MACHTYPE$OSTYPE",
    "V=$PS4",
    "V=$OPTIND$OPTERR",
    "V=$UID",
    "V=$SHLVL",
    "V=$_",
    "V=${COMP_WORDBREAKS:0:3}",
    "V=$BASH_EXECUTION_STRING",
    "V=${BASH_SOURCE[0]}$FUNCNAME",
    "V=$EPOCHSECONDS$RANDOM$SECONDS",
    "read <<< x; V=$REPLY",
    "mapfile <<< x; V=$MAPFILE",
    "V=$PIPESTATUS$DIRSTACK",
    "V=${GROUPS[0]}",
    "V=$LINENO$COLUMNS$LINES",
    "V=$HISTCMD$HISTFILE$HISTSIZE$HISTFILESIZE$MAILCHECK",
    "V=$PS1$PS2$PS3$PROMPT_COMMAND",
    "V=$histchars$auto_resume$TIMEFORMAT$FCEDIT$FIGNORE$GLOBIGNORE$IGNOREEOF$INPUTRC$LANG$TMOUT",
    "V=$POSIXLY_CORRECT$BASH_COMPAT$CDPATH$CHILD_MAX$COPROC$EMACS$ENV$EXECIGNORE$FUNCNEST",
)  # fmt: skip
AFTER = ('printf "<%s>" "$V"', 'bash -c \'printf "<%s>" "$V"\'', 'env bash -c \'printf "<%s>" "$V$1"\' x')


def effects_of(text, scene=COMPLETE, **options):
    """What the product says of *text* in a shell with all its variables known."""
    return walk(
        text,
        scene,
        lambda command: interpret(command, scene, TABLE),
        resolve=resolve,
        read_host=read_host,
        read_code=lambda language, code, command: read_code(language, code, command, scene),
        **options,
    )


def printed(text):
    """What bash prints for *text* in that environment."""
    command = [oracle.bash(), "--noprofile", "--norc", "-c", text]
    run = subprocess.run(
        command, env=ENVIRONMENT, cwd="/tmp", stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=20
    )
    return run.stdout.decode().rpartition("<")[2].partition(">")[0]


def values(effects):
    """The last operand of each `printf` that could run."""
    runs = [effect.target for effect in effects if effect.kind == "exec" and effect.target.program == "printf"]
    return [run.words[-1] for run in runs if run.words[1:2] == ("<%s>",) and len(run.words) == 3]


@pytest.mark.parametrize("after", AFTER)
@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_value_that_bash_prints_is_found_or_not_known(assignment, after):
    """However a variable may have been set, it is never taken for empty where bash finds something in it."""
    text = f"{assignment}\n{after}"
    effects = effects_of(text)
    found = values(effects)

    assert printed(text) in found or any(not isinstance(value, str) for value in found) or doubts_of(effects)


@pytest.mark.parametrize(
    "text", ['rm -r "$V"/x', "sh -c 'rm -r $V/x'", "find -exec sh -c 'rm -r $V/x' \\;", "rm -r $1/x"]
)
def test_variable_that_is_not_attested_is_empty(text):
    """`rm -r "$V"/x` deletes `/x`, which everybody should hear before it runs."""
    deleted = [effect.target.names for effect in effects_of(text) if effect.kind == "delete"]

    assert all(names[:1] == ("/x",) for names in deleted)
    assert deleted


@pytest.mark.parametrize(
    "text",
    [
        "sudo sh -c 'rm $V'", "git -c alias.x='!rm $V' x", "split --filter='rm $FILE' a", "bash -lc 'rm $V'",
        "bash -ic 'rm $V'", "BASH_ENV=x bash -c 'rm $V'", ". ./f; rm $V", "ssh host 'rm $V'", "./env sh -c 'rm $V'",
        "parallel 'rm $PARALLEL_SEQ' ::: a", "docker exec x sh -c 'rm $V'", "env -i bash -c '. ./f; rm $V'",
        "python3 -c 'import os; os.system(\"rm $V\")'",
    ],
)  # fmt: skip
def test_variable_that_somebody_else_may_set_is_not_known(text):
    """`sudo`, `git`, a container and a start file bring variables of their own."""
    deleted = [name for effect in effects_of(text) if effect.kind == "delete" for name in effect.target.names]

    assert any(not isinstance(name, str) for name in deleted) or doubts_of(effects_of(text))


@pytest.mark.parametrize(
    ("scene", "options"),
    [
        (Scene("/tmp", environment=ENVIRONMENT), {}),
        (COMPLETE, {"persistent": True}),
        (Scene("/tmp", environment={"BASH_ENV": "/f"}, complete_environment=True), {}),
    ],
)
def test_variable_is_not_known_where_the_environment_is_not_attested_as_a_whole(scene, options):
    """In a persistent shell an earlier call may have set it, and a start file may have."""
    effects = effects_of("rm $V", scene, **options)

    assert "delete" in [effect.kind for effect in effects]


READING = (
    "bash", "sh -s a", "cat | sh", "cat - | bash", "sh -x | cat", "while read c; do $c; done", "read c; $c", "$(cat)",
    'eval "$(cat)"', "mapfile -t l; ${l[@]}", "xargs touch made", "xargs -I{} touch {}", "timeout 5 sh",
    "env sh", "(sh)", "{ cat; } | sh", "f() { sh; }; f", "head -n1 | sh", "sh /dev/stdin",
    "python3", "grep . | xargs -n1 touch", "for c in $(cat); do touch $c; done", "sort | xargs -r touch",
)  # fmt: skip
FED = (
    'coproc sh; echo touch made >&"${COPROC[1]}"; sleep 0.1; exec {COPROC[1]}>&-; wait', "sh <<< 'touch made'",
    "sh < f", "echo touch made | sh", "sh < <(cat f)", "exec < f; sh", "{ sh; } < f", "sh 3<f <&3", "exec 3<f; sh <&3",
    "split --filter=sh f", "cat f | sh", "f() { sh; }; f < f", "for c in 1; do sh; done < f",
    "(read; sh) < <(echo; cat f)",
    "tar cf a.tar f && tar --to-command=sh -xf a.tar", "tee >(sh) < f; sleep 0.1", "sh -c 'sh < f'", "cat f - | sh",
    "find f -exec sh {} \\;", "xargs -a f env", "while read -r c; do $c; done < f", "cat <(cat f) | sh", "sh f",
    "sed -n p f | sh", "< f sh", "nohup sh < f", "timeout 5 sh < f", "awk '{print | \"sh\"}' f",
    "tail -n1 f | xargs env",
)  # fmt: skip


def _run(text, folder):
    (folder / "f").write_text("touch made\n")
    subprocess.run(
        [oracle.bash(), "--noprofile", "--norc", "-c", text], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
        env={"PATH": "/usr/bin:/bin"}, timeout=20, check=False,
    )  # fmt: skip
    return {path.name for path in folder.iterdir()} - {"f", "a.tar", "nohup.out"}


@pytest.mark.parametrize("text", READING)
def test_what_reads_an_input_that_is_attested_to_be_empty_runs_nothing(text, tmp_path):
    """A shell that reads its commands from nothing runs none, and there is no need to ask what it would run."""
    scene = Scene(str(tmp_path), environment={"PATH": "/usr/bin:/bin"}, complete_environment=True)
    made = _run(text, tmp_path)

    assert doubts_of(effects_of(text, scene)) == []
    assert made == ({"made"} if "xargs touch made" in text else set())  # once, with what it is given anyway


@pytest.mark.parametrize("text", FED)
def test_what_is_fed_by_something_else_is_not_taken_to_read_nothing(text, tmp_path):
    """The input of the call is empty; that of a shell behind a pipe, a file or a descriptor is not."""
    scene = Scene(str(tmp_path), environment={"PATH": "/usr/bin:/bin"}, complete_environment=True)
    made = _run(text, tmp_path)
    effects = effects_of(text, scene)
    said = any(str(tmp_path / "made") in getattr(effect.target, "names", ()) for effect in effects)

    assert made
    assert said or doubts_of(effects) or any(effect.kind == "code" for effect in effects)


@pytest.mark.parametrize("text", ["cat | sh", "sh"])
def test_input_of_a_persistent_shell_is_not_known(text):
    """Whoever keeps a shell may type into what it runs."""
    assert doubts_of(effects_of(text, COMPLETE, persistent=True))
