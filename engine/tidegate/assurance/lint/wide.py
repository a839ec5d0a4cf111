"""Grants that reach further than they look."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial

from ...call import Call
from ...meaning.globs import Glob
from ...meaning.globtokens import Star
from ...shown import quote
from ..clauses import Clause
from ..clauses.items import Name, Path, Url
from ..clauses.tables import Table, texts
from ..languages import example, glob_language
from ..languages.algebra import Machine
from ..languages.regexes import Unread, regex_pieces
from ..witnesses.texts import paths
from .looking import Looking, Said, Witness, decided, slip

_WHY = "a grant is taken for what it looks like, and grants what it says"
_INSIDE = ("http://127.0.0.1/", "https://127.0.0.1/", "http://169.254.169.254/", "https://169.254.169.254/")
_BARE_DOT = re.compile(r"(?<=[A-Za-z0-9])(?<!\\[A-Za-z0-9])\.(?=[A-Za-z0-9])")


def wide_grants(look: Looking) -> Iterator[Said]:
    """Items of `allow`, and of what a rule confines to, beside which something else is let through."""
    for clause in look.clauses:
        if clause.whole or not (clause.grants or clause.says == "only"):
            continue
        for item in dict.fromkeys(clause.items):
            found: Iterator[Said] = iter(())
            if isinstance(item, Path) and clause.grants:
                found = _beside_the_folder(look, clause, item)
            elif isinstance(item, Url) and clause.grants:
                found = _beside_the_host(look, clause, item)
            elif isinstance(item, Name) and clause.grants:
                found = _beside_the_server(look, clause, item)
            elif isinstance(item, Table):
                found = _beside_the_text(look, clause, item)
            yield from decided(clause.raw.address, "wide-grant", found)


def _shown(look: Looking, clause: Clause, calls: Sequence[Call]) -> Witness | None:
    """The first of the calls that the rule lets through, and that is allowed."""
    return look.first(iter(calls), partial(_is_let_through, look, clause))


def _is_let_through(look: Looking, clause: Clause, call: Call) -> str | None:
    wanted = "allow" if clause.grants else "pass"
    decision = look.bench.decide(call)
    if decision is None or decision.effect != "allow" or look.bench.alone(look.of(clause), call) != wanted:
        return None
    by = f" by {quote(decision.rule)}" if decision.rule is not None else ""
    return f"{quote(clause.raw.address)} alone says {wanted}, and it is allowed{by}"


def _names(look: Looking, clause: Clause) -> list[str]:
    return look.prober.tools.of(clause.raw.fields.get("tools"))


def _beside_the_folder(look: Looking, clause: Clause, item: Path) -> Iterator[Said]:
    """`/srv/project*`, which names `/srv/project-evil` as well."""
    segments = item.branch.segments
    last = segments[-1] if segments else ()
    if len(last) != 2 or not isinstance(last[0], str) or not isinstance(last[1], Star) or not last[0][-1].isalnum():  # noqa: PLR2004 - a text and a star
        return
    inside = Glob("", ((*segments[:-1], (last[0],), (Star(2),)),))
    witness = None
    if example(glob_language([Glob("", (segments,))]) - glob_language([inside])) is not None:
        evil = Path(item.text, item.branch._replace(segments=(*segments[:-1], (f"{last[0]}-evil",))))
        found = next(paths(evil, ()), None)
        if found is not None:
            witness = _shown(look, clause, list(look.prober.of_path(found, _names(look, clause), clause.access)))
    if witness is not None:
        yield from slip(
            clause.raw,
            _key_of(clause, item.text),
            "wide-grant",
            f"{quote(item.text)} grants every name that begins with {quote(last[0])}, and not only that folder",
            _WHY,
            f"write {quote(item.text.removesuffix('*') + '/**')} for the folder and all beneath it",
            [witness],
        )


def _beside_the_host(look: Looking, clause: Clause, item: Url) -> Iterator[Said]:
    """`*example.com`, which names `evilexample.com`; and `https://*`, which names the inside of the network."""
    match = re.fullmatch(r"(?:(\w+)://)?\*([a-z0-9-][a-z0-9.-]*)((?::\d+)?).*", item.text)
    if match is not None:
        url = f"{match[1] or 'https'}://evil{match[2]}{match[3]}/"
        witness = _shown(look, clause, list(look.prober.of_url(url, _names(look, clause))))
        if witness is not None:
            yield from slip(
                clause.raw,
                _key_of(clause, item.text),
                "wide-grant",
                f"{quote(item.text)} grants hosts that only end in {quote(match[2])}, whoever they belong to",
                _WHY,
                f"write `{'' if match[1] is None else match[1] + '://'}*.{match[2]}`",
                [witness],
            )
    elif re.fullmatch(r"(?:(?:\w+|\*)://)?\*(?::.*)?", item.text):
        urls = [call for url in _INSIDE for call in look.prober.of_url(url, _names(look, clause))]
        witness = _shown(look, clause, urls)
        if witness is not None:
            yield from slip(
                clause.raw,
                _key_of(clause, item.text),
                "wide-grant",
                f"{quote(item.text)} grants this machine and the network around it as well",
                _WHY,
                'add `deny_ranges = ["loopback", "link-local", "private", "metadata"]`',
                [witness],
            )


def _beside_the_server(look: Looking, clause: Clause, item: Name) -> Iterator[Said]:
    """`mcp__git*`, which names the tools of every server whose name begins so."""
    match = re.fullmatch(r"mcp__([A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*)\*", item.text)
    if match is None or look.catalogue is not None:
        return
    witness = _shown(look, clause, [look.prober.make(f"mcp__{match[1]}evil__anything", {})])
    if witness is not None:
        yield from slip(
            clause.raw,
            _key_of(clause, item.text),
            "wide-grant",
            f"{quote(item.text)} grants the tools of every server whose name begins with {quote(match[1])}",
            _WHY,
            f"write `mcp__{match[1]}__*`",
            [witness],
        )


def _beside_the_text(look: Looking, clause: Clause, item: Table) -> Iterator[Said]:
    """Globs and regular expressions of texts that let through what only begins like what is meant."""
    for name, check in item.checks.items():
        for text, what, mend in _beside(check):
            if len(item.checks) == 1:
                witness = _shown(look, clause, list(look.prober.of_value(name, text, _names(look, clause))))
                if witness is not None:
                    yield from slip(clause.raw, clause.key, "wide-grant", what, _WHY, mend, [witness])


def _beside(check: dict[str, object] | object) -> Iterator[tuple[str, str, str]]:
    """A text that the check lets through, what is said of it, and what to write instead."""
    if not isinstance(check, dict):
        return
    glob, regex = check.get("glob"), check.get("regex")
    if isinstance(glob, str):
        host = re.fullmatch(r"(\w+://[A-Za-z0-9.-]+)\*", glob)
        folder = re.fullmatch(r"(/[^*?]*)\*", glob)
        if host is not None:
            what = f"{quote(glob)} lets every host through whose name begins so"
            yield f"{host[1]}.evil.test/", what, f"write {quote(host[1] + '/*')}, or a rule of the kind `url`"
        if folder is not None:
            what = f"{quote(glob)} lets every path through that begins so, wherever it leads"
            yield (
                f"{folder[1].rstrip('/')}/../../../etc/passwd",
                what,
                "write a rule of the kind `path`, which looks where it leads",
            )
    if isinstance(regex, str) and _BARE_DOT.search(regex):
        yield from _beside_the_dot(regex)


def _beside_the_dot(regex: str) -> Iterator[tuple[str, str, str]]:
    """`api.example.com` as a regular expression, in which the dots are any character."""
    escaped = _BARE_DOT.sub(r"\\.", regex)
    own = texts({"regex": regex})
    try:
        meant = Machine(regex_pieces(escaped))
    except Unread:
        return
    found = example(own - meant) if own is not None else None
    if found is not None:
        what = f"in {quote(regex)} a dot stands for any character"
        yield found, what, f"write `{escaped}`"


def _key_of(clause: Clause, text: str) -> tuple[str | int, ...]:
    """Where the item stands in its rule."""
    if len(clause.key) > 1:
        return clause.key
    return (*clause.key, clause.value.index(text))
