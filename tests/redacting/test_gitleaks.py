"""Rules in the format of gitleaks: what they find is replaced, and what cannot be carried over is told."""

import pytest

from tests.redacting.making_secrets import redactor, run
from tidegate.redacting.gitleaks import read_gitleaks


def read(text):
    """The redactor of a file's rules, and what is wrong with it."""
    detectors, faults = read_gitleaks(text.encode())
    return redactor(*detectors, encodings=()), [(fault.severity, fault.what) for fault in faults]


def shown(text, given):
    """What the rules of a file make of a text; the file has no fault."""
    rules, faults = read(text)

    assert faults == []
    return rules.text(given)


RULE = "[[rules]]\nid = 'corp-token'\n"


class TestFinding:
    """Each key does what gitleaks' readme says."""

    def test_whole_match_is_the_secret_without_groups(self):
        assert shown(RULE + "regex = 'corp_[a-z0-9]{8}'", "a corp_abcd1234 b") == "a [secret: corp-token] b"

    def test_first_group_that_matched_is_the_secret(self):
        text = RULE + "regex = '''(?:key=([a-z]{8})|id=([a-z]{8}))'''"

        assert shown(text, "id=abcdefgh") == "id=[secret: corp-token]"

    def test_secret_group_is_the_secret(self):
        text = RULE + "regex = '''(user)=([a-z]{8})'''\nsecretGroup = 2"

        assert shown(text, "user=abcdefgh") == "user=[secret: corp-token]"

    def test_keywords_are_needed_in_any_case(self):
        text = RULE + "regex = '[a-z0-9]{32}'\nkeywords = ['Acme']"

        assert shown(text, f"ACME {'a1' * 16}") == "ACME [secret: corp-token]"
        assert shown(text, f"other {'a1' * 16}") == f"other {'a1' * 16}"

    def test_entropy_is_needed(self):
        text = RULE + "regex = '[A-Za-z0-9]{32}'\nentropy = 3.5"

        assert shown(text, "a" * 32) == "a" * 32
        assert shown(text, run(32)) == "[secret: corp-token]"

    @pytest.mark.parametrize(
        ("allowlist", "given", "hit"),
        [
            ("regexes = ['^corp_example']", "corp_example1", False),
            ("regexes = ['^corp_example']", "corp_secret12", True),
            ("stopwords = ['TEST']", "corp_testtest1", False),
            ("regexTarget = 'match'\nregexes = ['^id=']", "id=corp_abcdefgh", False),
            ("regexTarget = 'line'\nregexes = ['nosecret']", "corp_abcdefgh # nosecret", False),
            ("regexTarget = 'line'\nregexes = ['nosecret']", "corp_abcdefgh\n# nosecret", True),
            ("condition = 'AND'\nregexes = ['^corp_a']\nstopwords = ['test']", "corp_atestabc", False),
            ("condition = 'AND'\nregexes = ['^corp_a']\nstopwords = ['test']", "corp_abcdefgh", True),
        ],
    )
    @pytest.mark.parametrize("where", ["[rules.allowlist]", "[[rules.allowlists]]", "[allowlist]", "[[allowlists]]"])
    def test_allowlists_leave_what_they_allow(self, allowlist, given, hit, where):
        """Those of a rule and those of the file, under each name that gitleaks reads."""
        text = RULE + f"regex = '(?:id=)?(corp_[a-z0-9]{{8}})'\n{where}\n{allowlist}\n"

        assert ("[secret: corp-token]" in shown(text, given)) is hit

    def test_allowlist_of_the_file_may_be_for_some_rules(self):
        text = RULE + "regex = 'corp_[a-z]{8}'\n[[allowlists]]\ntargetRules = ['other']\nstopwords = ['corp']\n"

        assert shown(text, "corp_abcdefgh") == "[secret: corp-token]"


class TestFaults:
    """Nothing is left out in silence: an error where less would be found, a warning where more is."""

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("not toml", "error"),
            ("title = 'empty'", "error"),
            ("[extend]\nuseDefault = true\n" + RULE + "regex = 'a'", "error"),
            (RULE + "path = 'x'", "error"),
            (RULE + "regex = '(?=a)b'", "error"),
            (RULE + "regex = 'a'\nsecretGroup = 1", "error"),
            (RULE + "regex = 'a'\nsecretGroup = true", "error"),
            (RULE + "regex = 1", "error"),
            (RULE + "regex = 'a'\nkeywords = [1]", "error"),
            (RULE + "regex = 'a'\n[[rules.required]]\nid = 'b'", "error"),
            (RULE + "regex = 'a'\n[[rules.allowlists]]\nregexTarget = 'file'", "error"),
            (RULE + "regex = 'a'\n[[rules.allowlists]]\nregexes = ['(']", "error"),
            ("[[rules]]\nid = 'a b'\nregex = 'a'", "error"),
            ("surprise = 1\n" + RULE + "regex = 'a'", "error"),
            (RULE + "regex = 'a'\npath = 'x'", "warning"),
            (RULE + "regex = 'a'\n[[rules.allowlists]]\npaths = ['x']", "warning"),
            (RULE + "regex = 'a'\n[[rules.allowlists]]\ncommits = ['x']", "warning"),
        ],
    )
    def test_fault_is_told(self, text, expected):
        _, faults = read(text)

        assert [severity for severity, _ in faults] == [expected]

    def test_allowlist_that_needs_a_path_as_well_allows_nothing(self):
        """Nobody can say whether the other condition holds."""
        rules, _ = read(
            RULE
            + "regex = 'corp_[a-z]{8}'\n[[rules.allowlists]]\ncondition = 'AND'\npaths = ['x']\nstopwords = ['corp']"
        )

        assert rules.text("corp_abcdefgh") == "[secret: corp-token]"
