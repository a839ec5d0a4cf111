"""Rules of the kind `sequence` around a registry: what is noted of calls, in which order, and where."""

import threading
from concurrent.futures import ThreadPoolExecutor

import anyio
import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.worlds import Clock, facts
from tidegate.engine import Engine
from tidegate.errors import StoreError, ToolFailed
from tidegate.facts.database import Database
from tidegate.facts.history import KEPT, MemoryHistory, SqliteHistory
from tidegate.kernel import Context, ToolExecution, ToolRegistry, tool
from tidegate.kind import Call, Case, Tool
from tidegate.plan.sitting import Sitting

RULES = """
version = 1
default = "allow"

[[rule]]
id = "in-order"
kind = "sequence"
tools = ["push"]
after = [{ tool = "check" }]
since = [{ tool = "edit" }]
not_after = [{ tool = "secret" }]
within = "10 minutes"
"""


class World:
    """A registry with the tools of the rule; a tool fails where its argument says so."""

    def __init__(self, folder, history=None, text=RULES, *, fused=True, clock=None):
        path = folder / "rules.toml"
        path.write_text(text)
        self.clock = clock or Clock(1_000.0)
        history = history or MemoryHistory()
        self.engine = Engine.load(path, facts=attrs.evolve(facts(self.clock), history=lambda _: history))
        self.tools = ToolRegistry(Context())
        for name in ("push", "check", "edit", "secret"):
            self.tools.register(tool(name, "works", {"type": "object"}, self._body))
        self.engine.attach(self.tools, fused=fused)

    def _body(self, arguments):
        if arguments.get("fails"):
            raise ToolFailed("it failed")
        return arguments.get("says", "fine")

    def call(self, name, session="s", **arguments):
        """Whether the call ran and succeeded."""
        return not anyio.run(self.tools.execute, ToolExecution("1", name, arguments, session=session)).is_error


@pytest.fixture(params=["memory", "sqlite"])
def history(request, tmp_path):
    """A history that nothing has happened in."""
    return MemoryHistory() if request.param == "memory" else sqlite_history(tmp_path)


def sqlite_history(folder):
    (folder / "own").mkdir(mode=0o700, exist_ok=True)
    database = Database(lambda: folder / "own" / "sessions.db")
    return SqliteHistory(lambda: database)


steps = st.lists(
    st.tuples(
        st.sampled_from(["push", "check", "check fails", "edit", "secret"]), st.sampled_from("st"), st.integers(0, 400)
    ),
    max_size=12,
)


def model(done, session, now):
    """Whether a push may run after what was done, the oldest first, as the docs say it."""
    own = [(name, at) for name, where, at in done if where == session]
    if any(name == "secret" for name, _ in own):
        return False
    edits = [index for index, (name, _) in enumerate(own) if name == "edit"]
    good = [index for index, (name, at) in enumerate(own) if name == "check" and now - at <= 600]
    return bool(good) and max(good) > max(edits, default=-1)


class TestOrder:
    """A push runs exactly where a check has succeeded lately, since the last edit, and no secret was read."""

    @given(steps=steps, fused=st.booleans())
    def test_pushes_run_as_the_docs_say(self, tmp_path_factory, steps, fused):
        """Calls that were refused never happened, those that failed prove nothing, and sessions are on their own."""
        world = World(FOLDER.of(tmp_path_factory), fused=fused)
        done = []
        for name, session, wait in steps:
            world.clock.time += wait
            ran = world.call(name.split()[0], session, fails=name.endswith("fails"))
            if name == "push":
                assert ran == model(done, session, world.clock.time)
            done.append((name, session, world.clock.time))


class FOLDER:
    """One folder for all examples of a property."""

    made = None

    @classmethod
    def of(cls, factory):
        cls.made = cls.made or factory.mktemp("sequence")
        return cls.made


def test_model_is_told_why(tmp_path):
    world = World(tmp_path)

    assert world.engine.decide("push", {}, session="s").reason == (
        "this is allowed only after `check` succeeded in this session and no more since `edit` for 10 minutes; it is "
        "not allowed after `secret`"
    )


def test_past_survives_a_restart(tmp_path):
    """Another process with the same store knows what happened before."""
    World(tmp_path, sqlite_history(tmp_path)).call("check")
    again = World(tmp_path, sqlite_history(tmp_path))

    assert again.call("push")
    again.call("secret")
    assert not World(tmp_path, sqlite_history(tmp_path)).call("push")


class Down:
    """A store that is down, wholly or only for writing."""

    def __init__(self, history=None):
        self._history = history

    def note(self, *_):
        raise StoreError("it is down")

    def marks(self, session, keys):
        if self._history is None:
            raise StoreError("it is down")
        return self._history.marks(session, keys)


