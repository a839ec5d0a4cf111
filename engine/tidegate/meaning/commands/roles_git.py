"""Words of `git`: remotes, revisions with paths, aliases, configuration in the environment."""

from __future__ import annotations

from collections.abc import Mapping

from ..shell.command import Word
from ..urls import read_host, read_url
from ..values import Value, shown, unknown
from .entry import Part
from .roles import say_config
from .roles_network import follow_redirects
from .roles_running import as_words, split_words
from .run import Handler, Item, Run, described
from .text import cut, joined, known_start, last_component, without_start

_SETTING = ("--add", "--replace-all", "--unset", "--unset-all", "--rename-section", "--remove-section")
_GETTING = ("--get", "--get-all", "--get-regexp", "--get-urlmatch", "--list", "--get-color", "--get-colorbool")
_CONFIG_FILES: Mapping[str, str] = {"--global": "~/.gitconfig", "--system": "/etc/gitconfig"}


def _remote(run: Run, part: Part, item: Item) -> None:
    """Where a repository is: a URL, `HOST:PATH`, a path, the name of a remote, or a helper (`ext::COMMAND`)."""
    start = known_start(item.value)
    helper = start.partition("::")
    if helper[1] and "/" not in helper[0]:
        _run_helper(run, helper[0], without_start(item.value, len(helper[0]) + 2), item)
    elif start.startswith("file://"):
        run.do("read", run.resolve(without_start(item.value, 7)), item, recursive=True)
    elif "://" in start:
        url = read_url(item.value.removeprefix("git+") if isinstance(item.value, str) else item.value)
        run.say("connect", url, item)
        if not _stays(run):
            follow_redirects(run, url, item)
    elif ":" in start and "/" not in start.partition(":")[0]:
        run.say("connect", read_host(start.partition(":")[0], "ssh", 22), item)
    elif start.startswith(("/", ".", "~")) or part.argument == "path":
        run.do("read", run.resolve(item.value), item, recursive=True)
    else:
        run.say(
            "connect", read_url(unknown(f"where the remote {described(item.value)} is stands in the git config")), item
        )


def _stays(run: Run) -> bool:
    """Whether `-c http.followRedirects=false` is given and nothing that may say otherwise."""
    settings = [found.value for found in run.sorted.options if found.name in ("-c", "--config", "--config-env")]
    if not settings or any(name.startswith("GIT_CONFIG") for name, _ in run.command.variables):
        return False
    said = {shown(setting or "").lower() for setting in settings if not _says_nothing(setting)}
    return said == {"http.followredirects=false"}


def _says_nothing(setting: Value | None) -> bool:
    """Whether a setting is known and is not about redirects."""
    return isinstance(setting, str) and ".followredirects" not in setting.lower()


def _run_helper(run: Run, name: str, address: Value, item: Item) -> None:
    """`ext::COMMAND` runs a command, other helpers run `git-remote-NAME`."""
    item = item._replace(inherent=False, option=f"{name}::")
    run.code(f"the remote helper `{name}`", item)
    if name == "ext":
        texts = (
            [text.replace("\0", " ") for text in address.replace("% ", "\0").split()]
            if isinstance(address, str)
            else None
        )
        if texts is None:
            run.say("unknown", f"the command in {described(item.value)} is not known", item)
        elif texts:
            run.nest("argv", words=as_words(texts, item.span), span=item.span)


def _revision(run: Run, _part: Part, item: Item) -> None:
    """A revision, with the path of a file in it behind a colon (`HEAD:.env`)."""
    halves = cut(item.value, ":")
    if halves is not None and halves[1] != "" and not halves[0].startswith(("/", "^{")):
        run.do("read", run.resolve(halves[1]), item)
    elif not isinstance(item.value, str) and not _is_behind_dashes(run, item):
        run.say("unknown", f"the revision {described(item.value)} is not known", item)


def _is_behind_dashes(run: Run, item: Item) -> bool:
    """Whether an operand stands behind `--`, where git takes everything for paths in its working tree."""
    dashes = run.sorted.dashes if run.sorted.complete else None
    return dashes is not None and item.position is not None and item.position >= dashes


def read_git(run: Run) -> None:
    """What the table cannot say of `git`: configuration by `GIT_CONFIG_COUNT`, and aliases made on the spot."""
    if run.command.variables:
        _say_configured(run)
    if run.sorted.undeclared is not None:
        _follow_alias(run, run.sorted.undeclared, Item("", run.command.span, inherent=False))
    elif run.sorted.subcommand == ("config",):
        _say_setting(run)
    elif run.sorted.subcommand == ("clone",) and len(run.operands) == 1:
        _say_clone(run, run.operands[0].value)


