"""Laws of the plan: what it decides is what the design says, in every form in which it runs."""

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from tests.laws.worlds import Clock, calls, facts, outcome_of, plan_of, rule_sets
from tests.model import reference
from tidegate.call import Call, Tool
from tidegate.engine import Engine, Sources
from tidegate.kernel import Context, ToolExecution, ToolRegistry, snapshot, tool
from tidegate.plan.sitting import Sitting


def engine_of(rule_set, clock):
    """An engine over the rule set, in the small world."""
    return Engine(outcome_of(rule_set), Sources(), facts(clock))


def attached(engine, *, fused):
    """A registry with the tools of the small world, the engine around it, and a list of the bodies entered."""
    tools, entered = ToolRegistry(Context()), []
    for name in ("read", "write", "fetch", "ping"):

        def body(arguments, name=name):
            entered.append((name, dict(arguments)))
            return "done"

        tools.register(tool(name, name, {"type": "object"}, body))
    engine.attach(tools, fused=fused)
    return tools, entered


class TestReference:
    """The engine decides every sequence of calls as the reference evaluator does."""

    @given(rule_sets(), st.lists(st.tuples(calls(), st.integers(0, 40)), max_size=6))
    def test_engine_agrees_with_the_reference(self, rule_set, steps):
        """Verdict, determining rule and rewritten arguments are the same, call by call, limits included."""
        default, rules = rule_set
        clock, state = Clock(), ()
        engine = engine_of(rule_set, clock)
        for call, pause in steps:
            clock.time += pause
            verdict, by, arguments, state = reference.decide(rules, default, call, state, clock.time)
            decision = engine.decide(call["tool"], call["args"])

            assert (decision.effect, decision.rule, dict(decision.arguments)) == (verdict, by, arguments)


class TestForms:
    """Fused, unfused and bare decisions agree on every call."""

    @given(rule_sets(), st.lists(calls(), max_size=6))
    def test_fused_and_unfused_listeners_enter_the_same_bodies(self, rule_set, made):
        """A body is entered exactly where the plan allows the call, in either form, with the judged arguments."""
        default, rules = rule_set
        expected, state = [], ()
        for call in made:
            verdict, _, arguments, state = reference.decide(rules, default, call, state, 0.0)
            if verdict == "allow":
                expected.append((call["tool"], arguments))

        for fused in (True, False):
            tools, entered = attached(engine_of(rule_set, Clock()), fused=fused)
            for index, call in enumerate(made):
                result = asyncio.run(tools.execute(ToolExecution(str(index), call["tool"], call["args"])))

                assert result.is_error is (len(entered) == 0 or result.text != "done")

            assert entered == expected

    @given(rule_sets(), calls())
    def test_compile_is_pure(self, rule_set, call):
        """The same rules give plans that decide alike and have the same digest."""
        first, second = plan_of(rule_set), plan_of(rule_set)
        sittings = [
            Sitting(plan, Call(Tool(call["tool"]), snapshot(call["args"])), facts()) for plan in (first, second)
        ]
        for sitting in sittings:
            sitting.take_all()
        decisions = [sitting.settle()[:4] for sitting in sittings]

        assert first.digest == second.digest
        assert decisions[0] == decisions[1]

    @given(rule_sets(), st.lists(calls(), max_size=4))
    def test_peek_takes_nothing(self, rule_set, made):
        """Peeking first, any number of times, never changes what a decision is."""
        peeking, plain = engine_of(rule_set, Clock()), engine_of(rule_set, Clock())
        for call in made:
            for _ in range(3):
                peeking.peek(call["tool"], call["args"])

            assert peeking.decide(call["tool"], call["args"])[:4] == plain.decide(call["tool"], call["args"])[:4]
