"""The index of rules leaves out only what would have said nothing."""

import os
from pathlib import Path
from random import Random
from unicodedata import normalize

import pytest
import tomli_w
from attrs import evolve
from hypothesis import Phase, given, note, settings
from hypothesis import strategies as st

from tests.kinds.deciding import HOME, ROOT, Links
from tests.laws.worlds import Clock, facts
from tests.test_labelled_calls import CALLS
from tidegate.compile.compiler import compile_plan
from tidegate.engine import Engine, Sources
from tidegate.facts.files import NothingThere
from tidegate.lang.layers import load, loads

LINES = Path(os.environ.get("TIDEGATE_CASES", Path(__file__).parents[3] / "shared" / "cases")) / "bash_commands.txt"
LINKS = {
    "/srv/app3": "/data",
    "/srv/näme3": "/data",
    "/srv/project/ln": "/etc",
    "/home/dev/.config": "/cfg",
    "/opt": "/srv/app1",
}
FOLDERS = {
    "/": ["srv", "home", "etc", "opt", "data", "cfg"],
    "/srv": ["project", "app1", "app3", "App7", "näme3"],
    "/srv/project": ["src", "ln", ".env", "secrets"],
    "/srv/project/src": ["a.py", "DEEP"],
    "/srv/app1": ["x", "conf"],
    "/srv/App7": ["y"],
    "/home": ["dev", "ann"],
    "/home/dev": [".ssh", ".config"],
    "/home/dev/.ssh": ["id_rsa"],
    "/data": ["x"],
    "/etc": ["passwd", "service2"],
    "/etc/service2": ["main.conf"],
    "/cfg": ["app1"],
}
DIRECTORIES = [
    "/srv/app{n}", "/etc/service{n}", "{root}", "{root}/src", "{root}/ln", "~", "~/.config/app{n}", "/data", "/opt/x",
    "/", "/srv/App{n}", "/srv/über{n}", "/srv/odd. /x{n}", "~ann/mail", "{cwd}", "..", "src", "/srv/Long Directory{n}",
]  # fmt: skip
ELSEWHERE = ["/srv/odd/x{n}", "/home/ann/mail", "/home/ann", "/home/bob", "/srv/LONGDI~1", "/srv", "/data"]
TAILS = ["/**", "/*", "/x", "/a.py", "/**/.env", "/x[ab]?", "/[!a]*", "/{x,y}{n}", "", "/key{n}.pem", "/**/conf/*"]
DEEP = ["**/.env", "**/*.pem", "**/key{n}.pem", "**/id_rsa", "**/GIT/config", "*.py", "**"]
PROGRAMS = ["rm", "git push", "git status", "kubectl delete", "docker rm", "chmod", "cat", "deployctl remove", "cp",
            "curl", "*ctl", "python", "sudo rm", "xargs rm"]  # fmt: skip
WORDS = ["-r", "-f", "-r -f", "--force", "origin", "prod-{n}", "777", "/srv/app{n}/**", "**/.env", "a*", "*",
         "https://t{n}.example/**", "namespace", "x", "+*"]  # fmt: skip
HOSTS = ["t{n}.example", "*.t{n}.example", "*", "10.0.0.{n}", "bücher{n}.example", "a*.example", "localhost"]
SHELL = ["ls {0}", "cat {0}", "rm -rf {0}", "cp {0} {1}", "X={0}; cat $X", "cat $UNSET/{0}", "find {0} -name '*.pem'",
         "mytool rm -rf {0}", "sudo rm -r {0} && git push --force origin prod-{n}", "git push origin +main",
         "deployctl remove prod-{n}", "kubectl delete namespace prod-{n}", "curl -sL https://a.t{n}.example/x > {0}",
         "cd {0}; rm x key{n}.pem", "echo {0} | xargs rm", "python{n} {0}", "$P {0}", "docker rm $(cat {0})",
         "chmod 777 {0}", "cat {0}*", "busybox rm {0}", "sh {0}", "CTL remove x", "git status"]  # fmt: skip
