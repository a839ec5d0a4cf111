"""Command patterns against commands: widely for a deny, exactly for a grant."""

from __future__ import annotations

import pytest

from tests.meaning.commands.reading import ANYTHING, COMPARE, TABLE, brief, read
from tidegate.meaning.commands.patterns import PatternError, parse_pattern
from tidegate.meaning.effects import Place
from tidegate.meaning.tri import Unknown
from tidegate.meaning.values import Hole, Partial


def denies(pattern, line, **more):
    return parse_pattern(pattern, TABLE).match_deny(read(line, **more).invocation, COMPARE)


def grants(pattern, line, **more):
    """Whether a grant covers everything that the command does."""
    compiled = parse_pattern(pattern, TABLE, grant=True)
    reading = read(line, **more)
    matched = compiled.match_grant(reading.invocation, COMPARE)
    return matched if matched is not True else all(compiled.covers(effect) for effect in reading.effects)


DENIED = {
    "the same": ("rm -r -f", "rm -r -f x"),
    "bundle": ("rm -r -f", "rm -rf x"),
    "other order": ("rm -r -f", "rm -fr x"),
    "long": ("rm -r -f", "rm --recursive --force x"),
    "abbreviated": ("rm -r -f", "rm --recurs --forc x"),
    "behind the operand": ("rm -r -f", "rm x -rf"),
    "more options": ("rm -r -f", "rm -rvf --one-file-system x"),
    "more operands": ("rm -r -f", "rm -rf a b c"),
    "pattern in long": ("rm --recursive --force", "rm -rf x"),
    "pattern as a bundle": ("rm -rf", "rm -r -f x"),
    "path of the program": ("rm -r", "/bin/rm -r x"),
    "pattern with a path": ("/bin/rm -r", "rm -r x"),
    "case": ("rm -r", "RM -r x"),
    "exe": ("git push", "git.exe push"),
    "look-alike": ("rm -r", "\uff52\uff4d -r x"),
    "program alone": ("curl", "curl http://h.test -X DELETE"),
    "value of an option": ("curl -X DELETE", "curl http://h.test -XDELETE"),
    "value as a glob": ("curl -X *", "curl http://h.test --request=PUT"),
    "global options": ("git push --force", "git -C /srv --no-pager push -f origin"),
    "subcommand": ("git push", "git push origin main"),
    "program of subcommands": ("git", "git push"),
    "any subcommand": ("aws *", "aws s3 rm s3://b --recursive"),
    "alias of a subcommand": ("npm install", "npm i x"),
    "operand glob": ("git push +*", "git push origin main +dev"),
    "operand subsequence": ("git push origin main", "git push -u origin dev main"),
    "path": ("rm /srv/**", "rm /srv/x/../y"),
    "path in another spelling": ("cat .env", "cat ./a/../.env"),
    "url": ("curl http://*.evil.test/**", "curl -s http://a.evil.test/x"),
    "dots in the middle": ("curl ... http://*.evil.test/**", "curl -s http://a.evil.test/x"),
    "final dots": ("git push ...", "git push"),
    "variable": ("LD_PRELOAD=* ls", "LD_PRELOAD=./x.so ls -l"),
    "version": ("python", "python3.12 x.py"),
    "version in part": ("python3", "python3.12 x.py"),
    "program without an entry": ("frob --wipe", "frob -v --wipe x"),
    "program without an entry and a value": ("frob --mode=*", "frob --mode=wipe"),
    "key of dd": ("dd of=/dev/*", "dd if=x of=/dev/sda"),
    "predicate of find": ("find -delete", "find . -name x -delete"),
    "paths behind the double dash": ("git checkout -- **", "git checkout HEAD -- a"),
    "program as a glob": ("mkfs*", "mkfs.ext4 /dev/sda"),
    "quoted text": ("git commit -m 'a*b'", "git commit -m 'a*b'"),
    "any operand": ("chmod 777 *", "chmod 777 /etc/passwd"),
    "any module": ("python -m", "python3 -I -m venv x"),
    "any module, joined": ("python -m", "python -mvenv x"),
}


@pytest.mark.parametrize(("pattern", "line"), DENIED.values(), ids=DENIED)
def test_deny_matches_a_command_that_does_at_least_that(pattern, line):
    """However the command is spelled, what the pattern names is in it."""
    assert denies(pattern, line) is True


