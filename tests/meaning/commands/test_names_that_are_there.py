"""Names with holes that mean something that is there: what is really there tells a deny whether it is meant."""

import pytest

from tests.meaning.commands.tree_changes import effects_of, furnish
from tidegate.meaning.comparing import denies_path
from tidegate.meaning.pathpatterns import PathPattern
from tidegate.meaning.places import Places

TREE = {"a.key": "x", "b.txt": "x", "dir/deep/c.key": "x"}


@pytest.mark.parametrize(
    ("command", "glob", "expected"),
    [
        ("rm *.txt", "{root}/b.txt", "unknown"),
        ("rm *.txt", "{root}/other.txt", "no"),
        ("rm *.o", "{root}/*.key", "no"),
        ("rm -r d*", "**/c.key", "unknown"),
        ("rm -r d*", "**/other.key", "no"),
        ("chmod -R a+r *", "**/c.key", "unknown"),
        ("chmod -R a+r *", "**/.git/**", "no"),
        ("cat *.key", "{root}/a.key", "unknown"),
        ("cat *.key", "{root}/z.key", "no"),
        ("tee out-$(date +%F)", "{root}/out-2026-01-01", "unknown"),
        ("tee n*.log", "**/n?.log", "unknown"),
        ("rm n*.log", "**/n?.log", "no"),
        ("ln -s k-$(date +%F) x", "{root}/k-2026-01-01", "unknown"),
        ("touch -- -r; rm *", "**/c.key", "unknown"),
        ("mv a.key 'z y'; rm *y", "{root}/z y", "yes"),
        ("mkdir -p new/.git && touch new/.git/x && chmod -R a+r *", "**/.git/x", "yes"),
    ],
)
def test_deny_hears_of_a_name_where_it_is_there_or_may_be_made(command, glob, expected, tmp_path):
    """What deletes, reads or changes modes makes no names; what writes or links may mean names to come."""
    effects, scene = effects_of(command, furnish(tmp_path / "t", TREE))
    places = Places(scene, scene.cwd)
    said = [denies_path((PathPattern.compile(glob),), effect, places) for effect in effects if effect.kind != "exec"]
    doubtful = any(effect.kind == "unknown" for effect in effects) or any(one is not False for one in said)

    assert ("yes" if True in said else "unknown" if doubtful else "no") == expected
