"""The kind `provenance`: where arguments may come from, and what is left once untrusted data was read."""

import anyio
import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kinds.making import case, of_fields, problems
from tests.laws.worlds import Clock, facts
from tidegate.engine import Engine
from tidegate.errors import StoreError
from tidegate.facts.database import Database
from tidegate.facts.history import MemoryHistory, SqliteHistory
from tidegate.facts.texts import MOST_SESSIONS, MOST_TEXT, Texts
from tidegate.kernel import Context, ToolExecution, ToolExecutionResult, ToolRegistry, tool
from tidegate.kinds.provenance import KIND

RULES = """
version = 1
default = "allow"

[[rule]]
id = "payees"
kind = "provenance"
tools = ["send"]
arguments = ["/to", "/more"]
from_prompt = true
from_tools = ["contacts"]

[[rule]]
id = "hide"
kind = "truncate"
tools = ["contacts"]
max_bytes = 60
"""
TAINTED = """
version = 1
default = "allow"

[[rule]]
id = "after-mail"
kind = "provenance"
tools = ["send"]
untrusted = ["mail"]
"""


class World:
    """A registry whose tools return what they are told to."""

    def __init__(self, folder, text=RULES, history=None):
        path = folder / "rules.toml"
        path.write_text(text)
        history = history or MemoryHistory()
        self.engine = Engine.load(path, facts=attrs.evolve(facts(Clock()), history=lambda _: history))
        self.tools = ToolRegistry(Context())
        self.result = "fine"
        for name in ("send", "contacts", "mail"):
            self.tools.register(tool(name, "works", {"type": "object"}, lambda _: self.result))
        self.engine.attach(self.tools)

    def call(self, name, result="fine", session="s", **arguments):
        """Whether the call ran."""
        self.result = result
        return not anyio.run(self.tools.execute, ToolExecution("1", name, arguments, session=session)).is_error


class TestSources:
    """An argument passes exactly where a source of its session holds it."""

    @given(
        said=st.lists(st.sampled_from(["ann", "bob", "eve"]), max_size=2),
        found=st.lists(st.sampled_from(["ann", "bob", "eve"]), max_size=2),
        mailed=st.lists(st.sampled_from(["ann", "bob", "eve"]), max_size=2),
        to=st.sampled_from(["ann", "bob", "eve", "an", "annbob", ""]),
        elsewhere=st.booleans(),
    )
    def test_only_named_sources_count(self, tmp_path_factory, said, found, mailed, to, elsewhere):
        """What an untrusted tool returned, what stands in another session and what is a part of a word are none."""
        world = World(tmp_path_factory.getbasetemp())
        for one in said:
            world.engine.said("s", f"write to {one}")
        for one in found:
            world.call("contacts", one)
        for one in mailed:
            world.call("mail", one)
        session = "t" if elsewhere else "s"

        assert world.call("send", session=session, to=to) == (to in {*said, *found} and not elsewhere)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("ann", True),
        (["ann", "bob"], True),
        (["ann", "eve"], False),
        ({"ann": "bob"}, True),
        ({"eve": "bob"}, False),
        (7, True),
        (7.0, True),
        (70, False),
        (2.5, True),
        (None, True),
        (True, True),
        ([], True),
        (["ann", ""], False),
        (["ann"] * 300, False),
    ],
    ids=lambda value: str(value)[:30],
)
def test_every_text_and_number_of_an_argument_counts(tmp_path, value, expected):
    world = World(tmp_path)
    world.engine.said("s", "ann, bob and 7 times 2.50")

    assert world.call("send", more=value) == expected


def test_structured_results_are_heard_as_they_go_out(tmp_path):
    """What an output rule cut away was never shown to the model, and failures are no source."""
    world = World(tmp_path)
    world.call("contacts", {"people": [{"name": "ann", "age": 31}]})
    world.call("contacts", "bob " + "x" * 500)
    world.call("contacts", "x" * 500 + " eve " + "x" * 500)
    world.call("contacts", ToolExecutionResult("1", "no such person: mallory", is_error=True))

    assert [world.call("send", to=one) for one in ("ann", 31, "bob", "eve", "mallory")] == [
        True,
        True,
        True,
        False,
        False,
    ]


def test_untrusted_data_tightens_from_its_reading_on(tmp_path):
    """In that session, whatever the tool returned, and for good."""
    world = World(tmp_path, TAINTED)
    before = world.call("send", to="x")
    world.call("mail", ToolExecutionResult("1", "it failed", is_error=True))

    assert (before, world.call("send", to="x"), world.call("send", session="t")) == (True, False, True)
    assert (
        world.engine.decide("send", {}, session="s").reason
        == "this is not allowed once `mail` was used in this session"
    )


@given(before=st.lists(st.sampled_from(["mail", "contacts", "Mail ", "send"]), max_size=5), more=st.booleans())
def test_reading_more_untrusted_data_never_loosens(tmp_path_factory, before, more):
    """A look-alike of an untrusted tool taints as well."""
    world = World(tmp_path_factory.getbasetemp(), TAINTED)
    for name in [*before, *(["mail"] if more else [])]:
        world.engine.decide(name, {}, session="s")
    tainted = more or any(name.strip().lower() == "mail" for name in before)

    assert (world.engine.decide("send", {}, session="s").effect == "deny") == tainted


def test_taint_survives_a_restart_and_sources_do_not(tmp_path):
    (tmp_path / "own").mkdir(mode=0o700)
    files = [Database(lambda: tmp_path / "own" / "sessions.db") for _ in range(2)]
    stores = [SqliteHistory(lambda one=one: one) for one in files]
    World(tmp_path, TAINTED, stores[0]).call("mail")
    again = World(tmp_path, TAINTED, stores[1])

    assert not again.call("send")
    first = World(tmp_path)
    first.engine.said("s", "ann")
    assert (first.call("send", to="ann"), World(tmp_path).call("send", to="ann")) == (True, False)


class Down:
    """A store that is down."""

    def note(self, *_):
        raise StoreError("it is down")

    marks = note


def test_store_that_is_down_refuses(tmp_path):
    """Neither is untrusted data read of which no mark could be set, nor anything done that it could have tainted."""
    world = World(tmp_path, TAINTED, Down())

    assert [world.call("mail"), world.call("send")] == [False, False]


def test_text_that_is_kept_is_bounded():
    """The oldest text of a source goes first, and the session that was quiet for longest."""
    texts = Texts()
    texts.add("s", "prompt", "first")
    texts.add("s", "prompt", "x" * (MOST_TEXT + 5))
    texts.add("s", "other", "kept")
    kept = texts.of("s", "prompt")
    for number in range(MOST_SESSIONS):
        texts.add(f"s{number}", "prompt", "x")

    assert [len(text) for text in kept] == [MOST_TEXT]
    assert (texts.of("s", "other"), texts.of("s0", "prompt")) == ((), ("x",))


@given(KIND.strategy())
def test_nothing_passes_without_a_past(fields):
    """A call of whose session nothing is known is never found to be fine."""
    guard = of_fields(KIND, fields)

    assert guard.denies(None, case({"to": "x"})) is not False
    assert guard.grants is guard.confines is None


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, ("says-nothing", ())),
        ({"arguments": ("/to",)}, ("says-nothing", ("arguments",))),
        ({"arguments": ("to~",), "from_prompt": True}, ("bad-pointer", ("arguments", 0))),
        ({"untrusted": ("x",), "from_tools": ("y",)}, ("says-nothing", ("from_tools",))),
    ],
    ids=str,
)
def test_problem_stands_at_its_key(fields, expected):
    assert problems(KIND, **fields) == [expected]
