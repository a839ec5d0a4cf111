"""Redaction: what matches never survives, in no place and no listed encoding; what does not match is left alone."""

import base64
import json
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.redacting.making_secrets import PRIVATE_KEY, SECRETS, redactor
from tidegate.kernel.json_values import compact
from tidegate.meaning.regexes import compile_regex
from tidegate.redacting.detectors import of_regex
from tidegate.redacting.encodings import SHORTEST
from tidegate.redacting.finding import Finder, TooMuchDecoding
from tidegate.redacting.formats import secret
from tidegate.redacting.labels import Labels, rule_key
from tidegate.redacting.personal import personal
from tidegate.redacting.redactor import Redactor, Unsettled

BADGE = of_regex("redacted: badge", compile_regex("BADGE-[0-9]{8}"), 0)
ALL = (secret("aws-access-key"), secret("private-key"), personal("card"), BADGE)
VALUES = [SECRETS["aws-access-key"], PRIVATE_KEY, "4111 1111 1111 1111", "BADGE-20261130"]

values = st.sampled_from(VALUES)
fillers = st.text(st.sampled_from('ab C-\n\t"\\%+/=é😀:,1[]'), max_size=12)


def url_encoded(text, escaped):
    """Percent signs for all bytes, or for those that must have them and every third."""
    return "".join(
        f"%{byte:02X}" if escaped or at % 3 == 0 or not chr(byte).isalnum() else chr(byte)
        for at, byte in enumerate(text.encode())
    )


def json_encoded(text, escaped):
    return "".join(f"\\u{ord(letter):04x}" for letter in text) if escaped else json.dumps(text)[1:-1]


def wrapped(text, width):
    return "\n".join(text[at : at + width] for at in range(0, len(text), width))


ENCODERS = {
    "base64": lambda text, flag: wrapped(base64.b64encode(text.encode()).decode(), 20 if flag else 10_000),
    "base64url": lambda text, flag: base64.urlsafe_b64encode(text.encode()).decode().rstrip("=" if flag else ""),
    "hex": lambda text, flag: text.encode().hex(" ") if flag else text.encode().hex().upper(),
    "url": url_encoded,
    "json": json_encoded,
}
layers = st.lists(st.tuples(st.sampled_from(sorted(ENCODERS)), st.booleans()), max_size=2)


def encoded(text, layers):
    for encoding, flag in layers:
        text = ENCODERS[encoding](text, flag)
    return text


class TestNothingSurvives:
    """No match of a declared pattern survives redaction, wherever it is cut, in the encodings declared."""

    @given(value=values, layers=layers, before=fillers, after=fillers)
    def test_value_in_text_is_gone(self, value, layers, before, after):
        """As it is and in up to two encodings, whatever stands around it."""
        hidden = encoded(value, layers)
        shown = redactor(*ALL).text(f"{before} {hidden} {after}")

        assert value not in shown
        assert hidden not in shown
        assert "[" in shown

    @given(value=values, layers=layers, cuts=st.lists(st.integers(0, 400), min_size=1, max_size=4))
    def test_value_over_several_texts_is_gone(self, value, layers, cuts):
        """Blocks may end anywhere, in the middle of a secret or of its encoding."""
        hidden = f"a {encoded(value, layers)} b"
        places = sorted({min(cut, len(hidden)) for cut in cuts})
        texts = [hidden[start:end] for start, end in zip([0, *places], [*places, len(hidden)], strict=True)]
        shown = redactor(*ALL).texts(texts)

        assert len(shown) == len(texts)
        for between in ("", "\n"):
            assert encoded(value, layers) not in between.join(shown)
            assert value not in between.join(shown)

    @given(value=values, layers=layers, glue=st.text("abcXYZ019", max_size=5))
    @example(value=VALUES[0], layers=[("json", True), ("base64", False)], glue="001c").via("a backslash before it")
    def test_value_that_is_glued_to_letters_is_gone(self, value, layers, glue):
        """What stands before an encoded stretch shifts it; all ways to read it are tried."""
        value = value if value != VALUES[2] else VALUES[3]
        hidden = encoded(value, layers)
        if not layers or layers[-1][0] in ("base64", "base64url", "hex"):
            shown = redactor(*ALL).text(glue + hidden)

            assert hidden not in shown
            assert value not in shown

    @given(value=values, layers=layers, place=st.sampled_from(["value", "key", "item", "deep", "both"]))
    def test_value_in_json_is_gone(self, value, layers, place):
        """Strings and keys, wherever they stand."""
        hidden = encoded(value, layers)
        given = {
            "value": {"a": f"x {hidden}", "n": 1},
            "key": {f"x {hidden}": [True, None], f"{hidden}": 2.5},
            "item": ["ok", hidden],
            "deep": [[{"a": {"b": [{"c": hidden}]}}]],
            "both": {hidden: hidden},
        }[place]
        text = compact(redactor(*ALL).json(given))

        assert compact(hidden)[1:-1] not in text
        assert compact(value)[1:-1] not in text

    @given(parts=st.lists(st.sampled_from([*VALUES, "[redacted: badge]", "BADGE-", "2026", "1130", "4111", " "])))
    def test_nothing_is_found_in_what_comes_out(self, parts):
        """What is left when something was taken out does not become a match with what stood around it."""
        shown = redactor(*ALL).text("".join(parts))

        assert not re.search("BADGE-[0-9]{8}|(AKIA|ASIA)[A-Z2-7]{16}", shown)

    def test_secret_over_several_strings_of_an_array_is_gone(self):
        """Lines of a key are strings of their own; in JSON text they stand one after the other."""
        shown = redactor(*ALL).json({"lines": PRIVATE_KEY.splitlines(), "n": 4111111111111111})

        assert shown == {"lines": ["[secret: private-key]"] * 4, "n": "[personal: card]"}

    def test_name_of_a_field_tells_of_its_value(self):
        """A pattern with the name in it finds the value that stands at this key."""
        named = of_regex("redacted: password", compile_regex(r"(?i)password\"?[:=]\s*\"?([^\s\",]+)"), 0)

        assert redactor(named).json({"password": "tr0ub4dor", "n": [1]}) == {
            "password": "[redacted: password]",
            "n": [1],
        }

    def test_keys_that_become_equal_are_kept_apart(self):
        given = {"BADGE-00000001": 1, "BADGE-00000002": 2, "BADGE-00000003": 3}

        assert redactor(*ALL).json(given) == {
            "[redacted: badge]": 1,
            "[redacted: badge] 2": 2,
            "[redacted: badge] 3": 3,
        }

    def test_lone_surrogates_hide_nothing(self):
        """They are part of what a pattern for any character matches, and stay where they are beside it."""
        any_word = of_regex("redacted: word", compile_regex(r"pw=\S+"), 0)

        assert redactor(any_word).text("\ud800 pw=ab\ud800cd \udfff") == "\ud800 [redacted: word] \udfff"


