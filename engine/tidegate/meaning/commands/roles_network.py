"""Words that name hosts, in the ways of the programs that reach them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..effects import EffectKind, PathTarget, Place, UrlTarget
from ..paths import resolve
from ..ports import PORTS
from ..urlranges import expanded
from ..urls import read_host, read_url, redirected
from ..values import Hole, Matched, Value, unknown, written
from .bringing import brought, local_sources, own_name
from .entry import Part
from .run import Handler, Item, Run, described
from .text import cut, joined, known_start, without_start

_FILE_MARKS = ("@", "<")
_PORTED = frozenset({"-p", "-port"})
_NAME = re.compile(r"[.:a-z]")
_ASKING = re.compile(r"(?:list|describe|show|get|print|search|check|read|logs|tail|lookup|status|validate)(?:-|$)")
_METHOD = re.compile(r"[A-Z]+")
_INSTEAD = re.compile(r"(?:\[[^\]]*\]|[^:\[\]]*):[^:]*:(.*)", re.DOTALL)
_LEFT_OUT = re.compile(r"(?::[0-9]*)?", re.ASCII)
_REDIRECTING = frozenset({"http", "https"})
_MOST_REDIRECTS = ("--max-redirect", "--max-redirs", "--max-redirects")
_PORT = re.compile(r"[0-9]{1,5}", re.ASCII)
_SWITCHES = frozenset({"", "on", "off", "yes", "no", "1", "0"})


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
        _away(run, kind, _without_colons(host[1]), item, Place("remote", host[0]))


def _away(run: Run, kind: EffectKind, value: Value, item: Item, place: Place) -> None:
    """What is done to a file on another host; of what is brought there, the names are known here."""
    home = (run.scene.home or unknown("the home folder on another host is not known"),)
    path = resolve(value or ".", home, run.scene)
    written: list[PathTarget] = []
    names: tuple[Value, ...] | None = None
    if kind == "write":
        sources = local_sources(run, item.position)
        names = brought(run, sources, path, away=True) if run.recursive else ()
        under = [joined(value or ".", "/", own_name(run, source.value)) for source in sources]
        written = [resolve(each, home, run.scene) for each in under]
    if names:
        text = joined(value, "/", Hole.FOLDERS, Hole.ENTRY, reason="whole trees are written")
        written.append(PathTarget(text, names))
    inner, recursive = run.command, run.recursive
    run.command = run.command._replace(place=place)
    run.recursive = recursive and names is None
    for target in (path, *written):
        run.do(kind, target, item)
    run.command, run.recursive = inner, recursive


def _without_colons(value: Value) -> Value:
    start = known_start(value)
    return without_start(value, len(start) - len(start.lstrip(":")))


def _last(run: Run, part: Part, item: Item) -> None:
    """What is done beneath the destination alone (`rsync --delete`)."""
    if item.position == len(run.operands) - 1:
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
    path = run.resolve(item.value, glob=type(item.value) is Matched)
    run.handlers[part.kind](run, part, item._replace(path=path))
    if not certain:
        schemes = ("ssh", "rsync") if run.entry.name == "rsync" else ("ssh",)
        for scheme in schemes:
            run.say("connect", read_host(unknown("the word may name a host"), scheme), item)


def _object(run: Run, part: Part, item: Item) -> None:
    """A file here, or an object in a store: `s3://`, `gs://`."""
    if "://" in known_start(item.value):
        url = read_url(item.value)
        run.say("connect", url, item)
        follow_redirects(run, url, item)
    elif item.value != "-":
        kind: EffectKind = "write" if part.argument == "write" else "read"
        run.do(kind, run.resolve(item.value), item)


def _resolved(run: Run, _part: Part, item: Item) -> None:
    """`HOST:PORT:ADDRESS,ADDRESS` of `curl --resolve`, `HOST:PORT:HOST:PORT` of `--connect-to`: who is reached instead.

    A part left empty stays as it was.
    """
    found = _INSTEAD.fullmatch(item.value) if isinstance(item.value, str) else None
    if found is None:
        run.say("connect", read_host(unknown("the address is not known")), item)
    elif not _LEFT_OUT.fullmatch(found[1]):
        _hosts(run, Part("hosts"), item._replace(value=found[1]))


def _hosts(run: Run, part: Part, item: Item) -> None:
    """Several hosts with commas between, as `ssh -J` takes them."""
    hosts: list[Value] = [*item.value.split(",")] if isinstance(item.value, str) else [item.value]
    for host in hosts:
        if host not in ("", "none"):
            run.say("connect", read_host(host, part.argument or None), item)


def _ranges(run: Run, _part: Part, item: Item) -> None:
    """`{a,b}` and `[1-3]` in a URL: several, unless the program is told to take the text as it is."""
    text = written(item.value)
    if text is None or run.found("--globoff") is not None:
        return
    found = expanded(text)
    if found is None:
        run.say("connect", read_url(unknown("the URL stands for too many")), item)
    for each in found or ():
        if each != text:
            run.say("connect", read_url(each if "://" in each else f"http://{each}"), item)


def _redirects(run: Run, part: Part, item: Item) -> None:
    """A URL whose redirects are followed: always, or with one of the options that are named with commas between."""
    option = next((name for name in part.argument.split(",") if name and run.found(name) is not None), None)
    if item.url is not None and (option is not None or not part.argument):
        follow_redirects(run, item.url, item, option)


def follow_redirects(run: Run, url: UrlTarget, item: Item, option: str | None = None) -> None:
    """Say that the program goes wherever *url* redirects it, because of *option* or by its nature."""
    most = next((found.value for name in _MOST_REDIRECTS if (found := run.found(name)) is not None), None)
    if most != "0" and (not isinstance(url.scheme, str) or url.scheme in _REDIRECTING):
        by = item if option is None else item._replace(option=option, inherent=False)
        run.say("connect", redirected(url), by)


def _proxy(run: Run, _part: Part, item: Item) -> None:
    """`PROTOCOL:URL` of `http --proxy`: through whom requests of a protocol go."""
    start = known_start(item.value).partition(":")
    named = start[1] and not start[2].startswith("//")
    run.say("connect", read_url(without_start(item.value, len(start[0]) + 1) if named else item.value), item)


def _wgetrc(run: Run, _part: Part, item: Item) -> None:
    """`NAME = VALUE` of `wgetrc`: code, because it may set anything; one that names a proxy is a connection as well."""
    run.code(f"what {described(item.value)} makes of `{run.program}`", item)
    halves = cut(item.value, "=")
    if halves is None and not isinstance(item.value, str):
        run.say("connect", read_url(unknown("the setting may name a proxy")), item)
    elif halves is not None and halves[0].strip().lower().replace("_", "").replace("-", "").endswith("proxy"):
        proxy = halves[1].strip() if isinstance(halves[1], str) else halves[1]
        if proxy not in _SWITCHES:
            run.say("connect", read_url(joined("http://", proxy) if "://" not in known_start(proxy) else proxy), item)


def _tunnel(run: Run, _part: Part, item: Item) -> None:
    """`[BIND:]PORT:HOST:HOSTPORT` of `ssh -L` and `-R`: a socket, over which whoever uses it speaks any protocol."""
    parts = item.value.rsplit(":", 2) if isinstance(item.value, str) else []
    host = parts[-2] if len(parts) > 2 else unknown("the end of the tunnel is not known")  # noqa: PLR2004
    port = int(parts[-1]) if len(parts) > 2 and _PORT.fullmatch(parts[-1]) else None  # noqa: PLR2004
    spoken = read_host(host, None, port)
    run.say("connect", read_host(host, "tcp", port)._replace(others=(spoken, *spoken.others)), item)


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
    elif kind.startswith(("PROXY", "SOCKS")):
        through = cut(rest, ":")
        run.say("connect", read_host(rest if through is None else through[0]), item)
        if through is not None:
            run.say(
                "connect", read_host(through[1].partition(",")[0] if isinstance(through[1], str) else through[1]), item
            )
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
    port = None if any(found.name in _PORTED for found in run.sorted.options) else PORTS["dns"]
    if start.startswith("@"):
        run.say("connect", read_host(without_start(item.value, 1), "dns", port), item)
    elif not isinstance(item.value, str) or _NAME.search(start):
        run.say("connect", read_host(item.value, "dns", port), item)


def _password(run: Run, _part: Part, item: Item) -> None:
    """A pass phrase of `openssl`: `pass:TEXT`, `file:PATH`, `env:NAME`."""
    halves = cut(item.value, ":")
    if halves is not None and halves[0] == "file":
        _read(run, halves[1], item)


def _request(run: Run, _part: Part, item: Item) -> None:
    """`[METHOD] URL [NAME=VALUE | NAME=@FILE | NAME@FILE …]`, as `http` takes it."""
    start = known_start(item.value)
    words = enumerate(run.operands)
    first = next((index for index, each in words if not _METHOD.fullmatch(known_start(each.value))), None)
    if first is not None and first == item.position:
        scheme = "https://" if run.program == "https" else "http://"
        url = read_url(item.value if "://" in start else joined(scheme, item.value))
        run.say("connect", url, item)
        if run.found("--follow") is not None:
            follow_redirects(run, url, item, "--follow")
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
    if item.position == 0 and not any(_ASKING.match(known_start(each.value)) for each in run.operands):
        run.do("write", PathTarget(f"the state of `{run.program}`", ()), item)


NETWORK_ROLES: Mapping[str, Handler] = {
    "cookie": _cookie,
    "data": _data,
    "form": _form,
    "format": _format,
    "hosts": _hosts,
    "last": _last,
    "lookup": _lookup,
    "object": _object,
    "parameter": _parameter,
    "password": _password,
    "proxy": _proxy,
    "ranges": _ranges,
    "redirects": _redirects,
    "request": _request,
    "resolve": _resolved,
    "socket": _socket,
    "transfer": _transfer,
    "tunnel": _tunnel,
    "verb": _verb,
    "wgetrc": _wgetrc,
}
