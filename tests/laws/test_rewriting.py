"""Laws of rewriting: what reaches the tool is what every guard judged."""

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from tests.laws.test_plan import attached, engine_of
from tests.laws.worlds import Clock, calls, guards, paths, rewrites, rule_sets
from tests.model import reference
from tidegate.kernel import ToolExecution


class TestRewriting:
    """Rewrites compose in file order, come before judgement, and reach the tool unchanged."""

    @given(rule_sets(rewrites()), calls())
    def test_rewrites_compose_in_file_order(self, rule_set, call):
        """The arguments after all rewrites are those of applying one after the other."""
        default, rules = rule_set
        arguments = reference.decide(rules, default, call)[2]
        decision = engine_of(rule_set, Clock()).decide(call["tool"], call["args"])

        assert dict(decision.arguments) == arguments

    @given(rule_sets(guards(), rewrites()), calls(), st.booleans())
    def test_the_tool_gets_exactly_the_judged_arguments(self, rule_set, call, fused):
        """What the body receives is what the decision says, the very same values."""
        judged = []
        engine = engine_of(rule_set, Clock())
        tools, entered = attached(engine, fused=fused)
        tools.guard(lambda execution: judged.append(dict(execution.arguments)))
        asyncio.run(tools.execute(ToolExecution("1", call["tool"], call["args"])))

        assert [arguments for _, arguments in entered] == judged
        assert all(arguments == dict(engine.peek(call["tool"], call["args"]).arguments) for arguments in judged)

    @given(rule_sets(guards()), calls())
    def test_a_rewrite_that_changes_nothing_changes_no_decision(self, rule_set, call):
        """A rule that sets a path to what it is already is invisible."""
        default, rules = rule_set
        path = call["args"].get("path")
        idle = {"id": "idle", "kind": "rewrite", "default": {"/path": path}} if path else None
        with_idle = (default, [*rules, idle]) if idle else rule_set
        before = engine_of(rule_set, Clock()).decide(call["tool"], call["args"])
        after = engine_of(with_idle, Clock()).decide(call["tool"], call["args"])

        assert after[:4] == before[:4]

    @given(rule_sets(guards()), calls(), paths)
    def test_a_listener_that_rewrites_after_the_rules_is_judged_again(self, rule_set, call, path):
        """A path that another listener puts in later reaches the body only if the rules allow it."""
        default, rules = rule_set
        tools, entered = attached(engine_of(rule_set, Clock()), fused=True)
        if call["tool"] not in ("read", "write"):
            return

        @tools.context.on("tools/pre-execute", "waterfall")
        async def meddle(execution, call_next):
            return await call_next(execution.with_arguments(path=path))

        asyncio.run(tools.execute(ToolExecution("1", call["tool"], call["args"])))
        first = reference.decide(rules, default, call)[0]
        second = reference.decide(rules, default, {"tool": call["tool"], "args": {**call["args"], "path": path}})[0]

        assert bool(entered) is (first == second == "allow")
