"""Laws of output: what a tool returns fits its bounds, in every channel, whatever it is."""

import asyncio
import json
from threading import current_thread, main_thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.worlds import Clock, facts
from tidegate.compile.compiler import compile_plan
from tidegate.engine import Engine, Sources
from tidegate.kernel import Context, ToolExecution, ToolExecutionResult, ToolRegistry, tool
from tidegate.kernel.call import ToolOutcome
from tidegate.lang.layers import loads
from tidegate.plan import attach
from tidegate.plan.shaping import LONG, is_long

texts = st.text(max_size=400)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=20), inner, max_size=5),
    max_leaves=12,
)
keeps = st.sampled_from(["head", "tail", "head-tail"])


def registry(rules, *bodies, fused=True):
    """A registry with one tool for each body, and the rules around it."""
    text = f'version = 1\ndefault = "allow"\n{rules}'
    engine = Engine(compile_plan(loads(text, "/rules.toml"), now=0.0), Sources(), facts(Clock()))
    tools = ToolRegistry(Context())
    for index, body in enumerate(bodies):
        tools.register(tool(f"t{index}", "returns", {"type": "object"}, body))
    engine.attach(tools, fused=fused)
    return tools


def bounded(keep, bound):
    return f'[[rule]]\nid = "short"\nkind = "truncate"\nmax_bytes = {bound}\nkeep = "{keep}"\nmarker = "[{{bytes}}]"\n'


def fails(value):
    def body(_arguments):
        raise RuntimeError(value if isinstance(value, str) else json.dumps(value))

    return body


class TestTruncation:
    """Truncated output fits its bound in every channel, is valid UTF-8, and valid JSON where it was JSON."""

    @given(values, keeps, st.integers(40, 200))
    def test_every_channel_fits(self, value, keep, bound):
        """Text, structured content, value and error text are all within the bound."""
        tools = registry(bounded(keep, bound), lambda _: value, fails(value))
        for name in ("t0", "t1"):
            result = tools.execute_sync(ToolExecution("1", name, {}))
            structured = json.dumps(result.structured, ensure_ascii=False, separators=(",", ":"))

            assert len(result.text.encode("utf-8")) <= bound
            assert result.structured is None or len(structured.encode("utf-8")) <= bound
            assert not isinstance(result.value, str) or len(result.value.encode("utf-8")) <= bound
            assert result.is_error is (name == "t1")

    @given(texts, keeps, st.integers(40, 200))
    def test_text_that_fits_is_untouched(self, text, keep, bound):
        """What is within the bound already comes out as it went in, and nothing else does."""
        result = registry(bounded(keep, bound), lambda _: text).execute_sync(ToolExecution("1", "t0", {}))

        assert (result.text == text) is (len(text.encode("utf-8")) <= bound)

    @given(texts, keeps, st.integers(60, 200), st.integers(60, 200))
    def test_the_tightest_bound_holds_whatever_the_order(self, text, keep, first, second):
        """Two rules fit the tighter bound, in either order."""
        both = [bounded(keep, first), bounded(keep, second).replace("short", "shorter")]
        for rules in (both, both[::-1]):
            result = registry("".join(rules), lambda _: text).execute_sync(ToolExecution("1", "t0", {}))

            assert len(result.text.encode("utf-8")) <= min(first, second)


class TestLongResults:
    """An event loop does not wait for what takes long, and what comes out is the same."""

    @pytest.mark.parametrize("fused", [True, False])
    @pytest.mark.parametrize(
        ("value", "elsewhere"),
        [("x" * LONG, True), ("x" * 99, False), ({"a": ["y" * LONG]}, True), ([1] * LONG, True), ({"a": 1}, False)],
        ids=["text", "short text", "string", "numbers", "short value"],
    )
    def test_long_result_is_shaped_in_another_thread(self, fused, value, elsewhere, monkeypatch):
        threads, shape = [], attach.shape

        def noting(rules, outcome, cases):
            threads.append(current_thread())
            return shape(rules, outcome, cases)

        monkeypatch.setattr(attach, "shape", noting)
        tools = registry(bounded("head", 60), lambda _: value, fused=fused)
        result = asyncio.run(tools.execute(ToolExecution("1", "t0", {})))
        alone = tools.execute_sync(ToolExecution("1", "t0", {}))

        assert result.text == alone.text
        assert [thread is not main_thread() for thread in threads] == [elsewhere, False]

    @pytest.mark.parametrize(
        ("structured", "expected"),
        [
            ({"a": ["y" * LONG]}, True),
            ({"k" * LONG: 1}, True),
            ([[1]] * LONG, True),
            ({"a": "y" * 99}, False),
            (None, False),
        ],
        ids=["string", "key", "numbers", "short", "none"],
    )
    def test_structured_content_alone_can_be_long(self, structured, expected):
        result = ToolExecutionResult("1", "short", structured=structured)

        assert is_long(ToolOutcome(ToolExecution("1", "t", {}), result, entered=True)) is expected
