"""Several URLs in one text, as `curl` takes them."""

import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kinds.deciding import Deciding
from tidegate.meaning.urlranges import MOST, expanded

METADATA = '[[rule]]\nid = "r"\nkind = "url"\ndeny_ranges = ["metadata"]\n'


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        ("http://h/x", ["http://h/x"]),
        ("http://h/{a,b}", ["http://h/a", "http://h/b"]),
        ("{a,b}.test/[1-2]", ["a.test/1", "a.test/2", "b.test/1", "b.test/2"]),
        ("h/[08-10]", ["h/08", "h/09", "h/10"]),
        ("h/[1-9:4]", ["h/1", "h/5", "h/9"]),
        ("h/[a-c:2]", ["h/a", "h/c"]),
        ("h/{one}", ["h/one"]),
        (r"h/\{a,b\}", ["h/{a,b}"]),
        ("http://[::1]/", ["http://[::1]/"]),
    ],
)
def test_text_stands_for_its_urls(text, urls):
    """Choices and ranges are taken in turn, the last one changing fastest; the brackets of an address are none."""
    assert expanded(text) == urls


def test_too_many_urls_are_not_told():
    """Past the limit nothing is said of them, however large the numbers are."""
    assert expanded(f"h/[1-{MOST}]") is not None
    assert expanded(f"h/[1-{MOST + 1}]") is None
    assert expanded("h/[1-99999999999999999999]") is None
    assert expanded("h/[a-z][a-z][a-z]") is None


@given(st.text("h/{},[]-:\\\\0123ab", max_size=20))
def test_any_text_stands_for_some_urls_or_too_many(text):
    """No text makes the reading fail, and one without braces and brackets stands for itself."""
    urls = expanded(text)

    assert urls is None or len(urls) >= 1 or "[" in text
    assert urls == [text] or set(text) & set("{[\\\\")


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.parametrize("text", ["{a,b}/[1-3]", "[08-11:2]", "{x}[a-c]", "[a-c:2]{1,2}"])
def test_curl_reads_them_the_same_way(text, tmp_path):
    """What curl itself asks for, of files that are not there, are the URLs in the order of the text."""
    url = f"file://{tmp_path}/{text}"
    done = subprocess.run(["curl", "-s", "-w", "%{url_effective}\n", url], capture_output=True, text=True, check=False)

    assert done.stdout.split("\n")[:-1] == [each.replace(" ", "") for each in expanded(url)]


@pytest.mark.parametrize(
    ("command", "effect"),
    [
        ("curl 'http://169.254.169.25[4-4]/'", "deny"),
        ("curl 'http://169.254.169.{1,254}/'", "deny"),
        ("curl --url '169.254.[168-169].254'", "deny"),
        ("curl 'http://169.254.[1-99999].254/'", "ask"),
        ("wget 'http://h/[1-3]'", "allow"),
    ],
)
def test_deny_of_addresses_sees_each(tmp_path, command, effect):
    """An address that hides in a range is reached like any other."""
    assert Deciding(tmp_path, METADATA, "allow").bash(command) == effect
