"""The kind `tools`."""

import pytest

from tests.kinds.deciding import Deciding

ALLOW = '[[rule]]\nid = "t"\nkind = "tools"\nallow = ["read_*", "get_time", "run_bash"]\n'


@pytest.fixture
def granted(tmp_path):
    return Deciding(tmp_path, ALLOW)


def test_tools_grant_covers_paths_urls_and_unbound_arguments(granted):
    """A grant for a tool covers its use, what its arguments name, and what no binding names."""
    assert granted("read_file", path="/etc/passwd") == "allow"
    assert granted("read_file", path="a", other="/etc/shadow") == "allow"
    assert granted("get_time", zone="UTC") == "allow"


def test_tools_grant_never_covers_what_a_command_does(granted):
    """Not the command, not its redirections, not an empty shell's builtins."""
    assert granted.bash("ls") == "deny"
    assert granted.bash("> out.txt") == "deny"


def test_tools_grant_covers_commands_only_where_it_says_so(tmp_path):
    """`commands = "any"` grants whatever a command does."""
    granted = Deciding(tmp_path, ALLOW + 'commands = "any"\n')

    assert granted.bash("rm -r -f x > out.txt; ./anything $x") == "allow"


@pytest.mark.parametrize("name", ["Get_time", " get_time", "get_time ", "gеt_time", "get\u200btime", "get_timex"])
def test_tools_grant_never_widens(granted, name):
    """Another case, blanks, look-alikes and longer names are other tools."""
    assert granted(name) == "deny"


@pytest.mark.parametrize("name", ["drop", "DROP", " drop\t", "ｄｒｏｐ", "dr\u200bop", "drоp"])
def test_tools_deny_widens(tmp_path, name):
    """A deny sees through case, blanks, invisible characters and look-alikes."""
    denied = Deciding(tmp_path, '[[rule]]\nid = "t"\nkind = "tools"\ndeny = ["drop"]\n', default="allow")

    assert (denied(name), denied("dropped")) == ("deny", "allow")


def test_tools_confinement_grants_nothing(tmp_path):
    """`only` refuses what is outside, and what is inside still needs a grant."""
    confined = Deciding(
        tmp_path, '[[rule]]\nid = "t"\nkind = "tools"\nonly = ["a"]\notherwise = "ask"\n', default="allow"
    )

    assert (confined("a"), confined("b")) == ("allow", "ask")
    assert Deciding(tmp_path, '[[rule]]\nid = "t"\nkind = "tools"\nonly = ["a"]\n', default="ask")("a") == "ask"


def test_tools_allow_list_confines_where_it_says_otherwise(tmp_path):
    """With `otherwise` an `allow` refuses what it does not name, whatever the default."""
    listed = Deciding(tmp_path, '[[rule]]\nid = "t"\nkind = "tools"\nallow = ["a"]\notherwise = "deny"\n', "ask")

    assert (listed("a"), listed("b")) == ("allow", "deny")


def test_tools_grant_covers_nothing_that_cannot_be_read(tmp_path):
    """A patch that is none does something unknown, which only `commands = "any"` grants."""
    rule = '[tools.patchy]\npatch = { role = "patch" }\n\n[[rule]]\nid = "t"\nkind = "tools"\nallow = ["patchy"]\n'

    assert Deciding(tmp_path, rule)("patchy", patch="--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n") == "allow"
    assert Deciding(tmp_path, rule)("patchy", patch="garbage") == "deny"
    assert Deciding(tmp_path, f'{rule}commands = "any"\n')("patchy", patch="garbage") == "allow"
