"""Where names lead, as one call sees it."""

from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.meaning.addresses import in_ranges
from tidegate.meaning.places import Places
from tidegate.meaning.resolving import MOST_NAMES, Names
from tidegate.meaning.scene import Scene
from tidegate.meaning.tri import Unknown
from tidegate.meaning.urls import read_url, redirected

ONE, TWO = ip_address("192.0.2.1"), ip_address("192.0.2.2")
EVERY = ("loopback", "link-local", "private", "metadata")


def answering(*answers):
    """A resolver that gives one answer after the other, and raises those that are errors."""
    waiting = iter(answers)

    def resolver(_):
        answer = next(waiting)
        if isinstance(answer, Exception):
            raise answer
        return answer

    return resolver


def why(names, host):
    """Why *host* is not resolved."""
    try:
        return f"it leads to {names(host)}"
    except OSError as error:
        return str(error)


def test_answer_holds_to_the_end_of_the_call():
    """A name is asked for once, whatever a second question would bring."""
    names = Names(answering([ONE], [TWO]))

    assert [names("a.test"), names("a.test"), names("b.test")] == [(ONE,), (ONE,), (TWO,)]


@pytest.mark.parametrize("error", [OSError("nobody knows"), UnicodeError("nobody knows"), OSError()], ids=repr)
def test_failure_holds_to_the_end_of_the_call(error):
    """What could not be resolved is not asked for again."""
    names = Names(answering(error, [ONE]))
    reasons = [why(names, "a.test"), why(names, "a.test")]

    assert reasons == [str(error) or "OSError"] * 2


def test_names_of_one_call_are_bounded():
    """A call that names many hosts does not make the resolver tell them all to the world."""
    names = Names(lambda _: [ONE])
    for index in range(MOST_NAMES):
        names(f"h{index}.test")

    assert why(names, "one-more.test") == f"the call names more than {MOST_NAMES} hosts"
    assert names("h0.test") == (ONE,)


def test_no_name_leads_anywhere_without_a_resolver():
    """Who cannot ask does not know."""
    assert why(Names(None), "a.test") == "there is no resolver"


def test_places_of_a_call_have_its_names():
    """The names belong to the places, so that all rules of a call see one answer."""
    places = Places(Scene(cwd=None, home=None, files=None, resolver=answering([ONE], [TWO])))

    assert [places.names("a.test"), places.names("a.test")] == [(ONE,), (ONE,)]


def test_redirected_is_wherever_it_may_be():
    """It has no host that is known, keeps where it began, and lies perhaps in every range."""
    origin = read_url("https://example.com/a")
    target = redirected(origin)

    assert (target.origin, target.text) == (origin, origin.text)
    assert not isinstance(target.host, str)
    assert isinstance(in_ranges(target, EVERY, lambda _: [ip_address("8.8.8.8")]), Unknown)


INNER = st.sampled_from(
    ["127.0.0.1", "127.8.8.8", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1", "169.254.169.254"]
).map(ip_address)
PUBLIC = st.sampled_from(["8.8.8.8", "1.1.1.1", "93.184.215.14", "2606:4700::1111", "2001:4860:4860::8888"]).map(
    ip_address
)


def _mapped(number):
    return 0xFFFF << 32 | number


def _nat64(number):
    return 0x64FF9B << 96 | number


def _six_to_four(number):
    return 0x2002 << 112 | number << 80 | 1


def _teredo(number):
    return 0x20010000 << 96 | 0x08080808 << 64 | number ^ 0xFFFFFFFF


def _isatap(number):
    return 0x20010DB9 << 96 | 0x5EFE << 32 | number


WRAPPINGS = st.sampled_from([None, _mapped, _nat64, _six_to_four, _teredo, _isatap, int])


@st.composite
def answers(draw):
    """Addresses in any order, at least one of which is or wraps one of the inner network."""
    inner, wrap = draw(INNER), draw(WRAPPINGS)
    hidden = inner if wrap is None else type(ip_address("::"))(wrap(int(inner)))
    return draw(st.permutations([hidden, *draw(st.lists(PUBLIC | INNER, max_size=4))]))


class TestAnyAddressInARefusedRange:
    """A name of which any address lies in a refused range is never allowed, in whatever order and wrapping."""

    @given(answers(), st.sampled_from(["http://a.test/", "https://u@A.test.:8443/x", "ssh://a.test", "//a.test/"]))
    def test_name_is_refused(self, found, url):
        """One address decides."""
        assert in_ranges(read_url(url), EVERY, Names(lambda _: found)) is True

    @given(st.lists(PUBLIC, min_size=1, max_size=5))
    def test_name_is_not_refused_without_one(self, found):
        """The same names pass where all addresses are public."""
        assert in_ranges(read_url("http://a.test/"), EVERY, Names(lambda _: found)) is False

    @given(answers(), answers())
    def test_answer_cannot_be_taken_back(self, found, later):
        """Whatever is answered afterwards, the first answer of a call counts."""
        names = Names(answering(found, [ip_address("8.8.8.8")], later))

        assert [in_ranges(read_url("http://a.test/"), EVERY, names) for _ in range(3)] == [True] * 3
