"""Ranges of addresses, however an address is wrapped or hidden in a name."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.meaning.addresses import RANGES, in_ranges, wrapped
from tidegate.meaning.tri import Unknown
from tidegate.meaning.urls import read_url
from tidegate.meaning.values import Hole, Partial, unknown

EVERY = ("loopback", "link-local", "private", "metadata")


def lies(url, ranges=EVERY, resolver=None):
    return in_ranges(read_url(url), ranges, resolver)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("http://127.0.0.1:8080/", "loopback"),
        ("http://127.8.8.8/", "loopback"),
        ("http://2130706433/", "loopback"),
        ("http://0x7f000001/", "loopback"),
        ("http://0177.0.0.01/", "loopback"),
        ("http://127.1/", "loopback"),
        ("http://0/", "loopback"),
        ("http://０.0.0.0/", "loopback"),
        ("http://①②⑦.0.0.1/", "loopback"),
        ("http://127。0。0。1/", "loopback"),
        ("http://127.0.0.1./", "loopback"),
        ("http://[::1]/", "loopback"),
        ("http://[::]/", "loopback"),
        ("http://[::ffff:127.0.0.1]/", "loopback"),
        ("http://[::127.0.0.1]/", "loopback"),
        ("http://[::ffff:0:127.0.0.1]/", "loopback"),
        ("http://[64:ff9b::127.0.0.1]/", "loopback"),
        ("http://[2002:7f00:1::]/", "loopback"),
        ("http://[fe80::5efe:7f00:1]/", "loopback"),
        ("http://[2001:0:7f00:1::]/", "loopback"),
        ("http://good.test@127.0.0.1/", "loopback"),
        ("http://good.test\\@127.0.0.1/", "loopback"),
        ("http://localhost:3000/", "loopback"),
        ("localhost:3000", "loopback"),
        ("http://app.localhost/", "loopback"),
        ("http://LOCALHOST./", "loopback"),
        ("http://ip6-localhost/", "loopback"),
        ("ssh://127.0.0.1", "loopback"),
        ("http://169.254.1.1/", "link-local"),
        ("http://[fe80::1%25eth0]/", "link-local"),
        ("http://[febf::1]/", "link-local"),
        ("http://10.1.2.3/", "private"),
        ("http://012.1.2.3/", "private"),
        ("http://172.31.0.1/", "private"),
        ("http://192.168.1/", "private"),
        ("http://100.64.0.1/", "private"),
        ("http://224.0.0.1/", "private"),
        ("http://255.255.255.255/", "private"),
        ("http://[fd12::1]/", "private"),
        ("http://[fec0::1]/", "private"),
        ("http://[ff02::1]/", "private"),
        ("http://[64:ff9b:1::1]/", "private"),
        ("http://169.254.169.254/latest/meta-data", "metadata"),
        ("http://[fd00:ec2::254]/", "metadata"),
        ("http://[fd00:ec2::254]/", "private"),
        ("http://[::ffff:a9fe:a9fe]/", "metadata"),
        ("http://100.100.100.200/", "metadata"),
        ("http://192.0.0.192/", "metadata"),
        ("http://168.63.129.16/", "metadata"),
        ("http://metadata.google.internal/", "metadata"),
        ("http://metadata/", "link-local"),
    ],
)
def test_address_lies_in_its_range_however_it_is_spelled(url, name):
    assert lies(url, (name,)) is True


@pytest.mark.parametrize(
    "url",
    [
        "http://8.8.8.8/",
        "http://172.32.0.1/",
        "http://11.0.0.1/",
        "http://[2606:4700::1111]/",
        "http://example.com/",
        "http://notlocalhost.com/",
        "http://localhost.evil.test/",
        "http://1-2.example.com/",
        "http://8.8.8.8.nip.io/",
        "http://v1-2-3.example.com/",
        "file:///etc/passwd",
        "data:text/plain,x",
        "/etc/passwd",
    ],
)
def test_public_address_lies_in_no_range(url):
    """A name that says nothing of an address is no, because no call can show where it leads."""
    assert lies(url) is False


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("http://127.0.0.1.nip.io/", "loopback"),
        ("http://127-0-0-1.sslip.io/", "loopback"),
        ("http://app-10-0-0-1.nip.io/", "private"),
        ("http://1.127.0.0.1.nip.io/", "loopback"),
        ("http://7f000001.nip.io/", "loopback"),
        ("http://make.7f000001.c0a80001.rbndr.us/", "loopback"),
        ("http://--1.sslip.io/", "loopback"),
        ("http://fe80--1.sslip.io/", "link-local"),
        ("http://169.254.169.254.xip.io/", "metadata"),
        ("http://foo.localtest.me/", "loopback"),
        ("http://lvh.me:3000/", "loopback"),
        ("http://intranet/", "private"),
        ("http://printer.local/", "private"),
        ("http://host.docker.internal/", "private"),
        ("http://db.corp/", "private"),
        ("http://256.1.1.1/", "loopback"),
        ("http://" + "1-" * 200 + "a.test/", "loopback"),
    ],
)
def test_name_that_may_lead_into_a_range_is_unknown(url, name):
    assert isinstance(lies(url, (name,)), Unknown)
    assert lies(url, ()) is False


def test_unknown_host_may_lie_anywhere():
    assert isinstance(in_ranges(read_url(unknown("r")), EVERY), Unknown)
    assert isinstance(in_ranges(read_url(Partial(("http://10.0.0.", Hole.DIGITS, "/"), "r")), EVERY), Unknown)
    assert in_ranges(read_url(Partial(("http://10.0.0.1/", Hole.ANY), "r")), EVERY) is True


def test_resolver_decides_where_there_is_one():
    """Every address of a name counts, and what cannot be resolved is unknown."""
    book = {
        "a.test": ["8.8.8.8"],
        "b.test": ["8.8.8.8", "10.0.0.1"],
        "127.0.0.1.nip.io": ["127.0.0.1"],
        "none.test": [],
    }

    def resolver(host):
        if host not in book:
            raise OSError("no such name")
        return [ip_address(text) for text in book[host]]

    assert lies("http://a.test/", EVERY, resolver) is False
    assert lies("http://b.test/", EVERY, resolver) is True
    assert lies("http://127.0.0.1.nip.io/", EVERY, resolver) is True
    assert lies("http://localhost/", EVERY, resolver) is True
    assert lies("http://c.test/", EVERY, resolver) == Unknown("`c.test` cannot be resolved: no such name")
    assert lies("http://none.test/", EVERY, resolver) == Unknown("`none.test` has no address")


@given(st.ip_addresses(v=4), st.sampled_from(["::ffff:{}", "::{}", "64:ff9b::{}", "::ffff:0:{}"]))
def test_wrapped_address_is_found(address, form):
    """An address of four bytes is seen inside each form of one of sixteen that leads to it."""
    assert address in wrapped(IPv6Address(form.format(address)))


@given(st.ip_addresses())
def test_ranges_agree_with_the_standard_library_where_both_speak(address):
    """Whatever Python calls loopback or link-local is so, and nothing global is in a range."""
    text = f"[{address}]" if address.version == 6 else str(address)
    inside = {name for name in EVERY if lies(f"http://{text}/", (name,)) is True}
    plain = len(list(wrapped(address))) == 1

    assert not address.is_loopback or "loopback" in inside
    assert not address.is_link_local or "link-local" in inside
    assert not (plain and isinstance(address, IPv4Address) and address.is_global) or inside <= {"metadata", "private"}
    assert set(RANGES) == set(EVERY)
