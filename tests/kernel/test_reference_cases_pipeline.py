"""Cases 53 to 65 of the two reference systems: policies around a call.

Case 54 is tested as far as the kernel goes: a listener that wants to ask and cannot refuses the call. Who is
asked, and with what words a refusal comes back, is the engine's.
"""

# ruff: noqa: A002, A006 - listeners have a `next`, whether they use it or not

from __future__ import annotations

from contextlib import suppress

import attrs
import pytest
from attrs.exceptions import FrozenInstanceError

from tidegate.errors import TidegateError, Veto
from tidegate.kernel import (
    Context,
    Denial,
    TextBlock,
    ToolError,
    ToolExecution,
    ToolExecutionResult,
    ToolOutcome,
    ToolRegistry,
    define_tool,
    tool,
)

pytestmark = pytest.mark.anyio


def call_of(name="t", arguments=None, **place):
    return ToolExecution(call_id="c1", name=name, arguments=arguments or {}, **place)


class Recorder:
    """A tool that notes the arguments of each call that enters its body."""

    def __init__(self, tools, name="t", answer="done"):
        self.entered = []
        self._answer = answer
        tools.register(tool(name, "", {}, self.body))

    def body(self, args):
        self.entered.append(args)
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


@pytest.fixture
def body(tools):
    return Recorder(tools)


@pytest.fixture
def results(ctx):
    """Every outcome that `tools/result` told of."""
    found = []
    ctx.on("tools/result")(found.append)
    return found


async def test_case_53_a_denied_call_skips_execute_and_reaches_post(ctx, tools, body, results):
    """Case 53: the reason is the text, `tools/execute` is not entered, post sees an immutable failure."""
    seen = []

    def deny(_, next):
        raise Veto("denied by policy")

    ctx.on("tools/pre-execute", "waterfall")(deny)
    ctx.on("tools/execute", "waterfall")(lambda _, next: pytest.fail("entered"))
    ctx.on("tools/execute")(lambda _: pytest.fail("observed"))
    ctx.on("tools/post-execute", "waterfall")(lambda outcome, next: seen.append(outcome) or next())

    result = await tools.execute(call_of())

    assert (result.text, result.is_error) == ("Error: denied by policy", True)
    assert result.error == ToolError("Veto", "VETOED")
    assert [(outcome.is_error, outcome.entered, outcome.value) for outcome in seen] == [(True, False, None)]
    with pytest.raises(FrozenInstanceError):
        seen[0].result.is_error = False
    assert (body.entered, [outcome.result for outcome in results]) == ([], [result])


@pytest.mark.parametrize("answer", [Denial("needs approval"), Veto("needs approval")], ids=["returned", "raised"])
async def test_case_54_a_call_that_needs_approval_and_gets_none_is_refused(ctx, tools, body, answer):
    """Case 54, kernel part: the asking listener refuses in its own words."""

    async def asks(call, next):
        if isinstance(answer, Exception):
            raise answer
        return answer

    ctx.on("tools/pre-execute", "waterfall")(asks)

    result = await tools.execute(call_of())

    assert (result.text, result.is_error, body.entered) == ("Error: needs approval", True, [])


async def test_case_55_a_guard_denies_what_an_outer_listener_allowed(ctx, tools, body):
    """Case 55: a listener that was put before all others cannot overrule a guard."""
    tools.guard(lambda _: "no")
    ctx.on("tools/pre-execute", "waterfall", prepend=True)(lambda call, next: next())

    result = await tools.execute(call_of())

    assert (result.text, result.error, body.entered) == ("Error: no", ToolError("Veto", "VETOED"), [])


async def test_case_55_one_denying_guard_is_enough_and_equal_guards_are_two(tools, body):
    """Case 55: abstaining does not permit; lifting one of two equal guards leaves the other."""

    def denies(_):
        return "no"

    tools.guard(lambda _: None)
    lift = tools.guard(denies)
    tools.guard(denies)

    assert (await tools.execute(call_of())).is_error
    lift()
    assert (await tools.execute(call_of())).is_error
    assert body.entered == []


