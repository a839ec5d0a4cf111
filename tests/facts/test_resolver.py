"""The resolver as a fact: bounded in time, in threads, and in what it remembers."""

import socket
import threading
from ipaddress import ip_address

import pytest

from tidegate.facts.resolver import LIFE, MOST_ASKED, MOST_KEPT, SystemResolver, look_up

ONE, TWO = ip_address("192.0.2.1"), ip_address("192.0.2.2")


class Hand:
    """A clock that stands until it is moved."""

    def __init__(self):
        self.time = 100.0

    def now(self):
        return self.time

    def steady(self):
        return self.time


class Zone:
    """A lookup that counts its questions; it raises answers that are errors."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.questions = []

    def __call__(self, host):
        self.questions.append(host)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


def why(resolver, host="a.test"):
    """Why *host* is not resolved."""
    try:
        return f"it leads to {resolver(host)}"
    except OSError as error:
        return str(error)


def test_every_address_is_given_once_and_in_order():
    """What is answered twice counts once."""
    assert SystemResolver(Hand(), lookup=Zone([TWO, ONE, TWO]))("a.test") == (TWO, ONE)


def test_answer_counts_for_its_life():
    """Until its time is over the same answer is given, and then a new one."""
    clock, zone = Hand(), Zone([ONE], [TWO])
    resolver = SystemResolver(clock, lookup=zone)
    answers = [resolver("a.test")]
    for step in (LIFE / 2, LIFE / 2 - 0.001, 0.001):
        clock.time += step
        answers.append(resolver("a.test"))

    assert answers == [(ONE,), (ONE,), (ONE,), (TWO,)]
    assert len(zone.questions) == 2


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ([], "it has no address"),
        (socket.gaierror(-2, "Name or service not known"), "name or service not known"),
        (OSError(), "oserror"),
        (UnicodeError("label too long"), "label too long"),
        (ValueError(), "valueerror"),
        (RuntimeError("Odd"), "odd"),
    ],
)
def test_name_without_an_answer_is_an_error_with_its_reason(answer, reason):
    """Whatever the lookup raises, the name is not resolved; that counts for its life as well."""
    clock, zone = Hand(), Zone(answer, [ONE])
    resolver = SystemResolver(clock, lookup=zone)

    assert [why(resolver), why(resolver)] == [reason, reason]
    assert len(zone.questions) == 1
    clock.time += LIFE
    assert resolver("a.test") == (ONE,)


def test_lookup_that_hangs_is_left_and_others_go_on():
    """Its own time ends the waiting, and another name is resolved meanwhile."""
    gate = threading.Event()

    def lookup(host):
        if host == "slow.test":
            gate.wait(20)
        return [ONE]

    resolver = SystemResolver(Hand(), longest=0.05, lookup=lookup)

    assert why(resolver, "slow.test") == "nobody answered within 0.05 seconds"
    assert SystemResolver(Hand(), lookup=lookup)("a.test") == (ONE,)
    gate.set()


def test_late_answer_is_no_answer():
    """What comes after the time is not taken, though it comes while the failure is remembered."""
    gate, done = threading.Event(), threading.Event()

    def lookup(_):
        gate.wait(20)
        done.set()
        return [ONE]

    resolver = SystemResolver(Hand(), longest=0.05, lookup=lookup)
    reasons = [why(resolver)]
    gate.set()
    done.wait(20)
    reasons.append(why(resolver))

    assert reasons == ["nobody answered within 0.05 seconds"] * 2


def test_lookups_at_once_are_bounded_and_their_places_come_back():
    """While as many hang as may, no further thread is started; when they end, names are resolved again."""
    gate, started = threading.Event(), []

    def lookup(host):
        started.append(host)
        if host.startswith("slow"):
            gate.wait(20)
        return [ONE]

    resolver = SystemResolver(Hand(), longest=0.05, lookup=lookup)
    for index in range(MOST_ASKED):
        why(resolver, f"slow{index}.test")
    crowded = why(resolver)

    assert crowded == "too many other names are being looked up"
    assert len(started) == MOST_ASKED
    gate.set()
    patient = SystemResolver(Hand(), lookup=lookup)
    assert patient("a.test") == (ONE,)
    assert _at_last(resolver) == (ONE,)


def _at_last(resolver):
    """The answer once a place has come back; being crowded out is not remembered."""
    for _ in range(200):
        try:
            return resolver("b.test")
        except OSError:
            continue
    return None


def test_what_is_remembered_is_bounded():
    """The oldest answer goes first."""
    zone = Zone([ONE])
    resolver = SystemResolver(Hand(), lookup=zone)
    for index in range(MOST_KEPT + 1):
        resolver(f"h{index}.test")
    zone.questions.clear()
    for name in ("h1.test", f"h{MOST_KEPT}.test", "h0.test"):
        resolver(name)

    assert zone.questions == ["h0.test"]


def test_threads_share_it():
    """Many threads at once get the same answer."""
    resolver = SystemResolver(Hand(), lookup=Zone([ONE]))
    answers = []
    threads = [
        threading.Thread(target=lambda n=n: answers.append(resolver(f"h{n % 4}.test"))) for n in range(MOST_ASKED * 4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert answers == [(ONE,)] * len(threads)


def test_system_knows_this_machine():
    """The real lookup gives addresses, of one link without their interface, and raises for what is no name."""
    assert all(address.is_loopback for address in look_up("localhost"))
    assert look_up("fe80::1%1") == [ip_address("fe80::1")]
    with pytest.raises((OSError, ValueError)):
        look_up("a" * 70 + ".invalid")
