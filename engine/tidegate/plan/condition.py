"""Compiled `when` and `except` tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attrs import frozen

from ..call import Call
from ..kind import Case
from ..meaning.commands.patterns import CommandPattern
from ..meaning.comparing import Comparison, denies_path, denies_url, grants_path, grants_url
from ..meaning.effects import PATH_EFFECTS, Effect, Invocation, UrlTarget
from ..meaning.pathpatterns import PathPattern
from ..meaning.scene import Scene
from ..meaning.tri import Tri, Unknown, all_of, any_of
from ..meaning.urlpatterns import UrlPattern
from ..pointers import MISSING, Pointer, values_at
from ..shown import quote

NameTest = Callable[[str], bool]


@frozen
class Condition:
    """One table; everything in it must hold.

    Attributes:
        words: Tests by what they are about: `tool`, `agent`, `session`, `mode`.
        arguments: Tests of arguments, each with where it looks.
        variables: Tests of variables of the environment, each with the name.
        expires: Seconds since the epoch after which an exception stops counting.
    """

    words: Mapping[str, NameTest]
    arguments: tuple[tuple[Pointer, Callable[[Any], Tri]], ...]
    paths: tuple[PathPattern, ...] = ()
    urls: tuple[UrlPattern, ...] = ()
    commands: tuple[CommandPattern, ...] = ()
    variables: tuple[tuple[str, Callable[[Any], Tri]], ...] = ()
    expires: float | None = None

    def applies(self, case: Case) -> Tri:
        """Whether the condition holds for the call as a whole; what is absent or of another type makes it unknown.

        A look-alike is unknown too: a deny then applies, and a grant does not.
        """
        parts = [self.holds_of(case.call, case.places.scene)]
        if self.paths:
            parts.append(any_of(self._path(effect, case) for effect in case.effects))
        if self.urls:
            parts.append(any_of(self._url(effect) for effect in case.effects))
        if self.commands:
            parts.append(any_of(self._command(effect, case) for effect in case.effects))
        return all_of(parts)

    def excepts(self, effect: Effect, case: Case) -> Tri:
        """Whether the condition excepts this one effect; it is matched as a grant, and never widens."""
        if self.expires is not None and case.now >= self.expires:
            return False
        parts = [self.holds_of(case.call, case.places.scene)]
        if self.paths:
            parts.append(grants_path(self.paths, effect, case.places))
        if self.urls:
            parts.append(_named_url(effect, self.urls))
        if self.commands:
            parts.append(_granted(effect, self.commands, case))
        return all_of(parts)

    def holds_of(self, call: Call, scene: Scene) -> Tri:
        """Whether what the condition says of the call itself and of its environment holds, whatever the call does."""
        known = {"tool": call.tool.name, "agent": call.agent, "session": call.session, "mode": call.mode}
        words = (_test(test, known[about], about) for about, test in self.words.items())
        arguments = (_argument(pointer, test, call.arguments) for pointer, test in self.arguments)
        variables = (_variable(name, test, scene) for name, test in self.variables)
        return all_of([*words, *arguments, *variables])

    def _path(self, effect: Effect, case: Case) -> Tri:
        strict = grants_path(self.paths, effect, case.places)
        if strict is True or effect.kind not in PATH_EFFECTS:
            return _unless_doubtful(effect, strict)
        wide = denies_path(self.paths, effect, case.places)
        return False if wide is False else Unknown("only one of the names of the path matches")

    def _url(self, effect: Effect) -> Tri:
        if isinstance(effect.target, UrlTarget) and effect.target.origin is not None:
            return False  # where redirects lead, the call does not say; where they begin has an effect of its own
        strict = _named_url(effect, self.urls)
        if strict is True or not isinstance(effect.target, UrlTarget):
            return _unless_doubtful(effect, strict)
        wide = denies_url(self.urls, effect.target)
        return False if wide is False else Unknown("only one reading of the URL matches")

    def _command(self, effect: Effect, case: Case) -> Tri:
        if not isinstance(effect.target, Invocation):
            return _unless_doubtful(effect, False)
        target, compare = effect.target, Comparison(case.places)
        if any(pattern.match_grant(target, compare) is True for pattern in self.commands):
            return True
        wide = any_of(pattern.match_deny(target, compare) for pattern in self.commands)
        return False if wide is False else Unknown("the command does more than the pattern names")


def _unless_doubtful(effect: Effect, said: Tri) -> Tri:
    """What was said, but of an effect that nobody can read, nothing can be."""
    return Unknown(str(effect.target)) if effect.kind == "unknown" else said


def _test(test: NameTest, name: str | None, about: str) -> Tri:
    return Unknown(f"the call does not say its {about}") if name is None else test(name)


def _argument(pointer: Pointer, test: Callable[[Any], Tri], arguments: Mapping[str, Any]) -> Tri:
    found = values_at(arguments, pointer)
    if not found or MISSING in (value for _, value in found):
        return Unknown(f"the argument {quote('/'.join(map(str, pointer)))} is missing")
    return all_of([test(value) for _, value in found])


def _variable(name: str, test: Callable[[Any], Tri], scene: Scene) -> Tri:
    """What a test says of a variable; one that is not set in an environment that somebody attests meets none."""
    if not scene.environment and not scene.complete_environment:  # every process has some: nobody told us
        return Unknown(f"nobody attests the variable {quote(name)}")
    return test(scene.environment[name]) if name in scene.environment else False


def _named_url(effect: Effect, patterns: tuple[UrlPattern, ...]) -> Tri:
    return grants_url(patterns, effect.target) if isinstance(effect.target, UrlTarget) else False


def _granted(effect: Effect, patterns: tuple[CommandPattern, ...], case: Case) -> Tri:
    """Whether a command pattern grants the simple command that the effect is or belongs to."""
    command = effect.target if isinstance(effect.target, Invocation) else effect.by
    if command is None:
        return False
    compare = Comparison(case.places)
    return any(
        pattern.match_grant(command, compare) is True and (effect.kind == "exec" or pattern.covers(effect))
        for pattern in patterns
    )
