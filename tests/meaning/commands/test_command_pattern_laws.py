"""Laws of command patterns: no re-spelling loses a deny, nothing added keeps a grant."""

from __future__ import annotations

import shlex

from hypothesis import given
from hypothesis import strategies as st

from tests.meaning.commands.reading import COMPARE, SCENE, TABLE, command, read, says
from tests.meaning.commands.test_command_patterns import grants
from tidegate.meaning.commands.interpret import interpret
from tidegate.meaning.commands.patterns import PatternError, parse_pattern
from tidegate.meaning.effects import Invocation
from tidegate.meaning.shell.command import SimpleCommand

DENIES = {
    "rm -r -f": (
        "rm",
        [["-r", "-R", "--recursive", "--recurs"], ["-f", "--force", "--fo"]],
        ["x"],
        ["-v", "-i", "--one-file-system", "y", "/etc"],
    ),
    "git push --force": ("git push", [["-f", "--force"]], ["origin"], ["-u", "-v", "--tags", "main", "--no-verify"]),
    "git reset --hard": ("git reset", [["--hard"]], [], ["-q", "HEAD", "HEAD~3"]),
    "git clean -f -d": ("git clean", [["-f", "--force"], ["-d"]], [], ["-x", "-q", "src"]),
    "curl -o *": ("curl", [["-oout", "--output=out", "-o out"]], ["http://h.test"], ["-s", "-L", "--fail"]),
    "chmod -R 777 *": ("chmod", [["-R", "--recursive"]], ["777", "d"], ["-v", "-c"]),
    "find -delete": ("find", [["-delete"]], [], ["-type f", "-name x"]),
    "docker run --privileged": ("docker run", [["--privileged"]], [], ["--rm", "-it", "--name=x"]),
    "sort -o *": ("sort", [["-o out", "-oout", "--output out", "--outp=out"]], ["in"], ["-u", "-n"]),
    "kubectl delete --all": ("kubectl delete", [["--all"]], ["pods"], ["-n x", "--now"]),
}
WRAPPERS = """
sudo
sudo -u root
doas
env
env A=1
env -i
nohup
timeout 5
timeout -s KILL -k 1 5s
nice -n 5
ionice -c 3
setsid
stdbuf -oL
time -p
command
flock /tmp/l
xargs
xargs -0 -n1
busybox
strace -f
watch -x
chroot /x
docker exec c
kubectl exec p --
find . -exec
unshare -n
nsenter -t 1
parallel
ssh h
sh -c
bash -lc
dash -ec
eval
su -c
script -qc
""".strip().splitlines()
JOINING = ("ssh", "sh -c", "bash -lc", "dash -ec", "eval", "su -c", "script", "parallel")


@st.composite
def respelled(draw):
    """A pattern, and a command line that does at least what it says."""
    pattern, (program, choices, operands, more) = draw(st.sampled_from(sorted(DENIES.items())))
    flags = [draw(st.sampled_from(choice)) for choice in choices]
    extra = draw(st.lists(st.sampled_from(more), max_size=3))
    first = program.startswith(("docker run",))
    words = draw(st.permutations([*flags, *extra])) if program == "find" or first else [*flags, *extra, *operands]
    if program != "find" and not first:
        words = (
            draw(st.permutations([*flags, *extra])) + operands
            if draw(st.booleans())
            else operands + draw(st.permutations([*flags, *extra]))
        )
    if first:
        words = [*words, "image"]
    if pattern == "rm -r -f" and draw(st.booleans()):
        words = [
            draw(st.sampled_from(["-rf", "-fr", "-Rf", "-vrf", "-rvf"])),
            *[word for word in words if word not in flags],
        ]
    head, _, tail = program.partition(" ")
    spelled = draw(st.sampled_from([head, f"/usr/bin/{head}", f"./{head}", head.upper(), f"{head}.exe"]))
    globals_ = draw(st.sampled_from(["", "-C /x ", "--no-pager ", "-c user.name=x "])) if head == "git" else ""
    return pattern, f"{spelled} {globals_}{tail} {' '.join(words)}".split()


def invocations(simple: SimpleCommand, depth: int = 0) -> list[Invocation]:
    """Every simple command that *simple* runs; text for a shell is split into words as far as it is known."""
    reading = interpret(simple, SCENE, TABLE)
    found = [reading.invocation]
    for nested in reading.nested if depth < 8 else ():
        words = nested.words
        if nested.form == "shell":
            known = nested.text if isinstance(nested.text, str) else nested.text.prefix
            words = command(shlex.split(known) or ["true"]).words
        if nested.form != "code" and words:
            inner = SimpleCommand(
                words,
                nested.variables,
                simple.cwds,
                (0, 9),
                nested.stdin,
                True,
                nested.place,
                (*simple.wrappers, nested.wrapper),
            )
            found += invocations(inner, depth + 1)
    return found


