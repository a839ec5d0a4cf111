"""pytest collects test files, and shows of a failure what every rule said."""

import subprocess
import sys

import pytest

pytest_plugins = ["pytester"]

RULES = 'version = 1\ndefault = "ask"\n[[rule]]\nid = "secrets"\nkind = "path"\ndeny = ["**/.env"]\n'
TESTS = """\
version = 1
rules = "rules.toml"

[[test]]
name = "secrets stay"
call = { tool = "read_file", args = { path = ".env" } }
expect = "deny"

[[test]]
name = "the rest is allowed"
call = { tool = "read_file", args = { path = "a.py" } }
expect = "allow"
"""


@pytest.fixture
def run(pytester, monkeypatch):
    """Pytest in a process of its own, with our plugin and no other that is installed."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.path.joinpath("rules.toml").write_text(RULES, encoding="utf-8")
    return lambda *words: pytester.runpytest_subprocess("-p", "tidegate.assurance.pytest_plugin", *words)


def test_each_test_is_an_item(run, pytester):
    """One passes and one fails, under their names, with the trace and no line of our own code."""
    pytester.path.joinpath("a.test.toml").write_text(TESTS, encoding="utf-8")
    result = run("-v")

    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "a.test.toml::secrets stay PASSED*",
            "a.test.toml::the rest is allowed FAILED*",
            "*a.test.toml:12:10: error?failing-test?: `the rest is allowed` fails: it expects `allow`, and the rules*",
            "  decision: ask by `(default)`",
            "*secrets*path*its lists name nothing that the call does",
        ]
    )
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*running.py*")


def test_one_item_is_chosen_by_name(run, pytester):
    """`-k` and node ids work as for any other test."""
    pytester.path.joinpath("a.test.toml").write_text(TESTS, encoding="utf-8")

    run("-k", "secrets").assert_outcomes(passed=1, deselected=1)
    run("a.test.toml::secrets stay").assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("expect =", "expcet ="), "*a.test.toml:7:1: error?unknown-key?: unknown key `expcet` in test 1*"),
        (('rules = "rules.toml"\n', ""), "*a.test.toml: error?no-rules?*"),
        (("rules.toml", "nope.toml"), "*error?missing-file?*"),
    ],
)
def test_broken_file_is_an_error_of_collection(run, pytester, change, said):
    """Nothing of it is run, and pytest does not pass."""
    pytester.path.joinpath("a.test.toml").write_text(TESTS.replace(*change), encoding="utf-8")
    result = run()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([said])


def test_broken_rules_are_an_error_of_collection(run, pytester):
    """The finding about the rule file is shown."""
    pytester.path.joinpath("a.test.toml").write_text(TESTS, encoding="utf-8")
    pytester.path.joinpath("rules.toml").write_text(RULES.replace("deny =", "dney ="), encoding="utf-8")
    result = run()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["rules.toml:6:1: error?unknown-key?: unknown key `dney` in rule `secrets`"])


def test_setting_names_the_rules_of_files_that_name_none(run, pytester):
    """`tidegate_rules` is relative to the root folder."""
    pytester.makeini("[pytest]\ntidegate_rules = rules.toml\n")
    pytester.path.joinpath("a.test.toml").write_text(TESTS.replace('rules = "rules.toml"\n', ""), encoding="utf-8")

    run("-k", "secrets").assert_outcomes(passed=1, deselected=1)


def test_plugin_loads_nothing_where_there_is_no_test_file(run, pytester):
    """A project that has tidegate installed and no test file pays nothing for it."""
    pytester.makepyfile(
        """
        import sys

        def test_nothing_heavy():
            heavy = {"cattrs", "re2", "tomli", "click", "jsonschema", "tidegate.compile", "tidegate.engine"}
            assert heavy & set(sys.modules) == set()
        """
    )

    run().assert_outcomes(passed=1)


def test_plugin_needs_nothing_but_pytest():
    """Its import brings no module of tidegate but the packages around it."""
    code = (
        "import sys, pytest; before = set(sys.modules); import tidegate.assurance.pytest_plugin; "
        "print(*sorted(name for name in set(sys.modules) - before if not name.startswith('_')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["tidegate", "tidegate.assurance", "tidegate.assurance.pytest_plugin"]
