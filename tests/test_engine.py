"""The doors: load, decide, reload, guard."""

import asyncio

import pytest

from tests.laws.worlds import Clock, facts
from tidegate import Engine, RuleError, Veto
from tidegate.call import Call, Tool
from tidegate.errors import CallError

PING = 'version = 1\ndefault = "deny"\n[[rule]]\nid = "ping"\nkind = "tools"\nallow = ["ping", "add"]\n'


@pytest.fixture
def rules(tmp_path):
    path = tmp_path / "rules.toml"
    path.write_text(PING)
    return path


def test_broken_rules_are_never_loaded(rules):
    """A set that has an error gives every finding and no engine."""
    rules.write_text(
        'version = 1\n[[rule]]\nid = "a"\nkind = "toolz"\n[[rule]]\nid = "a"\nkind = "tools"\ndenny = []\n'
    )
    with pytest.raises(RuleError) as raised:
        Engine.load(rules)

    assert [finding.code for finding in raised.value.findings if finding.severity == "error"] == [
        "unknown-kind",
        "duplicate-id",
        "unknown-key",
    ]


def test_running_engine_keeps_its_last_good_plan(rules):
    """A reload of broken rules changes nothing but the findings."""
    engine = Engine.load(rules, facts=facts())
    rules.write_text("version = 2\n")

    assert engine.reload() is False
    assert [finding.code for finding in engine.findings] == ["bad-value"]
    assert engine.decide("ping", {}).effect == "allow"

    rules.write_text('version = 1\ndefault = "ask"\n')

    assert engine.reload() is True
    assert (engine.findings, engine.decide("ping", {}).effect) == ((), "ask")


def test_stricter_reload_holds_a_looser_plan(rules):
    """`reload = "stricter"` takes over added denies by itself, and waits for an operator with the rest."""
    stricter = PING.replace("\n[[rule]]", '\nreload = "stricter"\n[[rule]]', 1)
    rules.write_text(stricter)
    engine = Engine.load(rules, facts=facts())
    rules.write_text(stricter + '[[rule]]\nid = "no"\nkind = "tools"\ndeny = ["pong"]\n')

    assert engine.reload() is True

    rules.write_text(stricter + '[[rule]]\nid = "yes"\nkind = "tools"\nallow = ["pong"]\n')

    assert engine.reload() is False
    assert {finding.code for finding in engine.findings} == {"held-back"}
    assert engine.decide("pong", {}).effect == "deny"

    engine.accept()

    assert engine.decide("pong", {}).effect == "allow"


@pytest.mark.parametrize(
    ("edit", "held"),
    [
        (lambda text: text.replace('"ping", ', ""), True),
        (lambda text: text.replace('default = "deny"', 'default = "ask"'), True),
        (lambda text: text + '[tools.mail]\nto = { role = "text" }\n', True),
        (lambda text: text + '[[rule]]\nid = "r"\nkind = "rewrite"\nset = { "/x" = 1 }\n', True),
        (lambda text: text[: text.index("[[rule]]")], True),
        (lambda text: text + "# a word to the reader\n", False),
        (lambda text: text + '[[rule]]\nid = "o"\nkind = "path"\nonly = ["/x/**"]\n', False),
    ],
    ids=["grant changed", "default", "binding", "rewrite", "rule gone", "comment", "confinement"],
)
def test_stricter_reload_takes_over_only_what_loosens_nothing(rules, edit, held):
    """Whatever changes or takes away something waits; comments and new refusals do not."""
    stricter = PING.replace("\n[[rule]]", '\nreload = "stricter"\n[[rule]]', 1)
    rules.write_text(stricter)
    engine = Engine.load(rules, facts=facts())
    rules.write_text(edit(stricter))

    assert engine.reload() is not held


def test_ask_is_deny_where_nobody_can_answer(rules):
    """`interactive=False` turns ask into deny."""
    rules.write_text('version = 1\ndefault = "ask"\n')
    engine = Engine.load(rules, facts=facts())

    assert [engine.decide("x", {}, interactive=answer).effect for answer in (True, False)] == ["ask", "deny"]


def test_async_decision_is_the_same(rules):
    """`adecide` decides as `decide` does."""
    engine = Engine.load(rules, facts=facts())

    assert asyncio.run(engine.adecide("ping", {})) == engine.decide("ping", {})


def test_arguments_that_are_no_json_are_no_call(rules):
    """What is no JSON object raises, and is never judged."""
    engine = Engine.load(rules, facts=facts())
    for arguments in ({"x": float("nan")}, {"x": {1, 2}}, {"x": "\ud800"}, {1: 2}):
        with pytest.raises(CallError):
            engine.decide("ping", arguments)


