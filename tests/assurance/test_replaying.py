"""Laws of replays: nothing flips by itself, every flip is one, nothing hides anything, whoever judges which calls."""

import json
import pickle
from contextlib import suppress

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from tests.assurance.replaying import compared, judge_of, lines_of, replayed
from tests.assurance.small_rules import CALLS, FEW, rule_sets, text_of
from tidegate import Engine
from tidegate.assurance.replaying.comparing import Task
from tidegate.assurance.replaying.crew import Crew, WorkerLost
from tidegate.assurance.replaying.judge import Judge
from tidegate.assurance.replaying.replay import _by_session
from tidegate.assurance.replaying.sources import source_of
from tidegate.assurance.replaying.tally import Tally
from tidegate.assurance.witnesses import line_of
from tidegate.calls import call_of
from tidegate.decision import STRICTNESS
from tidegate.errors import RuleError

ANYTHING = 'version = 1\ndefault = "deny"\n[[rule]]\nid = "any"\nkind = "tools"\nallow = ["*"]\n'
LIMIT = f"""\
{ANYTHING}
[[rule]]
id = "few"
kind = "rate-limit"
limit = "2/minute"
"""
OF_SESSION = 'per = ["session"]\n'
LINES = [f"{line_of(call)}\n".encode() for call in CALLS]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("rules")


@st.composite
def judges(draw, folder, name="rules.toml"):
    """The judge by a small rule set that has no error."""
    while True:
        text = text_of(draw(rule_sets()))
        with suppress(RuleError):
            judge = judge_of(folder, text, name)
            note(text)
            return judge


def chunks_of(values):
    return st.lists(st.sampled_from(values), max_size=30)


def totals(tally):
    """Everything that a tally counts, without where it stands."""
    groups = {flip: group.calls for flip, group in tally.groups.items()}
    return (tally.calls, tally.same, tally.by_other_rule, tally.not_compared, groups)


@FEW
@given(st.data())
def test_same_rules_flip_nothing(folder, data):
    """A replay of any calls against the same rules has no flip."""
    judge = data.draw(judges(folder))
    tally = replayed(judge, judge, LINES).tally

    assert (tally.groups, tally.same, tally.unread) == ({}, len(LINES), 0)


@FEW
@given(st.data())
def test_every_flip_is_a_difference(folder, data):
    """Each group is what both rule sets say of its samples, and no call that differs is left out."""
    new, old = data.draw(judges(folder)), data.draw(judges(folder))
    tally = replayed(new, old, LINES).tally
    for flip, group in tally.groups.items():
        for sample in group.samples:
            rows = [json.loads(sample.line)]
            said = [(answer["effect"], answer["rule"]) for answer in (*old(rows), *new(rows))]

            assert said == [flip.old, flip.new]
            assert rows[0] == json.loads(LINES[sample.place.number - 1])
            assert flip.change == (
                "looser" if STRICTNESS[flip.new.effect] < STRICTNESS[flip.old.effect] else "stricter"
            )
    both = zip(old(map(json.loads, LINES)), new(map(json.loads, LINES)), strict=True)

    assert sum(tally.changes().values()) == sum(before["effect"] != after["effect"] for before, after in both)


BROKEN = [
    b"{broken\n",
    b"\xff\n",
    b"[]\n",
    b"7\n",
    b'{"tool": "a"}\n',
    b'{"tool": "a", "args": {}, "at": "noon"}\n',
    b'{"tool": "a", "args": {"x": 1, "x": 2}}\n',
    b'{"tool": "a", "args": {}, "effect": "maybe"}\n',
    b'{"tool": "a", "args": {}, "sesion": "s"}\n',
    b"[" * 100_000 + b"\n",
]


@FEW
@given(st.data())
def test_broken_lines_hide_no_others(folder, data):
    """With broken lines among them the calls come to the same, and each of the broken ones is counted and told."""
    new, old = data.draw(judges(folder)), data.draw(judges(folder))
    lines = data.draw(chunks_of(LINES))
    mixed = list(lines)
    broken = data.draw(st.lists(st.sampled_from(BROKEN), max_size=10))
    for line in broken:
        mixed.insert(data.draw(st.integers(0, len(mixed))), line)
    tally = replayed(new, old, mixed, "calls").tally

    assert totals(tally) == totals(replayed(new, old, lines, "calls").tally)
    assert tally.unread == len(broken)
    assert [error.place.number for error in tally.errors] == [
        number for number, line in enumerate(mixed, 1) if line in BROKEN
    ]
    assert all(error.why for error in tally.errors)


