"""`rate-limit`: how limits are written, which calls share one, and what the model is told."""

import math
from ipaddress import ip_address

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.kinds.making import case, made, problems
from tidegate.errors import Veto
from tidegate.kernel.json_values import same_json, snapshot
from tidegate.kind import Effect, Setting, Tool, UrlTarget
from tidegate.kinds.rate_limit import KIND
from tidegate.limiting.keys import MOST_BUCKETS
from tidegate.meaning.values import unknown

json_values = st.recursive(
    st.none() | st.booleans() | st.sampled_from([0, 1, 1.0, -1.0, 1.5, 10**30, 1e30]) | st.text("a1", max_size=2),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=4,
)

names = st.text('a"=-:', max_size=3)


def keys(part, *args, **about):
    """The buckets that a call draws from."""
    return [claim.key for claim in part.claims(case(*args, **about))]


def connects(*targets):
    """The effects of a call that connects to these hosts."""
    return tuple(Effect("connect", target) for target in targets)


def host(name, address=None):
    """A URL with that host."""
    return UrlTarget("x", "https", name, 443, "/", ip_address(address) if address else None)


NO_LIMITS = [
    *("", "20", "20/", "/minute", "0/minute", "-1/minute", "+1/s", "1.5/s", "1/0s", "1/-1s", "1/1.5s", "01/s", "1 / s"),
    *("1/s ", "1/s\n", "1/S", "1/Minute", "1/min", "1/week", "1_000/s", "\u0663/s", "1//s", "1/s/s", "1e3/s"),
]


class TestLimit:
    """A limit says how many in which time, and nothing else is one."""

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("20/minute", (20, 60)),
            ("5/10s", (5, 10)),
            ("1/second", (1, 1)),
            ("100/day", (100, 86_400)),
            ("3/2hours", (3, 7_200)),
            ("7/90m", (7, 5_400)),
            ("1/1h", (1, 3_600)),
            ("2/365d", (2, 31_536_000)),
            ("1000000000/d", (1_000_000_000, 86_400)),
        ],
    )
    def test_limit_is_read(self, text, expected):
        (claim,) = made(KIND, limit=text).claims(case())

        assert (claim.limit, claim.window, claim.cost) == (*expected, 1)

    @pytest.mark.parametrize("text", NO_LIMITS, ids=repr)
    def test_anything_else_is_no_limit(self, text):
        assert problems(KIND, limit=text) == [("bad-limit", ("limit",))]

    @pytest.mark.parametrize("text", ["1000000001/s", "1/367d", "1/99999999999999999s"])
    def test_limit_beyond_all_bounds_is_refused(self, text):
        assert problems(KIND, limit=text) == [("out-of-range", ("limit",))]

    def test_slip_in_a_unit_is_mended(self):
        setting = Setting("the-rule", "deny", None, None)
        KIND.compile(KIND.fields(limit="20/minuts"), setting)

        assert setting.problems[0].mend == "write `20/minute`"


