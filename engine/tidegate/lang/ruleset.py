"""What the rule files of one layer say, as values: rules, bindings, settings, and where they were written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from attrs import field, frozen

from ..errors import Finding, Severity
from .document import Document, Of, Span
from .scan import KeyPath

Layer = Literal["managed", "project", "user"]

LAYERS: tuple[Layer, ...] = ("managed", "project", "user")
"""The layers from the highest to the lowest."""


@frozen
class Source:
    """One file that was read.

    `shown` is its name in findings (`policies/web.toml`, `pack:baseline`), `path` the absolute path as it was
    named, `real` the same with every symlink resolved, `digest` the SHA-256 of its bytes in hex, and `pack`
    the namespace of its rules (`baseline`), empty for the top file and plain includes.
    """

    shown: str
    path: str
    real: str
    digest: str
    pack: str = ""


class Reading(NamedTuple):
    """That a file was read.

    `path` is as it was named, `real` the same with every symlink resolved, `identity` tells which file stood there, and
    `digest` is the SHA-256 of its bytes in hex.
    """

    path: str
    real: str
    identity: tuple[int | str, ...]
    digest: str


class Globbing(NamedTuple):
    """That a glob was looked up beneath a folder, and the paths that it named."""

    folder: str
    pattern: str
    paths: tuple[str, ...]


@frozen(kw_only=True)
class Entry:
    """One table of a rule file, as it was written.

    `path` is where the table stands in its document; `table` its values, never changed.
    """

    document: Document = field(repr=False)
    path: KeyPath
    table: Mapping[str, Any]

    def span(self, path: KeyPath = (), of: Of = "key") -> Span:
        """Where a key or value of this table stands; *path* is relative to the table, empty for its header."""
        return self.document.span(self.path + path, of)

    def finding(
        self,
        path: KeyPath,
        code: str,
        what: str,
        *,
        why: str,
        mend: str,
        of: Of = "key",
        severity: Severity = "error",
    ) -> Finding:
        """A finding that points at a key or value of this table; *path* is relative to the table."""
        return Finding(*self.span(path, of), code, what, why, mend, severity)


@frozen
class Origin:
    """A table of another place (`[[override]]`) from which fields of a rule come.

    For a field that was added to, `start` is the position in the whole list at which its items begin.
    """

    document: Document = field(repr=False)
    path: KeyPath
    start: int = 0


@frozen(kw_only=True)
class RawRule(Entry):
    """One rule before its kind has seen it.

    `id` is the name as written, `address` the one to refer to it by (`baseline/secrets`), unique in its layer
    unless there are findings. `fields` holds everything but `id`, `kind` and `overridable`, overrides applied;
    Where the `id` is missing or refused, the address is `#3`, the third rule of its file.
    `replaced` says for each overridden field where it comes from, `added` the same for items added to `except`.
    """

    id: str
    address: str
    kind: str
    fields: Mapping[str, Any]
    overridable: bool
    layer: Layer
    source: Source
    replaced: Mapping[str, Origin] = field(factory=dict)
    added: tuple[Origin, ...] = ()

    def span(self, path: KeyPath = (), of: Of = "key") -> Span:
        """Where a field of this rule stands, also when an override wrote it."""
        if len(path) > 1 and path[0] == "except" and isinstance(path[1], int):
            for origin in reversed(self.added):
                if path[1] >= origin.start:
                    moved: KeyPath = ("except", path[1] - origin.start, *path[2:])
                    return origin.document.span(origin.path + moved, of)
        if path and (written := self.replaced.get(str(path[0]))) is not None:
            return written.document.span(written.path + path, of)
        return self.document.span(self.path + path, of)


@frozen(kw_only=True)
class RawBinding(Entry):
    """What one argument of a tool means: the table under `[tools.NAME]`.

    `tool` is a name or glob, `argument` a name or a JSON pointer, as written.
    """

    tool: str
    argument: str
    layer: Layer
    source: Source


@frozen(kw_only=True)
class RawCommand(Entry):
    """One entry of `[commands.NAME]`, which adds to the table of commands."""

    name: str
    layer: Layer
    source: Source


@frozen
class Settings:
    """The keys that stand once per layer, in its top file.

    `kinds` names the third-party kinds that may be loaded. A layer that does not say `default` denies.
    """

    default: Literal["allow", "ask", "deny"] = "deny"
    mode: Literal["enforce", "monitor"] = "enforce"
    delegate: tuple[str, ...] = ()
    reload: Literal["any", "stricter"] = "any"
    self_protection: bool = True
    kinds: tuple[str, ...] = ()


@frozen(kw_only=True)
class RuleSet:
    """Everything that one layer says.

    `top` is its top file and `folder` the absolute folder of it, which stands for `{root}` where a call has none.
    `rules`, `bindings`, `commands` and `sources` stand in load order: included files first, depth first, each file
    once, then the file's own. `folders` are the folders that includes look into, as named and as resolved; a new
    file there could change the rule set.
    `digest` is the SHA-256 over all sources in that order, names of packs included.
    `readings` and `globbings` are all that was asked of the disk; who asks again and is told the same (`lang.standing`)
    would load the same rule set.
    """

    layer: Layer
    top: Document = field(repr=False)
    folder: str
    settings: Settings
    rules: tuple[RawRule, ...]
    bindings: tuple[RawBinding, ...]
    commands: tuple[RawCommand, ...]
    sources: tuple[Source, ...]
    folders: tuple[str, ...]
    digest: str
    readings: tuple[Reading, ...] = field(default=(), repr=False, eq=False)
    globbings: tuple[Globbing, ...] = field(default=(), repr=False, eq=False)


@frozen
class Loaded:
    """The rule sets of all layers whose top file is valid TOML, highest first, and every finding.

    `files` lists the names of all files, also those that could not be read, in the order of findings.
    """

    rule_sets: tuple[RuleSet, ...]
    findings: tuple[Finding, ...]
    files: tuple[str, ...]

    @property
    def broken(self) -> bool:
        """Whether a finding is an error, so that no plan may be made."""
        return any(finding.severity == "error" for finding in self.findings)
