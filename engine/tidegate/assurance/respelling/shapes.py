"""Compound commands, jobs, traps and noise around a whole script."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from .scripts import Respelling, Script, enclosed, fresh, grouped, text

Apply = Callable[[Script, Random], Script | None]

HEREDOC = "cat <<E\n$("
"""The beginning of a template whose script stands in a heredoc that is expanded."""


def shaped(*templates: str, posix: bool = True) -> Apply:
    """Put the script into a template: `@T` is its text on lines of its own, `@G` is it as one command, `@N` a name."""

    def apply(script: Script, random: Random) -> Script | None:
        marks = {"@N": fresh(random), "@G": grouped(script), "@T": enclosed(script)}
        template = random.choice(templates)
        if HEREDOC in template and "\\\n" in marks["@T"]:  # it joins the lines, also of a comment and in quotes
            return None
        shape = re.sub("@[NGT]", lambda mark: marks[mark[0]], template)
        return text(shape, posix=script.posix and posix)

    return apply


ANY_SHELL = {
    "subshell": ("(\n@T\n)", "( (\n@T\n) )"),
    "group": ("{\n@T\n}", "{ {\n@T\n}; }"),
    "if": (
        "if true; then\n@T\nfi",
        "if\n@T\nthen :; fi",
        "if false; then :; else\n@T\nfi",
        "if false; then :; elif\n@T\nthen :; fi",
        "if ! [ -e nothing ]; then\n@T\nfi",
    ),
    "while and until": (
        "while true; do\n@T\nbreak; done",
        "until false; do\n@T\nbreak; done",
        "while\n@T\nfalse; do :; done",
        "while read -r @N; do\n@T\ndone <<E\nline\nE",
        "echo line | while read -r @N; do\n@T\ndone",
    ),
    "for": ("for @N in 1; do\n@T\ndone", "for @N in a b; do\n@T\nbreak; done", "for @N in $(echo a); do\n@T\ndone"),
    "case": (
        "case a in\na)\n@T\n;;\nesac",
        "case a in b) : ;; *)\n@T\nesac",
        "case abc in (a*|x)\n@T\n;; esac",
        "case $((1 + 1)) in 2)\n@T\nesac",
    ),
    "&& and ||": ("true && @G", "false || @G", "@G && true", "@G || true", "[ -d . ] && @G", ": || : ; @G"),
    "; and newline": (":; @G; :", "cd . ;\n@T\n:", "ls\n@T", "echo ok; @G"),
    "& and wait": ("@G & wait", "@G &\nwait $!", "(@G & wait)"),
    "pipe": ("@G | cat", "echo y | @G", ": | @G | cat", "@G 2>&1 | tail -1"),
    "negation": ("! @G",),
    "function": ("@N() {\n@T\n}\n@N", "@N() (\n@T\n); @N", "@N() {\n@T\n}; x=1; @N a b"),
    "function with the name of a program": ("ls() {\n@T\n}\nls", "ls() {\n@T\n}; true && ls -l"),
    "trap EXIT": ("@N() {\n@T\n}\ntrap @N EXIT\n:", "@N() {\n@T\n}\n(trap @N 0)"),
    "command substitution": (
        ": $(\n@T\n)",
        "@N=$(\n@T\n)",
        'echo "a$(\n@T\n)b"',
        ": ${@N:-$(\n@T\n)}",
        "cat <<E\n$(\n@T\n)\nE\n",
    ),
    "redirections around": ("@G 2>/dev/null", "@G >/dev/null 2>&1", "@G 3>&1 </dev/null", "@G 2>&-"),
    "comments": ("# safe\n@T", "@T\n# nothing to see", ": # \\\n@T", "@G # it's only a comment"),
    "odd bytes": (
        "#\r\u00a0\x0b\x0c\n@T",
        ": '\u00a0' \"\r\"\n@T",
        "\t \t@T",
        "\n\n\n@T",
        ": \u201cx\u201d\n@T",
        ": \u200b\n@T",
        "@N=\r\n@T",
    ),
    "heredocs beside": ("cat <<'E' >/dev/null\necho '\nE\n@T", ': <<E\n"\nE\n@T', "cat <<-E >/dev/null\n\t'\n\tE\n@T"),
    "settings of the shell": ("set -f; set +f\n@T", "set -u +u\n@T", "set -- a b\n@T", "set +e\n@T", "umask 022\n@T"),
}
ONLY_BASH = {
    "for of C": ("for ((@N = 0; @N < 1; @N++)); do\n@T\ndone", "for ((;;)) {\n@T\nbreak; }"),
    "select": ("select @N in a; do\n@T\nbreak; done <<< 1",),
    "case that falls through": ("case a in a) : ;&\nb)\n@T\nesac", "case a in a) : ;;& *)\n@T\nesac"),
    "|&": ("@G |& cat", "echo y |& @G"),
    "time": ("time @G", "time -p @G", "! time @G"),
    "function keyword": (
        "function @N {\n@T\n}\n@N",
        "function @N() {\n@T\n}; @N",
        "function @N if true; then\n@T\nfi\n@N",
    ),
    "trap DEBUG, ERR, USR1": (
        "@N() {\n@T\n}\ntrap @N DEBUG\n:",
        "@N() {\n@T\n}\ntrap @N ERR\nfalse",
        "@N() {\n@T\n}\ntrap @N USR1\nkill -USR1 $BASHPID; :",
    ),
    "coproc": ("coproc {\n@T\n}\nwait", "coproc @N {\n@T\n}\nwait"),
    "process substitution": ("cat <(\n@T\n)", "cat < <(\n@T\n)", "@N=<(\n@T\n); wait"),
    "substitution in arithmetic": ("(( $(\n@T\n) + 0 ))", ": $(( 1$(\n@T\n) ))", "[[ -n $(\n@T\n) ]]"),
    "redirections of bash around": ("@G &>/dev/null", "@G {@N}>/dev/null", "@G 2> >(cat)"),
    "command_not_found_handle": ("command_not_found_handle() {\n@T\n}\n@N",),
    "subscript that runs": (
        "@N() {\n@T\n}\n: $(( a[$(@N)] ))",
        "@N() {\n@T\n}\n[[ -v a[\\$(@N)] ]]",
        "@N() {\n@T\n}\ntest -v 'a[$(@N)]'",
        "@N() {\n@T\n}\nprintf -v 'a[$(@N)]' x",
        "@N() {\n@T\n}\nread 'a[$(@N)]' <<< x",
        "@N() {\n@T\n}\ndeclare -a 'a[$(@N)]=x'",
        "@N() {\n@T\n}\nlet 'a[$(@N)]'",
        "@N() {\n@T\n}\nx='a[$(@N)]'; (( x ))",
        "@N() {\n@T\n}\nx='a[$(@N)]'; [[ $x -eq 1 ]]",
        "@N() {\n@T\n}\nx=abc; y='a[$(@N)]'; : ${x:y}",
        "@N() {\n@T\n}\ndeclare -i x; x='a[$(@N)]'",
    ),
    "compgen": ("@N() {\n@T\n}\ncompgen -W '$(@N)' a", "@N() {\n@T\n}\ncompgen -C @N a"),
    "mapfile -C": ("@N() {\n@T\n}\nmapfile -C @N -c 1 x <<< line",),
    "PS4": ("@N() {\nset +x\n@T\n}\nPS4='$(@N)'\nset -x\n: a",),
    "${x@P} that runs": ("@N() {\n@T\n}\nx='$(@N)'\n: \"${x@P}\"",),
    "exported function": ("@N() {\n@T\n}\nexport -f @N\nbash -c @N",),
}
SHAPES = (
    *(Respelling(name, shaped(*templates)) for name, templates in ANY_SHELL.items()),
    *(Respelling(name, shaped(*templates, posix=False)) for name, templates in ONLY_BASH.items()),
)
