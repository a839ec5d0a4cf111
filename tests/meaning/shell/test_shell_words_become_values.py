"""Words become the strings that programs see, as far as that can be computed."""

import pytest

from tests.meaning.shell.readers import SCENE, commands_of, commands_seen, doubts_of, effects_of
from tidegate.meaning.scene import Scene
from tidegate.meaning.values import Hole, Partial

EXACT = {
    "quotes": ("r'm' \"-r\"f \\/x", "rm -rf /x"),
    "ansi-c": (r"$'\x72\155' $'-r\u0066'", "rm -rf"),
    "line continuation": ("r\\\nm x", "rm x"),
    "braces": ("{rm,-rf,/x{1,2}}", "rm -rf /x1 /x2"),
    "brace after variable": ("x=1 xa=2 xb=3; echo $x{a,b}", "echo 2 3"),
    "series": ("echo {1..3} {a..c} {05..06}", "echo 1 2 3 a b c 05 06"),
    "tilde": ("cat ~/.ssh", "cat /home/dev/.ssh"),
    "tilde in assignment": ("P=/a:~/b; echo $P", "echo /a:/home/dev/b"),
    "variable": ("A=rm; B='-rf /x'; $A $B", "rm -rf /x"),
    "home": ('cat "$HOME/.env"', "cat /home/dev/.env"),
    "directory": ('cat "$PWD/.env"', "cat /srv/project/.env"),
    "ifs": ("rm${IFS}-rf${IFS}/x", "rm -rf /x"),
    "own ifs": ("IFS=,; x=rm,-rf,/y; $x", "rm -rf /y"),
    "default": ("unset x; ${x:-rm} -rf", "rm -rf"),
    "assigned default": ("unset x; : ${x:=rm}; $x -rf", "rm -rf"),
    "alternative": ("x=1; ${x:+rm} -rf", "rm -rf"),
    "prefix cut": ("x=xxrm; ${x#xx} -rf", "rm -rf"),
    "suffix cut": ("x=rm.txt; ${x%.*} -rf", "rm -rf"),
    "replaced": ("x=rXmX; ${x//X/} -rf", "rm -rf"),
    "substring": ("x=armor; ${x:1:2} -rf", "rm -rf"),
    "lower case": ("x=RM; ${x,,} -rf", "rm -rf"),
    "length": ("x=abc; echo ${#x}", "echo 3"),
    "indirect": ("a=rm; b=a; ${!b} -rf", "rm -rf"),
    "arithmetic": ("echo $((2 * 3 + 1))", "echo 7"),
    "arguments": ('set -- rm -rf /x; "$@"', "rm -rf /x"),
    "shifted": ('set -- a rm -rf; shift; "$@"', "rm -rf"),
    "function argument": ('f() { rm "$2"; }; f a b', "rm b"),
    "substitution": ("$(echo rm) -rf", "rm -rf"),
    "backticks": ("`echo rm` -rf", "rm -rf"),
    "nested substitution": ("$(echo $(echo rm)) -rf", "rm -rf"),
    "joined output": ("$(printf %s r; printf %s m) -rf", "rm -rf"),
    "array": ('c=(rm -rf /x); "${c[@]}"', "rm -rf /x"),
    "element": ("c=(a rm); ${c[1]} -rf", "rm -rf"),
    "associative": ("declare -A m; m[k]=rm; ${m[k]} -rf", "rm -rf"),
    "associative literal": ("declare -A m=([k]=rm ['a b']=x); ${m[k]} -rf", "rm -rf"),
    "literal with subscripts": ("c=([3]=rm -rf [1]=z); ${c[3]} ${c[4]}", "rm -rf"),
    "integer": ("declare -i n=3; n+=4; n+=n; echo $n", "echo 14"),
    "appended": ("x=r; x+=m; $x -rf", "rm -rf"),
    "read": ("read X Y <<< 'rm -rf'; $X $Y", "rm -rf"),
    "read array": ('read -a X <<< "rm -rf"; "${X[@]}"', "rm -rf"),
    "mapfile": ("mapfile -t X <<< rm; ${X[0]} -rf", "rm -rf"),
    "printf -v": ("printf -v X %s rm; $X -rf", "rm -rf"),
    "name reference": ("declare -n r=X; r=rm; $X -rf", "rm -rf"),
    "export": ("export X=rm; bash -c '$X -rf'", "rm -rf"),
    "local": ("f() { local x=rm; $x -rf; }; f", "rm -rf"),
    "environment of one command": ("X=rm bash -c '$X -rf'", "rm -rf"),
    "here-document": ("bash <<E\nrm -rf\nE", "rm -rf"),
    "pipe into a shell": ("echo rm -rf | sh", "rm -rf"),
    "arguments of a shell": ("bash -c '\"$@\"' _ rm -rf", "rm -rf"),
    "eval": ("eval 'r''m' -rf", "rm -rf"),
    "source of a substitution": (". <(echo rm -rf)", "rm -rf"),
    "alias": ("shopt -s expand_aliases\nalias z='rm -rf'\nz", "rm -rf"),
    "hash": ("hash -p /bin/rm ls\nls -rf", "/bin/rm -rf"),
    "loop over constants": ("for c in rm; do $c -rf; done", "rm -rf"),
    "loop over lines": ("while read c; do $c -rf; done <<< rm", "rm -rf"),
    "expansions side by side are split as one": ("IFS=': '; x=' x ' y=::; set -- $x$y; echo $#", "echo 2"),
    "here-document that ends with its substitution": ("$(cat <<E\nrm\nE) -rf", "rm -rf"),
    "pieces around a quoted blank": ("x='a b'; echo $x \"$x\"", "echo a b a b"),
}


