"""The names of shells, by how their text is read."""

BASH = frozenset(("bash", "rbash"))
"""Bash, whatever it is called."""

POSIX = frozenset(("sh", "dash", "ash"))
"""Shells that may be bash or something with POSIX's grammar only; both readings count."""

RELATED = frozenset(
    "zsh ksh ksh93 mksh lksh yash oksh posh fish csh tcsh rc es elvish nu xonsh".split()  # noqa: SIM905 one a word
)
"""Shells of their own: their text is unknown, and read as bash only so that denies see something."""

SHELLS = BASH | POSIX | RELATED
