"""The judge as it stands on a cluster: a local one of Dask, with workers that are processes of their own."""

import json

import pytest

from tests.assurance.replaying import judge_of
from tests.assurance.small_rules import CALLS
from tidegate.assurance.witnesses import line_of

RULES = """\
version = 1
default = "ask"

[[rule]]
id = "files"
kind = "path"
allow = ["a/**", "{root}/**"]
deny = ["**/.env"]

[[rule]]
id = "look"
kind = "command"
allow = ["git status ..."]
deny = ["git push --force"]
"""


@pytest.mark.filterwarnings("default")  # those of Dask are none of ours
def test_dask_gives_the_answers_of_this_process(tmp_path):
    """Batches judged on a cluster get the answers that they get here, in their order."""
    bag = pytest.importorskip("dask.bag", reason="Dask is not installed")
    distributed = pytest.importorskip("distributed", reason="the scheduler of Dask is not installed")
    judge = judge_of(tmp_path, RULES)
    (tmp_path / "rules.toml").unlink()  # the rules go along
    rows = [json.loads(line_of(call)) for call in CALLS] + [{"tool": "broken"}]
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster),
    ):
        answers = bag.from_sequence(rows, npartitions=4).map_partitions(judge).compute()

    assert answers == judge(rows)
    assert {answer["effect"] for answer in answers} == {"allow", "ask", "deny"}
