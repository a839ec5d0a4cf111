"""Readings of text that comes again."""

from types import MappingProxyType

from hypothesis import given
from hypothesis import strategies as st

from tidegate.meaning import remembered
from tidegate.meaning.changes import read_settled
from tidegate.meaning.commands.code import read_code
from tidegate.meaning.commands.interpret import interpret
from tidegate.meaning.commands.table import Table
from tidegate.meaning.effects import Effect
from tidegate.meaning.paths import resolve
from tidegate.meaning.remembered import Remembered
from tidegate.meaning.scene import Scene
from tidegate.meaning.shell.walk import walk
from tidegate.meaning.urls import read_host

TABLE = Table.builtin()
CWD = "/srv/project"
LINES = (
    "cat a b/c",
    "rm -rf b",
    "cat *",
    "find b -name '*.txt' -exec rm {} +",
    "for f in *.txt; do cat $f; done",
    "cp a b && cat b/a",
    "ls | xargs rm",
    "echo $x > $HOME/a",
    "rm -r ~other/a",
)


class Tree:
    """A file system that is changed between two readings."""

    def __init__(self, links, folders):
        self.links = links
        self.folders = folders

    def readlink(self, path):
        return self.links.get(path)

    def kind(self, path):
        return "link" if path in self.links else "dir" if path in self.folders else "file"

    def names(self, path):
        return self.folders.get(path)


class Counted:
    """A reading that counts how often it is made."""

    def __init__(self, line):
        self.line = line
        self.count = 0

    def __call__(self, scene):
        self.count += 1
        return read(self.line, scene)


def read(line, scene):
    def walked(scene):
        return walk(
            line,
            scene,
            lambda command: interpret(command, scene, TABLE),
            resolve=resolve,
            read_host=read_host,
            read_code=lambda language, text, command: read_code(language, text, command, scene),
        )

    return read_settled(scene, walked)


paths = st.sampled_from([f"{CWD}/a", f"{CWD}/b", f"{CWD}/b/c", CWD, "/home/dev/a"])
trees = st.builds(
    Tree,
    st.dictionaries(paths, st.sampled_from(["/etc", "b", "..", "/home/dev"]), max_size=3),
    st.dictionaries(paths, st.lists(st.sampled_from(["a", "b.txt", "c d", "-r"]), max_size=3, unique=True), max_size=3),
)
scenes = st.builds(
    Scene,
    st.sampled_from([CWD, "/home/dev", None]),
    st.sampled_from(["/home/dev", None]),
    trees | st.none(),
    environment=st.dictionaries(st.sampled_from(["x", "HOME", "CDPATH"]), st.sampled_from(["a", "/b"]), max_size=2),
    complete_environment=st.booleans(),
    homes=st.dictionaries(st.just("other"), st.sampled_from(["/home/other", "/o"]), max_size=1),
)


@given(st.lists(st.tuples(st.sampled_from(LINES), scenes), min_size=2, max_size=6))
def test_memory_says_what_a_new_reading_would_say(calls):
    """Whatever of the scene has changed since a text was read."""
    memory = Remembered()
    for line, scene in [*calls, *calls]:
        said = memory.read(line, "", scene, lambda scene, line=line: read(line, scene))

        assert list(said) == list(read(line, scene))


@given(st.sampled_from(LINES), trees, trees)
def test_memory_says_what_a_new_reading_would_say_when_the_tree_is_changed_in_place(line, before, after):
    tree = Tree(dict(before.links), dict(before.folders))
    scene = Scene(CWD, "/home/dev", tree)
    memory = Remembered()
    memory.read(line, "", scene, lambda scene: read(line, scene))
    tree.links, tree.folders = after.links, after.folders

    assert list(memory.read(line, "", scene, lambda scene: read(line, scene))) == list(read(line, scene))


def test_text_is_read_once_as_long_as_nothing_has_changed():
    """With and without a file system, which is asked again."""
    for files in (None, Tree({f"{CWD}/a": "b"}, {CWD: ["a", "b"]})):
        memory, reading = Remembered(), Counted("cat a *")
        for _ in range(3):
            scene = Scene(CWD, "/home/dev", files, environment=MappingProxyType({"x": "1"}))
            memory.read(reading.line, "", scene, reading)

        assert reading.count == 1


def test_text_is_read_again_when_it_is_read_another_way():
    memory, reading = Remembered(), Counted("cat a")
    for way in ("bash", "sh", "bash"):
        memory.read(reading.line, way, Scene(CWD), reading)

    assert reading.count == 2


def test_environment_and_folders_that_are_changed_in_place_are_new_ones():
    """What a reading rests on is kept as it was."""
    names, environment = ["a"], {"x": "1"}
    tree = Tree({}, {CWD: names})
    scene = Scene(CWD, "/home/dev", tree, environment=environment)
    memory, reading = Remembered(), Counted("cat *")
    memory.read(reading.line, "", scene, reading)
    names.append("b")
    memory.read(reading.line, "", scene, reading)
    environment["x"] = "2"
    memory.read(reading.line, "", scene, reading)

    assert reading.count == 3


def test_memory_is_bounded():
    """In how many texts it holds, and in how long they and what they come to are."""
    memory = Remembered()
    for number in range(remembered.MOST_READINGS * 2 + 1):
        memory.read(f"cat {number}", "", Scene(CWD), lambda _: [])

    assert len(memory._readings) <= remembered.MOST_READINGS
    many = [Effect("use", "x")] * (remembered.MOST_EFFECTS + 1)
    crowd = Tree({}, {CWD: [str(number) for number in range(remembered.MOST_ANSWERS + 1)]})
    memory = Remembered()
    memory.read("x" * (remembered.LONGEST + 1), "", Scene(CWD), lambda _: [])
    memory.read("many", "", Scene(CWD), lambda _: many)
    memory.read("crowd", "", Scene(CWD, None, crowd), lambda scene: scene.files.names(CWD) and [])

    assert not memory._readings


def test_names_are_told_up_to_a_number_and_are_unknown_past_it():
    """A text that has one tree looked through again and again ends in unknown; it is not remembered as it ended."""
    names = [f"n{number}" for number in range(remembered.MOST_LISTED // 8)]
    scene = Scene(CWD, files=Tree({}, {CWD: names}))
    line = "; ".join(f"cat n{number}*" for number in range(12))
    told = []

    class Telling(Tree):
        def names(self, path):
            told.append(path)
            return super().names(path)

    counted = Counted(line)
    memory = Remembered()
    effects = memory.read(line, (), Scene(CWD, files=Telling({}, {CWD: names})), counted)
    first = counted.count
    memory.read(line, (), scene, counted)

    listed = [effect for effect in effects if effect.kind == "read"]
    assert told == [CWD]
    assert counted.count > first
    assert any("cannot be listed" in str(name) for name in listed[-1].target.names)
    assert not any("cannot be listed" in str(name) for name in listed[0].target.names)
