"""Kinds of other packages: who may use them, and how their output rules stand to ours."""

import pytest

from tests.laws.worlds import facts
from tidegate.engine import Engine
from tidegate.errors import RuleError
from tidegate.kernel import Context, ToolExecution, ToolRegistry, tool

KIND = '''
from attrs import evolve, frozen
from tidegate.kind import Guard, Kind, Phase, Shape, param

@frozen
class Masking:
    """Hide a word."""

    word: str = param("The word.")

def compile_masking(fields, setting):
    def apply(output, case):
        return evolve(output, blocks=tuple(one.replace(fields.word, "*") for one in output.blocks))

    return Shape(apply, order=0)

KIND = Kind(name="masking", phase=Phase.OUTPUT, fields=Masking, compile=compile_masking, examples=())

@frozen
class Nothing:
    """Refuse nothing."""

    deny: tuple[str, ...] = param("Whatever.")

PATH = Kind(
    name="path",
    phase=Phase.GUARD,
    fields=Nothing,
    compile=lambda fields, setting: Guard(denies=lambda effect, case: False, about=frozenset({"use"})),
    examples=(),
)
'''
MASKING = '[[rule]]\nid = "hide"\nkind = "masking"\nword = "secret"\n'


@pytest.fixture(autouse=True)
def installed(tmp_path, monkeypatch):
    """A package that offers a kind of its own, and one under the name of ours."""
    (tmp_path / "site/masking-1.dist-info").mkdir(parents=True)
    (tmp_path / "site/tidegate_masking.py").write_text(KIND)
    (tmp_path / "site/masking-1.dist-info/METADATA").write_text("Metadata-Version: 2.1\nName: masking\nVersion: 1\n")
    (tmp_path / "site/masking-1.dist-info/entry_points.txt").write_text(
        "[tidegate.kinds]\nmasking = tidegate_masking:KIND\npath = tidegate_masking:PATH\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path / "site"))


@pytest.fixture
def load(tmp_path):
    """Loads rule files of the named layers; each text goes under `version` and `default`."""

    def engine(**layers):
        for layer, text in layers.items():
            (tmp_path / f"{layer}.toml").write_text(f'version = 1\ndefault = "allow"\n{text}')
        return Engine.load(**{layer: tmp_path / f"{layer}.toml" for layer in layers}, facts=facts())

    return engine


def test_kind_of_ours_cannot_be_replaced(load):
    """Another package's `path` in a lower layer would take a higher layer's deny away."""
    managed = '[[rule]]\nid = "m"\nkind = "path"\ndeny = ["/etc/**"]\n'
    with pytest.raises(RuleError, match="the kind `path` ships with tidegate"):
        load(managed=managed, project='kinds = ["path"]\n')

    assert load(managed=managed, project="").decide("read_file", {"path": "/etc/passwd"}).effect == "deny"


def test_kind_is_for_the_layer_that_names_it_and_those_beneath(load):
    """A lower layer uses what a higher one names, and not the other way round."""
    assert load(managed='kinds = ["masking"]\n', project=MASKING).findings == ()
    with pytest.raises(RuleError, match="unknown kind `masking`"):
        load(managed=MASKING, project='kinds = ["masking"]\n')


@pytest.mark.parametrize("masked_first", [True, False])
def test_what_hides_runs_before_what_cuts(load, masked_first):
    """Whatever the order in the file, a word is hidden before a cut could leave half of it."""
    cut = '[[rule]]\nid = "cut"\nkind = "truncate"\nmax_bytes = 9\nmarker = "~"\n'
    engine = load(project='kinds = ["masking"]\n' + (MASKING + cut if masked_first else cut + MASKING))
    tools = ToolRegistry(Context())
    tools.register(tool("tell", "tells", {"type": "object"}, lambda args: "1234 secret 5678"))
    engine.attach(tools)

    assert tools.execute_sync(ToolExecution("1", "tell", {})).text == "1234 * \n~"
