"""Cases 1 to 22 of the two reference systems: waterfalls, events, plugins.

Where they contradict each other or the design, the design holds, and the test says so.
"""

# ruff: noqa: A002, A006 - listeners have a `next`, whether they use it or not

from __future__ import annotations

import pytest

from tidegate.errors import CalledTwice, InactiveContext, MissingService, TidegateError

pytestmark = pytest.mark.anyio


def wrapper(name, seen):
    """A listener that notes when it is passed on the way in and on the way out."""

    async def listener(_, next):
        seen.append(f"{name}:before")
        result = await next()
        seen.append(f"{name}:after")
        return result

    return listener


async def test_case_01_without_listeners_the_inner_result_is_returned(ctx):
    """Case 1: with no listener, the inner function runs directly."""
    assert await ctx.waterfall("x", 1, lambda value: value + 1) == 2


async def test_case_02_the_first_listener_is_outermost(ctx):
    """Case 2: A then B both wrap, so they nest in order of registration."""
    seen = []
    ctx.on("x", "waterfall")(wrapper("A", seen))
    ctx.on("x", "waterfall")(wrapper("B", seen))

    await ctx.waterfall("x", None, lambda _: seen.append("inner"))

    assert seen == ["A:before", "B:before", "inner", "B:after", "A:after"]


async def test_case_03_a_listener_that_does_not_delegate_cuts_the_rest_off(ctx):
    """Case 3: two listeners add one each around an inner 2; a third in between answers 1 by itself."""

    async def adds(_, next):
        return 1 + await next()

    ctx.on("x", "waterfall")(adds)
    ctx.on("x", "waterfall")(adds)
    before = await ctx.waterfall("x", None, lambda _: 2)
    ctx.on("x", "waterfall")(lambda _, next: 1)
    fourth = []
    ctx.on("x", "waterfall")(lambda _, next: fourth.append(1))
    inner = []

    after = await ctx.waterfall("x", None, inner.append)

    assert (before, after, fourth, inner) == (4, 3, [], [])


async def test_case_04_what_is_prepended_later_stands_further_out(ctx):
    """Case 4: prepending P, then Q over A gives Q, P, A."""
    seen = []
    for name, prepend in (("A", False), ("P", True), ("Q", True)):
        ctx.on("x", "waterfall", prepend=prepend)(lambda _, next, name=name: seen.append(name) or next())

    await ctx.waterfall("x", None)

    assert seen == ["Q", "P", "A"]


async def test_case_05_next_passes_the_value_it_is_given(ctx):
    """Case 5, by the design: `next(999)` is what those downstream see (cordis ignores it)."""
    seen = []
    ctx.on("x", "waterfall")(lambda _, next: next(999))
    ctx.on("x", "waterfall")(lambda value, next: seen.append(value) or next())

    assert await ctx.waterfall("x", 1) == 999
    assert seen == [999]


async def test_case_06_a_mutation_of_a_shared_object_is_seen_downstream(ctx):
    """Case 6: what is handed on is the object itself, not a copy."""

    async def mutates(value, next):
        value.append("seen")
        return await next()

    ctx.on("x", "waterfall")(mutates)

    assert await ctx.waterfall("x", [], tuple) == ("seen",)


async def test_case_07_a_raise_reaches_the_dispatcher_unless_caught_around_next(ctx):
    """Case 7: an exception travels outwards, and `try` around `await next()` recovers."""

    def raises(_, next):
        raise ValueError("broke")

    undo = ctx.on("x", "waterfall")(raises)
    with pytest.raises(ValueError, match="broke"):
        await ctx.waterfall("x", 1)
    undo()

    async def recovers(value, next):
        try:
            return await next()
        except ValueError:
            return "recovered"

    ctx.on("x", "waterfall")(recovers)
    ctx.on("x", "waterfall")(raises)

    assert await ctx.waterfall("x", 1) == "recovered"


async def test_case_08_returning_none_without_next_is_none(ctx):
    """Case 8: the result is `None` and the inner function does not run."""
    inner = []
    ctx.on("x", "waterfall")(lambda _, next: None)

    assert await ctx.waterfall("x", 1, inner.append) is None
    assert inner == []


