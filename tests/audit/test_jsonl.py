"""The file of decision records: complete lines, for its owner only."""

import json
import os
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from tidegate import Engine
from tidegate.audit.jsonl import JsonlSink
from tidegate.errors import StateError

RULES = 'version = 1\ndefault = "allow"\n[[rule]]\nid = "no"\nkind = "tools"\ndeny = ["no"]\n'
posix = pytest.mark.skipif(os.name != "posix", reason="owners and modes are POSIX's")


def engine(tmp_path, sink):
    rules = tmp_path / "rules.toml"
    rules.write_text(RULES, encoding="utf-8")
    return Engine.load(rules, recorders=[sink])


def test_each_decision_is_a_line(tmp_path):
    """Every decision is one JSON object on one line, in order."""
    path = tmp_path / "audit.jsonl"
    with JsonlSink(path) as sink:
        judge = engine(tmp_path, sink)
        judge.decide("no", {"a": "line\nbreak\u2028"}, call_id="1")
        judge.decide("yes", {}, call_id="2")
    lines = path.read_bytes().splitlines()

    assert [(json.loads(line)["call_id"], json.loads(line)["effect"]) for line in lines] == [
        ("1", "deny"),
        ("2", "allow"),
    ]
    assert all(line.isascii() for line in lines)


def test_an_existing_file_is_appended_to(tmp_path):
    """What was recorded before stays."""
    path = tmp_path / "audit.jsonl"
    for number in range(3):
        with JsonlSink(path) as sink:
            engine(tmp_path, sink).decide("yes", {}, call_id=str(number))

    assert [json.loads(line)["call_id"] for line in path.read_text().splitlines()] == ["0", "1", "2"]


def test_threads_do_not_mix_lines(tmp_path):
    """Lines written side by side are whole."""
    path = tmp_path / "audit.jsonl"
    with JsonlSink(path) as sink, ThreadPoolExecutor(8) as threads:
        judge = engine(tmp_path, sink)
        list(threads.map(lambda n: judge.decide("yes", {"text": "x" * 5_000}, call_id=str(n)), range(100)))

    assert sorted(int(json.loads(line)["call_id"]) for line in path.read_text().splitlines()) == list(range(100))


@posix
def test_the_file_is_for_its_owner_only(tmp_path):
    """A new file can be read and written by its owner and nobody else, whatever the umask."""
    before = os.umask(0)
    try:
        JsonlSink(tmp_path / "audit.jsonl").close()
    finally:
        os.umask(before)

    assert stat.S_IMODE((tmp_path / "audit.jsonl").stat().st_mode) == 0o600


@posix
@pytest.mark.parametrize("mode", [0o604, 0o640, 0o602, 0o666])
def test_a_file_that_is_open_to_others_is_refused(tmp_path, mode):
    """Records are never written where others can read or change them."""
    path = tmp_path / "audit.jsonl"
    path.touch()
    path.chmod(mode)

    with pytest.raises(StateError, match="open to others"):
        JsonlSink(path)


@posix
def test_a_link_is_refused(tmp_path):
    """A link could lead anywhere."""
    (tmp_path / "audit.jsonl").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(StateError, match="is a link"):
        JsonlSink(tmp_path / "audit.jsonl")
    assert not (tmp_path / "elsewhere").exists()


@posix
def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    """Something that is no file is refused at once."""
    os.mkfifo(tmp_path / "audit.jsonl")

    with pytest.raises((StateError, OSError)):
        JsonlSink(tmp_path / "audit.jsonl")
