"""`rewrite` on commands: the wrapper around them, and the options that they get."""

import shlex

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.kinds.making import case, made
from tests.laws.worlds import Clock, facts
from tidegate.engine import Engine
from tidegate.errors import Veto
from tidegate.kind import CommandText, Setting
from tidegate.kinds.rewrite import KIND
from tidegate.meaning.commands.table import Table
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


class TestUndoing:
    """A switch that a rule sets holds, or the call is refused: nothing in the command may take it back."""

    @pytest.mark.parametrize(
        ("program", "options", "text"),
        [
            ("npm install", "--ignore-scripts", "npm install --no-ignore-scripts x"),
            ("npm install", "--ignore-scripts", "npm --no-ignore-scripts install x"),
            ("npm install", "--ignore-scripts", "npm install --ignore-scripts=false x"),
            ("npm install", "--ignore-scripts", "npm install --ignore-scripts false x"),
            ("npm install", "--ignore-scripts", "npm install --ignore-scripts x --ignore-scripts False"),
            ("npm install", "--ignore-scripts", "npm install false"),
            ("npm install", "--ignore-scripts", "npm install --no-ign x"),
            ("npm install", "--ignore-scripts", "npm install $x"),
            ("npm install", "--no-audit", "npm install --audit x"),
            ("git push", "--dry-run", "git push --no-dry-run"),
            ("git push", "--dry-run", "git push --dry-run --no-dry"),
            ("git push", "--force-with-lease", "git push --force"),
            ("git commit", "--signoff", "git commit --no-signoff -m x"),
            ("git commit", "--signoff", "git commit --no-sign -m x"),
            ("git commit", "--no-signoff", "git commit -s -m x"),
            ("rsync", "-n", "rsync --no-n a b"),
            ("rsync", "--dry-run", "rsync --no-dry-run a b"),
            ("rm", "-i", "rm -i -f a"),
            ("rm", "-i", "rm -if a"),
            ("rm", "-i", "rm a --force"),
            ("rm", "-i", "rm -i --interactive=never a"),
            ("rm", "-i", "rm -i *.txt"),
            ("grm", "-i", "grm -f a"),
            ("grep", "--ignore-case", "grep --no-ignore-case a b"),
            ("grep", "-i", "grep --no-ig a b"),
            ("grep", "-H", "grep -h a b"),
            ("curl", "-s", "curl -K cfg a"),
            ("curl", "-s", "curl --config=cfg a"),
            ("curl", "--max-time 30", "curl -Kcfg a"),
            ("curl", "--max-time 30", "curl --max-time 30 a --next b"),
            ("curl", "-s", "curl --unheard-of=a b"),
            ("wget", "-q", "wget -e quiet=off a"),
            ("ssh", "-A", "ssh -F cfg host"),
            ("pip install", "--only-binary :all:", "pip install -r requirements.txt"),
        ],
    )
    def test_call_is_refused_where_a_word_may_undo_the_option(self, program, options, text):
        """Negated, overridden, given a value, left to a file, or hidden in what is not known or not declared."""
        with pytest.raises(Veto, match="cannot be added"):
            rewritten(made(KIND, options={program: options}), text)

    @pytest.mark.parametrize(
        ("program", "options", "text", "expected"),
        [
            ("npm install", "--ignore-scripts", "npm install x", "npm install --ignore-scripts x"),
            ("npm install", "--ignore-scripts", "npm install --ignore-scripts x", None),
            ("npm install", "--ignore-scripts", "npm install -- $x", "npm install --ignore-scripts -- $x"),
            ("npm install", "--ignore-scripts", "npm install --no-fund x false", "npm install {} --no-fund x false"),
            ("git push", "--dry-run", "git push --no-verify", "git push --dry-run --no-verify"),
            ("git commit", "--signoff", "git commit -s -m x", None),
            ("rsync", "-n", "rsync -av a b", "rsync -n -av a b"),
            ("rm", "-i", "rm -i x", None),
            ("rm", "-i", "rm -- -f", "rm -i -- -f"),
            ("rm", "-i", "rm -rv ./*.txt", "rm -i -rv ./*.txt"),
            ("rm", "-v", "rm -f x", "rm -v -f x"),
            ("grep", "--ignore-case", "grep -n false b", "grep --ignore-case -n false b"),
            ("grep", "-i", "grep -i -e false b", None),
            ("curl", "-s", "curl -s url", None),
            ("curl", "--retry-delay 3", "curl --retry 5 url", "curl --retry-delay 3 --retry 5 url"),
            ("curl", "-s", "curl url -o K", "curl -s url -o K"),
            ("curl", "--config cfg", "curl --config cfg url", None),
        ],
    )
    def test_other_options_stay_beside_it(self, program, options, text, expected):
        wanted = text if expected is None else expected.format(options)

        assert rewritten(made(KIND, options={program: options}), text) == wanted

    @given(before=st.booleans(), name=st.sampled_from(["dry-run", "tags", "verify", "signed", "thin"]))
    def test_negation_is_refused_wherever_it_stands(self, before, name):
        """Either of an option and its negation undoes the other, in whatever order."""
        forced, there = (f"--{name}", f"--no-{name}") if before else (f"--no-{name}", f"--{name}")
        setting = Setting("the-rule", "deny", None, Table.builtin())
        options = {"git push": forced}
        part = KIND.compile(KIND.fields(options=options), setting)
        assume(not setting.problems)

        for text in (f"git push {there}", f"git push {there} {forced}", f"git push {forced} a {there}"):
            with pytest.raises(Veto):
                rewritten(part, text)


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
