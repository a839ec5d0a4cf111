"""`tidegate schema`: the JSON Schema, printed or written."""

import json

from jsonschema import Draft202012Validator


def test_it_is_printed(tidegate):
    """The schema goes to standard output and is valid."""
    done = tidegate("schema")
    Draft202012Validator.check_schema(json.loads(done.stdout))

    assert (done.returncode, done.stderr) == (0, b"")


def test_it_is_written(tidegate, tmp_path):
    """With `--out` it goes to a file, byte by byte the same."""
    done = tidegate("schema", "--out", "s.json")

    assert (done.returncode, done.stdout) == (0, b"")
    assert (tmp_path / "s.json").read_bytes() == tidegate("schema", "--json").stdout


def test_a_kind_that_nobody_offers_is_misuse(tidegate):
    """A kind of a package that is not installed ends in 2."""
    done = tidegate("schema", "--kind", "nope")

    assert (done.returncode, done.stdout) == (2, b"")
    assert b"no installed package offers a kind `nope`" in done.stderr
