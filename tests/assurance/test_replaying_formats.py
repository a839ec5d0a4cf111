"""Records of every format, as their makers write them, become the calls that they tell of."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.assurance.replaying import entries_of, lines_of
from tidegate.assurance.replaying.entry import Word
from tidegate.assurance.replaying.formats import FORMATS, SURPRISE
from tidegate.assurance.replaying.sources import source_of
from tidegate.call import Call, Tool
from tidegate.errors import CallError

AUDIT = {
    "at": 1793527201.5,
    "tool": "mcp__tickets__search",
    "server": "tickets",
    "call_id": "c1",
    "agent": "main",
    "session": "s1",
    "cwd": "/srv/project",
    "root": "/srv/project",
    "home": "/home/dev",
    "mode": "default",
    "interactive": True,
    "effect": "deny",
    "rule": "baseline/secrets",
    "reason": "these are secrets",
    "would": None,
    "arguments": {"query": "a", "limit": 10},
    "original": {"query": "a"},
    "effects": [],
    "answers": [],
    "plan": "abc",
    "entered": None,
    "is_error": None,
}
PLAIN = {"tool": "read_file", "args": {"path": "a.py"}, "call_id": "c1", "session": "s1", "at": 5}
AROUND = {
    "parentUuid": None,
    "isSidechain": False,
    "userType": "external",
    "cwd": "/srv/project",
    "sessionId": "0c0fee00-0000-4000-8000-000000000001",
    "version": "2.1.0",
    "gitBranch": "main",
    "uuid": "11111111-2222-4333-8444-555555555555",
    "timestamp": "2026-11-01T10:00:01.250Z",
}
BLOCKS = [
    {"type": "thinking", "thinking": "…", "signature": "x"},
    {"type": "text", "text": "Let me look."},
    {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "git status", "description": "look"}},
    {"type": "tool_use", "id": "toolu_2", "name": "Read", "input": {"file_path": "/srv/project/a.py"}},
]
TRANSCRIPT = [
    {"type": "summary", "summary": "Mending a test", "leafUuid": "11111111-2222-4333-8444-555555555555"},
    {"type": "file-history-snapshot", "messageId": "m", "snapshot": {"trackedFileBackups": {}}},
    {**AROUND, "type": "user", "message": {"role": "user", "content": "mend the test"}},
    {
        **AROUND,
        "type": "assistant",
        "requestId": "req_1",
        "message": {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": BLOCKS},
    },
    {
        **AROUND,
        "type": "user",
        "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "clean"}]},
        "toolUseResult": {"stdout": "clean", "stderr": "", "interrupted": False},
    },
    {**AROUND, "type": "system", "subtype": "turn_duration", "durationMs": 12},
]
CHAT = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1793527201,
    "model": "m",
    "choices": [
        {
            "index": 0,
            "message": {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "call_1", "type": "function", "function": {"name": "get", "arguments": '{"city": "Rome"}'}},
                    {"id": "call_2", "type": "function", "function": {"name": "now", "arguments": ""}},
                    {"id": "call_3", "type": "custom", "custom": {"name": "code", "input": "print(1)"}},
                ],
            },
            "finish_reason": "tool_calls",
        }
    ],
}
RESPONSE = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1793527201,
    "conversation": {"id": "conv_1"},
    "output": [
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "get", "arguments": '{"city": "Rome"}'},
        {"type": "mcp_call", "id": "mcp_1", "server_label": "dice", "name": "roll", "arguments": '{"n": 2}'},
        {"type": "web_search_call", "id": "ws_1", "status": "completed"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]},
    ],
}
CLAUDE = {"id": "msg_1", "type": "message", "role": "assistant", "stop_reason": "tool_use", "content": BLOCKS}
CONVERSATION = {
    "messages": [
        {"role": "user", "content": "mend the test"},
        {"role": "assistant", "content": BLOCKS},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "clean"}]},
        {
            "role": "assistant",
            "content": [{"type": "mcp_tool_use", "id": "m", "name": "roll", "server_name": "dice", "input": {"n": 2}}],
        },
    ]
}
OTLP = {
    "resourceSpans": [
        {
            "resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "agent"}}]},
            "scopeSpans": [
                {
                    "scope": {"name": "agent"},
                    "spans": [
                        {"traceId": "5b8e", "spanId": "e1", "name": "chat m", "attributes": []},
                        {
                            "traceId": "5b8efff798038103d269b633813fc60c",
                            "spanId": "eee19b7ec3c1b174",
                            "name": "execute_tool get_weather",
                            "kind": 1,
                            "startTimeUnixNano": "1793527201250000000",
                            "endTimeUnixNano": "1793527202000000000",
                            "attributes": [
                                {"key": "gen_ai.operation.name", "value": {"stringValue": "execute_tool"}},
                                {"key": "gen_ai.tool.name", "value": {"stringValue": "get_weather"}},
                                {"key": "gen_ai.tool.call.id", "value": {"stringValue": "call_1"}},
                                {"key": "gen_ai.conversation.id", "value": {"stringValue": "conv_1"}},
                                {"key": "gen_ai.tool.call.arguments", "value": {"stringValue": '{"city": "Rome"}'}},
                            ],
                        },
                        {
                            "spanId": "e3",
                            "name": "execute_tool forecast",
                            "startTimeUnixNano": "1793527203000000000",
                            "attributes": [
                                {
                                    "key": "gen_ai.tool.call.arguments",
                                    "value": {
                                        "kvlistValue": {
                                            "values": [
                                                {"key": "days", "value": {"intValue": "3"}},
                                                {
                                                    "key": "of",
                                                    "value": {
                                                        "arrayValue": {
                                                            "values": [{"boolValue": True}, {"doubleValue": 0.5}, {}]
                                                        }
                                                    },
                                                },
                                            ]
                                        }
                                    },
                                }
                            ],
                        },
                        {"spanId": "e4", "name": "execute_tool quiet", "attributes": []},
                    ],
                }
            ],
        }
    ]
}
SPAN = {
    "name": "execute_tool get_weather",
    "context": {"trace_id": "0x5b8e", "span_id": "0xe1", "trace_state": "[]"},
    "kind": "SpanKind.INTERNAL",
    "parent_id": None,
    "start_time": "2026-11-01T10:00:01.250000Z",
    "end_time": "2026-11-01T10:00:02.000000Z",
    "status": {"status_code": "UNSET"},
    "attributes": {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "get_weather",
        "gen_ai.tool.call.arguments": '{"city": "Rome"}',
        "gen_ai.agent.name": "helper",
    },
    "events": [],
    "links": [],
    "resource": {"attributes": {"service.name": "agent"}, "schema_url": ""},
}
AT = 1793527201.25
SESSION = AROUND["sessionId"]
NO_ARGUMENTS = "has no arguments that rules could judge"


def bash(**around):
    return Call(Tool("Bash"), {"command": "git status", "description": "look"}, call_id="toolu_1", **around)


def read(**around):
    return Call(Tool("Read"), {"file_path": "/srv/project/a.py"}, call_id="toolu_2", **around)


def roll(id_, **around):
    return Call(Tool("mcp__dice__roll", "mcp", "dice", "roll"), {"n": 2}, call_id=id_, **around)


def get(**around):
    return Call(Tool("get"), {"city": "Rome"}, call_id="call_1", **around)


IN_TRANSCRIPT = {"session": SESSION, "at": AT, "cwd": "/srv/project"}
LINE = {"session": "calls.jsonl:1"}
FILE = {"session": "calls.jsonl"}
RECORDS = {
    "audit": (
        "audit",
        [AUDIT],
        [
            Call(
                Tool("mcp__tickets__search", "mcp", "tickets", "search"),
                {"query": "a"},
                call_id="c1",
                agent="main",
                session="s1",
                cwd="/srv/project",
                root="/srv/project",
                home="/home/dev",
                mode="default",
                at=1793527201.5,
            )
        ],
    ),
    "calls": ("calls", [PLAIN], [Call(Tool("read_file"), {"path": "a.py"}, call_id="c1", session="s1", at=5)]),
    "transcript": ("claude-code", TRANSCRIPT, [bash(**IN_TRANSCRIPT), read(**IN_TRANSCRIPT)]),
    "chat": (
        "openai",
        [CHAT],
        [
            get(at=1793527201.0, **LINE),
            Call(Tool("now"), {}, call_id="call_2", at=1793527201.0, **LINE),
            f"a call of type `custom` {NO_ARGUMENTS}",
        ],
    ),
    "messages of a chat": (
        "openai",
        [
            {"role": "user", "content": "hi"},
            CHAT["choices"][0]["message"] | {"tool_calls": [CHAT["choices"][0]["message"]["tool_calls"][0]]},
        ],
        [get(**FILE)],
    ),
    "function of old": (
        "openai",
        [{"messages": [{"role": "assistant", "function_call": {"name": "get", "arguments": '{"a": 1}'}}]}],
        [Call(Tool("get"), {"a": 1}, **LINE)],
    ),
    "response": (
        "openai",
        [RESPONSE],
        [
            get(session="conv_1", at=1793527201.0),
            roll("mcp_1", session="conv_1", at=1793527201.0),
            f"a call of type `web_search_call` {NO_ARGUMENTS}",
        ],
    ),
    "items": ("openai", RESPONSE["output"][1:2], [get(**FILE)]),
    "message": ("anthropic", [CLAUDE], [bash(**FILE), read(**FILE)]),
    "conversation": ("anthropic", [CONVERSATION], [bash(**LINE), read(**LINE), roll("m", **LINE)]),
    "export": (
        "otel",
        [OTLP],
        [
            Call(Tool("get_weather"), {"city": "Rome"}, call_id="call_1", session="conv_1", at=AT),
            Call(Tool("forecast"), {"days": 3, "of": [True, 0.5, None]}, at=1793527203.0),
            "its arguments were not recorded; `gen_ai.tool.call.arguments` has to be switched on",
        ],
    ),
    "span": ("otel", [SPAN], [Call(Tool("get_weather"), {"city": "Rome"}, agent="helper", at=AT)]),
}


def found(entries):
    return [entry.call if entry.call is not None else entry.error for entry in entries]


@pytest.mark.parametrize("name", RECORDS)
def test_records_are_told_apart_and_read(name):
    """What stands in a record tells its format, and its calls are read with all that is known of them."""
    form, values, calls = RECORDS[name]
    lines = lines_of(*values)

    assert source_of("calls.jsonl", 0, lines).form == form
    assert found(entries_of(lines)) == calls
    assert found(entries_of(lines, form)) == calls


@pytest.mark.parametrize("name", RECORDS)
def test_documents_over_many_lines_are_read(name):
    """The same records as one document that is laid out over many lines hold the same calls."""
    _, values, calls = RECORDS[name]
    text = json.dumps(values if len(values) > 1 else values[0], indent=2).encode()

    assert found(entries_of(text.splitlines(keepends=True))) == calls


def test_every_format_has_a_record():
    """No format is left out of these tests."""
    assert {form for form, _, _ in RECORDS.values()} == set(FORMATS)


SAID = {"rule": "r", "says": "ask", "list": "deny", "monitored": False}
APPROVED = {"rule": "tidegate/approval", "says": "pass", "list": "approved", "monitored": False}


@pytest.mark.parametrize(
    ("record", "word"),
    [
        ({}, Word("deny", "baseline/secrets")),
        ({"effect": "allow", "rule": "r", "answers": [SAID, APPROVED]}, Word("ask", "r")),
        ({"effect": "allow", "rule": None, "answers": [APPROVED]}, Word("ask", None)),
        ({"effect": "deny", "rule": "r", "answers": [SAID]}, Word("ask", "r")),
        ({"effect": "deny", "rule": "r", "answers": [SAID], "interactive": False}, Word("deny", "r")),
        ({"effect": "deny", "rule": "r", "answers": [SAID | {"monitored": True}]}, Word("deny", "r")),
        ({"effect": "deny", "rule": "o", "answers": [SAID]}, Word("deny", "o")),
        ({"reason": "this call needs approval, and there is nobody to ask: x"}, Word("ask", "baseline/secrets")),
    ],
)
def test_audit_tells_what_the_rules_said(record, word):
    """Where a person was asked, what is compared is that the rules asked, and not what the person answered."""
    (entry,) = entries_of(lines_of(AUDIT | record))

    assert entry.said == word


def test_calls_may_carry_their_decision():
    """What `decide` answered of a call may stand beside it."""
    answer = {"effect": "ask", "rule": None, "reason": "x", "arguments": {}, "would": "deny"}
    one, two = entries_of(lines_of(PLAIN | answer, PLAIN | {"effect": "allow", "rule": "r"}))

    assert (one.said, two.said) == (Word("ask", None), Word("allow", "r"))
    assert one.call == two.call == RECORDS["calls"][2][0]


@pytest.mark.parametrize(
    ("form", "value", "why"),
    [
        ("claude-code", {"sessionId": "s"}, "there is no `type`"),
        ("claude-code", AROUND | {"type": "assistant"}, "what the assistant said is missing"),
        ("claude-code", TRANSCRIPT[3] | {"timestamp": "yesterday"}, "when it was made"),
        ("claude-code", TRANSCRIPT[3] | {"timestamp": "2026-11-01T10:00:01"}, "when it was made"),
        ("claude-code", TRANSCRIPT[3] | {"cwd": 7}, "`cwd` must be a text"),
        ("claude-code", [], "it is no event"),
        ("anthropic", {"role": "assistant", "content": [BLOCKS[2] | {"input": "x"}]}, "its arguments cannot be read"),
        ("anthropic", {"role": "assistant", "content": [BLOCKS[2] | {"input": [1]}]}, "its arguments are no object"),
        ("anthropic", {"role": "assistant", "content": [BLOCKS[2] | {"name": ""}]}, "its tool has no name"),
        ("anthropic", {"role": "assistant", "content": {}}, "must be a text or an array"),
        ("anthropic", 7, "it is no message and no conversation"),
        ("anthropic", [7], "a message in it is no object"),
        ("openai", {"tool_calls": {}}, "must be an array"),
        ("openai", {"tool_calls": [7]}, "it is no object"),
        ("openai", {"type": "function_call", "name": "f", "arguments": "{"}, "its arguments cannot be read"),
        ("openai", {"type": "function_call", "name": "f"}, "its arguments are no object"),
        ("openai", {"type": "function_call", "name": "f", "arguments": '{"a":1,"a":2}'}, "stands twice"),
        ("openai", {"type": "mcp_call", "name": "f", "arguments": "{}"}, "its server has no name"),
        ("otel", 7, "it is no span"),
        ("otel", {"resourceSpans": [7]}, "must be an array of objects"),
        ("otel", SPAN | {"attributes": 7}, "neither an array nor an object"),
        ("otel", SPAN | {"attributes": [{"value": {}}]}, "has no key"),
        ("otel", SPAN | {"attributes": [{"key": "a", "value": {"x": 1}}]}, "none of OTLP's"),
        ("otel", SPAN | {"attributes": [{"key": "a", "value": {"intValue": "x"}}]}, "no whole number"),
        ("otel", SPAN | {"startTimeUnixNano": "x"}, "no number of nanoseconds"),
        ("audit", {}, "no `effect`"),
        ("audit", AUDIT | {"arguments": "withheld: ValueError", "original": None}, "not written down"),
        ("audit", AUDIT | {"at": None}, "not written down"),
        ("audit", {"effect": "deny", "rule": None, "reason": ""}, "not written down"),
        ("calls", PLAIN | {"effect": None}, "its `effect` is null"),
        ("calls", PLAIN | {"effect": "maybe"}, "no `effect` that is allow"),
        ("calls", {"tool": "a"}, "`args` is missing"),
    ],
)
def test_broken_records_say_why(form, value, why):
    """What is no call is told with the reason, in one entry."""
    (entry,) = entries_of(lines_of(value), form)

    assert entry.call is None
    assert why in entry.error


def strings_in(value):
    """Every text in a value, keys included."""
    if isinstance(value, dict):
        return {text for pair in value.items() for item in pair for text in strings_in(item)}
    if isinstance(value, list):
        return {text for item in value for text in strings_in(item)}
    return {value} if isinstance(value, str) else set()


VOCABULARY = sorted(strings_in([values for _, values, _ in RECORDS.values()]))
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    SCALARS | st.sampled_from(VOCABULARY),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(VOCABULARY), inner, max_size=6),
)


@st.composite
def damaged(draw, value):
    """A value in which some things are others."""
    if draw(st.integers(0, 9)) == 0:
        return draw(VALUES)
    if isinstance(value, dict):
        return {key: draw(damaged(item)) for key, item in value.items() if draw(st.integers(0, 19))}
    return [draw(damaged(item)) for item in value] if isinstance(value, list) else value


@given(st.sampled_from(sorted(FORMATS)), st.sampled_from(sorted(RECORDS)), st.data())
def test_no_damage_surprises_a_reader(form, name, data):
    """Whatever becomes of a record, every format yields calls or reasons, of its own or of another's."""
    value = data.draw(damaged(data.draw(st.sampled_from(RECORDS[name][1]))))
    for entry in entries_of(lines_of(value), form):
        assert (entry.call is None) == bool(entry.error)
        assert not entry.error.startswith(SURPRISE)
    with suppress(CallError):
        source_of("calls.jsonl", 0, lines_of(value))


def test_a_broken_block_hides_no_other():
    """The calls around a broken one are read."""
    broken = [BLOCKS[2], BLOCKS[2] | {"input": 7}, BLOCKS[3]]
    entries = entries_of(lines_of(CLAUDE | {"content": broken}))

    assert found(entries) == [bash(**FILE), "its arguments are no object", read(**FILE)]
    assert [entry.place.part for entry in entries] == [0, 1, 2]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"", "nothing in it tells"),
        (b"hello\n", "nothing in it tells"),
        (b'{"a": 1}\n' * 3, "nothing in it tells"),
        (b'{"effect": "deny", "rule": null, "reason": "x"}\n', "decisions without their calls"),
    ],
)
def test_what_is_of_no_format_is_refused(text, why):
    """A record is never read as something that it is not known to be."""
    with pytest.raises(CallError, match=why):
        source_of("calls.jsonl", 0, text.splitlines(keepends=True))


def test_a_broken_first_line_hides_none():
    """Lines after a first one that is broken are read as lines."""
    entries = entries_of([b"{broken\n", b"\n", *lines_of(PLAIN)])

    assert [entry.place.number for entry in entries] == [1, 3]
    assert found(entries)[1:] == RECORDS["calls"][2]
