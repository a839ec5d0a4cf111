"""Plugins, services and effects, sync and async."""

# ruff: noqa: A006 - listeners have a `next`

from __future__ import annotations

import logging

import pytest

from tidegate.errors import DuplicateName, InactiveContext, MissingService, TidegateError
from tidegate.kernel import Context, SystemPrompt, ToolRegistry, tool

pytestmark = pytest.mark.anyio


class Plugin:
    """A plugin that notes when it is mounted and unloaded."""

    def __init__(self, log, name="plugin", inject=(), provides=None, fails=None):
        self.log, self.name, self.inject, self._provides, self._fails = log, name, inject, provides, fails

    def apply(self, ctx):
        self.log.append(f"+{self.name}")
        ctx.effect(lambda: self.log.append(f"-{self.name}"))
        if self._provides:
            ctx.provide(self._provides, self.name)
        if self._fails:
            raise self._fails


class AsyncPlugin(Plugin):
    """The same, with an async `apply` and an async disposer."""

    async def apply(self, ctx):
        from anyio import lowlevel

        await lowlevel.checkpoint()
        super().apply(ctx)

        async def close():
            await lowlevel.checkpoint()
            self.log.append(f"~{self.name}")

        return close


class TestServices:
    def test_a_plugin_waits_for_its_service_and_goes_with_it(self, ctx):
        """It is mounted when the service appears, unloaded when it goes, and mounted again with the next."""
        log = []
        fiber = ctx.plugin(Plugin(log, inject="clock"))
        states = [fiber.state]
        for value in ("first", "second"):
            withdraw = ctx.provide("clock", value)
            states.append(fiber.state)
            withdraw()
            states.append(fiber.state)

        assert states == ["pending", "active", "pending", "active", "pending"]
        assert log == ["+plugin", "-plugin"] * 2
        assert fiber.missing() == ("clock",)

    def test_a_chain_of_plugins_is_unloaded_from_its_end(self, ctx):
        """Withdrawing a service unloads who depends on it first, and those who depend on these before."""
        log = []
        ctx.plugin(Plugin(log, "c", ("b",)))
        ctx.plugin(Plugin(log, "b", ("a",), provides="b"))
        withdraw = ctx.provide("a", 1)
        withdraw()

        assert log == ["+b", "+c", "-c", "-b"]

    def test_users_of_a_service_are_unloaded_in_reverse_mount_order(self, ctx):
        """Whatever the order in which they began to wait."""
        log = []
        ctx.plugin(Plugin(log, "both", ("s", "t")))
        ctx.plugin(Plugin(log, "one", ("s",)))
        withdraw = ctx.provide("s", 1)
        ctx.provide("t", 2)
        withdraw()

        assert log == ["+one", "+both", "-both", "-one"]

    def test_a_plugin_that_was_mounted_late_is_undone_early(self, ctx):
        """What counts is when it was mounted, not when it began to wait."""
        log, inside = [], []

        def provider(child):
            inside.append(child)
            return lambda: log.append("-provider")

        ctx.plugin(provider)
        ctx.plugin(Plugin(log, "waiting", ("s",)))
        ctx.plugin(Plugin(log, "other"))
        inside[0].provide("s", 1)
        ctx.stop()

        assert log == ["+other", "+waiting", "-waiting", "-other", "-provider"]

    def test_a_service_is_still_there_while_its_users_are_unloaded(self, ctx):
        """Their disposers may use it; new plugins are not mounted on it."""
        seen = []

        class User:
            inject = ("a",)

            def apply(self, child):
                def leave():
                    seen.append(child.get("a"))
                    late.append(ctx.plugin(Plugin([], "late", ("a",))).state)

                return leave

        late = []
        withdraw = ctx.provide("a", "value")
        ctx.plugin(User())
        withdraw()

        assert (seen, late, ctx.get("a")) == (["value"], ["pending"], None)

    async def test_unloading_one_user_may_unload_another(self, ctx):
        """Each of them once, sync or async, in whatever order they are come upon."""
        log, fibers = [], []

        class User(Plugin):
            def apply(self, child):
                super().apply(child)
                return fibers[0].dispose

        for provide in (True, False):
            log.clear()
            provider = ctx.plugin(Plugin([], "provider", provides="clock"))
            fibers[:] = [ctx.plugin(Plugin(log, "first", ("clock",)))]
            fibers.append(ctx.plugin(User(log, "second", ("clock",))))
            if provide:
                provider.dispose()
            else:
                fibers.append(await ctx.mount(AsyncPlugin(log, "third", ("clock",))))
                await provider.unload()
            for fiber in fibers:
                fiber.dispose()

            third = ["+third"] if not provide else []
            assert log == ["+first", "+second", *third, *(f"{c}third" for c in "~-" if third), "-first", "-second"]

    def test_a_service_is_found_by_attribute(self, ctx):
        """And a missing one is an `AttributeError`, so that `hasattr` works."""
        ctx.provide("clock", 7)

        assert (ctx.clock, ctx.get("clock"), hasattr(ctx, "nothing"), hasattr(ctx, "_private")) == (7, 7, False, False)

    def test_a_service_name_is_taken_once(self, ctx):
        """The second provider is refused."""
        ctx.provide("clock", 1)

        with pytest.raises(DuplicateName, match='service "clock" is already provided'):
            ctx.provide("clock", 2)

    def test_a_plugin_that_fails_when_its_service_appears_is_reported(self, ctx, reports):
        """Whoever provides the service hears nothing, and it is not tried again."""
        log = []
        fiber = ctx.plugin(Plugin(log, inject=("clock",), fails=ValueError("broke")))
        withdraw = ctx.provide("clock", 1)
        withdraw()
        ctx.provide("clock", 2)

        assert (log, fiber.state) == (["+plugin", "-plugin"], "failed")
        assert [(str(error), where) for error, where in reports] == [("broke", "plugin `plugin`")]
        reports.clear()

    def test_waiting_plugins_of_one_name_are_told_apart(self, ctx):
        """And those that are optional are not insisted on."""

        class Optional(Plugin):
            optional = True

        for plugin in (Plugin([], inject="a"), Plugin([], inject=("b", "c")), Optional([], inject="d")):
            ctx.plugin(plugin)

        with pytest.raises(MissingService) as caught:
            ctx.start()
        assert caught.value.missing == {"plugin": ("a",), "plugin #2": ("b", "c")}

    def test_a_waiting_plugin_can_be_disposed(self, ctx):
        """It is then not mounted when its service appears."""
        log = []
        fiber = ctx.plugin(Plugin(log, inject="clock"))
        fiber.dispose()
        ctx.provide("clock", 1)
        ctx.start()

        assert (log, fiber.state) == ([], "disposed")


