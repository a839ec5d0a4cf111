"""Who may ask, and which facts of theirs are believed: the file of clients."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path
from typing import Any, Literal

from attrs import evolve, frozen

from ..call import Call
from ..compile.structure import structure
from ..errors import Finding, RuleError, StateError
from ..lang import sources
from ..lang.document import Document
from ..lang.parse import parse
from ..param import param
from ..shown import quote

Fact = Literal["cwd", "root", "home", "agent", "session", "mode", "told"]
FACTS: tuple[Fact, ...] = ("cwd", "root", "home", "agent", "session", "mode", "told")
"""What a call says of itself and only a trusted client can vouch for; `told` is what an MCP server says of its tool."""

_DIGEST = re.compile(r"[0-9a-f]{64}")
_CERTIFICATE = re.compile(r"(?:cn|dns|uri|email):.+")
_LONGEST_TOKEN = 1_024


@frozen
class Client:
    """Whoever asks: `attests` are the facts that are believed, `agent` is the agent of all its calls where it is set.

    `explain` tells whether it may see how decisions come about.
    """

    name: str
    attests: frozenset[str] = frozenset()
    agent: str | None = None
    explain: bool = False

    def vouched(self, call: Call) -> Call:
        """The call with the facts that are believed of it, and without the others: they are unknown then."""
        facts: dict[str, Any] = {
            name: getattr(call, name) if name in self.attests else None for name in FACTS if name != "told"
        }
        if self.agent is not None:
            facts["agent"] = self.agent
        tool = call.tool if "told" in self.attests else evolve(call.tool, told=None)
        return evolve(call, tool=tool, **facts)


@frozen
class ClientFields:
    """One client; where it lists tokens and certificates, it must show both."""

    token_sha256: tuple[str, ...] = param("The SHA-256 of each of its tokens; two while one is replaced.", default=())
    certificate: tuple[str, ...] = param("Names in its certificate: `dns:…`, `uri:…`, `email:…`, `cn:…`.", default=())
    attests: tuple[Fact, ...] = param("The facts of its calls that are believed.", default=())
    agent: str | None = param("The agent of all its calls.", default=None)
    explain: bool = param("Whether it may see how decisions come about.", default=False)


@frozen
class ClientsFileFields:
    """A file of clients."""

    version: Literal[1] = param("The version of the file.")
    clients: dict[str, ClientFields] = param("The clients by name.")


@frozen
class Clients:
    """Tells clients apart by what they show; without a file everybody who comes through is `anybody`.

    `open` tells whether everybody does come through, since no certificate is asked for either.
    """

    fields: Mapping[str, ClientFields]
    anybody: Client | None = None
    open: bool = False

    def who(self, authorization: str | None, names: frozenset[str]) -> Client | None:
        """The one client that has shown all that it lists: a token, and a certificate with one of these *names*.

        Every digest is compared, and in constant time, so that time tells nothing of them.
        """
        if self.anybody is not None:
            return self.anybody
        shown = None if authorization is None else _token_digest(authorization)
        if authorization is not None and shown is None:
            return None
        found = [name for name, fields in self.fields.items() if _has_shown(fields, shown or "", names)]
        used = any(self.fields[name].token_sha256 for name in found)
        if len(found) != 1 or (shown is not None and not used):
            return None
        fields = self.fields[found[0]]
        return Client(found[0], frozenset(fields.attests), fields.agent, fields.explain)


def _token_digest(authorization: str) -> str | None:
    scheme, _, token = authorization.partition(" ")
    token = token.strip()
    if scheme.lower() != "bearer" or not token or len(token) > _LONGEST_TOKEN:
        return None
    return digest_of(token)


def digest_of(token: str) -> str:
    """The digest under which a token stands in the file of clients."""
    return sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _has_shown(fields: ClientFields, shown: str, names: frozenset[str]) -> bool:
    same = [compare_digest(shown, digest) for digest in fields.token_sha256]
    token = any(same) or not same
    return token and (not fields.certificate or not names.isdisjoint(fields.certificate))


def read_clients(path: Path) -> Clients:
    """Read a file of clients.

    Raises:
        RuleError: Something is wrong with it; carries every finding.
        StateError: Others may change it.
        OSError: It cannot be read.
    """
    _check_owner(path)
    found: list[Finding] = []
    try:
        data = sources.read(str(path)).data
    except sources.NoFile:
        raise StateError(f"`{path}` is no regular file; the clients stand in one") from None
    document = parse(data, str(path), found)
    if document is None or found:
        raise RuleError(tuple(found))
    fields, problems = structure(document.values, ClientsFileFields)
    if fields is None:
        raise RuleError(
            tuple(
                document.finding(one.path, one.code, one.what, why=one.why, mend=one.mend, of="value")
                for one in problems
            )
        )
    found = list(_findings(document, fields.clients))
    if found:
        raise RuleError(tuple(found))
    return Clients(fields.clients)


def _check_owner(path: Path) -> None:
    if os.name != "posix":
        return
    found = path.stat()
    if found.st_uid not in (0, os.geteuid()):
        raise StateError(f"the file `{path}` belongs to another user, who could let anybody in")
    if found.st_mode & 0o022:
        mode = stat.S_IMODE(found.st_mode)
        raise StateError(f"others may write `{path}` (mode {mode:o}); run `chmod go-w` on it")


def _findings(document: Document, clients: Mapping[str, ClientFields]) -> Iterator[Finding]:
    owners: dict[str, str] = {}
    if not clients:
        why = "without a client nobody could ask"
        yield document.finding(("clients",), "empty-table", "there is no client", why=why, mend="add `[clients.NAME]`")
    for name, fields in clients.items():
        yield from _of_client(document, name, fields)
        for key, value in _shown_by(fields):
            if owners.setdefault(value, name) != name:
                yield document.finding(
                    ("clients", name, key),
                    "bad-value",
                    f"the clients {quote(owners[value])} and {quote(name)} show the same",
                    why="who asks could not be told",
                    mend="give each client a token or a certificate of its own",
                )


def _shown_by(fields: ClientFields) -> Iterable[tuple[str, str]]:
    yield from (("token_sha256", digest) for digest in fields.token_sha256)
    yield from (("certificate", name) for name in fields.certificate)


def _of_client(document: Document, name: str, fields: ClientFields) -> Iterator[Finding]:
    if not fields.token_sha256 and not fields.certificate:
        yield document.finding(
            ("clients", name),
            "missing-key",
            f"the client {quote(name)} shows nothing by which it is known",
            why="anybody would be this client",
            mend="add `token_sha256` (see `tidegate serve --new-token`) or `certificate`",
        )
    for key, value in _shown_by(fields):
        pattern = _DIGEST if key == "token_sha256" else _CERTIFICATE
        if not pattern.fullmatch(value):
            form = "64 hexadecimal digits in small letters" if key == "token_sha256" else "such as `dns:agent.example`"
            yield document.finding(
                ("clients", name, key),
                "bad-value",
                f"{quote(value)} is no {'SHA-256' if key == 'token_sha256' else 'name in a certificate'}",
                why="nobody could ever show it",
                mend=f"write {form}",
                of="value",
            )