BENT = [
    str, str, str, str, str.upper, lambda text: f"{text}.", lambda text: text.replace("a", "а"),
    lambda text: f"{text}::$DATA", lambda text: text.replace("/", "//"), lambda text: f"/proc/self/root{text}",
    lambda text: text.replace("r", "r\u200b"), lambda text: f"{text}/..", lambda text: text.replace("DIRECTORY", "~1"),
    lambda text: f"{text[:6]}~1", lambda text: text.replace("/", "\\"), lambda text: f"file://{text}",
]  # fmt: skip


class World(Links):
    """Links and folders of which each knows the others."""

    def kind(self, path):
        known = "link" if path in LINKS else "dir" if path in FOLDERS else None
        folder, _, name = path.rpartition("/")
        return known or ("file" if name in FOLDERS.get(folder or "/", ()) else "absent")


class Caseless(World):
    """The same on a file system that minds neither case nor form, and lists names in capitals and taken apart."""

    def readlink(self, path):
        return {_loose(link): target for link, target in LINKS.items()}.get(_loose(path))

    def names(self, path):
        names = {_loose(folder): names for folder, names in FOLDERS.items()}.get(_loose(path))
        return None if names is None else [_loose(name) for name in names]

    def kind(self, path):
        folder, _, name = _loose(path).rpartition("/")
        if self.readlink(path) is not None:
            return "link"
        if self.names(path) is not None:
            return "dir"
        return "file" if name in (self.names(folder or "/") or ()) else "absent"


def _loose(path):
    return normalize("NFD", path).upper()


def glob(random):
    """A glob of paths."""
    if random.random() < 0.3:
        return random.choice(DEEP).replace("{n}", str(random.randint(0, 9)))
    text = random.choice(DIRECTORIES).rstrip("/") + random.choice(TAILS)
    return text.replace("{n}", str(random.randint(0, 9))) or "/"


def url(random):
    """A pattern of URLs."""
    scheme = random.choice(["https://", "", "http://", "*://"])
    return scheme + random.choice(HOSTS).format(n=random.randint(0, 9)) + random.choice(["", "", ":8443", "/x/**"])


def command(random):
    """A command pattern."""
    words = random.sample(WORDS, random.randint(0, 2))
    return " ".join([random.choice(PROGRAMS), *words]).format(n=random.randint(0, 9))


def predicate(random):
    """What a table says of one argument."""
    n = random.randint(0, 9)
    return random.choice(
        [{"glob": f"acme/*{n}"}, {"regex": f"acme/(vault|v)-?{n}"}, {"equals": f"Acme/v{n}"}, {"min": 3},
         {"one_of": [f"a{n}", "b"]}, {"glob": "a*", "max_length": 8}, {"regex": "(?s).*secret.*"},
         {"regex": f"[^a-z]+{n} ?"}, {"regex": "(?-i:[^A-Z]+)"}, {"regex": r"\PL+|\W*"},
         {"glob": "acme/*", "schema": {"minLength": 8}},
         {"not": {"glob": "x"}}]
    )  # fmt: skip


def rule(random, number, kind=None):
    """One rule of *kind*, or of one of the kinds that tell what they seek."""
    make = {"path": glob, "url": url, "command": command, "tools": lambda random: random.choice(TOOLS)}
    kind = kind or random.choice([*make, "path", "command", "arguments"])
    if kind == "arguments":
        pointers = random.sample(["/repo", "/path", "/list/*", "/list"], random.randint(1, 2))
        tables = [{pointer: predicate(random) for pointer in pointers} for _ in range(random.choice([1, 1, 2]))]
        table = {"kind": kind, "deny": tables}
        table |= random.choice([{}, {}, {"missing": "deny"}, {"wrong_type": "allow"}])
    else:
        lists = random.choice([["deny"]] * 6 + [["allow"]] * 3 + [["allow", "deny"], ["only"]])
        table = {"kind": kind, **{name: [make[kind](random) for _ in range(random.randint(1, 2))] for name in lists}}
        if kind == "path" and random.random() < 0.3:
            table["access"] = random.choice(["read", "write", "delete"])
    if random.random() < 0.2:
        table["when"] = random.choice([{"tool": "re*"}, {"path": glob(random)}, {"mode": "plan"}, {"tool": "run_bash"}])
    if "allow" not in table and random.random() < 0.2:
        table |= random.choice([{"unknown": "allow"}, {"unknown": "deny"}, {"code": "ask"}, {"code": "allow"}])
    if random.random() < 0.2:
        table["tools"] = [random.choice(TOOLS)]
    return {"id": f"r{number}", **table}


