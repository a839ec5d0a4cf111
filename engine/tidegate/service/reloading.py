"""Rules and clients loaded again, by signal or when files change; what is broken leaves the last good ones in force."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from logging import getLogger
from pathlib import Path

from ..engine import Engine
from ..errors import RuleError, TidegateError
from .clients import Clients, read_clients
from .metrics import Metrics

_LOG = getLogger("tidegate.serve")
CALM = 200
"""Milliseconds without a further change after which files are read again."""


class Loaded:
    """What is in force: the rules of the engine, and the clients.

    `stale` tells whether newer ones are broken or held back. `told` is called with each line that an operator should
    read, `renewed` with whatever else is read again, such as certificates.
    """

    def __init__(
        self,
        engine: Engine,
        clients: Clients,
        file: Path | None,
        metrics: Metrics,
        told: Callable[[str], None],
        renewed: Callable[[], None] = lambda: None,
    ) -> None:
        self.engine = engine
        self.clients = clients
        self.stale = False
        self._file = file
        self._metrics = metrics
        self._told = told
        self._renewed = renewed

    def again(self) -> None:
        """Load everything again; each part that is broken stays as it is."""
        done = [self._try("rules", self._rules), self._try("clients", self._read_clients)]
        done.append(self._try("certificates", self._renewed_or_raise))
        self.stale = not all(done)
        self._metrics.reloaded(taken=not self.stale)

    def _try(self, what: str, work: Callable[[], bool]) -> bool:
        try:
            taken = work()
        except RuleError as error:
            self._told(str(error))
            taken = False
        except (TidegateError, OSError, ValueError) as error:
            self._told(f"tidegate: {error}")
            taken = False
        except Exception:  # noqa: BLE001 - whatever it was, the last good ones stay in force
            _LOG.exception("the %s could not be loaded again", what)
            taken = False
        if not taken:
            self._told(f"tidegate: the last good {what} stay in force")
        return taken

    def _rules(self) -> bool:
        taken = self.engine.reload()
        for finding in self.engine.findings:
            self._told(str(finding))
        return taken

    def _read_clients(self) -> bool:
        if self._file is not None:
            self.clients = read_clients(self._file)
        return True

    def _renewed_or_raise(self) -> bool:
        self._renewed()
        return True

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders in which a change may concern the rules or the clients."""
        sources = {one.path for rule_set in self.engine.rule_sets for one in rule_set.sources}
        found = {str(Path(path).parent) for path in sources}
        found |= {folder for rule_set in self.engine.rule_sets for folder in rule_set.folders}
        if self._file is not None:
            found.add(str(self._file.absolute().parent))
        return tuple(sorted(folder for folder in found if Path(folder).is_dir()))


class Reloader:
    """Loads again when it is asked to, never twice at once, and once more where it was asked meanwhile."""

    def __init__(self, loaded: Loaded) -> None:
        self._loaded = loaded
        self._asked = asyncio.Event()

    def ask(self) -> None:
        """Have everything loaded again."""
        self._asked.set()

    async def run(self) -> None:
        """Load whenever that was asked; ends by being cancelled."""
        while True:
            await self._asked.wait()
            self._asked.clear()
            await asyncio.to_thread(self._loaded.again)

    async def watch(self) -> None:
        """Ask whenever a file changes where rules and clients stand; ends by being cancelled."""
        from watchfiles import awatch

        while True:
            folders = self._loaded.folders
            async for _ in awatch(*folders, recursive=False, debounce=CALM, step=50):
                self.ask()
                if self._loaded.folders != folders:
                    break