@pytest.mark.parametrize("mode", ["emit", "parallel", "serial", "bail", "waterfall"])
async def test_case_09_a_dispatch_runs_over_a_snapshot(ctx, mode):
    """Case 9: added during a dispatch counts from the next one, removed later still runs in this one."""
    seen = []
    disposers = []

    def last(value, next=None):
        seen.append("last")
        return next() if next else None

    def first(value, next=None):
        seen.append("first")
        disposers[0]()
        ctx.on("x", mode)(last)
        return next() if next else None

    undo_first = ctx.on("x", mode)(first)
    disposers.append(ctx.on("x", mode)(last))

    answer = getattr(ctx, mode)("x", None)
    if answer is not None:
        await answer
    during = list(seen)
    undo_first()
    seen.clear()
    answer = getattr(ctx, mode)("x", None)
    if answer is not None:
        await answer

    assert (during, seen) == (["first", "last"], ["last"])


def test_case_10_a_disposer_removes_exactly_its_own_registration_once(ctx):
    """Case 10: disposing twice is disposing once; a function registered twice is two registrations."""
    seen = []
    one = ctx.on("x")(seen.append)
    ctx.on("x")(seen.append)

    ctx.emit("x", 1)
    one()
    one()
    ctx.emit("x", 2)

    assert seen == [1, 1, 2]


def test_case_11_an_observer_that_raises_changes_nothing(ctx, reports):
    """Case 11, by the design: the second observer runs all the same, and the emitter hears nothing."""
    seen = []

    def raises(_):
        raise ValueError("broke")

    ctx.on("x")(raises)
    ctx.on("x")(seen.append)

    ctx.emit("x", 1)

    assert seen == [1]
    assert [(str(error), where) for error, where in reports] == [("broke", "an observer of `x`")]
    reports.clear()


async def test_case_11_parallel_runs_all_and_raises_a_group(ctx):
    """Case 11, parallel: both run, and what they raised comes together."""
    seen = []

    async def fails(value):
        seen.append(value)
        raise ValueError("async")

    def fails_at_once(value):
        seen.append(value)
        raise KeyError("sync")

    ctx.on("x", "parallel")(fails_at_once)
    ctx.on("x", "parallel")(fails)

    with pytest.raises(ExceptionGroup) as caught:
        await ctx.parallel("x", 1)

    assert seen == [1, 1]
    assert {type(error) for error in caught.value.exceptions} == {KeyError, ValueError}


@pytest.mark.parametrize("mode", ["serial", "bail"])
@pytest.mark.parametrize(("answer", "stops"), [(None, False), (False, False), (0, True), ("", True), (True, True)])
async def test_case_12_none_and_false_continue_all_else_stops(ctx, mode, answer, stops):
    """Case 12: `0` and the empty string stop and are returned."""
    ctx.on("x", mode)(lambda _: answer)
    ctx.on("x", mode)(lambda _: "second")

    found = getattr(ctx, mode)("x", None)
    if mode == "serial":
        found = await found

    assert found == (answer if stops else "second")


async def test_case_13_what_a_fiber_registered_goes_with_it_in_reverse(ctx):
    """Case 13: its listeners are gone, its effects undone in reverse, and its context is dead."""
    undone = []
    inside = []

    def plugin(child):
        inside.append(child)
        child.on("x", "bail")(lambda _: "listened")
        child.effect(lambda: undone.append("first"))
        child.effect(lambda: undone.append("second"))

    fiber = ctx.plugin(plugin)
    before = ctx.bail("x")
    fiber.dispose()

    assert (before, ctx.bail("x"), undone) == ("listened", None, ["second", "first"])
    with pytest.raises(InactiveContext) as caught:
        inside[0].on("x")(print)
    assert caught.value.code == "INACTIVE_EFFECT"


def test_case_13_a_plugin_that_raises_is_rolled_back(ctx):
    """Case 13: what it registered before it raised is undone, and its mounter hears of it."""

    def plugin(child):
        child.on("x", "bail")(lambda _: "listened")
        raise ValueError("cannot start")

    with pytest.raises(ValueError, match="cannot start"):
        ctx.plugin(plugin)

    assert ctx.bail("x") is None


async def test_case_14_a_second_next_raises(ctx):
    """Case 14, fixed: the reference runs the inner function twice and skips B; here the second call raises."""
    seen = []

    async def twice(_, next):
        await next()
        return await next()

    ctx.on("x", "waterfall")(twice)
    ctx.on("x", "waterfall")(wrapper("B", seen))

    with pytest.raises(CalledTwice):
        await ctx.waterfall("x", None, lambda _: seen.append("inner"))
    assert seen == ["B:before", "inner", "B:after"]


async def test_case_15_what_a_listener_returns_is_the_result(ctx):
    """Case 15, by the design: its own return counts (mini-dsh ignores it once `next` was called)."""

    async def scales(value, next):
        return 100 * await next(value + 1)

    ctx.on("x", "waterfall")(scales)

    assert await ctx.waterfall("x", 1) == 200


