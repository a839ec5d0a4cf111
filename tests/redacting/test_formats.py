"""Formats of secrets: each finds what its issuer describes, and nothing that is nearly so."""

import pytest

from tests.redacting.making_secrets import NEAR_MISSES, SECRETS, redactor
from tidegate.redacting.formats import FORMATS, secret


def test_every_format_has_a_hit_and_a_near_miss():
    """No format goes untested."""
    assert set(FORMATS) == set(SECRETS) == set(NEAR_MISSES)


@pytest.mark.parametrize("name", SECRETS)
def test_format_is_found(name):
    """The secret is replaced wherever it stands in a text, and what is around it stays."""
    shown = redactor(secret(name), depth=0).text(f"before {SECRETS[name]} after")

    assert f"[secret: {name}]" in shown
    assert shown.startswith("before ")
    assert shown.endswith(" after")


@pytest.mark.parametrize("name", SECRETS)
def test_nothing_of_a_secret_is_left(name):
    """No four letters of the random part are still there."""
    shown = redactor(secret(name), depth=0).text(SECRETS[name])
    rare = [SECRETS[name][at : at + 6] for at in range(len(SECRETS[name]) - 12, len(SECRETS[name]) - 6)]

    assert name in ("url-password", "private-key") or not [part for part in rare if part in shown]


@pytest.mark.parametrize("name", NEAR_MISSES)
def test_near_miss_is_left(name):
    """What only looks like the format is no secret of that format."""
    text = f"before {NEAR_MISSES[name]} after"

    assert redactor(secret(name)).text(text) == text
