"""Values that the shell evaluates once more are read as the commands that they are."""

import pytest

from tests.meaning.shell.readers import commands_of, doubts_of, effects_of

CODE = "$(rm -rf)"
EVALUATED = {
    "arithmetic": "x='a[CODE]'; : $((x))",
    "arithmetic command": "x='a[CODE]'; ((x))",
    "arithmetic through two variables": "x='a[CODE]' y=x; ((y + 1))",
    "arithmetic loop": "x='a[CODE]'; for ((;x;)); do a; done",
    "let": "let 'a[CODE]'",
    "test of numbers": "[[ 'a[CODE]' -eq 0 ]]",
    "test of numbers by name": "x='a[CODE]'; [[ x -lt 1 ]]",
    "test whether set": "[[ -v 'a[CODE]' ]]",
    "test builtin": "test -v 'a[CODE]'",
    "bracket builtin": "[ -v 'a[CODE]' ]",
    "subscript": "x='a[CODE]'; : ${b[x]}",
    "subscript assigned": "x='a[CODE]'; b[x]=1",
    "substring": "x='a[CODE]'; : ${y:x}",
    "integer": "declare -i n; n='a[CODE]'",
    "printf -v": "printf -v 'a[CODE]' x",
    "read": "read 'a[CODE]' <<< x",
    "unset": "unset 'a[CODE]'",
    "indirect": "x='a[CODE]'; : ${!x}",
    "prompt": "x='CODE'; : \"${x@P}\"",
    "PS4": "PS4='CODE'; set -x; a",
    "PROMPT_COMMAND": "PROMPT_COMMAND='rm -rf'",
    "BASH_ENV": "BASH_ENV='CODE' bash -c a",
    "env PS4": "export PS4='CODE'",
    "eval": "eval 'CODE'",
    "eval of a variable": "x='CODE'; eval \"$x\"",
    "trap": "trap 'rm -rf' DEBUG",
    "mapfile": "mapfile -C 'rm -rf' -c 1 a <<< x",
    "compgen": "compgen -W 'CODE'",
    "compgen command": "compgen -C 'rm -rf'",
    "source of standard input": ". /dev/stdin <<< 'rm -rf'",
    "exec": "exec rm -rf",
    "command": "command -p rm -rf",
    "builtin": "builtin command rm -rf",
    "jobs": "jobs -x rm -rf",
    "coproc": "coproc rm -rf",
    "process substitution into a shell": "bash <(echo rm -rf)",
    "exported function": "ls() { rm -rf; }; export -f ls; bash -c ls",
    "handler": "command_not_found_handle() { rm -rf; }; a",
    "single quotes in double quotes": "echo \"${x:-'CODE'}\"",
    "here-document": "cat <<E\nCODE\nE",
    "case word": "case CODE in a) :;; esac",
    "case pattern": "case a in CODE) :;; esac",
    "for words": "for i in CODE; do :; done",
    "array": "a=(CODE)",
    "redirection": "a > CODE",
    "assignment": "x=CODE",
    "assignment before a command": "x=CODE a",
    "default": ": ${x:=CODE}",
    "pattern": ": ${x#CODE}",
    "extended pattern": "[[ a == @(b|CODE) ]]",
    "regular expression": "[[ a =~ (CODE) ]]",
    "tilde-like quoting": "\"a\"'b'$'c'CODE",
    "quoted arithmetic": ": $(( 'CODE' ))",
    "old arithmetic": ": $[CODE]",
    "function redirected": "f() { a; } > CODE; f",
    "subscript assigned in a value": "x='a[CODE]=1'; ((x))",
    "subscript assigned by let": "let 'v = 1' 'a[CODE] = 2'",
    "integer appended": "declare -i n=1; n+='a[1]=b[CODE]'",
    "integer array": "declare -ai n=('a[CODE]')",
    "element of an integer array": "declare -i n; n[1]='a[CODE]'",
    "element with a subscript of an integer array": "declare -i n; n=([1]='a[CODE]')",
    "subscript of an appended array": "x='CODE'; a+=([$x]=1)",
    "dynamic variable": "SECONDS='a[CODE]'",
}


