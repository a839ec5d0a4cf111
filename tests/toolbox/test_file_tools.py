"""The file tools: what they do, and that nothing outside of the root is ever touched."""

import os

import pytest

from tidegate import Context, ToolExecution, ToolRegistry
from tidegate.toolbox.files import MOST_MATCHES, file_tools
from tidegate.toolbox.folder import Folder

ATOMIC = os.open in os.supports_dir_fd
pytestmark = pytest.mark.skipif(os.name != "posix", reason="links and pipes are made as POSIX does")


@pytest.fixture(params=[pytest.param(True, id="atomic"), pytest.param(False, id="checked")])
def call(request, tmp_path):
    """Runs a tool in `tmp_path/project`; both ways of opening are tried."""
    root = tmp_path / "project"
    root.mkdir()
    registry = ToolRegistry(Context())
    for definition in file_tools(Folder(str(root), atomic=request.param)):
        registry.register(definition)

    def run(name, cwd=root, **args):
        return registry.execute_sync(ToolExecution("1", name, args, cwd=str(cwd), root=str(root)))

    run.root = root
    return run


def text(result):
    assert not result.is_error, result.text
    return result.text


def refusal(result):
    assert result.is_error
    return result.text


def test_read_file_gives_the_text(call):
    """A file is read whole, or from a line on."""
    (call.root / "a.txt").write_text("one\ntwo\nthree\n")

    assert text(call("read_file", path="a.txt")) == "one\ntwo\nthree\n"
    assert text(call("read_file", path="a.txt", offset=2)) == "two\nthree\n"
    assert text(call("read_file", path="a.txt", offset=2, limit=1)) == "two\n"
    assert text(call("read_file", path=str(call.root / "a.txt"), limit=1)) == "one\n"


def test_paths_are_relative_to_the_working_folder(call):
    """A relative path stands under the call's folder, and may climb as long as it stays beneath the root."""
    (call.root / "sub").mkdir()
    (call.root / "a.txt").write_text("a")
    (call.root / "sub/b.txt").write_text("b")

    assert text(call("read_file", cwd=call.root / "sub", path="b.txt")) == "b"
    assert text(call("read_file", cwd=call.root / "sub", path="../a.txt")) == "a"


def test_write_file_makes_the_folders_above(call):
    """A file is written, and what was there is gone."""
    assert text(call("write_file", path="a/b/c.txt", content="first, and long")) == "wrote 15 bytes"
    assert text(call("write_file", path="a/b/c.txt", content="zweitens: ü")) == "wrote 12 bytes"
    assert (call.root / "a/b/c.txt").read_text(encoding="utf-8") == "zweitens: ü"


def test_edit_file_replaces_what_stands_there_once(call):
    """A text that stands there never or twice is not replaced."""
    (call.root / "a.txt").write_text("one two two")

    assert text(call("edit_file", path="a.txt", old="one", new="1")) == "replaced 1 text"
    assert "2 times" in refusal(call("edit_file", path="a.txt", old="two", new="2"))
    assert "0 times" in refusal(call("edit_file", path="a.txt", old="three", new="3"))
    assert "0 times" in refusal(call("edit_file", path="a.txt", old="", new="3"))
    assert (call.root / "a.txt").read_text() == "1 two two"


def test_delete_file_deletes_a_link_and_not_what_it_leads_to(call, tmp_path):
    """A link is deleted as such, whatever it leads to."""
    (tmp_path / "outside.txt").write_text("x")
    (call.root / "link").symlink_to(tmp_path / "outside.txt")
    (call.root / "a.txt").write_text("x")
    text(call("delete_file", path="a.txt"))
    text(call("delete_file", path="link"))

    assert list(call.root.iterdir()) == []
    assert (tmp_path / "outside.txt").exists()


def test_delete_file_deletes_no_folder(call):
    """A folder is no file."""
    (call.root / "sub").mkdir()

    for path in ("sub", ".", "..", "sub/.", "sub/"):
        refusal(call("delete_file", path=path))
    assert (call.root / "sub").is_dir()


def test_list_dir_marks_folders_and_links(call):
    """Names come sorted, with a mark for what is no file."""
    (call.root / "sub").mkdir()
    (call.root / ".hidden").write_text("")
    (call.root / "link").symlink_to("sub")

    assert text(call("list_dir")) == ".hidden\nlink@\nsub/\n"
    assert text(call("list_dir", path="sub")) == ""


