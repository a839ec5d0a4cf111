"""Readings of text that was read before, for as long as every fact that they rest on is what it was."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from operator import attrgetter
from typing import Literal, NamedTuple, cast

from attrs import evolve, fields

from .effects import Effect
from .scene import Files, Scene

MOST_READINGS = 512
LONGEST = 10_000
MOST_EFFECTS = 200
MOST_ANSWERS = 500
"""A longer text, a reading with more effects, and one with more answers, where each name in a folder counts as one, are
read anew each time: together these bound the memory."""

MOST_LISTED = 40_000
"""How many names the reading of one text is told; past that no folder can be listed, and what is in it is unknown."""

_place = attrgetter(*[each.name for each in fields(Scene) if each.name != "files"])
_Question = tuple[Literal["readlink", "kind", "names"], str]
_Answer = str | list[str] | None


class _Held(NamedTuple):
    """One reading: its effects, everything of its scene but the files, and what the file system answered."""

    effects: Sequence[Effect]
    place: tuple[object, ...]
    answers: Mapping[_Question, _Answer] | None

    def holds_in(self, scene: Scene) -> bool:
        """Whether a reading in *scene* would come to the same.

        A reading is a function of its text and of the answers that it gets: where each question that was asked has
        the same answer, the same questions would be asked, and the same effects be found.
        """
        files = scene.files
        if _place(scene) != self.place:
            return False
        if files is None or self.answers is None:
            return files is None and self.answers is None
        return all(_ask(files, question) == answer for question, answer in self.answers.items())


class Remembered:
    """A bounded number of readings, each of which is looked up by what was read."""

    __slots__ = ("_readings",)

    def __init__(self) -> None:
        """Nothing has been read yet."""
        self._readings: dict[Hashable, _Held] = {}

    def read(
        self, text: str, way: Hashable, scene: Scene, read: Callable[[Scene], Sequence[Effect]]
    ) -> Sequence[Effect]:
        """What *read* finds in *scene*, or what it found in a reading of the same *text* that still holds.

        *way* is everything besides text and scene on which *read* depends.
        """
        key = (text, way)
        held = self._readings.get(key)
        if held is not None and held.holds_in(scene):
            return held.effects
        asked = _Asked(scene.files) if scene.files is not None else None
        effects = read(scene if asked is None else evolve(scene, files=asked))
        if len(text) <= LONGEST and len(effects) <= MOST_EFFECTS and (asked is None or asked.weight <= MOST_ANSWERS):
            if len(self._readings) >= MOST_READINGS:
                self._readings.clear()  # in one step, as other threads may read at the same time
            # What may be changed in place is copied.
            place = tuple([dict(part) if isinstance(part, Mapping) else part for part in _place(scene)])
            self._readings[key] = _Held(tuple(effects), place, None if asked is None else asked.answers)
        return effects


class _Asked:
    """A file system that notes what it is asked, and gives the same answer when it is asked again.

    It tells at most `MOST_LISTED` names, counted as often as they are told: a text can have the same tree looked
    through thousands of times. A reading that asked for more is not remembered.
    """

    def __init__(self, files: Files) -> None:
        self._files = files
        self._left = MOST_LISTED
        self.answers: dict[_Question, _Answer] = {}
        self.weight = 0

    def readlink(self, path: str) -> str | None:
        """The target of the symlink at *path*."""
        return cast("str | None", self._answer(("readlink", path)))

    def kind(self, path: str) -> Literal["file", "dir", "link", "other", "absent", "unknown"]:
        """What stands at *path*."""
        return cast("Literal['file', 'dir', 'link', 'other', 'absent', 'unknown']", self._answer(("kind", path)))

    def names(self, path: str) -> list[str] | None:
        """The entries of the directory at *path*."""
        found = cast("list[str] | None", self._answer(("names", path)))
        self._left -= len(found or ())
        if self._left >= 0:
            return found
        self.weight = MOST_ANSWERS + 1
        return None

    def _answer(self, question: _Question) -> _Answer:
        if question in self.answers:
            return self.answers[question]
        answer = self.answers[question] = _ask(self._files, question)
        self.weight += 1 + (len(answer) if isinstance(answer, list) else 0)
        return answer


def _ask(files: Files, question: _Question) -> _Answer:
    name, path = question
    if name == "readlink":
        return files.readlink(path)
    if name == "kind":
        return files.kind(path)
    found = files.names(path)
    return None if found is None else [*found]  # whoever keeps it may change it
