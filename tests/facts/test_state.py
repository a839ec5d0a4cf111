"""Where state lives, and which folders are refused."""

import os
import stat
from pathlib import Path

import pytest

from tidegate.errors import StateError
from tidegate.facts.state import checked_folder, state_folder

posix = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs the permissions of a POSIX system")


class TestPlace:
    """The folder is where the platform keeps state."""

    @pytest.mark.parametrize(
        ("platform", "environ", "expected"),
        [
            ("linux", {"HOME": "home"}, "home/.local/state/tidegate"),
            ("linux", {"HOME": "home", "XDG_STATE_HOME": "xdg"}, "xdg/tidegate"),
            ("darwin", {"HOME": "home", "XDG_STATE_HOME": "xdg"}, "home/Library/Application Support/tidegate"),
            ("win32", {"LOCALAPPDATA": "local"}, "local/tidegate"),
        ],
        ids=["linux", "xdg", "macos", "windows"],
    )
    def test_folder_is_made_where_the_platform_keeps_state(self, tmp_path, platform, environ, expected):
        absolute = {name: str(tmp_path / folder) for name, folder in environ.items()}
        folder = state_folder(absolute, platform)

        assert folder == tmp_path / expected
        assert folder.is_dir()

    def test_relative_xdg_folder_is_ignored(self, tmp_path):
        """The specification asks for this; a relative folder would be another one for each working directory."""
        folder = state_folder({"HOME": str(tmp_path), "XDG_STATE_HOME": "state"}, "linux")

        assert folder == tmp_path / ".local" / "state" / "tidegate"

    @pytest.mark.parametrize(("platform", "name"), [("linux", "HOME"), ("darwin", "HOME"), ("win32", "LOCALAPPDATA")])
    @pytest.mark.parametrize("environ", [{}, {"HOME": "relative", "LOCALAPPDATA": "relative"}])
    def test_no_home_is_an_error(self, platform, name, environ):
        with pytest.raises(StateError, match=name):
            state_folder(environ, platform)


@posix
class TestSafety:
    """A folder that somebody else could get at is refused."""

    def test_folders_are_made_for_their_user_alone(self, tmp_path):
        """Those above it are made like it."""
        checked_folder(tmp_path / "a" / "b")
        modes = [stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "a", tmp_path / "a" / "b")]

        assert modes == [0o700, 0o700]

    def test_folder_that_is_there_is_taken(self, tmp_path):
        assert checked_folder(checked_folder(tmp_path / "a")) == tmp_path / "a"

    @pytest.mark.parametrize("mode", [0o777, 0o770, 0o722, 0o755, 0o1777], ids="{:o}".format)
    def test_folder_that_is_open_to_others_is_refused(self, tmp_path, mode):
        folder = tmp_path / "open"
        folder.mkdir()
        folder.chmod(mode)

        with pytest.raises(StateError, match=f"mode {mode:o}"):
            checked_folder(folder)

    def test_symlink_is_refused(self, tmp_path):
        (tmp_path / "real").mkdir(mode=0o700)
        (tmp_path / "link").symlink_to(tmp_path / "real")

        with pytest.raises(StateError, match="link"):
            checked_folder(tmp_path / "link")

    def test_dangling_symlink_is_refused_and_not_followed(self, tmp_path):
        (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
        with pytest.raises(StateError):
            checked_folder(tmp_path / "link")

        assert not (tmp_path / "elsewhere").exists()

    def test_file_in_its_place_is_refused(self, tmp_path):
        (tmp_path / "file").write_text("")

        with pytest.raises(StateError):
            checked_folder(tmp_path / "file")

    @pytest.mark.parametrize("beneath", ["a", "a/b"])
    def test_folder_beneath_one_that_everybody_may_write_is_refused(self, tmp_path, beneath):
        """Whoever may write above it can put another folder in its place."""
        (tmp_path / "shared").mkdir()
        (tmp_path / "shared").chmod(0o777)

        with pytest.raises(StateError, match="above"):
            checked_folder(tmp_path / "shared" / beneath)

    def test_folder_beneath_one_with_the_sticky_bit_is_taken(self, tmp_path):
        """As in `/tmp`, others may write there and not rename what is not theirs."""
        (tmp_path / "tmp").mkdir()
        (tmp_path / "tmp").chmod(0o1777)

        assert checked_folder(tmp_path / "tmp" / "a").is_dir()

    @pytest.mark.skipif(
        os.geteuid() != 0 if hasattr(os, "geteuid") else True, reason="only root can give a folder away"
    )
    def test_folder_of_another_user_is_refused(self, tmp_path):
        folder = tmp_path / "theirs"
        folder.mkdir(mode=0o700)
        os.chown(folder, 12_345, 12_345)

        with pytest.raises(StateError, match="another user"):
            checked_folder(folder)

    def test_folder_that_cannot_be_made_is_an_error(self):
        with pytest.raises(StateError):
            checked_folder(Path("/proc/nothing/here"))