class TestIdempotence:
    """Redacting twice is redacting once."""

    @given(
        parts=st.lists(values | fillers | st.sampled_from(["[redacted: badge]", "[secret: ", "]", "********"])),
        style=st.sampled_from(["label", "mask", "hash"]),
    )
    def test_redacted_text_comes_back_itself(self, parts, style):
        once = redactor(*ALL, style=style).texts(["".join(parts), "".join(parts[::-1])])

        assert redactor(*ALL, style=style).texts(once) == once

    @given(
        value=st.recursive(
            values | fillers | st.integers() | st.just(4111111111111111) | st.none() | st.booleans(),
            lambda inner: st.lists(inner, max_size=4) | st.dictionaries(values | fillers, inner, max_size=4),
            max_leaves=10,
        )
    )
    def test_redacted_json_comes_back_itself(self, value):
        once = redactor(*ALL).json(value)

        assert redactor(*ALL).json(once) is once

    @pytest.mark.parametrize("style", ["label", "mask", "hash"])
    @pytest.mark.parametrize("regex", ["secret", r"\S+", "[a-f0-9]{4,}", r"\*+", r"key.*", r"\[.*?\]"])
    def test_patterns_that_match_labels_are_settled(self, style, regex):
        """What lies within a label is no match; what goes beyond one is replaced with it."""
        greedy = of_regex("secret: key", compile_regex(regex), 0)
        once = redactor(greedy, style=style).text("the secret keys are [x] cafe1234 ** ****")

        assert redactor(greedy, style=style).text(once) == once