async def test_case_56_a_scoped_listener_and_guard_are_for_their_agent(ctx, tools, body):
    """Case 56: not for other agents and not for calls without one, and gone with their scope."""
    heard = []
    scoped = ctx.scope(agent="a")
    scoped.on("tools/pre-execute", "waterfall")(lambda call, next: heard.append(call.agent) or next())
    scoped.tools.guard(lambda _: "not you")

    refused = [(await tools.execute(call_of(agent=agent))).is_error for agent in ("a", "b", None)]
    scoped.stop()
    after = await tools.execute(call_of(agent="a"))

    assert (refused, heard, after.is_error) == ([True, False, False], ["a"], False)


async def test_case_56_a_scope_governs_its_descendants(ctx, tools, body):
    """Case 56: what is registered for an ancestor counts for the descendant; guards come from the farthest on."""
    asked = []
    parent = ctx.scope(agent="parent")
    child = parent.scope(agent="child")
    child.tools.guard(lambda call: asked.append("child"))
    parent.tools.guard(lambda call: asked.append("parent"))
    tools.guard(lambda call: asked.append("everyone"))

    await tools.execute(call_of(agent="child"))
    below = list(asked)
    asked.clear()
    await tools.execute(call_of(agent="parent"))

    assert (below, asked) == (["everyone", "parent", "child"], ["everyone", "parent"])


@pytest.mark.parametrize("scoped_first", [True, False])
async def test_case_57_a_scoped_tool_shadows_a_global_one(ctx, tools, scoped_first):
    """Case 57: in either order of registration, for its agent only, until it goes."""
    scoped = ctx.scope(agent="a")
    definitions = [
        (scoped.tools, tool("t", "", {}, lambda _: "scoped")),
        (tools, tool("t", "", {}, lambda _: "global")),
    ]
    disposers = [
        registry.register(definition) for registry, definition in (definitions if scoped_first else definitions[::-1])
    ]

    texts = [(await tools.execute(call_of(agent=agent))).text for agent in ("a", None)]
    names = [tools.names(agent=agent) for agent in ("a", None)]
    disposers[0 if scoped_first else 1]()

    assert (texts, names) == (["scoped", "global"], [["t"], ["t"]])
    assert (await tools.execute(call_of(agent="a"))).text == "global"


class TestCase57Restrictions:
    """Case 57: what a restriction lets a scope inherit."""

    @pytest.fixture
    def scoped(self, ctx, tools):
        for name in ("read", "write", "run"):
            Recorder(tools, name)
        return ctx.scope(agent="a")

    async def test_case_57_deny_hides_a_tool_and_lets_later_ones_in(self, tools, scoped):
        """What is denied does not exist for the agent, in schemas and when called."""
        scoped.tools.restrict(deny=["run"])
        Recorder(tools, "later")

        result = await tools.execute(call_of("run", agent="a"))

        assert scoped.tools.names() == ["read", "write", "later"]
        assert [schema["name"] for schema in scoped.tools.schemas()] == ["read", "write", "later"]
        assert (result.text, result.error.code) == ('Error: unknown tool "run"', "UNKNOWN_TOOL")
        assert tools.names() == ["read", "write", "run", "later"]

    async def test_case_57_allow_lets_nothing_later_in_but_own_tools(self, tools, scoped):
        """An allow-list admits what it names; the scope's own tools are exempt."""
        scoped.tools.restrict(allow=["read"])
        Recorder(tools, "later")
        Recorder(scoped.tools, "own")

        assert scoped.tools.names() == ["read", "own"]
        assert scoped.tools.get("later") is None
        assert scoped.tools.get("own") is not None

    async def test_case_57_restrictions_intersect_and_are_lifted_one_by_one(self, scoped):
        """Two restrictions hold both, until one is lifted."""
        scoped.tools.restrict(allow=["read", "write"])
        lift = scoped.tools.restrict(deny=["write"])

        both = scoped.tools.names()
        lift()
        lift()

        assert (both, scoped.tools.names()) == (["read"], ["read", "write"])

    async def test_case_57_an_ancestors_restriction_reaches_descendants(self, scoped):
        """And the ancestor's own tools are inherited as well."""
        child = scoped.scope(agent="child")
        scoped.tools.restrict(deny=["run"])
        Recorder(scoped.tools, "parents")

        assert child.tools.names() == ["read", "write", "parents"]
        assert child.tools.get("run") is None
        child.tools.restrict(deny=["parents"])
        assert child.tools.names() == ["read", "write"]

    async def test_case_57_a_restriction_is_announced(self, ctx, scoped):
        """Restricting and lifting are changes; so is registering, to a scope's own observers as well."""
        changes = []
        scoped.on("tools/change")(lambda _: changes.append("scoped"))
        ctx.on("tools/change")(lambda _: changes.append("all"))

        scoped.tools.restrict(deny=["run"])()

        assert changes == ["scoped", "all", "scoped", "all"]

    @pytest.mark.parametrize(
        ("where", "names", "text"),
        [
            ("root", {"deny": ["run"]}, "tools.restrict() requires a scoped context"),
            ("scope", {}, "tools.restrict({}) is a no-op"),
            (
                "scope",
                {"deny": ["nope"], "allow": ["run", "non"]},
                'tools.restrict() names unknown global tool(s) "non", "nope"; known global tools: read, run, write',
            ),
        ],
        ids=["unscoped", "empty", "unknown"],
    )
    async def test_case_57_what_cannot_be_restricted_fails_loud(self, tools, scoped, where, names, text):
        """The texts of the reference."""
        with pytest.raises(TidegateError) as caught:
            (tools if where == "root" else scoped.tools).restrict(**names)

        assert str(caught.value) == text

    async def test_case_57_without_any_tool_none_is_known(self, ctx):
        """The text for an empty registry."""
        ToolRegistry(ctx)

        with pytest.raises(TidegateError, match=r"known global tools: \(none\)$"):
            ctx.scope(agent="a").tools.restrict(deny=["x"])


