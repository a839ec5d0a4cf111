"""The kind `sequence`: which calls count as a step, and which results as a success."""

import anyio
import attrs
import pytest
from hypothesis import given

from tests.kinds.making import case
from tests.laws.worlds import Clock, facts
from tidegate.compile.compiler import compile_plan
from tidegate.engine import Engine
from tidegate.facts.files import LocalFiles
from tidegate.kernel import Context, ToolExecution, ToolExecutionResult, ToolRegistry, tool
from tidegate.kind import Output, Setting
from tidegate.kinds.sequence import KIND, SequenceFields, Step
from tidegate.lang.layers import loads
from tidegate.meaning.commands.table import Table

RULES = """
version = 1
default = "allow"

[[rule]]
id = "tests-first"
kind = "sequence"
tools = ["push"]
after = [{ command = "pytest" }]

[tools.argv]
words = { role = "argv" }
"""


@pytest.fixture(scope="module")
def passes(tmp_path_factory):
    """Whether a push may run after one call that ended with some result."""
    path = tmp_path_factory.mktemp("rules") / "rules.toml"
    path.write_text(RULES)
    engine = Engine.load(path, facts=attrs.evolve(facts(Clock()), files=LocalFiles()))
    tools = ToolRegistry(Context())
    results = []
    for name in ("run_bash", "argv", "other"):
        tools.register(tool(name, "works", {"type": "object"}, lambda _: results.pop()))
    engine.attach(tools)

    def passes(name, arguments, result="fine"):
        results.append(result)
        session = repr((name, arguments, result))
        anyio.run(tools.execute, ToolExecution("1", name, arguments, session=session, cwd="/srv"))
        return engine.decide("push", {}, session=session).effect == "allow"

    return passes


@pytest.mark.parametrize(
    "command",
    [
        "pytest",
        "'pytest'",
        "cd app && pytest",
        "pytest && echo fine",
        "timeout 60 pytest",
        "nice -n 5 timeout 60 pytest",
        "time pytest",
        "pytest 2>&1",
    ],
)
def test_status_of_the_command_is_that_of_the_text(passes, command):
    assert passes("run_bash", {"command": command})


@pytest.mark.parametrize(
    "command",
    [
        "pytest --collect-only",
        "pytest || true",
        "PYTEST_ADDOPTS=--collect-only pytest",
        "export PYTEST_ADDOPTS=--collect-only && pytest",
        "env PYTEST_ADDOPTS=--collect-only pytest",
        "env -i pytest || true",
        "sh -c 'pytest; true'",
        "timeout 5 sh -c 'pytest; true'",
        "timeout 5 bash -c 'pytest || true'",
        "xargs pytest",
        "timeout 5 xargs pytest",
        "echo $(pytest)",
        'echo "$(pytest)"',
        "cat <(pytest)",
        "echo pytest",
        "ssh host pytest",
        "docker exec box pytest",
        "./pytest",
        "/tmp/pytest",
        "PATH=/tmp pytest",
        "pytest() { :; }; pytest",
        "pytest() { :; } && pytest",
        "alias pytest=true && pytest",
        "hash -p /bin/true pytest && pytest",
        "find . -exec pytest ;",
        "bash <<E\npytest\nE",
        "setsid pytest",
        "nohup pytest &",
        "eval pytest",
        "command -v pytest",
        "$(echo pytest)",
        "pytest $OPTIONS",
    ],
)
def test_other_texts_prove_nothing(passes, command):
    """Whatever the pattern finds in them, their status says nothing of it, or the command is another one."""
    assert not passes("run_bash", {"command": command})


def test_words_without_a_shell_are_one_command(passes):
    assert passes("argv", {"words": ["pytest"]})
    assert not passes("argv", {"words": ["sh", "-c", "pytest; true"]})
    assert not passes("other", {"command": "pytest"})


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ("3 passed", True),
        ("[exit code 1]\n3 passed", True),
        ("1 failed\n[exit code 1]", False),
        ("[exit code -9]\n", False),
        ("[ended after 120 seconds]", False),
        ({"stdout": "", "exit_code": 0}, True),
        ({"stdout": "", "exit_code": 1}, False),
        ({"stdout": "", "returncode": None}, False),
        ({"exitCode": False}, False),
        (ToolExecutionResult("1", "it broke", is_error=True), False),
    ],
    ids=str,
)
def test_result_says_whether_it_succeeded(passes, result, expected):
    assert passes("run_bash", {"command": "pytest"}, result) == expected


@given(KIND.strategy())
def test_nothing_is_known_without_a_past(fields):
    """A rule never lets a call pass of whose session it knows nothing."""
    guard = KIND.compile(fields, Setting("the-rule", "deny", None, Table.builtin()))

    assert guard.denies(None, case()) is not False
    assert guard.grants is guard.confines is None


def test_another_step_has_another_mark():
    """What was noted for one rule or step is never taken for another."""

    def key(rule, step):
        guard = KIND.compile(SequenceFields(after=(step,)), Setting(rule, "deny", None, Table.builtin()))
        return tuple(guard.observes.ends(case(tool="check"), Output(("x",))))

    one = Step(tool="check")
    keys = {key("a", one), key("b", one), key("a", Step(tool="check", shows="x")), key("a", Step(tool="c*"))}

    assert len(keys) == 4
    assert key("a", one) == key("a", one)
    assert key("a", Step(tool="other")) == ()


def test_what_nobody_can_read_may_be_a_step_that_bars():
    """A deny widens: an unknown command may have read the secret, a look-alike of the tool is the tool."""
    text = """
version = 1
default = "allow"

[[rule]]
id = "bars"
kind = "sequence"
tools = ["push"]
not_after = [{ command = "cat /etc/secret" }, { tool = "read_secret" }, { path = "/etc/**" }]
"""
    plan = compile_plan(loads(text, "/rules.toml"), now=0.0).plan
    calls = [
        ("run_bash", {"command": "head -c 5 x; cat /etc/../etc/secret"}, True),
        ("run_bash", {"command": "$CMD /etc/secret"}, True),
        ("run_bash", {"command": "echo x > /etc/passwd"}, True),
        ("Read_Secret", {}, True),
        ("run_bash", {"command": "cat /srv/a"}, False),
        ("write_file", {"path": "/srv/a", "content": ""}, False),
    ]
    for name, arguments, expected in calls:
        given = facts(Clock())
        engine = _Engine(plan, given)

        assert (name, arguments, engine.bars(name, arguments)) == (name, arguments, expected)


@attrs.frozen
class _Engine:
    plan: object
    facts: object

    def bars(self, name, arguments):
        """Whether a call leaves a mark that bars another one."""
        from tidegate.call import Call, Tool
        from tidegate.kernel.json_values import snapshot
        from tidegate.plan.noting import begin
        from tidegate.plan.sitting import Sitting

        sitting = Sitting(self.plan, Call(Tool(name), snapshot(arguments), session="s", cwd="/srv"), self.facts)
        sitting.take_all()
        assert begin(sitting) is None
        push = Sitting(self.plan, Call(Tool("push"), snapshot({}), session="s"), self.facts)
        push.take_all()
        return push.settle().effect == "deny"
