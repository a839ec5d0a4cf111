"""The OpenID AuthZEN Authorization API 1.0, held to the sentences of its certification scenario."""

import json

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.service.services import PLACE, serving
from tidegate.call import Call, Tool
from tidegate.decision import Decision
from tidegate.errors import CallError
from tidegate.service import authzen

FIXTURE = """\
version = 1
default = "deny"

[[rule]]
id = "reading"
kind = "tools"
allow = ["read"]

[[rule]]
id = "writing"
kind = "tools"
allow = ["write"]
when = { agent = "user:alice" }

[[rule]]
id = "archive"
kind = "arguments"
tools = ["write"]
deny = [{ "/resource/status" = { equals = "archived" } }]
except = [{ args = { "/subject/role" = "admin" } }]

[[rule]]
id = "admins"
kind = "tools"
allow = ["write"]
when = { args = { "/subject/role" = "admin" } }

[[rule]]
id = "deleting"
kind = "tools"
allow = ["delete"]

[[rule]]
id = "softly"
kind = "arguments"
tools = ["delete"]
argument = "/action/soft"
equals = true
extra = "allow"
"""
ALICE, BOB = {"type": "user", "id": "alice"}, {"type": "user", "id": "bob"}
ADMIN = {**BOB, "properties": {"role": "admin"}}
RECORD = {"type": "record", "id": "record-1"}
ARCHIVED = {"type": "record", "id": "record-2", "properties": {"status": "archived"}}
READ, WRITE = {"name": "read"}, {"name": "write"}
EVALUATION, EVALUATIONS = authzen.EVALUATION, authzen.EVALUATIONS


def asked(subject, action, resource, **more):
    """A request for one evaluation."""
    return {"subject": subject, "action": action, "resource": resource, **more}


@pytest.fixture(scope="module")
def certified(tmp_path_factory):
    """A service with rules for the fixture of the certification scenario."""
    folder = tmp_path_factory.mktemp("authzen")
    with serving(folder, "--attest", "agent", "--url", "https://pdp.example", rules=FIXTURE) as service:
        yield service


def delete(*, soft):
    """The action of deleting."""
    return {"name": "delete", "properties": {"soft": soft}}


@pytest.mark.parametrize(
    ("request_", "decision"),
    [
        (asked(ALICE, READ, RECORD), True),
        (asked(ALICE, WRITE, RECORD), True),
        (asked(BOB, READ, RECORD), True),
        (asked(BOB, WRITE, RECORD), False),
        (asked(ALICE, WRITE, ARCHIVED), False),
        (asked(ADMIN, WRITE, ARCHIVED), True),
        (asked(ALICE, delete(soft=True), RECORD), True),
        (asked(ALICE, delete(soft=False), RECORD), False),
        (asked(ALICE, READ, RECORD, context={"time": "2025-06-27T18:03-07:00", "ip": "192.168.1.1"}), True),
        (asked(ALICE, READ, RECORD, foo="bar", futureField={"nested": True}), True),
    ],
    ids=lambda value: json.dumps(value)[:60] if isinstance(value, dict) else None,
)
def test_fixture_is_decided_as_the_scenario_says(certified, request_, decision):
    """Identifiers and properties decide as certified, each time alike, and unknown fields are ignored."""
    replies = [certified.ask(EVALUATION, request_) for _ in range(2)]

    assert [(reply.status, reply.value["decision"]) for reply in replies] == [(200, decision)] * 2


WHOLE = asked(ALICE, READ, RECORD)
BROKEN = [
    *({key: value for key, value in WHOLE.items() if key != gone} for gone in WHOLE),
    asked({"id": "alice"}, READ, RECORD),
    asked({"type": "user"}, READ, RECORD),
    asked(ALICE, {}, RECORD),
    asked(ALICE, READ, {"id": "record-1"}),
    asked(ALICE, READ, {"type": "record"}),
    asked("alice", READ, RECORD),
    asked(ALICE, {"name": 123}, RECORD),
    asked(ALICE, READ, RECORD, context=[]),
    asked({**ALICE, "properties": 1}, READ, RECORD),
    asked({"type": "a:b", "id": "c"}, READ, RECORD),
    [],
]


@pytest.mark.parametrize("request_", BROKEN, ids=lambda value: json.dumps(value)[:70])
def test_request_without_a_required_field_is_bad(certified, request_):
    """What lacks a required field, or has it in another type, is a bad request, and a deny in either interface."""
    replies = [certified.ask(path, request_) for path in (EVALUATION, EVALUATIONS)]

    assert [(reply.status, reply.value["decision"]) for reply in replies] == [(400, False)] * 2


def decisions(reply):
    """The decisions of a batch."""
    return [one["decision"] for one in reply.value["evaluations"]]


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        ({"subject": BOB, "resource": RECORD, "evaluations": [{"action": READ}, {"action": WRITE}]}, [True, False]),
        ({"action": WRITE, "resource": ARCHIVED, "evaluations": [{"subject": ALICE}, {"subject": ADMIN}]},
         [False, True]),
        ({"evaluations": [asked(ALICE, READ, RECORD), asked(BOB, WRITE, RECORD)]}, [True, False]),
        ({"subject": ALICE, "action": WRITE, "resource": {"type": "record"}, "evaluations": [
            {"resource": {"id": "record-1", "properties": {"status": "active"}}}, {"resource": ARCHIVED}]},
         [True, False]),
        ({"subject": ALICE, "action": READ, "evaluations": [{"resource": RECORD}, {}, 7]}, [True, False, False]),
        ({"subject": ADMIN, "action": WRITE, "resource": ARCHIVED, "evaluations": [{"subject": BOB}]}, [False]),
    ],
    ids=["actions", "subjects", "whole", "merged", "broken-item", "nothing-is-merged-but-names"],
)  # fmt: skip
def test_batch_is_decided_in_its_order(certified, request_, expected):
    """Defaults fill in what an item lacks, broken items are denied in their place, and order is kept."""
    reply = certified.ask(EVALUATIONS, request_)

    assert (reply.status, decisions(reply)) == (200, expected)
    assert "decision" not in reply.value
    described = certified.get("/openapi.json").value
    schema = {"$ref": "#/components/schemas/EvaluationsAnswer", **described}
    jsonschema.Draft202012Validator(schema).validate(reply.value)


