"""Registration and disposal as a state machine: adding and disposing in any order."""

from __future__ import annotations

import pytest
from hypothesis import note, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, multiple, rule

from tidegate.errors import DuplicateName, InactiveContext
from tidegate.kernel import Context, ToolExecution, ToolRegistry, tool

NAMES = st.sampled_from(["a", "b", "c"])
AGENTS = st.sampled_from([None, "one", "two"])
SERVICES = st.sampled_from(["s", "t"])


class Place:
    """What the model knows of one context: its parent, whether it lives, and what was registered in it."""

    def __init__(self, context, parent, agent=None):
        self.context, self.parent, self.agent = context, parent, agent
        self.alive = True

    @property
    def lives(self):
        return self.alive and (self.parent is None or self.parent.lives)


class Thing:
    """One registration: its place, its disposer, and whether it was disposed by hand."""

    def __init__(self, kind, place, label, dispose=None):
        self.kind, self.place, self.label, self.dispose = kind, place, label, dispose
        self.disposed = False

    @property
    def stands(self):
        return not self.disposed and self.place.lives


class Waiting:
    """A plugin that injects a service and registers a listener; the model knows only what it injects."""

    def __init__(self, place, service, label):
        self.place, self.service, self.label = place, service, label
        self.disposed = False

    inject = property(lambda self: (self.service,))
    name = "waiting"

    def apply(self, child):
        child.on("event")(lambda heard: heard.append(self.label))


