"""Values that bash itself evaluates as code: wherever it ran a command that was hidden in one, we saw that."""

import os
from itertools import product

import pytest

from tests.meaning.shell import oracle
from tests.meaning.shell.readers import doubts_of, effects_of, is_doubtful, names_of

pytestmark = pytest.mark.skipif(oracle.bash() is None, reason="no bash of version 5 is installed")

THOROUGH = os.environ.get("HYPOTHESIS_PROFILE") == "ci"
SOME = ("a[$(c1)]", "$(c1)", "q", "a[1]=a[$(c1)]")
VALUES = SOME + THOROUGH * (
    "a[`c1`]",
    "a[$(c1)]+1",
    "a[a[$(c1)]]",
    "a[$(c1)]=1",
    "0?a[$(c1)]:1",
    "$((a[$(c1)]))",
    'a["$(c1)"]',
    "a[\\$(c1)]",
    "${x:-$(c1)}",
    "(a[$(c1)]++)",
    "!a[$(c1)]",
    "a[$(c1)]=(1)",
)
SINKS = (
    ": $((V))",
    ": $(($V))",
    ': "$((1 + V))"',
    ": $[V]",
    "((V))",
    "(( x = V ))",
    "(( a[V] ))",
    "(( a[V]++ ))",
    "(( a[V] = 1 ))",
    "(( a[V] += 1 ))",
    "let V",
    'let "$V"',
    "let 'a[V] = 1'",
    "[[ V -eq 0 ]]",
    "[[ $V -lt 1 ]]",
    "[[ 1 -ge $V ]]",
    "[[ -v $V ]]",
    "[[ -v a[V] ]]",
    "[[ -R $V ]]",
    "[[ $V ]]",
    'test -v "$V"',
    'test "$V" -eq 1',
    '[ -v "$V" ]',
    '[ "$V" = 1 ]',
    'printf -v "$V" x',
    'printf %d "$V"',
    'printf "$V"',
    'read "$V" <<< x',
    'read -a "$V" <<< x',
    'read -r x "$V" <<< "x y"',
    'read -n "$V" <<< x',
    'mapfile "$V" <<< x',
    'mapfile -C "$V" -c 1 m <<< x',
    'mapfile -O "$V" m <<< x',
    'unset "$V"',
    'unset -v "$V"',
    "unset 'a[V]'",
    'declare "$V"',
    'declare "$V=1"',
    'declare -i n="$V"',
    "declare -i n; n=$V",
    "declare -i n; n+=$V",
    "declare -ai n=($V)",
    'declare -a "$V"',
    'typeset "$V=1"',
    'export "$V=1"',
    'readonly "$V=1"',
    'f() { local "$V=1"; }; f',
    "f() { local -i n=$V; }; f",
    "a[$V]=1",
    "a[V]=1",
    "a[V]+=1",
    "a=([V]=1)",
    "a+=([$V]=1)",
    "declare -a a=([V]=1)",
    "declare -A h; h[$V]=1",
    "declare -A h; h=([$V]=1)",
    "declare -A h; : ${h[$V]}",
    'declare -A h; unset "h[$V]"',
    "declare -A h; [[ -v h[$V] ]]",
    "declare -A h; (( h[$V]++ ))",
    ": ${a[$V]}",
    ": ${a[V]}",
    ": ${#a[V]}",
    ": ${a[V]:-x}",
    ": ${x:V}",
    ": ${x:0:V}",
    'set -- 1 2; : "${@:V}"',
    "a=(1); : ${a[@]:V}",
    ": ${!V}",
    ": ${!V:-x}",
    ": ${V@P}",
    ': "${V@E}"',
    ": ${V@A}",
    ": ${V@Q}",
    "PS4=$V; set -x; :",
    "PS4=$V; ( set -o xtrace; : )",
    "for ((i = V; 0; )); do :; done",
    "for ((; V; )); do break; done",
    "for ((i = 0; i < 1; i += 1 + V)); do :; done",
    "case $((V)) in x) ;; esac",
    ": {1..$((V))}",
    ": <<< $((V))",
    ": > $((V))",
    'trap "$V" EXIT',
    'trap "$V" DEBUG; :',
    'trap "$V" ERR; c2',
    'eval "$V"',
    'eval "x=$V"',
    'eval : "$V"',
    "declare -n r=$V; r=1",
    "declare -n r=$V; : $r",
    'declare -n r; r="$V"; : $r',
    "for r in 1; do declare -n r2=V; : $((r2)); done",
    "SECONDS=$V",
    "RANDOM=$V",
    "OPTIND=$V",
    "LINENO=$V",
    "BASH_ARGV0=$V",
    'getopts a "$V" -a',
    ': & wait -n -p "$V"',
    ': & wait -p "$V" $!',
    'compgen -W "$V"',
    'compgen -W "$V" x',
    'complete -W "$V" y; compgen -A function x',
    'alias z="$V"; z',
    'shopt -s expand_aliases; alias z="$V"\nz',
    "set -- $V; : $(($1))",
    'f() { : $(($1)); }; f "$V"',
    "x=V; : $((x))",
    "IFS=$V; : $x",
    "x=$V y=x; : ${!y}",
    "x=$V y=x; : $((y))",
    "exec {V}> f",
    'shift "$V"',
    'return "$V"',
    'exit "$V"',
    'break "$V"',
    'ulimit -n "$V"',
    'umask "$V"',
    'cd "$V"',
    'history "$V"',
    'pushd "+$V"',
    'kill "$V"',
    'exec "$V"',
    '"$V"',
    "$V",
    ': "$V"',
    ". /dev/stdin <<< $V",
    'command eval "$V"',
    "cat <<E\n$((V))\nE",
    ": ${x/#/$((V))}",
    ": ${V:=1}",
    ": $(echo $((V)))",
    ": <(echo $((V)))",
    "x=(1 2); (( ${#x[@]} > V ))",
    ": $(( x ? V : 0 ))",
    ": $(( 0 && V ))",
    "[[ x -eq 0 || $V -eq 0 ]]",
    "select x in 1; do (( V )); break; done <<< 1",
    "coproc { (( V )); }",
    "while (( V )); do break; done",
    "(( V )) &",
    'PROMPT_COMMAND="$V"',
    "BASH_ENV=$V",
    'bind -x "$V"',
)


