"""The plan around a registry: asking, limits, output, tampering."""

import anyio
import anyio.lowlevel
import pytest
from attrs import evolve

from tests.laws.worlds import Clock, facts
from tidegate.engine import Engine
from tidegate.kernel import Context, ToolExecution, ToolExecutionResult, ToolRegistry, tool

ASKING = """
version = 1
default = "allow"

[[rule]]
id = "careful"
kind = "tools"
deny = ["ping"]
effect = "ask"
"""


@pytest.fixture
def load(tmp_path):
    """Loads a rule text as an engine with a clock that stands still."""

    def load(text, clock=None):
        path = tmp_path / "rules.toml"
        path.write_text(text)
        return Engine.load(path, facts=facts(clock or Clock()))

    return load


def registry(body=lambda arguments: "pong"):
    tools = ToolRegistry(Context())
    tools.register(tool("ping", "answers", {"type": "object"}, body))
    return tools


def run(tools, name="ping", arguments=None, **more):
    return anyio.run(tools.execute, ToolExecution("1", name, arguments or {}, **more))


REPLIES = {
    "no approver": (None, "Error: this call needs approval, and there is nobody to ask"),
    "reject": (lambda question: "reject", "Error: a person refused this call"),
    "cancel": (lambda question: "cancel", "Error: the question about this call was cancelled"),
    "nonsense": (lambda question: True, "Error: nobody could be asked about this call"),
    "error": (lambda question: 1 / 0, "Error: nobody could be asked about this call"),
    "nothing": (lambda question: None, "Error: nobody could be asked about this call"),
}


@pytest.mark.parametrize(("approver", "text"), REPLIES.values(), ids=REPLIES.keys())
def test_case_54_everything_but_an_approval_refuses(load, approver, text):
    """No approver, a rejection, a cancellation, an error and a rogue reply refuse, each in words of its own."""
    entered = []
    tools = registry(lambda arguments: entered.append(1))
    load(ASKING).attach(tools, approver=approver)
    result = run(tools)

    assert (result.is_error, result.text.startswith(text), entered) == (True, True, [])


@pytest.mark.parametrize(
    ("approver", "logged"),
    [(lambda question: True, "the approver answered True"), (lambda question: 1 / 0, "ZeroDivisionError")],
    ids=["a wrong word", "an error"],
)
def test_host_reads_why_an_approver_could_not_be_asked(load, approver, logged, caplog):
    """What is wrong with an approver stands in the log, and not in what the model reads."""
    tools = registry()
    load(ASKING).attach(tools, approver=approver)
    result = run(tools)

    assert logged in caplog.text
    assert logged not in result.text


async def _later(question):
    await anyio.lowlevel.checkpoint()
    return "allow"


@pytest.mark.parametrize("approver", [lambda question: "allow", _later], ids=["sync", "async"])
def test_case_54_approved_call_runs_once(load, approver):
    """An approval lets exactly this call run; the next one is a new question."""
    asked = []

    def ask(question):
        asked.append(question)
        return approver(question)

    tools = registry()
    load(ASKING).attach(tools, approver=ask)

    assert [run(tools).text, run(tools).text] == ["pong", "pong"]
    assert [question.decision.rule for question in asked] == ["careful", "careful"]


def test_silent_approver_refuses(load):
    """Nobody answering in time is a refusal."""

    async def silent(question):
        await anyio.sleep(60)
        return "allow"

    tools = registry()
    load(ASKING).attach(tools, approver=silent, patience=0.05)

    assert run(tools).text == "Error: nobody answered the question about this call in time"


def test_nobody_is_asked_where_the_host_is_not_interactive(load):
    """`interactive=False` turns asking into refusing without a question."""
    asked = []
    tools = registry()
    load(ASKING).attach(tools, approver=lambda question: asked.append(question) or "allow")

    assert (run(tools, interactive=False).is_error, asked) == (True, [])


LIMITED = """
version = 1
default = "allow"

[[rule]]
id = "two"
kind = "rate-limit"
limit = "2/minute"
"""


def test_vetoed_call_gives_its_token_back(load):
    """A call that another listener, wrapper or guard refuses takes nothing from the limit."""
    tools = registry()
    load(LIMITED).attach(tools)
    context = tools.context

    async def veto_before(execution, call_next):
        return None

    async def veto_around(execution, call_next):
        return ToolExecutionResult(execution.call_id, "no", is_error=True)

    for name, listener in (("tools/pre-execute", veto_before), ("tools/execute", veto_around)):
        dispose = context.on(name, "waterfall")(listener)

        assert all(run(tools).is_error for _ in range(5))

        dispose()
    dispose = tools.guard(lambda execution: "no")

    assert all(run(tools).is_error for _ in range(5))

    dispose()

    assert [run(tools).is_error for _ in range(3)] == [False, False, True]


