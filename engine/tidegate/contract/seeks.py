"""What a rule needs to find in a call to say anything of it, for the index."""

from __future__ import annotations

from collections.abc import Callable

from attrs import frozen

from ..call import Tool
from ..meaning.commands.patterns import CommandPattern
from ..meaning.pathpatterns import PathPattern
from ..meaning.urlpatterns import UrlPattern
from ..predicates.index import Needed


@frozen
class Seeks:
    """A promise of a guard rule, so that an index can leave it out: without one of these it answers nothing.

    Attributes:
        tool: Whether it can say anything of a call of that tool, whatever the call does; `None` is every tool. It looks
            at the identity of the tool alone, for it is asked once for all calls.
        paths: Patterns of which one names the path of an effect (or a mention), or what is beneath where the effect is
            recursive.
        urls: Patterns of which one names the URL of an effect or a mention.
        commands: Patterns of which one names a simple command of the call.
        texts: Predicates of which one holds of an argument.

    A rule that only says something of its `tool`, and nothing of what else is in a call, is not left out for that
    tool. What the plan itself answers for the rule (`unknown` effects, `code`) is no part of the promise.
    """

    tool: Callable[[Tool], bool] | None = None
    paths: tuple[PathPattern, ...] = ()
    urls: tuple[UrlPattern, ...] = ()
    commands: tuple[CommandPattern, ...] = ()
    texts: tuple[Needed, ...] = ()

    @property
    def anything(self) -> bool:
        """Whether the rule may answer whatever a call of its tool holds."""
        return not (self.paths or self.urls or self.commands or self.texts)