@FEW
@given(st.data())
def test_tally_is_the_same_whoever_judges(folder, data):
    """Where rules count nothing, calls spread over any workers come to what one counts, samples included."""
    new, old = data.draw(judges(folder)), data.draw(judges(folder))
    lines = data.draw(chunks_of([*LINES, *BROKEN[:3]]))
    source = source_of("calls.jsonl", 0, lines, "calls")
    task = Task(new, old, (source.name,), (source.form,))
    shares = [[], [], []]
    pieces = list(source.pieces)
    for piece in pieces:
        shares[data.draw(st.integers(0, 2))].append(piece)
    added = Tally()
    for share in data.draw(st.permutations(shares)):
        added.add(compared(task, share))
    whole = compared(task, pieces)
    for tally in (added, whole):
        tally.backwards = 0

    assert added.ordered() == whole.ordered()
    assert (totals(added), added.errors, added.unread) == (totals(whole), whole.errors, whole.unread)


@FEW
@given(st.data())
def test_own_audit_flips_nothing(folder, data):
    """What the audit recorded of calls under some rules is what the same rules say of them again."""
    judge = data.draw(judges(folder))
    lines = []
    engine = Engine.load(folder / "rules.toml", recorders=[lambda record: lines.extend(lines_of(record.as_json()))])
    calls = [{**json.loads(line), "at": number} for number, line in enumerate(data.draw(chunks_of(LINES)))]
    for call in calls:
        engine.judge(call_of(call))
    tally = replayed(judge, None, lines, "audit").tally

    assert (tally.groups, tally.unread, tally.same) == ({}, 0, len(calls))


@given(st.lists(st.tuples(st.sampled_from([None, "a", "b", "c", "d"]), st.integers(0, 100)), max_size=40))
def test_limit_of_a_session_is_exact_with_any_workers(folder, made):
    """Calls of one session are judged by one worker in their order, so that what is counted by session is exact."""
    judge = judge_of(folder, LIMIT + OF_SESSION, "limit.toml")
    at = sorted(time for _, time in made)
    lines = lines_of(
        *({"tool": "t", "args": {}, "at": time, "session": name} for (name, _), time in zip(made, at, strict=True))
    )
    source = source_of("calls.jsonl", 0, lines, "calls")
    task = Task(judge, judge_of(folder, ANYTHING, "old.toml"), ("c",), ("calls",))
    pieces = list(source.pieces)
    handed = list(_by_session(task, pieces, 3))
    shares = [[entry for worker, chunk in handed if worker == number for entry in chunk] for number in range(3)]
    added = Tally()
    for share in shares:
        added.add(compared(task, share))
    sessions = [{entry.call.session for entry in share} for share in shares]

    assert totals(added) == totals(compared(task, pieces))
    assert sum(map(len, sessions)) == len(set().union(*sessions))
    assert sum(map(len, shares)) == len(made)


def test_limits_count_by_the_time_of_the_record(folder):
    """A limit refuses the third call of a minute of the record, and says nothing a minute later."""
    new, old = judge_of(folder, LIMIT, "limit.toml"), judge_of(folder, ANYTHING, "old.toml")
    calls = [{"tool": "t", "args": {}, "at": at} for at in (0, 1, 2, 61, 62)]
    done = replayed(new, old, lines_of(*calls))
    ((flip, group),) = done.tally.groups.items()

    assert (flip.change, flip.new, group.calls, group.samples[0].place.number) == ("stricter", ("deny", "few"), 1, 3)
    assert (done.counted, done.tally.untimed, done.tally.backwards) == (True, 0, 0)


def test_calls_without_a_time_are_as_if_they_were_the_first(folder):
    """What is not known to have been made in one minute is not refused for it, and is counted."""
    new = judge_of(folder, LIMIT, "limit.toml")
    done = replayed(new, None, lines_of(*[{"tool": "t", "args": {}, "effect": "allow", "rule": "any"}] * 5))

    assert (done.tally.untimed, done.tally.groups, done.tally.same) == (5, {}, 5)


REWRITE = ANYTHING + '[[rule]]\nid = "w"\nkind = "rewrite"\nset = {{ "/n" = {} }}\n'