class TestPlugins:
    def test_a_class_is_a_plugin_as_well(self, ctx):
        """What it constructs is kept alive by what it registered; it is no disposer."""
        fiber = ctx.plugin(ToolRegistry)
        ctx.tools.register(tool("t", "", {}, print))

        assert (fiber.name, ctx.tools.names()) == ("ToolRegistry", ["t"])
        fiber.dispose()
        assert not hasattr(ctx, "tools")

    def test_a_returned_callable_is_a_disposer(self, ctx):
        """Called once, when the plugin is unloaded."""
        log = []
        fiber = ctx.plugin(lambda child: lambda: log.append("gone"))
        fiber.dispose()
        fiber.dispose()

        assert log == ["gone"]

    @pytest.mark.parametrize("what", [3, object(), "plugin"])
    def test_what_is_no_plugin_is_refused(self, ctx, what):
        """At once."""
        with pytest.raises(TypeError, match="a plugin is a callable"):
            ctx.plugin(what)

    def test_an_async_plugin_is_not_mounted_without_waiting(self, ctx):
        """And says how to mount it."""
        log = []

        with pytest.raises(TypeError, match=r"await ctx\.mount"):
            ctx.plugin(AsyncPlugin(log))
        assert log == []

    def test_an_interrupted_mount_is_rolled_back(self, ctx):
        """Also when it is the user who interrupts it."""
        log = []

        with pytest.raises(KeyboardInterrupt):
            ctx.plugin(Plugin(log, fails=KeyboardInterrupt()))
        assert log == ["+plugin", "-plugin"]

    def test_a_plugins_own_context_stops_the_plugin(self, ctx):
        """`stop` on it is `dispose` on its fiber."""
        inside = []
        fiber = ctx.plugin(inside.append)
        inside[0].stop()

        assert fiber.state == "disposed"

    def test_a_scope_within_a_plugin_goes_with_it(self, ctx):
        """With all that was registered for the agent."""
        ToolRegistry(ctx)
        fiber = ctx.plugin(lambda child: child.scope(agent="a").tools.register(tool("t", "", {}, print)) and None)

        before = ctx.tools.names(agent="a")
        fiber.dispose()

        assert (before, ctx.tools.names(agent="a")) == (["t"], [])
        assert ctx.tree.scopes.lineage("a") == ()

    async def test_an_agent_descends_from_one_parent_only(self, ctx):
        """Scopes of one agent may be many, in one place of the family."""
        first = ctx.scope(agent="a")
        second = ctx.scope(agent="a")
        second.scope(agent="b")

        for place in (first, second, second.scope(agent="b")):
            with pytest.raises(DuplicateName, match=r'agent "[ab]" already has a scope elsewhere'):
                place.scope(agent="a" if place is first or place is second else "b")
        with pytest.raises(DuplicateName):
            ctx.scope(agent="b")
        assert ctx.tree.scopes.lineage("b") == ("a", "b")
        first.stop()
        assert ctx.tree.scopes.lineage("b") == ("a", "b")
        await second.unload()
        ctx.scope(agent="b")
        assert ctx.tree.scopes.lineage("b") == ("b",)

    async def test_a_scoped_context_dispatches_for_its_agent(self, ctx):
        """Its own listeners hear what it emits; those of other agents do not."""
        heard = []
        scoped = ctx.scope(agent="a")
        scoped.on("x")(lambda value: heard.append(("a", value)))
        ctx.scope(agent="b").on("x")(lambda value: heard.append(("b", value)))
        ctx.on("x")(lambda value: heard.append(("all", value)))

        scoped.emit("x", 1)
        ctx.emit("x", 2)

        assert heard == [("a", 1), ("all", 1), ("all", 2)]


