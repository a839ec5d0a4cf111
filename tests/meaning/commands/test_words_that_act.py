"""A word that is not known may be an option which is one word, and writes or deletes."""

import pytest

from tests.kinds.deciding import Deciding
from tidegate.plan.sitting import UNREADABLE

RULES = """
[[rule]]
id = "kept"
kind = "path"
access = ["write", "delete"]
deny = ["{root}/build/**"]
"""


@pytest.fixture
def kept(tmp_path):
    return Deciding(tmp_path, RULES, default="allow")


@pytest.mark.parametrize(
    "command",
    [
        'find build "$V"',
        "find build $V",
        'find "$V"',
        'find build -name x "$V"',
        'find build "$(cat v)"',
        "printf '%s\\n' -delete > v\nfind build \"$(<v)\"",
        'awk \'BEGIN { system("find build \\"$V\\"") }\'',
        'sort "$V" a',
        'sort "-o$V" a',
        'sed "$V" s/a/b/ build/a',
        'curl "$V"',
        'wget "$V"',
        'git diff "$V"',
        'tar cf - "$V" build',
    ],
)
def test_word_that_may_write_or_delete_by_itself_is_asked_about(kept, command):
    """`-delete`, `-i` and `-o/etc/x` need no word beside them."""
    assert kept.bash(command) == "ask"


@pytest.mark.parametrize(
    "command",
    [
        'find build -name "$V"',
        'find "./$V"',
        'sort -- "$V"',
        'sort "./$V"',
        'sort "a$V" b',
        'curl "https://example.com/$V"',
        'cat "$V"',
        'echo "$V"',
        'wc -l "$V"',
    ],
)
def test_word_that_is_no_such_option_is_not_asked_about(kept, command):
    """What begins with something else, stands behind `--`, or is a program's that changes nothing, changes nothing."""
    assert kept.bash(command) == "allow"


@pytest.mark.parametrize("command", ['sqlite3 :memory: "$V" "select 1;"', 'mysql -e "$V"', 'psql -c "$(cat f)"'])
def test_text_for_a_client_that_is_not_known_is_asked_about(kept, command):
    """What a client of a database is told may write files, and here nobody can read it."""
    assert kept.bash(command) == "ask"


@pytest.mark.parametrize("option", ["-k 1", "--signal=9 -k 1", "-k 1 -s 9"])
def test_options_behind_a_word_that_may_be_one_hide_no_command(kept, option):
    """Where a word may be an option of the wrapper, those behind it may be as well."""
    assert kept.bash(f'timeout "$V" {option} 15s rm build/a') == "deny"


@pytest.mark.parametrize("command", ["ssh host", "cat f | ssh host", "sqlite3 x.db", "sqlite3 x.db < f"])
def test_what_is_read_from_input_that_nobody_knows_is_code(kept, command):
    """A client that is given nothing else runs what stands in its standard input, which the call does not show."""
    decision = kept.engine.decide("run_bash", {"command": command}, root="/srv/project")

    assert [str(effect.target) for effect in decision.effects if effect.kind == "code"] != []


@pytest.mark.parametrize(
    "command",
    [
        "IFS=$Q; x=aZ.env; cat $x",
        "IFS=$Q; x=aZ.env; tee $x <<< y",
        "read IFS; x=catZ.env; $x",
        'read IFS; x=aZ; cat $x"v"',
        "read IFS; cat $(echo aZ.env)",
        'read IFS; read a b <<< aZ.env; cat "$b"',
    ],
)
def test_words_that_are_split_at_what_nobody_knows_can_be_anything(tmp_path, command):
    """Where the separators are not known, a word that is split can name anything, and the reading does not break."""
    rules = '[[rule]]\nid = "secret"\nkind = "path"\ndeny = ["**/.env"]\n'
    decision = Deciding(tmp_path, rules, default="allow").engine.decide(
        "run_bash", {"command": command}, cwd="/srv/project", root="/srv/project"
    )

    assert decision.effect == "ask"
    assert decision.reason != UNREADABLE
