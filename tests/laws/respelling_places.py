"""Other names of the same program, file and folder, and what may stand around the words of a command."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from random import Random

from attrs import evolve

from tests.laws.respelling_options import options
from tidegate.assurance.respelling.scripts import Respelling, Script, apart, fresh, text

Apply = Callable[[Script, Random], Script | None]

quote = shlex.quote

FILES = ("build", "keep/lock", ".env")
PROGRAMS = ("rm", "git", "curl", "cat", "bash", "env", "nice", "timeout", "mv", "cp", "tee")
FOLDERS = "/usr/bin"


def on_file(names: Callable[[str, Random], tuple[str, str, str] | None]) -> Apply:
    """Give one of the files of a command another name: lines before, the word, and how it is spelled."""

    def apply(script: Script, random: Random) -> Script | None:
        places = [place for place, word in enumerate(script.words) if word in FILES]
        if names is in_braces:
            places = [place for place in places if place in apart(script)]
        if not places:
            return None
        place = random.choice(places)
        found = names(script.words[place], random)
        if found is None:
            return None
        before, word, spelling = found
        return _with_spelling(script, place, word, spelling, before)

    return apply


def _with_spelling(script: Script, place: int, word: str, spelling: str, before: str = "") -> Script:
    words = (*script.words[:place], word, *script.words[place + 1 :])
    spelled = (*script.spelled[:place], spelling, *script.spelled[place + 1 :])
    return evolve(script, words=words, spelled=spelled, before=script.before + before)


def _plain(word: str, before: str = "") -> tuple[str, str, str]:
    return before, word, quote(word)


def detour(name: str, random: Random) -> tuple[str, str, str]:
    forms = (f"./{name}", f"src/../{name}", f".//{name}", f"././{name}", f"build/../{name}", f"link/{name}")
    forms += (f"link/link/{name}", f"src/.././link/{name}", f"../work/{name}", f"keep/../src/../{name}")
    return _plain(random.choice(forms))


def absolute(name: str, random: Random) -> tuple[str, str, str]:
    forms = (f'"$PWD/{name}"', f"$PWD/{name}", f"${{PWD}}/{name}", f'"$(pwd)/{name}"', f"`pwd`/{name}")
    return "", f"/proc/self/cwd/{name}", random.choice(forms)


def through_proc(name: str, random: Random) -> tuple[str, str, str]:
    return _plain(
        random.choice((f"/proc/self/cwd/{name}", f"/dev/fd/../../self/cwd/{name}", f"/proc/thread-self/cwd/{name}"))
    )


def under_home(name: str, random: Random) -> tuple[str, str, str]:
    forms = (f"~/../work/{name}", f'"$HOME/../work/{name}"', f"$HOME//..//work/{name}")
    return "", f"/proc/self/cwd/{name}", random.choice(forms)


def globbed(name: str, random: Random) -> tuple[str, str, str]:
    folder, slash, last = name.rpartition("/")
    place = random.randrange(1 if last.startswith(".") else 0, len(last))
    form = random.choice(
        (f"[{last[place]}]", "?", "[!_]", f"[{last[place]}-{last[place]}]", "[[:alpha:]]", f"*{last[place]}*")
    )
    return "", name, f"{folder}{slash}{last[:place]}{form}{last[place + 1 :]}"


def in_braces(name: str, random: Random) -> tuple[str, str, str]:
    place = random.randrange(1, len(name))
    return "", name, f"{name[:place]}{{{name[place]},{name[place]}}}{name[place + 1 :]}"


def new_link(name: str, random: Random) -> tuple[str, str, str]:
    link = fresh(random)
    return _plain(f"{link}/{name}", f"ln -s . {link}\n")


def moved_in(name: str, random: Random) -> tuple[str, str, str] | None:
    folder, _, last = name.rpartition("/")
    return ("", last, quote(last)) if folder else None


def inside(script: Script, random: Random) -> Script | None:
    """Go to another folder first."""
    places = [place for place, word in enumerate(script.words) if word in FILES]
    if len(places) != 1 or any("/" in word for word in script.words if word not in FILES):
        return None
    if script.words[places[0]] not in FILES or script.words[-1] == "leaked" or script.before:
        return None
    name = script.words[places[0]]
    folder = name.rpartition("/")[0]
    goes = {
        "": (
            ("cd src\n", f"../{name}"),
            ("cd src && cd ..\n", name),
            ("cd link;\n", name),
            ("cd /; cd - > /dev/null\n", name),
        ),
        "keep": (
            ("cd keep\n", "lock"),
            ("cd src/../keep && \\\n", "lock"),
            ("pushd keep > /dev/null\n", "lock"),
            ("CDPATH=. cd keep > /dev/null\n", "lock"),
        ),
    }[folder]
    before, word = random.choice(goes)
    return _with_spelling(script, places[0], word, quote(word), before)


def on_program(names: Callable[[str, Random], tuple[str, str, str]]) -> Apply:
    """Name the program of a command otherwise: lines before, the word, and how it is spelled."""

    def apply(script: Script, random: Random) -> Script | None:
        place = script.head
        if place is None or script.words[place] not in PROGRAMS:
            return None
        before, word, spelling = names(script.words[place], random)
        return _with_spelling(script, place, word, spelling, before)

    return apply


def by_path(name: str, random: Random) -> tuple[str, str, str]:
    forms = (f"/bin/{name}", f"/usr/bin/{name}", f"/usr/bin/../bin/{name}", f"//bin/{name}", f"/bin/./{name}")
    return _plain(random.choice(forms if name != "curl" else ("../bin/curl", "src/../../bin/curl", "./../bin/curl")))


def by_lookup(name: str, random: Random) -> tuple[str, str, str]:
    forms = (f'"$(command -v {name})"', f"$(which {name})", f"`command -v {name}`", f'"`which {name}`"')
    return "", name, random.choice(forms)


def by_glob(name: str, random: Random) -> tuple[str, str, str]:
    folder = "../bin" if name == "curl" else FOLDERS
    place = random.randrange(len(name))
    head, letter, tail = name[:place], name[place], name[place + 1 :]
    forms = [f"{folder}/{head}[{letter}]{tail}", f"{folder[:-1]}[n]/{head}[{letter}]{tail}"]
    if name == "curl":
        forms += ["../bin/c*", "../b?n/c??l", "../*/cur?"]
    return "", f"{folder}/{name}", random.choice(forms)


def by_link(name: str, random: Random) -> tuple[str, str, str]:
    other, way = fresh(random), random.choice(("ln -s", "cp", "install -m 755", "ln -sf", "cp -L"))
    return _plain(f"./{other}", f'{way} "$(command -v {name})" {other}\n')


def by_path_variable(name: str, random: Random) -> tuple[str, str, str]:
    other, folder = fresh(random), fresh(random)
    made = f'mkdir {folder}; ln -s "$(command -v {name})" {folder}/{other}\n'
    return _plain(other, f'{made}PATH="$PWD/{folder}:$PATH"\n')


def by_hash(script: Script, random: Random) -> Script | None:
    """Give the program another name that only this shell knows."""
    if script.head is None or script.words[script.head] not in PROGRAMS or "curl" in script.words:
        return None
    other = fresh(random)
    hashed = _with_spelling(script, script.head, other, other, f"hash -p /bin/{script.words[script.head]} {other}\n")
    return text(hashed.text, posix=False, whole=script.whole)


ENVIRONMENTS = {
    "rm": ("LC_ALL=C", "A=b", "POSIXLY_CORRECT="),
    "git": (
        "GIT_DIR=.git",
        "GIT_WORK_TREE=. GIT_DIR=.git",
        "GIT_PAGER=cat",
        "GIT_TRACE=0",
        "GIT_CEILING_DIRECTORIES=/",
    ),
    "curl": ("http_proxy=", "A=b", "CURL_HOME=/nowhere"),
}


def with_environment(script: Script, random: Random) -> Script | None:
    if script.head != 0 or not script.words or script.words[0] not in ENVIRONMENTS:
        return None
    variables = random.choice(ENVIRONMENTS[script.words[0]])
    form = random.choice(("{0} {1}", "export {0}\n{1}", "env {0} {1}", "{0}\nexport A\n{1}"))
    return text(
        script.before + form.format(variables, " ".join(script.spelled)), posix=script.posix, whole=script.whole
    )


def redirected(script: Script, random: Random) -> Script | None:
    """Put a redirection among the words."""
    if not script.words:
        return None
    noise = random.choice(("2>/dev/null", "</dev/null", "3<&0", "2>&1", "9>/dev/null", "<<< x", "2>>/dev/null"))
    place = random.choice((0, len(script.spelled), len(script.spelled) // 2))
    if place and any(word in (">", ">>") for word in script.words[place - 1 : place]):
        place = 0
    line = " ".join((*script.spelled[:place], noise, *script.spelled[place:]))
    return text(script.before + line, posix=script.posix and "<<<" not in noise, whole=script.whole)


FILE_NAMES: dict[str, Callable[[str, Random], tuple[str, str, str] | None]] = {
    "path with detours": detour,
    "path by $PWD": absolute,
    "path through /proc": through_proc,
    "path by ~ and $HOME": under_home,
    "glob for a file": globbed,
    "braces in a file": in_braces,
    "link made first": new_link,
}
PROGRAM_NAMES: dict[str, Callable[[str, Random], tuple[str, str, str]]] = {
    "path of the program": by_path,
    "$(command -v …)": by_lookup,
    "glob for the program": by_glob,
    "copy or link of the program": by_link,
    "PATH with a link": by_path_variable,
}
PLACES = (
    *(Respelling(name, on_file(names)) for name, names in FILE_NAMES.items()),
    *(Respelling(name, on_program(names)) for name, names in PROGRAM_NAMES.items()),
    Respelling("hash -p", by_hash),
    Respelling("cd first", inside),
    Respelling("options", options),
    Respelling("variables before", with_environment),
    Respelling("redirections among the words", redirected),
)
