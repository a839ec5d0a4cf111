"""Patterns of paths against targets: grants, denies and confinements over every spelling."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.meaning.trees import ROOT, Tree, scene
from tidegate.meaning.beneath import beneath, match_beneath
from tidegate.meaning.globtokens import BadGlob
from tidegate.meaning.pathpatterns import PathPattern, match_any
from tidegate.meaning.paths import resolve
from tidegate.meaning.places import Places
from tidegate.meaning.tri import Unknown
from tidegate.meaning.values import Hole, Partial, unknown

LINKED = scene(
    {
        f"{ROOT}/link": "/srv/other",
        f"{ROOT}/deep": "/srv/other/sub",
        f"{ROOT}/dangling": "/srv/other/not-there",
        f"{ROOT}/cur": f"{ROOT}/src",
        f"{ROOT}/loop": "loop",
        f"{ROOT}/env": ".env",
        f"{ROOT}/home": "/home/dev",
        "/tmp": "/private/tmp",
        "/home/dev/.aws": "/data/aws",
    }
)


def target(path, where=LINKED, **how):
    return resolve(path, () if where.cwd is None else (where.cwd,), where, **{"tilde": True, **how})


def denies(pattern, path, where=LINKED, root=ROOT, **how):
    return PathPattern.compile(pattern).match(target(path, where, **how), Places(where, root), widen=True, every=False)


def grants(pattern, path, where=LINKED, root=ROOT, **how):
    return PathPattern.compile(pattern).match(target(path, where, **how), Places(where, root), widen=False, every=True)


INSIDE = [
    "src/a.py",
    f"{ROOT}/src/a.py",
    f"{ROOT}/",
    ".",
    "src/../a.py",
    f"{ROOT}/~/notes.txt",
    "cur/a.py",
    "../project/a.py",
    "//srv//project/./a",
    "new/dir/file",
    "~weird",
    "ab:c",
    f"file://{ROOT}/a.py",
    Partial(("build/x", Hole.DIGITS, ".log"), "r"),
    Partial(("build/x-", Hole.NAME), "r"),
]
OUTSIDE = [
    "\\\\server\\share",
    "\\\\?\\C:\\secret.txt",
    "C:secret.txt",
    "/srv/projectx",
    "/srv/projec",
    "/srv",
    "/",
    "..",
    "../secret",
    "link/secret.txt",
    "link/newdir/new.txt",
    "dangling",
    "deep/../secret.txt",
    "src/../../x",
    "/proc/self/cwd/../secret.txt",
    "/proc/self/root/etc/passwd",
    "file:///etc/passwd",
    "FILE:/etc/passwd",
    "file://localhost/etc/passwd",
    "file:///srv/project/%2e%2e/x",
    "/private/etc/hosts",
    "/SRV/PROJECT/a",
    "/srv/project./a",
    "/srv/\u0440roject/a",
    "..\\secret",
    "home/x",
    "~/x",
    Partial(("/etc/x", Hole.NAME), "r"),
]
UNTOLD = [
    "",
    "a\0b",
    "a.txt::$DATA",
    "loop",
    "loop/x",
    "/proc/self/fd/9",
    "file://evil.test/srv/project/a",
    "~eve/x",
    Partial(("src/", Hole.ANY), "r"),
    Partial(("src/", Hole.NAME), "r"),
    unknown("r"),
]


@pytest.mark.parametrize("path", INSIDE)
def test_root_contains_what_lies_beneath_it(path):
    expected = Unknown("the home of `weird` is not known") if path == "~weird" else True

    assert grants("{root}/**", path) == expected


@pytest.mark.parametrize("path", OUTSIDE)
def test_root_does_not_contain_what_leads_out_of_it(path):
    """One name outside is enough: a confinement refuses, a grant does not cover."""
    assert grants("{root}/**", path) is False


@pytest.mark.parametrize("path", UNTOLD)
def test_grant_of_everything_covers_what_cannot_be_told(path):
    """Whatever name it turns out to be, `/**` contains it; nothing less does."""
    assert grants("/**", path) is True
    assert grants("/srv/**", path) is not True


@pytest.mark.parametrize("path", UNTOLD)
def test_root_never_contains_what_cannot_be_told(path):
    """Neither a confinement nor a grant takes what nobody understands for inside."""
    assert grants("{root}/**", path) is not True
    assert isinstance(denies("/etc/shadow", path), Unknown)


def test_root_contains_nothing_for_sure_without_a_file_system():
    blind = scene(files=None)

    assert isinstance(grants("{root}/**", "a.py", blind), Unknown)
    assert grants("{root}/**", "/etc/passwd", blind) is False
    assert denies("**/.env", ".env", blind) is True
    assert isinstance(denies("**/.env", "a.py", blind), Unknown)


SECRETS = [
    (".env", "**/.env"),
    (".ENV", "**/.env"),
    ("sub/dir/.Env", "**/.env"),
    ("src/../.env", "**/.env"),
    ("/srv/other/.env", "**/.env"),
    ("env", "**/.env"),
    (".env.", "**/.env"),
    (".env ", "**/.env"),
    (".env::$DATA", "**/.env"),
    (".env:x", "**/.env"),
    ("ENV~1", "**/.env"),
    (".\u0435nv", "**/.env"),
    (".e\u200bnv", "**/.env"),
    ("\uff0e\uff45\uff4e\uff56", "**/.env"),
    ("src\\..\\.env", "**/.env"),
    ("cafe\u0301/menu", "caf\u00e9/**"),
    ("caf\u00e9/menu", "cafe\u0301/**"),
    ("C:\\work\\.env", "**/.env"),
    ("\\\\server\\share\\.env", "**/.env"),
    ("file:///srv/project/.env", "**/.env"),
    ("file:///srv/project/%2eenv", "**/.env"),
    ("/proc/self/cwd/.env", "**/.env"),
    ("/proc/1/root/srv/project/.env", "**/.env"),
    (Partial((Hole.ANY, "/.env"), "r"), "**/.env"),
    (Partial(("src/", Hole.ANY, "/.ENV"), "r"), "**/.env"),
    ("~/.ssh/id_rsa", "~/.ssh/**"),
    ("/home/dev/.ssh", "~/.ssh/**"),
    ("home/.ssh/id_rsa", "~/.ssh/**"),
    ("/root/.ssh/id_rsa", "~/.ssh/**"),
    ("/home/alice/.SSH/id_rsa", "~/.ssh/**"),
    ("/Users/alice/.ssh/id_rsa", "~/.ssh/**"),
    ("~root/.ssh/x", "~/.ssh/**"),
    ("~eve/.ssh/x", "**/.ssh/**"),
    ("/data/aws/credentials", "~/.aws/**"),
    ("~/.aws/credentials", "~/.aws/**"),
    ("/proc/self/environ", "/proc/*/environ"),
    ("/private/tmp/p/x", "/tmp/p/**"),
    ("/tmp/p/x", "/private/tmp/p/**"),
    (f"{ROOT}/.GIT/hooks/pre-commit", "**/.{git,claude,gemini,cursor,codex}/**"),
    (f"{ROOT}/.git./config", "**/.{git,claude,gemini,cursor,codex}/**"),
    (f"{ROOT}/.git::$INDEX_ALLOCATION/config", "**/.{git,claude,gemini,cursor,codex}/**"),
    ("GIT~1/config", "**/.{git,claude,gemini,cursor,codex}/**"),
    (f"{ROOT}/.Claude/settings.json", "**/.{git,claude,gemini,cursor,codex}/**"),
    (".gemini /policies/x.toml", "**/.{git,claude,gemini,cursor,codex}/**"),
    (".co\u200ddex/x", "**/.{git,claude,gemini,cursor,codex}/**"),
    ("secrets/x", "secrets/**"),
    ("secrets/x", "{cwd}/secrets/**"),
    ("x/secrets", "x/secrets"),
    ("../shared/x", "../shared/**"),
    ("../shared/x", "{root}/../shared/**"),
    ("/srv/SHARED/x", "../shared/**"),
]


@pytest.mark.parametrize(("path", "pattern"), SECRETS)
def test_deny_sees_through_every_spelling(path, pattern):
    """Case, streams, short names, look-alikes, links, processes, homes: what is reached is what is denied."""
    assert denies(pattern, path) is True


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        (".gitignore", "**/.{git,claude}/**"),
        ("git/config", "**/.git/**"),
        (".env.example", "**/.env"),
        ("env.py", "**/.env"),
        ("docs/ssh/x", "~/.ssh/**"),
        ("/home/dev/ssh/x", "~/.ssh/**"),
        ("/home/dev/a/.ssh/x", "~/.ssh/**"),
        ("secretsx/x", "secrets/**"),
        ("/secrets/x", "secrets/**"),
        ("x/secrets/y", "secrets/**"),
        ("/srv/other/x", "{root}/**"),
        ("hello", "hell0"),
        (Partial(("build/x", Hole.DIGITS), "r"), "**/.env"),
        (Partial(("src/", Hole.NAME, ".py"), "r"), "**/.env"),
        (Partial(("/srv/pro", Hole.NAME, "x"), "r"), "/etc/**"),
    ],
)
def test_deny_leaves_other_names_alone(path, pattern):
    assert denies(pattern, path) is False


def test_glob_of_a_shell_leaves_hidden_names_alone():
    everything = Partial((Hole.NAME,), "r")

    assert denies("**/.env", everything, scene(), tilde=False, glob=True) is False
    assert isinstance(denies("**/.env", Partial((".", Hole.NAME), "r"), scene(), tilde=False, glob=True), Unknown)
    assert isinstance(denies("**/a.py", everything, scene(), tilde=False, glob=True), Unknown)
    assert grants("{root}/**", everything, scene(), tilde=False, glob=True) is True
    assert denies("/etc/**", Partial((Hole.NAME,), "r"), LINKED, tilde=False, glob=True) is False


@pytest.mark.parametrize(
    ("path", "pattern", "expected"),
    [
        ("/home/alice/.ssh/x", "~/.ssh/**", False),
        ("/root/.ssh/x", "~/.ssh/**", False),
        ("/root/.ssh/x", "~root/.ssh/**", True),
        ("/srv/project/x/.env", "**/.env", True),
        ("/etc/.env", "**/.env", False),
        ("SRC/a.py", "src/**", False),
        ("src./a.py", "src/**", False),
        ("\uff53rc/a.py", "src/**", False),
        ("src/a.py", "{cwd}/src/*.py", True),
        ("/tmp/p/x", "/tmp/p/**", True),
        ("/private/tmp/p/x", "/tmp/p/**", True),
        ("/tmp/p/x", "/private/tmp/p/**", False),
        (".env", "{root}/.env", True),
        ("env", "{root}/{env,.env}", True),
        ("env", "{root}/.env", False),
    ],
)
def test_grant_never_widens(path, pattern, expected):
    """A grant means the call's own home, the exact spelling and every name on the way."""
    assert grants(pattern, path, tilde=False) is expected


