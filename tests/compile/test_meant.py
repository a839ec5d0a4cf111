"""What a mend shows for a value of another type: it is of the type that is wanted, or nothing is shown."""

import tomli
from hypothesis import given
from hypothesis import strategies as st

from tidegate.compile.compiler import compile_plan
from tidegate.compile.fields import ConditionFields
from tidegate.compile.meant import meant
from tidegate.compile.strict import converter
from tidegate.lang.layers import loads

KINDS = [str, bool, int, float, tuple[str, ...], tuple[int, ...], str | tuple[str, ...], tuple[ConditionFields, ...]]
VALUES = st.recursive(
    st.text(max_size=6)
    | st.booleans()
    | st.integers(-9, 9)
    | st.floats(-9, 9)
    | st.sampled_from(["/etc", "a://b", "3"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.just("path"), inner, max_size=1),
    max_leaves=3,
)


@given(VALUES, st.sampled_from(KINDS))
def test_what_is_meant_is_of_the_wanted_type(value, kind):
    """The loader takes the value that the mend shows, unless its own inside is wrong too."""
    found = meant(value, kind)
    inside_is_right = not isinstance(value, dict) or isinstance(value.get("path"), str)
    if found is not None and inside_is_right:
        converter().structure(found, kind)


def mend(line):
    """What is said about one line of a rule."""
    text = f'version = 1\ndefault = "ask"\n[[rule]]\nid = "a"\n{line}\n'
    return [finding.mend for finding in compile_plan(loads(text), now=0.0).findings]


def test_mend_shows_the_value_that_was_written():
    """A text where an array or a table of conditions belongs is shown as one."""
    limit = 'kind = "rate-limit"\nlimit = "3/minute"\n'
    path = 'kind = "path"\ndeny = ["/etc/**"]\n'

    assert mend(f'{limit}per = "session"') == ['write `per = ["session"]`']
    assert mend(f'{path}except = "/etc/hosts"') == ['write `except = [{ path = "/etc/hosts" }]`']
    assert mend(f'{path}except = ["/etc/hosts"]') == ['write `{ path = "/etc/hosts" }`']
    assert mend(f'{path}except = {{ path = "/etc/hosts" }}') == ['write `except = [{ path = "/etc/hosts" }]`']
    assert mend(f'{path}except = ["https://a.test"]') == ['write `{ url = "https://a.test" }`']
    assert mend(f"{path}except = [true]") == ["write a table"]


def test_mend_does_not_repeat_a_long_value():
    """What would not fit on a line is only named."""
    assert mend(f'kind = "path"\nallow = "{"x" * 200}"') == ["write an array"]


@given(st.text(max_size=20))
def test_mend_is_a_line_of_toml_whatever_was_written(text):
    """The value is escaped as TOML, and nobody can put a line of their own into a finding."""
    import tomli_w

    quoted = tomli_w.dumps({"x": text}).removeprefix("x = ").rstrip("\n")
    if "\n" in quoted:
        return
    said = [one for one in mend(f'kind = "path"\nallow = {quoted}') if one.startswith("write `allow")]
    for one in said:
        assert "\n" not in one
        assert (
            "\\u{" in one
            or "`" in text
            or tomli.loads(one.removeprefix("write `").removesuffix("`")) == {"allow": [text]}
        )
