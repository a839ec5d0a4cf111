"""URLs: taken apart as the strictest client would, with every other reading beside it."""

from __future__ import annotations

from ipaddress import IPv4Address, ip_address
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.meaning.hosts import read_name, unicode_name
from tidegate.meaning.urls import find_urls, read_host, read_url
from tidegate.meaning.values import Hole, Partial, unknown


def place(target):
    """Scheme, host, port and path; `?` where not known."""
    known = [part if isinstance(part, str) else "?" for part in (target.scheme, target.host, target.path)]
    return (known[0], known[1], target.port, known[2])


def hosts(text):
    target = read_url(text)
    return {reading.host if isinstance(reading.host, str) else "?" for reading in (target, *target.others)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://example.com", ("https", "example.com", 443, "/")),
        ("https://example.com:443/a", ("https", "example.com", 443, "/a")),
        ("HTTP://Example.COM:/", ("http", "example.com", 80, "/")),
        ("https://example.com./a?q=1#f", ("https", "example.com", 443, "/a")),
        ("https://example.com:08443/", ("https", "example.com", 8443, "/")),
        ("https://user:pw@example.com/", ("https", "example.com", 443, "/")),
        ("https://example.com@evil.test/", ("https", "evil.test", 443, "/")),
        ("https://evil.test/#https://example.com", ("https", "evil.test", 443, "/")),
        ("https://evil.test/@example.com", ("https", "evil.test", 443, "/@example.com")),
        ("https://evil.test。example.com/", ("https", "evil.test.example.com", 443, "/")),
        ("https://evil.test．example.com/", ("https", "evil.test.example.com", 443, "/")),
        ("http://127.0.0.1:8080/", ("http", "127.0.0.1", 8080, "/")),
        ("http://[::1]:8080/x", ("http", "::1", 8080, "/x")),
        ("http://[0:0:0:0:0:ffff:7f00:1]/", ("http", "::ffff:7f00:1", 80, "/")),
        ("ftp://x/y", ("ftp", "x", 21, "/y")),
        ("ssh://git@host:2222/repo", ("ssh", "host", 2222, "/repo")),
        ("git://host/repo", ("git", "host", 9418, "/repo")),
        ("git@github.com:org/repo.git", ("ssh", "github.com", 22, "/org/repo.git")),
        ("git@[::1]:org", ("ssh", "::1", 22, "/org")),
        ("s3://bucket/key", ("s3", "bucket", None, "/key")),
        ("file:///etc/passwd", ("file", "", None, "/etc/passwd")),
        ("file://host/share", ("file", "host", None, "/share")),
        ("https://example.com/a/../b/./c/", ("https", "example.com", 443, "/b/c/")),
        ("https://example.com/%61/%2e%2e/%7Ex", ("https", "example.com", 443, "/~x")),
        ("https://example.com/a%20b", ("https", "example.com", 443, "/a%20b")),
        ("https://_dmarc.example.com/", ("https", "_dmarc.example.com", 443, "/")),
        ("https://xn--bcher-kva.example/", ("https", "xn--bcher-kva.example", 443, "/")),
    ],
)
def test_plain_url_has_one_reading_and_no_doubt(text, expected):
    target = read_url(text)

    assert place(target) == expected
    assert (target.doubts, target.others, target.text) == ((), (), text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("https://example.com\\.evil.test/", {"example.com", "example.com\\.evil.test", "?"}),
        ("https://evil.test\\@example.com/", {"evil.test", "example.com"}),
        ("https:\\\\example.com/", {"example.com"}),
        ("https:example.com", {"example.com"}),
        ("https:/example.com", {"example.com"}),
        ("https:////example.com", {"example.com"}),
        ("https://exa\tmple.com.evil.test/", {"example.com.evil.test", "exa"}),
        ("https://evil.test\n.example.com/", {"evil.test.example.com", "evil.test"}),
        ("https://evil.test?@example.com/", {"evil.test", "example.com"}),
        ("https://evil.test#@example.com/", {"evil.test", "example.com"}),
        ("https://a@evil.test@example.com/", {"example.com", "evil.test"}),
        ("https://ex%61mple.com/", {"example.com", "ex%61mple.com"}),
        ("https://example.com%2f.evil.test/", {"example.com%2f.evil.test", "?"}),
        ("https://example.com%00.evil.test/", {"example.com%00.evil.test", "?"}),
        ("https://example.com:99999/", {"example.com", "?"}),
        ("https://example.com:x/", {"example.com", "?"}),
        ("https://example.com:80:443/", {"example.com", "?"}),
        ("https://example.com:８０/", {"example.com", "?"}),
        ("https://[::1]evil.test/", {"?", "::1"}),
        ("https://[::1/", {"?", "::1", "[::1"}),
        ("https://[fe80::1%25eth0]/", {"fe80::1"}),
        ("https://ｅｘａｍｐｌｅ.com/", {"example.com"}),
        ("https://еxample.com/", {"xn--xample-2of.com"}),
        ("https://bücher.example/", {"xn--bcher-kva.example"}),
        ("https://faß.example/", {"xn--fa-hia.example", "fass.example"}),
        ("https://☃.example/", {"xn--n3h.example"}),
        ("https://a\u200db.example/", {"xn--ab-m1t.example", "ab.example"}),
        ("https://exa\u00admple.com/", {"example.com"}),
        ("https://a..b/", {"a..b", "?"}),
        ("https://-$-/", {"-$-", "?"}),
        ("https:///", {""}),
        ("http://256.0.0.1/", {"256.0.0.1", "?"}),
        ("http://1.2.3.4.5/", {"1.2.3.4.5", "?"}),
        ("http://0x100000000/", {"0x100000000", "?"}),
        ("http://0177.0.0.1/", {"127.0.0.1", "177.0.0.1"}),
        ("http://08.0.0.1/", {"8.0.0.1", "?"}),
        ("example.com/x", {"example.com"}),
        ("example.com:8080/x", {"example.com"}),
        ("github.com:org/repo", {"github.com"}),
        ("//evil.test/x", {"evil.test"}),
        ("  https://example.com  ", {"example.com"}),
        ("view-source:https://evil.test/", {"", "evil.test", "view-source"}),
        ("blob:https://evil.test/id", {"", "evil.test"}),
        ("javascript:alert(1)", {""}),
        ("data:text/html,x", {""}),
        ("mailto:a@b.c", {""}),
        ("/etc/passwd", {""}),
        ("C:\\x", {""}),
        ("", {""}),
        ("?", {""}),
        ("hello world", {"?"}),
        ("Please read https://example.com and https://evil.test/x", {"example.com", "evil.test", "?"}),
        ("https://example.com/a b https://evil.test", {"example.com", "evil.test"}),
        ("https://exam ple.com/", {"?", "exam"}),
        ("x" * 70_000, {"?"}),
        ("https://" + "a" * 300 + "/", {"a" * 300, "?"}),
    ],
)
def test_strange_url_has_a_doubt_and_every_reading(text, found):
    """A grant sees the doubt; a deny sees each host that some client would reach."""
    target = read_url(text)
    doubtful = target.doubts or not isinstance(target.scheme, str) or target.others

    assert doubtful
    assert hosts(text) == found