class TestKeys:
    """Calls share a bucket exactly if they agree in everything that `per` names."""

    def test_without_per_there_is_one_bucket(self):
        part = made(KIND, limit="1/s")

        assert keys(part, {"a": 1}, tool="x", agent="me") == keys(part, {"b": 2}, tool="y", session="s")

    def test_rules_do_not_share_buckets(self):
        other = Setting("other-rule", "deny", None, None)
        theirs = KIND.compile(KIND.fields(limit="1/s"), other).claims(case())

        assert keys(made(KIND, limit="1/s")) != [claim.key for claim in theirs]

    def test_another_window_is_another_bucket_and_another_limit_is_not(self):
        """A store keeps one window for each key; a tightened limit counts what was used before."""
        one, tighter, longer = (keys(made(KIND, limit=text)) for text in ("9/s", "2/s", "9/m"))

        assert one == tighter
        assert one != longer

    @pytest.mark.parametrize(
        ("per", "one", "other"),
        [
            ("tool", {"tool": "x"}, {"tool": "y"}),
            ("tool", {"tool": Tool("s_x", "mcp", "s", "x")}, {"tool": Tool("s_x")}),
            ("agent", {"agent": "x"}, {"agent": "y"}),
            ("agent", {"agent": "x"}, {}),
            ("session", {"session": "x"}, {"session": "X"}),
            ("server", {"tool": Tool("t", "mcp", "one", "t")}, {"tool": Tool("t", "mcp", "two", "t")}),
            ("host", {"effects": connects(host("a.example"))}, {"effects": connects(host("b.example"))}),
            ("host", {"effects": connects(host("a.example"))}, {}),
        ],
        ids=str,
    )
    def test_per_tells_calls_apart(self, per, one, other):
        part = made(KIND, limit="1/s", per=(per,))

        assert keys(part, **one) == keys(part, **one)
        assert keys(part, **one) != keys(part, **other)

    @given(one=json_values, other=json_values)
    @example(one=[1, {"a": 1.0}], other=[1.0, {"a": 1}])
    def test_values_share_a_bucket_exactly_if_they_are_equal(self, one, other):
        """Null counts as missing; two values of other kinds never meet."""
        part = made(KIND, limit="1/s", per=("/v",))

        assert (keys(part, {"v": one}) == keys(part, {"v": other})) == same_json(snapshot(one), snapshot(other))

    @given(one=st.tuples(names, names), other=st.tuples(names, names))
    @example(one=('a"b', "c"), other=("a", 'b"c'))
    def test_parts_of_a_key_do_not_run_together(self, one, other):
        """`ab` and `c` are another bucket than `a` and `bc`."""
        part = made(KIND, limit="1/s", per=("agent", "session"))
        first, second = (keys(part, agent=agent, session=session) for agent, session in (one, other))

        assert (first == second) == (one == other)

    @pytest.mark.parametrize(
        "arguments", [{}, {"customer": None}, {"customer": {}}, {"customer": {"id": None}}], ids=str
    )
    def test_what_is_missing_shares_one_bucket(self, arguments):
        part = made(KIND, limit="1/s", per=("/customer/id", "session"))

        assert keys(part, arguments) == keys(part, {})

    def test_key_does_not_hold_what_the_call_says(self):
        """What is written to a store is no place for arguments."""
        (key,) = keys(made(KIND, limit="1/s", per=("/token",)), {"token": "very-secret"})

        assert "secret" not in key

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            (host("127.0.0.1", "127.0.0.1"), host("0x7f.1", "127.0.0.1")),
            (host("127.0.0.1", "127.0.0.1"), host("::ffff:7f00:1", "::ffff:127.0.0.1")),
            (host(unknown("x")), host(unknown("y"))),
        ],
        ids=["spellings", "mapped", "unknown"],
    )
    def test_spellings_of_a_host_share_a_bucket(self, one, other):
        part = made(KIND, limit="1/s", per=("host",))

        assert keys(part, effects=connects(one)) == keys(part, effects=connects(other))