async def test_case_58_the_order_of_a_call(ctx, tools, body):
    """Case 58: pre, execute:before, dispatch, execute:after, post; and who observes when."""
    seen = []

    async def around(_, next):
        seen.append("execute:before")
        result = await next()
        seen.append(f"execute:after ({len(body.entered)} entered)")
        return result

    ctx.on("tools/pre-execute", "waterfall")(lambda _, next: seen.append("pre") or next())
    ctx.on("tools/execute", "waterfall")(around)
    tools.guard(lambda _: seen.append("guard"))
    ctx.on("tools/execute")(lambda outcome: seen.append(f"observe {outcome.value}"))
    ctx.on("tools/post-execute", "waterfall")(lambda o, next: seen.append("post") or next(o.with_value("shaped")))
    ctx.on("tools/result")(lambda outcome: seen.append(f"result {outcome.value}"))

    await tools.execute(call_of())

    assert seen == [
        "pre",
        "execute:before",
        "guard",
        "execute:after (1 entered)",
        "observe done",
        "post",
        "result shaped",
    ]


async def test_case_59_a_wrapper_short_circuits(ctx, tools, body, results):
    """Case 59: its result counts and the body does not run."""
    ctx.on("tools/execute", "waterfall")(lambda call, _: ToolExecutionResult("other id", "cached", structured=[1]))

    result = await tools.execute(call_of())

    assert result == ToolExecutionResult("c1", "cached", structured=[1])
    assert (body.entered, results[0].entered, results[0].value) == ([], False, [1])


async def test_case_59_a_wrapper_sees_a_tools_failure_as_a_result(ctx, tools):
    """Case 59: not as an exception; and it may fall back."""
    Recorder(tools, answer=ValueError("exploded"))
    seen = []

    async def falls_back(_, next):
        seen.append(await next())
        return ToolExecutionResult("c1", "fallback")

    ctx.on("tools/execute", "waterfall")(falls_back)

    result = await tools.execute(call_of())

    assert (seen[0].text, seen[0].is_error) == ("Error: exploded", True)
    assert (result.text, result.is_error) == ("fallback", False)


