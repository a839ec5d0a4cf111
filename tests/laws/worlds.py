"""Rule sets and calls of the small world that the reference evaluator knows."""

import tomli_w
from hypothesis import note
from hypothesis import strategies as st

from tidegate.compile.compiler import compile_plan
from tidegate.facts import Facts
from tidegate.facts.counters import MemoryCounters
from tidegate.lang.layers import loads

BINDINGS = {
    "read": {"path": {"role": "path", "access": "read"}},
    "write": {"path": {"role": "path", "access": "write"}},
    "fetch": {"url": {"role": "url"}},
}

tools = st.sampled_from(["read", "write", "fetch", "ping"])
paths = st.sampled_from(["/a", "/a/x", "/a/b", "/a/b/x", "/c", "/ab"])
urls = st.sampled_from(["https://one.test/", "https://two.test/"])
tool_globs = st.lists(st.sampled_from(["read", "write", "fetch", "ping", "*"]), min_size=1, max_size=2)
path_globs = st.lists(
    st.sampled_from(["/a", "/a/**", "/a/b/**", "/c", "/ab", "/a/x"]), min_size=1, max_size=2, unique=True
)
url_globs = st.lists(urls, min_size=1, max_size=2, unique=True)
refusals = st.sampled_from(["ask", "deny"])


def common(draw, table):
    """Add to a rule what every rule may have."""
    if draw(st.booleans()):
        table["tools"] = draw(tool_globs)
    if draw(st.integers(0, 4)) == 0:
        table["mode"] = draw(st.sampled_from(["monitor", "off", "enforce"]))
    return table


@st.composite
def guards(draw):
    """A rule of the kinds `tools`, `path` or `url` with any of its lists."""
    kind, globs = draw(st.sampled_from([("tools", tool_globs), ("path", path_globs), ("url", url_globs)]))
    lists = draw(st.sets(st.sampled_from(["allow", "deny", "only"]), min_size=1))
    table = {"kind": kind, **{name: draw(globs) for name in sorted(lists)}}
    if "deny" in lists and draw(st.booleans()):
        table["effect"] = draw(refusals)
    if lists & {"only", "allow"} and draw(st.booleans()):
        table["otherwise"] = draw(refusals)
    if kind == "path":
        if draw(st.booleans()):
            table["access"] = draw(st.sampled_from(["read", "write", ["read", "write"]]))
        if draw(st.booleans()):
            table["except"] = [{"path": draw(path_globs)[0]}]
    return common(draw, table)


@st.composite
def rewrites(draw):
    """A rule that sets, defaults, removes or moves a path."""
    field = draw(st.sampled_from(["set", "default", "remove", "replace_prefix"]))
    value = {"/path": draw(paths)}
    if field == "remove":
        value = ["/path"]
    elif field == "replace_prefix":
        value = {"/path": {"old": draw(paths), "new": draw(paths)}}
    return common(draw, {"kind": "rewrite", field: value, "tools": ["read", "write"]})


@st.composite
def limits(draw):
    """A rule that lets one to three calls a minute through."""
    return common(draw, {"kind": "rate-limit", "limit": f"{draw(st.integers(1, 3))}/minute"})


@st.composite
def rule_sets(draw, *kinds):
    """Rules in file order with their ids, and a default under which no grant is idle."""
    default = draw(st.sampled_from(["ask", "deny"]))
    rules = draw(st.lists(st.one_of(*(kinds or (guards(), guards(), rewrites(), limits()))), max_size=5))
    return default, [{"id": f"r{index}", **rule} for index, rule in enumerate(rules)]


@st.composite
def calls(draw):
    """A call of one of the tools with arguments of the right type, some of them left out."""
    tool = draw(tools)
    arguments = {}
    if tool in ("read", "write") and draw(st.integers(0, 5)):
        arguments["path"] = draw(paths)
    if tool == "fetch":
        arguments["url"] = draw(urls)
    return {"tool": tool, "args": arguments}


class Empty:
    """A file system in which nothing is a link."""

    def readlink(self, _path):
        return None

    def kind(self, _path):
        return "absent"

    def names(self, _path):
        return None


class Clock:
    """A clock that stands where it was put."""

    def __init__(self, time=0.0):
        self.time = time

    def now(self):
        return self.time

    def steady(self):
        return self.time


def facts(clock=None):
    """The facts of the small world, with counters of their own."""
    counters = MemoryCounters()
    return Facts(
        clock=clock or Clock(), counters=lambda _: counters, files=Empty(), cwd=lambda: "/work", home="/home/dev"
    )


def text_of(rule_set, bindings=BINDINGS):
    """The rule set as a rule file; shown with a failing example, so that it can be pasted into a bug."""
    default, rules = rule_set
    text = tomli_w.dumps({"version": 1, "default": default, "tools": bindings, **({"rule": rules} if rules else {})})
    note(text)
    return text


def outcome_of(rule_set):
    """The rule set compiled; it has no errors."""
    outcome = compile_plan(loads(text_of(rule_set), "/rules/rules.toml"), now=0.0)

    assert outcome.plan is not None, "\n".join(map(str, outcome.findings))
    return outcome


def plan_of(rule_set):
    """The plan of a rule set."""
    return outcome_of(rule_set).plan