class TestBuckets:
    """A call that touches several buckets draws from each, once."""

    def test_each_host_is_drawn_from(self):
        part = made(KIND, limit="1/s", per=("host",))
        both = keys(part, effects=connects(host("a.example"), host("b.example"), host("a.example")))

        assert both == [
            *keys(part, effects=connects(host("a.example"))),
            *keys(part, effects=connects(host("b.example"))),
        ]

    def test_what_cannot_be_read_draws_from_the_missing_bucket(self):
        """A command that may connect anywhere is not for free."""
        part = made(KIND, limit="1/s", per=("host",))
        unreadable = (*connects(host("a.example")), Effect("unknown", "nobody knows"))

        assert keys(part, effects=unreadable) == keys(part, effects=connects(host("a.example"))) + keys(part)

    def test_each_value_under_a_star_is_drawn_from(self):
        part = made(KIND, limit="1/s", per=("/to/*", "tool"))

        assert len(keys(part, {"to": ["a", "b", "a"]})) == 2
        assert keys(part, {"to": []}) == keys(part, {})

    def test_too_many_buckets_are_refused(self):
        part = made(KIND, limit="1/s", per=("/a/*", "/b/*"))
        many = list(range(MOST_BUCKETS // 8))

        assert len(keys(part, {"a": many, "b": list(range(8))})) == MOST_BUCKETS
        with pytest.raises(Veto, match="smaller calls"):
            part.claims(case({"a": many, "b": list(range(9))}))


class TestCost:
    """A cost is a positive whole number, or the call is refused."""

    @pytest.mark.parametrize("cost", [1, 7, 10**30])
    def test_cost_is_taken_from_the_arguments(self, cost):
        (claim,) = made(KIND, limit="10/s", cost="/size/n").claims(case({"size": {"n": cost}}))

        assert claim.cost == cost

    @pytest.mark.parametrize("value", [0, -1, 1.0, 0.5, True, "1", None, [1], {}], ids=repr)
    def test_cost_that_is_no_positive_whole_number_is_refused(self, value):
        with pytest.raises(Veto, match="`/n` must be a positive whole number"):
            made(KIND, limit="10/s", cost="/n").claims(case({"n": value}))

    def test_cost_that_is_missing_is_refused(self):
        with pytest.raises(Veto):
            made(KIND, limit="10/s", cost="/n").claims(case())


class TestBurst:
    """With a burst the limit is a bucket of tokens, which is another one than the window of the same rule."""

    def test_burst_is_the_size_and_the_limit_flows_back(self):
        (claim,) = made(KIND, limit="20/10m", burst=5).claims(case())

        assert (claim.limit, claim.refill, claim.window) == (5, 20, 600)

    def test_bucket_shares_no_key_with_a_window(self):
        assert keys(made(KIND, limit="1/s")) != keys(made(KIND, limit="1/s", burst=1))

    @pytest.mark.parametrize("burst", [0, -1, 1_000_000_001])
    def test_burst_out_of_range_is_refused(self, burst):
        assert problems(KIND, limit="1/s", burst=burst) == [("out-of-range", ("burst",))]

    def test_burst_that_no_store_counts_exactly_is_refused(self):
        """Redis counts in doubles."""
        assert problems(KIND, limit="1/365d", burst=1_000_000) == [("out-of-range", ("burst",))]
        assert problems(KIND, limit="1000000/365d", burst=1_000_000) == []

    def test_cost_above_the_burst_is_refused(self):
        assert problems(KIND, limit="20/s", burst=5, cost=6) == [("out-of-range", ("cost",))]

    def test_refusal_names_the_burst(self):
        refusal = made(KIND, limit="20/minute", burst=5).refusal(2.5, None)

        assert refusal == "the limit of 20 calls per minute, 5 at once is used up; there is room again in 3 seconds"


SECRETS = ["redis://u:p@h:6379/0", "redis://:p@h", "valkey://u@h", "redis://h/0?password=x@y"]


class TestStore:
    """A rule names its store, and holds no secret."""

    @pytest.mark.parametrize(
        "store", ["memory", "sqlite", "redis", "valkey", "redis://h:1/0", "rediss://h", "valkey://[::1]:6379/2"]
    )
    def test_store_is_known(self, store):
        assert made(KIND, limit="1/s", store=store).store == store

    @pytest.mark.parametrize("store", ["", "Memory", "postgres", "http://h", "redis:/h", "redis://h/x", "sqlite:/a"])
    def test_store_that_is_none_is_refused(self, store):
        assert problems(KIND, limit="1/s", store=store) == [("bad-value", ("store",))]

    @pytest.mark.parametrize("store", SECRETS)
    def test_secret_in_a_rule_is_refused_and_not_shown(self, store):
        setting = Setting("the-rule", "deny", None, None)
        KIND.compile(KIND.fields(limit="1/s", store=store), setting)
        (problem,) = setting.problems

        assert (problem.code, problem.path) == ("secret-in-rule", ("store",))
        assert "p@" not in problem.what + problem.why + problem.mend


class TestProblems:
    """A rule that could not do what it says is refused when it is loaded."""

    @pytest.mark.parametrize(
        ("fields", "expected"),
        [
            ({"per": ("sesion",)}, ("bad-value", ("per", 0))),
            ({"per": ("tool", "customer/id")}, ("bad-value", ("per", 1))),
            ({"per": ("/a~",)}, ("bad-pointer", ("per", 0))),
            ({"cost": 0}, ("out-of-range", ("cost",))),
            ({"cost": 11}, ("out-of-range", ("cost",))),
            ({"cost": "n"}, ("bad-pointer", ("cost",))),
            ({"cost": "/n/*"}, ("bad-pointer", ("cost",))),
        ],
        ids=str,
    )
    def test_problem_stands_at_its_key(self, fields, expected):
        assert problems(KIND, limit="10/s", **fields) == [expected]


class TestRefusal:
    """The model is told what is used up and when there is room again, and no more."""

    @pytest.mark.parametrize(
        ("limit", "seconds", "expected"),
        [
            ("20/minute", 0.001, "the limit of 20 calls per minute is used up; there is room again in 1 second"),
            ("1/10s", 9.5, "the limit of 1 call per 10 seconds is used up; there is room again in 10 seconds"),
            ("5/day", 86_399.5, "the limit of 5 calls per day is used up; there is room again in 24 hours"),
            ("5/day", 7_201, "the limit of 5 calls per day is used up; there is room again in 3 hours"),
            ("5/3days", 180_000, "the limit of 5 calls per 3 days is used up; there is room again in 3 days"),
        ],
    )
    def test_refusal_says_when_there_is_room(self, limit, seconds, expected):
        refusal = made(KIND, limit=limit).refusal(seconds, None)

        assert refusal == expected

    @given(seconds=st.floats(0.001, 1e7))
    def test_time_that_is_told_is_never_too_short(self, seconds):
        """Who waits as long as was said does not come too early, and waits at most half as long again."""
        words = made(KIND, limit="1/s").refusal(seconds, None).rsplit(" ", 2)[1:]
        unit = {"second": 1, "minute": 60, "hour": 3_600, "day": 86_400}[words[1].removesuffix("s")]

        assert seconds <= int(words[0]) * unit <= max(1.5 * seconds, seconds + 1)

    def test_cost_above_the_limit_has_its_own_words(self):
        refusal = made(KIND, limit="500/day", cost="/cents").refusal(math.inf, None)

        assert refusal == "this call alone takes more than the limit of 500 units per day"
