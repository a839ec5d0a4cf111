"""`when.env` and `except.env`: conditions on the variables that somebody attests."""

import fnmatch
import json

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.worlds import facts
from tidegate.call import Call, Tool
from tidegate.compile.compiler import compile_plan
from tidegate.compile.examples import check_examples
from tidegate.kernel.json_values import snapshot
from tidegate.lang.layers import loads
from tidegate.plan.sitting import Sitting

GLOBS = ("true", "t*", "?", "*", "1")
environments = st.dictionaries(st.sampled_from(["CI", "PROD", "HOME"]), st.sampled_from(["true", "1", "", "false"]))


def outcome_of(rule, default):
    """The rule compiled alone."""
    outcome = compile_plan(loads(f'version = 1\ndefault = "{default}"\n{rule}', "/rules/rules.toml"), now=0.0)

    assert [str(finding) for finding in outcome.findings] == []
    return outcome


def said(rule, environment, *, default, **arguments):
    """What a plan of this one rule decides about a call of `deploy` that starts with these variables."""
    plan = outcome_of(rule, default).plan
    call = Call(Tool("deploy"), snapshot(arguments), root="/work")
    sitting = Sitting(plan, call, evolve(facts(), environment=environment))
    sitting.take_all()
    return sitting.settle()


def rule(body, env):
    return f'[[rule]]\nid = "r"\nkind = "tools"\n{body}\n[rule.when.env]\n{env}\n'


@given(environments, st.sampled_from(["CI", "PROD"]), st.lists(st.sampled_from(GLOBS), min_size=1))
def test_a_condition_on_a_variable_has_three_values(environment, name, globs):
    """It holds of a variable that a glob matches, and of no other; without any environment nobody can tell.

    A deny then applies and a grant does not.
    """
    env = f"{name} = {json.dumps(globs)}"
    holds = name in environment and any(fnmatch.fnmatchcase(environment[name], glob) for glob in globs)

    denied = said(rule('deny = ["deploy"]', env), environment, default="allow").effect
    granted = said(rule('allow = ["deploy"]', env), environment, default="deny").effect

    assert denied == ("deny" if holds or not environment else "allow")
    assert granted == ("allow" if holds else "deny")


@pytest.mark.parametrize(
    ("env", "environment", "holds"),
    [
        ('CI = "true"\nPROD = "1"', {"CI": "true", "PROD": "1"}, True),
        ('CI = "true"\nPROD = "1"', {"CI": "true", "PROD": "0"}, False),
        ('CI = "true"\nPROD = "1"', {"CI": "true"}, False),
        ('CI = "true"\nPROD = "1"', {"CI": "no", "PROD": "1"}, False),
        ('STAGE = { regex = "prod|live" }', {"STAGE": "live"}, True),
        ('STAGE = { regex = "prod|live" }', {"STAGE": "alive"}, False),
        ('STAGE = { not = { one_of = ["prod"] } }', {"STAGE": "dev"}, True),
        ('STAGE = { not = { one_of = ["prod"] } }', {"STAGE": "prod"}, False),
        ('STAGE = { not = { one_of = ["prod"] } }', {"OTHER": "dev"}, False),
        ('CI = "true"', {"ci": "true"}, False),
        ('CI = "true"', {"CI": "TRUE"}, False),
    ],
)
def test_every_variable_must_hold(env, environment, holds):
    """Names and values are compared exactly; a table of predicates speaks of the value."""
    assert said(rule('deny = ["deploy"]', env), environment, default="allow").effect == ("deny" if holds else "allow")


@pytest.mark.parametrize(
    ("environment", "effect"), [({"CI": "true"}, "allow"), ({"CI": "no"}, "deny"), ({"X": "1"}, "deny"), ({}, "deny")]
)
def test_an_exception_needs_an_attested_variable(environment, effect):
    """It is matched as a grant."""
    excepted = '[[rule]]\nid = "r"\nkind = "tools"\ndeny = ["deploy"]\nexcept = [{ env = { CI = "true" } }]\n'

    assert said(excepted, environment, default="allow").effect == effect


@pytest.mark.parametrize(("environment", "arguments"), [({"CI": "true"}, {"a": 1}), ({}, {"a": 1}), ({"CI": "0"}, {})])
def test_a_rewrite_goes_by_variables(environment, arguments):
    """It applies also where nobody can tell."""
    rewrite = '[[rule]]\nid = "r"\nkind = "rewrite"\nset = { "/a" = 1 }\nwhen = { env = { CI = "true" } }\n'

    assert said(rewrite, environment, default="allow").arguments == arguments


@pytest.mark.parametrize(("environment", "effect"), [({"CI": "true"}, "allow"), ({"CI": "0"}, "deny")])
def test_a_binding_goes_by_variables(environment, effect):
    """An argument means something only where they hold, and then a grant can cover it."""
    bound = (
        '[tools.deploy]\nat = { role = "path", access = "delete", when = { env = { CI = "true" } } }\n'
        '[[rule]]\nid = "r"\nkind = "path"\nallow = ["/srv/**"]\naccess = "delete"\n'
    )

    assert said(bound, environment, default="deny", at="/srv/x").effect == effect


@pytest.mark.parametrize(
    ("env", "expect"), [('env = { CI = "true" }', "deny"), ('env = { CI = "no" }', "pass"), ("", "deny")]
)
def test_an_example_can_set_variables(env, expect):
    """Without any, nobody attests them, whatever this process has."""
    example = f'[[rule.example]]\ncall = {{ tool = "deploy", args = {{}} }}\nexpect = "{expect}"\n{env}\n'

    assert check_examples(outcome_of(rule('deny = ["deploy"]', 'CI = "true"') + example, "allow")) == []