def test_guarded_function_runs_only_if_allowed(rules):
    """A function under `@engine.guard` is entered for an allowed call, and raises `Veto` else."""
    engine = Engine.load(rules, facts=facts())
    entered = []

    @engine.guard
    def add(left: int, right: int = 2) -> int:
        entered.append((left, right))
        return left + right

    @engine.guard
    def subtract(left: int) -> int:
        entered.append(left)
        return left

    @engine.guard
    async def ping() -> str:
        return "pong"

    assert (add(1), add(1, right=5), asyncio.run(ping())) == (3, 6, "pong")
    with pytest.raises(Veto, match="not allowed by any rule"):
        subtract(1)

    assert entered == [(1, 2), (1, 5)]


def test_guarded_function_keeps_its_own_errors(rules):
    """An exception of the function reaches its caller as it is."""
    engine = Engine.load(rules, facts=facts())

    @engine.guard
    def add() -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        add()


def test_guard_refuses_an_unbound_method(rules):
    """A method has no JSON for `self`, so it is guarded where it is bound."""
    rules.write_text('version = 1\ndefault = "allow"\n')
    engine = Engine.load(rules, facts=facts())

    class Mailer:
        def send(self, to: str) -> str:
            return f"sent to {to}"

    with pytest.raises(TypeError, match=r"guard the method `send` where it is bound"):
        engine.guard(Mailer.send)

    assert engine.guard(Mailer().send)("a") == "sent to a"


def test_arguments_that_are_no_object_are_no_call(rules):
    """Every door says what is wrong with arguments that are no JSON object."""
    engine = Engine.load(rules, facts=facts())
    for door in (engine.decide, engine.peek):
        with pytest.raises(CallError, match="the arguments are a list, and not an object"):
            door("ping", ["x"])


def test_guard_asks_its_approver(rules):
    """`engine.guard(approver=…)` lets a person answer for a function."""
    rules.write_text('version = 1\ndefault = "ask"\n')
    engine = Engine.load(rules, facts=facts())
    replies = iter(["allow", "reject"])

    @engine.guard(approver=lambda question: next(replies))
    def add(left: int) -> int:
        return left

    assert add(1) == 1
    with pytest.raises(Veto, match="a person refused"):
        add(1)


def test_question_takes_from_limits_where_nobody_hears_how_it_ends(rules):
    """What a hook asks about may run, so that it counts; a look and a host that decides again take nothing."""
    rules.write_text(
        'version = 1\ndefault = "ask"\n[[rule]]\nid = "one"\nkind = "rate-limit"\ntools = ["ping"]\nlimit = "1/hour"\n'
    )
    engine = Engine.load(rules, facts=facts())
    call = Call(Tool("ping"), {})
    said = [engine.peek("ping", {}).effect, engine.decide("ping", {}).effect]
    unheard = [engine.judge(call, unheard=True).effect for _ in range(2)]

    assert (said, unheard) == (["ask", "ask"], ["ask", "deny"])


def test_expired_grant_ends_and_expired_deny_stays(rules):
    """The day after `expires`, grants and exceptions no longer count; denies do."""
    rules.write_text(
        'version = 1\ndefault = "deny"\n[[rule]]\nid = "g"\nkind = "tools"\nallow = ["ping"]\nexpires = 2020-01-31\n'
        '[[rule]]\nid = "d"\nkind = "tools"\nallow = ["pong"]\ndeny = ["pong"]\nexpires = 2020-01-31\n'
        'except = [{ tool = "pong" }]\n'
    )
    last_second = 1_580_515_199.0  # 2020-01-31T23:59:59Z
    before, after = (Engine.load(rules, facts=facts(Clock(last_second + step))) for step in (0, 1))

    assert [before.decide(tool, {}).effect for tool in ("ping", "pong")] == ["allow", "allow"]
    assert [after.decide(tool, {}).effect for tool in ("ping", "pong")] == ["deny", "deny"]
    assert after.decide("pong", {}).rule == "d"


def test_records_are_written_for_every_decision(rules):
    """A recorder sees each decision once; one that fails changes nothing."""
    seen = []

    def broken(record):
        raise RuntimeError("disk full")

    engine = Engine.load(rules, facts=facts(), recorders=[broken, seen.append])
    effects = [engine.decide("ping", {}).effect, engine.decide("pong", {}).effect]

    assert [record.decision.effect for record in seen] == effects == ["allow", "deny"]