class TestEffects:
    def test_an_effect_is_undone_once_by_hand_or_by_its_context(self, ctx):
        """A disposer that was called is off the stack."""
        log = []
        first = ctx.effect(lambda: log.append("first"), label="first")
        ctx.effect(lambda: log.append("second"))
        first()
        first()
        ctx.stop()
        first()

        assert log == ["first", "second"]

    def test_effects_have_labels(self, ctx):
        """Told oldest first; a function's name where none is given."""

        class Undo:
            def __call__(self):
                pass

        ctx.effect(print, label="own")
        ctx.effect(self.test_effects_have_labels)
        ctx.effect(Undo())
        ctx.provide("s", 1)

        assert ctx.effects.labels()[:1] == ("own",)
        assert ctx.effects.labels()[1].endswith("test_effects_have_labels")
        assert ctx.effects.labels()[2].endswith("Undo")
        assert ctx.effects.labels()[3] == "service `s`"

    def test_a_disposer_that_raises_is_reported_and_the_rest_run(self, ctx, reports):
        """Undoing goes on."""
        log = []

        def raises():
            raise ValueError("broke")

        ctx.effect(lambda: log.append("first"))
        ctx.effect(raises, label="it")
        ctx.effect(lambda: log.append("last"))
        ctx.stop()

        assert log == ["last", "first"]
        assert [(str(error), where) for error, where in reports] == [("broke", "undoing it")]
        reports.clear()

    def test_nothing_is_registered_through_a_dead_context(self, ctx):
        """Whatever it is; and while it is being undone neither."""
        registry = ToolRegistry(ctx)
        late = []

        def undo():
            with pytest.raises(InactiveContext):
                ctx.on("x")(print)
            late.append("refused")

        ctx.effect(undo)
        ctx.stop()

        for register in (
            lambda: ctx.on("x")(print),
            lambda: ctx.effect(print),
            lambda: ctx.provide("s", 1),
            lambda: ctx.plugin(print),
            lambda: ctx.scope(agent="a"),
            lambda: registry.register(tool("t", "", {}, print)),
            lambda: registry.guard(print),
        ):
            with pytest.raises(InactiveContext, match="cannot create effect on inactive context"):
                register()
        assert late == ["refused"]
        assert (ctx.get("s"), ctx.tree.scopes.lineage("a"), registry.names()) == (None, (), [])

    def test_an_async_disposer_cannot_be_undone_without_waiting(self, ctx):
        """Nothing at all is undone then."""
        log = []

        async def close():
            raise AssertionError

        def plugin(child):
            child.effect(close)
            child.effect(lambda: log.append("undone"))

        fiber = ctx.plugin(plugin)

        for dispose in (fiber.dispose, ctx.stop):
            with pytest.raises(TidegateError, match="can only be undone by `await unload"):
                dispose()
        assert (log, fiber.state) == ([], "active")

    def test_an_effect_that_turns_out_async_is_reported(self, ctx, reports):
        """Its coroutine is closed, not left behind."""

        async def close():
            raise AssertionError

        class Later:
            def __await__(self):
                raise AssertionError

        ctx.effect(lambda: close(), label="one")  # noqa: PLW0108 - so that it is no coroutine function
        ctx.effect(Later, label="two")
        ctx.stop()

        assert [where for _, where in reports] == ["undoing two", "undoing one"]
        assert {type(error) for error, _ in reports} == {TypeError}
        reports.clear()

    async def test_an_async_effect_is_awaited_by_whoever_disposes_it(self, ctx):
        """The disposer gives what there is to await."""
        log = []

        async def close():
            log.append("closed")

        dispose = ctx.effect(close)
        await dispose()

        assert (log, dispose()) == (["closed"], None)
        ctx.stop()


