"""What a rule may know besides the call: clock, counters, file system, resolver, environment; always injected."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol

from attrs import field, frozen

from ..errors import StoreError
from .history import LIVE, History, MemoryHistory
from .texts import Texts

if TYPE_CHECKING:
    from ..meaning.addresses import Resolver
    from ..meaning.scene import Files
    from .approvals import Approvals
    from .clock import Clock
    from .counters import Counters


RECORDED = "recorded"
"""The store in which calls with a time of their own are counted: recorded calls must not move time for live ones."""


def in_memory() -> Callable[[str], History]:
    """Histories in this process, one for each store."""
    kept = {LIVE: MemoryHistory(), RECORDED: MemoryHistory()}
    return kept.__getitem__


@frozen
class Facts:
    """The facts of one engine.

    Attributes:
        clock: Tells the time.
        counters: Finds the counters of a store by its name (`memory`, `sqlite`, `redis`, `RECORDED`).
        files: The file system in which tools run, `None` where it is not this machine's.
        environment: The variables with which tools start.
        complete_environment: Whether a tool that runs shell text starts a shell of its own for each call, with these
            variables and no others, without start files and arguments, and with nothing to read from its standard
            input (`run_bash` of the toolbox does). A variable that is not among them is empty then. Say so of no
            harness that restores a snapshot of a shell, or that can type into what runs.
        homes: Home folders of the accounts of the machine, by name.
        cwd: The folder of a call that does not say its own, `None` where nobody attests one.
        home: The same for the home folder.
        rooted: Whether the folder of the rule files is the root of a call that does not say its own; not so where calls
            come from elsewhere.
        own: Absolute paths of state, cache and socket, which no judged call may change.
        verified: Where verified digests are remembered, `None` for nowhere.
        approvals: What people have allowed beyond one moment, `None` where nothing is kept.
        digest: Gives the digest of a file of code, raises `OSError` where it cannot be read; `None` where the files of
            the tools are not at hand.
        history: Finds what happened in sessions, by the name of a store (`history.LIVE`, `RECORDED`).
        texts: What sessions were told; it is in this process only.
        resolver: Tells where the names of hosts lead, `None` where nobody does. It may wait for an answer; it is asked
            only for rules that say `resolve = true`, and by tools that dial what was judged.
    """

    clock: Clock
    counters: Callable[[str], Counters]
    files: Files | None = None
    environment: Mapping[str, str] = field(factory=dict)
    complete_environment: bool = False
    homes: Mapping[str, str] = field(factory=dict)
    cwd: Callable[[], str | None] = field(default=lambda: None)
    home: str | None = None
    rooted: bool = True
    own: tuple[str, ...] = ()
    verified: Verified | None = None
    resolver: Resolver | None = None
    approvals: Approvals | None = None
    digest: Callable[[str], str] | None = None
    history: Callable[[str], History] = field(factory=in_memory)
    texts: Texts = field(factory=Texts)

    def need_approvals(self) -> Approvals:
        """Where approvals are kept.

        Raises:
            StoreError: Nowhere.
        """
        if self.approvals is None:
            raise StoreError("approvals are kept nowhere")
        return self.approvals


class Verified(Protocol):
    """Remembers the digests of rule sets whose examples were run and held."""

    def knows(self, digest: str) -> bool:
        """Whether the examples of this digest held once; never raises."""

    def note(self, digest: str) -> None:
        """Remember that they held; never raises, since forgetting only costs time."""