def _say_configured(run: Run) -> None:
    """Configuration in the environment: `GIT_CONFIG_COUNT`, `GIT_CONFIG_KEY_0`, `GIT_CONFIG_VALUE_0`."""
    variables = dict(run.command.variables)
    here = Item("", run.command.span, inherent=False)
    for index in range(_count(variables)):
        name = f"GIT_CONFIG_KEY_{index}"
        key, value = variables.get(name), variables.get(f"GIT_CONFIG_VALUE_{index}", "")
        option = here._replace(option=f"{name}=")
        if isinstance(key, str):
            say_config(run, key, value, option)
        elif key is not None:
            run.say("unknown", f"the config key in `${name}` is not known", option)


def _say_setting(run: Run) -> None:
    """`git config` writes where it is given a value, or told to change something.

    What it writes may be code, unless the key is one that `-c` may set without harm.
    """
    changing = next((name for name in _SETTING if run.found(name) is not None), None)
    reading = any(run.found(name) is not None for name in _GETTING)
    if changing is None and (reading or len(run.operands) < 2):  # noqa: PLR2004
        return
    file = run.found("--file")
    if file is not None:
        name = file.value or ""
    else:
        name = next((where for option, where in _CONFIG_FILES.items() if run.found(option) is not None), ".git/config")
    path = run.resolve(name, tilde=True)
    item = Item(name, run.command.span)
    run.do("write", path, item)
    if not _sets_harmless_key(run, changing):
        run.code(f"what is set in {described(name)}", item, path)


def _sets_harmless_key(run: Run, changing: str | None) -> bool:
    """Whether the one key that is set or taken away makes git run nothing and go nowhere."""
    key = run.operands[0].value if run.operands else None
    if changing in ("--rename-section", "--remove-section") or not isinstance(key, str):
        return False
    meaning = run.entry.config_key(key.lower())
    return meaning is not None and meaning.harmless


def _say_clone(run: Run, source: Value) -> None:
    """A clone without a directory goes where its source is called."""
    name = last_component(source)
    if isinstance(name, str):
        name = name.rpartition(":")[2].removesuffix(".git")
    run.do("write", run.resolve(name), Item(name, run.operands[0].span), recursive=True)


def _blamed(run: Run, _part: Part, item: Item) -> None:
    """`[REVISION] FILE`: the last operand is read."""
    if item.position == len(run.operands) - 1:
        run.do("read", run.resolve(item.value), item)


def _pushed(run: Run, _part: Part, item: Item) -> None:
    """What `git push` pushes for want of a refspec, perhaps by force: it stands in the configuration."""
    run.say("unknown", f"what is pushed stands in the config value {described(item.value)}", item)


def _count(variables: Mapping[str, Value]) -> int:
    count = variables.get("GIT_CONFIG_COUNT", "0")
    known = sum(name.startswith("GIT_CONFIG_KEY_") for name in variables)
    return min(int(count), known) if isinstance(count, str) and count.isdecimal() and len(count) < 4 else known  # noqa: PLR2004


def _follow_alias(run: Run, alias: str, here: Item) -> None:
    """Run what `-c alias.NAME=…` made of NAME."""
    for key, value in run.config:
        if key != f"alias.{alias.lower()}":
            continue
        words = run.command.words
        rest = words[next(index for index, word in enumerate(words) if word is run.words[0]) + 1 :]
        item = here._replace(value=value, span=run.words[0].span)
        if known_start(value).startswith("!"):
            text = joined(without_start(value, 1), ' "$@"')
            run.nest("shell", text=text, language="sh", words=(run.words[0], *rest), span=item.span)
            continue
        texts = split_words(value) if isinstance(value, str) else None
        if texts is None:
            run.say("unknown", f"the alias {described(value)} is not known", item)
        else:
            others = [joined(f"{name}=", text) for name, text in run.config if name[:6] == "alias." and name != key]
            carried = [Word(text, item.span) for other in others for text in ("-c", other)]
            line = (Word("git", item.span), *carried, *as_words(texts, item.span), *rest)
            run.nest("argv", words=line, span=item.span)


GIT_ROLES: Mapping[str, Handler] = {"blamed": _blamed, "pushed": _pushed, "remote": _remote, "revision": _revision}