@given(respelled())
def test_no_spelling_loses_a_deny(case):
    """Reordering, bundling, lengthening and abbreviating options, and adding operands, never loses a deny."""
    pattern, line = case

    assert parse_pattern(pattern, TABLE).match_deny(read(line).invocation, COMPARE) is True


@given(respelled(), st.lists(st.sampled_from(WRAPPERS), min_size=1, max_size=4))
def test_no_wrapper_loses_a_deny(case, wrappers):
    """Whatever stands before a command, the command is still found in it."""
    pattern, line = case
    for wrapper in reversed(wrappers):
        line = [*wrapper.split(), shlex.join(line)] if wrapper.startswith(JOINING) else [*wrapper.split(), *line]
        if wrapper.startswith("find"):
            line.append(";")
        if wrapper == "parallel":
            line += [":::", "a"]
    compiled = parse_pattern(pattern, TABLE)

    assert True in [compiled.match_deny(each, COMPARE) for each in invocations(command(line))]


GRANTS = {
    "git status ...": ["git", "status"],
    "git log ...": ["git", "log", "-5"],
    "npm test ...": ["npm", "test"],
    "ls ...": ["ls", "-l"],
    "grep ...": ["grep", "-n", "a", "b"],
    "cat a": ["cat", "a"],
    "sort -u ...": ["sort", "-u", "a"],
    "git commit -m *": ["git", "commit", "-m", "x"],
    "docker ps ...": ["docker", "ps", "-a"],
    "find ...": ["find", ".", "-name", "x"],
    "curl ... http://*": ["curl", "-s", "http://h.test"],
    "tar tf *": ["tar", "tf", "a.tar"],
}
FOREIGN = ["--frob", "--frob=x", "-§", "--output=x", "--exec=sh", "--config=x", "--pre=x"]
FOREIGN_VARIABLES = [
    "FOO",
    "LD_PRELOAD",
    "GIT_SSH_COMMAND",
    "PATH",
    "NODE_OPTIONS",
    "PAGER",
    "BASH_ENV",
    "npm_config_script_shell",
]


@given(st.sampled_from(sorted(GRANTS.items())), st.sampled_from(FOREIGN), st.integers(1, 9))
def test_grant_never_covers_an_option_that_is_not_declared(case, option, at):
    """Wherever it stands, an option that the entry does not call harmless ends the grant."""
    pattern, line = case
    at = min(at, len(line))
    if line[at - 1] in ("-m", "-name", "tf"):
        at += 1

    assert grants(pattern, line) is True
    assert grants(pattern, [*line[:at], option, *line[at:]]) is not True


@given(st.sampled_from(sorted(GRANTS.items())), st.sampled_from(FOREIGN_VARIABLES), st.text(max_size=5))
def test_grant_never_covers_a_variable_that_is_not_declared(case, name, value):
    """A variable that is not harmless is an effect that the pattern does not name."""
    pattern, line = case

    assert grants(pattern, line, variables=[(name, value)]) is not True


@given(st.sampled_from(sorted(GRANTS.items())), st.sampled_from(["./", "/tmp/", "../", "x/"]), st.booleans())
def test_grant_never_covers_another_program(case, prefix, upper):
    """Neither a path nor another case is the program that the pattern names."""
    pattern, (program, *rest) = case
    other = program.upper() if upper else prefix + program

    assert grants(pattern, [other, *rest]) is not True


WORDS = shlex.split("rm git push -f -rf x -- --force sort -o out status +x curl -X '*' 'a b' find -delete")
LINES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5)


@given(LINES)
def test_command_is_denied_and_granted_by_itself_as_a_pattern(line):
    """A command written down as a pattern denies that very command, and grants it unless it does more than it says."""
    text = shlex.join(line)
    try:
        deny, grant = parse_pattern(text, TABLE), parse_pattern(text, TABLE, grant=True)
    except PatternError:
        return
    invocation = read(line).invocation

    assert deny.match_deny(invocation, COMPARE) is not False
    if grant.match_grant(invocation, COMPARE) is True:
        assert deny.match_deny(invocation, COMPARE) is True


@given(LINES, LINES)
def test_what_a_pattern_grants_it_denies_as_well(first, second):
    """A deny is never narrower than a grant of the same text."""
    try:
        pattern = parse_pattern(shlex.join(first), TABLE)
    except PatternError:
        return
    invocation = read(second).invocation

    if pattern.match_grant(invocation, COMPARE) is True:
        assert pattern.match_deny(invocation, COMPARE) is True


def test_laws_use_lines_that_do_something():
    """The lines of the laws are read as what they are meant to be."""
    assert says("rm -rf x") == ["delete x recursive force"]