async def test_case_60_post_execute_replaces_every_channel(ctx, tools):
    """Case 60, by the design: no channel keeps the old result (in the reference the value stays)."""
    Recorder(tools, answer={"secret": "s3cret"})
    ctx.on("tools/post-execute", "waterfall")(lambda outcome, next: next(outcome.with_content("replaced")))

    result = await tools.execute(call_of())

    assert result == ToolExecutionResult("c1", "replaced", structured=None, value="replaced")
    assert await tools.call("t", {}) == "replaced"


async def test_case_60_post_execute_blocks_with_feedback(ctx, tools, body, results):
    """Case 60: a `Veto` after the call withholds the result and says why."""

    async def blocks(_, next):
        await next()
        raise Veto("ask for less")

    ctx.on("tools/post-execute", "waterfall")(blocks)

    result = await tools.execute(call_of())

    assert (result.text, result.is_error, result.value) == ("Error: ask for less", True, None)
    assert (len(body.entered), results[0].entered) == (1, True)
    with pytest.raises(Veto, match="ask for less"):
        await tools.call("t", {})


async def test_case_60_content_and_structured_go_together(ctx, tools, body):
    """Case 60: giving both is how to keep both (the reference refuses content with a value)."""
    ctx.on("tools/post-execute", "waterfall")(lambda outcome, next: next(outcome.with_content("text", {"a": 1})))

    result = await tools.execute(call_of())

    assert (result.text, result.structured, result.value) == ("text", {"a": 1}, {"a": 1})


async def test_case_61_an_observer_of_the_result_changes_nothing(ctx, tools, body, reports):
    """Case 61: a second observer still runs."""
    seen = []

    def raises(_):
        raise ValueError("broke")

    ctx.on("tools/result")(raises)
    ctx.on("tools/result")(seen.append)

    result = await tools.execute(call_of())

    assert (result.text, len(seen)) == ("done", 1)
    assert [where for _, where in reports] == ["an observer of `tools/result`"]
    reports.clear()


class TestCase62Abort:
    """Case 62: the host no longer wants the call."""

    async def test_case_62_before_it_began(self, ctx, tools, body, results):
        """No policy phase, one result event."""
        from anyio import CancelScope

        for event in ("tools/pre-execute", "tools/execute", "tools/post-execute"):
            ctx.on(event, "waterfall")(lambda _, next: pytest.fail("a policy ran"))
        signal = CancelScope()
        signal.cancel()

        result = await tools.execute(call_of(signal=signal))

        assert (result.text, result.is_error) == ("Error: tool call aborted before dispatch", True)
        assert result.error == ToolError("ToolFailed", "ABORTED_BEFORE_DISPATCH")
        assert (body.entered, len(results)) == ([], 1)

    async def test_case_62_while_it_was_judged(self, ctx, tools, body):
        """The body is not entered."""
        from anyio import CancelScope

        signal = CancelScope()
        ctx.on("tools/pre-execute", "waterfall")(lambda _, next: signal.cancel() or next())

        result = await tools.execute(call_of(signal=signal))

        assert (result.error.code, body.entered) == ("ABORTED_BEFORE_DISPATCH", [])

    async def test_case_62_while_it_ran(self, tools):
        """A started body is waited for, and its success does not count."""
        from anyio import CancelScope, lowlevel

        finished = []

        async def body(_, exec):
            exec.signal.cancel()
            await lowlevel.checkpoint()
            finished.append(True)
            return "too late"

        tools.register(tool("t", "", {}, body))

        result = await tools.execute(call_of(signal=CancelScope()))

        assert (result.text, result.error.code, finished) == ("Error: tool call aborted", "ABORTED", [True])

    async def test_case_62_a_more_specific_failure_wins(self, tools):
        """A body that failed says why."""
        from anyio import CancelScope

        def body(_, exec):
            exec.signal.cancel()
            raise ValueError("disk full")

        tools.register(tool("t", "", {}, body))

        assert (await tools.execute(call_of(signal=CancelScope()))).text == "Error: disk full"

    async def test_case_62_a_deny_after_the_abort_stays_a_deny(self, ctx, tools, body):
        """The reason of the policy is told, not the abort."""
        from anyio import CancelScope

        signal = CancelScope()

        async def denies(_, next):
            signal.cancel()
            raise Veto("no")

        ctx.on("tools/pre-execute", "waterfall")(denies)

        assert (await tools.execute(call_of(signal=signal))).text == "Error: no"

    async def test_case_62_a_cached_answer_to_an_aborted_call_does_not_count(self, ctx, tools, body):
        """A wrapper's success is replaced as well, and the body was not entered."""
        from anyio import CancelScope

        signal = CancelScope()

        def cached(_, next):
            signal.cancel()
            return ToolExecutionResult("c1", "cached")

        ctx.on("tools/execute", "waterfall")(cached)

        assert (await tools.execute(call_of(signal=signal))).error.code == "ABORTED_BEFORE_DISPATCH"

    async def test_case_62_a_cancelled_task_tells_its_result_and_is_cancelled(self, ctx, tools, results):
        """A scope that the host has entered ends the body like any other code; one result event tells of it."""
        from anyio import CancelScope, sleep_forever

        with CancelScope() as scope:

            async def body(_):
                scope.cancel()
                await sleep_forever()

            tools.register(tool("t", "", {}, body))
            await tools.execute(call_of(signal=scope))
            pytest.fail("the cancellation was swallowed")

        assert scope.cancelled_caught
        assert [(outcome.result.error.code, outcome.entered) for outcome in results] == [("ABORTED", True)]


