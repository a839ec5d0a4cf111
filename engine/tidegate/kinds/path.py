"""`path`: which files and folders may be read, written, deleted or listed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from attrs import frozen

from ..kind import (
    PATH_EFFECTS,
    Case,
    Effect,
    Example,
    Guard,
    Kind,
    Mention,
    PathPattern,
    PathTarget,
    Phase,
    Seeks,
    Setting,
    Tri,
    denies_path,
    grants_path,
    param,
    shown,
)

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Access = Literal["read", "write", "delete", "list"]


@frozen
class Path:
    """Allow, refuse or confine what is done to paths, by whatever tool or command.

    `/x/**` is x and all beneath it; `*` matches dotfiles and no `/`; `{root}` is the project, `~` the home folder
    (in a deny everybody's), and a relative glob stands under the folder in which the call runs.

    A path is compared under every name that it has: the entry, what a symlink leads to, and what an earlier `cd`
    could make of it. A deny needs one of them, a grant all. A deny also sees case, trailing dots, streams and
    look-alikes. What a command does to paths counts like what an argument says, and so does a `file:` URL; making
    a link, a hard link or a mount is every access to what it leads to.

    In a glob `{root}`, `{cwd}` and `{home}` stand for folders of the call, and `{a,b}` for either.

    **Limits.** A hard link or a bind mount that was there before the call is a name like any other: nobody can list
    the further names of a file. A file that changes its place between the judgement and the tool's opening of it is
    out of reach of any rule: a tool should open what was judged beneath its root.
    """

    allow: tuple[str, ...] | None = param("Globs of paths that are granted.", default=None)
    deny: tuple[str, ...] | None = param("Globs of paths that are refused.", default=None)
    only: tuple[str, ...] | None = param("Globs of the only paths that may be touched; grants nothing.", default=None)
    access: Access | tuple[Access, ...] | None = param(
        "What is done to the path: `read`, `write`, `delete`, `list`; all of them unless given.", default=None
    )
    recursive: bool | None = param(
        "With `true` the rule is only about what is done to everything beneath a folder.", default=None
    )


def compile_path(fields: Path, setting: Setting) -> Guard:
    """Compile the globs, and compare them with the names of each path."""
    allow = setting.patterns("allow", fields.allow, PathPattern.compile)
    deny = setting.patterns("deny", fields.deny, PathPattern.compile)
    only = setting.patterns("only", fields.only, PathPattern.compile) or (allow if setting.otherwise else ())
    access = (fields.access,) if isinstance(fields.access, str) else fields.access
    kinds = frozenset(access or PATH_EFFECTS)

    def meant(effect: Effect) -> bool:
        return fields.recursive is None or effect.recursive is fields.recursive

    def grants(effect: Effect, case: Case) -> Tri:
        if isinstance(effect.target, PathTarget) and not effect.target.names:
            return False  # what a program keeps to itself lies at no path
        return meant(effect) and grants_path(allow, effect, case.places)

    def denies(effect: Effect, case: Case) -> Tri:
        if isinstance(effect.target, Mention):
            path = effect.target.path
            # Nobody says that a program that only names a folder does something to all that lies beneath.
            if path is None or fields.recursive is True:
                return False
            return denies_path(deny, effect._replace(target=path), case.places) is True
        return meant(effect) and denies_path(deny, effect, case.places)

    def confines(effect: Effect, case: Case) -> Tri:
        if isinstance(effect.target, Mention):
            path, text = effect.target.path, shown(effect.target.text)
            # A word without a separator is as likely no path at all; a deny still looks at it.
            if path is None or not any(mark in text for mark in ("/", "\\", "..")):
                return True
            return grants_path(only, effect._replace(target=path), case.places) is not False
        return not meant(effect) or grants_path(only, effect, case.places)

    return Guard(
        grants=grants if allow else None,
        denies=denies if deny else None,
        confines=confines if only else None,
        about=kinds | {"mention", "unknown", "code"},
        covers=kinds,
        offer=", ".join(f"`{pattern.text}`" for pattern in only or allow),
        seeks=None if only else Seeks(paths=(*allow, *deny)),
    )


def _strategy() -> SearchStrategy[Path]:
    from hypothesis import strategies as st

    globs = st.sampled_from(["{root}/**", "**/.env", "~/.ssh/**", "/etc/*", "*.py", "/srv/{a,b}/?", "{home}", "/**"])
    lists = st.lists(globs, min_size=1, max_size=3, unique=True).map(tuple)
    words = st.sampled_from(["read", "write", "delete", "list"])
    return st.builds(
        Path,
        allow=st.none() | lists,
        deny=lists,
        only=st.none() | lists,
        access=st.none() | words | st.lists(words, min_size=1, unique=True).map(tuple),
        recursive=st.sampled_from([None, None, True, False]),
    )


KIND = Kind(
    name="path",
    phase=Phase.GUARD,
    fields=Path,
    compile=compile_path,
    examples=(
        Example(
            "The project and nothing else",
            """\
[[rule]]
id = "workspace"
kind = "path"
tools = ["read_*", "write_*", "list_*"]
allow = ["{root}/**"]
otherwise = "deny"
message = "stay inside the project"

[[rule.example]]
call = { tool = "write_file", args = { path = "src/a.py", content = "x" } }
expect = "allow"

[[rule.example]]
call = { tool = "read_file", args = { path = "src/../../secret.txt" } }
expect = "deny"
why = "a traversal leaves the project"

[[rule.example]]
call = { tool = "read_file", args = { path = "link/passwd" } }
links = { "link" = "/etc" }
expect = "deny"
why = "a symlink leads out of the project"
""",
        ),
        Example(
            "Secrets, by whatever means",
            """\
[[rule]]
id = "secrets"
kind = "path"
access = ["read"]
deny = ["**/.env", "~/.ssh/**"]

[[rule.example]]
call = { tool = "read_file", args = { path = ".env" } }
expect = "deny"

[[rule.example]]
call = { tool = "run_bash", args = { command = "head -1 .env | base64" } }
expect = "deny"

[[rule.example]]
call = { tool = "read_file", args = { path = ".env.example" } }
expect = "pass"
""",
        ),
        Example(
            "Whole folders are deleted by people",
            """\
[[rule]]
id = "no-recursive-delete"
kind = "path"
access = "delete"
recursive = true
deny = ["/**"]
effect = "ask"

[[rule.example]]
call = { tool = "run_bash", args = { command = "rm -r build" } }
expect = "ask"

[[rule.example]]
call = { tool = "run_bash", args = { command = "rm build/a.o" } }
expect = "pass"
""",
        ),
    ),
    strategy=_strategy,
)