@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    [
        ("/p/[!A-C]x", "/p/bx", True),
        ("/p/[!a-c]x", "/p/bx", False),
        ("/p/*", "/p/a\\b", True),
        ("/p/?", "/p/\ufb01", True),
        ("/p/*\u0323x", "/p/e\u0301\u0323x", True),
        ("/P/x.", "/P/x.", True),
        ("/pq/**", "/p", False),
        ("/p/**", "/pq", False),
    ],
)
def test_deny_names_what_it_names_exactly_as_well(pattern, name, expected):
    """Also where folding makes something else of the name or of the pattern."""
    assert PathPattern.compile(pattern).match_name(name, Places(scene(), ROOT), widen=True) is expected


def test_list_of_grants_covers_each_name_by_one_of_them():
    patterns = [PathPattern.compile("{root}/**"), PathPattern.compile("/srv/other/**")]
    places = Places(LINKED, ROOT)

    assert match_any(patterns, target("link/x"), places, widen=False, every=True) is True
    assert match_any(patterns[:1], target("link/x"), places, widen=False, every=True) is False
    assert match_any(patterns, target("/etc/x"), places, widen=False, every=True) is False
    assert match_any([], target("a"), places, widen=False, every=True) is False
    assert match_any([], target("a"), places, widen=True, every=False) is False