class TestCase63Overlap:
    """Case 63: which calls overlap, and in which order everything else happens."""

    @pytest.mark.parametrize(
        ("hint", "overlaps"),
        [
            (True, True),
            (False, False),
            (1, False),
            ("yes", False),
            (lambda args: True, True),
            (lambda args: 1, False),
            (lambda args: args["missing"], False),
        ],
        ids=["true", "false", "one", "text", "classifier", "truthy classifier", "raising classifier"],
    )
    def test_case_63_only_exactly_true_overlaps(self, hint, overlaps):
        """Truthy is not true, and a classifier that raises does not know."""
        definition = define_tool(name="t", description="", parameters={}, execute=lambda _: 1, concurrency_safe=hint)

        assert definition.may_overlap({}) is overlaps

    async def run(self, ctx, tools, plan, limit):
        """Run calls named by *plan* (lower case overlaps); returns the log of starts, ends and rules."""
        from anyio import lowlevel

        log = []

        async def body(args):
            log.append(f"+{args['n']}")
            for _ in range(10 - args["n"]):
                await lowlevel.checkpoint()
            log.append(f"-{args['n']}")
            return args["n"]

        for name, safe in (("s", True), ("X", False)):
            tools.register(define_tool(name=name, description="", parameters={}, execute=body, concurrency_safe=safe))
        ctx.on("tools/pre-execute", "waterfall")(lambda c, next: log.append(f"pre {c.args['n']}") or next())
        ctx.on("tools/post-execute", "waterfall")(lambda o, next: log.append(f"post {o.args['n']}") or next())
        calls = [ToolExecution(f"c{n}", name, {"n": n}) for n, name in enumerate(plan)]
        results = await tools.execute_many(calls, limit)

        assert [(one.call_id, one.value) for one in results] == [(f"c{n}", n) for n in range(len(plan))]
        return log

    async def test_case_63_safe_calls_overlap_and_rules_keep_their_order(self, ctx, tools):
        """Bodies run together, the later and quicker end first; pre and post run in call order."""
        log = await self.run(ctx, tools, "sss", 10)

        assert max(log.index(f"+{n}") for n in range(3)) < min(log.index(f"-{n}") for n in range(3))
        assert [entry for entry in log if entry.startswith("pre")] == ["pre 0", "pre 1", "pre 2"]
        assert [entry for entry in log if entry.startswith("post")] == ["post 0", "post 1", "post 2"]

    async def test_case_63_an_exclusive_call_is_a_barrier(self, ctx, tools):
        """It begins, rules included, when all before it are finished, and all after it wait."""
        log = await self.run(ctx, tools, "ssXss", 10)

        assert log.index("post 1") < log.index("pre 2")
        assert log[log.index("pre 2") : log.index("pre 2") + 4] == ["pre 2", "+2", "-2", "post 2"]
        assert log.index("post 2") < log.index("pre 3")

    async def test_case_63_the_limit_bounds_how_many_overlap(self, ctx, tools):
        """With two at a time, never three bodies are open."""
        log = await self.run(ctx, tools, "ssssss", 2)
        open_at_once = [log[: i + 1].count("") + sum(e[0] == "+" for e in log[: i + 1]) for i in range(len(log))]
        closed = [sum(e[0] == "-" for e in log[: i + 1]) for i in range(len(log))]

        assert max(opened - ended for opened, ended in zip(open_at_once, closed, strict=True)) == 2

    async def test_case_63_a_limit_of_one_is_serial(self, ctx, tools):
        """Each call is finished before the next begins."""
        log = await self.run(ctx, tools, "sss", 1)

        assert log == [entry for n in range(3) for entry in (f"pre {n}", f"+{n}", f"-{n}", f"post {n}")]

    @pytest.mark.parametrize("limit", [0, -1, 1.5, True, "2", None])
    async def test_case_63_an_invalid_limit_is_refused(self, tools, limit):
        """At once, whatever the calls."""
        with pytest.raises(ValueError, match="limit"):
            await tools.execute_many([], limit)