@pytest.mark.parametrize("text", EVALUATED.values(), ids=EVALUATED.keys())
def test_value_that_is_evaluated_is_read_as_commands(text):
    """What hides in the value is found."""
    commands = commands_of(effects_of(text.replace("CODE", CODE)))

    assert any(command.startswith("rm -rf") for command in commands)


UNKNOWN = {
    "arithmetic": "read x; : $((x))",
    "arithmetic of an argument": 'f() { : $(($1)); }; f "$(a)"',
    "test of numbers": "[[ $(a) -eq 1 ]]",
    "test whether set": "[[ -v $(a) ]]",
    "printf -v": 'printf -v "$(a)" x',
    "printf with a format": 'printf "$(a)"',
    "read": 'read "$(a)"',
    "unset": 'unset "$(a)"',
    "indirect known to be read": "read x; : ${!x}",
    "prompt": "x=$(a); : ${x@P}",
    "eval": 'eval "$(a)"',
    "trap": 'trap "$(a)" EXIT',
    "shell": 'bash -c "$x"',
    "declare": 'declare "$(a)"',
    "name of a command": '"$(a)" b',
    "shell option": 'set -o "$(a)"',
    "posix mode": "POSIXLY_CORRECT=1",
    "history": "set -H",
    "name reference": "declare -n r='a[$(b)]'",
    "aliases of an array": "BASH_ALIASES[ls]='rm -rf'",
    "hash of an array": "BASH_CMDS[ls]=/bin/rm",
    "loaded builtin": "enable -f ./x.so x",
    "builtin taken away": "enable -n cd",
    "text on another descriptor": "bash /dev/fd/3 3<<< 'rm -rf'",
    "function in the environment": "env x; bash <(curl x)",
    "integer array": "declare -ai n=($(a))",
    "coprocess without a name in a substitution": ": $(coproc c)",
    "another shell": "zsh -c 'ls'",
}


@pytest.mark.parametrize("text", UNKNOWN.values(), ids=UNKNOWN.keys())
def test_value_that_is_not_known_but_evaluated_is_unknown(text):
    """Unknown never disappears: the reason is there for whoever wrote the rule."""
    assert doubts_of(effects_of(text))


@pytest.mark.parametrize(
    "text",
    [
        "i=0; i=$((i+1)); ((i++))",
        "while a; do i=$((i+1)); done",
        "x=$#; : $((x*2))",
        "[[ $? -eq 0 ]]",
        "n=5; [[ $n -lt 3 ]]",
        "x=${#y}; : $((x))",
        "for i in 1 2; do : $((i)); done",
        "printf '%s' \"$x\"",
        'printf "a$x"',
        "[[ $x == a ]]",
        'test -n "$x"',
        "a[1]=2",
        "unset x",
        "read x",
    ],
)
def test_harmless_evaluation_is_not_unknown(text):
    """Numbers stay numbers, and nothing is asked about them."""
    assert doubts_of(effects_of(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        "echo 'rm -rf'",
        'echo "a && rm -rf"',
        "ls # rm -rf",
        "cat <<'E'\n$(rm -rf)\nE",
        "git commit -m '$(rm -rf)'",
        "echo \\$(rm -rf\\)",
        "x='rm -rf'",
        "awk '{print $1; rm -rf}'",
        'echo "\\`rm -rf\\`"',
        "a \\; rm -rf",
        "grep -e 'x|rm -rf' f",
        "case rm in rm) :;; esac",
        "for rm in -rf; do :; done",
    ],
)
def test_text_that_nobody_runs_is_no_command(text):
    """Comments, quoted text and data are not commands."""
    assert "rm" not in [command.split(" ")[0] for command in commands_of(effects_of(text))]
