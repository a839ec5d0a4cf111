"""Programs of the sandbox that run a command which they are given, beside those of `tidegate.assurance.respelling`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from random import Random

from tidegate.assurance.respelling.runners import RUNNERS as EVERYWHERE
from tidegate.assurance.respelling.scripts import Respelling, Script, as_arguments, text

Apply = Callable[[Script, Random], Script | None]

quote = shlex.quote


def by_find(script: Script, random: Random) -> Script | None:
    script = as_arguments(script, random)
    if any("{}" in word for word in script.words):  # it would put its own name there, and end at a `{} +`
        return None
    front = random.choice(("find . -maxdepth 0 -exec", "find src/a -prune -exec", "find src -name a -exec"))
    end = random.choice(("\\;", "';'", '";"'))
    return text(f"{script.before}{front} {' '.join(script.spelled)} {end}", posix=script.posix, whole=script.whole)


def by_sed(script: Script, random: Random) -> Script | None:
    line = f"bash -c {quote(script.text)}"
    if "\n" in line:
        return None
    return text(f"sed -n {quote(f'1e {line}')} src/a")


def by_git(script: Script, random: Random) -> Script | None:
    line = f"bash -c {quote(script.text)}"
    if "\n" in line:
        return None
    return text(
        random.choice(
            (
                f"git -c alias.z={quote('!' + line)} z",
                f"git config alias.z {quote('!' + line)}; git z",
                f"GIT_EXTERNAL_DIFF={quote(line + ' #')} git diff HEAD~0 -- tracked",
                f"GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.z GIT_CONFIG_VALUE_0={quote('!' + line)} git z",
                f"GIT_EDITOR={quote(line + ' #')} git commit --allow-empty",
                f"git -c core.editor={quote(line + ' #')} commit --allow-empty",
            )
        )
    )


def by_tar(script: Script, random: Random) -> Script | None:
    line = f"bash -c {quote(script.text)}"
    return text(f"tar -cf /dev/null --checkpoint=1 --checkpoint-action=exec={quote(line)} src")


def by_editor(script: Script, random: Random) -> Script | None:
    line = f"bash -c {quote(script.text)}"
    if re.search(r"[\n%!#|\\]", line):
        return None
    return text(random.choice((f"printf '%s\\n' {quote('!' + line)} q | ed -s", f"ed -s src/a <<'E'\n!{line}\nq\nE\n")))


INTERPRETERS: dict[str, Apply] = {
    "find -exec": by_find,
    "sed e": by_sed,
    "git that runs": by_git,
    "tar --checkpoint-action": by_tar,
    "ed": by_editor,
}
RUNNERS = (*EVERYWHERE, *(Respelling(name, apply) for name, apply in INTERPRETERS.items()))
