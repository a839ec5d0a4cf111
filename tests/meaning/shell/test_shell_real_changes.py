"""Files that really change when bash runs a script are among the effects that were computed before.

`HYPOTHESIS_PROFILE=ci` runs seven hundred scripts, the ordinary run a hundred and forty.
"""

import os
import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.meaning.shell import oracle
from tests.meaning.shell.deeds_generator import deeds
from tests.meaning.shell.real_changes import covers, effects_in, is_exact, is_open, run, told, unseen

pytestmark = pytest.mark.skipif(
    oracle.bash() is None or shutil.which("install") is None, reason="no bash of version 5 or no coreutils"
)

THOROUGH = os.environ.get("HYPOTHESIS_PROFILE") == "ci"
SCRIPTS = 500 if THOROUGH else 100
POSIX_SCRIPTS = 200 if THOROUGH else 40


def observed(first, count, folder, shell):
    """What *count* scripts did, two at a time; what did not end in time is left out."""

    def one(seed):
        seen = run(deeds(seed), folder / str(seed), shell)
        shutil.rmtree(folder / str(seed), ignore_errors=True)
        return seen

    with ThreadPoolExecutor(2) as pool:
        seen = list(pool.map(one, range(first, first + count)))
    assert sum(each.late for each in seen) <= count // 50
    return [each for each in seen if not each.late]


@pytest.fixture(scope="module")
def by_bash(tmp_path_factory):
    return observed(0, SCRIPTS, tmp_path_factory.mktemp("changes"), "bash")


def test_files_that_really_change_are_among_the_effects_of_a_script(by_bash):
    """Every path that was made, changed or deleted is covered by a write or a delete, or something is not known."""
    missing = [told(seen) for seen in by_bash if unseen(seen)]

    assert missing == []


def test_most_scripts_that_change_files_are_known_in_full(by_bash):
    """The test above would be empty if everything were unknown, and weak if every name were half known."""
    changing = [seen for seen in by_bash if seen.changed]

    assert len(changing) > 0.8 * len(by_bash)
    assert sum(is_open(seen) for seen in changing) < 0.15 * len(changing)
    assert sum(is_exact(seen) for seen in changing) > 0.7 * len(changing)


@pytest.mark.skipif(shutil.which("dash") is None, reason="dash is not installed")
def test_files_that_a_posix_shell_changes_are_among_the_effects_of_sh_text(tmp_path):
    """Dash runs the same scripts, of which it reads many in another way; the text is read as `sh`."""
    seen = observed(1_000_000, POSIX_SCRIPTS, tmp_path, shutil.which("dash"))
    missing = [told(each) for each in seen if unseen(each)]

    assert missing == []
    assert sum(bool(each.changed) and not is_open(each) for each in seen) > len(seen) // 2


@pytest.mark.parametrize(
    "line",
    ["cp a.txt dir", "mv c dir", "cp --parents dir/in empty", "cp -b a.txt c", "ln -s ../c dir", "install a.txt dir"],
)
@pytest.mark.parametrize("spelled", ["eval '{}'", "bash -c '{}'", "f() {{ {}; }}; f", "<<< '{}' bash", "env {}"])
def test_nested_text_does_what_the_same_text_does(line, spelled, tmp_path):
    """Words of nested text share one place in the whole text, and are still told apart."""
    direct = run(line, tmp_path / "direct")
    nested = run(spelled.format(line), tmp_path / "nested")
    moved = {path.replace(str(tmp_path / "direct"), str(tmp_path / "nested")) for path in direct.changed}

    assert direct.changed
    assert nested.changed == moved
    assert all(any(covers(effect, path, exactly=True) for effect in nested.effects) for path in moved)


@pytest.mark.parametrize("line", ["cp {a.txt,dir}", "mv {c,dir}", "cp -t {dir,c,a.txt}", "ln {a.txt,empty}"])
def test_words_that_braces_made_of_one_are_told_apart(line, tmp_path):
    seen = run(line, tmp_path / "x")

    assert seen.changed
    assert unseen(seen) == set()


@pytest.mark.parametrize(
    "line",
    [
        "cp -b a.txt c",
        "mv -b a.txt c",
        "ln -b a.txt c",
        "install -b a.txt c",
        "cp --backup=numbered a.txt c",
        "cp -S .old a.txt c",
        "cp --suffix=/../b.txt a.txt c",
        "mv -bt dir ../c || mv -bt dir c",
    ],
)
def test_backup_that_is_made_of_what_was_there_is_a_write(line, tmp_path):
    """A name with a suffix is overwritten as well, and which one can be chosen."""
    seen = run(line, tmp_path / "x")

    assert seen.changed
    assert unseen(seen) == set()


def test_function_call_that_is_certain_does_nothing_but_what_its_body_does(tmp_path):
    """No grant has to cover a name that no program has, and its body says everything."""
    effects = effects_in("f() { rm c; }; f x y", tmp_path, tmp_path)
    (call,) = (effect for effect in effects if effect.kind == "exec" and effect.target.program == "f")

    assert call.inherent
    assert [effect.kind for effect in effects if effect.kind != "exec"] == ["delete"]


@pytest.mark.parametrize("text", ["if a; then f() { rm c; }; fi; f x", "a || f() { :; }; f x", "f x; f() { :; }"])
def test_function_call_that_may_be_a_program_is_code(text, tmp_path):
    """Where the function may not be defined, a program of that name may run."""
    effects = effects_in(text, tmp_path, tmp_path)
    calls = [effect for effect in effects if effect.kind == "exec" and effect.target.program == "f"]

    assert not all(call.inherent for call in calls)
    assert any(effect.kind == "code" and "`f`" in effect.target.what for effect in effects)


@pytest.mark.parametrize(
    "script",
    [
        "cd dir; mv ../dir ../n6; touch n7\n",
        "(cd dir && mv ../dir ../n6); touch n7\n",
        "cd dir/sub; mv ../../dir ../../n6; echo x > n7\n",
    ],
)
def test_shell_that_is_moved_with_its_folder_goes_on_writing_there(script, tmp_path):
    """Where a shell stands in a folder that is moved, what it writes next lies beneath the new name."""
    seen = run(script, tmp_path, "bash")

    assert seen.changed
    assert unseen(seen) == set()
