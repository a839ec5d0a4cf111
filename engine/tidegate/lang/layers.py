"""Rule files of one to three layers, loaded together."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ..errors import Finding
from ..shown import quote
from . import packs as rule_packs
from . import sources
from .gather import Gathered, Surroundings
from .overrides import Overrides
from .ruleset import LAYERS, Layer, Loaded, RawBinding, RawRule, RuleSet

PathLike = str | os.PathLike[str]


def load(
    *,
    managed: PathLike | None = None,
    project: PathLike | None = None,
    user: PathLike | None = None,
    packs: Path | None = None,
    home: Path | None = None,
    base: Path | None = None,
) -> Loaded:
    """Read the top file of each layer and all that these include.

    Reads the disk and nothing else. `packs` is the folder of the packs, by default the one that is shipped;
    `home` is what `~/` means in an include, by default the home of this process; findings show files relative
    to `base`, by default the folder of the project's top file, or of the first one given.
    Whatever the files hold, the result has what could be read and every finding.

    Raises:
        TypeError: No file is given.
    """
    given: dict[Layer, PathLike | None] = {"managed": managed, "project": project, "user": user}
    tops = {layer: _absolute(path) for layer, path in given.items() if path is not None}
    if not tops:
        raise TypeError("load() needs a rule file for at least one layer")
    around = _surroundings(tops, packs, home, base)
    report: list[Finding] = []
    layers = [Gathered(layer, around, report) for layer in LAYERS if layer in tops]
    for layer in layers:
        layer.load_top(tops[layer.layer])
    return _loaded(layers, report)


def loads(
    text: str | bytes,
    path: PathLike = "rules.toml",
    *,
    layer: Layer = "project",
    packs: Path | None = None,
    home: Path | None = None,
    base: Path | None = None,
) -> Loaded:
    """Read *text* as if it stood in the top file at *path* of a single layer; includes come from the disk.

    For text that is not saved, as from an editor or a pipe. The other parameters are those of `load`.
    """
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    tops = {layer: _absolute(path)}
    report: list[Finding] = []
    gathered = Gathered(layer, _surroundings(tops, packs, home, base), report)
    gathered.load_top(tops[layer], data)
    return _loaded([gathered], report)


def in_file_order(findings: Iterable[Finding], files: Sequence[str]) -> tuple[Finding, ...]:
    """The findings in the order of *files*, then by line and column; those of other files last."""
    order = {name: index for index, name in reversed(list(enumerate(files)))}
    last = len(order)
    return tuple(sorted(findings, key=lambda found: (order.get(found.file, last), found.line, found.column)))


def _absolute(path: PathLike) -> str:
    return Path(path).absolute().as_posix()


def _surroundings(tops: Mapping[Layer, str], packs: Path | None, home: Path | None, base: Path | None) -> Surroundings:
    first = tops.get("project") or next(iter(tops.values()))
    return Surroundings(
        packs=rule_packs.listed(packs or rule_packs.shipped()),
        home=_home() if home is None else home.as_posix(),
        base=_absolute(base) if base else first.rpartition("/")[0],
    )


def _home() -> str | None:
    try:
        return Path.home().as_posix()
    except RuntimeError:  # an account without one, as in some containers
        return None


def _loaded(layers: list[Gathered], report: list[Finding]) -> Loaded:
    for layer in layers:
        report.extend(_duplicate_ids(layer))
    overrides = Overrides.of(layers, report)
    overrides.apply_all()
    report.extend(_retyped(layers))
    files = tuple(name for layer in layers for name in layer.names)
    rule_sets = tuple(found for layer in layers if (found := _rule_set(layer, overrides)) is not None)
    return Loaded(rule_sets, in_file_order(report, files), files)


def _duplicate_ids(layer: Gathered) -> Iterable[Finding]:
    first: dict[str, RawRule] = {}
    for rule in (rule for file in layer.files for rule in file.rules):
        other = first.setdefault(rule.address, rule)
        if other is rule or "#" in rule.address:
            continue
        place = other.span(("id",), "value")
        yield rule.finding(
            ("id",),
            "duplicate-id",
            f"the `id` {quote(rule.id)} is already taken at {place.file}:{place.line}",
            why="decisions, overrides and reports name a rule by its `id`, so it must mean one rule",
            mend="give one of the two another `id`",
            of="value",
        )


def _retyped(layers: list[Gathered]) -> Iterable[Finding]:
    """Findings for bindings that say something else than a higher layer says about the same argument."""
    above: dict[tuple[str, str], RawBinding] = {}
    for layer in layers:
        own = [binding for file in layer.files for binding in file.bindings]
        for binding in own:
            higher = above.get(_bound(binding))
            if higher is not None and higher.table != binding.table:
                yield _loosened(binding, higher)
        above |= {_bound(binding): binding for binding in own}


def _bound(binding: RawBinding) -> tuple[str, str]:
    """What is bound: a name is short for the JSON pointer to it."""
    name = binding.argument
    return binding.tool, name if name.startswith("/") else "/" + name.replace("~", "~0").replace("/", "~1")


def _loosened(binding: RawBinding, higher: RawBinding) -> Finding:
    place = higher.span()
    return binding.finding(
        (),
        "layer-loosens",
        f"{quote(binding.argument)} of {quote(binding.tool)} means something else than in the "
        f"{higher.layer} layer, at {place.file}:{place.line}",
        why="with another meaning the rules of the higher layer would no longer see what the argument does",
        mend="remove it here, or have the higher layer changed",
    )


def _rule_set(layer: Gathered, overrides: Overrides) -> RuleSet | None:
    """The rule set of a layer, or `None` where nothing of its top file could be understood."""
    if layer.top is None or not layer.files or layer.files[-1].source is not layer.top:
        return None
    own, files = layer.files[-1], layer.files
    return RuleSet(
        layer=layer.layer,
        top=own.document,
        folder=os.path.realpath(layer.top.path.rpartition("/")[0] or "/"),
        settings=own.settings,
        rules=tuple(overrides.applied(rule) for file in files for rule in file.rules if rule.kind),
        bindings=tuple(binding for file in files for binding in file.bindings),
        commands=tuple(command for file in files for command in file.commands),
        sources=tuple(file.source for file in files),
        folders=tuple(dict.fromkeys(layer.folders)),
        digest=sources.digest(file.source for file in files),
        readings=tuple(layer.readings),
        globbings=tuple(layer.globbings),
    )
