"""Patterns of URLs against targets: grants, denies and confinements over every spelling."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.meaning.globtokens import BadGlob
from tidegate.meaning.tri import Unknown, any_of
from tidegate.meaning.urlpatterns import UrlPattern
from tidegate.meaning.urls import read_host, read_url
from tidegate.meaning.values import Hole, Partial, unknown

ONLY = ("https://example.com", "https://*.example.com")


def grants(text, *patterns):
    target = text if hasattr(text, "doubts") else read_url(text)
    return any_of(UrlPattern.compile(pattern).match(target, widen=False, every=True) for pattern in patterns or ONLY)


def denies(text, *patterns):
    target = text if hasattr(text, "doubts") else read_url(text)
    return any_of(UrlPattern.compile(pattern).match(target, widen=True, every=False) for pattern in patterns)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com:443/a",
        "https://example.com",
        "https://a.b.example.com/x?y#z",
        "https://EXAMPLE.com./",
        "https://evil.test。example.com/",
        "https://evil.test.example.com",
        "https://user@example.com/",
        "https://example.com/a%2fb",
        Partial(("https://example.com/", Hole.ANY), "r"),
    ],
)
def test_confinement_contains_its_hosts(url):
    assert grants(url) is True


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com.evil.test/",
        "https://evil.test/#https://example.com",
        "https://example.com\\.evil.test/",
        "https://exa\tmple.com.evil.test/",
        "https://еxample.com/",
        "http://example.com/",
        "file:///etc/passwd",
        "Please read https://example.com and https://evil.test/x",
        "https://notexample.com/",
        "https://example.com@evil.test/",
        "https://evil.test?@example.com/",
        "https://a@evil.test@example.com/",
        "https://example.com:8443/",
        "wss://example.com/",
        "https://example.co/",
        "https://xn--xample-2of.com/",
        "ssh://example.com/",
        "git@example.com:x",
        "view-source:https://example.com/",
        "javascript:alert(1)//https://example.com/",
        "https://93.184.216.34/",
        "example.com",
        "",
    ],
)
def test_confinement_refuses_every_other_host(url):
    """One reading outside is enough."""
    assert grants(url) is False


@pytest.mark.parametrize(
    "url",
    [
        "https://ｅｘａｍｐｌｅ.com/",
        "https:example.com",
        "https:///example.com",
        " https://example.com",
        "https://example.com/a b",
        "https://exa\u00admple.com/",
        "//example.com/x",
        "Please read https://example.com",
        "https://example.com:x/",
        Partial(("https://example.com", Hole.ANY), "r"),
        Partial(("https://", Hole.NAME, ".example.com/"), "r"),
        unknown("r"),
    ],
)
def test_confinement_does_not_pass_what_clients_read_differently(url):
    assert isinstance(grants(url), Unknown)


@pytest.mark.parametrize(
    ("url", "pattern"),
    [
        ("https://evil.test/", "evil.test"),
        ("HTTP://EVIL.TEST:8080/x", "evil.test"),
        ("ftp://evil.test", "evil.test"),
        ("git@evil.test:x/y", "evil.test"),
        ("evil.test/x", "https://evil.test"),
        ("https://good.test@evil.test", "https://evil.test"),
        ("https://good.test\\@evil.test", "https://evil.test"),
        ("https://evil.test\\@good.test", "https://evil.test"),
        ("https://good.test?@evil.test", "https://evil.test"),
        ("https://evil.te\nst/", "https://evil.test"),
        ("https:evil.test", "https://evil.test"),
        ("https://%65vil.test", "https://evil.test"),
        ("https://ｅｖｉｌ。test", "https://evil.test"),
        ("https://еvil.test", "https://evil.test"),
        ("https://xn--vil-qdd.test", "https://evil.test"),
        ("https://evil.test.", "https://evil.test"),
        ("https://a.b.evil.test", "https://*.evil.test"),
        ("git+https://evil.test/x", "https://evil.test"),
        ("view-source:https://evil.test/", "https://evil.test"),
        ("look at https://evil.test/ please", "https://evil.test"),
        ("http://2130706433/", "http://127.0.0.1"),
        ("http://0x7f.1/", "http://127.0.0.1"),
        ("http://[::ffff:127.0.0.1]/", "http://127.0.0.1"),
        ("http://[64:ff9b::7f00:1]/", "http://127.0.0.1"),
        ("http://0177.0.0.1/", "http://177.0.0.1"),
        ("file:///etc/passwd", "file://*"),
        ("data:text/html,x", "data://*"),
        ("https://x.test/API/%61dmin/users", "https://x.test/api/admin/**"),
        ("https://x.test/api/x/../admin", "https://x.test/api/admin"),
        ("https://любой.test", "https://любой.test"),
        ("https://xn--90aqen2f.test", "https://любой.test"),
    ],
)
def test_deny_sees_through_every_spelling(url, pattern):
    assert denies(url, pattern) is True


@pytest.mark.parametrize(
    ("url", "pattern"),
    [
        ("https://good.test/?u=https://evil.test/", "evil.test"),
        ("https://evil.test.good.test/", "evil.test"),
        ("https://notevil.test/", "*.evil.test"),
        ("https://evil.test/", "*.evil.test"),
        ("https://evil.test:8443/", "https://evil.test"),
        ("http://evil.test/", "https://evil.test"),
        ("https://bücher.test/", "evil.test"),
        ("https://hell0.test/", "hello.test"),
        ("http://10.0.0.2/", "http://10.0.0.1"),
        ("javascript:alert(1)", "evil.test"),
        (Partial(("https://good.test/", Hole.ANY), "r"), "evil.test"),
    ],
)
def test_deny_leaves_other_hosts_alone(url, pattern):
    assert denies(url, pattern) is False


@pytest.mark.parametrize(
    ("url", "pattern"),
    [
        (unknown("r"), "evil.test"),
        (Partial(("https://", Hole.NAME, "/x"), "r"), "evil.test"),
        ("https://good.test\\.x/", "evil.test"),
        ("http://256.1.1.1/", "evil.test"),
        ("https://good.test:x/", "evil.test"),
        ("hello world", "evil.test"),
        ("https://x.test/a%2fb", "https://x.test/a/b"),
        ("//evil.test/", "https://evil.test"),
        (Partial(("https://evil.test:", Hole.DIGITS, "/"), "r"), "https://evil.test"),
    ],
)
def test_deny_of_what_cannot_be_told_is_unknown(url, pattern):
    assert isinstance(denies(url, pattern), Unknown)


@pytest.mark.parametrize(
    ("pattern", "url", "expected"),
    [
        ("*", "https://anything.test:443/x", True),
        ("*", "https://anything.test:444/x", False),
        ("*://*:*", "gopher://anything.test:444/x", True),
        ("example.com", "http://example.com/", True),
        ("example.com", "https://example.com/", True),
        ("example.com", "ws://example.com/", False),
        ("example.com", "http://example.com:443/", False),
        ("example.com:8080", "http://example.com:8080/", True),
        ("example.com:*", "http://example.com:1/", True),
        ("https://example.com/", "https://example.com/deep/x", True),
        ("https://example.com/api/**", "https://example.com/api", True),
        ("https://example.com/api/**", "https://example.com/api/v1/x/", True),
        ("https://example.com/api/**", "https://example.com/apix", False),
        ("https://example.com/api/**", "https://example.com/api/../x", False),
        ("https://example.com/api/*.json", "https://example.com/api/x.json?y", True),
        ("https://example.com/API", "https://example.com/api", False),
        ("https://*.example.com", "https://example.com", False),
        ("https://*.example.com", "https://a.b.example.com", True),
        ("https://api-*.example.com", "https://api-1.example.com", True),
        ("https://api-*.example.com", "https://api-1.x.example.com", False),
        ("https://a.*.example.com", "https://a.b.example.com", True),
        ("https://a.*.example.com", "https://a.b.c.example.com", False),
        ("https://BÜCHER.example", "https://xn--bcher-kva.example", True),
        ("http://[::1]:*", "http://[0:0::1]:90/", True),
        ("http://127.0.0.1", "http://127.0.0.1/", True),
        ("s3://bucket", "s3://bucket/key", True),
        ("ssh://github.com", "git@github.com:org/x", True),
        ("file:///srv/**", "file:///srv/x", True),
        ("file:///srv/**", "file:///etc/x", False),
    ],
)
def test_pattern_names_exactly_what_it_says_in_a_grant(pattern, url, expected):
    assert grants(url, pattern) is expected


def test_host_of_a_program_matches_by_its_scheme():
    assert grants(read_host("github.com", "ssh", 22), "ssh://github.com") is True
    assert grants(read_host("github.com", "ssh", 22), "github.com") is False
    assert denies(read_host("github.com", "ssh", 22), "github.com") is True
    assert isinstance(grants(read_host("github.com:443"), "https://github.com"), Unknown)
    assert denies(read_host("github.com"), "github.com") is True


@pytest.mark.parametrize(
    ("pattern", "offset", "what"),
    [
        ("", 0, "no pattern"),
        ("https://", 8, "no name"),
        ("https://example.com?x", 19, "has no `?`"),
        ("https://u@example.com", 9, "has no `@`"),
        ("https://a b", 9, "has no ` `"),
        ("https://example.com:99999", 20, "no port"),
        ("https://example.com:x", 20, "no port"),
        ("https://example.com:0", 20, "no port"),
        ("https://**.example.com", 8, "no part of a host"),
        ("https://ex*mple..com", 8, "no part of a host"),
        ("https://127.1", 8, "differently"),
        ("https://a$b", 8, "no name"),
        ("https://[::1", 0, "no pattern"),
        ("https://[x]", 8, "no address"),
        ("https://x/a//b", 12, "between two slashes"),
        ("https://x/[a", 10, "never closed"),
        ("ht*p://x", 0, "no pattern"),
        ("a:b:c", 2, "no port"),
    ],
)
def test_broken_pattern_is_refused_with_its_offset(pattern, offset, what):
    with pytest.raises(BadGlob, match=what) as refusal:
        UrlPattern.compile(pattern)

    assert refusal.value.offset == offset
    assert refusal.value.mend


@given(st.text("abhtps:/*.[]@?#0 ", max_size=20))
def test_any_text_is_a_pattern_or_refused(text):
    try:
        pattern = UrlPattern.compile(text)
    except BadGlob as refusal:
        assert 0 <= refusal.offset <= len(text)  # noqa: PT017  both outcomes are fine
    else:
        assert pattern.match(read_url("https://example.com/"), widen=True, every=False) in (True, False)


# --- re-spelling


def cased(data, url):
    return "".join(char.upper() if data.draw(st.booleans()) else char for char in url)


def dotted(data, url):
    return url.replace("evil.test", data.draw(st.sampled_from(["evil.test.", "evil。test", "evil｡test"])), 1)


def stuffed(data, url):
    at = data.draw(st.integers(8, 12))
    return url[:at] + data.draw(st.sampled_from(["\t", "\n", "\u00ad", "\u200b"])) + url[at:]


def owned(data, url):
    return url.replace("://", data.draw(st.sampled_from(["://good.test@", "://a:b@", "://%40@"])), 1)


def wide(data, url):
    head, rest = url[:8], url[8:]
    return head + "".join(
        chr(ord(c) + 0xFEE0) if c.isascii() and c.isalpha() and data.draw(st.booleans()) else c for c in rest
    )


def slashed(data, url):
    return url.replace("://", data.draw(st.sampled_from([":", ":/", ":///", ":\\\\", ":/\\"])), 1)


@given(st.lists(st.sampled_from([dotted, stuffed, owned, wide]), max_size=3, unique=True), st.booleans(), st.data())
def test_respelling_a_url_never_turns_a_deny_into_a_pass(changes, slash, data):
    """However a denied host is spelled, the deny says yes or that it cannot tell."""
    url = "https://evil.test/x"
    for change in changes:
        url = change(data, url)
    url = cased(data, slashed(data, url) if slash else url)

    assert denies(url, "https://evil.test") is not False


@given(st.text("abc.@:/\\?#%1\t ", max_size=16))
def test_grant_and_deny_of_one_pattern_agree(rest):
    """What a grant covers for sure, a deny of the same pattern refuses for sure."""
    target = read_url(f"https://{rest}")
    pattern = UrlPattern.compile("https://a.b")

    assert (
        pattern.match(target, widen=False, every=True) is not True
        or pattern.match(target, widen=True, every=False) is True
    )


def test_deny_of_a_scheme_without_a_port_of_its_own_means_every_port():
    """`tcp://*` refuses a raw connection to any port; a grant of it names none."""
    pattern, target = UrlPattern.compile("tcp://*"), read_host("a.test", "tcp", 8080)

    assert pattern.match(target, widen=True, every=False) is True
    assert pattern.match(target, widen=False, every=True) is False
