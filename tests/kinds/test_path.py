"""The kind `path`."""

import pytest

from tests.kinds.deciding import Deciding

WORKSPACE = '[[rule]]\nid = "p"\nkind = "path"\nallow = ["{root}/**"]\notherwise = "deny"\n'
SECRETS = '[[rule]]\nid = "p"\nkind = "path"\naccess = "read"\ndeny = ["**/.env", "~/.ssh/**"]\n'
LINKS = {
    "/srv/project/out": "/etc",
    "/srv/project/in": "src",
    "/srv/project/dangling": "/nowhere/x",
    "/srv/project/loop": "loop",
}


@pytest.fixture
def workspace(tmp_path):
    return Deciding(tmp_path, WORKSPACE, default="ask", links=LINKS)


@pytest.fixture
def secrets(tmp_path):
    return Deciding(tmp_path, SECRETS, default="allow", links=LINKS)


@pytest.mark.parametrize(
    "path", ["a.py", "./src//a.py", "/srv/project", "src/../a", "in/a.py", "/srv/project/.hidden", "x~"]
)
def test_path_inside_is_granted(workspace, path):
    """Everything in the root, in whatever spelling, and through a link that stays in it."""
    assert workspace("write_file", path=path, content="x") == "allow"


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "../x",
        "src/../../x",
        "/srv/projectx",
        "out/passwd",
        "out/new/file",
        "dangling",
        "~/x",
        "~root/x",
        "file:///etc/passwd",
        "/proc/self/root/etc/passwd",
    ],
)
def test_path_outside_is_refused(workspace, path):
    """Traversals, siblings, links out (also dangling ones), homes, URLs and the back doors of `/proc`."""
    assert workspace("write_file", path=path, content="x") == "deny"


@pytest.mark.parametrize("path", ["loop/x", "", "a\0b"])
def test_path_that_nobody_can_resolve_does_not_pass(workspace, path):
    """A link that leads to itself, an empty path and a NUL are unknown, and unknown asks."""
    assert workspace("write_file", path=path, content="x") == "ask"


@pytest.mark.parametrize("arguments", [{"path": 7}, {"path": None}, {"path": ["a"]}, {"path": {"value": "a"}}])
def test_path_of_a_wrong_type_is_refused(workspace, arguments):
    """Only a text can be a path."""
    assert workspace("write_file", **arguments) == "deny"


def test_path_grant_needs_every_bound_argument(workspace):
    """A text that no binding names may be a path, so the grant for the path does not cover the tool."""
    assert workspace("read_file", path="a.py") == "allow"
    assert workspace("read_file", path="a.py", also="b") == "ask"
    assert workspace("read_file") == "ask"


def test_path_grant_never_covers_a_command(workspace):
    """What a command reads is covered; that it runs is not."""
    assert workspace.bash("cat a.py") == "ask"
    assert workspace.bash("cat /etc/passwd") == "deny"


@pytest.mark.parametrize(
    "command",
    [
        "cat .env",
        "head -1 < .env",
        "cat src/../.ENV",
        "cp .env x",
        "cat .{env,x}",
        "cat ~/.ssh/id_rsa",
        "tar cf - ~/.ssh",
        "X=.env; cat $X",
        "python3 -c \"open('.env').read()\"",
        "sh -c 'cat .env'",
        "source .env",
    ],
)
def test_path_deny_sees_what_commands_read(secrets, command):
    """Whatever reads the file, it is refused."""
    assert secrets.bash(command) == "deny"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("read_file", {"path": ".env"}),
        ("read_file", {"path": "README.md", "also": "/srv/project/.env"}),
        ("unheard_of", {"where": {"deep": [".env"]}}),
        ("unheard_of", {"where": "/home/ann/.ssh/config"}),
        ("grep", {"pattern": "x", "path": ".env"}),
    ],
)
def test_path_deny_looks_into_every_argument(secrets, tool, arguments):
    """A deny takes any text of an argument without a role for a path, in every account's home."""
    assert secrets(tool, **arguments) == "deny"


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("write_file", {"path": "README.md", "content": "copy .env and ~/.ssh/id_rsa"}),
        ("read_file", {"path": ".env.example"}),
        ("write_file", {"path": ".env", "content": "x"}),
        ("run_bash", {"command": "git commit -m 'no more .env'"}),
        ("run_bash", {"command": "echo .env"}),
    ],
)
def test_path_deny_leaves_the_rest_alone(secrets, tool, arguments):
    """Content, other names, another access and mere text are not refused."""
    assert secrets(tool, **arguments) == "allow"