class TestAsync:
    async def test_unload_undoes_in_reverse_one_after_the_other(self, ctx):
        """Sync and async disposers alike, and children before what came before them."""
        log = []
        await ctx.mount(AsyncPlugin(log, "one"))
        ctx.plugin(Plugin(log, "two"))
        fiber = await ctx.mount(AsyncPlugin(log, "three"))
        await fiber.unload()
        await fiber.unload()
        await ctx.unload()

        assert log == ["+one", "+two", "+three", "~three", "-three", "-two", "~one", "-one"]
        assert fiber.state == "disposed"

    async def test_nothing_is_registered_while_it_is_undone(self, ctx):
        """Not even by those who wait in between."""
        refused = []

        async def close():
            with pytest.raises(InactiveContext):
                ctx.on("x")(print)
            refused.append(True)

        ctx.effect(close)
        await ctx.unload()

        assert refused == [True]

    async def test_a_sync_plugin_can_be_mounted_waiting(self, ctx):
        """And comes back with its service, as nobody has to be waited for."""
        log = []
        withdraw = ctx.provide("clock", 1)
        await ctx.mount(Plugin(log, inject="clock"))
        withdraw()
        ctx.provide("clock", 2)

        assert log == ["+plugin", "-plugin", "+plugin"]

    async def test_mount_does_not_wait_for_services(self, ctx):
        """It says what is missing."""
        log = []

        with pytest.raises(MissingService, match="plugin `plugin` waits for clock"):
            await ctx.mount(AsyncPlugin(log, inject=("clock",)))
        ctx.provide("clock", 1)
        ctx.start()
        assert log == []

    async def test_an_async_mount_that_fails_is_rolled_back(self, ctx):
        """What it had registered is undone."""
        log = []

        with pytest.raises(ValueError, match="broke"):
            await ctx.mount(AsyncPlugin(log, fails=ValueError("broke")))
        assert log == ["+plugin", "-plugin"]

    async def test_an_async_mount_that_is_cancelled_is_rolled_back(self, ctx):
        """Also what has to be waited for."""
        from anyio import CancelScope, lowlevel, sleep_forever

        log = []
        with CancelScope() as scope:

            async def plugin(child):
                async def close():
                    await lowlevel.checkpoint()
                    log.append("closed")

                child.effect(close)
                scope.cancel()
                await sleep_forever()

            await ctx.mount(plugin)

        assert (log, scope.cancelled_caught) == (["closed"], True)

    @pytest.mark.parametrize("closes_async", [True, False])
    async def test_a_plugin_that_is_unloaded_while_it_is_mounted_is_closed(self, ctx, closes_async):
        """Its disposer is called although nothing can be registered any more."""
        log, fibers = [], []

        async def close():
            log.append("closed")

        async def plugin(child):
            await child.unload()
            return close if closes_async else lambda: log.append("closed")

        fibers.append(await ctx.mount(plugin))

        assert (log, fibers[0].state) == (["closed"], "disposed")

    def test_a_sync_plugin_that_unloads_itself_is_closed(self, ctx):
        """The same without waiting."""
        log = []

        def plugin(child):
            child.stop()
            return lambda: log.append("closed")

        assert (ctx.plugin(plugin).state, log) == ("disposed", ["closed"])

    async def test_what_is_disposed_for_good_while_its_service_goes_stays_so(self, ctx):
        """It does not wait for the service again."""
        log, fibers = [], []

        class Disposing(Plugin):
            def apply(self, child):
                super().apply(child)

                def leave():
                    fibers[0].dispose()

                return leave

        withdraw = ctx.provide("clock", 1)
        fibers.append(ctx.plugin(Disposing(log, inject=("clock",))))
        withdraw()
        ctx.provide("clock", 2)

        assert (fibers[0].state, log) == ("disposed", ["+plugin", "-plugin"])

    async def test_an_async_plugin_ends_when_its_service_goes(self, ctx):
        """It is waited for, before the service is away, and does not come back by itself."""
        log = []
        provider = ctx.plugin(Plugin(log, "provider", provides="clock"))
        fiber = await ctx.mount(AsyncPlugin(log, "user", inject=("clock",)))

        for dispose in (provider.dispose, ctx.stop):
            with pytest.raises(TidegateError, match="await unload"):
                dispose()
        await provider.unload()
        ctx.provide("clock", 1)

        assert log == ["+provider", "+user", "~user", "-user", "-provider"]
        assert fiber.state == "disposed"

    async def test_a_service_with_async_users_cannot_be_withdrawn_without_waiting(self, ctx):
        """Nothing has been undone then."""
        log = []
        withdraw = ctx.provide("clock", 1)
        fiber = await ctx.mount(AsyncPlugin(log, inject=("clock",)))

        with pytest.raises(TidegateError, match="service `clock` can only be undone by `await unload"):
            withdraw()
        assert (fiber.state, ctx.get("clock")) == ("active", 1)
        await ctx.unload()
        assert log == ["+plugin", "~plugin", "-plugin"]

    async def test_an_async_disposer_that_raises_is_reported(self, ctx, reports):
        """And the rest goes on."""
        log = []

        async def raises():
            raise ValueError("broke")

        ctx.effect(lambda: log.append("undone"))
        ctx.effect(raises, label="it")
        await ctx.unload()

        assert (log, [where for _, where in reports]) == (["undone"], ["undoing it"])
        reports.clear()

    async def test_unloading_is_not_interrupted_by_a_cancellation(self, ctx):
        """Half undone is worse than late."""
        from anyio import CancelScope, lowlevel

        log = []
        for name in ("first", "second"):

            async def close(name=name):
                await lowlevel.checkpoint()
                log.append(name)

            ctx.effect(close)
        with CancelScope() as scope:
            scope.cancel()
            await ctx.unload()

        assert log == ["second", "first"]

    async def test_a_plugins_context_unloads_the_plugin(self, ctx):
        """`unload` on it is `unload` on its fiber."""
        inside = []
        fiber = ctx.plugin(inside.append)
        await inside[0].unload()

        assert fiber.state == "disposed"