class TestUnchanged:
    """Text without a match is unchanged, byte for byte."""

    @given(text=st.text(max_size=200) | st.lists(fillers, max_size=9).map("".join))
    def test_text_without_a_match_is_the_same(self, text):
        """Patterns of the standard library agree that there is none."""
        if not re.search("BADGE-[0-9]{8}|(AKIA|ASIA)[A-Z2-7]{16}", text):
            assert redactor(BADGE, ALL[0], encodings=()).text(text) is text

    @given(text=st.text(st.sampled_from("abcdefgh ABCDEFGH/+-_%\\\n"), max_size=200))
    def test_text_without_digits_has_no_card(self, text):
        """Not even decoded: what is no text when decoded is no number."""
        shown = redactor(personal("card")).json([text])

        assert shown == [text]

    def test_what_is_encoded_too_often_is_left(self):
        """Only as many encodings over one another are undone as the rule says."""
        hidden = encoded("BADGE-20261130", [("base64", False)] * 3)

        assert redactor(BADGE, depth=2).text(hidden) == hidden
        assert redactor(BADGE, depth=3).text(hidden) == "[redacted: badge]"

    def test_encodings_that_are_not_listed_are_left(self):
        hidden = encoded("BADGE-20261130", [("hex", False)])

        assert redactor(BADGE, encodings=("base64",)).text(hidden) == hidden

    def test_whole_stretch_goes_with_what_is_in_it(self):
        """Who may read the rest of it could put the value together again."""
        hidden = base64.b64encode(b"x" * 300 + b"BADGE-20261130" + b"y" * 300).decode()

        assert redactor(BADGE).text(f"a {hidden}, b") == "a [redacted: badge], b"

    def test_only_what_encodes_the_match_goes_in_a_url(self):
        assert redactor(BADGE).text("https://x.test/?a=1&b=%42ADGE-2026%31130&c=2") == (
            "https://x.test/?a=1&b=[redacted: badge]&c=2"
        )

    def test_shorter_stretches_are_passed_over(self):
        """Every word would be one."""
        short = of_regex("redacted: pin", compile_regex("pin-[0-9]"), 0)
        hidden = base64.b64encode(b"pin-1").decode()

        assert len(hidden) < SHORTEST
        assert redactor(short).text(hidden) == hidden


class TestHashes:
    """Equal values have equal labels, which nobody can guess or forge."""

    def test_equal_values_have_equal_labels(self):
        """Also where one of them is encoded."""
        shown = redactor(BADGE, style="hash").text(
            "BADGE-20261130 BADGE-20261131 " + encoded("BADGE-20261130", [("base64", False)])
        )
        first, second, third = re.findall(r"\[redacted: badge ([0-9a-f]{18})\]", shown)

        assert first == third != second

    def test_labels_of_two_rules_tell_nothing_of_each_other(self):
        one, other = (redactor(BADGE, style="hash", rule=rule).text("BADGE-20261130") for rule in "ab")

        assert one != other

    def test_label_that_somebody_made_up_hides_nothing(self):
        """A digest of the right form without the key is text like any other."""
        digits = of_regex("redacted: id", compile_regex("[0-9a-f]{18}"), 0)
        forged = "[redacted: id 0123456789abcdef01]"

        assert "0123456789abcdef01" not in redactor(digits, style="hash").text(forged)


class TestLimits:
    """What cannot be told is an error, and withholds the result."""

    def test_pattern_that_never_settles_is_an_error(self):
        growing = of_regex("redacted: a", compile_regex(r"\] ?a"), 0)

        with pytest.raises(Unsettled):
            redactor(growing).text("]" + "a" * 100)

    def test_too_many_encodings_at_once_are_an_error(self, monkeypatch):
        monkeypatch.setattr("tidegate.redacting.finding._SMALL", 0)
        monkeypatch.setattr("tidegate.redacting.finding.MOST_WORK", 1)

        with pytest.raises(TooMuchDecoding):
            redactor(BADGE).text("QUJD" * 100)

    def test_automaton_that_runs_out_of_memory_hides_nothing(self):
        """It answers that nothing matches, not even what matches anywhere; then every pattern is tried."""

        class Exhausted:
            def Match(self, _):  # noqa: N802 - the name that RE2 gives it
                return []

        finder = Finder(ALL, (), 0)
        finder._suspects._set = Exhausted()

        assert [span.label for span in finder([b"x BADGE-20261130"])[0]] == ["redacted: badge"]

    def test_patterns_that_no_automaton_can_hold_hide_nothing(self, monkeypatch):
        """Then every pattern is tried."""
        monkeypatch.setattr("tidegate.redacting.detectors._MEMORY", 2_000)
        labels = Labels("label", [one.label for one in ALL], rule_key("r"))
        small = Redactor(Finder(ALL, (), 0), labels)

        assert small.text("x BADGE-20261130") == "x [redacted: badge]"

    @pytest.mark.parametrize("regex", [r"\A[0-9]{12}\z", "^[0-9]{12}$", r"(?-m)^[0-9]{12}$", r"\b[0-9]{12}\b"])
    def test_patterns_of_whole_values_hold_for_each(self, regex):
        """Texts are looked through together, and each is still one of its own."""
        whole = of_regex("redacted: id", compile_regex(regex), 0)

        assert redactor(whole).json(["a", "123456789012", "b"]) == ["a", "[redacted: id]", "b"]
        assert redactor(whole).texts(["a ", "123456789012", " b"])[1] == "[redacted: id]"
        assert redactor(whole).json([encoded("123456789012", [("base64", False)])]) == ["[redacted: id]"]