@pytest.mark.parametrize("text", ["loop/x", "a\0b"])
def test_text_without_a_role_that_is_no_readable_path_is_left_alone(secrets, text):
    """What nobody can resolve asks where it is a path, and not where it is any text."""
    assert (secrets("read_file", path=text), secrets("unheard_of", where=text)) == ("ask", "allow")


def test_recursive_effect_is_compared_with_what_is_beneath(tmp_path):
    """A deny sees names that are really beneath, and asks where they cannot be listed."""
    known = Deciding(tmp_path, SECRETS, "allow", folders={"/srv/project": ["a", ".env"], "/srv/project/src": ["b"]})

    assert known.bash("grep -r KEY .") == "deny"
    assert known.bash("grep -r KEY src") == "allow"

    unlisted = Deciding(tmp_path, SECRETS, "allow", folders={"/srv/project": None})

    assert unlisted.bash("grep -r KEY .") == "ask"


def test_recursive_grant_needs_all_that_is_beneath(tmp_path):
    """A glob of one level grants a file there, and not what is done to a whole tree."""
    rule = '[[rule]]\nid = "p"\nkind = "path"\nallow = ["{root}/%s"]\n'
    deep, flat = Deciding(tmp_path, rule % "**"), Deciding(tmp_path, rule % "*")

    assert [deep("search_files", path="src", pattern="x"), deep("read_file", path="src")] == ["allow", "allow"]
    assert [flat("search_files", path="src", pattern="x"), flat("read_file", path="src")] == ["deny", "allow"]


def test_recursive_rule_is_about_whole_trees_only(tmp_path):
    """`recursive = true` leaves single files alone."""
    rule = '[[rule]]\nid = "p"\nkind = "path"\naccess = "delete"\nrecursive = true\ndeny = ["/**"]\n'
    deciding = Deciding(tmp_path, rule, "allow")

    assert (deciding.bash("rm -r a"), deciding.bash("rm a"), deciding("delete_file", path="a")) == (
        "deny",
        "allow",
        "allow",
    )


def test_rule_for_single_files_grants_no_tree(tmp_path):
    """`recursive = false` grants a file, and not what is done to all that is beneath."""
    deciding = Deciding(tmp_path, '[[rule]]\nid = "p"\nkind = "path"\nrecursive = false\nallow = ["{root}/**"]\n')

    assert [deciding("read_file", path="a"), deciding("search_files", path="a", pattern="x")] == ["allow", "deny"]


def test_confinement_of_whole_trees_leaves_single_files_alone(tmp_path):
    """`recursive = true` confines what is done to a whole folder, and nothing else."""
    rule = '[[rule]]\nid = "p"\nkind = "path"\nrecursive = true\nonly = ["{root}/**"]\n'
    deciding = Deciding(tmp_path, rule, "allow")

    assert (deciding.bash("rm -r /etc"), deciding.bash("rm /etc/motd")) == ("deny", "allow")


def test_path_grant_is_for_its_access_only(tmp_path):
    """A grant to read grants no writing, deleting or listing."""
    reading = Deciding(tmp_path, '[[rule]]\nid = "p"\nkind = "path"\naccess = "read"\nallow = ["{root}/**"]\n')

    assert reading("read_file", path="a") == "allow"
    assert [reading("write_file", path="a", content="x"), reading("list_dir", path="a")] == ["deny", "deny"]


