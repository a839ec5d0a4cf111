"""`tidegate fuzz` from the command line, as real processes."""

import json
import shutil
from contextlib import closing

import pytest
import tomli

from tests.laws.servers import running

WEAK = """\
version = 1
default = "allow"

[[rule]]
id = "no-rm"
kind = "arguments"
tools = ["run_bash"]
deny = [{ "/command" = { glob = "*rm -rf*" } }]
"""
MEANT = """\
version = 1
rules = "rules.toml"

[[invariant]]
id = "nothing-outside"
when = { does = "delete", outside = "{root}/**" }
never = "allow"
why = "the agent has one project"
"""


@pytest.fixture
def weak(tmp_path):
    """A weak policy and what its author meant."""
    path = tmp_path / "rules.toml"
    path.write_text(WEAK, encoding="utf-8")
    (tmp_path / "meant.test.toml").write_text(MEANT, encoding="utf-8")
    return path


@pytest.mark.usefixtures("weak")
def test_what_is_found_is_told_written_and_replayed(tidegate, tmp_path):
    """The first run finds, explains and writes; the next one replays that first, and is silent once it is mended."""
    first = tidegate("fuzz", "--examples", "150", "--property", "evasion", "--property", "invariant")

    assert first.returncode == 1
    told = first.stdout.decode()
    assert "evasion: a call that `no-rm` denies is allowed when it is spelled otherwise" in told
    assert "the invariant `nothing-outside` does not hold: the agent has one project" in told
    assert "its lists name nothing that the call does" in told
    assert "written to fuzz.test.toml" in told
    kept = tomli.loads((tmp_path / "fuzz.test.toml").read_text(encoding="utf-8"))
    assert {test["expect"] for test in kept["test"]} == {"deny"}

    again = tidegate("fuzz", "--examples", "1", "--dry-run", "--property", "law", "--json")

    assert again.returncode == 1
    assert len(json.loads(again.stdout)["still"]) == len(kept["test"])

    (tmp_path / "rules.toml").write_text('version = 1\ndefault = "deny"\n', encoding="utf-8")
    mended = tidegate("fuzz", "--examples", "20", "--property", "law")

    assert (mended.returncode, mended.stdout.decode().split(" ")[0]) == (0, "0")


@pytest.mark.usefixtures("weak")
def test_workers_find_what_one_process_finds(tidegate, tmp_path):
    """Several processes look with chances of their own, and what all of them find is told once."""
    done = tidegate("fuzz", "--examples", "60", "--property", "evasion", "--workers", "2", "--dry-run", "--json")

    told = json.loads(done.stdout)
    assert [one["about"] for one in told["found"]] == ["no-rm"]
    assert told["tried"]["evasion"] >= 120
    assert not (tmp_path / "fuzz.test.toml").exists()


@pytest.mark.usefixtures("weak")
def test_same_seed_says_the_same_wherever_it_runs(tidegate):
    """Rules, options and seed make the outcome to the byte: in CI or at a desk, whatever order Python hashes in."""
    words = ("fuzz", "--examples", "30", "--seed", "7", "--property", "evasion", "--property", "invariant", "--dry-run")

    desk = tidegate(*words, PYTHONHASHSEED="1", CI="")
    runner = tidegate(*words, PYTHONHASHSEED="2", CI="true")

    assert (runner.returncode, runner.stdout) == (desk.returncode, desk.stdout)
    assert desk.returncode == 1
    assert b"seed 7)" in desk.stdout


@pytest.mark.usefixtures("weak")
def test_examples_are_as_many_as_asked_for(tidegate):
    """`--examples` counts the calls of a property where nothing is found."""
    done = tidegate("fuzz", "--examples", "20", "--property", "law", "--dry-run", "--json")

    assert json.loads(done.stdout)["tried"] == {"law": 20}


@pytest.mark.usefixtures("weak")
def test_time_goes_on_beyond_the_examples(tidegate):
    """`--time` begins again with other chances when the examples are used up, and ends."""
    done = tidegate("fuzz", "--examples", "1", "--time", "2", "--property", "law", "--dry-run", "--json")

    assert done.returncode == 0
    assert json.loads(done.stdout)["tried"]["law"] > 1


@pytest.mark.usefixtures("weak")
def test_calls_and_tools_are_grown_from(tidegate, tmp_path):
    """Recorded calls and the schemas of tools are what new calls are made of."""
    (tmp_path / "tools.json").write_text(
        json.dumps([{"name": "erase", "parameters": {"properties": {"path": {"type": "string"}}}}]), encoding="utf-8"
    )
    (tmp_path / "calls.jsonl").write_text('{"tool": "erase", "args": {"path": "/etc/x"}}\n', encoding="utf-8")

    done = tidegate(
        "fuzz", "--tools", "tools.json", "--calls", "calls.jsonl", "--examples", "30", "--dry-run", "--json"
    )

    assert set(json.loads(done.stdout)["tried"]) == {"law", "evasion", "friction", "invariant"}


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("fuzz", "nowhere.toml"), 1, "no such file"),
        (("fuzz", "--calls", "broken.jsonl"), 2, "line 1 is no call"),
        (("fuzz", "broken.test.toml"), 2, "is broken"),
        (("fuzz", "--property", "luck"), 2, "is not one of"),
        (("fuzz", "--time", "0"), 2, "--time"),
        (("fuzz", "--examples", "0"), 2, "--examples"),
        (("fuzz", "--seed", "-1"), 2, "--seed"),
    ],
)
@pytest.mark.usefixtures("weak")
def test_misuse_is_told(tidegate, tmp_path, words, code, said):
    """Whatever cannot be done is said, with its exit code."""
    (tmp_path / "broken.jsonl").write_text("{}\n", encoding="utf-8")
    if "broken.test.toml" in words:
        (tmp_path / "broken.test.toml").write_text("version = 2\n", encoding="utf-8")

    done = tidegate(*words)

    assert done.returncode == code
    assert said in (done.stderr + done.stdout).decode()


@pytest.mark.skipif(shutil.which("redis-server") is None, reason="redis-server is not installed")
@pytest.mark.usefixtures("weak")
def test_database_is_shared_through_redis(tidegate):
    """What one run found is tried first by the next, wherever that runs."""
    with running("redis-server") as place:
        words = ("fuzz", "--examples", "60", "--property", "evasion", "--database", place, "--dry-run", "--json")
        done = tidegate(*words)

        from redis import Redis

        with closing(Redis.from_url(place)) as client:
            assert [one["about"] for one in json.loads(done.stdout)["found"]] == ["no-rm"]
            assert list(client.scan_iter("tidegate-fuzz:*")) != []


@pytest.mark.usefixtures("weak")
def test_database_is_shared_through_a_folder(tidegate, tmp_path):
    """A folder keeps what was found, so that the first example of the next run shows it."""
    words = ("fuzz", "--property", "evasion", "--database", "kept", "--dry-run", "--json")
    tidegate(*words, "--examples", "60")

    again = json.loads(tidegate(*words, "--examples", "60").stdout)

    assert [one["about"] for one in again["found"]] == ["no-rm"]
    assert any((tmp_path / "kept").iterdir())
