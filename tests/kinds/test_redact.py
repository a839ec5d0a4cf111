"""`redact`: every channel of a result, and what a rule may say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kinds.making import made, of_fields, problems
from tests.redacting.making_secrets import SECRETS
from tidegate.kernel.content import DataBlock
from tidegate.kind import Output, Setting
from tidegate.kinds.redact import KIND
from tidegate.redacting.formats import FORMATS

KEY = SECRETS["aws-access-key"]
LABEL = "[secret: aws-access-key]"


def shaped(output, **fields):
    return made(KIND, **fields).apply(output, None)


class TestChannels:
    """Text, structured content, other blocks and failures are all redacted."""

    def test_every_channel_is_redacted(self):
        image = DataBlock("resource", {"resource": {"uri": f"file:///{KEY}", "text": f"a {KEY}"}})
        output = Output((f"x {KEY}", image, KEY), {KEY: [KEY, {"n": KEY}]}, is_error=True)
        shown = shaped(output, secrets=("*",))

        assert shown.blocks == (
            f"x {LABEL}",
            DataBlock("resource", {"resource": {"uri": f"file:///{LABEL}", "text": f"a {LABEL}"}}),
            LABEL,
        )
        assert shown.structured == {LABEL: [LABEL, {"n": LABEL}]}
        assert shown.is_error

    def test_text_around_an_image_is_one_text(self):
        """A block between two halves hides nothing."""
        image = DataBlock("image", {"data": "iVBORw0KGgo="})
        shown = shaped(Output((f"x {KEY[:9]}", image, f"{KEY[9:]} y")), secrets=("aws-access-key",))

        assert shown.blocks == (f"x {LABEL}", image, " y")

    def test_refusals_are_redacted(self):
        """A reason may quote what was asked."""
        assert shaped(Output((KEY,), refused=True, is_error=True), secrets=("aws-*",)).blocks == (LABEL,)

    def test_block_whose_type_is_a_secret_is_an_error(self):
        with pytest.raises(ValueError, match="type of a block"):
            shaped(Output((DataBlock(KEY, {}),)), secrets=("*",))

    @given(fields=KIND.strategy(), text=st.text(max_size=50), value=st.integers(-9, 9) | st.text(max_size=9))
    def test_output_without_secrets_is_left_as_it_is(self, fields, text, value):
        output = Output((text,), {"a": [value]})

        assert of_fields(KIND, fields).apply(output, None) is output

    @given(fields=KIND.strategy(), data=st.data())
    def test_redacting_twice_is_redacting_once(self, fields, data):
        names = st.sampled_from(sorted(SECRETS))
        texts = data.draw(st.lists(names.map(SECRETS.get) | st.text(max_size=9), max_size=4))
        part = of_fields(KIND, fields)
        once = part.apply(Output(tuple(texts), {"a": texts, "".join(texts): 1}), None)

        assert part.apply(once, None) is once


class TestFields:
    """What a rule may say."""

    def test_globs_choose_formats(self):
        shown = shaped(Output((f"{KEY} {SECRETS['npm-token']}",)), secrets=("aws-*",))

        assert shown.blocks == (f"{LABEL} {SECRETS['npm-token']}",)

    def test_values_to_leave_are_left(self):
        shown = shaped(Output((f"{KEY} AKIAIOSFODNN7EXAMPLE",)), secrets=("*",), leave=(".*EXAMPLE",))

        assert shown.blocks == (f"{LABEL} AKIAIOSFODNN7EXAMPLE",)

    def test_gitleaks_file_is_read_beside_the_rule(self, tmp_path):
        (tmp_path / "leaks.toml").write_text("[[rules]]\nid = 'corp'\nregex = 'corp_[a-z]{8}'\n", encoding="utf-8")
        setting = Setting("r", "deny", None, None, str(tmp_path))
        part = KIND.compile(KIND.fields(gitleaks="leaks.toml"), setting)

        assert setting.problems == []
        assert part.apply(Output(("corp_abcdefgh",)), None).blocks == ("[secret: corp]",)
        assert list(setting.read) == [str(tmp_path / "leaks.toml")]

    @pytest.mark.parametrize(
        ("fields", "expected"),
        [
            ({}, ("says-nothing", ())),
            ({"secrets": ("aws",)}, ("bad-value", ("secrets", 0))),
            ({"secrets": ("*", "azure-x*")}, ("bad-value", ("secrets", 1))),
            ({"patterns": {"a": "("}}, ("bad-pattern", ("patterns", "a"))),
            ({"patterns": {"a": "x*"}}, ("bad-pattern", ("patterns", "a"))),
            ({"patterns": {"a]": "x"}}, ("bad-value", ("patterns", "a]"))),
            ({"personal": ("card",), "leave": ("(?=a)",)}, ("bad-pattern", ("leave", 0))),
            ({"gitleaks": "absent.toml"}, ("bad-value", ("gitleaks",))),
        ],
        ids=str,
    )
    def test_problem_stands_at_its_key(self, fields, expected):
        assert problems(KIND, **fields) == [expected]

    def test_docs_name_every_format(self):
        """What a rule may name is on the page of the kind."""
        assert [name for name in FORMATS if f"`{name}`" not in KIND.fields.__doc__] == []
