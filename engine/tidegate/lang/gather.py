"""The files of one layer: its top file and all that it includes, each once, in load order."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from attrs import define, field, frozen

from ..errors import Finding
from . import globs, includes, sources
from .includes import Asked
from .parse import parse
from .rulefile import RuleFile, read
from .ruleset import Globbing, Layer, Reading, Source
from .sources import Content, Identity

MAX_INCLUDE_DEPTH = 32
"""Through how many files a file may be included."""


@frozen
class Surroundings:
    """What includes may refer to: the packs, the home folder if any, and the folder at which shown names begin."""

    packs: Mapping[str, str]
    home: str | None
    base: str


@define
class Gathered:
    """The rule files of one layer in load order.

    `names` are the shown names of all files, also of those that could not be read; `reach` says which other
    files a file includes, directly or through others; `folders` are those that globs look into,
    `readings` and `globbings` what was asked of the disk.
    `complete` is false where a file is missing or could not be read, so that a rule may be unknown only for that.
    """

    layer: Layer
    surroundings: Surroundings
    report: list[Finding]
    top: Source | None = None
    files: list[RuleFile] = field(factory=list)
    names: list[str] = field(factory=list)
    folders: list[str] = field(factory=list)
    readings: list[Reading] = field(factory=list)
    globbings: list[Globbing] = field(factory=list)
    reach: dict[Source, frozenset[Source]] = field(factory=dict)
    complete: bool = True
    _known: dict[Identity, Source] = field(factory=dict)

    def load_top(self, path: str, data: bytes | None = None) -> None:
        """Read the top file at *path* and all that it includes; *data* is its content where the disk is not asked."""
        content = self._read(path, None) if data is None else Content(data, ("given",))
        if content is None:
            self.names.append(sources.shown(path, self.surroundings.base))
        else:
            self._load(path, "", content, {})

    def _load(self, path: str, pack: str, content: Content, chain: dict[Identity, str]) -> Source:
        is_pack = self.surroundings.packs.get(pack) == path
        name = f"pack:{pack}" if is_pack else sources.shown(path, self.surroundings.base)
        source = sources.source(path, name, pack, content.data)
        self.top = self.top or source
        self._known[content.identity] = source
        document = parse(content.data, name, self.report)
        reached: set[Source] = set()
        if document is None:
            self.complete = False
        else:
            file = read(document, source, self.layer, self.top, self.report)
            for index, text in file.includes:
                for included in self._include(Asked(document, index, text), source, {**chain, content.identity: name}):
                    reached |= {included, *self.reach[included]}
            self.files.append(file)
        self.reach[source] = frozenset(reached)
        self.names.append(name)
        return source

    def _include(self, asked: Asked, source: Source, chain: dict[Identity, str]) -> Iterator[Source]:
        """Load what an entry of `include` names, unless it is there already."""
        around = self.surroundings
        named = includes.resolve(asked, source.path.rpartition("/")[0], source.pack, around.packs, around.home)
        if isinstance(named, Finding):
            self._fail(named)
            return
        if named.globbing is not None:
            self.globbings.append(named.globbing)
            folder = globs.fixed(named.globbing.folder, named.globbing.pattern)
            self.folders += (folder, os.path.realpath(folder))
        for path in named.paths:
            content = self._read(path, asked)
            if content is None:
                continue
            if content.identity in chain:
                self._fail(includes.cycle(asked, _circle(chain, content.identity)))
            elif content.identity in self._known:
                yield self._known[content.identity]
            elif len(chain) > MAX_INCLUDE_DEPTH:
                self._fail(includes.too_deep(asked, MAX_INCLUDE_DEPTH))
            else:
                yield self._load(path, named.pack, content, chain)

    def _read(self, path: str, asked: Asked | None) -> Content | None:
        """The content of a file; where there is none, the finding points at the include that asked for it."""
        name = sources.shown(path, self.surroundings.base)
        try:
            content = sources.read(path)
        except FileNotFoundError:
            self._fail(includes.missing(asked, self.surroundings.packs) if asked else _missing(name))
        except sources.NoFile:
            self._fail(includes.not_a_file(asked) if asked else _no_file(name))
        except (OSError, ValueError) as error:
            refusal = includes.reason(error)
            self._fail(includes.unreadable(asked, name, refusal) if asked else _unreadable(name, refusal))
        else:
            self.readings.append(sources.reading(path, content))
            return content
        return None

    def _fail(self, finding: Finding) -> None:
        self.report.append(finding)
        self.complete = False


def _circle(chain: dict[Identity, str], identity: Identity) -> tuple[str, ...]:
    """The names from the file that is included again, through the others, back to it."""
    names = list(chain.values())[list(chain).index(identity) :]
    return (*names, names[0])


def _missing(name: str) -> Finding:
    return Finding(
        name,
        0,
        0,
        "missing-file",
        "there is no such file",
        "without its rules nothing would be guarded, so no plan is made",
        "correct the path, or write a first rule file with `tidegate new policy`",
    )


def _no_file(name: str) -> Finding:
    return Finding(
        name,
        0,
        0,
        "not-a-file",
        "this is no file",
        "rules come from a file, whole and at once",
        "name the top rule file",
    )


def _unreadable(name: str, refusal: str) -> Finding:
    return Finding(
        name,
        0,
        0,
        "unreadable-file",
        f"this file cannot be read: {refusal}",
        "without its rules nothing would be guarded, so no plan is made",
        "let the user that runs tidegate read it",
    )
