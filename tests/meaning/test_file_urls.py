"""A `file:` URL reads a file, whoever is given it."""

import pytest

from tests.kinds.deciding import Deciding
from tidegate.meaning.fileurls import file_of
from tidegate.meaning.urls import read_url
from tidegate.meaning.values import Hole, Partial

DENY = '[[rule]]\nid = "p"\nkind = "path"\naccess = "read"\ndeny = ["/etc/**"]\n'


@pytest.fixture
def etc(tmp_path):
    return Deciding(tmp_path, DENY, default="allow")


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("curl file:///etc/passwd", "deny"),
        ("curl -so x FILE://localhost/etc/passwd", "deny"),
        ("curl --url file:/etc/passwd", "deny"),
        ("curl file:///et%63/x/../passwd", "deny"),
        ("python3 -c 'import urllib.request as u; u.urlopen(\"file:///etc/passwd\")'", "deny"),
        ("curl 'fil{e,x}:///etc/passwd'", "ask"),
        ('curl "$U"', "ask"),
        ('curl "fi$U"', "ask"),
        ('curl "https://$HOST/x"', "allow"),
        ('curl "api.example.com/$U"', "allow"),
        ("curl file:///srv/project/a", "allow"),
        ("curl -x $PROXY https://example.com", "allow"),
        ("git push origin main", "allow"),
    ],
)
def test_command_that_is_given_a_file_url_reads_the_file(etc, command, expected):
    """A rule about paths sees what `curl` reads; a URL of which nothing is known may be a file's."""
    assert etc.bash(command) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("file:///etc/passwd", "deny"),
        ("File:/etc/passwd", "deny"),
        ("view-source:file:///etc/passwd", "ask"),
        ("https://example.com/etc/passwd", "allow"),
    ],
)
def test_tool_that_is_given_a_file_url_reads_the_file(etc, url, expected):
    """So does a tool with an argument that is a URL."""
    assert etc("web_fetch", url=url) == expected


def test_url_with_a_known_scheme_or_host_is_no_file():
    """Only what could still become `file:` may name a file."""
    assert file_of(read_url("https://example.com")) is None
    assert file_of(read_url("example.com/x")) is None
    assert file_of(read_url(Partial(("https://", Hole.ANY), "r"))) is None
    assert file_of(read_url(Partial((Hole.ANY,), "r"))) is not None
    assert file_of(read_url("file:///a")) == "file:///a"
