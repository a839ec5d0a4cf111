"""Options that undo another one: `--no-dry-run`, `rm -i -f`, a file that sets what it likes.

Which options of a program exclude each other comes from the manual pages of coreutils, grep, curl, wget, pip, npm,
git, OpenSSH and Info-ZIP; which words a switch without a value may still take, from npm's `nopt`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from types import MappingProxyType

from ..meaning.effects import Option
from ..meaning.shell.command import Word

_OPPOSITES = ("no-", "not-", "without-", "with-", "disable-", "enable-", "no")
_SWITCHED = frozenset({"true", "false", "null"})


def _families(*texts: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(text.split()) for text in texts)


(_FROM_FILES,) = _families(
    "--config --config-file --configfile --userconfig --globalconfig --local-config --global-config --rcfile "
    "--init-file --options-file --option-file --defaults-file --defaults-extra-file"
)
_EXCLUDING: Mapping[str, tuple[frozenset[str], ...]] = MappingProxyType(
    {
        "rm": _families("-i -I --interactive --force -f"),
        "cp": _families("--interactive -i --force -f --no-clobber -n --update -u"),
        "mv": _families("--interactive -i --force -f --no-clobber -n --update -u"),
        "ln": _families("--interactive -i --force -f"),
        "ls": _families("-l -C -x -m --format"),
        "grep": _families("-E -F -G -P", "-l -L", "-i -y --no-ignore-case"),
        "curl": _families("-4 -6", "-f --fail-with-body", "-L --location-trusted --follow"),
        "wget": _families("-4 -6", "-q -v -nv"),
        "ssh": _families("-A -a", "-X -x -Y", "-t -T", "-4 -6"),
        "unzip": _families("-n -o"),
        "npm": _families("--omit --include", "--offline --prefer-offline --prefer-online"),
        "pip": _families(
            "--only-binary --no-binary -r -c", "-i --index-url --extra-index-url --no-index -f --find-links -r -c"
        ),
        "git": _families("--ff --no-ff --ff-only --squash", "-f --force --force-with-lease"),
    }
)
_RESETTING: Mapping[str, frozenset[str]] = MappingProxyType(
    {"curl": frozenset({"-K", "--next", "-:"}), "wget": frozenset({"-e"}), "ssh": frozenset({"-F"})}
)


def undoes(given: Option, wanted: Iterable[str], program: str) -> bool:
    """Whether an option may undo another one of the same program, all of whose spellings are *wanted*.

    It does where one is the negation of the other, where the program takes the last of both, and where it reads
    options from a file or begins anew.
    """
    theirs = frozenset((given.name, *given.spellings))
    ours = frozenset(wanted)
    if theirs & (_FROM_FILES | _RESETTING.get(program, frozenset())):
        return True
    if any(theirs & family and ours & family for family in _EXCLUDING.get(program, ())):
        return True
    return not _stems(theirs).isdisjoint(_stems(ours))


def _stems(spellings: Iterable[str]) -> set[str]:
    """What long spellings are about, with and without the negation before them."""
    stems = {spelling[2:] for spelling in spellings if spelling.startswith("--")}
    return stems | {stem.removeprefix(start) for stem in stems for start in _OPPOSITES}


def is_switched(given: Option, words: tuple[Word, ...]) -> bool:
    """Whether the word behind a switch could be taken for its value: `--ignore-scripts false`."""
    behind = (word for before, word in pairwise(words) if before.span[0] == given.span[0])
    return any(isinstance(word.value, str) and word.value.lower() in _SWITCHED for word in behind)
