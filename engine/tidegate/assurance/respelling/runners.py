"""Programs and builtins that run a command which they are given: wrappers and interpreters."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from random import Random

from attrs import evolve

from .scripts import Respelling, Script, as_arguments, as_program, as_words, behind, text

Apply = Callable[[Script, Random], Script | None]

quote = shlex.quote

PREFIXES = {
    "env": ("env", "env --", "env A=b", "env -u NONE", 'env - PATH="$PATH" HOME="$HOME"', "/usr/bin/env"),
    "nice": ("nice", "nice -n 5", "nice -5", "nice --adjustment=3"),
    "scheduling": ("ionice -c 3", "taskset 0xffffffff", "chrt -o 0", "choom -n 100 --", "prlimit --core=0"),
    "timeout": ("timeout 15", "timeout -s KILL 15", "timeout --signal=KILL -k 1 15s", "timeout --foreground 15"),
    "nohup": ("nohup", "nohup --"),
    "stdbuf": ("stdbuf -o0", "stdbuf -oL -e 0", "stdbuf --output=L"),
    "setsid": ("setsid -w", "setsid --wait"),
    "flock": ("flock .l", "flock -x .l", "flock -w 5 .l"),
    "time as a program": ("command time", "\\time -p"),
    "setarch": ("setarch -R", "linux64", "setarch x86_64"),
    "ssh-agent": ("ssh-agent",),
    'sh -c "$@"': ("sh -c '\"$@\"' _", "bash -c '\"$@\"' x", "sh -c '$0 \"$@\"'", 'sh -c \'exec "$0" "$@"\''),
}


def prefixed(*prefixes: str) -> Apply:
    """Put words in front of the command that run it as their argument."""

    def apply(script: Script, random: Random) -> Script:
        script = as_program(script, random)
        prefix = random.choice(prefixes)
        if re.search("[\"'\\\\]", prefix):
            line = f"{script.before}{prefix} {' '.join(script.spelled)}"
            return text(line, posix=script.posix, whole=script.whole)
        return behind(script, *prefix.split())

    return apply


def by_command(script: Script, random: Random) -> Script | None:
    script = as_words(script, random)
    if script.head is None or script.words[script.head] == "exec":
        return None
    return behind(script, *random.choice(("command", "command --", "command command")).split())


def by_exec(script: Script, random: Random) -> Script:
    return behind(as_program(script, random), *random.choice(("exec", "exec --", "exec -a other", "exec -l")).split())


def by_builtin(script: Script, random: Random) -> Script:
    front = random.choice(("builtin eval", "builtin builtin eval", "command builtin eval", "builtin command eval"))
    return text(f"{front} {quote(script.text)}", posix=False)


def by_xargs(script: Script, random: Random) -> Script | None:
    script = as_arguments(script, random)
    *front, last = script.spelled
    if not front:
        return None
    program, everything = " ".join(front), " ".join(script.spelled)
    lines = [
        f"printf '%s\\0' {last} | xargs -0 {program}",
        f"printf '%s\\0' {last} | xargs --null -n 1 {program}",
        f"printf '%s\\0' {everything} | xargs -0 {random.choice(('env', 'nice', 'timeout 15'))}",
        f"printf '%s\\0' {last} > .args; xargs -0 -a .args {program}",
    ]
    if not any("{}" in word for word in script.words):  # `xargs` would put its own argument there
        lines += [f"printf '%s\\0' {last} | xargs -0I{{}} {program} {{}}"]
    if "\n" not in script.words[-1]:
        lines += [f"printf '%s\\n' {last} | xargs -d '\\n' -n 1 {program}"]
    if re.fullmatch(r"[\w./:=+-]+", script.words[-1]):
        lines += [f"echo {last} | xargs {program}", f"xargs {program} <<E\n{script.words[-1]}\nE\n"]
    return text(script.before + random.choice(lines), posix=script.posix, whole=script.whole)


def by_env_split(script: Script, random: Random) -> Script | None:
    script = as_arguments(script, random)
    if any(not re.fullmatch(r"[\w./:=+-]+", word) for word in script.words):
        return None
    option = random.choice(("-S ", "--split-string=", "-S"))
    return text(f"{script.before}env {option}{quote(' '.join(script.words))}", posix=script.posix, whole=script.whole)


def by_loader(script: Script, random: Random) -> Script | None:
    script = as_arguments(script, random)
    if script.words[0] != "rm":
        return None
    named = evolve(script, words=("/bin/rm", *script.words[1:]), spelled=("/bin/rm", *script.spelled[1:]))
    return behind(named, "/lib64/ld-linux-x86-64.so.2")


def by_python(script: Script, random: Random) -> Script:
    argv = list(as_arguments(text(script.text, posix=script.posix), random).words)
    line = f"bash -c {quote(script.text)}"
    codes = (
        f"import subprocess; subprocess.run({argv!r})",
        f"import subprocess as s\ns.call({line!r}, shell=True)",
        f"from subprocess import check_output as c; c({argv!r})",
        f"import os; os.execvp({argv[0]!r}, {argv!r})",
        f"__import__('os').system({line!r})",
        f"import os as o; o.popen({line!r}).read()",
        f"import os; os.spawnvp(os.P_WAIT, {argv[0]!r}, {argv!r})",
        f"exec({f'import subprocess; subprocess.run({argv!r})'!r})",
        f"import base64, os; os.system(base64.b64decode({_base64(line)!r}).decode())",
        f"getattr(__import__('o' + 's'), 'sys' + 'tem')({line!r})",
    )
    code = quote(random.choice(codes))
    form, posix = random.choice(
        ((f"python3 -c {code}", True), (f"python3 - <<< {code}", False), (f"printf %s {code} | python3", True))
    )
    return text(form, posix=posix)


def _base64(line: str) -> bytes:
    import base64

    return base64.b64encode(line.encode())


def by_perl(script: Script, random: Random) -> Script | None:
    argv = as_arguments(text(script.text, posix=script.posix), random).words
    if any("'" in word or "\\" in word for word in argv):
        return None
    words = ", ".join(f"'{word}'" for word in argv)
    return text(f"perl -e {quote(random.choice((f'system({words})', f'exec {words};', f'@a = ({words}); system @a')))}")


def by_awk(script: Script, random: Random) -> Script:
    line = f"bash -c {quote(script.text)}".replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    codes = (f'BEGIN {{ system("{line}") }}', f'BEGIN {{ "{line}" | getline }}', f'BEGIN {{ print "" | "{line}" }}')
    return text(f"awk {quote(random.choice(codes))}")


def by_make(script: Script, random: Random) -> Script | None:
    line = f"bash -c {quote(script.text)}"
    if re.search(r"[\n$#\\]", line):
        return None
    return text(f"printf '%s\\n\\t%s\\n' all: {quote(line)} | make -sf -")


def by_script(script: Script, _: Random) -> Script:
    return text(f"script -qc {quote('bash -c ' + quote(script.text))} /dev/null")


INTERPRETERS: dict[str, Apply] = {
    "command": by_command,
    "exec": by_exec,
    "builtin": by_builtin,
    "xargs": by_xargs,
    "env -S": by_env_split,
    "ld.so": by_loader,
    "python": by_python,
    "perl": by_perl,
    "awk": by_awk,
    "make -f -": by_make,
    "script -c": by_script,
}
RUNNERS = (
    *(Respelling(name, prefixed(*prefixes)) for name, prefixes in PREFIXES.items()),
    *(Respelling(name, apply) for name, apply in INTERPRETERS.items()),
)