def test_git_over_https_is_read_as_both():
    target = read_url("git+https://github.com/x")

    assert [place(reading)[:3] for reading in (target, *target.others)] == [
        ("git+https", "github.com", 443),
        ("https", "github.com", 443),
    ]


def test_url_without_a_scheme_is_read_as_curl_guesses():
    target = read_url("example.com:8080/x")
    readings = {place(reading)[:3] for reading in (target, *target.others)}

    assert {("http", "example.com", 8080), ("https", "example.com", 8080)} <= readings
    assert place(read_url("//evil.test/x")) == ("?", "evil.test", None, "/x")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/q", ("https", "example.com", 8443, "/q")),
        ("../c", ("https", "example.com", 8443, "/c")),
        ("c", ("https", "example.com", 8443, "/a/c")),
        ("", ("https", "example.com", 8443, "/a/")),
        ("//other.test/x", ("https", "other.test", 443, "/x")),
        ("http://other.test/x", ("http", "other.test", 80, "/x")),
        ("\\\\other.test\\x", ("https", "other.test", 443, "/x")),
    ],
)
def test_redirect_is_read_against_where_it_came_from(text, expected):
    base = read_url("https://example.com:8443/a/b")

    assert place(read_url(text, base)) == expected


@pytest.mark.parametrize(
    ("path", "known"),
    [
        ("a%2fb", False),
        ("a%5Cb", False),
        ("a;x/b", False),
        ("a//b", False),
        ("a%252fb", False),
        ("a/..%2f..%2fb", False),
        ("a+b", True),
        ("%E9/x", True),
    ],
)
def test_path_that_servers_read_in_two_ways_is_not_known(path, known):
    """The host is, so that a pattern without a path still holds."""
    target = read_url(f"https://example.com/{path}")

    assert isinstance(target.path, str) is known
    assert (target.host, target.doubts) == ("example.com", ())


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (("https://example.com/", Hole.ANY), ("https", "example.com", 443, "?")),
        (("https://example.com/a?q=", Hole.ANY), ("https", "example.com", 443, "?")),
        (("https://example.com:8443?", Hole.ANY), ("https", "example.com", 8443, "?")),
        (("example.com/", Hole.NAME), ("http", "example.com", 80, "?")),
        (("git@github.com:", Hole.ANY), ("ssh", "github.com", 22, "?")),
        (("http://localhost:", Hole.DIGITS, "/x"), ("http", "localhost", None, "?")),
        (("http://localhost:", Hole.DIGITS), ("http", "localhost", None, "?")),
        (("http://localhost:", Hole.DIGITS, ".evil.test/"), ("http", "?", None, "?")),
        (("http://localhost:", Hole.ANY, "/x"), ("http", "?", None, "?")),
        (("https://example.com", Hole.ANY), ("https", "?", None, "?")),
        (("https://u@", Hole.NAME, ".example.com/"), ("https", "?", None, "?")),
        (("https://example.com@", Hole.NAME), ("https", "?", None, "?")),
        (("https://ex%61mple.com/", Hole.ANY), ("https", "?", None, "?")),
        ((Hole.ANY, "://example.com/"), ("?", "?", None, "?")),
        (("https:", Hole.ANY), ("?", "?", None, "?")),
        ((Hole.ANY,), ("?", "?", None, "?")),
    ],
)
def test_host_of_a_partly_known_url_is_known_only_where_nothing_can_change_it(parts, expected):
    """What follows a hole may hold an `@`, a dot or a port."""
    target = read_url(Partial(parts, "a test"))

    assert place(target) == expected
    assert target.text == Partial(parts, "a test")


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("example.com", "example.com", 22),
        ("example.com:2222", "example.com", 2222),
        ("user@example.com", "example.com", 22),
        ("[::1]:80", "::1", 80),
        ("::1", "::1", 22),
        ("127.1", "127.0.0.1", 22),
        ("ssh://h:23/x", "h", 23),
    ],
)
def test_host_is_read_as_a_program_takes_it(text, host, port):
    target = read_host(text, "ssh", 22)

    assert (target.scheme, target.host, target.port) == ("ssh", host, port)