TOOLS = ["read_file", "write_file", "run_bash", "http_get", "send", "*_file"]


def a_path(random):
    """A path as a call has it: under the directories of the rules or elsewhere, and sometimes spelled oddly."""
    where = random.choice([*DIRECTORIES, "/srv/odd/x{n}"]).replace("{root}", ROOT).replace("{cwd}", ROOT)
    tail = random.choice(["", "/x", "/.env", "/a.py", "/key3.pem", "/x/y/z", "/conf/main.conf", "/xb1", "/git/config"])
    text = (where.rstrip("/") + tail).replace("{n}", str(random.randint(0, 9))) or "/"
    return random.choice(BENT)(text)


def a_call(random):
    """The tool and the arguments of one call."""
    n = random.randint(0, 9)
    kind = random.choice(["run_bash", "run_bash", "read_file", "write_file", "http_get", "send"])
    if kind == "run_bash":
        return kind, {"command": random.choice(SHELL).replace("{n}", str(n)).format(a_path(random), a_path(random))}
    if kind == "http_get":
        host = random.choice(["a.t{n}.example", "T{n}.Example.", "10.0.0.{n}", "0xa000000{n}", "bücher{n}.example",
                              "xn--bcher{n}-kva.example", "localhost", "u@t{n}.example",
                              "[::ffff:10.0.0.{n}]"])  # fmt: skip
        return kind, {"url": f"{random.choice(['https', 'http', 'ftp'])}://{host.replace('{n}', str(n))}/x/y"}
    if kind == "send":
        value = random.choice(
            [f"acme/v{n}", f"ACME/vault-{n} ", f"acme/\u200bv{n}", 7, None, a_path(random), "a secret", f"ACME-V{n}"]
        )
        return kind, {
            "repo": value,
            "list": random.choice([[], [f"a{n}", "c"], "b", [a_path(random)]]),
            "to": "t3.example",
        }
    return kind, {"path": a_path(random), **({"content": "x"} if kind == "write_file" else {})}


def engine_over(rule_set, **more):
    """An engine over those of the rules that have no error, in the world of the links."""
    tools = {"send": {"to": {"role": "host"}}}
    while True:
        text = tomli_w.dumps({"version": 1, "default": "deny", "tools": tools, "rule": rule_set})
        outcome = compile_plan(loads(text, "/rules/rules.toml"), now=0.0)
        if outcome.plan is not None:
            break
        broken = {finding.what.rpartition("`")[0].rpartition("`")[2] for finding in outcome.findings}
        rule_set = [one for one in rule_set if one["id"] not in broken]
    return Engine(outcome, Sources(), evolve(facts(Clock()), **{**WORLD, **more}))


WORLD = {"files": World(LINKS, FOLDERS), "cwd": lambda: ROOT, "home": HOME, "homes": {"ann": "/home/ann"}}


def both(engine, tool, arguments):
    """What is decided with the index, and when every rule is asked, which a trace makes; bare passes left out."""
    asked, indexed = (engine.peek(tool, arguments, root=ROOT, trace=trace) for trace in (True, False))
    said = tuple(answer for answer in asked.trace if answer.says != "pass" or answer.note)
    return indexed, asked._replace(trace=said)


