"""Self-protection: nothing that the plan stands on may be changed by a call that it judges."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen

from ..decision import Answer
from ..kind import Case
from ..meaning.effects import Effect, PathTarget
from ..meaning.pathpatterns import PathPattern, match_any
from ..meaning.tri import Unknown

RULE = "tidegate/self-protection"
MESSAGE = "the rules of this project, and what enforces them, are changed by people only"
UNKNOWN_MESSAGE = "nobody can tell which file this changes, and it could be a rule file; name the file"
_CHANGES = frozenset({"write", "delete"})


@frozen
class Protection:
    """Refuses every write, delete, link and mount on protected paths.

    `paths` name rule files, include folders, state, cache, socket and installed hooks; `folders` are the same
    paths as plain text, for effects on a folder around them. An empty value protects nothing.
    """

    paths: tuple[PathPattern, ...] = ()
    holders: tuple[PathPattern, ...] = ()

    @classmethod
    def of(cls, files: Iterable[str], folders: Iterable[str]) -> Protection:
        """Protect *files* and everything beneath *folders*, all absolute."""
        names = [literal(name) for name in files]
        trees = [literal(name) for name in folders]
        holders = {ancestor for name in (*files, *folders) for ancestor in _ancestors(name)}
        return cls(
            tuple(PathPattern.compile(name) for name in [*names, *(f"{tree}/**" for tree in trees)]),
            tuple(PathPattern.compile(literal(name)) for name in sorted(holders)),
        )

    def answer(self, case: Case) -> Answer | None:
        """Deny a change of what is protected, ask where nobody can tell, and else say nothing."""
        if not self.paths:
            return None
        doubt: Answer | None = None
        for effect in case.effects:
            if effect.kind not in _CHANGES:
                continue
            found = self._touches(effect, case)
            if found is True:
                return Answer(RULE, "path", "deny", "deny", effect, message=MESSAGE)
            if isinstance(found, Unknown) and doubt is None:
                doubt = Answer(RULE, "path", "ask", "deny", effect, note=found.reason, message=UNKNOWN_MESSAGE)
        return doubt

    def _touches(self, effect: Effect, case: Case) -> bool | Unknown:
        target = effect.target
        if not isinstance(target, PathTarget):
            return False
        # What deletes or moves a folder takes along what stands in it.
        patterns = (*self.paths, *self.holders) if effect.kind == "delete" or effect.recursive else self.paths
        return match_any(patterns, target, case.places, widen=True, every=False)


def literal(path: str) -> str:
    """The path as a glob that matches only itself."""
    return "".join(f"\\{character}" if character in "\\*?[]{}" else character for character in path)


def _ancestors(path: str) -> list[str]:
    parts = path.rstrip("/").split("/")
    return ["/".join(parts[:end]) or "/" for end in range(1, len(parts))]
