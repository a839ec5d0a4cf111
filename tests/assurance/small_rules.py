"""Small rule sets over a small alphabet of calls, so that every call there is can be tried."""

import tomli_w
from attrs import evolve
from hypothesis import settings
from hypothesis import strategies as st

from tidegate.calls import call_of
from tidegate.compile.compiler import compile_plan
from tidegate.compile.stage import HOME, ROOT
from tidegate.facts.local import local_facts
from tidegate.lang.layers import loads

PATHS = ["a", "a/b", "a/b/c", ".env", "A", "/a", "/a/b", "/a/b/c.txt", "/srv/project/a", "/srv/project/.env", "/a/.env"]
COMMANDS = ["git push", "git push --force", "git status", "git status -s", "rm a", "rm -r /a", "rm -rf /a/b", "cat a",
            "cat /a/b > a", "ls", "ls /a", "sh a", "$X", "git push -f x", "git push x"]  # fmt: skip
URLS = ["https://a.test/", "https://b.a.test/x", "http://a.test/x/y", "https://a.test:8443/", "http://127.0.0.1/"]
PATH_GLOBS = [
    "a",
    "a/**",
    "a/*",
    "**/.env",
    "/a/**",
    "/a/b/**",
    "/a/*",
    "/**",
    "{root}/**",
    "{root}/a",
    "/a/{b,c}",
    "~/**",
]
PATTERNS = ["git push", "git push --force", "git push ...", "git status ...", "git status", "rm -r", "rm ...",
            "rm -r /a/**", "cat ...", "ls ...", "sh ...", "git ..."]  # fmt: skip
URL_GLOBS = ["https://a.test", "*.a.test", "https://*", "a.test/x/**", "https://a.test:*", "http://a.test"]
NAMES = ["read_file", "write_file", "run_bash", "http_get", "send", "re*", "*_file", "*", "s?nd"]
TOOLS = ["read_file", "write_file", "run_bash", "http_get", "send"]
TEXTS = ["x", "ab", "abc", "b", "AB"]
CHECKS = [{"glob": "a*"}, {"glob": "*"}, {"glob": "ab*"}, {"regex": "a+b?"}, {"regex": "(?s).*"}, {"regex": "[ab]+"},
          {"equals": "ab"}, {"one_of": ["ab", "b"]}, {"max_length": 2}]  # fmt: skip
NUMBERS = [{"max": 3}, {"min": 1, "max": 3}, {"max": 5}, {"min": 2}]


def lists(values, size=2):
    return st.lists(st.sampled_from(values), min_size=1, max_size=size, unique=True)


def _lists_of(kind, patterns, **more):
    """Rules of one kind with one or two of its three lists."""
    keys = st.lists(st.sampled_from(["allow", "deny", "only"]), min_size=1, max_size=2, unique=True)
    said = keys.flatmap(lambda names: st.fixed_dictionaries(dict.fromkeys(names, patterns), optional=more))
    return st.tuples(said, common()).map(lambda parts: {"kind": kind, **parts[0], **parts[1]})


def common():
    exceptions = st.one_of(
        lists(PATH_GLOBS, 1).map(lambda found: {"path": found[0]}),
        lists(PATTERNS, 1).map(lambda found: {"command": found[0]}),
        lists(TOOLS, 1).map(lambda found: {"tool": found[0]}),
    )
    whens = st.one_of(
        lists(TOOLS, 1).map(lambda found: {"tool": found[0]}),
        st.sampled_from(["dev", "ops"]).map(lambda agent: {"agent": agent}),
        lists(PATH_GLOBS, 1).map(lambda found: {"path": found[0]}),
    )
    answer = st.sampled_from(["deny", "ask"])
    return st.fixed_dictionaries(
        {},
        optional={
            "tools": lists(NAMES),
            "effect": answer,
            "otherwise": answer,
            "unknown": st.sampled_from(["deny", "ask", "allow"]),
            "code": st.sampled_from(["deny", "ask", "allow"]),
            "except": st.lists(exceptions, min_size=1, max_size=1),
            "when": whens,
            "mode": st.sampled_from(["enforce", "monitor"]),
        },
    ).map(lambda found: {key: value for index, (key, value) in enumerate(found.items()) if index < 3})


