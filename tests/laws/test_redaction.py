"""Laws of redaction, through a registry: no match reaches anybody in any channel, and truncation brings none back."""

import json
from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from tests.laws.worlds import Clock, facts
from tests.redacting.making_secrets import SECRETS
from tidegate.audit.jsonl import JsonlSink
from tidegate.compile.compiler import compile_plan
from tidegate.engine import Engine, Sources
from tidegate.kernel import Context, ToolExecution, ToolRegistry, tool
from tidegate.lang.layers import load, loads

NAMES = ["aws-access-key", "github-token", "stripe-key"]
REDACT = '[[rule]]\nid = "no-keys"\nkind = "redact"\nsecrets = ["*"]\n'
TRUNCATE = '[[rule]]\nid = "short"\nkind = "truncate"\nmax_bytes = {most}\nkeep = "{keep}"\nmarker = "[{{bytes}}]"\n'
NOTICE = '[[rule]]\nid = "notice"\nkind = "annotate"\ntext = "as of {time}"\n'

secrets = st.sampled_from(NAMES).map(SECRETS.get)
fillers = st.text("ab \n,", max_size=30)


@cache
def outcome_of(text):
    """Rules compiled once, since each example has the same."""
    outcome = compile_plan(loads(f'version = 1\ndefault = "allow"\n{text}', "/rules.toml"), now=0.0)

    assert outcome.plan is not None, "\n".join(map(str, outcome.findings))
    return outcome


def engine_of(text, recorders=()):
    return Engine(outcome_of(text), Sources(), facts(Clock()), recorders)


def registry(engine, *bodies, fused=True):
    tools = ToolRegistry(Context())
    for index, body in enumerate(bodies):
        tools.register(tool(f"t{index}", "returns", {"type": "object"}, body))
    engine.attach(tools, fused=fused)
    return tools


def raises(text):
    def body(_arguments):
        raise RuntimeError(text)

    return body


def everything(result):
    """All that anybody gets to see of a result."""
    parts = [result.text, "".join(block.text for block in result.content), repr(result.value), repr(result.error)]
    return "\n".join([*parts, json.dumps(result.structured)])


class TestRedaction:
    """No match of a declared pattern survives redaction, in any channel."""

    @given(secret=secrets, before=fillers, after=fillers, fused=st.booleans())
    def test_no_channel_shows_a_secret(self, secret, before, after, fused):
        """Text, structured content, keys, value, and the text of a failure."""
        text = f"{before} {secret} {after}"
        bodies = [lambda _: text, lambda _: {"a": [text], text: 1}, raises(text), lambda _: [text, 7]]
        tools = registry(engine_of(REDACT), *bodies, fused=fused)
        for index in range(len(bodies)):
            assert secret not in everything(tools.execute_sync(ToolExecution("1", f"t{index}", {})))

    @given(
        secret=secrets,
        before=fillers,
        most=st.sampled_from([30, 47, 64, 91, 120]),
        keep=st.sampled_from(["head", "tail", "head-tail"]),
    )
    def test_truncation_brings_nothing_back(self, secret, before, most, keep):
        """In either order in the file, no part of a secret that tells anything is left at the cut."""
        rules = [REDACT, TRUNCATE.format(most=most, keep=keep), NOTICE]
        text = f"{before} {secret} " * 3
        for one in (rules, rules[::-1]):
            for fused in (True, False):
                tools = registry(engine_of("".join(one)), lambda _: {"a": text, "b": [text]}, fused=fused)
                shown = everything(tools.execute_sync(ToolExecution("1", "t0", {})))

                assert secret[8:16] not in shown
                assert secret[-8:] not in shown

    @given(secret=secrets)
    def test_refusal_and_records_show_no_secret(self, secret, tmp_path_factory):
        """Arguments, reason and results of the tools that the rule is about, also while it only monitors."""
        path = tmp_path_factory.mktemp("audit") / "audit.jsonl"
        deny = f'[[rule]]\nid = "no"\nkind = "tools"\ndeny = ["t1"]\nmessage = "not with {secret}"\n'
        with JsonlSink(path) as sink:
            tools = registry(engine_of(deny + REDACT, [sink]), lambda _: "a", lambda _: "b")
            for name in ("t0", "t1"):
                execution = ToolExecution("1", name, {"key": secret, secret: [secret]}, agent=secret)

                assert secret not in everything(tools.execute_sync(execution))
            monitors = engine_of(REDACT + 'mode = "monitor"\n', [sink])
            monitors.decide("t0", {"key": secret})
        lines = path.read_text(encoding="utf-8")

        assert len(lines.splitlines()) == 3
        assert secret not in lines

    def test_refusal_is_not_cut_and_a_failure_is(self):
        """What a tool says is cut to the bound; what the rules say is said whole."""
        deny = f'[[rule]]\nid = "no"\nkind = "tools"\ndeny = ["t1"]\nmessage = "{"because " * 20}"\n'
        tools = registry(engine_of(deny + TRUNCATE.format(most=40, keep="head")), raises("x" * 99), lambda _: "a")
        failed, refused = (tools.execute_sync(ToolExecution("1", name, {})) for name in ("t0", "t1"))

        assert len(failed.text.encode()) <= 40
        assert refused.text.count("because") == 20

    def test_redaction_of_a_lower_layer_comes_before_truncation_of_a_higher(self, tmp_path):
        """A secret that was cut in half first would not be found."""
        head = 'version = 1\ndefault = "allow"\n'
        (tmp_path / "m.toml").write_text(head + TRUNCATE.format(most=40, keep="head"), encoding="utf-8")
        (tmp_path / "p.toml").write_text(head + REDACT, encoding="utf-8")
        loaded = load(managed=tmp_path / "m.toml", project=tmp_path / "p.toml")
        engine = Engine(compile_plan(loaded, now=0.0), Sources(), facts(Clock()))
        secret = SECRETS["github-token"]
        for fused in (True, False):
            tools = registry(engine, lambda _: f"{'x' * 20} {secret}", fused=fused)

            assert secret[:10] not in everything(tools.execute_sync(ToolExecution("1", "t0", {})))

    def test_result_that_cannot_be_redacted_is_withheld(self):
        """An object that programs see and no channel shows is not handed on."""
        tools = registry(engine_of(REDACT), lambda _: object())

        assert tools.execute_sync(ToolExecution("1", "t0", {})).is_error

    def test_record_that_cannot_be_redacted_says_so(self, tmp_path):
        """What was not looked through to its end is not written down."""
        never = '[[rule]]\nid = "never"\nkind = "redact"\npatterns = { grows = "\\\\] ?a" }\n'
        with JsonlSink(tmp_path / "audit.jsonl") as sink:
            engine_of(never, [sink]).decide("t0", {"key": "]" + "a" * 100})
        record = json.loads((tmp_path / "audit.jsonl").read_text(encoding="utf-8"))

        assert record["arguments"] == "withheld: Unsettled"
