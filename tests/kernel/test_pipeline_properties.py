"""The laws of the pipeline, over arbitrary stacks of abstract listeners, wrappers, guards and shapers."""

# ruff: noqa: A002, A006, C901, PLR0912 - listeners have a `next`, and one branch for each act

from __future__ import annotations

from contextlib import suppress
from enum import Enum

from hypothesis import event, given
from hypothesis import strategies as st

from tidegate.errors import CalledTwice, Veto
from tidegate.kernel import Context, Denial, ToolExecution, ToolExecutionResult, ToolOutcome, ToolRegistry, tool


class Act(Enum):
    """What a listener can do to a call or a result."""

    PASS = "hands on what came"
    REWRITE = "hands on a changed call"
    RENAME = "hands on another tool's call"
    KEEP = "awaits next and returns what came"
    SWALLOW = "returns what came if the rest raises"
    STOP = "returns what came, without next"
    DENY = "returns a denial"
    VETO = "raises Veto"
    VETO_LATE = "raises Veto after next"
    RAISE = "raises"
    NONSENSE = "returns nonsense after next"
    NOTHING = "returns None, without next"
    TWICE = "calls next twice"
    TWICE_CAUGHT = "calls next twice and goes on"
    FORGET = "calls next without awaiting it"


class Guarding(Enum):
    """What a guard can answer."""

    ABSTAIN = None
    EMPTY = ""
    DENY = "no"
    TRUE = True
    RAISE = RuntimeError("broke")


def listener(act, log):
    """A listener that does *act*; notes when it begins and ends."""

    async def listen(value, next):
        log.append("begin")
        try:
            return await behave(value, next)
        finally:
            log.append("end")

    async def behave(value, next):
        match act:
            case Act.REWRITE:
                return await next(value.with_arguments(n=value.args["n"] + 1))
            case Act.RENAME:
                return await next(ToolExecution(value.call_id, "other", value.args))
            case Act.KEEP:
                await next()
                return value
            case Act.SWALLOW:
                try:
                    return await next()
                except Exception:  # noqa: BLE001 - that is what it does
                    return value
            case Act.STOP:
                return value
            case Act.DENY:
                return Denial("no")
            case Act.VETO:
                raise Veto("no")
            case Act.VETO_LATE:
                await next()
                raise Veto("no")
            case Act.RAISE:
                raise ValueError("broke")
            case Act.NONSENSE:
                await next()
                return {"kind": "allow"}
            case Act.NOTHING:
                return None
            case Act.TWICE:
                await next()
                return await next()
            case Act.TWICE_CAUGHT:
                answer = await next()
                with suppress(CalledTwice):
                    await next()
                return answer
            case Act.FORGET:
                next()
                return value
        return await next()

    return listen


def guarding(answer):
    def guard(_):
        if isinstance(answer.value, Exception):
            raise answer.value
        return answer.value

    return guard


def permitted(acts):
    """Whether pre-execute listeners *acts* let a call run; the whole model."""
    for place, act in enumerate(acts):
        if act is Act.KEEP and Act.REWRITE in acts[place + 1 :]:
            return False
        if act not in (Act.PASS, Act.REWRITE, Act.KEEP, Act.SWALLOW, Act.TWICE_CAUGHT):
            return False
    return True


def delegates(acts):
    """Whether wrappers *acts* reach the innermost continuation with a call of the same tool."""
    reaching = (Act.PASS, Act.REWRITE, Act.KEEP, Act.SWALLOW, Act.VETO_LATE, Act.NONSENSE, Act.TWICE, Act.TWICE_CAUGHT)
    return all(act in reaching for act in acts)


def drive(coroutine):
    """Run what never suspends."""
    try:
        coroutine.send(None)
    except StopIteration as stop:
        return stop.value
    raise AssertionError("it suspended")


class Scene:
    """One tool behind listeners; notes what enters its body and what becomes of the call."""

    def __init__(self):
        self.log, self.entered, self.guarded, self.outcomes, self.raw = [], [], [], [], []
        self.ctx = Context(on_error=print)
        self.tools = ToolRegistry(self.ctx)
        self.tools.register(tool("t", "", {}, self._body))
        self.tools.register(tool("other", "", {}, lambda _: self.log.append("other")))
        self.ctx.on("tools/result")(self.outcomes.append)
        self.ctx.on("tools/execute")(self.raw.append)

    def _body(self, args):
        self.log.append("body")
        self.entered.append(args)
        return {"raw": "secret"}

    def on(self, name, acts, make=listener):
        for act in acts:
            self.ctx.on(f"tools/{name}", "waterfall")(make(act, self.log))

    def guard(self, answers):
        for answer in answers:
            self.tools.guard(lambda call: self.guarded.append(call.args))
            self.tools.guard(guarding(answer))

    def run(self):
        return drive(self.tools.execute(ToolExecution("c1", "t", {"n": 0})))


stacks = st.lists(st.sampled_from(Act), max_size=5) | st.lists(
    st.sampled_from([Act.PASS, Act.REWRITE, Act.KEEP, Act.SWALLOW, Act.TWICE_CAUGHT]), max_size=5
)
guards = st.lists(st.sampled_from(Guarding), max_size=3) | st.just([Guarding.ABSTAIN])