async def test_case_64_the_callers_arguments_are_read_once_and_left_alone(tools, body):
    """Case 64: neither mutated nor frozen, and the body gets an immutable copy."""
    reads = []

    class Getter(dict):
        def items(self):
            reads.append(1)
            return super().items()

    inner = ["a"]
    arguments = Getter(list=inner)
    call = call_of(arguments=arguments)
    await tools.execute(call)
    inner.append("b")
    arguments["new"] = 1

    assert reads == [1]
    assert body.entered == [{"list": ["a"]}]
    with pytest.raises(TypeError):
        body.entered[0]["list"].append("c")
    with pytest.raises(TypeError):
        body.entered[0]["new"] = 1


class TestCase65Hardening:
    """Case 65 and section 2.3: the holes of the reference, which are none here."""

    @pytest.mark.parametrize(
        "answer",
        [
            Denial(),
            Denial(""),
            None,
            True,
            "allow",
            {"kind": "deny"},
            {"kind": "block"},
            {"kind": "allow"},
            object(),
        ],
        ids=lambda answer: "an object" if type(answer) is object else repr(answer),
    )
    @pytest.mark.parametrize("delegates", [True, False])
    async def test_case_65_any_answer_but_the_call_itself_denies(self, ctx, tools, body, reports, answer, delegates):
        """A deny without a reason, an unknown kind of decision, `None`: with or without `next`."""

        async def decides(_, next):
            if delegates:
                await next()
            return answer

        ctx.on("tools/pre-execute", "waterfall")(decides)

        result = await tools.execute(call_of())

        assert (result.is_error, body.entered) == (True, [])
        if isinstance(answer, Denial):
            assert result.text == "Error: denied by policy"
        else:
            assert result.text == "Error: a policy listener did not pass the call on"
            assert len(reports) == 1
        reports.clear()

    @pytest.mark.parametrize("reason", ["", "  ", None])
    async def test_case_65_a_veto_without_a_reason_denies(self, ctx, tools, body, reason):
        """With a default text."""

        def vetoes(_, next):
            raise Veto(reason)

        ctx.on("tools/pre-execute", "waterfall")(vetoes)

        assert (await tools.execute(call_of())).text == "Error: denied by policy"
        assert body.entered == []

    async def test_case_65_an_outer_listener_cannot_turn_a_deny_into_allow(self, ctx, tools, body):
        """Catching what an inner one raised and returning the call all the same refuses it."""

        async def swallows(call, next):
            try:
                return await next()
            except Veto:
                return call

        def denies(_, next):
            raise Veto("no")

        ctx.on("tools/pre-execute", "waterfall")(swallows)
        ctx.on("tools/pre-execute", "waterfall")(denies)

        assert (await tools.execute(call_of())).text == "Error: no"
        assert body.entered == []

    async def test_case_65_a_deny_after_next_cannot_be_swallowed_either(self, ctx, tools, body):
        """Also where the call had already been passed on to the innermost continuation."""

        async def swallows(call, next):
            with suppress(Veto):
                await next()
            return call

        async def denies_late(_, next):
            await next()
            raise Veto("no")

        ctx.on("tools/pre-execute", "waterfall")(swallows)
        ctx.on("tools/pre-execute", "waterfall")(denies_late)

        assert (await tools.execute(call_of())).text == "Error: no"
        assert body.entered == []

    @pytest.mark.parametrize(("denies", "code"), [(True, "VETOED"), (False, "CALLED_TWICE")])
    async def test_case_65_a_second_next_does_not_reach_allow(self, ctx, tools, body, reports, denies, code):
        """Calling `next` again refuses the call, after a deny (whose reason is told) and otherwise."""

        async def insists(_, next):
            with suppress(Veto):
                await next()
            return await next()

        def inner(_, next):
            if denies:
                raise Veto("no")
            return next()

        ctx.on("tools/pre-execute", "waterfall")(insists)
        ctx.on("tools/pre-execute", "waterfall")(inner)

        result = await tools.execute(call_of())

        assert (result.is_error, result.error.code, body.entered) == (True, code, [])
        reports.clear()

    async def test_case_65_a_call_cannot_be_reassigned(self, ctx, tools, body, reports):
        """Neither its name nor its arguments, nor anything within these."""
        for field, value in (("name", "other"), ("arguments", {})):

            def reassigns(call, next, field=field, value=value):
                setattr(call, field, value)
                return next()

            undo = ctx.on("tools/pre-execute", "waterfall")(reassigns)

            assert (await tools.execute(call_of())).is_error
            undo()
        ctx.on("tools/pre-execute", "waterfall")(lambda call, next: call.args.update(path="/etc") or next())

        assert (await tools.execute(call_of())).is_error
        assert body.entered == []
        reports.clear()

    @pytest.mark.parametrize("event", ["tools/pre-execute", "tools/execute"])
    @pytest.mark.parametrize("change", [{"name": "other"}, {"call_id": "c2"}, {"agent": "root"}], ids=str)
    async def test_case_65_the_identity_of_a_call_cannot_be_rewritten(self, ctx, tools, body, reports, event, change):
        """Another tool, id or agent is another call."""
        other = Recorder(tools, "other")
        ctx.on(event, "waterfall")(lambda call, next: next(attrs.evolve(call, **change)))

        result = await tools.execute(call_of())

        assert result.text == "Error: a listener changed the tool, the id or the agent of the call"
        assert (body.entered, other.entered) == ([], [])
        reports.clear()

    async def test_case_65_what_runs_is_what_every_judge_saw(self, ctx, tools, body, reports):
        """Returning the call as it came, after an inner listener rewrote it, refuses it."""

        async def forgets(call, next):
            await next()
            return call

        ctx.on("tools/pre-execute", "waterfall")(forgets)
        ctx.on("tools/pre-execute", "waterfall")(lambda call, next: next(call.with_arguments(safe=True)))

        assert (await tools.execute(call_of())).is_error
        assert body.entered == []
        reports.clear()

    async def test_case_65_guards_may_be_async_and_judge_the_rewritten_call(self, ctx, tools, body):
        """Guards see what a wrapper passed on last."""
        from anyio import lowlevel

        async def guard(call):
            await lowlevel.checkpoint()
            return "no" if call.args == {"path": "/etc/shadow"} else None

        tools.guard(guard)
        ctx.on("tools/execute", "waterfall")(lambda call, next: next(call.with_arguments(path="/etc/shadow")))

        assert (await tools.execute(call_of())).text == "Error: no"
        assert body.entered == []


def test_the_recorders_are_no_accident():
    """The body of these tests does note that it was entered."""
    ctx = Context()
    tools = ToolRegistry(ctx)
    body = Recorder(tools)

    tools.execute_sync(call_of(arguments={"a": 1}))

    assert body.entered == [{"a": 1}]
    assert ToolOutcome(call_of(), ToolExecutionResult("c1", [TextBlock("x")]), entered=True).value == "x"
