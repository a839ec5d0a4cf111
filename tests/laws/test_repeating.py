"""Laws of repeated calls: windows that are counted in calls, and reminders that ride on results."""

from contextlib import closing

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.test_limits import engine_of, tools_of
from tidegate.errors import StoreError
from tidegate.facts.database import Database
from tidegate.facts.history import LONGEST_ROW, MemoryHistory, SqliteHistory
from tidegate.kernel import ToolExecution

NOTICE = "this very call was made"
wanted = st.lists(st.integers(0, 3), max_size=25)
windows = st.tuples(st.integers(1, 4), st.integers(1, 5)).map(lambda two: (two[0], two[0] + two[1]))


def rule(limit, window, then="deny", more=""):
    return f'[[rule]]\nid = "r"\nkind = "repeat"\nsame = "{limit}/{window} calls"\nthen = "{then}"\n{more}'


def model(calls, limit, window, refuses):
    """For each call whether it is one too many among the last *window* that ran, this one among them."""
    ran, over = [], []
    for one in calls:
        over.append(ran[-(window - 1) :].count(one) >= limit)
        ran += [] if refuses and over[-1] else [one]
    return over


@pytest.fixture(params=["memory", "sqlite"])
def history(request, tmp_path):
    """Each store of the history of sessions."""
    if request.param == "memory":
        yield MemoryHistory()
        return
    with closing(Database(lambda: tmp_path / "sessions.db")) as database:
        yield SqliteHistory(lambda: database)


class TestRowsOfCalls:
    """Of any N calls of a session at most L are the same."""

    @given(calls=wanted, sizes=windows)
    def test_call_is_refused_exactly_if_it_is_one_too_many(self, calls, sizes):
        engine = engine_of(rule(*sizes))
        said = [engine.decide("t", {"n": one}, session="s").effect for one in calls]

        assert [one == "deny" for one in said] == model(calls, *sizes, refuses=True)

    @given(calls=wanted, sizes=windows, fused=st.booleans())
    def test_attached_rule_agrees(self, calls, sizes, fused):
        """Through a registry the same calls are refused."""
        tools = tools_of(engine_of(rule(*sizes)), lambda _: "done", fused=fused)
        said = [tools.execute_sync(ToolExecution("1", "t", {"n": one}, session="s")).text for one in calls]

        assert [NOTICE in one for one in said] == model(calls, *sizes, refuses=True)

    def test_rows_are_those_of_one_session_and_one_rule(self):
        engine = engine_of(rule(1, 5) + rule(2, 5).replace('"r"', '"other"'))
        said = [engine.decide("t", {}, session=session).effect for session in ("a", "b", "a", None, None)]

        assert said == ["allow", "allow", "deny", "allow", "deny"]

    def test_row_is_one_in_every_store(self, history):
        """What another engine let through counts, as that of another process does."""
        said = []
        for _ in range(3):
            engine = engine_of(rule(2, 5))
            engine._facts = attrs.evolve(engine.facts, history=lambda _: history)
            said.append(engine.decide("t", {"n": 1.0}, session="s").effect)

        assert said == ["allow", "allow", "deny"]

    def test_refused_call_enters_no_row(self):
        """Neither one that another rule refuses, nor one that is only looked at."""
        deny = '[[rule]]\nid = "no"\nkind = "tools"\ndeny = ["t"]\nwhen = { args = { no = true } }\n'
        engine = engine_of(rule(1, 3) + deny)
        for _ in range(3):
            engine.decide("t", {"no": True}, session="s")
            engine.peek("t", {"no": False}, session="s")

        assert engine.decide("t", {"no": False}, session="s").effect == "allow"

    @pytest.mark.parametrize(("on_error", "expected"), [("deny", "deny"), ("ask", "ask"), ("allow", "allow")])
    def test_history_that_is_down_answers_by_on_error(self, on_error, expected):
        class Down(MemoryHistory):
            def last(self, row, many):
                raise StoreError("down")

            append = last

        engine = engine_of(rule(1, 3, more=f'on_error = "{on_error}"\n'))
        engine._facts = attrs.evolve(engine.facts, history=lambda _: Down())

        assert engine.decide("t", {}, session="s").effect == expected

    def test_call_that_cannot_enter_its_row_does_not_run(self):
        class Full(MemoryHistory):
            def append(self, row, key, at):
                raise StoreError("full")

        ran = []
        engine = engine_of(rule(1, 3))
        engine._facts = attrs.evolve(engine.facts, history=lambda _: Full())
        result = tools_of(engine, ran.append).execute_sync(ToolExecution("1", "t", {}, session="s"))

        assert (result.is_error, ran) == (True, [])