@pytest.mark.parametrize("command", ["$x", 'eval "$x"', "echo 'unterminated"])
def test_path_lists_ask_about_commands_that_nobody_can_read(secrets, tmp_path, command):
    """What cannot be read could touch the file, for a deny as for a confinement."""
    confined = Deciding(tmp_path, '[[rule]]\nid = "p"\nkind = "path"\nonly = ["{root}/**"]\n', "allow")

    assert (secrets.bash(command), confined.bash(command)) == ("ask", "ask")


def test_confinement_leaves_texts_alone_that_nobody_can_resolve(tmp_path):
    """A text without a role may be no path at all: only one that certainly lies outside is refused."""
    confined = Deciding(tmp_path, '[[rule]]\nid = "p"\nkind = "path"\nonly = ["{root}/**"]\n', "allow", links=LINKS)

    assert (confined("read_file", path="loop/x"), confined("unheard_of", where="loop/x")) == ("ask", "allow")


def test_confinement_looks_at_texts_that_could_be_paths(tmp_path):
    """Without a role, a text with a separator counts as a path, and a plain word does not."""
    rule = '[[rule]]\nid = "p"\nkind = "path"\nonly = ["{root}/**"]\n'
    deciding = Deciding(tmp_path, rule, "allow")

    assert deciding("unheard_of", name="word", place="src/a") == "allow"
    assert deciding("unheard_of", place="/etc/passwd") == "deny"
    assert deciding("unheard_of", place="../x") == "deny"


def test_rule_about_all_beneath_takes_no_program_for_one_that_goes_there(tmp_path):
    """That a program which nobody knows names a folder does not say that it deletes all of it."""
    rule = '[[rule]]\nid = "p"\nkind = "path"\naccess = "delete"\nrecursive = true\ndeny = ["{root}"]\n'
    deleting = Deciding(tmp_path, rule, "allow")
    naming = Deciding(tmp_path, rule.replace("recursive = true\n", ""), "allow")

    assert (deleting.bash("rm -r ."), deleting.bash("mytool ."), naming.bash("mytool .")) == ("deny", "allow", "deny")


def test_grant_of_paths_covers_no_state_of_a_program(tmp_path):
    """What a program keeps to itself lies at no path, and no grant of paths names it."""
    rules = """
[[rule]]
id = "files"
kind = "path"
allow = ["/**"]

[[rule]]
id = "status"
kind = "command"
allow = ["npm --version"]
"""
    decision = Deciding(tmp_path, rules).engine.decide("run_bash", {"command": "docker pull x"}, root="/srv/project")

    state = [effect for effect in decision.effects if effect.kind == "write" and not effect.target.names]
    granted = [said for said in decision.trace if said.says == "grant"]
    assert state != []
    assert granted == []


@pytest.mark.parametrize(
    "front",
    [
        *("timeout $A", "timeout 1$A", "timeout $A $B", "ssh $A host", "flock $A", "chroot $A", "env $A", "sudo $A"),
        *("xargs $A", "docker exec $A", "docker run $A", "setarch $A", "taskset $A", "chrt $A", "watch $A", "npx $A"),
        *("strace $A", "nsenter $A", "unshare $A", "stdbuf $A", "ionice $A", "nohup $A", "numactl $A"),
    ],
)
def test_words_of_unknown_number_before_a_command_hide_nothing(tmp_path, front):
    """Nobody knows how many words a variable becomes: the command may begin at every word where it can begin."""
    assert Deciding(tmp_path, SECRETS, default="allow").bash(f"{front} cat .env") == "deny"


def test_words_of_unknown_number_before_a_command_may_be_the_command(tmp_path):
    """A variable before a command may hold another command: that is asked about."""
    assert Deciding(tmp_path, SECRETS, default="allow").bash("timeout $A ls") == "ask"
