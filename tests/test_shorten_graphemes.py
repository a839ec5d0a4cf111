"""Where text may be cut: never within what reads as one character."""

from unicodedata import category, combining, normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.shorten import NONE, UNBOUNDED, Size, Style, shorten_string, shorten_texts, utf8_size
from tidegate.shorten_graphemes import boundary_after, boundary_before

CLUSTERS = {
    "accent": "e\u0301",
    "several-accents": "a\u0323\u0302\u0301",
    "line-end": "\r\n",
    "family": "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "skin-tone": "\U0001f44d\U0001f3fd",
    "heart": "\u2764\ufe0f",
    "keycap": "1\ufe0f\u20e3",
    "flag": "\U0001f1e9\U0001f1ea",
    "tag-flag": "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e007f",
    "syllable": "\u1112\u1161\u11ab",
    "syllable-and-tail": "\uac00\u11a8",
    "conjunct": "\u0915\u094d\u0937",
    "vowel-sign": "\u0ba8\u0bbf",
    "thai": "\u0e01\u0e33",
    "halfwidth": "\uff76\uff9e",
    "arabic-number": "\u0600\u0661",
}
plain = st.sampled_from(["a", " ", "é", "€", "😀", "\n", "中", "\uac00", "\u0915"])
clusters = st.sampled_from(sorted(CLUSTERS.values()))


@pytest.mark.parametrize("name", CLUSTERS)
def test_cluster_is_never_cut(name):
    """Not at any of its places, from either side; where it ends it may be cut."""
    cluster = CLUSTERS[name]
    text, start, end = f"x{cluster}x", 1, 1 + len(cluster)

    assert [boundary_before(text, at) for at in range(start, end)] == [start] * (len(cluster))
    assert [boundary_after(text, at) for at in range(start + 1, end + 1)] == [end] * (len(cluster))


@given(parts=st.lists(plain | clusters, max_size=12), at=st.integers(0, 60))
def test_boundaries_are_between_clusters(parts, at):
    """Text put together of clusters is cut only between two of them."""
    text = "".join(parts)
    places = {sum(map(len, parts[:count])) for count in range(len(parts) + 1)}

    assert boundary_before(text, min(at, len(text))) in places
    assert boundary_after(text, min(at, len(text))) in places


@given(text=st.text(max_size=40), at=st.integers(0, 40))
def test_no_mark_is_parted_from_its_letter(text, at):
    """What Unicode's tables call a mark, or composes with what is before it, does not begin a part."""
    at = boundary_before(text, min(at, len(text)))
    if 0 < at < len(text):
        before, after = text[at - 1], text[at]

        assert category(before) in ("Cc", "Zl", "Zp") or (category(after)[0] != "M" and not combining(after))
        assert len(normalize("NFC", before + after)) >= len(normalize("NFC", before)) + len(normalize("NFC", after))


def test_long_run_of_marks_takes_linear_time():
    """A letter with a million marks is one character, of which nothing is kept."""
    text = "a" + "\u0301" * 1_000_000

    assert boundary_before(text, 500_000) == 0


@given(
    parts=st.lists(plain | clusters, max_size=30),
    keep=st.sampled_from(["head", "tail", "head-tail"]),
    most=st.builds(Size, st.integers(12, 60), st.just(UNBOUNDED)),
)
def test_shortened_text_has_only_whole_clusters(parts, keep, most):
    """What stands before and behind the marker is made of whole parts of the text."""
    text = "".join(parts)
    ends = {text[: sum(map(len, parts[:count]))] for count in range(len(parts) + 1)}
    begins = {text[sum(map(len, parts[:count])) :] for count in range(len(parts) + 1)}
    for shown in (
        shorten_string(text, most, Style(keep, "<<>>"), utf8_size),
        "".join(shorten_texts([text], most, Style(keep, "<<>>"), NONE))
        .replace("\n<<>>", "<<>>")
        .replace("<<>>\n", "<<>>"),
    ):
        head, marker, tail = shown.partition("<<>>")

        assert head in ends or f"{head}\n" in ends
        assert not marker or tail in begins or f"\n{tail}" in begins