def test_label_that_decodes_to_nothing_stays_what_it_is():
    assert unicode_name("xn--\u00e9.x") == "xn--\u00e9.x"
    assert unicode_name("xn--999999999.xn--bcher-kva") == "xn--999999999.b\u00fccher"


def test_host_keeps_the_port_of_its_program_where_it_names_none():
    assert read_host("010.0.0.1", None, 8080).port == 8080
    assert [other.port for other in read_host("010.0.0.1", None, 8080).others] == [8080]
    assert read_host("example.com:1", None, 8080).port == 1


@pytest.mark.parametrize("text", ["10.0.0.0/8", "10.0.0.5/32", "fd00::/64"])
def test_network_begins_at_its_first_address(text):
    """A scanner that is given a network reaches its addresses: denies see the first, and no grant covers it."""
    target = read_host(text)

    assert str(target.address) == text.partition("/")[0]
    assert target.doubts


def test_host_that_is_none_is_doubtful():
    assert read_host("a b", "ssh", 22).doubts
    assert read_host("a/b", "ssh", 22).doubts
    assert not isinstance(read_host(unknown("r"), "ssh", 22).host, str)
    assert not isinstance(read_host("x").scheme, str)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see (https://a.b/c), www.evil.test. And <http://x/y>!", ["a.b", "www.evil.test", "x"]),
        ("https:evil.test HTTPS:\\\\b.c", ["evil.test", "b.c"]),
        ("[link](https://a.b/c) 'ftp://d.e'", ["a.b", "d.e"]),
        ("git clone ssh://git@h/x", ["h"]),
        ("1https://a.b", ["a.b"]),
        ("no url: here", []),
        ("", []),
    ],
)
def test_urls_are_found_in_text(text, found):
    assert [target.host for target in find_urls(text)] == found


