"""Words that name hosts, in the ways of the programs that reach them."""

from __future__ import annotations

from collections.abc import Mapping

from ..effects import EffectKind, Place
from ..shell.command import Nested
from ..urls import read_host, read_url
from ..values import Value, unknown
from .entry import Part
from .run import Handler, Item, Run
from .text import cut, known_start, without_start

_FILE_MARKS = ("@", "<")


def _data(run: Run, _part: Part, item: Item) -> None:
    """What `curl` sends: text, or `@FILE`."""
    head = cut(item.value, "@")
    if head is not None and (not head[0] or "=" not in head[0]):
        _read(run, head[1], item)


def _form(run: Run, _part: Part, item: Item) -> None:
    """A field of a form: `NAME=TEXT`, `NAME=@FILE` or `NAME=<FILE`, each with `;type=…` behind."""
    halves = cut(item.value, "=")
    if halves is not None and known_start(halves[1])[:1] in _FILE_MARKS:
        name = without_start(halves[1], 1)
        _read(run, name.partition(";")[0] if isinstance(name, str) else name, item)


def _read(run: Run, name: Value, item: Item) -> None:
    if name != "-":
        run.do("read", run.resolve(name), item)


def _transfer(run: Run, part: Part, item: Item) -> None:
    """A file here or on another host: `HOST:PATH`, `HOST::MODULE`, `scp://`, `rsync://`."""
    host = cut(item.value, ":")
    kind: EffectKind = "write" if part.argument == "write" else "read"
    if host is None or "/" in host[0]:
        _local(run, kind, item, certain=isinstance(item.value, str) or "/" in known_start(item.value))
    elif known_start(item.value).startswith(("scp://", "rsync://", "sftp://", "ssh://")):
        run.say("connect", read_url(item.value), item)
    else:
        run.say("connect", read_host(host[0], "ssh", 22), item)
        inner, run.command = run.command, run.command._replace(place=Place("remote", host[0]))
        run.do(kind, run.resolve(without_start(host[1], len(known_start(host[1])) - len(known_start(host[1]).lstrip(":")))), item)
        run.command = inner


def _local(run: Run, kind: EffectKind, item: Item, *, certain: bool) -> None:
    path = run.resolve(item.value)
    run.do(kind, path, item)
    if kind == "write":
        run.handlers["into"](run, Part("into"), item._replace(path=path))
    if not certain:
        run.say("connect", read_host(unknown("the word may name a host")), item)


def _object(run: Run, part: Part, item: Item) -> None:
    """A file here, or an object in a store: `s3://`, `gs://`."""
    if "://" in known_start(item.value):
        run.say("connect", read_url(item.value), item)
    elif item.value != "-":
        kind: EffectKind = "write" if part.argument == "write" else "read"
        run.do(kind, run.resolve(item.value), item)


def _redirected(run: Run, _part: Part, item: Item) -> None:
    """`HOST:PORT:ADDRESS` of `curl --resolve` and `--connect-to`: another address is reached than is named."""
    address = item.value.split(":", 2)[2] if isinstance(item.value, str) and item.value.count(":") > 1 else None
    target = unknown("the address is not known") if address is None else address.split(",")[0]
    run.say("connect", read_host(target), item)


def _tunnel(run: Run, _part: Part, item: Item) -> None:
    """`[BIND:]PORT:HOST:HOSTPORT` of `ssh -L` and `-R`."""
    parts = item.value.rsplit(":", 2) if isinstance(item.value, str) else []
    host = parts[-2] if len(parts) > 2 else unknown("the end of the tunnel is not known")  # noqa: PLR2004
    run.say("connect", read_host(host), item)


def _socket(run: Run, _part: Part, item: Item) -> None:
    """An address of `socat`: `TCP:HOST:PORT`, `EXEC:COMMAND`, `OPEN:FILE`."""
    halves = cut(item.value, ":")
    kind = halves[0].upper() if halves is not None else known_start(item.value).upper()
    rest: Value = halves[1] if halves is not None else ""
    if kind in ("EXEC", "SYSTEM", "SHELL"):
        text = rest.partition(",")[0] if isinstance(rest, str) else rest
        run.nest(Nested("shell", text=text, language="sh", span=item.span))
    elif kind in ("OPEN", "FILE", "CREATE", "GOPEN", "PIPE", "UNIX-CONNECT", "UNIX-LISTEN", "UNIX"):
        path = run.resolve(rest.partition(",")[0] if isinstance(rest, str) else rest)
        run.do("read", path, item)
        run.do("write", path, item)
    elif kind in ("STDIO", "-", "STDIN", "STDOUT", "STDERR") or kind.endswith("-LISTEN"):
        return
    else:
        run.say("connect", read_host(rest), item)


NETWORK_ROLES: Mapping[str, Handler] = {
    "data": _data,
    "form": _form,
    "object": _object,
    "resolve": _redirected,
    "socket": _socket,
    "transfer": _transfer,
    "tunnel": _tunnel,
}
