"""Other spellings of single words: quotes and variables, and the table of all spellings."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from . import substitutions as made
from .scripts import SAFE, Respelling, Script, double_quoted, fresh
from .spelling import (
    NOTHING,
    Speller,
    Spelling,
    cut,
    hexadecimal,
    octal,
    one_line,
    quote,
    respelled,
)

# Quotes.


def single(value: str, _: Random) -> Spelling:
    return "", "'" + value.replace("'", "'\\''") + "'"


def double(value: str, _: Random) -> Spelling:
    return "", double_quoted(value)


def partial(value: str, random: Random) -> Spelling:
    left, right = cut(value, random)
    return "", quote(left) + double_quoted(right)


def backslashes(value: str, _: Random) -> Spelling | None:
    return None if "\n" in value else ("", re.sub(r"(.)", r"\\\1", value))


def empties(value: str, random: Random) -> Spelling:
    left, right = cut(value, random)
    return "", quote(left) + random.choice(NOTHING) + quote(right)


def continued(value: str, random: Random) -> Spelling | None:
    left, right = cut(value, random)
    return ("", f"{left}\\\n{right}") if SAFE.fullmatch(value) else None


def continued_in_quotes(value: str, random: Random) -> Spelling:
    left, right = cut(value, random)
    return "", f"{double_quoted(left)[:-1]}\\\n{double_quoted(right)[1:]}"


def ansi_hex(value: str, _: Random) -> Spelling:
    return "", f"$'{hexadecimal(value)}'"


def ansi_octal(value: str, _: Random) -> Spelling:
    return "", f"$'{octal(value)}'"


def ansi_unicode(value: str, random: Random) -> Spelling:
    form = random.choice(["\\u{:04x}", "\\U{:08x}"])
    return "", "$'" + "".join(form.format(ord(character)) for character in value) + "'"


def ansi_partly(value: str, random: Random) -> Spelling:
    left, right = cut(value, random)
    return "", f"{quote(left)}$'{hexadecimal(right)}'"


def locale(value: str, _: Random) -> Spelling:
    return "", "$" + double_quoted(value)


# Variables.


def variable(value: str, random: Random) -> Spelling:
    name = fresh(random)
    assign = random.choice(["", "export ", "readonly "])
    return f"{assign}{name}={quote(value)}\n", random.choice([f'"${name}"', f'"${{{name}}}"', f'"${{{name}:-x}}"'])


def unquoted(value: str, random: Random) -> Spelling | None:
    name = fresh(random)
    return (f"{name}={value}\n", f"${name}") if SAFE.fullmatch(value) else None


def two_variables(value: str, random: Random) -> Spelling:
    (left, right), one, two = cut(value, random), fresh(random), fresh(random)
    return f"{one}={quote(left)} {two}={quote(right)}\n", f'"${{{one}}}${two}"'


def appended(value: str, random: Random) -> Spelling:
    (left, right), name = cut(value, random), fresh(random)
    return f"{name}={quote(left)}; {name}+={quote(right)}\n", f'"${name}"'


def default(value: str, random: Random) -> Spelling:
    operator = random.choice(["-", ":-", ":=", "="])
    return "", f'"${{{fresh(random)}{operator}{double_quoted(value)}}}"'


def alternative(value: str, _: Random) -> Spelling:
    return "", f'"${{PATH:+{double_quoted(value)}}}"'


def substring(value: str, random: Random) -> Spelling:
    name = fresh(random)
    return f"{name}={quote(f'ab{value}c')}\n", f'"${{{name}:2:{len(value)}}}"'


def indirect(value: str, random: Random) -> Spelling:
    one, two = fresh(random), fresh(random)
    return f"{one}={quote(value)} {two}={one}\n", f'"${{!{two}}}"'


def reference(value: str, random: Random) -> Spelling:
    one, two = fresh(random), fresh(random)
    return f"{one}={quote(value)}; declare -n {two}={one}\n", f'"${two}"'


def array(value: str, random: Random) -> Spelling:
    name = fresh(random)
    element = random.choice(["[1]", "[@]:1:1", "[-2]"])
    return f"{name}=(a {quote(value)} b)\n", f'"${{{name}{element}}}"'


def keyed(value: str, random: Random) -> Spelling:
    name = fresh(random)
    return f"declare -A {name}=([k]={quote(value)})\n", f'"${{{name}[k]}}"'


def replaced(value: str, random: Random) -> Spelling | None:
    if "Q" in value:  # what is replaced must stand there once
        return None
    (left, right), name = cut(value, random), fresh(random)
    operation = random.choice(["/QXQ", "//QXQ", "/QXQ/", "//QXQ/"])
    return f"{name}={quote(f'{left}QXQ{right}')}\n", f'"${{{name}{operation}}}"'


def trimmed(value: str, random: Random) -> Spelling:
    name = fresh(random)
    if random.random() < 0.5:
        return f"{name}={quote('zz:' + value)}\n", f'"${{{name}#zz:}}"'
    return f"{name}={quote(value + ':zz')}\n", f'"${{{name}%:zz}}"'


def lowered(value: str, random: Random) -> Spelling | None:
    name = fresh(random)
    if value != value.lower() or not value.isascii():
        return None
    return f"{name}={quote(value.upper())}\n", random.choice([f'"${{{name},,}}"', f'"${{{name}@L}}"'])


def lowered_by_type(value: str, random: Random) -> Spelling | None:
    name = fresh(random)
    return (f"declare -l {name}={quote(value.upper())}\n", f'"${name}"') if value.upper().lower() == value else None


def escaped(value: str, random: Random) -> Spelling:
    name = fresh(random)
    return f"{name}={quote(hexadecimal(value))}\n", f'"${{{name}@E}}"'


def prompted(value: str, random: Random) -> Spelling:
    name = fresh(random)
    return f"{name}={quote(octal(value))}\n", f'"${{{name}@P}}"'


def positional(value: str, random: Random) -> Spelling:
    return f"set -- a {quote(value)}\n", random.choice(['"$2"', '"${2}"', '"${@:2:1}"', '"${@:2}"', '"${!#}"'])


def read_in(value: str, random: Random) -> Spelling | None:
    name = fresh(random)
    reader = random.choice(["IFS= read -r", "mapfile -t"])
    return (f"{reader} {name} <<< {quote(value)}\n", f'"${name}"') if one_line(value) else None


def read_here(value: str, random: Random) -> Spelling | None:
    name, end = fresh(random), fresh(random)
    return (f"IFS= read -r {name} <<'{end}'\n{value}\n{end}\n", f'"${name}"') if one_line(value) else None


def printed_to(value: str, random: Random) -> Spelling:
    name = fresh(random)
    return f"printf -v {name} %s {quote(value)}\n", f'"${name}"'


def slash_of_path(value: str, random: Random) -> Spelling | None:
    if not SAFE.fullmatch(value) or "/" not in value:
        return None
    return "", value.replace("/", random.choice(["${PATH:0:1}", "${PWD:0:1}", "${HOME%%[!/]*}"]))


def pattern_variable(value: str, random: Random) -> Spelling | None:
    name = fresh(random)
    return (f"for {name} in {quote(value)}; do :; done\n", f'"${name}"')


POSIX: dict[str, Speller] = {
    "single quotes": single,
    "double quotes": double,
    "partial quotes": partial,
    "backslash per letter": backslashes,
    "empty expansions inside": empties,
    "line continuation": continued,
    "line continuation in quotes": continued_in_quotes,
    "variable": variable,
    "unquoted variable": unquoted,
    "two variables": two_variables,
    "${x:-…}": default,
    "${x:+…}": alternative,
    "${x#…}": trimmed,
    "read from a heredoc": read_here,
    "variable of a loop": pattern_variable,
    "$(echo …)": made.echoed,
    "$(printf …)": made.printed,
    "backticks": made.backticks,
    "$(printf octal)": made.printed_octal,
    "$(printf %b)": made.printed_backslashes,
    "$(… | rev)": made.reversed_,
    "$(… | tr)": made.rotated,
    "$(function)": made.from_function,
}
BASH: dict[str, Speller] = {
    "ANSI-C hex": ansi_hex,
    "ANSI-C octal": ansi_octal,
    "ANSI-C unicode": ansi_unicode,
    "ANSI-C partly": ansi_partly,
    'locale $"…"': locale,
    "x+=…": appended,
    "${x:n:m}": substring,
    "${!x}": indirect,
    "declare -n": reference,
    "array element": array,
    "associative array": keyed,
    "${x/…}": replaced,
    "${x,,}": lowered,
    "declare -l": lowered_by_type,
    "${x@E}": escaped,
    "${x@P}": prompted,
    "read and mapfile": read_in,
    "printf -v": printed_to,
    "slash of a variable": slash_of_path,
    "$(base64 -d)": made.from_base64,
    "$(xxd -r)": made.from_hex,
    "$(cut, awk, sed, head)": made.cut_out,
    "$(cat file)": made.from_file,
    "$(python, perl)": made.from_interpreter,
    "${x:$((…))}": made.arithmetic_slice,
}


def unless_set(apply: Callable[[Script, Random], Script | None]) -> Callable[[Script, Random], Script | None]:
    """The same for scripts that have not set positional parameters yet: setting them again takes the others away."""
    return lambda script, random: None if "set -- " in script.before else apply(script, random)


WORDS = (
    *(Respelling(name, respelled(spell, posix=True)) for name, spell in POSIX.items()),
    *(Respelling(name, respelled(spell, posix=False)) for name, spell in BASH.items()),
    Respelling("positional parameter", unless_set(respelled(positional, posix=False))),
    Respelling("brace expansion", respelled(made.braces, posix=False, several=True)),
)
