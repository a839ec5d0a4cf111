"""Any text at all gets an answer: unknown with its reason, in linear time and flat memory."""

import sys
import tracemalloc
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.meaning.shell import generator
from tests.meaning.shell.readers import doubts_of, effects_of
from tidegate.meaning.shell.command import Limits
from tidegate.meaning.values import Hole, Partial, unknown

SECONDS = 20  # of this process alone, and generous: quadratic work would take minutes
MEGABYTES = 128
FRAGMENTS = (
    "$(",
    ")",
    "`",
    '"',
    "'",
    "\\",
    "${",
    "}",
    "((",
    "))",
    "[[",
    "]]",
    "<<E\n",
    "\nE\n",
    "<<-'E'\n",
    "<<<",
    ">",
    "<(",
    ">(",
    "&>",
    "|&",
    "&&",
    "||",
    ";;",
    ";",
    "\n",
    " ",
    "#",
    "a=",
    "a=(",
    "a[",
    "]",
    "{",
    "{a,b}",
    "{1..9}",
    "if ",
    "then ",
    "fi",
    "for x in ",
    "do ",
    "done",
    "while ",
    "case x in ",
    "esac",
    "x)",
    "function f ",
    "f() ",
    "!",
    "time ",
    "coproc ",
    "$x",
    '"$@"',
    "${x:-",
    "${x//",
    "${!x}",
    "$((",
    "$[",
    "$'",
    '$"',
    "*",
    "?",
    "@(",
    "~",
    "eval ",
    "cd ",
    "export ",
    "declare -A ",
    "trap ",
    "read x",
    "set -- ",
    "unset ",
    "alias a=",
    "\\\n",
    "\ufdd0",
    "\u00a0",
    "é",
    "\r",
    "\0",
    "\ud800",
)
texts = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=4), max_size=30).map("".join)


@given(texts, st.sampled_from(["bash", "sh", "zsh", "fish", "cmd"]), st.booleans())
def test_any_text_is_answered(text, shell, persistent):
    """Nothing is ever raised, whatever the text, and every reason says something."""
    effects = effects_of(text, shell, persistent=persistent)

    assert all(doubts_of(effects)) or not doubts_of(effects)


@given(st.lists(texts | st.sampled_from(list(Hole)), max_size=4))
def test_any_partly_known_text_is_answered_and_unknown(parts):
    """A text with a hole in it can do anything; only a number in it is harmless."""
    effects = effects_of(Partial(tuple(parts), "nobody knows it"))

    assert doubts_of(effects) or not {Hole.ANY, Hole.NAME} & set(parts)


@given(texts)
def test_more_text_before_it_never_hides_a_command(text):
    """A command on a line of its own is found whatever stands on the lines behind it."""
    effects = effects_of("rm -rf /\n" + text)

    if "\0" not in text and "\ud800" not in text:
        assert any(effect.kind == "exec" and effect.target.words == ("rm", "-rf", "/") for effect in effects)


