"""Calls in Python code become effects."""

from __future__ import annotations

from ..values import Value, unknown
from .code_effects import CodeEffects
from .python_names import (
    BUILTINS,
    CALLS,
    DATA_METHODS,
    HARMLESS_CALLS,
    HARMLESS_MODULES,
    PATH_METHODS,
    PATH_PURE,
)
from .python_results import (
    LONGEST,
    STRING_METHODS,
    Arguments,
    Keywords,
    check_handed_on,
    decoded,
    is_data,
    over_paths,
    path_of,
    string_method,
)
from .python_values import (
    DATA,
    DONE,
    ELEMENT,
    FILE,
    PATHS,
    Items,
    Known,
    NotUnderstood,
    PathThing,
    Text,
    Thing,
    as_text,
    joined_path,
    text_thing,
)

_PASSED_ON = frozenset({"app", "mounts", "proxies", "proxy", "transport"})
_READ_ONLY = frozenset("rbtU")
_SAME_TEXT = frozenset({"os.path.abspath", "os.path.realpath", "os.path.normpath", "os.fspath", "str"})


class Caller:
    """Says what a call does, and what is known of its result."""

    def __init__(self, said: CodeEffects) -> None:
        self._said = said

    def call(self, dotted: str, args: Arguments, keywords: Keywords) -> Thing:
        """Call a function by its dotted name.

        Raises:
            NotUnderstood: It is none of those that are known, or its arguments are not.
        """
        role = CALLS.get(dotted)
        computed = self._computed(dotted, args)
        if computed is not None:
            return computed
        if role is not None:
            return self._known_call(dotted, role, args, keywords)
        if dotted in ("pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath"):
            return path_of(args)
        if dotted == "pathlib.Path.home":
            return PathThing(self._home(""))
        if dotted == "pathlib.Path.cwd":
            return PathThing(".")
        module, _, _ = dotted.rpartition(".")
        if PATHS in args:
            return over_paths(dotted, args)
        if dotted in BUILTINS or dotted in HARMLESS_CALLS or module in HARMLESS_MODULES:
            check_handed_on([*args, *keywords.values()])
            return DATA
        raise NotUnderstood(f"what `{dotted}` does is not understood")

    def method(self, thing: Thing, name: str, args: Arguments, keywords: Keywords) -> Thing:
        """Call a method of a value."""
        if isinstance(thing, PathThing):
            return self._path_method(thing, name, args, keywords)
        check_handed_on([*args, *keywords.values()])
        if thing is FILE or thing is DONE:
            return DATA
        if name not in DATA_METHODS or not is_data(thing) or (thing is ELEMENT and name in PATH_METHODS):
            raise NotUnderstood(f"what the method `{name}` does is not understood")
        known = [arg.value for arg in args if isinstance(arg, Known)]
        if isinstance(thing, Known) and name in STRING_METHODS and len(known) == len(args) and not keywords:
            return string_method(thing.value, name, known)
        if isinstance(thing, Known) and name == "join" and len(args) == 1 and isinstance(args[0], Items):
            parts = [item.value for item in args[0].items if isinstance(item, Known) and isinstance(item.value, str)]
            if len(parts) == len(args[0].items) and isinstance(thing.value, str):
                return Known(thing.value.join(parts)[:LONGEST])
        return DATA

    def _computed(self, dotted: str, args: Arguments) -> Thing | None:
        """The result of functions that only compute, where their arguments are known."""
        if dotted == "os.path.join" and args:
            value = as_text(args[0])
            for arg in args[1:]:
                value = joined_path(value, as_text(arg))
            return text_thing(value)
        if dotted == "os.path.expanduser" and args:
            return text_thing(self._expanded(as_text(args[0])))
        if dotted in _SAME_TEXT and len(args) == 1 and isinstance(args[0], (Known, Text, PathThing)):
            return text_thing(as_text(args[0]))
        if dotted in ("base64.b64decode", "base64.standard_b64decode", "binascii.a2b_base64", "bytes.fromhex") and args:
            return decoded(dotted, args[0])
        return None

    def _expanded(self, text: Value) -> Value:
        """A path with the home directory put in for `~`."""
        if not isinstance(text, str) or (text[:1] == "~" and text != "~" and not text.startswith("~/")):
            return unknown("whose home it is, is not known")
        return self._home(text[1:]) if text[:1] == "~" else text

    def _home(self, rest: str) -> Value:
        home = self._said.scene.home
        return unknown("the home directory is not known") if home is None else home + rest

    def _known_call(self, dotted: str, role: str, args: Arguments, keywords: Keywords) -> Thing:
        if role in _STARTING:
            self._start(dotted, role, args, keywords)
            return DONE
        if role == "open":
            return self._open(args, keywords)
        check_handed_on([*args, *keywords.values()])
        given = [
            *args,
            *(keywords[name] for name in ("src", "path", "name", "dst", "url", "filename") if name in keywords),
        ]
        if not given:
            if role in ("list", "list-all", "read", "url"):
                given = [Known(".")]
            else:
                raise NotUnderstood(f"`{dotted}` is given nothing that is known")
        texts = [as_text(arg) for arg in given]
        for text, part in zip(texts, role.split(), strict=False):
            self._argument(part, text, texts, given[0])
        if "url" in role.split():
            self._beyond(dotted, texts[role.split().index("url") :][:1], keywords)
        return FILE if role.startswith(("url", "read+write")) else DATA

    def _beyond(self, dotted: str, urls: list[Value], keywords: Keywords) -> None:
        """Whom a request reaches beside the host of its URL: where it is redirected to; who passes it on."""
        if any(name in keywords for name in _PASSED_ON):
            raise NotUnderstood(f"`{dotted}` is told through whom requests go")
        follows = keywords.get(
            "follow_redirects" if dotted.startswith("httpx.") else "allow_redirects",
            Known(value=not dotted.startswith("httpx.")),
        )
        if follows != Known(value=False):
            for url in urls:
                self._said.redirects(url)

    def _argument(self, role: str, text: Value, texts: list[Value], first: Thing) -> None:
        if role == "url":
            self._said.connect(text)
        elif role == "host":
            self._said.host(text)
        elif role == "socket":
            host = first.items[0] if isinstance(first, Items) and first.items else DATA
            self._said.host(as_text(host))
        elif role == "into":
            self._said.into(texts[0], text)
        elif role == "directory":
            self._said.cwds = self._said.resolve(text).names
        elif role != "text":
            self._said.path(role.removesuffix("!"), text, force=role.endswith("!"))

    def _open(self, args: Arguments, keywords: Keywords) -> Thing:
        path = args[0] if args else keywords.get("file", DATA)
        mode = args[1] if len(args) > 1 else keywords.get("mode", Known("r"))
        if isinstance(path, Known) and isinstance(path.value, int):
            return FILE
        text = as_text(path)
        letters = mode.value if isinstance(mode, Known) and isinstance(mode.value, str) else "r+"
        if "opener" in keywords:
            raise NotUnderstood("`open` is given an opener")
        if not set(letters) <= _READ_ONLY:
            self._said.path("write", text)
        if "r" in letters or "+" in letters:
            self._said.path("read", text)
        return FILE

    def _start(self, dotted: str, role: str, args: Arguments, keywords: Keywords) -> None:
        """A shell or another program is started."""
        if any(name in keywords for name in ("env", "executable", "preexec_fn", "user")):
            raise NotUnderstood(f"`{dotted}` changes the environment of what it runs")
        check_handed_on([*args, *keywords.values()])
        first = args[0] if args else keywords.get("args", keywords.get("cmd", keywords.get("command", DATA)))
        if role == "shell":
            self._said.shell(as_text(first))
        elif role == "command":
            self._run(first, keywords)
        elif role.startswith("words"):
            self._said.argv(tuple(as_text(arg) for arg in args[int(role[-1]) :]))
        else:
            items = args[int(role[-1])] if len(args) > int(role[-1]) else DATA
            if not isinstance(items, Items):
                raise NotUnderstood(f"what `{dotted}` runs is not known")
            self._said.argv(tuple(as_text(item) for item in items.items))

    def _run(self, first: Thing, keywords: Keywords) -> None:
        shell = keywords.get("shell", Known(value=False))
        where = keywords.get("cwd")
        cwds = self._said.resolve(as_text(where)).names if where is not None and where != Known(None) else None
        if isinstance(first, Items):
            values = tuple(as_text(item) for item in first.items)
            if shell == Known(value=False):
                self._said.argv(values, cwds)
            else:
                self._said.shell(values[0] if values else "")
        elif shell == Known(value=False) and isinstance(first, (Known, PathThing)):
            self._said.argv((as_text(first),), cwds)
        elif shell == Known(value=False) and isinstance(first, Text):
            self._said.argv((first.value,), cwds)
        elif isinstance(shell, Known) and cwds is None:
            self._said.shell(as_text(first))
        else:
            raise NotUnderstood("what is run, and how, is not known")

    def _path_method(self, thing: PathThing, name: str, args: Arguments, keywords: Keywords) -> Thing:
        role = PATH_METHODS.get(name)
        if role == "open":
            return self._open([thing, *args], keywords)
        check_handed_on([*args, *keywords.values()])
        if role is not None:
            own, _, other = role.partition(">")
            self._said.path(own, thing.value)
            if other:
                self._said.path(other, as_text(args[0]) if args else unknown("the target is not known"))
            return PATHS if own.startswith("list") and name not in ("stat", "lstat") else DATA
        if name not in PATH_PURE:
            raise NotUnderstood(f"what the method `{name}` of a path does is not understood")
        if name == "joinpath":
            return path_of([thing, *args])
        if name == "expanduser":
            return PathThing(self._expanded(thing.value))
        return thing if name in ("absolute", "resolve") else PathThing(unknown("the Python code computes it"))


_STARTING = frozenset({"shell", "command", "words1", "words2", "list1", "list2"})