class TestReporting:
    def test_the_default_reporter_logs(self, caplog):
        """To the logger `tidegate`, with the exception."""
        ctx = Context()

        def raises(_):
            raise ValueError("broke")

        ctx.on("x")(raises)
        with caplog.at_level(logging.ERROR, "tidegate"):
            ctx.emit("x")

        assert [(one.name, one.message, str(one.exc_info[1])) for one in caplog.records] == [
            ("tidegate", "an observer of `x` failed", "broke")
        ]

    def test_a_reporter_that_raises_is_logged_with_what_it_was_to_report(self, caplog):
        """Neither gets lost, and nobody else hears of it."""

        def broken(error, where):
            raise RuntimeError("no reporter")

        ctx = Context(on_error=broken)
        ctx.on("x")(lambda _: 1 / 0)
        ctx.emit("x")

        assert [str(one.exc_info[1]) for one in caplog.records] == ["no reporter", "division by zero"]

    @pytest.mark.parametrize("mode", ["emit", "bail"])
    def test_an_async_listener_of_a_sync_mode_is_a_mistake(self, ctx, reports, mode):
        """It is told, instead of never running."""

        async def listener(_):
            raise AssertionError

        ctx.on("x", mode)(listener)
        if mode == "emit":
            ctx.emit("x")

            assert [type(error) for error, _ in reports] == [TypeError]
            reports.clear()
        else:
            with pytest.raises(TypeError, match="the listener is async"):
                ctx.bail("x")