class TestIndex:
    """A call is decided with the index as when every rule is asked, down to the reason and the trace."""

    @settings(max_examples=20, phases=[Phase.reuse, Phase.generate])
    @given(st.sampled_from([4, 30, 30, 120, 300]), st.integers(0, 2**32))
    def test_generated_rules_and_calls(self, size, seed):
        """Rules of all kinds that tell what they seek, in sets of up to some hundreds."""
        random = Random(seed)
        rules = [rule(random, number) for number in range(size)]
        engine = engine_over(rules)
        for _ in range(40):
            tool, arguments = a_call(random)
            indexed, asked = both(engine, tool, arguments)
            if indexed != asked:
                odd = {one.rule for one in set(indexed.trace) ^ set(asked.trace)}
                note(f"{tool} {arguments}\n{tomli_w.dumps({'rule': [one for one in rules if one['id'] in odd]})}")

            assert indexed == asked

    @pytest.mark.parametrize("kind", ["path", "command", "url", "arguments"])
    def test_many_rules_of_one_kind(self, kind):
        """So many that few of those about one program, folder or argument can be looked at one by one."""
        random = Random(11)
        engine = engine_over([rule(random, number, kind) for number in range(160)])
        tools = {"path": ["read_file", "run_bash"], "command": ["run_bash"], "url": ["http_get"], "arguments": ["send"]}
        made = [call for call in (a_call(random) for _ in range(400)) if call[0] in tools[kind]][:130]
        for tool, arguments in made:
            indexed, asked = both(engine, tool, arguments)

            assert indexed == asked, (tool, arguments)

    @pytest.mark.parametrize(
        ("kind", "pattern", "tool", "arguments", "effect"),
        [
            ("path", "~/app{n}/**", "read_file", {"path": "/home/ann/app7/x"}, "deny"),
            ("path", "~/app{n}/**", "read_file", {"path": "/home/bob/APP7/x"}, "deny"),
            ("url", "https://t{n}.example", "run_bash", {"command": "curl -sL https://t7.example/x"}, "deny"),
            ("url", "https://xn--bcher{n}-*.example", "http_get", {"url": "https://bücher7.example/x"}, "deny"),
            ("url", "https://t{n}.example", "http_get", {"url": "https://t7.example\\@other.example/x"}, "deny"),
            ("url", "https://t{n}.example", "http_get", {"url": "https://other.example\\@t7.example/x"}, "deny"),
            ("command", "docker rm db-{n}", "run_bash", {"command": "docker rm $(cat list)"}, "ask"),
            ("command", "docker rm db-{n}", "run_bash", {"command": 'docker rm "$NAME"'}, "ask"),
            ("command", "rm -r /data/{n}/**", "run_bash", {"command": "rm -r /srv/app3/7/x"}, "deny"),
            ("path", "/srv/app3/{n}/**", "read_file", {"path": "/data/7/x"}, "deny"),
            ("path", "{root}/sr?/**", "run_bash", {"command": "rm -rf /srv"}, "deny"),
            ("path", "{root}/sr?/**", "run_bash", {"command": "rm -rf /"}, "deny"),
            ("path", "/srv/e/[!A]{n}", "read_file", {"path": "/srv/e/a7"}, "deny"),
            ("path", "/srv/e/?{n}", "read_file", {"path": "/srv/e/\ufb017"}, "deny"),
            ("path", "/data/{n}/**", "run_bash", {"command": "echo ls > x.sh; sh x.sh"}, "ask"),
            ("path", "/srv/project/sr?/**", "run_bash", {"command": "rm -rf /srv"}, "deny"),
            ("path", "/srv/dot{n}./**", "read_file", {"path": "/srv/dot7/x"}, "deny"),
            ("path", "/srv/Long Directory {n}/**", "read_file", {"path": "/srv/LONGDI~1/x"}, "deny"),
            ("path", "/proc/self/root/srv/d{n}/**", "read_file", {"path": "/srv/d7/x"}, "deny"),
        ],
    )
    def test_one_of_many_alike_speaks(self, kind, pattern, tool, arguments, effect):
        """The one rule that is meant is found among many that differ in a number, however it is meant."""
        more = {"redirects": "judge"} if kind == "url" else {}
        many = [{"id": f"r{n}", "kind": kind, "deny": [pattern.replace("{n}", str(n))], **more} for n in range(30)]
        grant = {"id": "all", "kind": "tools", "allow": ["*"], "commands": "any"}
        indexed, asked = both(engine_over([grant, *many]), tool, arguments)

        assert indexed == asked
        assert indexed.effect == effect

    @pytest.mark.parametrize("more", [{"files": None}, {"home": None, "cwd": lambda: None}, {"files": NothingThere()}])
    def test_worlds_of_which_less_is_known(self, more):
        """Without a file system, a home or a working folder."""

    @pytest.mark.parametrize(
        ("form", "pattern", "text"),
        [
            ("regex", "[^a]", "A"),
            ("regex", "[^a-z]+", "SECRET"),
            ("regex", r"\P{Ll}", "A"),
            ("regex", "[[:^lower:]]+", "AB"),
            ("regex", "(?-i:a)", "a"),
            ("regex", "a", "A"),
            ("regex", "a", "а"),
            ("regex", "a", " a\n"),
            ("glob", "A?", "A\ufb01"),
            ("glob", "A*", " a"),
            ("glob", "а*", "A"),
        ],
    )
    def test_texts_that_are_read_exactly_and_widely(self, form, pattern, text):
        """A deny holds of what is named exactly and of what only looks so: neither reading has all of the other."""
        rule = {"id": "r", "kind": "arguments", "deny": [{"/repo": {form: pattern}}]}
        more = [{**rule, "id": f"r{n}", "deny": [{"/repo": {form: f"x{n}"}}]} for n in range(9)]
        grant = {"id": "all", "kind": "tools", "allow": ["*"]}
        indexed, asked = both(engine_over([grant, *more, rule]), "send", {"repo": text})

        assert indexed == asked
        assert indexed.rule == "r"

    def test_places_that_have_several_spellings(self):
        """A pattern beneath a working folder that Windows would call otherwise is found by either name."""
        many = [{"id": f"r{n}", "kind": "path", "deny": [f"{{cwd}}/d{n}/**"]} for n in range(30)]
        engine = engine_over([{"id": "all", "kind": "tools", "allow": ["*"]}, *many], cwd=lambda: "/srv/odd.")
        indexed, asked = both(engine, "read_file", {"path": "/srv/odd/d7/x"})

        assert indexed == asked
        assert indexed.rule == "r7"

    @pytest.mark.parametrize(
        ("rule", "tool", "arguments"),
        [
            ({"kind": "command", "allow": ["MyTool x"]}, "run_bash", {"command": "MyTool x"}),
            (
                {"kind": "arguments", "allow": [{"/n": {"min": 3}}], "deny": [{"/r": {"glob": "x"}}], "extra": "allow"},
                "send",
                {"n": 4, "r": "y"},
            ),
        ],
    )
    def test_grants_of_what_denies_see_otherwise(self, rule, tool, arguments):
        """A grant is found under exactly the name that it has, and whatever a deny of its rule seeks."""
        indexed, asked = both(engine_over([{"id": "r", **rule}]), tool, arguments)

        assert indexed == asked
        assert "r" in {said.rule for said in indexed.trace if said.says == "grant"}

    @pytest.mark.parametrize(
        ("rule", "tool", "arguments"),
        [
            ({"kind": "path", "only": ["/a/**"], "deny": ["/b/**"]}, "read_file", {"path": "/c/x"}),
            ({"kind": "path", "allow": ["/a/**"], "otherwise": "deny"}, "read_file", {"path": "/c/x"}),
            ({"kind": "command", "only": ["git status"], "deny": ["rm"]}, "run_bash", {"command": "ls"}),
            ({"kind": "url", "only": ["a.example"], "deny": ["b.example"]}, "http_get", {"url": "https://c.example"}),
            (
                {"kind": "url", "deny": ["b.example"], "deny_ranges": ["private"]},
                "http_get",
                {"url": "http://10.0.0.7"},
            ),
            ({"kind": "tools", "only": ["a"], "deny": ["b"]}, "send", {}),
            (
                {"kind": "arguments", "only": [{"/n": {"min": 3}}], "deny": [{"/r": {"glob": "x"}}]},
                "send",
                {"n": 1, "r": "y"},
            ),
        ],
    )
    def test_what_confines_is_asked_of_every_call(self, rule, tool, arguments):
        """A rule that also refuses what it does not name seeks nothing, whatever else it lists."""
        grant = {"id": "all", "kind": "tools", "allow": ["*"], "commands": "any"}
        indexed, asked = both(engine_over([grant, {"id": "r", **rule}]), tool, arguments)

        assert indexed == asked
        assert indexed.rule == "r"

    def test_homes_beneath_a_folder_that_is_removed(self):
        """A pattern about every home is found where other homes than the call's own lie beneath."""
        rules = [
            {"id": "all", "kind": "tools", "allow": ["*"], "commands": "any"},
            {"id": "r", "kind": "path", "deny": ["~/.ssh/**"]},
        ]
        indexed, asked = both(engine_over(rules, home="/work/me"), "run_bash", {"command": "rm -rf /home"})

        assert indexed == asked
        assert indexed.rule == "r"

    def test_one_table_of_which_nothing_is_sought(self):
        """A rule whose other table needs no text is asked of every call."""
        tables = [{"/repo": {"glob": "x"}}, {"/n": {"min": 3}}]
        rules = [{"id": "all", "kind": "tools", "allow": ["*"]}, {"id": "r", "kind": "arguments", "deny": tables}]
        indexed, asked = both(engine_over(rules), "send", {"repo": "a", "n": 4})

        assert indexed == asked
        assert indexed.rule == "r"

    @pytest.mark.parametrize("folder", ["/srv/App{n}/**", "/srv/Näme{n}/**"])
    def test_links_whose_names_are_listed_in_another_case(self, folder):
        """A folder of many patterns is listed, and a link in it is found by any name by which the file system does."""
        many = [{"id": f"r{n}", "kind": "path", "deny": [folder.replace("{n}", str(n))]} for n in range(30)]
        grant = {"id": "all", "kind": "tools", "allow": ["*"]}
        indexed, asked = both(engine_over([grant, *many], files=Caseless()), "read_file", {"path": "/data/x"})

        assert indexed == asked
        assert indexed.rule == "r3"

    @pytest.mark.parametrize(
        "more",
        [
            {"files": None},
            {"home": None, "cwd": lambda: None},
            {"files": NothingThere()},
            {"files": Caseless()},
        ],
    )
    def test_worlds_that_are_otherwise(self, more):
        """Without a file system, a home or a working folder, and where no case is minded."""
        random = Random(5)
        engine = engine_over([rule(random, number) for number in range(150)], **more)
        for _ in range(60):
            indexed, asked = both(engine, *a_call(random))

            assert indexed == asked

    @pytest.mark.parametrize("seed", range(2))
    def test_labelled_calls_under_every_pack(self, seed):
        """Calls that people reported, under all packs and a hundred rules more."""
        random = Random(seed)
        more = [rule(random, number) for number in range(100)]
        engine = engine_over(more) if seed else packs()
        for case in CALLS:
            indexed, asked = both(engine, case["tool"], case["args"])

            assert indexed == asked, case["id"]

    @pytest.mark.skipif(not LINES.exists(), reason="bash_commands.txt is not there; `TIDEGATE_CASES` says where it is")
    @pytest.mark.parametrize("start", range(2))
    def test_commands_that_people_wrote(self, start):
        """Some hundred real lines, under all packs and under generated rules."""
        random = Random(start)
        engine = packs() if start else engine_over([rule(random, number) for number in range(200)])
        for line in LINES.read_text(encoding="utf-8", errors="surrogateescape").splitlines()[start::397]:
            if line.isprintable():
                indexed, asked = both(engine, "run_bash", {"command": line})

                assert indexed == asked, line


def packs():
    """All packs that are shipped, together."""
    outcome = compile_plan(load(project=Path(__file__).parents[1] / "every_pack.toml"), now=0.0)
    return Engine(outcome, Sources(), evolve(facts(Clock()), **WORLD))
