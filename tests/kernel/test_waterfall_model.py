"""Waterfalls against a tiny model: whatever listeners do, alone and together."""

# ruff: noqa: A002, A006 - listeners have a `next`

from __future__ import annotations

from enum import Enum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegate.errors import CalledTwice
from tidegate.kernel import Context


class Act(Enum):
    """What a listener can do; real ones are reduced to this to test the chain alone."""

    PASS = "hands on what came"
    REWRITE = "hands on something else"
    STOP = "answers without next"
    RAISE = "raises"
    AFTER = "changes what comes back"
    SWALLOW = "answers for a rest that raises"
    TWICE = "calls next twice"
    TWICE_CAUGHT = "calls next twice and goes on"
    REAWAIT = "awaits what next gave twice"
    FORGET = "calls next without awaiting it"
    UNCALLED = "awaits next without calling it"
    LATE = "keeps next and calls it when all is over"
    STASH = "keeps what next gave and awaits it when all is over"


class Broke(Exception):
    pass


def model(acts, value, reached):
    """What comes out of *acts* around an inner function that notes and returns what it gets."""
    if not acts:
        reached.append(value)
        return value
    act, *rest = acts
    if act in (Act.STOP, Act.FORGET, Act.LATE, Act.STASH):
        return f"{act.name}({value})"
    if act is Act.RAISE:
        raise Broke
    if act is Act.UNCALLED:
        raise CalledTwice
    if act is Act.SWALLOW:
        try:
            return model(rest, value, reached)
        except Exception:  # noqa: BLE001 - that is what it does
            return "swallowed"
    answer = model(rest, f"{value}+" if act is Act.REWRITE else value, reached)
    if act in (Act.TWICE, Act.REAWAIT):
        raise CalledTwice
    return f"after({answer})" if act is Act.AFTER else answer


def sync_listener(act, kept):
    def listener(value, next):
        if act is Act.PASS:
            return next()
        if act is Act.REWRITE:
            return next(f"{value}+")
        if act is Act.RAISE:
            raise Broke
        if act is Act.UNCALLED:
            return next
        if act is Act.FORGET:
            next()
        if act is Act.LATE:
            kept.append(next)
        if act is Act.STASH:
            kept.append(next().__await__)
        return f"{act.name}({value})"

    return listener


def async_listener(act, kept):
    async def listener(value, next):
        if act in (Act.STOP, Act.RAISE, Act.FORGET, Act.LATE, Act.STASH):
            return sync_listener(act, kept)(value, next)
        if act is Act.UNCALLED:
            return await next
        if act is Act.SWALLOW:
            try:
                return await next()
            except Exception:  # noqa: BLE001 - that is what it does
                return "swallowed"
        if act is Act.REAWAIT:
            rest = next()
            await rest
            return await rest
        answer = await next(f"{value}+" if act is Act.REWRITE else value)
        if act is Act.TWICE:
            await next()
        if act is Act.TWICE_CAUGHT:
            with pytest.raises(CalledTwice):
                next()
        return f"after({answer})" if act is Act.AFTER else answer

    return listener


SYNC = (Act.PASS, Act.REWRITE, Act.STOP, Act.RAISE, Act.FORGET, Act.LATE, Act.STASH, Act.UNCALLED)
listeners = st.tuples(st.sampled_from(Act), st.booleans()).map(
    lambda pair: (pair[0], sync_listener if pair[1] and pair[0] in SYNC else async_listener)
)


def outcome(run):
    try:
        return run()
    except Exception as error:  # noqa: BLE001 - compared by its type
        return type(error)


def drive(coroutine):
    """Run what never suspends."""
    try:
        coroutine.send(None)
    except StopIteration as stop:
        return stop.value
    raise AssertionError("it suspended")


@given(st.lists(listeners, max_size=6))
def test_a_waterfall_agrees_with_the_model(stack):
    """Any stack of listeners gives what the model gives, and reaches the inner function as often: once or never."""
    acts = [act for act, _ in stack]
    expected_reached, reached, kept = [], [], []
    expected = outcome(lambda: model(acts, "v", expected_reached))
    ctx = Context()
    for act, make in stack:
        ctx.on("x", "waterfall")(make(act, kept))

    def inner(value):
        reached.append(value)
        return value

    actual = outcome(lambda: drive(ctx.waterfall("x", "v", inner)))

    assert (actual, reached) == (expected, expected_reached)
    assert len(reached) <= 1
    for late in kept:
        with pytest.raises(CalledTwice, match="after its listener had returned"):
            late()


@given(st.lists(listeners, max_size=5), st.integers(0, 5))
def test_a_passing_listener_is_invisible_anywhere(stack, place):
    """Inserting a listener that hands on what came changes neither outcome nor what is reached."""
    found = []
    for passing in (None, sync_listener, async_listener):
        acts = [*stack]
        if passing is not None:
            acts.insert(place, (Act.PASS, passing))
        ctx = Context()
        reached = []
        for act, make in acts:
            ctx.on("x", "waterfall")(make(act, []))
        found.append(
            (outcome(lambda ctx=ctx, reached=reached: drive(ctx.waterfall("x", "v", reached.append))), reached)
        )

    assert found[0] == found[1] == found[2]


def test_a_thousand_passing_listeners_need_no_stack(ctx):
    """Listeners that merely return `next()` do not nest."""
    for _ in range(5_000):
        ctx.on("x", "waterfall")(lambda value, next: next(value + 1))

    assert drive(ctx.waterfall("x", 0)) == 5_000


@pytest.mark.anyio
async def test_a_rest_that_outlives_its_dispatch_reaches_nothing(ctx):
    """What a listener leaves running in another task when it returns cannot reach the inner function."""
    from anyio import Event, create_task_group

    reached, refused = [], []
    running, may_go_on = Event(), Event()

    async def slow(_, next):
        running.set()
        await may_go_on.wait()
        try:
            await next()
        except CalledTwice as error:
            refused.append(str(error))

    async def wait_for(rest):
        await rest

    async with create_task_group() as group:

        async def detaches(_, next):
            group.start_soon(wait_for, next())
            await running.wait()
            return "early"

        ctx.on("x", "waterfall")(detaches)
        ctx.on("x", "waterfall")(slow)

        assert await ctx.waterfall("x", 1, reached.append) == "early"
        may_go_on.set()

    assert (reached, refused) == ([], ["next() was called after its listener had returned"])