HOSTILE = {
    "ten megabytes": "(" * 10_000_000,
    "nested substitutions": "$(" * 100_000,
    "nested substitutions within the size": "$(" * 40_000,
    "delimiter that kills": "<<E$[\t\t",
    "parentheses": "(" * 90_000,
    "arithmetic": "$((" * 30_000,
    "double parentheses": "((" * 40_000,
    "double parentheses closed by halves": "((a) " * 2_000 + ")" * 2_000,
    "braces": "{" * 90_000,
    "brace lists": "{a," * 30_000,
    "brace products": "echo " + "{a,b}" * 50,
    "backticks": "`" * 90_000,
    "escaped backticks": "`\\`\\\\`" * 10_000,
    "double quotes": '"' * 89_999,
    "single quotes": "'" * 89_999,
    "backslashes": "\\" * 90_000,
    "dollars": "$" * 90_000,
    "parameters": "${x:-" * 20_000,
    "quoted parameters": '"${x:-' * 10_000,
    "subscripts": "a[" * 40_000,
    "conditions": "[[ " + "(" * 60_000,
    "ifs": "if " * 30_000,
    "here-documents on one line": "cat " + "<<E " * 5_000 + "\n" + "E\n" * 5_000,
    "pipes": "a|" * 40_000,
    "lists": "a;" * 49_000,
    "lines": "a\n" * 49_000,
    "bangs": "! " * 40_000 + "a",
    "doubling": "x=a;" + "x=$x$x;" * 200 + "echo $x",
    "two-fold recursion": "f(){ f $1a; f $1b; };f",
    "loops in loops": "while a;do " * 12 + "x=$x1;" + " done;" * 12,
    "loops over lists": "for i in {1..30};do " * 6 + "c $i;" + "done;" * 6,
    "aliases": "shopt -s expand_aliases\nalias a='a a' b='b b '\n" + "a\nb\n" * 100,
    "eval of itself": 'x=\'eval "$x"\'; eval "$x"',
    "patterns": "x=" + "a" * 5_000 + ";echo ${x##" + "*a" * 500 + "b}",
    "replacement": "x=" + "a" * 5_000 + ";echo ${x//" + "*a" * 500 + "/y}",
    "arithmetic parentheses": "echo $((" + "(" * 2_000 + "1" + ")" * 2_000 + "))",
    "arithmetic chains": ";".join(f"v{i}=v{i + 1}+v{i + 1}" for i in range(40)) + ";((v0))",
    "many words": "set -- " + "a " * 3_000 + ";" + "echo $@ $@ $@;" * 200,
    "continuations": "\\\n" * 45_000,
    "stars": "ls " + "*" * 40_000,
    "tildes": "x=" + "~:" * 40_000,
    "process substitutions": "cat " + "<(a) " * 15_000,
    "assignments": "\n".join(f"v{i}=1; a && b" for i in range(1_900)),
    "functions": "".join(f"f{i}() {{ f{i + 1}; f{i + 1}; }};" for i in range(30)) + "f0",
    "many functions": "".join(f"f{i}() {{ a; }};" for i in range(5_000)),
    "alternatives": "".join(f"if c; then v{i}=a; else v{i}=b; fi\n" for i in range(12))
    + "echo "
    + " ".join(f"$v{i}" for i in range(12)),
    "redirections": "a " + ">b " * 30_000,
    "traps in traps": "trap 'trap \"trap x EXIT\" EXIT' EXIT;" * 500,
    "nested process substitutions": "cat " + "<(" * 40_000,
    "groups": "{ " * 40_000,
    "negated tests": "[[ " + "! " * 40_000 + "a ]]",
    "arrays": "a=(" * 20_000,
    "extended globs": "shopt -s extglob\necho " + "@(" * 40_000,
    "alternatives in an extended glob": "c; [[ x == @(" + "a|" * 40_000 + "a) ]]",
    "cases": "case a in a) " * 7_000,
    "functions in functions": "f() { " * 15_000,
    "here-documents in here-documents": "$(cat <<E\n" * 3_000,
    "here-document without an end": "cat <<E\n" + "$(a)\n" * 15_000,
    "coprocesses": "coproc " * 14_000 + "a",
    "conditions of numbers": "echo $((" + "1?" * 30_000 + "1))",
    "commas": "((" + "a," * 40_000 + "a))",
    "subscripts in an array": "declare -A h=(" + "[a]=b " * 14_000 + ")",
    "arrays that grow": "a+=(x);" * 1_900 + "echo ${a[@]}",
    "integers that grow": "declare -i n;" + "n+=n;" * 1_900,
    "arithmetic in arithmetic": "declare -ai a=(" + "a[a[a[1]]] " * 5_000 + ")",
    "bytes that are no text": bytes(range(128, 256)).decode(errors="surrogateescape") * 500,
    "ten megabytes of a word": "a" * 10_000_000,
    "reading many lines": "while read x; do echo $x; done <<E\n" + "l\n" * 3_000 + "E\n",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_ends_within_its_limits(text):
    """It is answered soon and in little memory; that it is unknown is allowed, to take it for empty is not."""
    tracemalloc.start()
    start = process_time()
    effects = effects_of(text)
    seconds = process_time() - start
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert seconds < SECONDS
    assert peak < MEGABYTES << 20
    assert effects or set(text) <= set("\\\nx=~:;a$") or text.startswith("x=") or "(" not in text


@pytest.mark.parametrize(
    ("text", "limits", "reason"),
    [
        ("a" * 101, Limits(size=100), "the text is longer than 100 characters"),
        ("$(" * 9 + "a" + ")" * 9, Limits(depth=8), "constructs are nested more than 8 deep"),
        ("eval eval eval eval a", Limits(depth=3), "constructs are nested more than 3 deep"),
        ("a;" * 30, Limits(commands=20), "the text has too many commands"),
        ("for i in 1 2 3 4 5 6; do a; b; done", Limits(commands=5), "the text has more than 5 commands"),
        ("$x;" * 40, Limits(steps=50), "the command takes more than 50 steps to read"),
        ("a\0b", Limits(), "the text has a NUL character, which shells drop or end at"),
        ("a\ud800b", Limits(), "the text has a lone surrogate"),
    ],
)
def test_limit_is_unknown_with_its_reason(text, limits, reason):
    assert reason in doubts_of(effects_of(text, limits=limits))


def test_commands_before_a_limit_are_kept():
    effects = effects_of("rm -rf\n" + "a\n" * 30, limits=Limits(commands=20))

    assert effects[0].target.words == ("rm", "-rf")


def test_text_of_which_nothing_is_known_is_unknown():
    assert doubts_of(effects_of(unknown("the model may say anything"))) == [
        "the text of a shell is not known: the model may say anything"
    ]


def test_deep_stack_of_the_caller_ends_in_unknown_too():
    """Whoever calls from deep inside gets an answer instead of a `RecursionError`."""

    def deep(levels):
        return deep(levels - 1) if levels else effects_of("$(" * 60 + "a" + ")" * 60)

    assert doubts_of(deep(sys.getrecursionlimit() - 250)) == ["constructs are nested too deeply to be read"]


def test_memory_stays_flat_over_many_texts():
    """What is remembered between texts is bounded."""
    texts = [generator.script(700_000 + seed)[0] for seed in range(240)]
    tracemalloc.start()
    for text in texts[:100]:
        effects_of(text)
    before, _ = tracemalloc.get_traced_memory()
    for text in texts[100:]:
        effects_of(text)
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert after - before < 2 << 20