def script(sink, value):
    """A script in which `V` holds *value*, in every way in which it could be quoted."""
    return f"x=1; q='a[$(c1)]'; V='{value}'\n{sink}\n"


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory):
    """Every sink with every value, and whether bash ran what was hidden in it."""
    pairs = list(product(SINKS, VALUES))
    ran = oracle.observe([script(*pair) for pair in pairs], tmp_path_factory.mktemp("evaluated"), seconds=120)
    return [(sink, value, "c1" in names) for (sink, value), (names, _) in zip(pairs, ran, strict=True)]


def test_command_that_bash_runs_out_of_a_value_is_found_or_unknown(evaluated):
    """Over every builtin and expansion that takes a name, a number, a prompt or code."""
    missing = []
    for sink, value, ran in evaluated:
        effects = effects_of(script(sink, value))
        if ran and "c1" not in names_of(effects) and not is_doubtful(effects):
            missing.append((sink, value))

    assert missing == []
    assert len({sink for sink, _, ran in evaluated if ran}) > 90


def test_command_that_bash_runs_out_of_a_value_is_found_by_name_in_most_cases(evaluated):
    """A deny sees it, and does not only hear that something is not known."""
    ran = [script(sink, value) for sink, value, ran in evaluated if ran]

    assert sum("c1" in names_of(effects_of(text)) for text in ran) > 0.9 * len(ran)


def test_value_that_bash_only_uses_is_seldom_unknown(evaluated):
    """Sinks out of which bash ran nothing, whatever the value, leave little doubt."""
    idle = {sink for sink, _, _ in evaluated} - {sink for sink, _, ran in evaluated if ran}
    doubtful = [
        (sink, value) for sink, value, _ in evaluated if sink in idle and doubts_of(effects_of(script(sink, value)))
    ]

    assert len(doubtful) < 0.5 * len(idle) * len(VALUES)
