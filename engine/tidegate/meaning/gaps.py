"""Following a path of which some stretches are not known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

from .automata import Automaton
from .links import walk
from .scene import Files, Scene
from .steps import ANY, DIGITS, NOT_SLASH, Many, One, Step, literal
from .values import Hole, Partial, Value, concat, unknown

MOST_ENTRIES = 1_000

Component = tuple[str | Hole, ...]
"""The pieces of one name of a path; empty between two slashes."""


def follow_partial(value: Partial, cwds: Sequence[Value], scene: Scene, *, follow: bool, glob: bool) -> list[Value]:
    """The names of a partly known path that is absolute or begins with a hole.

    The known directories that it begins with are followed. A stretch that could hide a `..` makes everything
    before it unknown, so that only the spelling after it is left. With *glob*, names that are there and fit the
    rest are followed as well; without, a link among them makes the whole unknown.
    """
    pieces = components(value.parts)
    head = list(takewhile(_is_known, pieces))
    rest = [component for component in pieces[len(head) :] if component not in ((), (".",))]
    blind = [at for at, component in enumerate(rest) if component == ("..",) or _hides_dots(component, glob=glob)]
    if blind:
        return _after(rest, blind[-1], value.reason)
    if glob:
        rest = [_visible(component) for component in rest]
    base = walk("/".join("".join(map(str, component)) for component in head), scene.files, cwds, follow=True)
    names = [_beneath(directory, rest, value.reason) for directory in base.names]
    if base.real is not None and scene.files is not None:
        last = follow or pieces[-1] in ((), (".",))
        for link in _Search(scene.files, follow=last).links(base.real, rest):
            exact = glob and isinstance(link, str)
            names += walk(str(link), scene.files, cwds, follow=last).names if exact else [_doubt(link)]
    return list(dict.fromkeys(names))


def components(parts: tuple[str | Hole, ...]) -> list[Component]:
    """The names between the known slashes of partly known text."""
    found: list[list[str | Hole]] = [[]]
    for part in parts:
        if isinstance(part, Hole):
            found[-1].append(part)
            continue
        first, *others = part.split("/")
        found[-1] += [first] if first else []
        found += [[name] if name else [] for name in others]
    return [tuple(component) for component in found]


def joined(names: Sequence[Component], reason: str) -> Value:
    """Names with a slash between each two."""
    pieces = [piece for component in names for piece in ("/", *component)]
    return concat([piece if isinstance(piece, str) else Partial((piece,), reason) for piece in pieces[1:]])


def _is_known(component: Component) -> bool:
    return not any(isinstance(piece, Hole) for piece in component)


def _hides_dots(component: Component, *, glob: bool) -> bool:
    """Whether the component could turn out to be `..`, `.` or nothing, or several names."""
    if _is_known(component):
        return False
    if Hole.ANY in component:
        return True
    if glob and isinstance(component[0], Hole):
        return False  # file name expansion never makes a name that begins with a dot of a hole
    shape = _shape(component)
    return any(shape.accepts(name) for name in ("", ".", ".."))


def _visible(component: Component) -> Component:
    return (Hole.VISIBLE, *component[1:]) if component[0] is Hole.NAME else component


def _shape(component: Component) -> Automaton:
    steps: list[Step] = []
    for piece in component:
        if isinstance(piece, str):
            steps += literal(piece)
        else:
            steps += (
                [One(DIGITS), Many(DIGITS)] if piece is Hole.DIGITS else [Many(ANY if piece is Hole.ANY else NOT_SLASH)]
            )
    return Automaton([steps])


def _after(rest: list[Component], blind: int, reason: str) -> list[Value]:
    """What is left of a path after its last stretch that could hide a `..`: its spelling, and that it is unknown."""
    hidden = rest[blind]
    hole = max((at for at, piece in enumerate(hidden) if isinstance(piece, Hole)), default=len(hidden))
    tail = hidden[hole + 1 :]
    if _hides_dots((Hole.NAME, *tail), glob=False):
        tail = ()
    if not tail and blind == len(rest) - 1:
        return [unknown(reason)]
    return [joined([(Hole.ANY, *tail), *rest[blind + 1 :]], reason), unknown(reason)]


def _beneath(directory: Value, rest: list[Component], reason: str) -> Value:
    return concat(["" if directory == "/" else directory, "/", joined(rest, reason)])


def _doubt(link: Value) -> Value:
    return unknown(f"`{link}` is a symbolic link") if isinstance(link, str) else link


class _Search:
    """Looks for symbolic links among the names that a partly known path could mean, up to a limit."""

    def __init__(self, files: Files, *, follow: bool) -> None:
        self.files = files
        self.follow = follow
        self.left = MOST_ENTRIES

    def links(self, directory: str, rest: list[Component]) -> Iterator[Value]:
        """The paths, with what follows them, that pass a link; an unknown where that cannot be told."""
        for name in self._entries(directory, rest[0]):
            if not isinstance(name, str):
                yield name
                return
            path = f"{directory.rstrip('/')}/{name}"
            if len(rest) == 1 and not self.follow:
                continue
            if self.files.readlink(path) is not None:
                known = all(map(_is_known, rest[1:]))
                yield _beneath(path, rest[1:], "") if known and len(rest) > 1 else path if known else _doubt(path)
            elif len(rest) > 1:
                yield from self.links(path, rest[1:])

    def _entries(self, directory: str, component: Component) -> Iterator[Value]:
        """The names in *directory* that the component could be."""
        if _is_known(component):
            yield "".join(map(str, component))
            return
        found = self.files.names(directory)
        if found is None and self.files.kind(directory) in ("dir", "unknown"):
            yield unknown(f"`{directory}` cannot be listed")
        shape = _shape(component)
        for name in found or ():
            self.left -= 1
            if self.left < 0:
                yield unknown(f"there are too many names in `{directory}`")
                return
            hidden = component[0] is Hole.VISIBLE and name.startswith(".")
            if not hidden and shape.accepts(name):
                yield name
