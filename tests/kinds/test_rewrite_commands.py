"""`rewrite` on commands: the wrapper around them, and the options that they get."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kinds.making import case, made
from tests.laws.worlds import Clock, facts
from tidegate.engine import Engine
from tidegate.errors import Veto
from tidegate.kind import CommandText
from tidegate.kinds.rewrite import KIND
from tidegate.meaning.places import Places
from tidegate.meaning.scene import Scene

PLACES = Places(Scene(cwd="/srv"), "/srv/my project")
words = st.sampled_from(["curl", "curl -s", "curl --max-time 30", "sudo curl", "npm install", "ls", "echo 'curl a'"])
joints = st.sampled_from([" a && ", "; ", " b | ", "\n"])
texts = st.lists(st.tuples(words, joints).map("".join), max_size=4).map(lambda parts: f"{''.join(parts)}ls")


def rewritten(part, value, **about):
    """What becomes of the one command of a call."""
    fields = {"role": "command", "shell": "bash", "persistent": False, "sure": True, **about}

    def commands(arguments):
        return (CommandText("/c", arguments["c"], **fields),)

    given_case = case({"c": value}, commands=commands, places=PLACES)
    return part.apply(given_case)["c"]


class TestWrap:
    """The whole text is one argument of the same shell."""

    @given(text=st.text())
    def test_wrapped_text_is_one_argument_as_it_was(self, text):
        """Quotes, line breaks and all else are passed on."""
        wrapped = rewritten(made(KIND, wrap="nice -n 10 timeout 60"), text)

        assert shlex.split(wrapped) == ["nice", "-n", "10", "timeout", "60", "bash", "-c", text]

    @given(text=st.text() | texts)
    def test_wrapping_twice_is_wrapping_once(self, text):
        part = made(KIND, wrap="timeout 60")
        once = rewritten(part, text)

        assert rewritten(part, once) == once

    @pytest.mark.parametrize(
        "text", ["timeout 60 bash -c 'a'; b", "timeout 60 bash -c 'a' b", "timeout 60 bash -c a'b'", "timeout 60 bash"]
    )
    def test_text_that_only_begins_like_a_wrapped_one_is_wrapped(self, text):
        """A command behind the wrapped one would run without the wrapper."""
        assert shlex.split(rewritten(made(KIND, wrap="timeout 60"), text))[:5] == ["timeout", "60", "bash", "-c", text]

    @pytest.mark.parametrize("shell", ["bash", "sh", "dash", "zsh", "ksh"])
    def test_shell_is_that_of_the_binding(self, shell):
        assert rewritten(made(KIND, wrap="timeout 60"), "a b", shell=shell) == f"timeout 60 {shell} -c 'a b'"

    def test_root_is_one_word_of_the_wrapper(self):
        wrapped = rewritten(made(KIND, wrap="env --chdir={root}"), "ls")

        assert shlex.split(wrapped) == ["env", "--chdir=/srv/my project", "bash", "-c", "ls"]

    def test_words_of_a_command_get_the_wrapper_before_them(self):
        part = made(KIND, wrap="timeout 60")
        once = rewritten(part, ["make", "a b"], role="argv")

        assert once == ["timeout", "60", "make", "a b"]
        assert rewritten(part, once, role="argv") == once

    @pytest.mark.parametrize(
        ("value", "about"),
        [
            ("dir", {"shell": "cmd"}),
            ("ls", {"shell": "powershell"}),
            (7, {}),
            (["ls"], {}),
            ([], {"role": "argv"}),
            (["ls", 7], {"role": "argv"}),
            ("ls", {"sure": False}),
        ],
        ids=str,
    )
    def test_what_cannot_be_wrapped_is_refused(self, value, about):
        with pytest.raises(Veto):
            rewritten(made(KIND, wrap="timeout 60"), value, **about)

    def test_tool_without_a_command_is_refused(self):
        """It may run commands under a name that nobody has bound."""
        for commands in (None, lambda _: None):
            with pytest.raises(Veto, match="no binding"):
                made(KIND, wrap="timeout 60").apply(case({"c": "ls"}, commands=commands))

    def test_call_that_leaves_its_command_out_is_left(self):
        given_case = case({}, commands=lambda _: ())

        assert made(KIND, wrap="timeout 60").apply(given_case) is given_case.call.arguments


class TestOptions:
    """Each command of the program has the options afterwards, or the call is refused."""

    part = made(KIND, options={"curl": "--max-time 30", "npm install": "--ignore-scripts"})

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("curl a", "curl --max-time 30 a"),
            ("/usr/bin/curl a", "/usr/bin/curl --max-time 30 a"),
            ("cd x && curl a | tee f; curl b", "cd x && curl --max-time 30 a | tee f; curl --max-time 30 b"),
            ("sudo -n curl a", "sudo -n curl --max-time 30 a"),
            ("for u in a b; do curl $u; done", "for u in a b; do curl --max-time 30 $u; done"),
            ("curl -sm 30 a; curl --max-time=30 b", None),
            ("echo curl a # curl b", None),
            ("grep 'curl a' x", None),
            ("rm $x", None),
            ("npm -g install a", "npm -g install --ignore-scripts a"),
            ("npm test", None),
            ("make", None),
        ],
    )
    def test_options_are_added_where_they_are_missing(self, text, expected):
        assert rewritten(self.part, text) == (expected or text)

    @pytest.mark.parametrize(
        "text",
        [
            "curl --max-time 900 a",
            "curl -m 900 a",
            "curl --max-time 30 a -m 900",
            "curl --max-tim 900 a",
            "c=curl; $c a",
            "'curl' a",
            "c\\url a",
            "bash -c 'curl a'",
            "eval 'curl a'",
            "echo 'curl a' | sh",
            "python3 -c 'import os; os.system(\"curl a\")'",
            "$x a",
            'bash -c "$x"',
            "curl $x",
            "cat f | xargs curl",
            "curl a | sh",
            "npm $x",
            "if curl a",
            "source <(curl a)",
        ],
    )
    def test_call_is_refused_where_they_cannot_be_added(self, text):
        """Where the command does not stand there as words, has another value, or cannot be read."""
        with pytest.raises(Veto):
            rewritten(self.part, text)

    def test_word_that_is_no_subcommand_is_not_taken_for_one(self):
        """What was added is read again: behind the folder `commit` the option would be one of `git` itself."""
        part = made(KIND, options={"git commit": "--signoff"})

        assert rewritten(part, "git -C a commit -m x") == "git -C a commit --signoff -m x"
        with pytest.raises(Veto):
            rewritten(part, "git -C commit commit -m x")

    def test_words_of_a_command_without_a_shell_are_refused(self):
        with pytest.raises(Veto):
            rewritten(self.part, ["curl", "a"], role="argv")

    @given(text=texts)
    def test_adding_twice_is_adding_once(self, text):
        once = rewritten(self.part, text)

        assert rewritten(self.part, once) == once

    @given(text=texts)
    def test_what_was_wrapped_has_its_options(self, text):
        """Options are added before the wrapper, and seen through it afterwards."""
        options = {"curl": "--max-time 30"}
        part = made(KIND, options=options, wrap="timeout 60")
        once = rewritten(part, text)

        assert shlex.split(once)[-1] == rewritten(made(KIND, options=options), text)
        assert rewritten(part, once) == once

    def test_values_are_quoted_as_one_word(self):
        part = made(KIND, options={"curl": "--user-agent 'an agent'"})

        assert rewritten(part, "curl a") == "curl --user-agent 'an agent' a"


class TestBindings:
    """Which argument is a command, and of which shell, is what the bindings say that the rule's layer knows."""

    RULE = '[[rule]]\nid = "w"\nkind = "rewrite"\ntools = ["run"]\nwrap = "timeout 60"\n'
    BINDING = '[tools.run]\n"/steps/*" = { role = "command", shell = "sh" }\n'

    @pytest.mark.parametrize(
        ("managed", "project", "expected"),
        [
            (RULE + BINDING, "", "allow"),
            (BINDING, RULE, "allow"),
            ("", BINDING + RULE, "allow"),
            (RULE, BINDING, "deny"),
            (RULE, "", "deny"),
        ],
        ids=["own", "of above", "own of the project", "of beneath", "none"],
    )
    def test_rule_knows_bindings_of_its_layer_and_of_those_above(self, managed, project, expected, tmp_path):
        """What a lower layer says of a tool is for its own rules; without it the rule cannot be applied."""
        head = 'version = 1\ndefault = "allow"\n'
        for name, text in (("m.toml", managed), ("p.toml", project)):
            (tmp_path / name).write_text(head + text, encoding="utf-8")
        engine = Engine.load(managed=tmp_path / "m.toml", project=tmp_path / "p.toml", facts=facts(Clock()))
        decision = engine.decide("run", {"steps": ["ls", "make; ls"]})

        assert decision.effect == expected
        assert expected == "deny" or decision.arguments["steps"] == [
            "timeout 60 sh -c ls",
            "timeout 60 sh -c 'make; ls'",
        ]
