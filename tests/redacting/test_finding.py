"""The finder finds exactly what looking at one thing after the other finds, and its two ways to scan agree."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.redacting import naive_finding
from tests.redacting.making_secrets import ENCODINGS, SECRETS
from tests.redacting.test_redactor import VALUES, encoded, fillers, layers
from tidegate.meaning.regexes import compile_regex
from tidegate.redacting import encodings as module
from tidegate.redacting.detectors import of_regex, without_edges
from tidegate.redacting.finding import MOST_TEXT, Finder, TooMuch
from tidegate.redacting.formats import FORMATS, secret
from tidegate.redacting.personal import personal

OWN = [
    r"BADGE-[0-9]{8}",
    r"\bBADGE-[0-9]{8}\b",
    r"^[0-9]{12}$",
    r"\A4111",
    r"(?m)^BADGE.*$",
    r"key[^x]*BADGE",
    r"\Bab",
    r"ab+\z",
    r"[A-C]{2}\d",
]
DETECTORS = [
    *(of_regex(f"own: {number}", compile_regex(text), 0) for number, text in enumerate(OWN)),
    of_regex("own: word", compile_regex("BADGE-[0-9]+"), 0, keywords=["key"]),
    *map(personal, ("card", "iban", "email", "phone")),
    *map(secret, ("aws-access-key", "private-key", "url-password", "openai-key", "twilio-key")),
]
KEY = SECRETS["aws-access-key"]
SMALL = [*VALUES, "key", "DE89 3704 0044 0532 0130 00", "+49 30 1234567", SECRETS["twilio-key"], "41", "\0", "0x", "x"]
pieces = st.builds(encoded, st.sampled_from(SMALL), layers) | fillers | st.text("0x1a -,\n\\", max_size=20)
texts = st.lists(pieces, max_size=5).map("".join)


def found(finder, texts):
    return [{(*one,) for one in spans} for spans in finder([text.encode() for text in texts])]


@example(texts=[f"{KEY}DE89 x{encoded(KEY, [('base64', False)] * 2)}"], used={"base64"}, depth=2).via(
    "where it is from"
)
@example(texts=["abc/MTIzNDU2Nzg5MDEy/xyz"], used={"base64", "base64url"}, depth=1).via("a part of a stretch")
@given(texts=st.lists(texts, min_size=1, max_size=3), used=st.sets(st.sampled_from(ENCODINGS)), depth=st.integers(0, 2))
def test_finder_agrees_with_looking_at_one_thing_after_the_other(texts, used, depth):
    """Whatever is looked through together, each text and each reading is one of its own."""
    encodings = sorted(used)
    depth = depth if encodings else 0
    expected = [naive_finding.find(text.encode(), DETECTORS, encodings, depth) for text in texts]

    assert found(Finder(DETECTORS, encodings, depth), texts) == expected


@given(before=fillers, value=st.sampled_from(VALUES), layers=layers, after=fillers)
def test_readings_that_are_looked_through_in_several_lots_are_all_there(before, value, layers, after):
    """The same is found where no two readings have room together."""
    text = f"{before} {encoded(value, layers)} {after}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tidegate.redacting.finding._LARGE", 0)
        apart = found(Finder(DETECTORS, ENCODINGS, 2), [text])

    assert apart == found(Finder(DETECTORS, ENCODINGS, 2), [text])


@given(
    text=st.text("0123ab xX,:-\n\r\t\\=", max_size=80)
    | st.lists(st.sampled_from(["0x41", " 0x", "41", "ab0", "x12", "\\x41", ", ", "\n", "=", "0" * 17, "g"])).map(
        "".join
    )
    | texts
)
def test_both_ways_to_scan_find_the_same_stretches(text):
    """What is quick to pass over text, and what is quick to find the next."""
    for scan in (module._BASE64, module._BASE64URL, module._HEX):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "_FEW", 10_000)
            passing = list(scan(text.encode()))
            for few in (1, 2):
                patch.setattr(module, "_FEW", few)

                assert list(scan(text.encode())) == passing


@pytest.mark.parametrize("name", FORMATS)
def test_expression_without_edges_matches_what_it_did(name):
    """The one pass that tells what to look for leaves nothing out, wherever words and lines begin."""
    assert compile_regex(without_edges(FORMATS[name])).search(SECRETS[name].encode()) is not None


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"^a\b$", "(?:)a(?:)(?:)"),
        (r"[\b^$]\^\$", r"[\b^$]\^\$"),
        (r"[^]^]^", r"[^]^](?:)"),
        (r"\Q^$\E^", r"\Q^$\E(?:)"),
        (r"\\b\A.\z", r"\\b(?:).(?:)"),
        ("[[:^alpha:]$]$", "[[:^alpha:]$](?:)"),
    ],
)
def test_edges_are_taken_out_of_an_expression_and_nothing_else(source, expected):
    assert without_edges(source) == expected


def test_text_that_is_too_long_is_an_error():
    """It is said how long it is."""
    with pytest.raises(TooMuch, match=f"{MOST_TEXT + 1:,} bytes"):
        Finder(DETECTORS, (), 0)([b" " * (MOST_TEXT + 1)])