def test_parallel_calls_never_exceed_the_limit(load):
    """Of ten calls at once exactly two enter."""
    tools = registry()
    load(LIMITED).attach(tools)

    async def ten():
        results = []

        async def one(index):
            results.append(await tools.execute(ToolExecution(str(index), "ping", {})))

        async with anyio.create_task_group() as group:
            for index in range(10):
                group.start_soon(one, index)
        return results

    assert sum(not result.is_error for result in anyio.run(ten)) == 2


SHORT = """
version = 1
default = "allow"

[[rule]]
id = "short"
kind = "truncate"
max_bytes = 60
"""


def test_every_channel_is_shaped(load):
    """Text, structured content, value and error text all fit the bound."""
    long = "x" * 1000
    tools = registry(lambda arguments: {"text": long})

    def fail(arguments):
        raise RuntimeError(long)

    tools.register(tool("fail", "fails", {"type": "object"}, fail))
    load(SHORT).attach(tools)
    result, failed = run(tools), run(tools, "fail")

    assert max(len(result.text), len(str(result.structured)), len(failed.text)) <= 60
    assert len(str(result.value)) <= 60
    assert failed.is_error


def test_value_that_cannot_be_shaped_is_withheld(load):
    """An object that is neither text nor JSON does not pass an output rule."""
    tools = registry(lambda arguments: object())
    load(SHORT).attach(tools)
    result = run(tools)

    assert (result.is_error, result.value) == (True, None)
    assert "withheld" in result.text


def test_stale_judgement_is_not_reused(load):
    """A listener that replays the notes of an allowed call on another one gains nothing."""
    tools = registry(lambda arguments: arguments)
    engine = load('version = 1\ndefault = "deny"\n[[rule]]\nid = "one"\nkind = "tools"\nallow = ["ping"]\n')
    tools.register(tool("pong", "answers", {"type": "object"}, lambda arguments: "entered"))
    engine.attach(tools)
    kept = []

    @tools.context.on("tools/pre-execute", "waterfall")
    async def keep(execution, call_next):
        kept.append(execution.context)
        return await call_next()

    run(tools)
    result = run(tools, "pong", context=kept[0])

    assert result.is_error


def test_detach_leaves_no_listener(load):
    """After detaching, the registry is what it was."""
    tools = registry()
    detach = load('version = 1\ndefault = "deny"\n').attach(tools)

    assert run(tools).is_error

    detach()
    detach()

    assert run(tools).text == "pong"


def test_reload_changes_new_calls_only(load, tmp_path):
    """A call keeps the plan with which it began; the next one is judged by the new rules."""
    engine = load('version = 1\ndefault = "allow"\n')

    def body(arguments):
        (tmp_path / "rules.toml").write_text('version = 1\ndefault = "deny"\n')
        return engine.reload()

    tools = registry(body)
    engine.attach(tools)

    assert [run(tools).value, run(tools).is_error] == [True, True]


def test_monitored_limit_counts_apart_and_refuses_nothing(load):
    """A limit on trial says what it would refuse, and its count is not there when it is enforced."""
    on_trial = LIMITED.replace("limit =", 'mode = "monitor"\nlimit =')
    engine = load(on_trial)
    decisions = [engine.decide("ping", {}) for _ in range(4)]

    assert [(decision.effect, decision.would) for decision in decisions] == [
        ("allow", None),
        ("allow", None),
        ("allow", "deny"),
        ("allow", "deny"),
    ]

    enforced = load(LIMITED)
    enforced._facts = engine.facts

    assert [enforced.decide("ping", {}).effect for _ in range(3)] == ["allow", "allow", "deny"]


def test_store_that_is_down_answers_as_the_rule_says(load):
    """`on_error` is deny unless the rule says otherwise; the record names the rule."""

    class Down:
        blocking = False

        def test(self, claims, now):
            raise OSError("gone")

        reserve = commit = give_back = test

    answers = {}
    for word in ("deny", "ask", "allow"):
        engine = load(LIMITED + f'on_error = "{word}"\n')
        engine._facts = evolve(engine.facts, counters=lambda _: Down())
        decision = engine.decide("ping", {})
        answers[word] = (decision.effect, decision.rule)

    assert answers == {"deny": ("deny", "two"), "ask": ("ask", "two"), "allow": ("allow", None)}
