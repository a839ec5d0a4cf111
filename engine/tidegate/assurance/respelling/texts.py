"""A script as text for another shell, and all words of a command made at once."""

from __future__ import annotations

import base64
import re
import shlex
from collections.abc import Callable
from random import Random

from .scripts import (
    Operator,
    Respelling,
    Script,
    as_arguments,
    as_words,
    double_quoted,
    fresh,
    shell_for,
    text,
)
from .spelling import ROT13, octal

Apply = Callable[[Script, Random], Script | None]

quote = shlex.quote


def encode(value: str) -> str:
    return base64.b64encode(value.encode()).decode()


# A script as text.


def evaluated(script: Script, random: Random) -> Script:
    name, code = fresh(random), quote(script.text)
    forms = (
        f"eval {code}",
        f'{name}={code}\neval "${name}"',
        f"eval eval {quote(code)}",
        f'eval "$(printf %s {code})"',
        f"eval {double_quoted(script.text)}",
        f"eval -- {code}",
        f"eval : ';' {quote(chr(10) + script.text)}",
    )
    return text(random.choice(forms[: 5 if script.posix else 7]), posix=script.posix)


def child(script: Script, random: Random) -> Script:
    shell, code, name = shell_for(script, random), quote(script.text), fresh(random)
    forms = (
        f"{shell} -c {code}",
        f"{shell} -c {code} name arg",
        f"/bin/{shell} -c {double_quoted(script.text)}",
        f"{shell} -xc {code}",
        f"{shell} -c -- {code}",
        f'{name}={code}\n{shell} -c "${name}"',
        f"{name}={shell}\n${name} -c {code}",
        f"{name}={code} {shell} -c 'eval \"${name}\"'",
    )
    return text(random.choice(forms))


def bash_with_options(script: Script, random: Random) -> Script:
    options = ("--norc -c", "--noprofile --norc -c", "-lc", "-O extglob -c", "-o pipefail -c", "-hc", "+e -c", "-c -e")
    return text(f"bash {random.choice(options)} {quote(script.text)}")


def here_string(script: Script, random: Random) -> Script:
    return text(f"bash {random.choice(('', '-s ', '-s a b ', '/dev/stdin '))}<<< {quote(script.text)}", posix=False)


def heredoc(script: Script, random: Random) -> Script:
    shell, end = shell_for(script, random), fresh(random).upper()
    escaped = re.sub(r"([\\$`])", r"\\\1", script.text)
    forms = (
        f"{shell} <<'{end}'\n{script.text}\n{end}\n",
        f"cat <<'{end}' | {shell}\n{script.text}\n{end}\n",
        f'{shell} <<"{end}"\n{script.text}\n{end}\n',
        f"{shell} <<\\{end}\n{script.text}\n{end}\n",
        f"{shell} <<{end}\n{escaped}\n{end}\n",
        f"{shell} -s <<{end}\n{escaped}\n{end}\n",
        f"eval \"$(cat <<'{end}'\n{script.text}\n{end}\n)\"",
    )
    form = random.choice(forms)
    return text(form, posix=script.posix or not form.startswith("eval"))


def piped(script: Script, random: Random) -> Script:
    shell, code = shell_for(script, random), quote(script.text)
    source = random.choice((f"printf %s {code}", f"printf '%s\\n' {code}", f"cat <<< {code}"))
    middle = random.choice(("", "| cat ", "| tee /dev/null ", "| cat - "))
    return text(f"{source} {middle}| {shell}{random.choice(('', ' -s', ' -'))}", posix="<<<" not in source)


def sourced(script: Script, random: Random) -> Script:
    code = quote(script.text)
    forms = (
        f"source <(printf %s {code})",
        f". <(echo {encode(script.text)} | base64 -d)",
        f". /dev/stdin <<< {code}",
        f"source /dev/fd/3 3<<< {code}",
        f"printf %s {code} | . /dev/stdin",
    )
    return text(random.choice(forms), posix=False)


def substituted(script: Script, random: Random) -> Script:
    return text(f"bash <(printf '%s\\n' {quote(script.text)})", posix=False)


def in_file(script: Script, random: Random) -> Script:
    name, code, shell = fresh(random), quote(script.text), shell_for(script, random)
    write = random.choice((f"printf '%s\\n' {code} > {name}", f"printf '%s\\n' {code} | tee {name} > /dev/null"))
    runs = (f"{shell} {name}", f". ./{name}", f"{shell} < {name}", f"cat {name} | {shell}", f'eval "$(cat {name})"')
    return text(f"{write}\n{random.choice(runs)}", posix=script.posix)


def executable(script: Script, random: Random) -> Script:
    name, body = fresh(random), quote(f"#!/bin/bash\n{script.text}")
    return text(f"printf '%s\\n' {body} > {name}\nchmod +x {name} && ./{name}")


def bash_env(script: Script, random: Random) -> Script:
    name, body = fresh(random), quote(f"unset BASH_ENV\n{script.text}")
    return text(f"printf '%s\\n' {body} > {name}\nBASH_ENV={name} bash -c :")