def test_search_files_finds_lines_beneath_a_folder(call, tmp_path):
    """Every text file beneath is searched; binary files and what links lead to are not."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/z.txt").write_text("tide")
    (call.root / "sub").mkdir()
    (call.root / "sub/a.txt").write_text("ebb\nThe tide\n")
    (call.root / "b.bin").write_bytes(b"tide\0")
    (call.root / "out").symlink_to(tmp_path / "outside")
    (call.root / "z").symlink_to(tmp_path / "outside/z.txt")

    assert text(call("search_files", pattern="t.de$")) == "sub/a.txt:2: The tide\n"
    assert text(call("search_files", pattern="x")) == "no match\n"
    assert "no regular expression" in refusal(call("search_files", pattern="("))


def test_search_files_stops_after_many_matches(call):
    """What is found is bounded, and the end says so."""
    (call.root / "a.txt").write_text("x\n" * (MOST_MATCHES + 1))
    found = text(call("search_files", pattern="x"))

    assert found.count("\n") == MOST_MATCHES + 1
    assert found.endswith("matches are shown]\n")


OUTSIDE = {
    "climbing": "../secret.txt",
    "climbing from a folder": "sub/../../secret.txt",
    "absolute": "/etc/passwd",
    "link to a file": "link.txt",
    "through a linked folder": "away/secret.txt",
    "link to the root of the system": "slash/etc/passwd",
    "magic link": "proc/self/root/etc/passwd",
    "NUL": "a\0b",
    "empty": "",
}


@pytest.mark.parametrize("name", OUTSIDE)
@pytest.mark.parametrize("tool", ["read_file", "write_file", "edit_file", "list_dir", "search_files"])
def test_nothing_outside_of_the_root_is_opened(call, tmp_path, tool, name):
    """However a path leads out of the root, the tool refuses, and nothing outside changes."""
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    (call.root / "sub").mkdir()
    (call.root / "link.txt").symlink_to(secret)
    (call.root / "away").symlink_to(tmp_path)
    (call.root / "slash").symlink_to("/")
    (call.root / "proc").symlink_to("/proc")
    more = {
        "write_file": {"content": "x"},
        "edit_file": {"old": "secret", "new": "x"},
        "search_files": {"pattern": "."},
    }
    result = call(tool, path=OUTSIDE[name], **more.get(tool, {}))

    assert "secret" not in refusal(result).removeprefix("Error: ").replace("secret.txt", "")
    assert secret.read_text() == "secret"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["project", "secret.txt"]


@pytest.mark.parametrize("path", ["../secret.txt", "away/secret.txt", "/etc/nope"])
def test_nothing_outside_of_the_root_is_deleted(call, tmp_path, path):
    """Deleting stays beneath the root as well."""
    (tmp_path / "secret.txt").write_text("secret")
    (call.root / "away").symlink_to(tmp_path)
    refusal(call("delete_file", path=path))

    assert (tmp_path / "secret.txt").exists()


@pytest.mark.parametrize("tool", ["read_file", "write_file", "edit_file"])
def test_a_pipe_is_never_waited_for(call, tool):
    """Something that is no regular file is refused at once."""
    os.mkfifo(call.root / "pipe")
    more = {"write_file": {"content": "x"}, "edit_file": {"old": "a", "new": "b"}}

    refusal(call(tool, path="pipe", **more.get(tool, {})))


def test_refusals_name_no_path_of_the_machine(call):
    """A model learns which of its own paths failed, and nothing about where the project lies."""
    for path in ("nope.txt", "../x"):
        assert str(call.root) not in refusal(call("read_file", path=path))


def test_a_file_that_is_too_large_is_refused(call):
    """Ten megabytes is the most that is read."""
    with (call.root / "big").open("wb") as file:
        file.truncate(10 * 1024 * 1024 + 1)

    assert "more than" in refusal(call("read_file", path="big"))


@pytest.mark.skipif(not ATOMIC, reason="without descriptors of folders there is a race, and the docs say so")
def test_a_link_swapped_in_after_judging_leads_nowhere(tmp_path):
    """A folder that became a link between judging and opening is not followed out of the root."""
    root, outside = tmp_path / "project", tmp_path / "outside"
    for folder in (root / "sub", outside):
        folder.mkdir(parents=True)
    (outside / "a.txt").write_text("secret")
    registry = ToolRegistry(Context())
    for definition in file_tools(Folder(str(root))):
        registry.register(definition)

    def swap(_):
        (root / "sub").rmdir()
        (root / "sub").symlink_to(outside)

    registry.guard(swap)
    result = registry.execute_sync(ToolExecution("1", "read_file", {"path": "sub/a.txt"}, cwd=str(root)))

    assert "secret" not in refusal(result)
