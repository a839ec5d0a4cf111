"""A process that the next scene uses again where it wants the same rules and they count nothing."""

import atexit
from contextlib import ExitStack


class Shared:
    """What runs for the last scene; it ends when another is wanted, and with this process."""

    def __init__(self):
        self._open, self._rules, self._found = ExitStack(), None, None
        atexit.register(self._open.close)

    def of(self, scene, start):
        """What runs with the rules of *scene*; *start* gives a context in which it does, with its rule text."""
        rules = scene.rules.read_text(encoding="utf-8")
        if self._rules != rules or scene.breaks:
            self._open.close()
            self._rules = None
            self._found = self._open.enter_context(start(scene, rules))
        self._rules = None if scene.breaks or "limit" in rules else rules
        return self._found