def aliased(script: Script, random: Random) -> Script:
    script, name = as_words(script, random), fresh(random)
    front, rest = script.spelled[0], " ".join(script.spelled[1:])
    forms = [f"alias {name}={quote(' '.join(script.spelled))}\n{name}"]
    if not isinstance(script.words[0], Operator):
        forms += [f"alias {name}={quote(front)}\n{name} {rest}", f"alias {name}={quote(front + ' ')}\n{name} {rest}"]
        forms += [f"alias {name}a={quote(front)} {name}={name}a\n{name} {rest}"]
    return text(f"shopt -s expand_aliases\n{script.before}{random.choice(forms)}", posix=False, whole=False)


def encoded(kind: str) -> Apply:
    """Hand the script to a shell through a program that makes its text."""

    def apply(script: Script, random: Random) -> Script | None:
        body, shell = script.text, shell_for(script, random)
        backwards = "\n".join(line[::-1] for line in body.split("\n"))
        producer = {
            "base64": f"echo {encode(body)} | base64 {random.choice(('-d', '--decode', '-di'))}",
            "base32": f"echo {base64.b32encode(body.encode()).decode()} | base32 -d",
            "xxd": f"echo {body.encode().hex()} | xxd -r -p",
            "rev": f"printf '%s\\n' {quote(backwards)} | rev",
            "tr": f"printf %s {quote(body.translate(ROT13))} | tr A-Za-z N-ZA-Mn-za-m",
            "octal": f"printf '{octal(body)}'",
            "sed": f"printf '%s\\n' {quote(body.replace('r', 'QQ'))} | sed s/QQ/r/g",
            "tac": f"printf '%s\\n' {quote(chr(10).join(reversed(body.split(chr(10)))))} | tac",
            "python": f"python3 -c {quote(f'print({body!r})')}",
            "gzip": f"printf %s {quote(body)} | gzip | gunzip",
        }[kind]
        if (kind == "rev" and not body.isascii()) or (kind == "sed" and "Q" in body):
            return None
        return text(random.choice((f"{producer} | {shell}", f"{producer} | {shell}", f'{shell} -c "$({producer})"')))

    return apply


# All words of a command at once.

WORD = re.compile(r"[\w./:=+-]+", re.ASCII)
OF_ANY_WORDS = {
    "array": '@N=(@S)\n"${@N[@]}"',
    "set --": 'set -- @S\n"$@"',
    "function of its words": '@N() { "$@"; }\n@N @S',
    "shifted parameters": 'set -- x @S\nshift; "$@"',
    "continued lines": "@C",
    "tabs": "@B",
}
OF_PLAIN_WORDS = {
    "split variable": "@N='@J'\n$@N",
    "IFS": "IFS=,; @N=@I\n$@N",
    "${IFS}": "@F",
    "$IFS": "@D",
    "braces": "{@I}",
    "split substitution": "$(echo @J)",
    "split backticks": "`echo @J`",
    "split base64": "$(base64 -d <<< @E)",
    "read -a": "read -ra @N <<< '@J'\n\"${@N[@]}\"",
    "mapfile": "mapfile -t @N <<'E'\n@L\nE\n\"${@N[@]}\"",
    "nested braces": "{@I,}",
    "variable into eval": "@N='@J'; eval $@N",
    "variable into sh -c": "@N='@J'; sh -c \"$@N\"",
}


def at_once(form: str, *, plain: bool) -> Apply:
    """Make all the words of a command with one expansion."""

    def apply(script: Script, random: Random) -> Script | None:
        script = as_arguments(script, random)
        if plain and not (len(script.words) > 1 and all(WORD.fullmatch(word) for word in script.words)):
            return None
        joined = " ".join(script.words)
        parts = {
            "@N": fresh(random),
            "@S": " ".join(script.spelled),
            "@C": " \\\n".join(script.spelled),
            "@B": "\t \t".join(script.spelled),
            "@J": joined,
            "@I": ",".join(script.words),
            "@F": "${IFS}".join(script.words),
            "@D": "$IFS''".join(script.words),
            "@L": "\n".join(script.words),
            "@E": encode(joined),
        }
        line = re.sub("@[A-Z]", lambda mark: parts[mark[0]], form)
        return text(script.before + line, posix=False, whole=script.whole)

    return apply


CODES = ("base64", "base32", "xxd", "rev", "tr", "octal", "sed", "tac", "python", "gzip")
FORMS: dict[str, Apply] = {
    "eval": evaluated,
    "sh -c": child,
    "bash with options": bash_with_options,
    "bash <<<": here_string,
    "heredoc into a shell": heredoc,
    "pipe into a shell": piped,
    "source <(…)": sourced,
    "bash <(…)": substituted,
    "script in a file": in_file,
    "executable file": executable,
    "BASH_ENV": bash_env,
    "alias": aliased,
}
TEXTS = (
    *(Respelling(name, apply) for name, apply in FORMS.items()),
    *(Respelling(f"shell text by {kind}", encoded(kind)) for kind in CODES),
    *(Respelling(f"all words by {name}", at_once(form, plain=False)) for name, form in OF_ANY_WORDS.items()),
    *(Respelling(f"all words by {name}", at_once(form, plain=True)) for name, form in OF_PLAIN_WORDS.items()),
)
