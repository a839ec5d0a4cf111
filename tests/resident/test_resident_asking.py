"""What a hook makes of a resident that says anything at all."""

import os
import socket
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tidegate.facts.state import state_path
from tidegate.resident import asking
from tidegate.resident.asking import ANSWER, COUNTS, END, READY, Lost

ANY = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
WORDS = ["claude-code", "--rules", "rules.toml"]


@contextmanager
def saying(folder, *parts):
    """A process of this user that listens where the resident should, and says one part after each message it hears."""
    path = f"{folder}/{asking.own_name()}"
    heard = []
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()

        def talk():
            connection, _ = listener.accept()
            with connection:
                for part in parts:
                    heard.append(connection.recv(1 << 20))
                    if part is None:
                        connection.recv(1)  # says nothing until the hook has gone
                    else:
                        connection.sendall(part)

        thread = threading.Thread(target=talk)
        thread.start()
        try:
            yield heard
        finally:
            thread.join(20)
            Path(path).unlink()


def asked(folder, seconds=8):
    return asking.asked(folder, WORDS, b"{}", time.monotonic() + seconds)


def answer(output=b"out", errors=b"", code=0, end=END):
    return b"".join(number.to_bytes(4, "big") for number in (len(output), len(errors), code)) + output + errors + end


@pytest.mark.parametrize("before", [(ANSWER,), (READY, ANSWER), (COUNTS, ANSWER)], ids=["at once", "ready", "counts"])
def test_a_whole_answer_is_taken(folder, before):
    """At once, or after the resident was told to go on."""
    parts = [*before[:-1], before[-1] + answer(b"out", b"err", 3)]
    with saying(folder, *parts):
        assert asked(folder) == (b"out", b"err", 3)


@ANY
@given(st.binary(max_size=40))
def test_whatever_is_said_without_being_ready_is_no_answer(folder, said):
    """The hook decides by itself, for nothing was judged."""
    if said[:1] in (READY, COUNTS, ANSWER):
        said = b"x" + said
    with saying(folder, said):
        assert asked(folder) is None


@ANY
@given(st.integers(0, 30), st.binary(min_size=1, max_size=20))
def test_half_an_answer_is_none(folder, cut, output):
    """However much of an answer came: one that is not whole is not taken."""
    whole = ANSWER + answer(output)
    with saying(folder, whole[: min(cut, len(whole) - 1)]):
        assert asked(folder) is None


@ANY
@given(st.integers(0, 30), st.binary(min_size=1, max_size=20))
def test_half_an_answer_to_a_call_that_counts_is_lost(folder, cut, output):
    """The call was counted or was not; whoever asked must not count it again."""
    whole = ANSWER + answer(output)
    with saying(folder, COUNTS, whole[: min(cut, len(whole) - 1)]), pytest.raises(Lost):
        asked(folder)


@pytest.mark.parametrize(
    "wrong",
    [answer(end=b"!"), answer(code=256), (2**31).to_bytes(4, "big") * 3],
    ids=["no end", "no exit code", "too long"],
)
def test_an_answer_of_another_form_is_none(folder, wrong):
    """What could be cut or shifted is not taken."""
    with saying(folder, ANSWER + wrong):
        assert asked(folder) is None


def test_silence_before_judging_is_no_answer(folder):
    """The hook waits a moment only, and nothing was judged."""
    with saying(folder, None):
        assert asked(folder) is None


@pytest.mark.parametrize(("said", "lost"), [(READY, False), (COUNTS, True)], ids=["ready", "counts"])
def test_silence_while_judging_ends_at_the_deadline(folder, said, lost):
    """A call that does not count may be judged again; it finds no time, as it would have without a resident."""
    with saying(folder, said, None):
        began = time.monotonic()
        if lost:
            with pytest.raises(Lost):
                asked(folder, 0.8)
        else:
            assert asked(folder, 0.8) is None

        assert time.monotonic() - began < 5


def test_nobody_is_told_to_judge_when_no_time_is_left(folder):
    """Without the word of the hook the resident does not begin."""
    with saying(folder, COUNTS) as heard:
        assert asked(folder, 0) is None
    assert len(heard) == 1


@pytest.mark.parametrize("words", [["--resident", "off"], ["--resident", "relative/folder"]], ids=["off", "relative"])
def test_only_an_absolute_folder_is_asked(words):
    """A folder that would depend on the project is no folder for this."""
    assert asking._folder(["claude-code", *words, "--rules", "r"]) == (["claude-code", "--rules", "r"], None)


def test_without_a_word_it_is_the_folder_of_the_account(monkeypatch):
    """Not of what the variables of a project call home; and it lies in the folder of state."""
    import pwd
    import sys

    monkeypatch.setenv("HOME", "/project")
    monkeypatch.setenv("XDG_STATE_HOME", "/project/state")
    home = pwd.getpwuid(os.geteuid()).pw_dir

    assert asking.account_folder() == f"{state_path({'HOME': home}, sys.platform)}/resident"