def test_urls_past_the_limit_are_one_unknown():
    many = find_urls("http://a.b " * 1_500)

    assert len(many) == 1_001
    assert not isinstance(many[-1].host, str)
    assert not isinstance(find_urls("x" * 1_100_000)[-1].host, str)


@given(st.text(max_size=40) | st.text("htps:/\\@.?#[]%0a1x ", max_size=40))
def test_any_text_is_read_as_a_url(text):
    """Reading never raises, and every reading has a lower-case host without a trailing dot."""
    target = read_url(text)
    found = find_urls(text)

    for reading in (target, *target.others, *found):
        assert not isinstance(reading.host, str) or reading.host == reading.host.lower()
        assert reading.port is None or 0 <= reading.port <= 65_535


@given(st.text("abc.-@:/?#\\1", max_size=16))
def test_reading_agrees_with_the_standard_library_wherever_that_finds_a_host(rest):
    """The host that Python's own client would reach is among the readings, or an unknown one is."""
    text = f"https://{rest}"
    try:
        peer = urlsplit(text).hostname
    except ValueError:
        peer = None

    found = hosts(text)
    assert not peer or "?" in found or peer.rstrip(".") in found or str(read_name(peer).name) in found


@given(
    st.integers(0, 2**32 - 1),
    st.lists(st.sampled_from(["d", "o", "x", "X"]), min_size=4, max_size=4),
    st.integers(1, 4),
)
def test_every_spelling_of_an_address_is_that_address(number, bases, count):
    """Decimal, octal and hex, in one to four parts: `inet_aton` and browsers read all of them."""
    address = IPv4Address(number)
    octets = address.packed
    parts = [*octets[: count - 1], int.from_bytes(octets[count - 1 :], "big")]
    formats = {"d": "{}", "o": "0{:o}", "x": "0x{:x}", "X": "0X{:X}"}
    text = ".".join(formats[base].format(part) for base, part in zip(bases, parts, strict=False))

    assert read_name(text).address == address
    assert read_url(f"http://user@{text}.:80/").address == address
    assert text == str(address) or read_name(text).doubts


@given(st.ip_addresses())
def test_canonical_address_has_no_doubt(address):
    text = f"[{address}]" if address.version == 6 else str(address)

    assert read_name(text)[:3] == (str(address), ip_address(address), ())