@pytest.mark.parametrize(
    ("pattern", "where", "root", "reason"),
    [
        ("{root}/**", scene(), None, "root"),
        ("~/x/**", scene(home=None), ROOT, "home"),
        ("~eve/**", scene(), ROOT, "`eve`"),
        ("src/**", scene(cwd=None), ROOT, "directory"),
    ],
)
def test_pattern_with_an_unknown_place_is_unknown_where_it_could_name_the_path(pattern, where, root, reason):
    inner = "/any/where" + pattern.partition("/")[2].join(["/", "/"]).replace("**", "file").rstrip("/")
    if pattern == "src/**":
        inner = "/any/where/src/file"

    assert reason in grants(pattern, inner, where, root).reason
    assert grants("{root}/special/*.txt", "/any/where", scene(), None) is False


@given(
    st.text(st.characters(codec="utf-8", exclude_characters="/\0"), min_size=1, max_size=8), st.sampled_from("ab*?[{")
)
def test_place_is_taken_as_it_is(name, other):
    """Whatever characters a root has, `{root}/**` is that directory and what is beneath it, and nothing else."""
    root = f"/srv/{name}" if name not in (".", "..") else "/srv/dots"
    where = scene(cwd=root)
    pattern = PathPattern.compile("{root}/**")
    places = Places(where, root)

    for path, expected in (
        (root, True),
        (f"{root}/x", True),
        (f"{root}{other}", False),
        (f"/srv/{other}/x", f"/srv/{other}" == root),
    ):
        assert pattern.match_name(path, places, widen=False) is expected
        assert pattern.match_name(Partial((f"{path}/x", Hole.DIGITS), "r"), places, widen=False) is (expected)