NOT_DENIED = {
    "option missing": ("rm -r -f", "rm -r x"),
    "no option": ("rm -r -f", "rm x"),
    "option behind the double dash": ("rm -r", "rm -- -r"),
    "option of a message": ("git commit --amend", "git commit -m --amend"),
    "longer option": ("git push --force", "git push --force-with-lease"),
    "other program": ("rm", "farm -rf"),
    "program as an operand": ("rm", "echo rm"),
    "other subcommand": ("git push", "git stash push"),
    "other value": ("curl -X DELETE", "curl -X GET http://h.test"),
    "operands in another order": ("cp a b", "cp b a"),
    "other path": ("rm /srv/**", "rm /etc/x"),
    "quoted star": ("git commit -m 'a*b'", "git commit -m 'axxb'"),
    "variable missing": ("LD_PRELOAD=* ls", "ls"),
    "paths without a double dash": ("git checkout -- **", "git checkout main"),
    "version of no family": ("md", "md5 x"),
    "option of no entry": ("frob --wipe", "frob --wiped"),
    "no module": ("python -m", "python x.py"),
    "other module": ("python -mpip", "python -m venv x"),
}


@pytest.mark.parametrize(("pattern", "line"), NOT_DENIED.values(), ids=NOT_DENIED)
def test_deny_does_not_match_a_command_that_certainly_does_less(pattern, line):
    """A pattern does not stop what does not do it."""
    assert denies(pattern, line) is False


UNKNOWN = {
    "word that may be an option": ("rm -r -f", ["rm", ANYTHING, "x"], {}),
    "words that may be anything": ("rm -r -f", ["rm", ANYTHING], {"many": True}),
    "word that may be several operands": ("rm a b", ["rm", "--", ANYTHING], {"many": True}),
    "program": ("rm", [ANYTHING, "x"], {}),
    "part of the program": ("rm", [Partial((Hole.NAME, "m"), "r"), "x"], {}),
    "subcommand": ("git push", ["git", ANYTHING, "push"], {}),
    "option before the subcommand": ("git push", ["git", "--frob", "x", "push"], {}),
    "operand": ("git push +*", ["git", "push", "origin", Partial((Hole.ANY,), "r")], {}),
    "value": ("curl -X DELETE", ["curl", "-X", ANYTHING], {}),
    "variable": ("X=a* frob", [["frob"], [("X", ANYTHING)]], None),
}


@pytest.mark.parametrize(("pattern", "line", "more"), UNKNOWN.values(), ids=UNKNOWN)
def test_deny_is_unknown_where_words_that_are_not_known_could_match(pattern, line, more):
    """What could match is neither yes nor no."""
    if more is None:
        line, more = line[0], {"variables": line[1]}

    assert isinstance(denies(pattern, line, **more), Unknown)


IMPOSSIBLE = {
    "text that no option has": ("rm -r -f", ["rm", Partial((Hole.NAME, ".txt"), "r")]),
    "word that begins with text": ("rm -r -f", ["rm", Partial(("/tmp/", Hole.NAME), "r")]),
    "program that ends otherwise": ("rm", [Partial((Hole.NAME, "ls"), "r"), "-r"]),
    "program that may be it, without the option": ("rm -r", [ANYTHING, "x"]),
    "operand of another shape": ("git push +*", ["git", "push", "origin", Partial(("dev-", Hole.ANY), "r")]),
}