def rules():
    """Rules of the kinds whose lists are compared by what they mean."""
    tables = st.one_of(
        st.sampled_from(CHECKS).map(lambda check: {"text": check}),
        st.sampled_from(NUMBERS).map(lambda check: {"n": check}),
    )
    return st.one_of(
        _lists_of("path", lists(PATH_GLOBS), access=st.sampled_from(["read", "write", ["read", "list"]])),
        _lists_of("command", lists(PATTERNS), effects=lists(["read", "list", "write"])),
        _lists_of("url", lists(URL_GLOBS), deny_ranges=lists(["loopback", "private"])),
        _lists_of("tools", lists(NAMES)),
        _lists_of("arguments", st.lists(tables, min_size=1, max_size=2)).map(_with_extra),
    )


def _with_extra(rule):
    return {**rule, "extra": "allow"} if {"allow", "only"} & rule.keys() else rule


def rule_sets():
    """One to four rules under any default."""
    defaults = st.sampled_from(["deny", "ask", "allow"])
    return st.tuples(defaults, st.lists(rules(), min_size=1, max_size=4)).map(lambda parts: useful(*parts))


def useful(default, some):
    """The rule set without grants where everything is allowed anyway, which the loader refuses."""
    return {"default": default, "rule": [_without_grants(rule) if default == "allow" else rule for rule in some]}


def _without_grants(rule):
    rest = {key: value for key, value in rule.items() if key not in ("allow", "effects")}
    return rest if "deny" in rule or "only" in rule else {"only": rule["allow"], **rest}


def text_of(rule_set):
    """The rule set as TOML; each rule has its place for a name."""
    named = [{"id": f"r{index}", **rule} for index, rule in enumerate(rule_set["rule"])]
    return tomli_w.dumps({"version": 1, "default": rule_set["default"], "rule": named})


def compiled(rule_set):
    """The outcome of compiling; without a plan where the rules say nothing or too much."""
    return compile_plan(loads(text_of(rule_set), "/srv/rules/rules.toml"), now=0)


class NoFiles:
    """A file system on which nothing is, whatever the machine has."""

    def readlink(self, path):
        return None

    def kind(self, path):
        return "absent"

    def names(self, path):
        return []


def facts(folder):
    """The facts of this machine without its files, variables and accounts."""
    return evolve(local_facts(state=folder), files=NoFiles(), environment={}, homes={})


def _calls():
    for tool in ("read_file", "write_file"):
        yield from ((tool, {"path": path}) for path in PATHS)
    yield from (("run_bash", {"command": command}) for command in COMMANDS)
    yield from (("http_get", {"url": url}) for url in URLS)
    for tool in (*TOOLS, "Send", "other"):
        yield tool, {}
        yield tool, {"text": "ab", "n": 2}
        yield from ((tool, {"text": text}) for text in TEXTS)
        yield from ((tool, {"n": number}) for number in (0, 1, 3, 4, 6))
        yield from ((tool, {"x": text}) for text in ("/a/b", ".env", "https://a.test/x"))
        yield tool, {"command": "git push --force"}


_NAMED = [{"tool": tool, "args": arguments, "cwd": ROOT, "root": ROOT, "home": HOME} for tool, arguments in _calls()]
CALLS = [call_of(table) for table in [*_NAMED, *({**table, "agent": "dev"} for table in _NAMED[::5])]]
"""Every call there is; some of them of an agent that says its name."""

FEW = settings(max_examples=settings.default.max_examples // 4)
"""For properties in which every call there is is judged several times."""