class TestEntering:
    """The tool body is entered if and only if it was reached and permitted, once."""

    @given(stacks, stacks, guards)
    def test_the_body_is_entered_iff_reached_and_permitted(self, judges, wrappers, guards):
        """Over any stacks of judges, wrappers and guards, as the model says."""
        scene = Scene()
        scene.on("pre-execute", judges)
        scene.on("execute", wrappers)
        scene.guard(guards)

        result = scene.run()

        expected = permitted(judges) and delegates(wrappers) and all(one is Guarding.ABSTAIN for one in guards)
        event(f"entered: {expected}")
        assert len(scene.entered) == expected
        assert "other" not in scene.log
        assert [outcome.entered for outcome in scene.outcomes] == [expected]
        assert scene.outcomes[0].result is result
        if not expected and delegates(wrappers):
            assert result.is_error

    @given(stacks, stacks)
    def test_pre_execute_ends_before_the_body_starts(self, judges, wrappers):
        """Every judge that began has ended before a wrapper or the body begins."""
        scene = Scene()
        scene.on("pre-execute", judges)
        judged = []
        scene.ctx.on("tools/execute", "waterfall")(lambda _, next: judged.append(list(scene.log)) or next())
        scene.on("execute", wrappers)

        scene.run()

        for log in judged:
            assert log.count("begin") == log.count("end")
        assert len(judged) == permitted(judges)

    @given(stacks, stacks, guards)
    def test_the_arguments_that_run_are_those_that_every_guard_judged(self, judges, wrappers, guards):
        """The very same object: nothing changes a call between its guards and its body."""
        scene = Scene()
        scene.on("pre-execute", judges)
        scene.on("execute", wrappers)
        scene.guard(guards)

        scene.run()

        for args in scene.entered:
            assert all(guarded is args for guarded in scene.guarded)
            assert args == {"n": sum(act is Act.REWRITE for act in (*judges, *wrappers))}

    @given(stacks, guards, st.integers(0, 5))
    def test_adding_a_deny_never_lets_a_call_run(self, judges, guards, place):
        """Wherever a refusing judge is put, nothing runs."""
        scene = Scene()
        scene.on("pre-execute", [*judges[:place], Act.VETO, *judges[place:]])
        scene.guard(guards)

        assert scene.run().is_error
        assert scene.entered == []

    @given(stacks)
    def test_a_refused_call_is_never_a_success(self, wrappers):
        """Whatever wrappers make of a guard's refusal that reached them."""
        scene = Scene()
        scene.on("execute", wrappers, make=forging)
        scene.guard([Guarding.DENY])

        result = scene.run()

        assert scene.entered == []
        assert result.is_error or not delegates(wrappers)


def forging(act, log):
    """A wrapper that answers with a success of its own, after it did *act*."""
    inner = listener(act, log)

    async def forge(call, next):
        await inner(call, next)
        return ToolExecutionResult("c1", "forged")

    return forge


class Shape(Enum):
    """What a shaper can do to an outcome."""

    PASS = "hands on what came"
    REDACT = "redacts on the way in"
    REDACT_LATE = "redacts on the way out"
    KEEP = "awaits next and returns what came"
    RESTORE = "awaits next and returns something made of what came"
    STOP = "returns what came, without next"
    VETO = "raises Veto"
    RAISE_SECRET = "raises with the raw result in its text"
    NONSENSE = "returns nonsense after next"
    FAIL = "makes a failure of it"
    FORGE = "hands on an outcome of its own making"
    FORGE_LATE = "returns an outcome of its own making"


def shaper(act, log):
    async def shape(outcome, next):
        if act is Shape.REDACT:
            return await next(outcome.with_value("redacted"))
        if act is Shape.STOP:
            return outcome
        if act is Shape.VETO:
            raise Veto("no")
        if act is Shape.FAIL:
            return await next(outcome.with_error("failed"))
        forged = ToolOutcome(outcome.call, ToolExecutionResult("c1", "forged"), entered=outcome.entered)
        if act is Shape.FORGE:
            return await next(forged)
        answer = await next()
        if act is Shape.RAISE_SECRET:
            raise ValueError(f"cannot handle {outcome.value}")
        return {
            Shape.REDACT_LATE: answer.with_content("redacted"),
            Shape.KEEP: outcome,
            Shape.RESTORE: outcome.with_value(outcome.value),
            Shape.NONSENSE: None,
            Shape.FORGE_LATE: forged,
        }.get(act, answer)

    async def noting(outcome, next):
        log.append(act)
        return await shape(outcome, next)

    return noting


shapers = st.lists(st.sampled_from(Shape), max_size=5)
HIDING = {Shape.REDACT, Shape.REDACT_LATE, Shape.VETO, Shape.RAISE_SECRET, Shape.NONSENSE, Shape.FAIL}


class TestShaping:
    """What one listener has hidden, no other brings back."""

    @given(shapers)
    def test_what_a_shaper_hid_stays_hidden(self, acts):
        """If one that ran redacted, failed or withheld the result, nothing of it is in any channel."""
        scene = Scene()
        scene.on("post-execute", acts, make=shaper)

        result = scene.run()

        ran = [act for act in scene.log if isinstance(act, Shape)]
        event(f"hidden: {not HIDING.isdisjoint(ran)}")
        assert len(scene.entered) == 1
        if not HIDING.isdisjoint(ran):
            assert "secret" not in repr(result)
        assert scene.raw[0].value == {"raw": "secret"}

    @given(shapers, st.booleans())
    def test_a_failure_stays_a_failure(self, acts, refused):
        """Post-execute may reword a refused or failed call, and never makes a success of it."""
        scene = Scene()
        scene.on("post-execute", acts, make=shaper)
        scene.on("pre-execute" if refused else "execute", [Act.RAISE])

        result = scene.run()

        assert (result.is_error, result.value, result.structured) == (True, None, None)
        assert scene.entered == []