async def test_case_16_rewrites_compose(ctx):
    """Case 16: each listener appends to what the one before it handed on."""
    ctx.on("x", "waterfall")(lambda value, next: next(f"{value} s2"))
    ctx.on("x", "waterfall")(lambda value, next: next(f"{value} s3"))

    assert await ctx.waterfall("x", "s1") == "s1 s2 s3"


async def test_case_17_a_listener_that_stops_gives_the_merged_value(ctx):
    """Case 17: the first hands a dict on, the second answers it, merged, without `next`."""
    ctx.on("x", "waterfall")(lambda value, next: next({**value, "downstream": True}))
    ctx.on("x", "waterfall")(lambda value, next: {**value, "intercepted": True})

    assert await ctx.waterfall("x", {"a": 1}) == {"a": 1, "downstream": True, "intercepted": True}


async def test_case_18_next_without_a_value_changes_nothing_and_none_passes(ctx):
    """Case 18: `next()` hands on what came, `next(None)` hands on `None`."""
    undo = ctx.on("x", "waterfall")(lambda _, next: next())
    unchanged = await ctx.waterfall("x", "value")
    undo()
    ctx.on("x", "waterfall")(lambda _, next: next(None))

    assert (unchanged, await ctx.waterfall("x", "value")) == ("value", None)


async def test_case_19_serial_stops_by_the_polarity_of_cordis(ctx):
    """Case 19, by the design: `False` and `None` go on (in mini-dsh `False` stops), `0` stops."""
    seen = []
    for answer in (None, False, 0, "never"):
        ctx.on("x", "serial")(lambda value, answer=answer: seen.append(answer) or answer)

    assert await ctx.serial("x") == 0
    assert seen == [None, False, 0]


async def test_case_19_serial_waits_for_each_answer(ctx):
    """Case 19, awaited: async listeners are asked one after the other."""
    seen = []
    for answer in (None, "stops", "never"):

        async def listener(value, answer=answer):
            seen.append(answer)
            return answer

        ctx.on("x", "serial")(listener)

    assert await ctx.serial("x") == "stops"
    assert seen == [None, "stops"]


async def test_case_20_parallel_waits_for_all(ctx):
    """Case 20: two listeners that wait for each other both finish before `parallel` does."""
    from anyio import Event

    first, second, counted = Event(), Event(), []

    async def one(_):
        first.set()
        await second.wait()
        counted.append(1)

    async def other(_):
        await first.wait()
        second.set()
        counted.append(2)

    ctx.on("x", "parallel")(one)
    ctx.on("x", "parallel")(other)

    await ctx.parallel("x")

    assert sorted(counted) == [1, 2]


def test_case_21_stop_undoes_in_reverse_mount_order(ctx):
    """Case 21: plugins mount after what they depend on, and are unloaded before it."""
    log = []

    class Plugin:
        def __init__(self, name, inject, provides):
            self.name, self.inject, self._provides = name, inject, provides

        def apply(self, child):
            log.append(f"+{self.name}")
            child.provide(self._provides, self.name)
            return lambda: log.append(f"-{self.name}")

    ctx.plugin(Plugin("c", ("b",), "c"))
    ctx.plugin(Plugin("b", ("a",), "b"))
    ctx.plugin(Plugin("a", (), "a"))
    ctx.start()
    ctx.stop()

    assert log == ["+a", "+b", "+c", "-c", "-b", "-a"]


def test_case_21_start_names_the_missing_service(ctx):
    """Case 21: a plugin whose service nobody provides is named with it."""

    class Waits:
        name = "waits"
        inject = ("clock", "log")

        def apply(self, child):
            raise AssertionError

    ctx.provide("log", print)
    ctx.plugin(Waits())

    with pytest.raises(MissingService) as caught:
        ctx.start()
    assert caught.value.missing == {"waits": ("clock",)}
    assert str(caught.value) == "plugin `waits` waits for clock"
    assert isinstance(caught.value, TidegateError)


async def test_case_22_a_dispatch_runs_only_listeners_of_its_mode(ctx):
    """Case 22: an observer is not asked by a waterfall, serial, parallel or bail of the same name."""
    seen = []
    ctx.on("x", "emit")(seen.append)

    await ctx.waterfall("x", 1)
    await ctx.serial("x", 1)
    await ctx.parallel("x", 1)
    ctx.bail("x", 1)
    before = list(seen)
    ctx.emit("x", 1)

    assert (before, seen) == ([], [1])