def test_store_that_is_down_refuses(tmp_path):
    """What depends on the past does not run, and what the past would have to know of does not either."""
    known = MemoryHistory()
    World(tmp_path, known).call("check")
    down, read_only = World(tmp_path, Down()), World(tmp_path, Down(known))

    assert not down.call("push")
    assert read_only.engine.decide("push", {}, session="s").effect == "allow"
    assert [read_only.call("secret"), read_only.call("edit")] == [False, False]
    assert read_only.engine.decide("secret", {}, session="s").effect == "deny"


def test_calls_without_a_session_have_no_past(tmp_path):
    """One session must not live on what another did: such a call is asked about, or refused where nobody is."""
    world = World(tmp_path)
    world.call("check", None)

    assert world.engine.decide("push", {}).effect == "ask"
    assert not world.call("push", None)


def test_check_that_began_before_an_edit_ended_proves_nothing(tmp_path, history):
    """What a check saw is what was there when it began."""
    world = World(tmp_path, history)
    entered, finish = threading.Event(), threading.Event()

    def slow(arguments):
        entered.set()
        finish.wait(10)
        return "passed"

    world.tools = ToolRegistry(Context())
    for name, body in (("push", world._body), ("check", slow), ("edit", world._body)):
        world.tools.register(tool(name, "works", {"type": "object"}, body))
    world.engine.attach(world.tools)
    with ThreadPoolExecutor() as threads:
        checking = threads.submit(world.call, "check")
        entered.wait(10)
        world.call("edit")
        finish.set()

        assert checking.result()
    assert not world.call("push")


def test_hook_sees_that_a_call_may_begin_and_never_that_it_succeeded(tmp_path):
    """`decide` notes what it lets run, also what a person will be asked about, and `peek` notes nothing."""
    asking = '\n[[rule]]\nid = "ask"\nkind = "tools"\ndeny = ["secret"]\neffect = "ask"\n'
    world = World(tmp_path, text=RULES + asking)
    world.call("check")
    world.engine.decide("check", {}, session="t")
    world.engine.peek("secret", {}, session="s")

    assert world.engine.decide("push", {}, session="t").effect == "deny"
    assert world.engine.decide("push", {}, session="s").effect == "allow"
    world.engine.decide("secret", {}, session="s")
    assert world.engine.decide("push", {}, session="s").effect == "deny"


def test_recorded_calls_leave_no_mark_for_live_ones(tmp_path):
    path = tmp_path / "rules.toml"
    path.write_text(RULES)
    engine = Engine.load(path, facts=facts(Clock(1_000.0)))
    engine.decide("secret", {}, session="s", at=1.0)

    assert engine.decide("push", {}, session="s", at=2.0).reason == engine.decide("push", {}, session="s").reason
    assert engine.facts.history("live").marks("s", engine_keys(engine)) == {}


def engine_keys(engine):
    """The keys of all marks of the rule."""
    sitting = Sitting(engine.plan, engine_call(), engine.facts)
    (rule,) = sitting.rules.observers
    case = Case(engine_call(), (), None, 0.0, None)
    return list(rule.part.observes.begins(case))


def engine_call():
    return Call(Tool("secret"), {}, session="s")


def test_monitored_rule_notes_what_happens(tmp_path):
    """What it would have said is worth something only then."""
    world = World(tmp_path, text=RULES + 'mode = "monitor"\n')
    before = world.engine.peek("push", {}, session="s").would
    world.call("check")

    assert (before, world.engine.peek("push", {}, session="s").would) == ("deny", None)


class TestHistory:
    """Marks are kept by session and in order."""

    def test_no_mark_goes_back(self, history):
        first = history.note("s", ["a"], 1.0)
        second = history.note("s", ["b"], 2.0)
        history.note("s", ["b", "c"], 3.0, first)

        assert second > first
        assert history.marks("s", ["a", "b", "c", "d"]) == {"a": (first, 1.0), "b": (second, 2.0), "c": (first, 3.0)}
        assert history.marks("t", ["a"]) == {}

    def test_numbers_grow_also_where_nothing_is_marked(self, history):
        """Whatever comes later is not smaller, and larger than all that was marked before."""
        marked = history.note("s", ["a"], 1.0)

        assert history.note("s", [], 1.0) > marked
        assert history.note("t", ["a"], 1.0) > marked

    def test_marks_are_forgotten_when_they_are_old(self, tmp_path):
        history = sqlite_history(tmp_path)
        history.note("s", ["a"], 0.0)
        history.note("s", ["b"], KEPT - 1)
        history.note("s", ["c"], KEPT)

        assert set(history.marks("s", ["a", "b", "c"])) == {"b", "c"}

    def test_full_memory_refuses_and_loses_nothing(self, monkeypatch):
        monkeypatch.setattr("tidegate.facts.history.MOST", 3)
        history = MemoryHistory()
        history.note("s", ["a", "b", "c"], KEPT)

        with pytest.raises(StoreError):
            history.note("s", ["d"], KEPT)
        history.note("s", ["d"], 2 * KEPT)
        assert set(history.marks("s", ["a", "d"])) == {"d"}
