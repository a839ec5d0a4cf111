"""Layers: each is judged alone, and the strictest answer holds."""

import pytest

from tests.laws.worlds import facts
from tidegate.engine import Engine

HEAD = "version = 1\n"
READ = '[[rule]]\nid = "{id}"\nkind = "tools"\n{list} = ["{tool}"]\n'


def engine_of(tmp_path, **layers):
    """An engine over one rule file for each layer."""
    files = {}
    for name, text in layers.items():
        files[name] = tmp_path / f"{name}.toml"
        files[name].write_text(HEAD + text)
    return Engine.load(**files, facts=facts())


def verdict(engine, tool="ping"):
    decision = engine.decide(tool, {})
    return decision.effect, decision.rule


ALLOW, DENY, ASK = 'default = "allow"\n', 'default = "deny"\n', 'default = "ask"\n'


@pytest.mark.parametrize(
    ("managed", "project", "expected"),
    [
        pytest.param(ALLOW, DENY, ("deny", None), id="the stricter default holds"),
        pytest.param(DENY, ALLOW, ("deny", None), id="a default that is not delegated holds"),
        pytest.param(DENY + 'delegate = ["ping"]\n', ALLOW, ("allow", None), id="a delegated default gives way"),
        pytest.param(DENY + 'delegate = ["pong"]\n', ALLOW, ("deny", None), id="only the named tools are delegated"),
        pytest.param(ALLOW, ASK, ("ask", None), id="an allowing default delegates to all"),
        pytest.param(
            ALLOW + READ.format(id="m", list="deny", tool="ping"),
            DENY + READ.format(id="p", list="allow", tool="ping"),
            ("deny", "m"),
            id="a lower grant does not lift a higher deny",
        ),
        pytest.param(
            ASK + 'delegate = ["*"]\n' + READ.format(id="m", list="deny", tool="pong"),
            DENY + READ.format(id="p", list="allow", tool="ping"),
            ("allow", "p"),
            id="a delegated tool is granted below",
        ),
        pytest.param(
            ASK + READ.format(id="m", list="allow", tool="ping"),
            ALLOW + READ.format(id="p", list="deny", tool="ping"),
            ("deny", "p"),
            id="a lower deny tightens a higher grant",
        ),
    ],
)
def test_strictest_layer_holds(tmp_path, managed, project, expected):
    """The decision is the strictest of what the layers say, where a delegated default says nothing."""
    assert verdict(engine_of(tmp_path, managed=managed, project=project)) == expected


def test_last_layer_does_not_delegate_into_nothing(tmp_path):
    """Where no layer follows, a delegated default is the answer."""
    assert verdict(engine_of(tmp_path, managed=DENY + 'delegate = ["*"]\n')) == ("deny", None)


def test_higher_layer_has_the_last_word_on_an_argument(tmp_path):
    """A clamp of the managed layer comes after what the user layer sets."""
    rewrite = '[[rule]]\nid = "{}"\nkind = "rewrite"\n{}\n'
    engine = engine_of(
        tmp_path,
        managed=ALLOW + rewrite.format("m", 'clamp = { "/n" = { max = 5 } }'),
        user=ALLOW + rewrite.format("u", 'set = { "/n" = 99 }'),
    )

    assert engine.decide("ping", {"n": 1}).arguments == {"n": 5}


def test_monitoring_layer_records_and_allows(tmp_path):
    """`mode = "monitor"` at the top allows what would be refused, and says so."""
    engine = engine_of(tmp_path, project=DENY + 'mode = "monitor"\n' + READ.format(id="p", list="deny", tool="ping"))
    decision = engine.decide("ping", {})

    assert (decision.effect, decision.would) == ("allow", "deny")
    assert [answer.rule for answer in decision.trace if answer.monitored] == ["p"]


GRANT_A = '[[rule]]\nid = "a"\nkind = "path"\nallow = ["/a/**"]\naccess = ["read"]\n'


@pytest.mark.parametrize(
    ("tool", "arguments", "reason"),
    [
        ("read_file", {"path": "/b"}, "reading `/b` needs approval; allowed: `/a/**`"),
        ("run_bash", {"command": "frobnicate"}, "running `frobnicate` needs approval"),
        ("read_file", {"elsewhere": "/b"}, "using the tool `read_file` needs approval"),
        ("ping", {}, "using the tool `ping` needs approval"),
    ],
)
def test_reason_names_what_an_argument_does_where_nothing_is_granted(tmp_path, tool, arguments, reason):
    """What a bound argument does says more than the tool's name; where there is none, the tool is named."""
    decision = engine_of(tmp_path, project=ASK + GRANT_A).decide(tool, arguments)

    assert decision.reason == reason


NOT_ETC = 'default = "allow"\n[[rule]]\nid = "not-etc"\nkind = "path"\ndeny = ["/etc/**"]\n'
SAVE = {"where": "/etc/passwd"}


@pytest.mark.parametrize(
    ("managed", "project", "expected"),
    [
        pytest.param(NOT_ETC, "", ("deny", "not-etc"), id="nobody binds it, and the deny looks at every text"),
        pytest.param(
            NOT_ETC,
            '[tools.save]\nwhere = { role = "text" }\n',
            ("deny", "not-etc"),
            id="below it is said to be content",
        ),
        pytest.param(
            'default = "deny"\n[[rule]]\nid = "reads"\nkind = "path"\nallow = ["/**"]\naccess = ["read"]\n',
            'default = "allow"\n[tools.save]\nwhere = { role = "path", access = ["read"] }\n',
            ("deny", None),
            id="below it is said to be only read",
        ),
        pytest.param(
            'default = "allow"\n[tools.save]\nwhere = { role = "path", access = ["write"] }\n',
            'default = "deny"\n[[rule]]\nid = "w"\nkind = "path"\nallow = ["/etc/**"]\naccess = ["write"]\n',
            ("allow", "w"),
            id="what is said above holds below",
        ),
    ],
)
def test_a_layer_is_not_told_what_lower_layers_say_of_tools(tmp_path, managed, project, expected):
    """A binding of a lower layer neither hides an argument from a higher one nor lets its grants reach further."""
    decision = engine_of(tmp_path, managed=managed, project=project).decide("save", SAVE)

    assert (decision.effect, decision.rule) == expected


def test_a_layer_is_not_told_what_lower_layers_say_of_programs(tmp_path):
    """The operands of a program are looked at by a higher layer although a lower one calls them mere text."""
    project = 'default = "allow"\n[commands.frobnicate]\noperands = "text..."\n'
    decision = engine_of(tmp_path, managed=NOT_ETC, project=project).decide(
        "run_bash", {"command": "frobnicate /etc/passwd"}
    )

    assert (decision.effect, decision.rule) == ("deny", "not-etc")
