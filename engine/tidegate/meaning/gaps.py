"""Following a path of which some stretches are not known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import takewhile

from .automata import Automaton
from .links import walk
from .scene import Files, Scene
from .steps import ANY, DIGITS, NOT_SLASH, Many, One, Step, literal
from .values import Hole, Partial, Value, concat, unknown

MOST_ENTRIES = 5_000
_MOST_NAMES = 500

Component = tuple[str | Hole, ...]
"""The pieces of one name of a path; empty between two slashes. `FOLDERS` alone stands for any number of names."""

FOLDERS: Component = (Hole.FOLDERS,)
_ENTRY: Component = (Hole.ENTRY,)


def follow_partial(value: Partial, cwds: Sequence[Value], scene: Scene, *, follow: bool, glob: bool) -> list[Value]:
    """The names of a partly known path that is absolute or begins with a hole.

    The known directories that it begins with are followed. A stretch that could hide a `..` makes everything
    before it unknown, so that only the spelling after it is left. With *glob*, and where the names of a whole tree
    are meant, links that are there and fit the rest are followed as well; else a link among them makes the whole
    unknown.
    """
    pieces = components(value.parts)
    head = list(takewhile(_is_known, pieces))
    rest = [component for component in pieces[len(head) :] if component not in ((), (".",))]
    if rest and rest[-1] == FOLDERS:  # the names end with a slash: what is meant is a folder
        whole = [joined([*head, *rest[:-1]], value.reason), joined([*head, *rest, _ENTRY], value.reason)]
        return [name for each in whole for name in _names(each, cwds, scene, glob=glob)]
    blind = [at for at, component in enumerate(rest) if component == ("..",) or _hides_dots(component, glob=glob)]
    if blind:
        return _after(rest, blind[-1], value.reason)
    if glob:
        rest = [each if FOLDERS in rest[:at][-1:] else _visible(each) for at, each in enumerate(rest)]
    base = walk("/".join("".join(map(str, component)) for component in head), scene.files, cwds, follow=True)
    names = [_beneath(directory, rest, value.reason) for directory in base.names]
    if base.real is not None and scene.files is not None:
        last = follow or pieces[-1] in ((), (".",))
        exact = glob or FOLDERS in rest
        if len(rest) == 1 and not last:
            return list(dict.fromkeys(names))  # a link there is what is meant, and not where it leads
        names += _Search(scene.files, cwds, value.reason, follow=last, exact=exact).names(base.real, rest)
    return list(dict.fromkeys(names))


def _names(path: Value, cwds: Sequence[Value], scene: Scene, *, glob: bool) -> list[Value]:
    if isinstance(path, str):
        return walk(path, scene.files, cwds, follow=True).names
    return follow_partial(path, cwds, scene, follow=True, glob=glob)


def components(parts: tuple[str | Hole, ...]) -> list[Component]:
    """The names between the known slashes of partly known text."""
    found: list[list[str | Hole]] = [[]]
    for part in parts:
        if part is Hole.FOLDERS:
            found[-1:] = [[part], []] if not found[-1] else [[*found[-1], Hole.ANY]]
            continue
        if isinstance(part, Hole):
            found[-1].append(part)
            continue
        first, *others = part.split("/")
        found[-1] += [first] if first else []
        found += [[name] if name else [] for name in others]
    return [tuple(component) for component in found]


def joined(names: Sequence[Component], reason: str) -> Value:
    """Names with a slash between each two."""
    pieces: list[str | Hole] = []
    for before, component in zip(((), *names), names, strict=False):
        pieces += component if before == FOLDERS else ("/", *component)
    parts: list[str | Hole] = []
    for piece in pieces[1:]:
        if parts and isinstance(piece, str) and isinstance(parts[-1], str):
            parts[-1] += piece
        elif piece:
            parts.append(piece)
    if all(isinstance(part, str) for part in parts):
        return "".join(map(str, parts))
    return Partial(tuple(parts), reason)


def _is_known(component: Component) -> bool:
    return Hole not in map(type, component)


def _hides_dots(component: Component, *, glob: bool) -> bool:
    """Whether the component could turn out to be `..`, `.` or nothing, or several names."""
    if _is_known(component) or component in (FOLDERS, _ENTRY):
        return False
    if Hole.ANY in component:
        return True
    if component[0] is Hole.VISIBLE or (glob and isinstance(component[0], Hole)):
        return False  # file name expansion never makes a name that begins with a dot of a hole
    known = "".join([piece for piece in component if isinstance(piece, str)])
    return known in ("", ".", "..") and Hole.DIGITS not in component


def _visible(component: Component) -> Component:
    return (Hole.VISIBLE, *component[1:]) if component[0] is Hole.NAME else component


def matched_names(value: Partial) -> Value:
    """A word that is matched against the names of files, without names that no match has.

    Where a name begins with a wildcard it begins with no dot, so that it is never `.` or `..`; text that matches
    nothing and stays what it is is one of the texts as well.
    """
    names = components(value.parts)
    whole = [_ENTRY if name[:1] == (Hole.NAME,) and _hides_dots(name, glob=False) else name for name in names]
    return joined(whole, value.reason)


# Pure: remembering changes nothing but the cost.
@lru_cache(maxsize=256)
def shape(component: Component) -> Automaton:
    """What a name of these pieces can be."""
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


class Tree:
    """Looks at the names that are really there, as far as a partly known path could mean them, up to a limit."""

    def __init__(self, files: Files, most: int) -> None:
        self.files = files
        self.left = most
        self.seen: set[tuple[str, tuple[Component, ...]]] = set()

    def steps(
        self, directory: str, rest: tuple[Component, ...]
    ) -> Iterator[tuple[str, tuple[Component, ...], bool] | Partial]:
        """Every entry on the way, with what of *rest* follows it and whether it is a link; links are not entered.

        Ends with an unknown where nobody can tell. What was looked at before is left out.
        """
        todo = [(directory, rest)]
        while todo:
            here = todo.pop()
            if here in self.seen:
                continue
            self.seen.add(here)
            for name in self._entries(here[0], here[1][0]):
                if isinstance(name, Partial):
                    yield name
                    return
                path = f"{here[0].rstrip('/')}/{name}"
                linked = self.files.readlink(path) is not None
                for after in _ways(name, here[1]):
                    yield path, after, linked
                    if after and not linked:
                        todo.append((path, after))

    def _entries(self, directory: str, component: Component) -> Iterator[Value]:
        """The names in *directory* that the component could be."""
        if _is_known(component):
            yield "".join(map(str, component))
            return
        found = self.files.names(directory)
        if found is None and self.files.kind(directory) in ("dir", "unknown"):
            yield unknown(f"`{directory}` cannot be listed")
        for name in found or ():
            self.left -= 1
            if self.left < 0:
                yield unknown(f"there are too many names in `{directory}`")
                return
            yield name


class _Search:
    """Finds the names that links give to what a partly known path could mean.

    An unknown among them says that this cannot be told; without *exact* any link says so. *follow* tells whether a
    link at the end is followed.
    """

    def __init__(self, files: Files, cwds: Sequence[Value], reason: str, *, follow: bool, exact: bool) -> None:
        self.files = files
        self.cwds = cwds
        self.reason = reason
        self.follow = follow
        self.exact = exact

    def names(self, directory: str, rest: list[Component]) -> list[Value]:
        """The further names of what *rest* means in *directory*."""
        names: list[Value] = []
        tree = Tree(self.files, MOST_ENTRIES)
        todo = [(directory, tuple(rest))]
        while todo:
            for step in tree.steps(*todo.pop()):
                if isinstance(step, Partial):
                    return [*names, step]
                path, after, linked = step
                if not linked or not (after or self.follow):
                    continue
                if not self.exact or len(names) > _MOST_NAMES:
                    return [*names, unknown(f"`{path}` is a symbolic link")]
                found, real = self._through(path, after)
                names += found
                todo += [(real, after)] if real is not None else []
        return names

    def _through(self, link: str, after: tuple[Component, ...]) -> tuple[list[Value], str | None]:
        """The names of what follows a link, and the folder to go on with where there are holes in it."""
        if all(map(_is_known, after)):
            path = "/".join([link, *("".join(map(str, each)) for each in after)])
            return walk(path, self.files, self.cwds, follow=self.follow).names, None
        target = walk(link, self.files, self.cwds, follow=True)
        return [_beneath(name, list(after), self.reason) for name in (link, *target.names)], target.real


def _ways(name: str, rest: tuple[Component, ...]) -> Iterator[tuple[Component, ...]]:
    """What follows *name* where it is the first name of *rest*; there may be two ways to read it so."""
    if rest[0] == FOLDERS:
        yield rest
        rest = rest[1:]
    hidden = rest[0][0] is Hole.VISIBLE and name.startswith(".")
    if not hidden and shape(rest[0]).accepts(name):
        yield rest[1:]


def split_known(value: Partial) -> tuple[str, tuple[Component, ...]]:
    """The folder that an absolute, partly known path certainly lies in, and the rest of its names."""
    pieces = components(value.parts)
    head = list(takewhile(_is_known, pieces))
    rest = tuple(component for component in pieces[len(head) :] if component not in ((), (".",)))
    return "/".join("".join(map(str, component)) for component in head) or "/", rest
