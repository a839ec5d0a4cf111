"""All re-spellings that keep a command's effect, and how they are put on top of each other."""

from __future__ import annotations

from random import Random

from attrs import frozen

from tests.laws.respelling_deeds import DEEDS
from tests.laws.respelling_places import PLACES
from tests.laws.respelling_runners import RUNNERS
from tests.laws.respelling_sandbox import SEEDS, Seed
from tidegate.assurance.respelling.scripts import Respelling, Script
from tidegate.assurance.respelling.shapes import SHAPES
from tidegate.assurance.respelling.texts import TEXTS
from tidegate.assurance.respelling.words import WORDS

RESPELLINGS: tuple[Respelling, ...] = (*PLACES, *WORDS, *RUNNERS, *SHAPES, *TEXTS)
DEPTH = 4


@frozen
class Composition:
    """A command re-spelled several times."""

    seed: Seed
    names: tuple[str, ...]
    text: str


def respelled(seed: Seed, respelling: Respelling, random: Random) -> Composition | None:
    """The command of *seed* re-spelled once, nothing where there is no place for it."""
    after = respelling.apply(seed.script, random)
    return None if after is None else Composition(seed, (respelling.name,), after.text)


def composed(number: int, seeds: tuple[Seed, ...] = SEEDS) -> Composition:
    """One composition of one to four re-spellings, the same for the same number."""
    random = Random(number)
    seed = random.choice(seeds)
    script, names = seed.script, []
    depth = random.randint(1, DEPTH)
    if seed.by_deed and random.random() < 0.5:
        script = _again(script, random.choice(DEEDS), names, random)
    for _ in range(2):  # names of files and programs can only be changed while they stand apart
        if len(names) < depth and random.random() < 0.3:
            script = _again(script, random.choice(PLACES), names, random)
    while len(names) < depth:
        script = _again(script, random.choice(RESPELLINGS), names, random)
    return Composition(seed, tuple(names), script.text)


def _again(script: Script, respelling: Respelling, names: list[str], random: Random) -> Script:
    after = respelling.apply(script, random)
    if after is None:
        return script
    names.append(respelling.name)
    return after
