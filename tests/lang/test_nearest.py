"""The name that somebody meant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.lang import TOP_KEYS, nearest

FIELDS = ["allow", "deny", "only", "max_bytes", "max_lines", "keep", "regex", "patch", "policy", "class"]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("Allow", "allow"),
        ("ALLOW", "allow"),
        ("maxBytes", "max_bytes"),
        ("max-bytes", "max_bytes"),
        ("max bytes", "max_bytes"),
        ("allows", "allow"),
        ("patches", "patch"),
        ("regexes", "regex"),
        ("policies", "policy"),
        ("classes", "class"),
        ("aloow", "allow"),
        ("lalow", "allow"),
        ("dney", "deny"),
        ("den", "deny"),
        ("max_line", "max_lines"),
        ("onyl", "only"),
    ],
)
def test_nearest_finds_what_was_meant(name, meant):
    assert nearest(name, FIELDS) == meant


@pytest.mark.parametrize("name", ["", "x", "deal", "priority", "when", "forbid", "all", "y" * 5_000])
def test_nearest_guesses_nothing_when_nothing_is_close(name):
    """A far-fetched guess would only mislead."""
    assert nearest(name, FIELDS) is None


def test_nearest_prefers_case_to_number_and_number_to_slips():
    """The smaller the slip, the sooner it is taken for one."""
    assert nearest("Rule", ["rules", "rulé", "rule"]) == "rule"
    assert nearest("rules", ["rulez", "rule"]) == "rule"
    assert nearest("ruls", ["rulers", "rules"]) == "rules"


@given(st.sampled_from([key for key in TOP_KEYS if len(key) > 4]), st.data())
def test_nearest_forgives_one_slip(key, data):
    """A top key with one letter missing, doubled or swapped with its neighbour is recognised."""
    at = data.draw(st.integers(0, len(key) - 2))
    slip = data.draw(
        st.sampled_from(
            [key[:at] + key[at + 1 :], key[:at] + key[at] + key[at:], key[:at] + key[at + 1] + key[at] + key[at + 2 :]]
        )
    )

    assert nearest(slip, TOP_KEYS) == key


@given(st.text(max_size=12), st.lists(st.text(max_size=12)))
def test_nearest_answers_with_a_known_name(name, known):
    """The answer is one of the known names, and the name itself where it is known."""
    found = nearest(name, known)

    assert found is None or found in known
    assert name not in known or found is not None
