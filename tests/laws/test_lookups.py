"""The law of names: where one leads is judged by all its addresses, by any door."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kinds.deciding import Deciding
from tests.meaning.test_resolving import PUBLIC, answers

RULE = """
[[rule]]
id = "inside"
kind = "url"
deny_ranges = ["loopback", "link-local", "private", "metadata"]
resolve = true
"""
ASKS = [
    ("http_get", "url", "http://{}/"),
    ("run_bash", "command", "curl -s http://{}/ > /dev/null"),
    ("run_bash", "command", "true && sh -c 'wget -qO- --max-redirect=0 {}'"),
    ("run_bash", "command", "git -c http.followRedirects=false clone https://{}/r.git"),
    ("run_bash", "command", "ssh -p 22 u@{} true"),
    ("run_bash", "command", "exec 3<>/dev/tcp/{}/80"),
    ("run_bash", "command", "https_proxy={} curl https://8.8.8.8/"),
    ("unheard_of", "text", "read http://{}/x first"),
]
NAMES = st.sampled_from(["a.test", "A.TEST", "a.test.", "xn--bcher-kva.test", "deep.under.a.test"])


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """An engine whose resolver gives every name the addresses in the list."""
    found = []
    text = f'{RULE}\n[[rule]]\nid = "all"\nkind = "tools"\nallow = ["*"]\ncommands = "any"\n'
    return Deciding(tmp_path_factory.mktemp("rules"), text, resolver=lambda _: list(found)), found


class TestNameThatLeadsInside:
    """A name of which any address lies in a refused range is never allowed, whatever order and wrapping they have."""

    @settings(max_examples=60)
    @given(answers(), NAMES, st.sampled_from(ASKS))
    def test_call_is_refused(self, world, addresses, name, ask):
        """By a tool, a command, a proxy, a socket and a mere mention."""
        deciding, found = world
        tool, argument, text = ask
        found[:] = addresses

        assert deciding(tool, **{argument: text.format(name)}) == "deny"

    @settings(max_examples=40)
    @given(st.lists(PUBLIC, min_size=1, max_size=3), NAMES, st.sampled_from(ASKS))
    def test_call_is_allowed_where_all_addresses_are_outside(self, world, addresses, name, ask):
        """The same calls pass, so that the law is not kept by refusing everything."""
        deciding, found = world
        tool, argument, text = ask
        found[:] = addresses

        assert deciding(tool, **{argument: text.format(name)}) == "allow"