@settings(stateful_step_count=30)
class Registration(RuleBasedStateMachine):
    """Adding and disposing in any order leaves exactly what is not disposed."""

    places = Bundle("places")
    things = Bundle("things")
    fibers = Bundle("fibers")

    def __init__(self):
        super().__init__()
        self.reports = []
        self.root = Context(on_error=lambda error, where: self.reports.append((error, where)))
        self.tools = ToolRegistry(self.root)
        self.root_place = Place(self.root, None)
        self.all_things = []
        self.all_waiting = []
        self.undone = []
        self.labels = iter(range(10_000))

    @rule(target=places)
    def the_root(self):
        return self.root_place

    def standing(self, kind):
        return [thing for thing in self.all_things if thing.kind == kind and thing.stands]

    def add(self, kind, place, register):
        """Register something through *place*; a dead one refuses and changes nothing."""
        label = next(self.labels)
        thing = Thing(kind, place, label)
        if not place.lives:
            with pytest.raises(InactiveContext):
                register(label)
            return multiple()
        thing.dispose = register(label)
        self.all_things.append(thing)
        return thing

    @rule(target=things, place=places)
    def listen(self, place):
        return self.add("listener", place, lambda label: place.context.on("event")(lambda heard: heard.append(label)))

    @rule(target=things, place=places)
    def listen_first(self, place):
        return self.add(
            "prepended",
            place,
            lambda label: place.context.on("event", prepend=True)(lambda heard: heard.append(label)),
        )

    @rule(target=things, place=places)
    def effect(self, place):
        return self.add("effect", place, lambda label: place.context.effect(lambda: self.undone.append(label)))

    @rule(target=things, place=places)
    def guard(self, place):
        def register(label):
            return place.context.tools.guard(lambda call: call.context["asked"].append(label))

        return self.add("guard", place, register)

    @rule(target=things, place=places, name=NAMES)
    def register_tool(self, place, name):
        taken = any(one.tool == name and one.place.agent == place.agent for one in self.standing("tool"))
        if place.lives and taken:
            with pytest.raises(DuplicateName):
                place.context.tools.register(tool(name, "", {}, lambda _: None))
            return multiple()
        thing = self.add("tool", place, lambda label: place.context.tools.register(tool(name, str(label), {}, print)))
        if isinstance(thing, Thing):
            thing.tool = name
        return thing

    @rule(target=things, place=places, name=SERVICES)
    def provide(self, place, name):
        if place.lives and any(one.tool == name for one in self.standing("service")):
            with pytest.raises(DuplicateName):
                place.context.provide(name, object())
            return multiple()
        thing = self.add("service", place, lambda label: place.context.provide(name, label))
        if isinstance(thing, Thing):
            thing.tool = name
        return thing

    @rule(target=places, place=places)
    def mount(self, place):
        inside = []
        if not place.lives:
            with pytest.raises(InactiveContext):
                place.context.plugin(inside.append)
            return multiple()
        fiber = place.context.plugin(inside.append)
        found = Place(inside[0], place, place.agent)
        found.fiber = fiber
        return found

    @rule(target=places, place=places, agent=st.sampled_from(["one", "two"]))
    def scope(self, place, agent):
        if not place.lives or place.agent is not None:
            with pytest.raises((InactiveContext, DuplicateName) if place.agent else InactiveContext):
                place.context.scope(agent=place.agent or agent)
            return multiple()
        return Place(place.context.scope(agent=agent), place, agent)

    @rule(target=fibers, place=places, service=SERVICES)
    def mount_waiting(self, place, service):
        if not place.lives:
            return multiple()
        plugin = Waiting(place, service, next(self.labels))
        fiber = place.context.plugin(plugin)
        self.all_waiting.append(plugin)
        return fiber, plugin

    @rule(thing=things)
    def dispose(self, thing):
        """By hand, also again, and also after its place has ended."""
        thing.dispose()
        thing.disposed = True

    @rule(pair=consumes(fibers))
    def dispose_waiting(self, pair):
        fiber, plugin = pair
        fiber.dispose()
        fiber.dispose()
        plugin.disposed = True

        assert fiber.state == "disposed"

    @rule(place=places)
    def stop(self, place):
        if place is self.root_place:
            return
        place.context.stop()
        place.context.stop()
        place.alive = False

    @invariant()
    def the_listeners_that_stand_are_heard(self):
        """In any order of disposal, each once; those put first come first, the last put foremost."""
        for agent in (None, "one", "two"):
            heard = []
            self.root.tree.events.emit("event", heard, self.root.tree.scopes.lineage(agent))
            mine = [
                one.label
                for kind in ("prepended", "listener")
                for one in (self.standing(kind)[::-1] if kind == "prepended" else self.standing(kind))
                if one.place.agent in (None, agent)
            ]
            served = {one.tool for one in self.standing("service")}
            waiting = {
                one.label
                for one in self.all_waiting
                if not one.disposed and one.place.lives and one.service in served and one.place.agent in (None, agent)
            }
            note(f"{agent}: {heard}")

            assert [label for label in heard if label not in waiting] == mine
            assert sorted(heard) == sorted([*mine, *waiting])

    @invariant()
    def the_tools_that_stand_are_seen(self):
        """Own ones shadow global ones."""
        for agent in (None, "one", "two"):
            seen = {one.tool: str(one.label) for one in self.standing("tool") if one.place.agent is None}
            seen |= {one.tool: str(one.label) for one in self.standing("tool") if one.place.agent == agent}

            assert {one["name"]: one["description"] for one in self.tools.schemas(agent=agent)} == seen
            assert set(self.tools.names(agent=agent)) == set(seen)

    @invariant()
    def the_guards_that_stand_are_asked(self):
        """Those for everyone first, then those of the call's agent."""
        for agent in (None, "one", "two"):
            asked = []
            self.tools.execute_sync(ToolExecution("c", "no such tool", {}, agent=agent, context={"asked": asked}))
            expected = [one.label for one in self.standing("guard") if one.place.agent is None]
            if agent is not None:
                expected += [one.label for one in self.standing("guard") if one.place.agent == agent]

            assert asked == expected

    @invariant()
    def what_was_disposed_is_undone_once(self):
        """Effects that do not stand were undone, and no other."""
        gone = [one.label for one in self.all_things if one.kind == "effect" and not one.stands]

        assert sorted(self.undone) == sorted(gone)

    @invariant()
    def the_services_that_stand_are_found(self):
        """By name, through any context."""
        for name in ("s", "t"):
            value = {one.tool: one.label for one in self.standing("service")}.get(name)

            assert self.root.get(name) == value

    @invariant()
    def nothing_was_reported(self):
        """Nothing went wrong on the way."""
        assert self.reports == []

    def teardown(self):
        """Stopping the root leaves nothing."""
        self.root.stop()
        heard = []
        self.root.emit("event", heard)

        assert heard == []
        assert self.tools.names() == []
        assert self.root.effects.labels() == ()


TestRegistration = Registration.TestCase