@pytest.mark.parametrize(("text", "expected"), EXACT.values(), ids=EXACT.keys())
def test_words_are_computed_exactly(text, expected):
    """Every word of the command is what bash makes of it."""
    assert expected in commands_of(effects_of(text))


@pytest.mark.parametrize(
    ("text", "value", "many"),
    [
        ('cat "/tmp/$x.log"', Partial(("/tmp/", Hole.ANY, ".log"), ""), False),
        ("cat /tmp/$x", Partial(("/tmp/", Hole.ANY), ""), True),
        ("cat $x", Partial((Hole.ANY,), ""), True),
        ("cat /srv/proj*", Partial(("/srv/proj", Hole.NAME), ""), True),
        ("cat a?c/[de]*.txt", Partial(("a", Hole.NAME, "c/", Hole.NAME, ".txt"), ""), True),
        ("cat ${x##*/}", Partial((Hole.NAME,), ""), True),
        ("cat f$?", Partial(("f", Hole.DIGITS), ""), False),
        ("cat <(a)", Partial(("/dev/fd/", Hole.DIGITS), ""), False),
        ('cat "$(date).log"', Partial((Hole.ANY, ".log"), ""), False),
        ('cat "$@"', Partial((Hole.ANY,), ""), True),
        ("cat {/a,/b}/$x", Partial(("/a/", Hole.ANY), ""), True),
    ],
)
def test_partly_known_words_keep_what_is_known_of_them(text, value, many):
    """Prefix, suffix and shape stay; `many` tells that it may be any number of words."""
    words = next(command for command in commands_seen(text) if command.words[0].value == "cat").words

    assert words[1].value[0] == value.parts
    assert words[1].many is many
    assert words[1].value.reason


def test_order_of_an_associative_array_is_not_known():
    """Bash has an order of its own, which nobody should guess."""
    assert "⟨…⟩" in commands_of(effects_of('declare -A m=([a]=rm [b]=-rf); "${m[@]}"'))


