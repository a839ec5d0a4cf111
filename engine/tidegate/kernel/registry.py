"""The tool registry: the service `tools`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from itertools import count
from typing import Any

from ..errors import CallError, InactiveContext, TidegateError, ToolFailed, UnknownTool, Veto
from .batch import run_all
from .call import ToolExecution, ToolOutcome
from .catalogue import Catalogue
from .content import ToolExecutionResult
from .context import Context
from .definitions import SchemaForm, ToolDefinition
from .dispatch import Guard, Surroundings
from .effects import Effect
from .phases import CHANGE, GUARD, LAST_GUARD
from .pipeline import Passage
from .sync import SyncRun
from .waterfall import Wait


class ToolRegistry:
    """The tools of one tree of contexts, and the door to running them.

    It provides itself as the service `tools`. `ctx.tools` is the registry bound to `ctx`: what is registered
    through it belongs to that context and ends with it, and in a scoped context counts for that agent only.
    If the service `system_prompt` is there, now or later, it gets the schemas.
    """

    def __init__(self, context: Context) -> None:
        self.context = context
        self._effects = context.effects
        tree = context.tree
        self._catalogue = Catalogue()
        self._plain = Surroundings(self._catalogue, tree.events, tree.report)
        self._numbers = count(1)
        context.provide("tools", self)
        context.plugin(_PromptFeed(self))

    def bound_to(self, context: Context) -> ToolRegistry:
        """The same registry for *context*."""
        if context is self.context:
            return self
        view = copy(self)
        view.context = context
        return view

    def register(self, definition: ToolDefinition) -> Effect:
        """Register a tool and return its disposer; `tools/change` is emitted for both.

        Raises:
            DuplicateName: A tool of that name is there (in the same scope; a scoped tool shadows a global one).
            InactiveContext: The context has been unloaded.
        """
        if not isinstance(definition, ToolDefinition):
            raise TypeError(f"register() takes a ToolDefinition, not {type(definition).__name__}")
        context = self.context
        context.effects.require_alive()
        slot = self._catalogue.add(definition, context.agent)

        def unregister() -> None:
            if self._catalogue.remove(slot, context.agent):
                self._changed(definition)

        effect = context.effects.push(unregister, f'tool "{definition.name}"')
        self._changed(definition)
        return effect

    def unregister(self, name: str) -> None:
        """Take away the tool of that name, whoever registered it; without one, do nothing."""
        slot = self._catalogue.own(name, self.context.agent)
        if slot is not None and self._catalogue.remove(slot, self.context.agent):
            self._changed(slot.definition)

    def get(self, name: str, *, agent: str | None = None) -> ToolDefinition | None:
        """The tool of that name as *agent* sees it (by default the agent of the context), or `None`."""
        slot = self._catalogue.find(name, self._lineage(agent))
        return None if slot is None else slot.definition

    def names(self, *, agent: str | None = None) -> list[str]:
        """The names of all tools that *agent* sees, in order of registration."""
        return list(self._catalogue.visible(self._lineage(agent)))

    def schemas(self, form: SchemaForm = "plain", *, agent: str | None = None) -> list[dict[str, Any]]:
        """What a model is told of the tools that *agent* sees, as detached copies.

        `plain` is the shape of dsh-tools' readme, `openai` that of function calls (mini-dsh).
        """
        return [definition.schema(form) for definition in self._catalogue.visible(self._lineage(agent)).values()]

    def restrict(self, *, allow: Iterable[str] | None = None, deny: Iterable[str] | None = None) -> Effect:
        """Filter the tools that this scope inherits; returns what lifts the filter.

        A tool that is filtered out does not exist for the scope's agent: not in schemas, not when called. The
        scope's own tools stay. Several filters intersect, and hold for descendants as well. *deny* lets later
        tools in, *allow* does not.

        Raises:
            TidegateError: The context is not scoped, there is nothing to filter, or a name is unknown.
        """
        agent = self.context.agent
        if agent is None:
            raise TidegateError("tools.restrict() requires a scoped context")
        if allow is None and deny is None:
            raise TidegateError("tools.restrict({}) is a no-op")
        self.context.effects.require_alive()
        allowed, denied = None if allow is None else list(allow), list(deny or ())
        known = self._catalogue.inherited(self._lineage(agent))
        if unknown := sorted({*(allowed or ()), *denied} - known):
            names = ", ".join(f'"{name}"' for name in unknown)
            raise TidegateError(
                f"tools.restrict() names unknown global tool(s) {names}; "
                f"known global tools: {', '.join(sorted(known)) or '(none)'}"
            )
        lift = self._catalogue.restrict(agent, allowed, denied)

        def lifted() -> None:
            lift()
            self._changed(None)

        effect = self.context.effects.push(lifted, f'restriction of "{agent}"')
        self._changed(None)
        return effect

    def guard(self, guard: Guard, *, last: bool = False) -> Effect:
        """Have *guard* asked about every call right before its body; returns a disposer.

        It sees the final call and answers `None`, or the reason why the call is refused (also an empty one). It
        cannot permit. Raising, or answering anything else, refuses. Guards for everyone are asked first, then
        those of scopes from the farthest ancestor on; the first reason wins.

        A *last* guard is asked after all others, when the arguments have been validated as well: where it answers
        `None` and no other last guard refuses, the body is entered. It is for what is used up by that.
        """
        context = self.context
        context.effects.require_alive()
        remove = context.tree.events.add(LAST_GUARD if last else GUARD, "guard", guard, agent=context.agent)
        return context.effects.push(remove, "guard")

    async def execute(self, call: ToolExecution) -> ToolExecutionResult:
        """Take *call* through the guarded pipeline. A refusal or failure is a result with `is_error`.

        Raises:
            CallError: *call* is no `ToolExecution`.
            InactiveContext: The registry's context has been unloaded, or is being unloaded.
        """
        return (await self._begin(call).run()).result

    async def execute_many(self, calls: Iterable[ToolExecution], limit: int = 10) -> list[ToolExecutionResult]:
        """Execute *calls*, at most *limit* of the concurrency-safe ones at once; results in call order.

        See `batch.run_all`.
        """
        return [outcome.result for outcome in await run_all(calls, self._begin, limit)]

    async def call(self, name: str, args: Mapping[str, Any], /, **place: Any) -> Any:
        """Execute a call by its name and give the tool's value; *place* are further fields of the call.

        Raises:
            UnknownTool: There is no such tool. No listener hears of it.
            CallError: *args* are no JSON object.
            Veto: The call was refused.
            Exception: Whatever the tool raised.
        """
        return _value(await self._begin(self._call(name, args, place)).run())

    def execute_sync(self, call: ToolExecution) -> ToolExecutionResult:
        """`execute` for hosts that cannot wait: an event loop is entered only if something has to be waited for.

        Inside a running loop that happens in another thread, while this one stands still.
        """
        run = SyncRun()
        return run.run(self._begin(call, run.wait).run()).result

    def call_sync(self, name: str, args: Mapping[str, Any], /, **place: Any) -> Any:
        """`call` for hosts that cannot wait; see `execute_sync`."""
        run = SyncRun()
        return _value(run.run(self._begin(self._call(name, args, place), run.wait).run()))

    def _begin(self, call: ToolExecution, wait: Wait | None = None) -> Passage:
        if type(call) is not ToolExecution:
            raise CallError(f"a call is a ToolExecution, not {type(call).__name__}")
        # While everything is undone, listeners go before tools: a call would run that nobody judges.
        if not self._effects.alive:
            raise InactiveContext("the registry has been unloaded, so that nobody would judge this call")
        lineage = self.context.tree.scopes.lineage(call.agent)
        if lineage or wait is not None:
            return Passage(call, self._plain.changed(lineage, wait))
        return Passage(call, self._plain)

    def _call(self, name: str, args: Mapping[str, Any], place: dict[str, Any]) -> ToolExecution:
        place.setdefault("agent", self.context.agent)
        if self.get(name, agent=place["agent"]) is None:
            raise UnknownTool(name)
        return ToolExecution(f"call-{next(self._numbers)}", name, args, **place)

    def _lineage(self, agent: str | None) -> tuple[str, ...]:
        return self.context.tree.scopes.lineage(agent or self.context.agent)

    def _changed(self, definition: ToolDefinition | None) -> None:
        self.context.tree.events.emit(CHANGE, definition, self._lineage(None))


def _value(outcome: ToolOutcome) -> Any:
    if not outcome.is_error:
        return outcome.value
    if outcome.cause is not None:
        raise outcome.cause
    message = outcome.result.text.removeprefix("Error: ")
    error = outcome.result.error
    if error is not None and error.name == Veto.__name__:
        raise Veto(message, error.code)
    raise ToolFailed(message, "TOOL_FAILED" if error is None else error.code)


class _PromptFeed:
    """The plugin that gives a registry's schemas to the system prompt."""

    name = "tools of the system prompt"
    inject = ("system_prompt",)
    optional = True

    def __init__(self, registry: ToolRegistry) -> None:
        self._registry = registry

    def apply(self, context: Context) -> None:
        """Contribute the schemas that an agent sees."""
        context.system_prompt.tools(lambda agent: self._registry.schemas(agent=agent))
