"""Personal data: check digits tell cards and accounts from other numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.redacting.making_secrets import redactor
from tidegate.redacting.personal import is_card, is_iban, personal

# The numbers that payment providers publish for tests.
CARDS = [
    "4111111111111111",
    "4222222222222",
    "5555555555554444",
    "2223003122003222",
    "378282246310005",
    "6011111111111117",
    "3530111333300000",
    "30569309025904",
    "6200000000000005",
    "6759649826438453",
]
# The examples of the IBAN registry.
IBANS = ["DE89370400440532013000", "GB29NWBK60161331926819", "NO9386011117947", "MT84MALT011000012345MTLCAST001S"]


@pytest.mark.parametrize("number", CARDS)
@pytest.mark.parametrize("between", ["", " ", "-", "."])
def test_card_is_found_with_any_separator(number, between):
    """Digits may stand in groups of four."""
    written = between.join(number[at : at + 4] for at in range(0, len(number), 4))

    assert redactor(personal("card")).text(f"card {written}, 12 items") == "card [personal: card], 12 items"


@pytest.mark.parametrize(
    "text",
    [
        "4111111111111112",
        "1111111111111117",
        "41111111111111110000",
        "x4111111111111111",
        "4111111111111111x",
    ],
)
def test_other_number_is_left(text):
    """A wrong check digit, an unknown network, a longer number, and a part of a word are no card."""
    assert redactor(personal("card")).text(text) == text


def test_card_between_other_groups_is_found():
    """Numbers beside it do not hide it."""
    assert redactor(personal("card")).text("12 4111 1111 1111 1111 99") == "12 [personal: card] 99"


@given(st.sampled_from([card for card in CARDS if len(card) == 16]), st.integers(0, 15), st.integers(1, 9))
def test_one_wrong_digit_is_no_card(number, at, more):
    """The check digit finds every single wrong digit."""
    wrong = number[:at] + str((int(number[at]) + more) % 10) + number[at + 1 :]

    assert not is_card(wrong.encode())


@pytest.mark.parametrize("iban", IBANS)
def test_iban_is_found_in_groups_and_without(iban):
    """Machines write it in one piece, people in groups of four."""
    grouped = " ".join(iban[at : at + 4] for at in range(0, len(iban), 4))

    assert redactor(personal("iban")).text(f"to {iban} or {grouped}, or {iban.lower()} or NOW") == (
        "to [personal: iban] or [personal: iban], or [personal: iban] or NOW"
    )


@given(st.sampled_from(IBANS), st.integers(4, 14), st.integers(1, 9))
def test_one_wrong_digit_is_no_iban(iban, at, more):
    """The check digits find every single wrong digit."""
    if iban[at].isdigit():
        wrong = iban[:at] + str((int(iban[at]) + more) % 10) + iban[at + 1 :]

        assert not is_iban(wrong.encode())


def test_iban_of_another_length_is_left():
    """Each country has one length."""
    text = "DE8937040044053201300 DE893704004405320130000 XX89370400440532013000"

    assert redactor(personal("iban")).text(text) == text


@pytest.mark.parametrize(
    ("kind", "text", "shown"),
    [
        ("email", "write to a.b+c@mail.example.test.", "write to [personal: email]."),
        ("email", "a@b, @handle, x@localhost", "a@b, @handle, x@localhost"),
        ("phone", "call +49 (30) 123-4567 now", "call [personal: phone] now"),
        ("phone", "1 + 1234 = 1235, 030 1234567", "1 + 1234 = 1235, 030 1234567"),
    ],
)
def test_addresses_and_numbers(kind, text, shown):
    """E-mail addresses need a domain with a dot, telephone numbers a plus sign."""
    assert redactor(personal(kind)).text(text) == shown