class TestHistoryOfRows:
    """A row gives its last calls, the last one first, in every store."""

    @given(entries=st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(["x", "y z", ""])), max_size=12))
    def test_stores_agree_with_a_list(self, entries, tmp_path_factory):
        path = tmp_path_factory.mktemp("rows") / "sessions.db"
        with closing(Database(lambda: path)) as database:
            for history in (MemoryHistory(), SqliteHistory(lambda: database)):
                for at, (row, key) in enumerate(entries):
                    history.append(row, key, float(at))
                for row in "abc":
                    own = [key for name, key in entries if name == row][::-1]

                    assert history.last(row, 3) == own[:3]

    def test_row_is_cut_to_its_longest(self, history):
        for at in range(LONGEST_ROW + 3):
            history.append("row", str(at), float(at))
        kept = history.last("row", LONGEST_ROW + 3)

        assert kept[: LONGEST_ROW - 1] == [str(at) for at in range(LONGEST_ROW + 2, 3, -1)]
        assert len(kept) <= LONGEST_ROW + 1


class TestReminders:
    """A reminder lets the call run and is the first that the model reads of its result."""

    @given(calls=wanted, sizes=windows, fused=st.booleans())
    def test_call_runs_and_its_result_begins_with_the_notice(self, calls, sizes, fused):
        tools = tools_of(engine_of(rule(*sizes, then="remind")), lambda _: "done", fused=fused)
        said = [tools.execute_sync(ToolExecution("1", "t", {"n": one}, session="s")).text for one in calls]

        assert [one.endswith("done") for one in said] == [True] * len(calls)
        assert [one.startswith(f"[{NOTICE}") for one in said] == model(calls, *sizes, refuses=False)
        assert [one == "done" for one in said] == [not over for over in model(calls, *sizes, refuses=False)]

    @pytest.mark.parametrize("fused", [True, False])
    def test_failures_are_reminded_of(self, fused):
        row = (
            '[[rule]]\nid = "row"\nkind = "repeat"\nfailures = "2/hour"\nthen = "remind"\nmessage = "read the error"\n'
        )
        tools = tools_of(engine_of(row), lambda arguments: 1 / (not arguments["fails"]), fused=fused)
        said = [
            tools.execute_sync(ToolExecution("1", "t", {"fails": fails})).text
            for fails in (True, True, True, False, False)
        ]

        assert [one.startswith("[read the error]\n") for one in said] == [False, False, True, True, False]

    @pytest.mark.parametrize("fused", [True, False])
    def test_output_rules_treat_the_notice_like_the_result(self, fused):
        """It is redacted, and counts for the bound of what is cut."""
        more = 'message = "not with AKIAQWERTYUIOPASDFGH"\n'
        shapes = '[[rule]]\nid = "k"\nkind = "redact"\nsecrets = ["aws-access-key"]\n'
        shapes += '[[rule]]\nid = "c"\nkind = "truncate"\nmax_bytes = 99\n'
        tools = tools_of(engine_of(rule(1, 3, "remind", more) + shapes), lambda _: "x" * 190, fused=fused)
        first, second = (tools.execute_sync(ToolExecution("1", "t", {}, session="s")) for _ in range(2))

        for result in (first, second):
            assert sum(len(block.text.encode()) for block in result.content) <= 99
        assert second.text.startswith("[not with [secret: aws-access-key]]")

    def test_decision_says_it_where_nobody_sees_the_result(self):
        engine = engine_of(rule(1, 3, then="remind"))
        first, second = (engine.decide("t", {}, session="s") for _ in range(2))

        assert (first.effect, first.reason) == ("allow", "")
        assert (second.effect, second.reason[: len(NOTICE)]) == ("allow", NOTICE)

    def test_monitored_reminder_says_nothing(self):
        tools = tools_of(engine_of(rule(1, 3, "remind", 'mode = "monitor"\n')), lambda _: "done")
        said = {tools.execute_sync(ToolExecution("1", "t", {}, session="s")).text for _ in range(3)}

        assert said == {"done"}

    def test_refusal_of_another_rule_carries_no_notice(self):
        deny = '[[rule]]\nid = "no"\nkind = "tools"\ndeny = ["t"]\nwhen = { args = { no = true } }\n'
        tools = tools_of(engine_of(rule(1, 3, "remind") + deny), lambda _: "done")
        tools.execute_sync(ToolExecution("1", "t", {"no": False}, session="s"))

        assert NOTICE not in tools.execute_sync(ToolExecution("2", "t", {"no": True}, session="s")).text