# --- re-spelling


def flipped(data, path):
    return "".join(char.upper() if data.draw(st.booleans()) else char for char in path)


def padded(data, path):
    return path + data.draw(st.sampled_from([".", " ", ". .", "::$DATA", ":x"]))


def stuffed(data, path):
    at = data.draw(st.integers(1, len(path)))
    return path[:at] + data.draw(st.sampled_from(["\u200b", "\u2060", "\ufe0f", "\u00ad"])) + path[at:]


def fullwidth(data, path):
    return "".join(
        chr(ord(char) + 0xFEE0) if char.isascii() and char.isalnum() and data.draw(st.booleans()) else char
        for char in path
    )


def alike(data, path):
    twins = str.maketrans("aceopxyi", "\u0430\u0441\u0435\u043e\u0440\u0445\u0443\u0456")
    return "".join(char.translate(twins) if data.draw(st.booleans()) else char for char in path)


def detoured(data, path):
    return path.replace("/", data.draw(st.sampled_from(["//", "/./", "/x/../", "\\"])), 1)


def via_process(data, path):
    return path if not path.startswith("/") else data.draw(st.sampled_from(["/proc/self/root", "/proc/7/root"])) + path


def as_url(data, path):
    return (
        path
        if not path.startswith("/")
        else data.draw(st.sampled_from(["file://", "FILE://localhost", "file:"])) + path
    )


RESPELLINGS = [flipped, padded, stuffed, fullwidth, alike, detoured]
PREFIXES = [via_process, as_url, lambda _, path: path]


@given(
    st.sampled_from(["/srv/project/.env", "/srv/project/deep/config/.env", ".env", "a/.env"]),
    st.lists(st.sampled_from(RESPELLINGS), max_size=4),
    st.sampled_from(PREFIXES),
    st.data(),
)
def test_respelling_a_name_never_turns_a_deny_into_a_pass(path, changes, prefix, data):
    """However a denied name is spelled, the deny still says yes."""
    spelled = path
    for change in changes:
        spelled = change(data, spelled)
    spelled = prefix(data, spelled)

    assert denies("**/.env", spelled, scene()) is True


@given(
    st.lists(st.sampled_from(["src", "a.py", "..", ".", "link", "cur", "", "*", "SRC"]), min_size=1, max_size=5),
    st.sampled_from(["{root}/**", "{root}/src/*", "src/**", "/srv/**", "{root}/{src,cur}/a*"]),
)
def test_grant_covers_only_where_every_name_is_covered(names, pattern):
    """A grant says yes exactly if it says yes to each name that the path has."""
    where, places = LINKED, Places(LINKED, ROOT)
    reached = target("/".join(names) or ".", where, tilde=False)
    compiled = PathPattern.compile(pattern)
    each = [compiled.match_name(name, places, widen=False) for name in reached.names]

    answer = compiled.match(reached, places, widen=False, every=True)
    assert (answer is True) == all(one is True for one in each)


# --- beneath a directory


BUSY = scene(
    {f"{ROOT}/src/out": "/etc"},
    {
        ROOT: ["src", "README", ".git"],
        f"{ROOT}/src": ["a.py", "sub", "out"],
        f"{ROOT}/src/sub": [".env", "b.py"],
        f"{ROOT}/.git": ["config"],
        f"{ROOT}/empty": [],
    },
)


def below(patterns, path, where=BUSY, *, deny=True, budget=100):
    compiled = [PathPattern.compile(pattern) for pattern in patterns]
    return match_beneath(compiled, target(path, where), Places(where, ROOT, budget), widen=deny, every=not deny)