@pytest.mark.parametrize(("pattern", "line"), IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_deny_is_no_where_the_shape_of_a_word_forbids_it(pattern, line):
    """What is known of a word is enough to say no: `*.txt` is never `-rf`."""
    assert denies(pattern, line) is False


GRANTED = {
    "exactly": ("git status", "git status"),
    "final dots and a harmless option": ("git status ...", "git status --short"),
    "final dots and operands": ("git diff ...", "git diff HEAD src"),
    "named option": ("sort -o out ...", "sort -o out in"),
    "named option in another spelling": ("sort --output=out ...", "sort -oout -u in"),
    "option given twice": ("grep -e * ...", "grep -e a -e b x"),
    "one word whatever its text": ("git commit -m *", "git commit -m 'two words'"),
    "quoted star": ("grep 'a*b' x", "grep 'a*b' x"),
    "harmless variable": ("npm test", "NODE_ENV=test npm test"),
    "named variable": ("NODE_OPTIONS=* npm test", "NODE_OPTIONS=-r npm test"),
    "harmless subcommand": ("git ...", "git log --oneline"),
    "harmless config key": ("git log ...", "git -c color.ui=always log"),
    "any number of operands": ("cp ** dist", "cp a b dist"),
    "code by its nature": ("make test", "make test"),
    "program without an entry": ("frob ...", "frob --anything x"),
    "program without an entry, exactly": ("frob --x a", "frob --x a"),
    "wrapper and what it runs": ("xargs grep ...", "xargs -0 grep"),
    "absolute path": ("/usr/bin/git status", "/usr/bin/git status"),
    "output to nowhere": ("curl ... http://*", "curl -s -o /dev/null http://h.test"),
    "find in its order": ("find ** -name * -delete", "find a -name x -delete"),
    "find without effects": ("find ...", "find . -name x -type f -print"),
    "paths behind the double dash": ("git checkout -- **", "git checkout -- a b"),
    "subcommand that is not declared": ("git frob ...", "git frob --x y"),
    "module": ("python -m json.tool ...", "python -m json.tool x"),
    "module, joined": ("python -mjson.tool ...", "python -m json.tool x"),
}


@pytest.mark.parametrize(("pattern", "line"), GRANTED.values(), ids=GRANTED)
def test_grant_covers_exactly_what_it_names(pattern, line):
    """A command that is what the pattern says, and does no more, is covered."""
    assert grants(pattern, line) is True


NOT_GRANTED = {
    "further option": ("git status", "git status --short"),
    "further operand": ("git diff", "git diff HEAD"),
    "operand missing": ("git push origin", "git push"),
    "option missing": ("git commit -m * --amend", "git commit -m x"),
    "option that does something": ("sort ...", "sort -o out in"),
    "option that runs something": ("sort ...", "sort --compress-program=sh in"),
    "option in an abbreviation": ("git log ...", "git log --onelin"),
    "option that is not declared": ("git status ...", "git status --frob"),
    "option that must be named": ("git push ...", "git push --delete origin x"),
    "other value of a named option": ("sort -o out ...", "sort -o other in"),
    "second value of a named option": ("sort -o out ...", "sort -o out -o other in"),
    "path of the program": ("git status", "./git status"),
    "other path of the program": ("/usr/bin/git status", "/tmp/git status"),
    "case": ("git status", "Git status"),
    "look-alike": ("git status", "\u0261it status"),
    "other version": ("python3 x.py", "python3.12 x.py"),
    "variable": ("git log ...", "GIT_PAGER=sh git log"),
    "path of the search": ("ls ...", "PATH=/tmp ls"),
    "subcommand that is not harmless": ("git ...", "git push"),
    "config key that is code": ("git ...", "git -c core.pager=sh log"),
    "config key that is not declared": ("git log ...", "git -c frob.x=1 log"),
    "wrapped command of another name": ("xargs grep ...", "xargs sh -c id"),
    "find in another order": ("find ** -name * -delete", "find a -delete -name x"),
    "find with an operator": ("find ** -name * -delete", "find a -name x -o -delete"),
    "paths for a branch": ("git checkout main", "git checkout -- main"),
    "variable with another value": ("X=a frob", "X=b frob"),
    "helper of a remote": ("git clone ...", "git clone 'ext::sh -c id'"),
    "text beside a glob": ("git commit -m *", "git commit -m x y"),
    "relative path for a bare name": ("gradlew ...", "./gradlew x"),
}


@pytest.mark.parametrize(("pattern", "line"), NOT_GRANTED.values(), ids=NOT_GRANTED)
def test_grant_never_widens(pattern, line):
    """Anything beyond the pattern is not covered."""
    assert grants(pattern, line) is not True


def test_grant_holds_only_here():
    """What runs in a container or on another host is not granted."""
    assert grants("rm x", "rm x", place=Place("container", "c")) is not True


def test_grant_needs_every_word_read():
    """A word that is not known may be an option, or text that nobody has seen."""
    assert grants("cat ...", ["cat", ANYTHING]) is not True
    assert grants("echo ...", ["echo", "--", ANYTHING]) is not True
    assert grants("cat ...", ["cat", Partial(("./", Hole.NAME), "r")]) is True


def test_covered_effects_are_those_of_the_pattern():
    """A grant covers the nature of a program and the options that it names, and nothing else."""
    pattern = parse_pattern("sort -o out ...", TABLE, grant=True)
    covered = [brief(effect) for effect in read("X=1 sort -o out -T t in").effects if pattern.covers(effect)]

    assert covered == ["exec sort", "read in", "write out by --output"]


BROKEN = {
    "empty": ("", 0, "the pattern is empty"),
    "blank": ("  ", 0, "the pattern is empty"),
    "operator": ("git status; ls", 10, "`;` is not part of one command"),
    "pipe": ("ls | sh", 3, "`|` is not part of one command"),
    "redirection": ("ls > x", 3, "`>` is not part of one command"),
    "substitution": ("ls $(id)", 3, "`$` is not part of one command"),
    "variable": ("ls $HOME", 3, "`$` is not part of one command"),
    "line break": ("ls\nid", 2, "`a line break` is not part of one command"),
    "unknown option": ("rm --recusive x", 3, "`rm` has no option `--recusive`"),
    "unknown option of a subcommand": ("git push --froce", 9, "`git push` has no option `--froce`"),
    "unknown letter": ("rm -rQ x", 3, "`rm` has no option `-Q`"),
    "open quote": ("git commit -m 'x", 14, "a quote is never closed"),
    "backslash at the end": ("ls x\\", 4, "a backslash escapes nothing"),
    "no program": ("X=1", 0, "the pattern names no program"),
    "dots alone": ("...", 0, "the pattern names no program"),
    "broken path": ("rm /srv/[a", 8, "`[` is never closed"),
}


@pytest.mark.parametrize(("text", "offset", "what"), BROKEN.values(), ids=BROKEN)
def test_broken_pattern_is_refused_where_it_is_broken(text, offset, what):
    """A pattern that cannot match is an error with its place and a way to mend it."""
    with pytest.raises(PatternError) as caught:
        parse_pattern(text, TABLE)

    assert (caught.value.offset, caught.value.what) == (offset, what)
    assert caught.value.why
    assert caught.value.mend


def test_unknown_option_comes_with_the_nearest_one():
    """A slip of the pen is mended in words."""
    with pytest.raises(PatternError) as caught:
        parse_pattern("git push --froce", TABLE)

    assert caught.value.mend == "write `--force`"


@pytest.mark.parametrize("text", ["* x", "git* status", "./gradlew test", "bin/x"])
def test_grant_names_its_program_exactly(text):
    """A grant by a glob or by a relative path is refused; a deny may have them."""
    with pytest.raises(PatternError):
        parse_pattern(text, TABLE, grant=True)

    invocation = read(text).invocation

    assert parse_pattern(text, TABLE).match_grant(invocation, COMPARE) is not True


def test_patterns_know_their_programs():
    """A set of rules can be indexed by program, unless a pattern has a glob for it."""
    assert parse_pattern("git push", TABLE).programs == {"git"}
    assert parse_pattern("xargs grep ...", TABLE).programs == {"xargs", "grep"}
    assert parse_pattern("mkfs*", TABLE).programs is None


@pytest.mark.parametrize(
    ("pattern", "line", "expected"),
    [
        ("mytool {run,dev} x", "mytool dev x", True),
        ("mytool {run,dev} x", "mytool build x", False),
        ("mytool {a*,b}{1,2}", "mytool axe2", True),
        ("mytool {a*,b}{1,2}", "mytool b3", False),
        ("mytool {a,{b,c}d}", "mytool cd", True),
        ("npm {run,test}", "npm run x", True),
        ("git push {+*,:*}", "git push origin :old", True),
        ("mytool {}", "mytool '{}'", True),
        (r"mytool \{a,b\}", "mytool '{a,b}'", True),
        (r"mytool \{a,b\}", "mytool a", False),
        ("mytool '{a,b}'", "mytool a", False),
        ("git commit -m {wip*,fixup}", "git commit -m 'wip 2'", True),
    ],
)
def test_choice_in_an_operand_is_any_of_its_parts(pattern, line, expected):
    """`{a,b}` is a choice in words of every kind, as it is in paths; quoted, escaped or without a comma it is text."""
    assert (denies(pattern, line) is True) is expected