def test_old_rules_stand_over_the_record(folder):
    """Where old rules are named, nothing is compared with what the record says."""
    judge = judge_of(folder, ANYTHING)
    lines = lines_of({"tool": "t", "args": {}, "effect": "deny", "rule": "gone"})

    assert replayed(judge, None, lines).tally.changes() == {"looser": 1}
    assert replayed(judge, judge, lines).tally.changes() == {}


def test_other_arguments_are_a_change(folder):
    """Calls that are allowed as before and would run with other arguments are told, by both rule sets alike not."""
    one, two = (judge_of(folder, REWRITE.format(number), f"{number}.toml") for number in (1, 2))
    lines = lines_of({"tool": "t", "args": {}})

    assert replayed(one, two, lines).tally.changes() == {"rewritten": 1}
    assert replayed(one, one, lines).tally.changes() == {}


def test_rules_that_changed_protect_each_other(folder):
    """Rule files are as protected in one rule set as in the other, so that no flip comes from where they lie."""
    one, two = (judge_of(folder, ANYTHING + f"# {name}\n", f"{name}.toml") for name in ("one", "two"))
    both = [Judge(folder / "one.toml", protect=two.sources), Judge(folder / "two.toml", protect=one.sources)]
    call = {"tool": "write_file", "args": {"path": str(folder / "one.toml"), "content": ""}}

    assert [judge([call])[0]["rule"] for judge in both] == ["tidegate/self-protection"] * 2
    assert two([call])[0]["effect"] == "allow"


def test_a_judge_is_sent_with_its_rules(folder):
    """A pickled judge answers the same where its rule file is no longer there."""
    judge = judge_of(folder, ANYTHING, "gone.toml")
    rows = [{"tool": "t", "args": {"x": [1]}, "call_id": "c"}, {"tool": "t"}, 7]
    sent = pickle.dumps(judge)
    (folder / "gone.toml").unlink()
    answers = pickle.loads(sent)(rows)

    assert answers == judge(rows)
    assert [answer["effect"] for answer in answers] == ["allow", "deny", "deny"]
    assert answers[0] == {"effect": "allow", "rule": "any", "reason": "", "arguments": {"x": [1]}, "call_id": "c"}


def test_each_batch_begins_anew(folder):
    """Limits count within a batch and not from one to the next."""
    judge = judge_of(folder, LIMIT, "limit.toml")
    rows = [{"tool": "t", "args": {}, "at": 0}] * 3

    assert [[answer["effect"] for answer in judge(rows)] for _ in range(2)] == [["allow", "allow", "deny"]] * 2


def test_rules_with_an_error_judge_nothing(folder):
    """No judge is made of rules that are broken, or whose examples fail."""
    failing = ANYTHING + '[[rule.example]]\ncall = { tool = "t", args = {} }\nexpect = "deny"\n'
    for text in (ANYTHING + "[[rule]]\n", failing):
        with pytest.raises(RuleError):
            judge_of(folder, text, "broken.toml")


@pytest.mark.parametrize("workers", [2, 3])
def test_processes_count_what_one_counts(folder, workers):
    """Real processes come to the same as this one, for every call there is and some broken lines."""
    texts = [
        'version = 1\ndefault = "ask"\n[[rule]]\nid = "r"\nkind = "path"\nallow = ["a/**"]\n',
        'version = 1\ndefault = "deny"\n[[rule]]\nid = "r"\nkind = "command"\nallow = ["git ..."]\n',
    ]
    new, old = (judge_of(folder, text, f"{number}.toml") for number, text in enumerate(texts))
    lines = [*LINES, *BROKEN[:4]] * 5
    alone, together = (replayed(new, old, lines, "calls", number).tally for number in (1, workers))

    assert together.ordered() == alone.ordered()
    assert (totals(together), together.errors, together.unread) == (totals(alone), alone.errors, alone.unread)


def test_a_lost_process_is_an_error(folder):
    """Where a process ends before its work is done, there is no answer that lacks its calls."""
    judge = judge_of(folder, ANYTHING)

    def lose():
        with Crew(Task(judge, judge, ("c",), ("calls",)), 1) as crew:
            crew._processes[0].kill()
            crew._processes[0].join()
            crew.give([])
            crew.end()

    with pytest.raises(WorkerLost):
        lose()
