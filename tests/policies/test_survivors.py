"""What is said of the edits that nobody notices is about edits that there are."""

from tests.policies.survivors import named, reasons, suite
from tidegate.assurance.mutants import mutants


def test_each_survivor_that_is_explained_is_an_edit_of_its_pack():
    """A reason for an edit that nobody makes any more says nothing, and goes."""
    told = reasons()
    packs = sorted({key[0] for key in told})
    made = {named(pack, mutant) for pack in packs for mutant in mutants(suite(pack).loaded)}

    assert sorted(set(told) - made) == []
    assert all(why.strip() for why in told.values())