class TestListening:
    @pytest.mark.parametrize(
        ("name", "mode"),
        [
            ("tools/pre-execute", "emit"),
            ("tools/post-execute", "serial"),
            ("tools/execute", "bail"),
            ("tools/result", "waterfall"),
            ("tools/guard", "waterfall"),
            ("system-prompt/assemble", "emit"),
            ("anything", "waterfal"),
            ("anything", "guard"),
        ],
    )
    def test_a_listener_that_would_never_run_is_refused(self, ctx, name, mode):
        """A policy that never runs would permit everything, and nobody would notice."""
        with pytest.raises(ValueError, match=f"no listener of `{name}` runs in mode `{mode}`"):
            ctx.on(name, mode)(print)
        assert ctx.effects.labels() == ()

    def test_a_listener_is_a_callable(self, ctx):
        """What is none is refused when it is registered."""
        with pytest.raises(TypeError, match="a listener of `x` is a callable, not NoneType"):
            ctx.on("x")(None)

    def test_a_scope_is_for_somebody(self, ctx):
        """An agent without a name would be everyone."""
        with pytest.raises(ValueError, match="an agent with a name"):
            ctx.scope(agent="")


class TestSystemPrompt:
    async def test_the_registry_feeds_the_prompt_in_either_order(self, ctx):
        """And stops when one of the two goes."""
        prompt = ctx.plugin(SystemPrompt)
        registry = ctx.plugin(ToolRegistry)
        ctx.tools.register(tool("t", "", {}, print))

        with_both = await ctx.system_prompt.assemble()
        registry.dispose()
        without_tools = await ctx.system_prompt.assemble()
        prompt.dispose()
        ctx.plugin(ToolRegistry)
        ctx.start()

        assert [one["name"] for one in with_both["tools"]] == ["t"]
        assert without_tools["tools"] == []

    async def test_sections_and_tools_fall_through_the_waterfall(self, ctx, tools):
        """Providers are asked anew; what a plugin contributed goes with it."""
        ctx.plugin(SystemPrompt)
        turn = iter(("one", "two"))
        ctx.system_prompt.section(lambda: next(turn))
        fiber = ctx.plugin(lambda child: child.system_prompt.tools(lambda agent: [{"name": f"for {agent}"}]))
        ctx.on("system-prompt/assemble", "waterfall")(lambda value, next: next({**value, "extra": True}))

        first = await ctx.system_prompt.assemble(agent="a")
        fiber.dispose()
        second = await ctx.system_prompt.assemble()

        assert first == {"sections": ["one"], "tools": [{"name": "for a"}], "extra": True}
        assert second == {"sections": ["two"], "tools": [], "extra": True}

    async def test_the_prompt_of_an_agent_has_the_tools_that_it_sees(self, ctx, tools):
        """Its scope's tools, not what it is denied, and its own listeners."""
        ctx.plugin(SystemPrompt)
        tools.register(tool("all", "", {}, print))
        scoped = ctx.scope(agent="a")
        scoped.tools.register(tool("own", "", {}, print))
        scoped.tools.restrict(deny=["all"])
        scoped.on("system-prompt/assemble", "waterfall")(lambda value, next: next({**value, "sections": ["mine"]}))

        assembled = await scoped.system_prompt.assemble()

        assert ([one["name"] for one in assembled["tools"]], assembled["sections"]) == (["own"], ["mine"])
        assert [one["name"] for one in (await ctx.system_prompt.assemble())["tools"]] == ["all"]