def test_glob_marks_its_word_so_that_options_can_hide_in_it():
    """`rm *` may run with a file named `-rf`, `rm ./*` may not; the reader of commands sees which it is."""
    bare, safe = commands_seen("rm *; rm ./*")

    assert (bare.words[1].glob, bare.words[1].many, bare.words[1].value.prefix) == (True, True, "")
    assert (safe.words[1].glob, safe.words[1].value.prefix) == (True, "./")


@pytest.mark.parametrize("pattern", ["a[[:alpha:]]c", "a[]x]c", "a[!]x]c", "a[[.x.]y]c", "a[^[:digit:]x]c"])
def test_set_of_a_glob_ends_at_its_own_bracket(pattern):
    """A bracket that is a member, or ends the name of a class, does not end the set."""
    (value,) = (word.value for word in commands_seen(f"x {pattern}")[0].words[1:])

    assert value.parts == ("a", Hole.NAME, "c")


@pytest.mark.parametrize(
    ("script", "hidden"),
    [
        ("x *", False),
        ("shopt -s dotglob; x *", True),
        ("shopt -s dotglob; shopt -u dotglob; x *", False),
        ("GLOBIGNORE=y; x *", True),
        ("shopt -s extglob\nx @(.env)", True),
        ("shopt -s extglob\nx a @(.env) *", True),
    ],
)
def test_glob_that_may_match_hidden_names_is_not_called_one(script, hidden):
    """What is called a glob leaves out names that begin with a dot; with `dotglob` and the like they are matched."""
    word = commands_seen(script)[-1].words[-1 if "a @" not in script else 2]

    assert (word.many, word.glob) == (True, not hidden)


def test_glob_is_text_where_globbing_is_off_or_quoted():
    """After `set -f` and in quotes a star is a star."""
    assert commands_of(effects_of("set -f; cat *; cat '*' \"?\" \\[a]")) == ["set -f", "cat *", "cat * ? [a]"]


def test_variable_that_the_environment_sets_is_known_where_the_scene_attests_it():
    scene = Scene("/srv/project", "/home/dev", environment={"CMD": "rm -rf"})

    assert commands_of(effects_of("$CMD /x", scene=scene)) == ["rm -rf /x"]


@pytest.mark.parametrize(
    "text",
    ["x=$(exec >f; echo rm); $x", "x=$(a && echo rm); $x", "x=$(echo rm >&3); $x", "x=$(echo rm >/dev/stdout); $x"],
)
def test_output_that_may_go_elsewhere_is_not_known(text):
    """An exact value would be wrong where the output never comes back."""
    assert "⟨…⟩" in commands_of(effects_of(text))[-1]


def test_default_of_a_variable_that_may_be_set_is_one_of_two_readings():
    """`${X:-rm}` is `rm` unless the environment says otherwise, and a deny has to see both."""
    effects = effects_of("${X:-rm} -rf")

    assert "rm -rf" in commands_of(effects)
    assert doubts_of(effects)


def test_words_behind_a_name_that_may_vanish_are_a_command_as_well():
    """`$SUDO rm` runs `rm` where `SUDO` is empty."""
    assert "rm -rf" in commands_of(effects_of("$SUDO rm -rf"))


@pytest.mark.parametrize(
    "text",
    ["x=$x$x;" * 40 + "echo $x", "echo {1..100000}", "echo " + "{a,b}" * 11, "echo " + "{" * 40 + "a,b" + "}" * 40],
)
def test_words_that_grow_too_far_are_not_known(text):
    """A cap ends in a hole, never in a guess."""
    last = commands_seen("x=aaaa;" + text)[-1]

    assert not all(isinstance(word.value, str) for word in last.words) or last.words[1].value.startswith("{")


def test_home_of_a_scene_without_one_is_not_known():
    (command,) = commands_seen("cat ~/x", scene=Scene("/srv"))

    assert command.words[1].value.suffix == "/x"
    assert SCENE.home == "/home/dev"
