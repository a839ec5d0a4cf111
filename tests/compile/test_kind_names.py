"""Kinds that are installed and were not named, or are named with a slip."""

import pytest

from tidegate.compile.compiler import compile_plan
from tidegate.kinds import installed_names
from tidegate.lang.layers import loads

RULE = '[[rule]]\nid = "a"\nkind = "{}"\n'


@pytest.fixture(autouse=True)
def installed(tmp_path, monkeypatch):
    """A package that offers the kind `acme-ticket`, whose code cannot be run."""
    folder = tmp_path / "acme-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text("[tidegate.kinds]\nacme-ticket = no_such_module:KIND\n")
    monkeypatch.syspath_prepend(str(tmp_path))


def found(text):
    """The findings about a file, in code and mend."""
    return [(one.code, one.mend) for one in compile_plan(loads(f"version = 1\n{text}"), now=0.0).findings]


def test_installed_kind_that_is_not_named_is_told_to_be_named():
    """Its code is not run to say so."""
    assert installed_names() == ["acme-ticket"]
    assert found(RULE.format("acme-ticket")) == [
        ("unknown-kind", 'write `kinds = ["acme-ticket"]` in the top file of the layer')
    ]
    assert found(RULE.format("acme-tickets")) == [
        ("unknown-kind", 'write `kinds = ["acme-ticket"]` in the top file of the layer and `kind = "acme-ticket"` here')
    ]


def test_slip_in_kinds_is_told_by_the_nearest_installed_name():
    """Where none is near, a package has to be installed."""
    assert found('kinds = ["acme-tickt"]\n') == [("kind-missing", "write `acme-ticket`")]
    assert found('kinds = ["firewall"]\n')[0][1].startswith("install the package")


def test_slip_in_a_built_in_kind_is_still_told():
    """What ships with tidegate comes first."""
    assert found(RULE.format("paht")) == [("unknown-kind", "write `path`")]
