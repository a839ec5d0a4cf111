"""The hand-written scripts with the truth about them, and what the parser refuses."""

import json
from pathlib import Path

import pytest

from tests.meaning.shell.readers import (
    commands_seen,
    doubts_of,
    effects_of,
    interpret,
    is_doubtful,
    names_of,
    written_by,
)

CASES = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "cases" / "shell_grammar.jsonl").read_text(encoding="utf-8").splitlines()
]
VALID = [case for case in CASES if case["valid"]]
INVALID = [case for case in CASES if not case["valid"]]
UNKNOWABLE = {"$x": "⟨…⟩", "${y}z": "⟨…⟩z", "/usr/bin/c?": "/usr/bin/c⟨…⟩"}


def alone(command):
    """Every command stands for itself; nothing is followed into what it runs."""
    return interpret(command)._replace(nested=())


@pytest.mark.parametrize("case", VALID, ids=lambda case: case["id"])
def test_commands_and_writes_of_a_case_are_exactly_right(case):
    """Every command that bash could run is found, no data is taken for one, and every file is seen."""
    effects = effects_of(case["source"], interpret=alone)
    vanished = {"d1"} if case["id"] == "var-name" else set()  # `$x d1` runs `d1` where `x` is empty

    assert set(names_of(effects)) - vanished == {UNKNOWABLE.get(name, name) for name in case["commands"]}
    assert written_by(effects) == case["writes"]


@pytest.mark.parametrize("case", VALID, ids=lambda case: case["id"])
def test_case_is_unknown_only_where_nobody_can_know(case):
    """The mark stands on names that come from the environment, and on arithmetic over what a command prints."""
    doubts = [doubt for doubt in doubts_of(effects_of(case["source"])) if not doubt.startswith("arithmetic evaluates")]

    assert bool(doubts) == bool(set(case["commands"]) & set(UNKNOWABLE))


@pytest.mark.parametrize("case", INVALID, ids=lambda case: case["id"])
def test_script_that_bash_refuses_is_unknown(case):
    """A syntax error is no reason to call a text harmless."""
    effects = effects_of(case["source"])

    assert is_doubtful(effects)
    assert names_of(effects) == []


def test_commands_before_a_syntax_error_are_seen_since_the_shell_has_run_them():
    effects = effects_of("rm a; rm b\nls && ; x")

    assert names_of(effects) == ["rm", "rm"]
    assert doubts_of(effects) == ["a command is missing behind `&&`"]


@pytest.mark.parametrize(
    "text",
    [
        "cat $'x",
        'echo "a',
        "echo `a",
        "echo $(a",
        "a && && b",
        "if a; then b",
        "for x in; do",
        "case x in a",
        "f() a",
        "a <<<",
        "a | | b",
        "(a",
        "{ a",
        "[[ a",
        "((a",
        "a ;; b",
        "echo ${",
        "echo ${x",
        "a=(b",
        "do a",
        "fi",
        "a >",
        "echo a(b)",
        "coproc",
        "function",
        "echo ${ a; }",
        "echo ${x@}",
        "a &\\\n& b",
        "$\\\n(a)",
        "1234567890123>a b",
        "a[b c",
        "for 1 in a; do b; done",
        "select",
        "a >(b",
        "a <<E$(x)\nE",
        "i\\\nf a; then b; fi",
        "x\\\n=a b",
        "{x[0]}>a b",
        "$x\\\ny",
        "a &\\\n>b",
    ],
)
def test_text_that_is_not_modelled_is_unknown_with_a_reason(text):
    assert all(doubts_of(effects_of(text)))
    assert doubts_of(effects_of(text))


def test_opaque_effect_spans_from_the_command_that_cannot_be_read_to_the_end():
    (effect,) = (effect for effect in effects_of("a\nb; (c") if effect.kind == "unknown")

    assert effect.span == (2, 7)


def test_spans_of_words_are_places_in_the_text():
    text = "ls 'a b' | rm \"$x\" -f; echo $(c d) `e`"
    words = {text[slice(*word.span)] for command in commands_seen(text) for word in command.words}

    assert words == {"ls", "'a b'", "rm", '"$x"', "-f", "echo", "$(c d)", "`e`", "c", "d", "e"}


def test_spans_of_nested_text_are_those_of_the_word_that_holds_it():
    text = 'bash -c "rm -rf $((1+1))"'
    (effect,) = (effect for effect in effects_of(text) if effect.kind == "exec" and effect.target.program == "rm")

    assert text[slice(*effect.span)] == '"rm -rf $((1+1))"'


def test_bare_carriage_return_is_unknown_since_a_terminal_ends_the_line_there():
    """To bash it is a character of the word; before a newline it is nothing to wonder about."""
    assert doubts_of(effects_of("echo a\rrm -rf /"))
    assert doubts_of(effects_of("true\r\nrm -rf /")) == []
    assert names_of(effects_of("true\r\nrm -rf /")) == ["true\r", "rm"]
