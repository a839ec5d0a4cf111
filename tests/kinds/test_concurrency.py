"""`concurrency`: what a slot is, and which calls share slots."""

import pytest

from tests.kinds.making import case, made, problems
from tidegate.kinds.concurrency import KIND


def test_call_claims_a_slot_for_the_lease():
    (claim,) = made(KIND, limit=3, lease="90s").claims(case())

    assert (claim.limit, claim.window, claim.cost, claim.settles) == (3, 90.0, 1, "slot")


def test_slots_are_told_apart_by_what_per_names():
    part = made(KIND, limit=1, per=("session",))
    keys = [part.claims(case(session=session))[0].key for session in ("a", "b", None, None)]

    assert len(set(keys)) == 3
    assert keys[2] == keys[3]


def test_slots_do_not_share_a_key_with_another_rule_of_limits():
    """A store keeps one kind of thing under each key."""
    from tidegate.kinds.rate_limit import KIND as RATE

    assert made(KIND, limit=1).claims(case())[0].key != made(RATE, limit="1/10m").claims(case())[0].key


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"limit": 0}, ("out-of-range", ("limit",))),
        ({"limit": 1_000_000_001}, ("out-of-range", ("limit",))),
        ({"limit": 1, "lease": "soon"}, ("bad-limit", ("lease",))),
        ({"limit": 1, "lease": "0s"}, ("bad-limit", ("lease",))),
        ({"limit": 1, "lease": "10 eons"}, ("bad-limit", ("lease",))),
        ({"limit": 1, "lease": "367d"}, ("out-of-range", ("lease",))),
        ({"limit": 1, "store": "postgres"}, ("bad-value", ("store",))),
        ({"limit": 1, "per": ("sesion",)}, ("bad-value", ("per", 0))),
    ],
    ids=str,
)
def test_problem_stands_at_its_key(fields, expected):
    assert problems(KIND, **fields) == [expected]


def test_refusal_says_how_many():
    assert made(KIND, limit=2).refusal(1.0, None) == "2 calls may run at once; try again when one has ended"
