"""Counters in memory: what the laws do not say, and that they stay small."""

import math

import pytest

from tidegate.errors import StoreError
from tidegate.facts.counters import FINE, Lease, MemoryCounters, Refused
from tidegate.kind import Claim


def spend(counters, claim, now):
    """Take one claim and count it; whether there was room."""
    lease = counters.reserve([claim], now, 30.0)
    return isinstance(lease, Lease) and counters.commit(lease, now)


class TestLeases:
    """Reservations count until they are reported, given back or expired."""

    def test_commit_is_true_once(self):
        """A lease lets one body in, not two."""
        counters = MemoryCounters()
        lease = counters.reserve([Claim("k", 2, 10.0)], 0.0, 5.0)

        assert [counters.commit(lease, 1.0), counters.commit(lease, 1.0)] == [True, False]

    def test_expired_lease_lets_nothing_in(self):
        """At the moment at which a lease expires it is given back, and committing it says so."""
        counters = MemoryCounters()
        lease = counters.reserve([Claim("k", 1, 10.0)], 0.0, 5.0)
        during = counters.test([Claim("k", 1, 10.0)], 4.9)
        after = counters.test([Claim("k", 1, 10.0)], 5.0)

        assert isinstance(during, Refused)
        assert after is None
        assert counters.commit(lease, 5.0) is False

    def test_lease_counts_beyond_its_window_until_it_is_committed(self):
        """A body that is entered late counts from then on, so that two windows do not meet in one moment."""
        counters = MemoryCounters()
        claim = Claim("k", 1, 1.0)
        lease = counters.reserve([claim], 0.0, 60.0)
        late = counters.reserve([claim], 5.0, 60.0)

        assert isinstance(late, Refused)
        assert counters.commit(lease, 5.0)
        assert isinstance(counters.reserve([claim], 5.9, 60.0), Refused)
        assert isinstance(counters.reserve([claim], 6.0, 60.0), Lease)

    def test_looking_ahead_changes_nothing(self):
        """A test at a time to come does not make that time come."""
        counters = MemoryCounters()
        spend(counters, Claim("k", 1, 10.0), 0.0)
        ahead = counters.test([Claim("k", 1, 10.0)], 1_000.0)
        now = counters.test([Claim("k", 1, 10.0)], 1.0)

        assert ahead is None
        assert isinstance(now, Refused)

    def test_giving_back_what_was_committed_changes_nothing(self):
        counters = MemoryCounters()
        claim = Claim("k", 1, 10.0)
        lease = counters.reserve([claim], 0.0, 5.0)
        counters.commit(lease, 0.0)
        counters.give_back(lease)

        assert isinstance(counters.test([claim], 1.0), Refused)


class TestClaims:
    """All claims of a reservation are taken, or none."""

    def test_refusal_names_the_claim_without_room(self):
        """The second claim is full, so that the first takes nothing either."""
        counters = MemoryCounters()
        wide, narrow = Claim("wide", 2, 10.0), Claim("narrow", 1, 10.0)
        spend(counters, narrow, 0.0)
        said = [counters.reserve([wide, narrow], 4.0, 30.0) for _ in range(5)]

        assert said == [Refused(1, narrow, 6.0)] * 5
        assert counters.test([Claim("wide", 2, 10.0, cost=2)], 4.0) is None

    def test_claims_of_one_key_add_up(self):
        """Two claims on one bucket need room for both."""
        counters = MemoryCounters()
        claim = Claim("k", 3, 10.0, cost=2)

        assert counters.reserve([claim, claim], 0.0, 30.0) == Refused(1, claim, math.inf)

    def test_cost_above_the_limit_never_has_room(self):
        claim = Claim("k", 3, 10.0, cost=4)

        assert MemoryCounters().test([claim], 0.0) == Refused(0, claim, math.inf)

    @pytest.mark.parametrize("cost", [0, -1])
    def test_claim_that_takes_nothing_is_an_error(self, cost):
        """A claim that would pass for ever, or give units away, is refused by the store."""
        counters = MemoryCounters()

        with pytest.raises(StoreError):
            counters.reserve([Claim("k", 1, 1.0, cost)], 0.0, 1.0)
        with pytest.raises(StoreError):
            counters.test([Claim("k", 1, 1.0, cost)], 0.0)


class TestMemory:
    """Counters stay small, whoever chooses the keys."""

    def test_idle_keys_are_dropped(self):
        """A hundred thousand keys, ten of them within one window, leave few behind."""
        counters = MemoryCounters()
        for number in range(100_000):
            spend(counters, Claim(f"k{number}", 1, 1.0), number / 10)

        assert len(counters) < 100

    def test_full_store_refuses_new_keys_and_forgets_nothing(self):
        """When there is no more room, known keys keep their count and new ones are an error."""
        counters, known = MemoryCounters(capacity=50), Claim("known", 2, 60.0)
        spend(counters, known, 0.0)
        for number in range(49):
            spend(counters, Claim(f"k{number}", 1, 60.0), 0.0)
        with pytest.raises(StoreError, match="full"):
            counters.reserve([Claim("new", 1, 60.0)], 1.0, 30.0)

        assert isinstance(counters.test([Claim("known", 1, 60.0)], 1.0), Refused)

    def test_full_store_has_room_when_windows_have_passed(self):
        counters = MemoryCounters(capacity=50)
        for number in range(50):
            spend(counters, Claim(f"k{number}", 1, 60.0), 0.0)

        assert spend(counters, Claim("new", 1, 60.0), 60.0)

    def test_full_store_has_room_for_a_known_key_when_windows_have_passed(self):
        """Room is made for a key that is not new as well."""
        counters = MemoryCounters(capacity=3)
        spend(counters, Claim("long", 9, 600.0), 0.0)
        spend(counters, Claim("short", 9, 1.0), 0.0)
        spend(counters, Claim("short", 9, 1.0), 0.5)

        assert spend(counters, Claim("long", 9, 600.0), 5.0)

    def test_large_limits_take_no_more_entries_than_steps(self):
        """However many units pass in a window, it is kept in 4,096 steps."""
        counters, claim = MemoryCounters(capacity=FINE + 3), Claim("k", 1_000_000, 60.0)
        entered = [spend(counters, claim, number / 300) for number in range(18_000)]

        assert all(entered)
