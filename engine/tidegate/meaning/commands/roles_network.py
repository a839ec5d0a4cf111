"""Words that name hosts, in the ways of the programs that reach them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..effects import EffectKind, PathTarget, Place
from ..urls import read_host, read_url
from ..values import Value, unknown
from .entry import Part
from .run import Handler, Item, Run
from .text import cut, joined, known_start, without_start

_FILE_MARKS = ("@", "<")
_NAME = re.compile(r"[.:a-z]")
_ASKING = re.compile(r"(?:list|describe|show|get|print|search|check|read|logs|tail|lookup|status|validate)(?:-|$)")
_METHOD = re.compile(r"[A-Z]+")


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
        run.do(kind, run.resolve(_without_colons(host[1])), item)
        run.command = inner


def _without_colons(value: Value) -> Value:
    start = known_start(value)
    return without_start(value, len(start) - len(start.lstrip(":")))


def _last(run: Run, part: Part, item: Item) -> None:
    """What is done beneath the destination alone (`rsync --delete`)."""
    if item.span == run.operands[-1].span:
        kind: EffectKind = part.argument  # type: ignore[assignment]
        target = cut(item.value, ":")
        local = target is None or "/" in target[0]
        path = run.resolve(item.value if target is None or local else _without_colons(target[1]))
        place = run.command.place if target is None or local else Place("remote", target[0])
        inner, run.command = run.command, run.command._replace(place=place)
        run.do(kind, path, item, recursive=True)
        run.command = inner


def _local(run: Run, kind: EffectKind, item: Item, *, certain: bool) -> None:
    part = Part("into" if kind == "write" else kind)
    run.handlers[part.kind](run, part, item._replace(path=run.resolve(item.value)))
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
        run.nest("shell", text=text, language="sh", span=item.span)
    elif kind in ("OPEN", "FILE", "CREATE", "GOPEN", "PIPE", "UNIX-CONNECT", "UNIX-LISTEN", "UNIX"):
        path = run.resolve(rest.partition(",")[0] if isinstance(rest, str) else rest)
        run.do("read", path, item)
        run.do("write", path, item)
    elif kind in ("STDIO", "-", "STDIN", "STDOUT", "STDERR") or kind.endswith("-LISTEN"):
        return
    else:
        run.say("connect", read_host(rest), item)


def _cookie(run: Run, _part: Part, item: Item) -> None:
    """Cookies of `curl`: `NAME=VALUE`, or a file."""
    if "=" not in known_start(item.value):
        _read(run, item.value, item)


def _format(run: Run, _part: Part, item: Item) -> None:
    """What `curl -w` prints: a text, `@FILE`, or text that names a file to write to."""
    if known_start(item.value).startswith("@"):
        _read(run, without_start(item.value, 1), item)
    elif not isinstance(item.value, str) or "%output{" in item.value:
        run.do("write", run.resolve(unknown("the format may name a file")), item._replace(inherent=False))


def _lookup(run: Run, _part: Part, item: Item) -> None:
    """A name to look up, or `@SERVER` to ask."""
    start = known_start(item.value)
    if start.startswith("@"):
        run.say("connect", read_host(without_start(item.value, 1)), item)
    elif not isinstance(item.value, str) or _NAME.search(start):
        run.say("connect", read_host(item.value), item)


def _password(run: Run, _part: Part, item: Item) -> None:
    """A pass phrase of `openssl`: `pass:TEXT`, `file:PATH`, `env:NAME`."""
    halves = cut(item.value, ":")
    if halves is not None and halves[0] == "file":
        _read(run, halves[1], item)


def _request(run: Run, _part: Part, item: Item) -> None:
    """`[METHOD] URL [NAME=VALUE | NAME=@FILE | NAME@FILE …]`, as `http` takes it."""
    start = known_start(item.value)
    first = next((each for each in run.operands if not _METHOD.fullmatch(known_start(each.value))), None)
    if first is not None and first.span == item.span:
        value = item.value if "://" in start else joined("http://", item.value)
        run.say("connect", read_url(value), item)
    elif "@" in start:
        _read(run, without_start(item.value, start.index("@") + 1), item)


def _parameter(run: Run, _part: Part, item: Item) -> None:
    """A parameter of a service: a text, or `file://FILE`."""
    start = known_start(item.value)
    if start.startswith(("file://", "fileb://")):
        _read(run, without_start(item.value, start.index("//") + 2), item)
    elif start.startswith(("http://", "https://")):
        run.say("connect", read_url(item.value), item)


def _verb(run: Run, _part: Part, item: Item) -> None:
    """The words of `gcloud` and `az`: unless one of them only asks, something is changed."""
    if item.span == run.operands[0].span and not any(_ASKING.match(known_start(each.value)) for each in run.operands):
        run.do("write", PathTarget(f"the state of `{run.program}`", ()), item)


NETWORK_ROLES: Mapping[str, Handler] = {
    "cookie": _cookie,
    "data": _data,
    "form": _form,
    "format": _format,
    "last": _last,
    "lookup": _lookup,
    "object": _object,
    "parameter": _parameter,
    "password": _password,
    "request": _request,
    "resolve": _redirected,
    "socket": _socket,
    "transfer": _transfer,
    "tunnel": _tunnel,
    "verb": _verb,
}