@pytest.mark.parametrize(
    ("semantic", "expected"),
    [
        ("execute_all", [True, False, True]),
        ("deny_on_first_deny", [True, False]),
        ("permit_on_first_permit", [True]),
    ],
)
def test_batch_ends_as_its_semantic_says(certified, semantic, expected):
    """Evaluations end with the first deny, or with the first permit, where that is asked for."""
    items = [{"action": READ}, {"action": WRITE}, {"action": READ}]
    options = {"evaluations_semantic": semantic, "another_option": 1}
    reply = certified.ask(EVALUATIONS, {"subject": BOB, "resource": RECORD, "options": options, "evaluations": items})

    assert decisions(reply) == expected


def test_unknown_semantic_is_bad(certified):
    """A semantic that nobody knows evaluates nothing."""
    reply = certified.ask(EVALUATIONS, {**WHOLE, "options": {"evaluations_semantic": "x"}, "evaluations": [{}]})

    assert (reply.status, reply.value["decision"]) == (400, False)


@pytest.mark.parametrize("more", [{}, {"evaluations": []}], ids=["none", "empty"])
def test_request_without_evaluations_is_one(certified, more):
    """The endpoint for several answers a single request as the other one does."""
    assert certified.ask(EVALUATIONS, {**WHOLE, **more}).value["decision"] is True


def test_configuration_names_the_public_url(certified):
    """The metadata stand under the URL at which clients reach the service."""
    assert certified.get(authzen.CONFIGURATION).value == {
        "policy_decision_point": "https://pdp.example",
        "access_evaluation_endpoint": "https://pdp.example/access/v1/evaluation",
        "access_evaluations_endpoint": "https://pdp.example/access/v1/evaluations",
    }


def test_tool_call_is_judged_with_its_arguments(service):
    """A resource of the type `tool_call` is a call: its properties are the arguments, the context is the place."""
    call = {"type": "tool_call", "id": "c-1", "properties": {"path": "src/a.py"}}
    action = {"name": "read_file"}
    inside = service.ask(EVALUATION, asked(ALICE, action, call, context=PLACE))
    outside = service.ask(EVALUATION, asked(ALICE, action, call, context={**PLACE, "cwd": "/srv/other"}))

    assert (inside.value["decision"], outside.value["decision"]) == (True, False)


def test_ask_is_false_and_says_so(service):
    """What a person should be asked about is not permitted, and the context says that it is a question."""
    mail = {"type": "tool_call", "id": "1", "properties": {"to": "a@example.com"}}
    reply = service.ask(EVALUATION, asked(ALICE, {"name": "send_email"}, mail))

    assert (reply.value["decision"], reply.value["context"]["effect"]) == (False, "ask")


def test_rewritten_call_is_permitted_only_to_who_takes_it(service):
    """A permit is for the very arguments that were asked about, or comes with those that may run."""
    note = asked(ALICE, {"name": "add_note"}, {"type": "tool_call", "id": "1", "properties": {"text": "x"}})
    plain = service.ask(EVALUATION, note)
    taken = service.ask(EVALUATION, {**note, "context": {"rewrites": True}})

    assert plain.value["decision"] is False
    assert "arguments" not in plain.value["context"]
    assert taken.value["decision"] is True
    assert taken.value["context"]["arguments"] == {"text": "x", "by": "agent"}


TEXTS = st.text("ab:", min_size=1, max_size=4)


@given(one=st.tuples(TEXTS, TEXTS), other=st.tuples(TEXTS, TEXTS))
def test_two_subjects_are_never_one_agent(one, other):
    """Subjects of different type or id are different agents, or no subjects."""
    agents = []
    for kind, name in (("agent" if kind == "a" else kind, name) for kind, name in (one, other)):
        try:
            evaluation = authzen.evaluation_of(asked({"type": kind, "id": name}, READ, RECORD))
        except CallError:
            return
        agents.append(evaluation.call.agent)

    assert (agents[0] == agents[1]) == (one == other)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(0, 9), lambda inner: st.lists(inner, max_size=2), max_leaves=3
)
OBJECTS = st.dictionaries(st.text("ab", max_size=2), JSON, max_size=3)


@given(effect=st.sampled_from(["allow", "ask", "deny"]), asked_=OBJECTS, run=OBJECTS, rewrites=st.booleans())
def test_true_is_an_allow_of_what_runs(effect, asked_, run, rewrites):
    """`true` is said only of an allow whose arguments are those that were asked about, or stand in the answer."""
    evaluation = authzen.Evaluation(Call(Tool("t"), asked_), rewrites)
    said = authzen.answer(evaluation, Decision(effect, None, "", run))
    runs = said["context"].get("arguments", asked_)

    assert not said["decision"] or (effect == "allow" and json.dumps(runs) == json.dumps(run))
    assert not said["decision"] or rewrites or json.dumps(asked_) == json.dumps(run)
    assert said["decision"] or effect != "allow" or (asked_ != run and not rewrites)