def test_beneath_names_what_really_is_there_and_follows_no_link():
    found = list(beneath(target(".", BUSY), BUSY, 100))

    expected = [
        "src",
        "README",
        ".git",
        ".git/config",
        "src/a.py",
        "src/sub",
        "src/out",
        "src/sub/.env",
        "src/sub/b.py",
    ]
    assert sorted(found) == sorted(f"{ROOT}/{name}" for name in expected)


@pytest.mark.parametrize(
    ("patterns", "path", "expected"),
    [
        (["**/.env"], ".", True),
        (["**/.ENV"], "src", True),
        (["**/.env"], "empty", False),
        (["**/.env"], "src/a.py", False),
        (["/etc/**"], ".", False),
        (["**/*.pem", "{root}/.git/**"], ".", True),
        (["**/*.pem", "~/.ssh/**"], ".", False),
        (["{root}/src/sub/.env"], ".", True),
    ],
)
def test_deny_of_what_is_beneath_is_decided_by_what_is_there(patterns, path, expected):
    assert below(patterns, path) is expected


@pytest.mark.parametrize(
    ("patterns", "path", "expected"),
    [
        (["{root}/**"], ".", True),
        (["{root}/src/**"], "src", True),
        (["{root}/src/**"], ".", False),
        (["{root}/src/*", "{root}/src/sub/*"], "src", True),
        (["{root}/src/*.py"], "src", False),
    ],
)
def test_grant_of_what_is_beneath_needs_all_of_it(patterns, path, expected):
    assert below(patterns, path, deny=False) is expected


def test_what_is_beneath_is_unknown_past_the_budget_and_out_of_sight():
    """Only what cannot be looked at is unknown, and never taken for harmless."""
    assert isinstance(below(["**/*.pem"], ".", budget=3), Unknown)
    assert isinstance(below(["**/*.pem"], ".", scene(files=None)), Unknown)
    assert isinstance(below(["**/*.pem"], Partial(("src/", Hole.ANY), "r")), Unknown)
    closed = scene((), {ROOT: ["closed"]})
    closed.files.dirs[f"{ROOT}/closed"] = None
    assert isinstance(below(["**/*.pem"], ".", closed), Unknown)


def test_directories_that_cannot_lead_to_a_match_are_not_entered():
    """A deny of one plain path looks into no other directory, so a huge tree costs nothing."""
    crowd = {f"{ROOT}/other": [f"n{number}" for number in range(1_000)]}
    where = scene((), {**BUSY.files.dirs, **crowd, ROOT: ["other", "src"]})

    assert below(["{root}/src/sub/.env"], ".", where, budget=20) is True
    assert below(["{root}/src/nothing"], ".", where, budget=20) is False


@pytest.mark.parametrize(
    ("pattern", "path", "covers", "may"),
    [
        ("{root}/**", ".", True, True),
        ("{root}/**", "..", False, True),
        ("{root}/src/*", ".", False, True),
        ("{root}/**", "/etc", False, False),
        ("**/.env", "/etc", False, True),
        ("/tmp/p/**", "/private", False, True),
        ("/tmp/p/**", "/private/tmp/p/q", True, True),
        ("~/.ssh/**", "/", False, True),
        ("/SRV/other/**", "/srv", False, True),
    ],
)
def test_pattern_knows_what_could_stand_beneath(pattern, path, covers, may):
    compiled, places = PathPattern.compile(pattern), Places(LINKED, ROOT)
    reached = target(path)

    assert compiled.covers_beneath(reached, places) is covers
    assert compiled.may_match_beneath(reached, places, widen=True) is may


@pytest.mark.parametrize("pattern", ["", "{rot}/x", "/a//b", "~[x]/y", "{root}x", "a/{root}", "{root}/"])
def test_broken_pattern_is_refused(pattern):
    with pytest.raises(BadGlob):
        PathPattern.compile(pattern)


def test_places_are_looked_up_once():
    """Whatever the number of patterns, a place is followed through the file system once for a call."""
    asked = []

    class Counting(Tree):
        readlink = staticmethod(asked.append)

    where = scene(files=Counting())
    places = Places(where, ROOT)
    for number in range(50):
        PathPattern.compile(f"{{root}}/x{number}/**").match_name("/srv/project/x", places, widen=True)

    assert asked[:2] == ["/srv", ROOT]
    assert len(asked) == len(set(asked)) == 2 + 50
