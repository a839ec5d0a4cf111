"""Patterns that are said to be within others, held against what the engine's own matchers say."""

from itertools import product

import pytest

from tests.assurance.small_rules import COMMANDS, PATH_GLOBS, PATHS, PATTERNS, URL_GLOBS, URLS
from tidegate.assurance.clauses.commands import Command
from tidegate.assurance.clauses.items import Name, Url, path_items
from tidegate.assurance.clauses.tables import Table
from tidegate.compile.stage import HOME, ROOT
from tidegate.meaning.commands.interpret import interpret
from tidegate.meaning.commands.patterns import parse_pattern
from tidegate.meaning.commands.table import Table as Programs
from tidegate.meaning.comparing import Comparison
from tidegate.meaning.effects import Invocation
from tidegate.meaning.pathpatterns import PathPattern
from tidegate.meaning.paths import resolve
from tidegate.meaning.places import Places
from tidegate.meaning.scene import Scene
from tidegate.meaning.shell.walk import walk
from tidegate.meaning.urlpatterns import UrlPattern
from tidegate.meaning.urls import read_host, read_url

SCENE = Scene(cwd=ROOT, home=HOME)
PLACES = Places(SCENE, ROOT)
PROGRAMS = Programs.builtin()
MORE_PATHS = [*PATHS, "/A/B", "/a/b.", "/home/dev/x", "/root/x", "/a/LONGFI~1.TXT", "/a/b/c:stream"]
MORE_GLOBS = [*PATH_GLOBS, "/a/longfilename.txt", "/a/longfilen*", "/a/l*", "/a/[b-c]", "/a/?", "**"]


@pytest.mark.parametrize("grant", [True, False], ids=["grant", "deny"])
def test_path_within_another_is_named_wherever_it_is(grant):
    """Whatever a glob names, one that it is within names as well, as a grant and as a deny."""
    proved = 0
    for one, other in product(MORE_GLOBS, repeat=2):
        others = path_items(other, links=True)
        if not all(item.within(others, grant=grant) for item in path_items(one, links=True)):
            continue
        proved += one != other
        mine, theirs = PathPattern.compile(one), PathPattern.compile(other)
        for path in MORE_PATHS:
            target = resolve(path, (ROOT,), SCENE)
            said = [each.match(target, PLACES, widen=not grant, every=grant) for each in (mine, theirs)]

            assert said[0] is not True or said[1] is True, (one, other, path)
    assert proved > 20


def invocations():
    for text in [*COMMANDS, "git push -f", "git push --force origin main", "rm -rf /a /b", "git status --short x"]:
        effects = walk(
            text,
            SCENE,
            lambda command: interpret(command, SCENE, PROGRAMS),
            resolve=resolve,
            read_host=read_host,
            read_code=lambda *_: [],
            shell="bash",
            persistent=False,
            source="",
        )
        yield from (effect.target for effect in effects if isinstance(effect.target, Invocation))


@pytest.mark.parametrize("grant", [True, False], ids=["grant", "deny"])
def test_command_within_another_is_matched_wherever_it_is(grant):
    """Whatever a command pattern matches, one that it is within matches as well."""
    read, compare = list(invocations()), Comparison(PLACES)
    patterns = [*PATTERNS, "git push -f", "git push *", "rm -r -f", "rm /a/**", "git status x ..."]
    proved = 0
    for one, other in product(patterns, repeat=2):
        items = [Command.read(text, PROGRAMS, grant=grant) for text in (one, other)]
        if not items[0].within([items[1]], grant=grant):
            continue
        proved += one != other
        mine, theirs = (parse_pattern(text, PROGRAMS, grant=grant) for text in (one, other))
        for command in read:
            said = [
                each.match_grant(command, compare) if grant else each.match_deny(command, compare)
                for each in (mine, theirs)
            ]

            assert said[0] is not True or said[1] is True, (one, other, command.words)
    assert proved > 5


@pytest.mark.parametrize("grant", [True, False], ids=["grant", "deny"])
def test_url_within_another_is_matched_wherever_it_is(grant):
    """Whatever a pattern of URLs matches, one that it is within matches as well."""
    patterns = [*URL_GLOBS, "*", "*://*:*", "https://a.test:443", "http://127.0.0.1", "127.0.0.1:*", "tcp://a.test"]
    patterns += ["https://a.test/x", "https://a.test/**", "b.a.test", "*.test"]
    urls = [*URLS, "https://A.test./X", "ftp://a.test/", "https://a.test:444/x/y", "http://[::ffff:127.0.0.1]/"]
    proved = 0
    for one, other in product(patterns, repeat=2):
        if not Url(one).within([Url(other)], grant=grant):
            continue
        proved += one != other
        mine, theirs = UrlPattern.compile(one), UrlPattern.compile(other)
        for url in urls:
            said = [each.match(read_url(url), widen=not grant, every=grant) for each in (mine, theirs)]

            assert said[0] is not True or said[1] is True, (one, other, url)
    assert proved > 15


@pytest.mark.parametrize(
    ("one", "others", "within"),
    [
        ("read_file", ["read_*"], True),
        ("read_*", ["read_file"], False),
        ("re*", ["r*"], True),
        ("*", ["*?", "*"], True),
        ("s?nd", ["s*", "x"], True),
        ("s*", ["s?nd"], False),
    ],
)
def test_name_is_within_others_by_its_language(one, others, within):
    assert Name(one).within([Name(other) for other in others], grant=True) is within


@pytest.mark.parametrize(
    ("one", "other", "within"),
    [
        ({"n": {"min": 1, "max": 3}}, {"n": {"max": 5}}, True),
        ({"n": {"max": 5}}, {"n": {"min": 1, "max": 5}}, False),
        ({"t": {"glob": "ab*"}}, {"/t": {"glob": "a*"}}, True),
        ({"t": {"equals": "ab"}}, {"t": {"glob": "a*"}}, True),
        ({"t": {"one_of": ["ab", "b"]}}, {"t": {"glob": "a*"}}, False),
        ({"t": {"regex": "[ab]+"}}, {"t": {"regex": "[a-c]*"}}, True),
        ({"t": {"regex": "[ab]+"}}, {"t": {"glob": "*"}}, False),
        ({"t": {"glob": "a*"}, "u": {}}, {"t": {"glob": "a*"}}, False),
        ({"n": {"max": 3}}, {"n": {}}, False),
    ],
)
def test_table_is_within_another_by_its_checks(one, other, within):
    assert Table.of(one, "").within([Table.of(other, "")], grant=False) is within
